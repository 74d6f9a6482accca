package compute

import (
	"cmp"
	"fmt"
	"math"
	"time"
)

// productUpTo multiplies all whole numbers from one to another.
func productUpTo(_ *context, v []*value) *value {
	a, ok := v[0].whole(1, 100)
	b, ok2 := v[1].whole(1, 100)
	if !ok || !ok2 || b <= a || b-a > 17 {
		return nil
	}
	x := 1.0
	for k := a; k <= b; k++ {
		x *= float64(k)
	}
	return worked(x)
}

// percentChange is how many percent more or less something has become.
func percentChange(_ *context, v []*value) *value {
	a, b := v[0], v[1]
	if !comparable(a, b) || a.x == 0 || a.x == b.x {
		return nil
	}
	word := "more"
	if b.x < a.x {
		word = "less"
	}
	s, exact := figure(tidy(100 * math.Abs(b.x-a.x) / math.Abs(a.x)))
	if !exact {
		s = "about " + s
	}
	return reply(upper(s) + " percent " + word + ".")
}

// massIndex is the body mass index of a height and a mass, in this order or the other; a bare height is in metres or in centimetres.
func massIndex(_ *context, v []*value) *value {
	if len(v) != 2 {
		return nil
	}
	tall, mass := v[0], v[1]
	if tall.unitQuantity() == "mass" {
		tall, mass = mass, tall
	}
	m := tall.x
	if tall.plain() && m > 3 {
		m /= 100
	}
	kilos := mass.x
	if mass.unit != nil {
		kilos /= unitOf("kilogram").Factor
	}
	if tall.kind != amount || mass.kind != amount || tall.unit != nil && tall.unit.Quantity != "length" || m < 0.4 || m > 2.6 || kilos < 10 || kilos > 400 {
		return nil
	}
	return reply(fmt.Sprintf("A body mass index of %.1f.", kilos/(m*m)))
}

// halfProduct is the area of a triangle.
func halfProduct(c *context, v []*value) *value {
	r := sides(c, v)
	if r == nil {
		r = mul(v[0], v[1])
	}
	if r == nil {
		return nil
	}
	return mul(r, num(0.5))
}

// volume is that of a box, in plain numbers, or in the cubes of the lengths where they have a name.
func volume(_ *context, v []*value) *value {
	x, lengths, named := 1.0, 0, unitOf("cubic metre")
	for _, o := range v {
		if o.kind != amount || o.unit != nil && o.unit.Quantity != "length" {
			return nil
		}
		if o.unit != nil {
			lengths++
			named = cmp.Or(unitOf("cubic "+o.unit.Name), named)
		}
		x *= o.x
	}
	if lengths == 0 {
		return worked(x)
	}
	if lengths == len(v) {
		return like(worked(x*unitOf("cubic metre").Factor), &value{unit: named})
	}
	return nil
}

// pairs is how many pairs so many can make.
func pairs(_ *context, v []*value) *value {
	n, ok := v[0].whole(2, 1e6)
	if !ok {
		return nil
	}
	return worked(float64(n*(n-1)) / 2)
}

// coming is the date of a weekday: the next one, or that of next week, which begins with Monday.
func coming(nextWeek bool) action {
	return func(c *context, v []*value) *value {
		ahead := (int(v[0].x)-int(c.now.Weekday())+6)%7 + 1
		if nextWeek {
			ahead = 7 - (int(c.now.Weekday())+6)%7 + (int(v[0].x)+6)%7
		}
		return reply("It is " + timeOf(&value{x: today(c) + float64(ahead)}).Format("Monday, 2 January 2006") + ".")
	}
}

// ageOn is how old somebody is today who was born on a day.
func ageOn(c *context, v []*value) *value {
	if v[0].kind != date || v[0].unsure { // without a year
		return nil
	}
	born, now := timeOf(v[0]), c.now
	n := now.Year() - born.Year()
	if now.Month() < born.Month() || now.Month() == born.Month() && now.Day() < born.Day() {
		n--
	}
	if n < 0 || n > maxAge {
		return nil
	}
	return reply(howMany(n, "year", "years") + " old.")
}

// dayOfYearNow is the number of today in the year, or how many days are left of it.
func dayOfYearNow(left bool) action {
	return func(c *context, _ []*value) *value {
		n := c.now.YearDay()
		if left {
			return reply(howMany(time.Date(c.now.Year(), 12, 31, 0, 0, 0, 0, time.UTC).YearDay()-n, "day", "days") + ".")
		}
		return reply(fmt.Sprintf("Today is day %d of %d.", n, c.now.Year()))
	}
}

// hasDay says whether a year has a 29th of February.
func hasDay(c *context, v []*value) *value {
	if n, ok := v[1].whole(29, 29); !ok || n != 29 || v[2].kind != month || v[2].x != 2 {
		return nil
	}
	return leapYear(c, v[:1])
}

// numberOfDay is which day of its year a date is.
func numberOfDay(_ *context, v []*value) *value {
	if v[0].kind != date {
		return nil
	}
	t := timeOf(v[0])
	return reply(fmt.Sprintf("Day %d of %d.", t.YearDay(), t.Year()))
}

