package coder

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/units"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
)

// gap is what is filled in a reply: "{radius}", "{result|plural day days}".
var gap = regexp.MustCompile(`\{(\w+)(?:\|(\w+)((?: [^} ]+)*))?\}`)

// reply puts the result of a template that is data into words: the text of "tool-replies" by its name, and by "NAME yes" or
// "NAME no" where the result is one of them, and by "NAME nothing" where it is empty.
func (u *wanted) reply(value any) string {
	texts := toolReplies()
	text, ok := texts[u.name+variant(value)]
	if is, isText := value.(string); isText && !ok {
		text, ok = texts[u.name+" "+is]
	}
	if !ok {
		if text, ok = texts[u.name]; !ok {
			return verbalize.Result(value)
		}
	}
	values := map[string]any{"result": value}
	for name, v := range u.args {
		values[name] = decoded(v)
	}
	if fields, ok := value.(map[string]any); ok {
		for name, v := range fields {
			values[name] = v
		}
	}
	text = gap.ReplaceAllStringFunc(text, func(found string) string {
		m := gap.FindStringSubmatch(found)
		v, ok := values[m[1]]
		if !ok {
			v = u.match.Slot(m[1])
		}
		if say := formats[m[2]]; say != nil {
			return say(u, v, strings.Fields(m[3]))
		}
		return verbalize.Value(v)
	})
	return upper(strings.Join(strings.Fields(text), " "))
}

func variant(value any) string {
	switch v := value.(type) {
	case bool:
		if v {
			return " yes"
		}
		return " no"
	case []any:
		if len(v) == 0 {
			return " nothing"
		}
	case string:
		if v == "" {
			return " nothing"
		}
	}
	return ""
}

// formats say a value in a certain way; more are the words behind the format's name.
var formats = map[string]func(u *wanted, v any, more []string) string{
	"quoted":  func(_ *wanted, v any, _ []string) string { return quoted(v) },
	"bare":    func(_ *wanted, v any, _ []string) string { return fmt.Sprint(v) },
	"upper":   func(_ *wanted, v any, _ []string) string { return strings.ToUpper(fmt.Sprint(v)) },
	"digits":  func(_ *wanted, v any, _ []string) string { return digits(v) },
	"big":     func(_ *wanted, v any, _ []string) string { return thousands(fmt.Sprint(v)) },
	"exact":   func(_ *wanted, v any, _ []string) string { return strconv.FormatFloat(asNumber(v), 'f', -1, 64) },
	"year":    func(_ *wanted, v any, _ []string) string { return strconv.Itoa(int(asNumber(v))) },
	"list":    func(_ *wanted, v any, _ []string) string { return listed(v) },
	"ratio":   func(_ *wanted, v any, _ []string) string { return strings.Replace(listed(v), " and ", " to ", 1) },
	"point":   func(_ *wanted, v any, _ []string) string { return pointText(v) },
	"teams":   func(_ *wanted, v any, _ []string) string { return teamsText(v) },
	"ordinal": func(_ *wanted, v any, _ []string) string { return ordinalText(int(asNumber(v))) },
	"date":    func(_ *wanted, v any, _ []string) string { return dateText(v, "2 January 2006") },
	"day":     func(_ *wanted, v any, _ []string) string { return dateText(v, "Monday, 2 January 2006") },
	"month":   func(_ *wanted, v any, _ []string) string { return time.Month(int(asNumber(v))).String() },
	"seconds": func(_ *wanted, v any, _ []string) string {
		return sayDuration(time.Duration(math.Round(asNumber(v) * float64(time.Second))))
	},
	"signed": func(_ *wanted, v any, _ []string) string { return signedText(asNumber(v)) },
	"ahead":  func(_ *wanted, v any, _ []string) string { return aheadText(asNumber(v)) },
	"base":   func(_ *wanted, v any, _ []string) string { return baseText(v) },
	"place":  func(_ *wanted, v any, _ []string) string { return placeName(fmt.Sprint(v)) },
	"amount": func(_ *wanted, v any, _ []string) string { return amountText(fmt.Sprint(v)) },
	"usual":  func(_ *wanted, v any, more []string) string { return usualText(v, more[0]) },
	"plural": func(_ *wanted, v any, more []string) string { return pluralText(v, more) },
	"unit":   func(u *wanted, v any, _ []string) string { return u.measured(v, "") },
	"square": func(u *wanted, v any, _ []string) string { return u.measured(v, "square ") },
	"cubic":  func(u *wanted, v any, _ []string) string { return u.measured(v, "cubic ") },
	"power": func(u *wanted, v any, more []string) string {
		return u.measured(v, powers[fmt.Sprint(u.args[more[0]])])
	},
	"money":   func(u *wanted, v any, more []string) string { return u.money(v, more) },
	"perhour": func(_ *wanted, v any, _ []string) string { return perHour(fmt.Sprint(v)) },
	"clean":   func(_ *wanted, v any, _ []string) string { return strings.Trim(fmt.Sprint(v), " ,.") },
	"without": func(_ *wanted, v any, _ []string) string { return withoutText(fmt.Sprint(v)) },
	"near":    func(_ *wanted, v any, _ []string) string { return verbalize.Number(math.Round(asNumber(v)*1e9) / 1e9) },
	"sum":     func(_ *wanted, v any, _ []string) string { return sumText(v) },
	"article": func(_ *wanted, v any, _ []string) string { return article(fmt.Sprint(v)) },
}

