package coder

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// Limits of an expression.
const (
	maxExpression = 200 // characters
	maxParens     = 20  // within one another
)

// evaluate works out an expression of numbers, + - * / % ^ ( ) sqrt and cbrt.
func evaluate(text string) (float64, error) {
	if len(text) > maxExpression {
		return 0, fmt.Errorf("expression: %d characters, allowed are %d", len(text), maxExpression)
	}
	r := reader{rest: text}
	v, err := r.sum()
	if err != nil {
		return 0, err
	}
	if r.skip(); r.rest != "" {
		return 0, fmt.Errorf("expression: %.20q does not belong there", r.rest)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, errors.New("expression: the result is no number")
	}
	return v, nil
}

type reader struct {
	rest  string
	depth int
}

func (r *reader) skip() { r.rest = strings.TrimLeft(r.rest, " ") }

// next takes one of the given characters, or returns 0.
func (r *reader) next(of string) byte {
	r.skip()
	if r.rest == "" || strings.IndexByte(of, r.rest[0]) < 0 {
		return 0
	}
	c := r.rest[0]
	r.rest = r.rest[1:]
	return c
}

func (r *reader) sum() (float64, error) {
	v, err := r.product()
	for err == nil {
		op := r.next("+-")
		if op == 0 {
			return v, nil
		}
		var w float64
		if w, err = r.product(); op == '-' {
			w = -w
		}
		v += w
	}
	return 0, err
}

func (r *reader) product() (float64, error) {
	v, err := r.sign()
	for err == nil {
		op := r.next("*/%")
		if op == 0 {
			return v, nil
		}
		var w float64
		if w, err = r.sign(); err != nil {
			break
		}
		switch {
		case op == '*':
			v *= w
		case w == 0:
			err = errors.New("expression: division by zero")
		case op == '/':
			v /= w
		default:
			v -= w * math.Floor(v/w)
		}
	}
	return 0, err
}

// sign binds looser than a power: -2^2 is -4.
func (r *reader) sign() (float64, error) {
	if r.depth++; r.depth > 2*maxParens {
		return 0, fmt.Errorf("expression: nested deeper than %d", maxParens)
	}
	defer func() { r.depth-- }()
	switch r.next("+-") {
	case '-':
		v, err := r.sign()
		return -v, err
	case '+':
		return r.sign()
	}
	v, err := r.atom()
	if err != nil || r.next("^") == 0 {
		return v, err
	}
	w, err := r.sign()
	if err != nil {
		return 0, err
	}
	if v = math.Pow(v, w); math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, errors.New("expression: the power is no number")
	}
	return v, nil
}

func (r *reader) atom() (float64, error) {
	r.skip()
	for _, root := range []string{"sqrt", "cbrt"} {
		if rest, ok := strings.CutPrefix(r.rest, root); ok {
			r.rest = rest
			v, err := r.parens()
			switch {
			case err != nil:
				return 0, err
			case root == "cbrt":
				return math.Cbrt(v), nil
			case v < 0:
				return 0, errors.New("expression: root of a negative number")
			}
			return math.Sqrt(v), nil
		}
	}
	if strings.HasPrefix(r.rest, "(") {
		return r.parens()
	}
	end := 0
	for end < len(r.rest) && (r.rest[end] >= '0' && r.rest[end] <= '9' || r.rest[end] == '.') {
		end++
	}
	v, err := strconv.ParseFloat(r.rest[:end], 64)
	if err != nil {
		return 0, fmt.Errorf("expression: a number is missing before %.20q", r.rest)
	}
	r.rest = r.rest[end:]
	return v, nil
}

func (r *reader) parens() (float64, error) {
	if r.next("(") == 0 {
		return 0, fmt.Errorf("expression: ( is missing before %.20q", r.rest)
	}
	if r.depth++; r.depth > 2*maxParens {
		return 0, fmt.Errorf("expression: nested deeper than %d", maxParens)
	}
	defer func() { r.depth-- }()
	v, err := r.sum()
	if err == nil && r.next(")") == 0 {
		err = fmt.Errorf("expression: ) is missing before %.20q", r.rest)
	}
	return v, err
}

// Words of sums, and their signs: see perception/language/en/templates.txt.
var (
	arithmetic = language.Patterns("arithmetic")
	signs      = language.Texts("signs")
	sums       = language.Patterns("sums")
	articles   = regexp.MustCompile(`\b(?:a|the|number|the number) (\d)`)
	mathOnly   = regexp.MustCompile(`^(?:[0-9.+*/%^()\s-]|sqrt|cbrt)+$`)
	mathSign   = regexp.MustCompile(`[0-9)]\s*[-+*/%^]|sqrt|cbrt`)
	mathDate   = regexp.MustCompile(`^\s*\d{1,4}[-/]\d{1,2}[-/]\d{1,4}\s*$`)
)

// inSigns writes words of sums as signs.
func inSigns(text string) string {
	in := template.Split(text)
	for _, r := range arithmetic.Rules() {
		for m := r.Find(in); m != nil; m = r.Find(in) {
			sign := strings.NewReplacer("$a", strings.TrimRight(m.Slot("a"), "stndrh"), "$b", m.Slot("b")).Replace(signs[r.Name])
			text = m.Before() + " " + sign
			if !strings.HasSuffix(sign, "^") {
				text += " "
			}
			text += m.After()
			in = template.Split(text)
		}
	}
	return text
}

// expression is what a sentence wants to be worked out, with signs in place of words; empty when it is none.
func expression(s *language.Request) string {
	text := s.Digits
	if !strings.ContainsAny(text, "0123456789") {
		return ""
	}
	before := sums.Rule("before").Find(s.Counted)
	if before != nil {
		text = before.After()
	}
	if after := sums.Rule("after").Find(template.Split(text)); after != nil {
		text = after.Before()
	}
	text = inSigns(articles.ReplaceAllString(text, "$1"))
	text = strings.TrimSpace(strings.ReplaceAll(text, "**", "^"))
	if !mathOnly.MatchString(text) || !mathSign.MatchString(text) || len(text) > maxExpression || before == nil && mathDate.MatchString(text) {
		return ""
	}
	if _, err := evaluate(text); err != nil && !strings.Contains(err.Error(), "division by zero") && !strings.Contains(err.Error(), "negative") {
		return ""
	}
	return strings.Join(strings.Fields(text), " ")
}
