package compute

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// soon is how long it is from one time to another that is the next: of two times of which one may be of the morning or of the afternoon, the
// nearer one is meant.
func soon(a, b *value) *value {
	if a.kind != clock || b.kind != clock {
		return nil
	}
	m := math.Mod(b.x-a.x+day, day)
	if (a.unsure || b.unsure) && m > day/2 {
		m -= day / 2
	}
	if m == 0 {
		return nil
	}
	u := "minute"
	if m >= 60 {
		u = "hour"
	}
	return like(worked(60*m), &value{unit: unitOf(u)})
}

// pastNow says whether it is later than a time of today; before, whether it is earlier. An hour that may be of the morning or of the
// afternoon is the one that is nearer.
func pastNow(before bool) action {
	return func(c *context, v []*value) *value {
		t := hour(c, v)
		if t == nil {
			return nil
		}
		now := float64(60*c.now.Hour() + c.now.Minute())
		at := t.x
		if t.unsure && math.Abs(at+day/2-now) < math.Abs(at-now) && at+day/2 < day {
			at += day / 2
		}
		word := "No"
		if (now >= at) != before {
			word = "Yes"
		}
		return reply(fmt.Sprintf("%s, it is %s.", word, c.now.Format("15:04")))
	}
}

// dayNumber is a day of the week, which begins with Monday.
func dayNumber(_ *context, v []*value) *value {
	n, ok := v[0].whole(1, 7)
	if !ok {
		return nil
	}
	return reply(time.Weekday(n%7).String() + ", when the week begins with Monday.")
}

func thisYearDays(c *context, _ []*value) *value {
	return reply(fmt.Sprintf("%d has %d days.", c.now.Year(), time.Date(c.now.Year(), 12, 31, 0, 0, 0, 0, time.UTC).YearDay()))
}

// bornFirst compares two years of birth.
func bornFirst(older bool) action {
	return func(_ *context, v []*value) *value {
		var years []int
		for _, x := range v {
			if n, ok := x.whole(1000, 2999); ok {
				years = append(years, n)
			}
		}
		if len(years) != 2 || years[0] == years[1] {
			return nil
		}
		slices.Sort(years)
		if older {
			return reply(fmt.Sprintf("The one who was born in %d is older.", years[0]))
		}
		return reply(fmt.Sprintf("The one who was born in %d is younger.", years[1]))
	}
}

// divMod divides whole numbers, and says what is left over.
func divMod(_ *context, v []*value) *value {
	a, ok := v[0].whole(0, 1e12)
	b, ok2 := v[1].whole(1, 1e12)
	if !ok || !ok2 {
		return nil
	}
	return reply(fmt.Sprintf("%d, and the remainder is %d.", a/b, a%b))
}

// offPart is an amount without a part of itself: a third off 45.
func offPart(_ *context, v []*value) *value {
	n := v[1]
	if !n.parts || !n.plain() || n.x >= 1 || n.x <= 0 || v[0].kind != amount {
		return nil
	}
	return like(worked(v[0].x*(1-n.x)), v[0])
}

// otherDegrees are degrees on the other scale: those of which only the other is named.
func otherDegrees(c *context, v []*value) *value {
	if !v[0].plain() || len(v) != 2 || v[1].unit == nil {
		return nil
	}
	from := map[string]string{"fahrenheit": "celsius", "celsius": "fahrenheit"}[v[1].unit.Name]
	if from == "" {
		return nil
	}
	x := quantity(c, []*value{num(v[0].x), {unit: unitOf(from)}})
	if x == nil {
		return nil
	}
	return convert(x, v[1])
}

// sides are those of an area; the unit may be named once: "4 by 5 metres".
func sides(c *context, v []*value) *value {
	a, b := v[0], v[1]
	if a.plain() && b.unit != nil {
		a = quantity(c, []*value{num(a.x), {unit: b.unit}})
	}
	if a == nil {
		return nil
	}
	return area(c, []*value{a, b})
}

// endLetter is the first letter of a word, or its last.
func endLetter(last bool) action {
	return func(_ *context, v []*value) *value {
		r := spelt(v[0])
		if len(r) < 2 {
			return nil
		}
		if last {
			return reply(capital(r[len(r)-1]) + ".")
		}
		return reply(capital(r[0]) + ".")
	}
}

// firstOfAlphabet is the word of a list that a dictionary has first.
func firstOfAlphabet(_ *context, v []*value) *value {
	all := v[len(v)-1].all
	if len(all) < 2 || slices.ContainsFunc(all, func(o *value) bool { return o.kind != text }) {
		return nil
	}
	best := slices.MinFunc(all, func(a, b *value) int { return strings.Compare(a.text, b.text) })
	return reply(upper(best.text) + ".")
}

// amounts are those of values that are some.
func amounts(v []*value) (n []*value) {
	for _, x := range v {
		if x.kind == amount {
			n = append(n, x)
		}
	}
	return n
}

// sharedBack shares the second of two amounts by the first.
func sharedBack(_ *context, v []*value) *value {
	if n := amounts(v); len(n) == 2 {
		return div(n[1], n[0])
	}
	return nil
}
