package compute

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/verbalize"
)

// rate is so much in a time, or per other unit: "two bottles a week".
func rate(_ *context, v []*value) *value {
	if v[0].kind != amount || v[1].unit == nil || v[1].unit.Zero != 0 {
		return nil
	}
	return &value{kind: list, all: []*value{v[0], v[1]}, text: "rate"}
}

// rateEvery is so much in each of an interval: "250 ml every four hours"; "a drop every two seconds" is one.
func rateEvery(_ *context, v []*value) *value {
	much, every := v[0], v[len(v)-1]
	if much.kind == text {
		much = num(1)
	}
	if much.kind != amount || every.unit == nil || every.unit.Zero != 0 || every.x <= 0 {
		return nil
	}
	each := *much
	each.x = much.x * every.unit.Factor / every.x
	return &value{kind: list, all: []*value{&each, every}, text: "rate"}
}

// rateOften is so much, so many times in a unit: "two tablets three times a day".
func rateOften(_ *context, v []*value) *value {
	much, often := v[0], v[len(v)-1]
	if much = mul(much, often.all[0]); much == nil {
		return nil
	}
	return rate(nil, []*value{much, often.all[1]})
}

// timesIn is so many times in a unit.
func timesIn(n float64) action {
	return func(c *context, v []*value) *value { return rate(c, []*value{num(n), v[0]}) }
}

// rateTotal says a rate in its own unit.
func rateTotal(_ *context, v []*value) *value {
	if len(v) == 0 || v[0].text != "rate" {
		return nil
	}
	much, unit := v[0].all[0], v[0].all[1].unit
	return reply(upper(much.say()) + " a " + unit.One + ".")
}

// perUnit is how often the unit of a rate is in an amount: a year is 12 months, 52 weeks or 365 days.
func perUnit(q, unit *value) (n float64, ok bool) {
	if q.unit == nil || q.kind != amount {
		return 0, false
	}
	if q.unit.Quantity == unit.unit.Quantity {
		return tidy(q.x / unit.unit.Factor), true
	}
	if years := q.x / 12; q.unit.Quantity == "months" && years == math.Trunc(years) {
		switch unit.unit.Name {
		case "week":
			return 52 * years, true
		case "day":
			return 365 * years, true
		}
	}
	return 0, false
}

// ofRate is what comes of a rate in an amount.
func ofRate(_ *context, v []*value) *value {
	v = slices.DeleteFunc(slices.Clone(v), func(x *value) bool { return x.kind == none })
	if len(v) == 2 && v[0].text != "rate" {
		v[0], v[1] = v[1], v[0]
	}
	if len(v) != 2 || v[0].text != "rate" {
		return nil
	}
	n, ok := perUnit(v[1], v[0].all[1])
	if !ok {
		return nil
	}
	r := like(worked(v[0].all[0].x*n), v[0].all[0])
	if r == nil {
		return nil
	}
	return tell(r)
}

// rateTime is how long it takes at a rate until there is so much.
func rateTime(_ *context, v []*value) *value {
	if len(v) != 2 || v[0].text != "rate" || v[0].all[0].x == 0 || !fits(v[0].all[0], v[1]) {
		return nil
	}
	return like(worked(v[1].x/v[0].all[0].x*v[0].all[1].unit.Factor), v[0].all[1])
}

// inYears is an age in years.
func inYears(_ *context, v []*value) *value {
	if v[0].unit == nil || v[0].unit.Name != "year" {
		return nil
	}
	return num(v[0].inUnit())
}

// maxAge is how old people are at most.
const maxAge = 150

// aged works out an age of one or two numbers.
func aged(f func(a, b *value) *value) action {
	return func(_ *context, v []*value) *value {
		other := num(1)
		if len(v) > 1 {
			other = v[1]
		}
		if !plainOnly(v[0], other) {
			return nil
		}
		r := f(v[0], other)
		if r == nil || r.x < 0 || r.x > maxAge {
			return nil
		}
		s, _ := figure(r.x)
		return reply(s + " years old.")
	}
}

// gapOf is the difference of two ages.
func gapOf(a, b *value) *value {
	if !plainOnly(a, b) {
		return nil
	}
	return like(worked(math.Abs(a.x-b.x)*12), &value{unit: unitOf("year")})
}

// olderOf names the older one of two, or the younger one: name, age, name, age.
func olderOf(sign float64) action {
	word := map[bool]string{true: "older", false: "younger"}[sign > 0]
	return func(_ *context, v []*value) *value {
		if len(v) != 4 || v[0].kind != text || v[2].kind != text || !plainOnly(v[1], v[3]) {
			return nil
		}
		d := sign * (v[1].x - v[3].x)
		if d == 0 {
			return reply("Both are as old as each other.")
		}
		name := v[0].text
		if d < 0 {
			name = v[2].text
		}
		years, _ := figure(math.Abs(d))
		return reply(fmt.Sprintf("%s is %s, by %s.", strings.ToUpper(name[:1])+name[1:], word, years))
	}
}

// nextIn goes on with a row of numbers: of equal steps or ratios, of steps that grow equally, or each the sum of the two before.
func nextIn(_ *context, v []*value) *value {
	const least = 3
	var x []float64
	for _, i := range items(v[0]) {
		if !i.plain() || i.worked {
			return nil
		}
		x = append(x, i.x)
	}
	n := len(x)
	if n < least {
		return nil
	}
	for _, rule := range []struct {
		next func(i int) float64
		from int // what is before must be given
	}{
		{func(i int) float64 { return 2*x[i-1] - x[i-2] }, 2},
		{func(i int) float64 { return x[i-1] * x[i-1] / x[i-2] }, 2},
		{func(i int) float64 { return x[i-1] + x[i-2] }, 2},
		{func(i int) float64 { return 3*x[i-1] - 3*x[i-2] + x[i-3] }, 3},
	} {
		i := rule.from
		for i < n && math.Abs(rule.next(i)-x[i]) <= 1e-9*math.Max(1, math.Abs(x[i])) {
			i++
		}
		if i == n && n > rule.from {
			return worked(rule.next(n))
		}
	}
	return nil
}

// monthsWith counts or names the months that have so many days.
func monthsWith(named bool) action {
	return func(_ *context, v []*value) *value {
		n, ok := inDays(v[0])
		switch {
		case !ok:
			return nil
		case n == 28 || n == 29:
			return reply("February has 28 days, and 29 in a leap year. All the others have more.")
		}
		var all []string
		for m := time.January; m <= time.December; m++ {
			if daysIn(2023, float64(m)) == n {
				all = append(all, m.String())
			}
		}
		switch {
		case len(all) == 0:
			return nil
		case named:
			return reply(verbalize.And(all) + ".")
		}
		return reply(fmt.Sprintf("%d: %s.", len(all), verbalize.And(all)))
	}
}