// powers are the powers of the unit in which measures are.
var powers = map[string]string{"area": "square ", "surface": "square ", "volume": "cubic "}

// digits says a whole number in all of its digits.
func digits(v any) string {
	x := asNumber(v)
	if x != math.Trunc(x) || math.Abs(x) >= 1e15 {
		return verbalize.Value(v)
	}
	sign := ""
	if x < 0 {
		sign, x = "minus ", -x
	}
	return sign + thousands(strconv.FormatFloat(x, 'f', 0, 64))
}

// thousands sets commas between the thousands of a long number.
func thousands(text string) string {
	if len(text) > 4 {
		for i := len(text) - 3; i > 0; i -= 3 {
			text = text[:i] + "," + text[i:]
		}
	}
	return text
}

func pointText(v any) string {
	all, _ := v.([]any)
	said := make([]string, len(all))
	for i, e := range all {
		said[i] = verbalize.Value(e)
	}
	return strings.Join(said, ", ")
}

// signedText says "plus 25", "minus 20".
func signedText(x float64) string {
	if x > 0 {
		return "plus " + verbalize.Number(x)
	}
	return verbalize.Number(x)
}

// aheadText says how many hours one place is ahead of another.
func aheadText(hours float64) string {
	switch {
	case hours == 0:
		return "at the same time as"
	case hours < 0:
		return pluralText(-hours, []string{"hour", "hours"}) + " behind"
	}
	return pluralText(hours, []string{"hour", "hours"}) + " ahead of"
}

func baseText(v any) string {
	switch n := int(asNumber(v)); n {
	case 2:
		return "binary"
	case 8:
		return "octal"
	case 0, 10:
		return "decimal"
	case 16:
		return "hexadecimal"
	default:
		return "base " + strconv.Itoa(n)
	}
}

// amountText says an amount as it is usual: "2 pounds", "1 kilogram".
func amountText(text string) string {
	if x, u := measure(text); u != nil {
		return amount(x, u)
	}
	return text
}

// usualText is the name in a table of a word, and then of that name.
func usualText(v any, table string) string {
	text := strings.ToLower(fmt.Sprint(v))
	if usual, ok := language.Map(table)[text]; ok {
		return usual
	}
	return text
}

// perHour is the unit of the way that a speed names.
func perHour(text string) string {
	if strings.HasPrefix(text, "m") && !strings.HasPrefix(text, "me") {
		return "miles"
	}
	return "kilometres"
}

func withoutText(text string) string {
	if len(text) == 1 {
		return "the letter " + strings.ToUpper(text)
	}
	return text
}

// sumText says what several dice come to.
func sumText(v any) string {
	all, _ := v.([]any)
	sum := 0.0
	for _, x := range all {
		sum += asNumber(x)
	}
	if len(all) < 2 {
		return ""
	}
	return ", together " + digits(sum)
}

// listed says all of a list, in digits.
func listed(v any) string {
	all, ok := v.([]any)
	if !ok {
		return verbalize.Value(v)
	}
	said := make([]string, len(all))
	for i, e := range all {
		if text, ok := e.(string); ok {
			said[i] = text
		} else {
			said[i] = digits(e)
		}
	}
	return verbalize.And(said)
}

func ordinalText(n int) string {
	ending := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	return strconv.Itoa(n) + ending
}

func dateText(v any, layout string) string {
	t, err := time.Parse(isoDate, fmt.Sprint(v))
	if err != nil {
		return fmt.Sprint(v)
	}
	return t.Format(layout)
}

// pluralText says "1 day", "3 days", "no days".
func pluralText(v any, more []string) string {
	if len(more) != 2 {
		return verbalize.Value(v)
	}
	one, many := strings.ReplaceAll(more[0], "_", " "), strings.ReplaceAll(more[1], "_", " ")
	if x := asNumber(v); x != 0 && x != 1 {
		return digits(v) + " " + many
	}
	return counted(asNumber(v), one, many)
}

// measured says a number with a power of the unit that was named; just the number when none was.
func (u *wanted) measured(v any, power string) string {
	text := verbalize.Number(asNumber(v))
	w := units.Of(strings.ToLower(u.match.Slot("unit")))
	switch {
	case w == nil:
		return text
	case asNumber(v) == 1:
		return text + " " + power + w.One
	}
	return text + " " + power + w.Many
}

// teamsText says "Anna and Ben; Carl and Dora".
func teamsText(v any) string {
	teams, _ := v.([]any)
	said := make([]string, len(teams))
	for i, t := range teams {
		said[i] = fmt.Sprintf("team %d: %s", i+1, listed(t))
	}
	return strings.Join(said, "; ")
}

// money says an amount with two digits behind the point where it has some, and the currency that was named in a slot.
func (u *wanted) money(v any, more []string) string {
	x := math.Round(asNumber(v)*100) / 100
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if x != math.Trunc(x) {
		text = strconv.FormatFloat(x, 'f', 2, 64)
	}
	if x >= 10000 && x == math.Trunc(x) {
		text = digits(x)
	}
	if len(more) == 0 {
		return text
	}
	return strings.TrimSpace(text + " " + u.match.Slot(more[0]))
}
