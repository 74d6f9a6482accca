package coder

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
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

// operand is what stands before or behind a word in an expression.
const operand = `(\d+(?:\.\d+)?|\([^()]*\))`

var spokenMath = []struct {
	words *regexp.Regexp
	sign  string
}{
	{regexp.MustCompile(`\b(?:the )?square root of ` + operand), "sqrt($1)"},
	{regexp.MustCompile(`\b(?:the )?(?:cube|cubic|third) root of ` + operand), "cbrt($1)"},
	{regexp.MustCompile(`\b(?:the )?square of ` + operand), "$1^2"},
	{regexp.MustCompile(operand + ` squared\b`), "$1^2"},
	{regexp.MustCompile(operand + ` cubed\b`), "$1^3"},
	{regexp.MustCompile(`\b(?:a |one |1 )?half of ` + operand), "0.5*$1"},
	{regexp.MustCompile(`\b(?:a |one |1 )?(?:quarter|fourth) of ` + operand), "0.25*$1"},
	{regexp.MustCompile(`\b(?:a |one |1 )?third of ` + operand), "$1/3"},
	{regexp.MustCompile(`\b(?:double|twice|two times) ` + operand), "2*$1"},
	{regexp.MustCompile(`\btriple ` + operand), "3*$1"},
	{regexp.MustCompile(`\b(?:raised )?to the power (?:of )?`), "^"},
	{regexp.MustCompile(`\bto the (\d+)(?:st|nd|rd|th)(?: power)?`), "^$1"},
	{regexp.MustCompile(`\bto the second power`), "^2"},
	{regexp.MustCompile(`\bto the third power`), "^3"},
	{regexp.MustCompile(`\bto the fourth power`), "^4"},
	{regexp.MustCompile(`\b(?:multiplied by|times)\b`), "*"},
	{regexp.MustCompile(`(\d) x (\d)`), "$1 * $2"},
	{regexp.MustCompile(`\b(?:divided by|over)\b`), "/"},
	{regexp.MustCompile(`\bplus\b`), "+"},
	{regexp.MustCompile(`\bminus\b`), "-"},
	{regexp.MustCompile(`\b(?:modulo|mod)\b`), "%"},
	{regexp.MustCompile(`\bthe product of ` + operand + ` and ` + operand), "$1*$2"},
	{regexp.MustCompile(`\bthe difference (?:of|between) ` + operand + ` and ` + operand), "$1-$2"},
	{regexp.MustCompile(`\bsubtract ` + operand + ` from ` + operand), "$2-$1"},
	{regexp.MustCompile(`\badd ` + operand + ` (?:and|to) ` + operand), "$1+$2"},
	{regexp.MustCompile(`\bmultiply ` + operand + ` (?:by|with|and) ` + operand), "$1*$2"},
	{regexp.MustCompile(`\bdivide ` + operand + ` by ` + operand), "$1/$2"},
}

var (
	mathBefore = regexp.MustCompile(`^(?:what is|what's|what are|what does|calculate|compute|work out|how much is|how much are|how much does|evaluate|solve|the result of|what do (?:you|i|we) get (?:if|when) (?:you|i|we)|what)\s+`)
	mathAfter  = regexp.MustCompile(`\s*(?:=|equal|equals|make|give|is)\s*$`)
	mathOnly   = regexp.MustCompile(`^(?:[0-9.+*/%^()\s-]|sqrt|cbrt)+$`)
	mathSign   = regexp.MustCompile(`[0-9)]\s*[-+*/%^]|sqrt|cbrt`)
	mathDate   = regexp.MustCompile(`^\s*\d{1,4}[-/]\d{1,2}[-/]\d{1,4}\s*$`)
)

// expression is what a sentence wants to be worked out, with signs in place of words; empty when it is none.
func expression(s *sentence) string {
	text := s.nums
	if !strings.ContainsAny(text, "0123456789") {
		return ""
	}
	asked := mathBefore.MatchString(text)
	text = mathAfter.ReplaceAllString(mathBefore.ReplaceAllString(text, ""), "")
	for _, m := range spokenMath {
		text = m.words.ReplaceAllString(text, m.sign)
	}
	text = strings.TrimSpace(strings.ReplaceAll(text, "**", "^"))
	if !mathOnly.MatchString(text) || !mathSign.MatchString(text) || len(text) > maxExpression || !asked && mathDate.MatchString(text) {
		return ""
	}
	if _, err := evaluate(text); err != nil && !strings.Contains(err.Error(), "division by zero") && !strings.Contains(err.Error(), "negative") {
		return ""
	}
	return blanks.ReplaceAllString(text, " ")
}
