package coder

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
)

// toolTemplates are all tools that need no language model, in the order in which they are asked whether a sentence is theirs.
var toolTemplates = []*toolTemplate{
	{
		name: "percent_of", arguments: map[string]string{"percent": "number", "total": "number"},
		does: "How much a number of percent of a total is.", read: readPercent,
		oracle: func(a args) (any, error) {
			p, t := a["percent"].(float64), a["total"].(float64)
			if math.Abs(p) > 1e12 || math.Abs(t) > 1e12 {
				return nil, errValue
			}
			return t * (p / 100), nil
		},
		inputs: []args{
			{"percent": 15.0, "total": 300.0},
			{"percent": 0.0, "total": 9.0},
			{"percent": -10.0, "total": 50.0},
			{"percent": 12.5, "total": 80.0},
			{"percent": 1e13, "total": 1.0},
		},
		say: func(a args, v any) string {
			return fmt.Sprintf("%s percent of %s is %s.", upper(num(a["percent"])), num(a["total"]), num(v))
		},
	},
	{
		name: "share_in_percent", arguments: map[string]string{"part": "number", "total": "number"},
		does: "How many percent of a total a part is.", read: readShare,
		oracle: func(a args) (any, error) {
			p, t := a["part"].(float64), a["total"].(float64)
			if t == 0 || math.Abs(p) > 1e12 || math.Abs(t) > 1e12 {
				return nil, errValue
			}
			return 100 * p / t, nil
		},
		inputs: []args{{"part": 50.0, "total": 200.0}, {"part": 0.0, "total": 3.0}, {"part": 1.0, "total": 3.0}, {"part": 1.0, "total": 0.0}, {
			"part":  1e13,
			"total": 1.0,
		}},
		say: func(a args, v any) string {
			return fmt.Sprintf("%s is %s percent of %s.", upper(num(a["part"])), num(v), num(a["total"]))
		},
	},
	{
		name: "convert_unit", arguments: map[string]string{"value": "amount", "from_unit": "unit", "to_unit": "unit"},
		does:   "Convert an amount from one unit into another.",
		read:   func(s *language.Request, _ time.Time) args { return readConversion(s) },
		oracle: convert, inputs: conversionCases(), say: sayConversion,
	},
	{
		name: "summarise_numbers", arguments: map[string]string{"numbers": "numbers", "measure": "choice measure measures"},
		does: "The average, median, sum, product, largest, smallest or range of numbers.", read: readSummary, oracle: summarise,
		inputs: []args{
			{"numbers": []float64{3, 5, 10}, "measure": "average"},
			{"numbers": []float64{4, 1, 3, 2}, "measure": "median"},
			{"numbers": []float64{0.1, 0.2, 0.3}, "measure": "sum"},
			{"numbers": []float64{2, 3, 4}, "measure": "product"},
			{"numbers": []float64{-1, 7, 3}, "measure": "largest"},
			{"numbers": []float64{-1, 7, 3}, "measure": "smallest"},
			{"numbers": []float64{-1, 7, 3}, "measure": "range"},
			{"numbers": []float64{}, "measure": "sum"},
			{"numbers": []float64{1}, "measure": "mood"},
		},
		say: func(a args, v any) string {
			return fmt.Sprintf("The %s of %s is %s.", a["measure"], verbalize.Value(decoded(a["numbers"])), num(v))
		},
	},
	{
		name: "is_prime", arguments: map[string]string{"number": "whole"},
		does: "Whether a number is prime.", read: readPrime,
		oracle: func(a args) (any, error) {
			n := a["number"].(int)
			if n < 0 || n > 1_000_000_000 {
				return nil, errValue
			}
			return big.NewInt(int64(n)).ProbablyPrime(20), nil
		},
		inputs: []args{{"number": 2}, {"number": 91}, {"number": 97}, {"number": 1}, {"number": 0}, {"number": 7919}, {"number": -7}},
		say: func(a args, v any) string {
			if v == true {
				return fmt.Sprintf("Yes, %s is prime.", num(a["number"]))
			}
			return fmt.Sprintf("No, %s is not prime.", num(a["number"]))
		},
	},
	{
		name: "to_roman", arguments: map[string]string{"number": "whole"},
		does: "A number in Roman numerals.", read: readRoman,
		oracle: func(a args) (any, error) { return roman(a["number"].(int)) },
		inputs: []args{{"number": 1994}, {"number": 4}, {"number": 3999}, {"number": 2026}, {"number": 0}, {"number": 4000}},
		say:    func(a args, v any) string { return fmt.Sprintf("%v in Roman numerals is %v.", a["number"], v) },
	},
	{
		name: "is_leap_year", arguments: map[string]string{"year": "year"},
		does: "Whether a year is a leap year.", read: readLeap,
		oracle: func(a args) (any, error) {
			y := a["year"].(int)
			if y < 1 || y > 9999 {
				return nil, errValue
			}
			return time.Date(y, 2, 29, 0, 0, 0, 0, time.UTC).Month() == time.February, nil
		},
		inputs: []args{{"year": 2024}, {"year": 2026}, {"year": 1900}, {"year": 2000}, {"year": 0}},
		say: func(a args, v any) string {
			if v == true {
				return fmt.Sprintf("Yes, %v is a leap year.", a["year"])
			}
			return fmt.Sprintf("No, %v is not a leap year.", a["year"])
		},
	},
	{
		name: "days_between", arguments: map[string]string{"first": "date", "second": "date"},
		does: "How many days there are from one date to another.", read: readDays,
		oracle: func(a args) (any, error) {
			from, err := time.Parse(isoDate, a["first"].(string))
			to, err2 := time.Parse(isoDate, a["second"].(string))
			if err != nil || err2 != nil {
				return nil, errValue
			}
			return int(to.Sub(from).Hours() / 24), nil
		},
		inputs: []args{
			{"first": "2026-11-21", "second": "2026-12-25"},
			{"first": "2024-02-28", "second": "2024-03-01"},
			{"first": "2026-01-01", "second": "2025-01-01"},
			{"first": "2026-02-30", "second": "2026-03-01"},
			{"first": "soon", "second": "2026-03-01"},
		},
		say: sayDays,
	},
	{
		name: "add_days", arguments: map[string]string{"day": "date", "days": "days count"},
		does: "Which date is a number of days after another.", read: readLater,
		oracle: func(a args) (any, error) {
			from, err := time.Parse(isoDate, a["day"].(string))
			if n := a["days"].(int); err != nil || n > 100_000 || n < -100_000 {
				return nil, errValue
			}
			return from.AddDate(0, 0, a["days"].(int)).Format(isoDate), nil
		},
		inputs: []args{{"day": "2026-11-21", "days": 100}, {"day": "2024-03-01", "days": -1}, {"day": "2026-11-21", "days": 0}, {
			"day":  "2026-11-21",
			"days": 200_000,
		}, {"day": "?", "days": 1}},
		say: func(a args, v any) string {
			to, err := time.Parse(isoDate, fmt.Sprint(v))
			if err != nil {
				return verbalize.Result(v)
			}
			return "That is " + sayDate(to) + "."
		},
	},
	{
		name: "day_of_week", arguments: map[string]string{"day": "date"},
		does: "Which day of the week a date is.", read: readWeekday,
		oracle: func(a args) (any, error) {
			d, err := time.Parse(isoDate, a["day"].(string))
			if err != nil {
				return nil, errValue
			}
			return d.Weekday().String(), nil
		},
		inputs: []args{{"day": "2026-11-21"}, {"day": "2000-02-29"}, {"day": "1999-12-31"}, {"day": "2026-13-01"}},
		say: func(a args, v any) string {
			d, err := time.Parse(isoDate, a["day"].(string))
			if err != nil {
				return verbalize.Result(v)
			}
			return fmt.Sprintf("%s falls on a %v.", d.Format("2 January 2006"), v)
		},
	},
	{
		name: "count_letter", arguments: map[string]string{"text": "text", "letter": "letter"},
		does: "How often a letter occurs in a text.", read: readLetter,
		oracle: func(a args) (any, error) {
			t, l := a["text"].(string), a["letter"].(string)
			if utf8.RuneCountInString(l) != 1 || len(t) > 2000 {
				return nil, errValue
			}
			return strings.Count(strings.ToLower(t), strings.ToLower(l)), nil
		},
		inputs: []args{
			{"text": "strawberry", "letter": "r"},
			{"text": "", "letter": "r"},
			{"text": "Anna", "letter": "A"},
			{"text": "x", "letter": "xy"},
			{"text": strings.Repeat("a", 2001), "letter": "a"},
		},
		say: func(a args, v any) string {
			return fmt.Sprintf("There %s in %q.", count(asNumber(v), strings.ToUpper(a["letter"].(string)), strings.ToUpper(a["letter"].(string))+"s"), a["text"])
		},
	},
	{
		name: "count_in_text", arguments: map[string]string{"text": "text", "what": "counted"},
		does: "How many letters, vowels, consonants, digits, characters or words a text has.", read: readCount, oracle: countInText,
		inputs: []args{
			{"text": "Hello World 42", "what": "letters"},
			{"text": "Hello World", "what": "vowels"},
			{"text": "Hello", "what": "consonants"},
			{"text": "a1b22", "what": "digits"},
			{"text": "a b", "what": "characters"},
			{"text": "  one two  three", "what": "words"},
			{"text": "", "what": "words"},
			{"text": "a", "what": "dreams"},
			{"text": strings.Repeat("a", 2001), "what": "letters"},
		},
		say: func(a args, v any) string {
			many := a["what"].(string)
			return fmt.Sprintf("%s has %s.", quoted(a["text"]), counted(asNumber(v), strings.TrimSuffix(many, "s"), many))
		},
	},
	{
		name: "is_palindrome", arguments: map[string]string{"text": "text"},
		does: "Whether a text reads the same backwards.", read: readPalindrome,
		oracle: func(a args) (any, error) {
			if len(a["text"].(string)) > 2000 {
				return nil, errValue
			}
			var letters []rune
			for _, r := range strings.ToLower(a["text"].(string)) {
				if unicode.IsLetter(r) || unicode.IsDigit(r) {
					letters = append(letters, r)
				}
			}
			other := slices.Clone(letters)
			slices.Reverse(other)
			return slices.Equal(letters, other), nil
		},
		inputs: []args{{"text": "A man, a plan, a canal: Panama"}, {"text": "robot"}, {"text": ""}, {"text": "level"}, {"text": strings.Repeat("a", 2001)}},
		say: func(a args, v any) string {
			if v == true {
				return fmt.Sprintf("Yes, %q reads the same backwards.", a["text"])
			}
			return fmt.Sprintf("No, %q does not read the same backwards.", a["text"])
		},
	},
	{
		name: "reverse_text", arguments: map[string]string{"text": "text"},
		does: "A text backwards.", read: readReverse,
		oracle: func(a args) (any, error) {
			r := []rune(a["text"].(string))
			if len(r) > 2000 {
				return nil, errValue
			}
			slices.Reverse(r)
			return string(r), nil
		},
		inputs: []args{{"text": "hello world"}, {"text": ""}, {"text": "äb"}, {"text": strings.Repeat("a", 2001)}},
		say:    func(a args, v any) string { return fmt.Sprintf("%s backwards is %q.", quoted(a["text"]), v) },
	},
	{
		name: "change_case", arguments: map[string]string{"text": "text", "case": "choice case letter-cases"},
		does: "A text in upper case, lower case or as a title.", read: readCase, oracle: changeCase,
		inputs: []args{
			{"text": "hello World", "case": "upper"},
			{"text": "Hello", "case": "lower"},
			{"text": "the reachy mINI", "case": "title"},
			{"text": "", "case": "title"},
			{"text": "x", "case": "loud"},
			{"text": strings.Repeat("a", 2001), "case": "upper"},
		},
		say: func(_ args, v any) string { return fmt.Sprintf("%v.", v) },
	},
	{
		name: "sort_items", arguments: map[string]string{"items": "items"},
		does: "Words or numbers in order.", read: readSort, oracle: sortItems,
		inputs: []args{
			{"items": []string{"pear", "Apple", "fig"}},
			{"items": []string{"10", "9", "-1.5"}},
			{"items": []string{"b", "a", "c"}, "descending": true},
			{"items": []string{"10", "9", "x"}},
			{"items": []string{}},
		},
		say: func(_ args, v any) string { return "In order: " + verbalize.Value(v) + "." },
	},
	{
		name: "spell_word", arguments: map[string]string{"word": "word"},
		does: "A word letter by letter.", read: readSpell,
		oracle: func(a args) (any, error) {
			var letters []string
			for _, r := range a["word"].(string) {
				if !unicode.IsSpace(r) {
					letters = append(letters, strings.ToUpper(string(r)))
				}
			}
			if n := utf8.RuneCountInString(a["word"].(string)); n < 1 || n > 60 {
				return nil, errValue
			}
			return strings.Join(letters, ", "), nil
		},
		inputs: []args{{"word": "robot"}, {"word": "Ada L"}, {"word": ""}, {"word": strings.Repeat("x", 61)}},
		say:    func(a args, v any) string { return fmt.Sprintf("%s: %v.", upper(a["word"].(string)), v) },
	},
	{
		name: "calculate", does: "Work out sums, products, powers and roots.",
		read: func(s *language.Request, _ time.Time) args {
			if e := expression(s); e != "" {
				return args{"expression": e}
			}
			return nil
		},
		oracle: func(a args) (any, error) {
			v, err := evaluate(a["expression"].(string))
			if err != nil {
				return nil, errValue
			}
			return v, nil
		},
		inputs: expressions("7 * 8", "1 + 2 * 3", "(1 + 2) * 3", "2^3^2", "-2^2", "sqrt(144) + cbrt(27)", "7 % 3", "-7 % 3", "10 / 4 - 1", "0.1 + 0.2",
			"2^-1", "--3", "sqrt(2)",
			"", "1 +", "1 / 0", "2 ** 3", "1 2", "(1", "sqrt(-1)", "10^400", "(0-8)^0.5", "0^-1", "import os", strings.Repeat("(", 60)+"1", strings.Repeat("1+",
				120)+"1"),
		say: func(a args, v any) string {
			return sayExpression(a["expression"].(string)) + " is " + num(v) + "."
		},
	},
}

