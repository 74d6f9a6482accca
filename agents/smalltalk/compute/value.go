package compute

import (
	"math"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/agents/units"
)

// kind is what a value is.
type kind uint8

const (
	none    kind = iota
	amount       // a number, with a unit where unit is there
	clock        // minutes since midnight
	span         // seconds
	weekday      // 0 is Sunday
	month        // 1 is January
	date         // days since 1970
	text         // a word, a letter
	list         // of values
	answer       // a reply
)

// value is what some words mean.
type value struct {
	kind kind
	x    float64     // in the base unit
	unit *units.Unit // of an amount; nil for a number
	text string
	all  []*value
	// worked says that something was worked out: a number alone is no question.
	worked bool
	// weak says that a question must be asked expressly: "five and seven" may be anything.
	weak bool
	// unsure says that a clock time may be one of the morning or of the afternoon.
	unsure bool
	parts  bool // a fraction was named, so that the result is one
}

// key is what makes values different.
func (v *value) key() string {
	k := strconv.Itoa(int(v.kind)) + strconv.FormatFloat(v.x, 'g', 12, 64) + v.text
	if v.unit != nil {
		k += v.unit.Name
	}
	if v.worked {
		k += "!"
	}
	for i := range v.all {
		k += "," + v.all[i].key()
	}
	return k
}

func num(x float64) *value { return &value{kind: amount, x: x} }

// worked is a number that was worked out.
func worked(x float64) *value {
	if math.IsNaN(x) || math.IsInf(x, 0) || math.Abs(x) > 1e15 {
		return nil
	}
	return &value{kind: amount, x: tidy(x), worked: true}
}

func reply(s string) *value { return &value{kind: answer, text: s} }

// tidy rounds away the noise of floating point.
func tidy(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 13, 64), 64)
	if err != nil || y == 0 {
		return 0
	}
	return y
}

// inUnit is an amount in its own unit.
func (v *value) inUnit() float64 {
	if v.unit == nil {
		return v.x
	}
	return tidy((v.x - v.unit.Zero) / v.unit.Factor)
}

// plain says that a value is a number without a unit.
func (v *value) plain() bool { return v.kind == amount && v.unit == nil }

// whole is the whole number that a value is, within limits.
func (v *value) whole(low, high float64) (n int, ok bool) {
	if !v.plain() || v.x != math.Trunc(v.x) || v.x < low || v.x > high {
		return 0, false
	}
	return int(v.x), true
}

// figure writes a number in full: 1,000,001 and 0.333; exact is false when it was rounded.
func figure(x float64) (s string, exact bool) {
	decimals := 2
	if a := math.Abs(x); a != 0 && a < 10 {
		decimals = max(2, 3-int(math.Floor(math.Log10(a))))
	}
	if decimals > 12 {
		return strconv.FormatFloat(x, 'g', 4, 64), false
	}
	s = strconv.FormatFloat(math.Abs(x), 'f', decimals, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	back, err := strconv.ParseFloat(s, 64)
	exact = err == nil && math.Abs(back-math.Abs(x)) <= 1e-9*math.Abs(x)
	whole, rest, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0 && len(whole) > 4; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if s = whole; rest != "" {
		s += "." + rest
	}
	if x < 0 {
		s = "minus " + s
	}
	return s, exact
}

// say is an amount in words: "3.5 kilometres", "€12.50".
func (v *value) say() string {
	x := v.inUnit()
	s, exact := figure(x)
	switch {
	case v.unit != nil && x == 1:
		s = "1 " + v.unit.One
	case v.unit != nil && isMoney(v.unit):
		s = strconv.FormatFloat(x, 'f', 2, 64)
		s = strings.TrimSuffix(s, ".00") + " " + v.unit.Many
	case v.unit != nil && v.unit.Quantity == "time" && !v.parts:
		return sayTime(v.x, v.unit)
	case v.unit != nil:
		s += " " + v.unit.Many
	}
	if !exact {
		s = "about " + s
	}
	return s
}

// sayTime says a duration in its unit, and beside it in hours and minutes where that is another.
func sayTime(seconds float64, u *units.Unit) string {
	s, exact := figure(tidy(seconds / u.Factor))
	s += " " + u.Many
	if seconds == u.Factor {
		s = "1 " + u.One
	}
	if exact && seconds < 60 || seconds >= 86400 || seconds != math.Trunc(seconds) || u.Name == "second" {
		return s
	}
	if clock := hoursAndMinutes(int(seconds)); clock != s {
		return clock + ", that is " + s
	}
	return s
}

func hoursAndMinutes(seconds int) string {
	var all []string
	for _, p := range []struct {
		size      int
		one, many string
	}{{3600, "hour", "hours"}, {60, "minute", "minutes"}, {1, "second", "seconds"}} {
		if n := seconds / p.size; n == 1 {
			all = append(all, "1 "+p.one)
		} else if n > 1 {
			all = append(all, strconv.Itoa(n)+" "+p.many)
		}
		seconds %= p.size
	}
	if len(all) == 0 {
		return "no time"
	}
	return strings.Join(all, " and ")
}