// ageAt is how old somebody is on a day who was born on another.
func ageAt(_ *context, v []*value) *value {
	if v[0].kind != date || v[1].kind != date || v[0].unsure {
		return nil
	}
	return ageOn(&context{now: timeOf(v[1])}, v[:1])
}

// nthWeekday is the date of such a weekday of a month: the second Tuesday of March.
func nthWeekday(c *context, v []*value) *value {
	n, ok := v[0].whole(-1, 5)
	year := c.now.Year()
	if len(v) > 3 {
		year, _ = v[3].whole(1, 9999)
	}
	if !ok || n == 0 || v[1].kind != weekday || v[2].kind != month || year == 0 {
		return nil
	}
	t := time.Date(year, time.Month(v[2].x), 1, 0, 0, 0, 0, time.UTC)
	t = t.AddDate(0, 0, (int(v[1].x)-int(t.Weekday())+7)%7+7*(max(n, 1)-1))
	for n < 0 && t.AddDate(0, 0, 7).Month() == time.Month(v[2].x) {
		t = t.AddDate(0, 0, 7)
	}
	if t.Month() != time.Month(v[2].x) {
		return reply(fmt.Sprintf("%s %d has no such %s.", time.Month(v[2].x), year, time.Weekday(v[1].x)))
	}
	return reply("It is " + t.Format("Monday, 2 January 2006") + ".")
}

// monthDaysOf is how many days a month has in a year.
func monthDaysOf(_ *context, v []*value) *value {
	year, ok := v[1].whole(1, 9999)
	if !ok || v[0].kind != month {
		return nil
	}
	return reply(fmt.Sprintf("%.0f days.", daysIn(year, v[0].x)))
}

// cubeOf is the volume of a cube.
func cubeOf(c *context, v []*value) *value { return volume(c, []*value{v[0], v[0], v[0]}) }

// placeOfLetter is at which place of the alphabet a letter is.
func placeOfLetter(_ *context, v []*value) *value {
	l, ok := theLetter(v[0])
	if !ok || l < 'a' || l > 'z' {
		return nil
	}
	return reply(fmt.Sprintf("%s is letter %d of the alphabet.", capital(l), l-'a'+1))
}

// plainProduct is "3 by 4", where that is no size: 10 by 15 metres are no 150 metres.
func plainProduct(a, b *value) *value {
	if !plainOnly(a, b) || a.text+b.text != "" { // what is counted may be a unit in short
		return nil
	}
	return mul(a, b)
}

// roundFraction rounds a number that is no whole one: "round 17.49".
func roundFraction(c *context, v []*value) *value {
	if !v[0].plain() || v[0].x == math.Trunc(v[0].x) {
		return nil
	}
	return reckoned(ofNumber(math.Round))(c, v)
}

// hourLater is what time it is so long after an hour that is a bare number: "it is 4 now".
func hourLater(c *context, v []*value) *value {
	h := hour(c, v[:1])
	if h == nil {
		return nil
	}
	return reckoned(pair(later(1)))(c, []*value{h, v[1]})
}

// timeFromNow is what the clock will say in so much time, or said so long ago.
func timeFromNow(sign float64) action {
	return func(c *context, v []*value) *value {
		m, ok := inMinutes(v[0])
		if !ok || m <= 0 || m > 2*day {
			return nil
		}
		then := c.now.Add(time.Duration(sign*m) * time.Minute)
		word := "It will be "
		if sign < 0 {
			word = "It was "
		}
		return reply(word + then.Format("15:04") + ".")
	}
}

// Years that are named are of these centuries.
const (
	firstYear = 1000
	lastYear  = 2999
)

func yearsBetween(_ *context, v []*value) *value {
	a, ok := v[0].whole(firstYear, lastYear)
	b, ok2 := v[1].whole(firstYear, lastYear)
	if !ok || !ok2 {
		return nil
	}
	return inWholeYears(b - a)
}

// yearsSince is how many years a year is away from this one.
func yearsSince(c *context, v []*value) *value {
	y, ok := v[0].whole(firstYear, lastYear)
	if !ok {
		return nil
	}
	return inWholeYears(c.now.Year() - y)
}

func inWholeYears(n int) *value {
	if n = max(n, -n); n == 1 {
		return reply("1 year.")
	}
	return reply(fmt.Sprintf("%d years.", n))
}

// digitsOfPi is the number rounded to so many places.
func digitsOfPi(_ *context, v []*value) *value {
	const known = 15
	n, ok := v[0].whole(1, known)
	if !ok {
		return nil
	}
	return reply(fmt.Sprintf("Pi is %.*f, to %d %s.", n, math.Pi, n, map[bool]string{true: "place", false: "places"}[n == 1]))
}

// fromNote is what comes back of a banknote, which is of the money of the price.
func fromNote(_ *context, v []*value) *value {
	price, note := v[0], v[1]
	if !note.plain() || price.unit != nil && !isMoney(price.unit) {
		return nil
	}
	return sub(like(num(note.x), price), price)
}