func expressions(all ...string) []args {
	out := make([]args, len(all))
	for i, e := range all {
		out[i] = args{"expression": e}
	}
	return out
}

// num says a number of arguments or of a result.
func num(v any) string { return verbalize.Number(asNumber(v)) }

func quoted(v any) string { return fmt.Sprintf("%q", v) }

// count says "are 3 apples", "is 1 apple".
func count(n float64, one, many string) string {
	if n == 1 {
		return "is 1 " + one
	}
	return "are " + counted(n, one, many)
}

func counted(n float64, one, many string) string {
	switch n {
	case 0:
		return "no " + many
	case 1:
		return "1 " + one
	}
	return verbalize.Number(n) + " " + many
}

var signsInWords = strings.NewReplacer("sqrt(", "the square root of (", "cbrt(", "the cube root of (", "*", " times ", "/", " divided by ", "+",
	" plus ", "^", " to the power of ", "%", " modulo ")

var (
	squares = regexp.MustCompile(`\^2([^\d.]|$)`)
	minuses = regexp.MustCompile(`([0-9)])\s*-`)
	lonely  = regexp.MustCompile(`\(([\d.]+)\)`)
)

// sayExpression says "7 times 8".
func sayExpression(e string) string {
	if rest, ok := strings.CutPrefix(e, "0.5*"); ok {
		e = "half of " + rest
	} else if rest, ok := strings.CutPrefix(e, "0.25*"); ok {
		e = "a quarter of " + rest
	}
	e = squares.ReplaceAllString(e, " squared$1")
	e = signsInWords.Replace(e)
	e = minuses.ReplaceAllString(e, "$1 minus ")
	e = lonely.ReplaceAllString(e, "$1")
	e = strings.ReplaceAll(strings.ReplaceAll(e, "( ", "("), " )", ")")
	return upper(strings.Join(strings.Fields(e), " "))
}
