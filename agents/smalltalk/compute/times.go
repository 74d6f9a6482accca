package compute

import (
	"fmt"
	"math"
	"time"
)

var weekdays = func() map[string]int {
	all := map[string]int{}
	for d := range 7 {
		name := lower(time.Weekday(d).String())
		all[name], all[name+"s"] = d, d
	}
	return all
}()

var months = func() map[string]int {
	all := map[string]int{}
	for m := 1; m <= 12; m++ {
		name := lower(time.Month(m).String())
		all[name] = m
		if len(name) > 4 {
			all[name[:3]] = m
		}
	}
	delete(all, "mar")
	return all
}()

func lower(s string) string {
	b := []byte(s)
	b[0] |= 0x20
	return string(b)
}

const day = 24 * 60 // minutes

func at24(x float64) *value {
	x = math.Mod(math.Mod(x, day)+day, day)
	return &value{kind: clock, x: x}
}

// sayClock says a clock time: "14:05".
func sayClock(v *value) string { return fmt.Sprintf("%d:%02d", int(v.x)/60, int(v.x)%60) }

// hour is a bare number as a clock time: "half past three" may be at night.
func hour(_ *context, v []*value) *value {
	if v[0].kind == clock {
		return v[0]
	}
	if !v[0].plain() || v[0].x < 0 || v[0].x > 24 {
		return nil
	}
	h, m := math.Modf(v[0].x)
	m = math.Round(m * 100) // 17.05
	if m >= 60 {
		return nil
	}
	return &value{kind: clock, x: 60*h + m, unsure: h <= 12 && h > 0}
}

// hundreds is "eighteen hundred hours".
func hundreds(_ *context, v []*value) *value {
	n, ok := v[0].whole(0, 2400)
	if !ok || n%100 >= 60 {
		return nil
	}
	return at24(float64(n/100*60 + n%100))
}

// shift moves a clock time by so many minutes: half past, a quarter to.
func shift(minutes float64) action {
	return func(_ *context, v []*value) *value {
		t := at24(v[0].x + minutes)
		t.unsure = v[0].unsure
		return t
	}
}

// past is "twenty past ten"; to is "ten to six".
func past(sign float64) action {
	return func(_ *context, v []*value) *value {
		m := v[0].x
		if v[0].unit != nil {
			if v[0].unit.Name != "minute" {
				return nil
			}
			m /= 60
		}
		if m < 1 || m >= 60 || v[1].kind != clock || math.Mod(v[1].x, 60) != 0 {
			return nil
		}
		t := at24(v[1].x + sign*m)
		t.unsure = v[1].unsure
		return t
	}
}

func minutesPast(_ *context, v []*value) *value { // "six thirty"
	h, ok := v[0].whole(1, 24)
	m, ok2 := v[1].whole(10, 59)
	if !ok || !ok2 {
		return nil
	}
	return &value{kind: clock, x: float64(60*h + m), unsure: h <= 12}
}

// halves marks a clock time of which the half of the day was said.
const halves = "12 h"

// half of the day.
func half(afternoon bool) action {
	return func(_ *context, v []*value) *value {
		t := at24(v[0].x)
		switch {
		case v[0].x >= 13*60 && !afternoon, v[0].x > day:
			return nil
		case afternoon && t.x < 12*60:
			t.x += 12 * 60
		case !afternoon && t.x >= 12*60:
			t.x -= 12 * 60
		}
		t.text = halves
		return t
	}
}

// atNight is an hour of the evening or of the small hours: eleven at night, two at night.
func atNight(c *context, v []*value) *value { return half(v[0].x >= 6*60)(c, v) }

// awake is how long it is from getting up, which people do in the morning, to going to bed.
func awake(c *context, v []*value) *value {
	up := v[0]
	if up.unsure {
		up = half(false)(c, v)
	}
	return between(up, v[1])
}

// inMinutes is a duration in minutes.
func inMinutes(v *value) (m float64, ok bool) {
	if v.unitQuantity() != "time" {
		return 0, false
	}
	return v.x / 60, math.Mod(v.x, 60) == 0 && math.Abs(v.x) < 1e8
}

func later(sign float64) func(t, d *value) *value {
	return func(t, d *value) *value {
		m, ok := inMinutes(d)
		if !ok || t.kind != clock {
			return nil
		}
		r := at24(t.x + sign*m)
		r.worked = true
		return r
	}
}

// between is how long it is from one time to another; the second one is the later one.
func between(a, b *value) *value {
	if a.kind != clock || b.kind != clock {
		return nil
	}
	m := b.x - a.x
	for m <= 0 {
		if a.unsure && b.unsure && m+day/2 > 0 {
			m += day / 2
			break
		}
		m += day
	}
	if (a.unsure && b.text == halves || b.unsure && a.text == halves) && m > day/2 { // "till 6 pm if it is 4:15 now"
		m -= day / 2
	}
	u := "minute"
	if m >= 60 {
		u = "hour"
	}
	return like(worked(60*m), &value{unit: unitOf(u)})
}

// untilTime is how long it is from now.
func untilTime(c *context, v []*value) *value {
	now := &value{kind: clock, x: float64(60*c.now.Hour() + c.now.Minute())}
	t := v[0]
	if t.unsure && t.x <= now.x && t.x+day/2 > now.x {
		t = at24(t.x + day/2)
	}
	return between(now, t)
}

func twelve(_ *context, v []*value) *value {
	h, m := int(v[0].x)/60, int(v[0].x)%60
	part := "a.m."
	if h >= 12 {
		part = "p.m."
	}
	return reply(fmt.Sprintf("%d:%02d %s", (h+11)%12+1, m, part))
}

func twentyFour(_ *context, v []*value) *value {
	if v[0].unsure {
		return nil
	}
	return reply(sayClock(v[0]) + ".")
}

func today(c *context) float64 { return daysOf(c.now.Year(), c.now.Month(), c.now.Day()) }

func daysOf(y int, m time.Month, d int) float64 {
	return float64(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

func timeOf(v *value) time.Time { return time.Unix(int64(v.x)*86400, 0).UTC() }

// dated is a day of a month, in a year that may be named: month, day, year.
func dated(c *context, v []*value) *value {
	m, d := v[0], v[1]
	if m.kind != month {
		m, d = d, m
	}
	n, ok := d.whole(1, 31)
	if !ok || m.kind != month {
		return nil
	}
	y := c.now.Year()
	if len(v) > 2 {
		if y, ok = v[2].whole(1, 9999); !ok {
			return nil
		}
	}
	t := time.Date(y, time.Month(m.x), n, 0, 0, 0, 0, time.UTC)
	if t.Day() != n {
		return nil
	}
	r := &value{kind: date, x: daysOf(y, t.Month(), n)}
	r.unsure = len(v) < 3
	return r
}

// inDays is a duration in whole days.
func inDays(v *value) (n float64, ok bool) {
	if v.unitQuantity() != "time" {
		return 0, false
	}
	n = v.x / 86400
	return n, n == math.Trunc(n) && math.Abs(n) < 1e6
}

func daysBetween(_ *context, v []*value) *value {
	a, b := v[0], v[1]
	if b.x < a.x && b.unsure {
		t := timeOf(b)
		b = &value{kind: date, x: daysOf(t.Year()+1, t.Month(), t.Day())}
	}
	return like(worked(math.Abs(b.x-a.x)*86400), &value{unit: unitOf("day")})
}

// moveDate is a date, or a weekday, so many days on.
func moveDate(sign float64) func(d, by *value) *value {
	return func(d, by *value) *value {
		n, ok := inDays(by)
		if by.unitQuantity() == "months" && d.kind == date {
			return &value{kind: date, x: float64(timeOf(d).AddDate(0, int(sign*by.x), 0).Unix() / 86400), worked: true}
		}
		if !ok {
			return nil
		}
		switch d.kind {
		case date:
			return &value{kind: date, x: d.x + sign*n, worked: true}
		case weekday:
			return &value{kind: weekday, x: math.Mod(math.Mod(d.x+sign*n, 7)+7, 7), worked: true}
		}
		return nil
	}
}

func showDay(_ *context, v []*value) *value {
	switch {
	case v[0].kind == date:
		return reply("It is " + timeOf(v[0]).Format("Monday, 2 January 2006") + ".")
	case v[0].kind == weekday && v[0].worked:
		return reply(time.Weekday(v[0].x).String() + ".")
	}
	return nil
}

// relative is a day as it is seen from today.
func relative(days float64) action {
	return func(*context, []*value) *value { return &value{kind: span, x: days} }
}

func relativeBy(sign float64) action {
	return func(c *context, v []*value) *value {
		n, ok := inDays(v[0])
		switch {
		case v[0].unitQuantity() == "months" && v[0].x == math.Trunc(v[0].x):
			then := timeOf(&value{x: today(c)}).AddDate(0, int(sign*v[0].x), 0)
			return &value{kind: span, x: float64(then.Unix()/86400) - today(c)}
		case !ok:
			return nil
		}
		return &value{kind: span, x: sign * n}
	}
}

// supposed is a day, where another is given: if it was Thursday yesterday, what is tomorrow?
func supposed(_ *context, v []*value) *value {
	when, d, asked := v[0], v[1], v[2]
	if when.kind != span {
		when, d = d, when
	}
	switch d.kind {
	case weekday:
		return reply(time.Weekday(math.Mod(math.Mod(d.x+asked.x-when.x, 7)+7, 7)).String() + ".")
	case date:
		return reply("It is " + timeOf(&value{x: d.x + asked.x - when.x}).Format("Monday, 2 January 2006") + ".")
	}
	return nil
}

func fromToday(c *context, v []*value) *value {
	return reply("It is " + timeOf(&value{x: today(c) + v[0].x}).Format("Monday, 2 January 2006") + ".")
}

// nextMonth is a month so many on.
func nextMonth(sign float64) action {
	return func(_ *context, v []*value) *value {
		m, by := v[0], num(1)
		if len(v) > 1 {
			m, by = v[1], v[0]
		}
		n, ok := by.whole(1, 1000)
		if by.unitQuantity() == "months" && by.unit.Name == "month" {
			n, ok = int(by.x), true
		}
		if !ok || m.kind != month {
			return nil
		}
		return reply(time.Month((int(m.x)-1+int(sign)*n%12+12)%12+1).String() + ".")
	}
}

// nextDay is a weekday so many on.
func nextDay(sign float64) action {
	return func(_ *context, v []*value) *value {
		d, by := v[0], num(1)
		if len(v) > 1 {
			d, by = v[1], v[0]
		}
		n, ok := by.whole(1, 1000)
		if !ok || d.kind != weekday {
			return nil
		}
		return reply(time.Weekday((int(d.x)+int(sign)*n%7+7)%7).String() + ".")
	}
}

func monthNumber(_ *context, v []*value) *value {
	n, ok := v[0].whole(1, 12)
	if !ok {
		return nil
	}
	return reply(time.Month(n).String() + ".")
}

func daysIn(year int, m float64) float64 {
	return float64(time.Date(year, time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day())
}

// monthDays is how many days months have; leap is whether the year is said to be one.
func monthDays(leap bool) action {
	return func(c *context, v []*value) *value {
		year := c.now.Year()
		if leap {
			year = 2024
		}
		n := 0.0
		for _, m := range v {
			n += daysIn(year, m.x)
		}
		extra := ""
		if !leap && len(v) == 1 && v[0].x == 2 {
			return reply(fmt.Sprintf("February has %.0f days this year; 28, and 29 in a leap year.", n))
		}
		return reply(fmt.Sprintf("%.0f days%s.", n, extra))
	}
}

func dayOfYear(c *context, v []*value) *value {
	n, ok := v[0].whole(1, 366)
	if !ok {
		return nil
	}
	t := time.Date(c.now.Year(), 1, n, 0, 0, 0, 0, time.UTC)
	return reply("In " + t.Format("January: it is 2 January") + " this year.")
}

func leapYear(_ *context, v []*value) *value {
	y, ok := v[0].whole(1, 9999)
	if !ok {
		return nil
	}
	if daysIn(y, 2) == 29 {
		return reply(fmt.Sprintf("Yes, %d was or is a leap year.", y))
	}
	return reply(fmt.Sprintf("No, %d is not a leap year.", y))
}

// ageIn is how old somebody is in a year: before and behind the birthday.
func ageIn(c *context, v []*value) *value {
	born, ok := v[0].whole(1000, 2999)
	in, ok2 := c.now.Year(), true
	if len(v) > 1 {
		in, ok2 = v[1].whole(1000, 2999)
	}
	if !ok || !ok2 || in < born || in-born > 200 {
		return nil
	}
	if in == born {
		return reply("Not one year old yet.")
	}
	return reply(fmt.Sprintf("%d, or %d before the birthday.", in-born, in-born-1))
}

// bornBefore is the year in which somebody was born who is so old.
func bornBefore(c *context, v []*value) *value {
	n := v[0].x
	if v[0].unit != nil {
		if v[0].unit.Name != "year" {
			return nil
		}
		n = v[0].inUnit()
	}
	if n != math.Trunc(n) || n < 0 || n > 150 {
		return nil
	}
	y := c.now.Year() - int(n)
	return reply(fmt.Sprintf("In %d, or in %d if the birthday is still to come.", y, y-1))
}

// yearAfter is a year so many on.
func yearAfter(_ *context, v []*value) *value {
	y, ok := v[0].whole(1000, 2999)
	if !ok || v[1].unit == nil || v[1].unit.Name != "year" || v[1].inUnit() != math.Trunc(v[1].inUnit()) {
		return nil
	}
	return reply(fmt.Sprintf("In %d.", y+int(v[1].inUnit())))
}

// weekdaysBetween counts the days from one weekday to the next other.
func weekdaysBetween(_ *context, v []*value) *value {
	n := int(v[1].x-v[0].x+6)%7 + 1
	return reply(fmt.Sprintf("%d days.", n))
}
