package compute

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/units"
)

// parts are parts of one, and how many of them one has.
var parts = map[string]float64{
	"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4, "fifth": 5, "fifths": 5, "sixth": 6,
	"sixths": 6, "seventh": 7, "sevenths": 7, "eighth": 8, "eighths": 8, "ninth": 9, "ninths": 9, "tenth": 10, "tenths": 10, "hundredth": 100,
}

var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11,
	"twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19,
	"twentieth": 20, "thirtieth": 30, "last": -1,
}

var plurals = map[string]int{
	"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6, "sevens": 7, "eights": 8, "nines": 9, "tens": 10, "elevens": 11, "twelves": 12,
	"twenties": 20, "hundreds": 100,
}

// more are units that only people reckon with.
var more = func() map[string]*units.Unit {
	all := map[string]*units.Unit{}
	for _, u := range []units.Unit{
		{Name: "pound sterling", Quantity: "money", Factor: 1, One: "pound", Many: "pounds"},
		{Name: "penny", Quantity: "money", Factor: .01, One: "penny", Many: "pence"},
		{Name: "euro", Quantity: "euros", Factor: 1, One: "euro", Many: "euros"},
		{Name: "dollar", Quantity: "dollars", Factor: 1, One: "dollar", Many: "dollars"},
		{Name: "month", Quantity: "months", Factor: 1, One: "month", Many: "months"},
		{Name: "year", Quantity: "months", Factor: 12, One: "year", Many: "years"},
		{Name: "decade", Quantity: "months", Factor: 120, One: "decade", Many: "decades"},
		{Name: "century", Quantity: "months", Factor: 1200, One: "century", Many: "centuries"},
		{Name: "fortnight", Quantity: "time", Factor: 14 * 86400, One: "fortnight", Many: "fortnights"},
		{Name: "cubic centimetre", Quantity: "volume", Factor: 1e-3, One: "cubic centimetre", Many: "cubic centimetres"},
		{Name: "square centimetre", Quantity: "area", Factor: 1e-4, One: "square centimetre", Many: "square centimetres"},
	} {
		all[u.One], all[u.Many] = &u, &u
	}
	all["quid"], all["pound"], all["pounds"] = all["pound"], nil, nil
	all["p"] = all["penny"]
	return all
}()

// isMoney says whether a unit is a coin.
func isMoney(u *units.Unit) bool {
	return slices.Contains([]string{"money", "euros", "dollars"}, u.Quantity)
}

// short names of units are words of other meanings when they are not glued to a number; these are never units by themselves.
var noUnits = map[string]bool{
	"a": true, "c": true, "f": true, "k": true, "t": true, "in": true, "turn": true, "turns": true,
	"the": true, "an hour": true, "an inch": true,
}

func unitOf(name string) *units.Unit {
	if name == "" || noUnits[name] || strings.HasPrefix(name, "a ") || strings.HasPrefix(name, "an ") || strings.HasPrefix(name, "the ") {
		return nil
	}
	if u := more[name]; u != nil {
		return u
	}
	return units.Of(name)
}

// like gives an amount the unit of another.
func like(v *value, of ...*value) *value {
	if v == nil {
		return nil
	}
	for _, o := range of {
		if v.unit == nil {
			v.unit = o.unit
		}
		v.parts = v.parts || o.parts
	}
	return v
}

func plainOnly(of ...*value) bool {
	return !slices.ContainsFunc(of, func(v *value) bool { return !v.plain() })
}

// fits says whether two amounts can be added.
func fits(a, b *value) bool {
	switch {
	case a.kind != amount || b.kind != amount:
		return false
	case a.unit == nil || b.unit == nil:
		return (a.unit == nil) == (b.unit == nil)
	}
	return a.unit.Quantity == b.unit.Quantity && a.unit.Zero == b.unit.Zero
}

func add(a, b *value) *value {
	if !fits(a, b) {
		return nil
	}
	return like(worked(a.x+b.x), a, b)
}

func sub(a, b *value) *value {
	if !fits(a, b) {
		return nil
	}
	return like(worked(a.x-b.x), a, b)
}

func mul(a, b *value) *value {
	if a.kind != amount || b.kind != amount || a.unit != nil && (b.unit != nil || a.unit.Zero != 0) || b.unit != nil && b.unit.Zero != 0 {
		return nil
	}
	return like(worked(a.x*b.x), a, b)
}

func div(a, b *value) *value {
	switch {
	case a.kind != amount || b.kind != amount:
		return nil
	case b.x == 0:
		return &value{kind: answer, text: "That cannot be done: nobody can divide by zero."}
	case b.unit == nil:
		return like(worked(a.x/b.x), a)
	case fits(a, b):
		return worked(a.x / b.x)
	}
	return nil
}

// percent is so many hundredths of a value.
func percent(p, of *value) *value {
	if !p.plain() || of.kind != amount {
		return nil
	}
	return like(worked(p.x/100*of.x), of)
}

// pair makes an action of a function of two values.
func pair(f func(a, b *value) *value) action {
	return func(_ *context, v []*value) *value { return f(v[0], v[1]) }
}

func flipped(f func(a, b *value) *value) action {
	return func(_ *context, v []*value) *value { return f(v[1], v[0]) }
}

func times(k float64) action { return func(_ *context, v []*value) *value { return mul(num(k), v[0]) } }

// of is a function of one number.
func ofNumber(f func(x float64) float64) action {
	return func(_ *context, v []*value) *value {
		if !v[0].plain() {
			return nil
		}
		return worked(f(v[0].x))
	}
}

func items(v *value) []*value {
	if v.kind != list {
		return []*value{v}
	}
	return v.all
}

// join makes a list of what stands in two values.
func join(_ *context, v []*value) *value {
	all := append(slices.Clone(items(v[0])), items(v[len(v)-1])...)
	if len(all) > 20 {
		return nil
	}
	return &value{kind: list, all: all}
}

func total(all []*value) *value {
	sum := all[0]
	for _, v := range all[1:] {
		if sum = add(sum, v); sum == nil {
			return nil
		}
	}
	return sum
}

func average(all []*value) *value {
	sum := total(all)
	if sum == nil {
		return nil
	}
	return like(worked(sum.x/float64(len(all))), sum)
}

func product(all []*value) *value {
	p := num(1)
	for _, v := range all {
		if p = mul(p, v); p == nil {
			return nil
		}
	}
	return p
}

// fraction writes a number as a fraction of whole numbers; empty when there is no simple one.
func fraction(x float64) string {
	for q := 2.0; q <= 64; q++ {
		if p := x * q; math.Abs(p-math.Round(p)) < 1e-9 {
			return fmt.Sprintf("%.0f/%.0f", p, q)
		}
	}
	return ""
}

// show is the reply with a result.
func show(_ *context, v []*value) *value {
	r := v[0]
	switch {
	case r.kind == answer:
		return r
	case r.weak || !r.worked:
		return nil
	}
	return tell(r)
}

// tell says a value.
func tell(r *value) *value {
	switch r.kind {
	case clock:
		return reply(sayClock(r) + ".")
	case amount:
	default:
		return nil
	}
	s := r.say()
	if f := fraction(r.x); r.parts && r.unit == nil && r.x != math.Trunc(r.x) && f != "" {
		if s = f + ", that is " + s; f == "1/4" || f == "3/4" || f == "1/2" {
			s = map[string]string{"1/4": "A quarter", "3/4": "Three quarters", "1/2": "A half"}[f] + ": " + f + ", or " + r.say()
		}
	}
	return reply(upper(s) + ".")
}

// ask is show where a question was asked expressly.
func ask(c *context, v []*value) *value {
	r := *v[0]
	r.weak = false
	return show(c, []*value{&r})
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// in is an amount in another unit.
func in(_ *context, v []*value) *value { return convert(v[0], v[1]) }

func convert(x, to *value) *value {
	if x.unit == nil || to.unit == nil || x.unit == to.unit {
		return nil
	}
	if x.unit.Quantity == "months" && to.unit.Quantity == "time" || x.unit.Quantity == "time" && to.unit.Quantity == "months" {
		return years(x, to)
	}
	if hourly := map[string]string{"kilometre": "km/h", "mile": "mph"}[to.unit.Name]; x.unit.Quantity == "speed" && hourly != "" {
		to = &value{unit: unitOf(hourly)} // "60 mph in kilometres"
	}
	if x.unit.Quantity != to.unit.Quantity {
		return nil
	}
	y := &value{kind: amount, x: x.x, unit: to.unit, parts: true}
	verb := " is "
	if x.inUnit() != 1 {
		verb = " are "
	}
	x.parts = true
	return reply(upper(x.say()) + verb + y.say() + ".")
}

// years are months and years in days and weeks, which are not always as many.
func years(x, to *value) *value {
	if x.unit.Name != "year" || to.unit.Name == "month" {
		return nil
	}
	days := x.inUnit() * 365
	n := &value{kind: amount, x: tidy(days * 86400), unit: to.unit, parts: true}
	extra := ""
	if to.unit.Name == "day" && x.inUnit() == 1 {
		extra = ", and 366 in a leap year"
	}
	if to.unit.Name == "week" && x.inUnit() == 1 {
		return reply("A year has 52 weeks and a day, or two in a leap year.")
	}
	return reply(upper(x.inYears()) + " " + n.say() + extra + ".")
}

func (v *value) inYears() string {
	if v.inUnit() == 1 {
		return "a year has"
	}
	s, _ := figure(v.inUnit())
	return s + " years have"
}

// compared answers whether a is more than b.
func compared(less bool) action {
	return func(_ *context, v []*value) *value {
		a, b := v[0], v[1]
		if !comparable(a, b) {
			return nil
		}
		if a.x == b.x {
			return reply("No, both are the same.")
		}
		word := "more"
		if a.x < b.x {
			word = "less"
		}
		yes := "No: "
		if (a.x < b.x) == less {
			yes = "Yes: "
		}
		return reply(yes + a.besides(b) + " is " + word + " than " + b.say() + ".")
	}
}

func comparable(a, b *value) bool {
	return a.kind == amount && b.kind == amount && (a.unit == nil) == (b.unit == nil) && (a.unit == nil || a.unit.Quantity == b.unit.Quantity)
}

// besides says an amount, and in the unit of another where that is another.
func (v *value) besides(other *value) string {
	v.parts = true
	if v.unit == other.unit {
		return v.say()
	}
	o := &value{kind: amount, x: v.x, unit: other.unit, parts: true}
	return v.say() + ", that is " + o.say() + ","
}

// which answers which of two is more.
func which(less bool) action {
	return func(_ *context, v []*value) *value {
		a, b := v[0], v[1]
		if !comparable(a, b) {
			return nil
		}
		if math.Abs(a.x-b.x) <= 1e-9*math.Abs(a.x) {
			return reply("Both are the same.")
		}
		if (a.x < b.x) != less {
			a, b = b, a
		}
		word := " is more than "
		if less {
			word = " is less than "
		}
		if fa, fb := a.asSaid(), b.asSaid(); fa != "" || fb != "" {
			return reply(upper(cmp.Or(fa, a.say())) + word + cmp.Or(fb, b.say()) + ".")
		}
		a.parts, b.parts = true, true
		return reply(upper(a.say()) + word + b.say() + ".")
	}
}

// asSaid is a number that was said as a fraction; empty for others.
func (v *value) asSaid() string {
	if !v.parts || v.unit != nil || v.x == math.Trunc(v.x) {
		return ""
	}
	f := fraction(v.x)
	if name := map[string]string{"1/2": "a half", "1/3": "a third", "1/4": "a quarter", "2/3": "two thirds", "3/4": "three quarters"}[f]; name != "" {
		return name
	}
	return f
}

// right answers whether a result is a number.
func right(not bool) action {
	return func(c *context, v []*value) *value {
		if !v[0].worked && (v[0].unit == nil || v[1].unit == nil || v[0].unit == v[1].unit) || !comparable(v[0], v[1]) {
			return nil
		}
		if v[0].unit != nil && v[1].unit != nil && v[0].unit != v[1].unit {
			if r := in(c, v); r != nil {
				return reply(map[bool]string{true: "Yes: ", false: "No: "}[v[0].x == v[1].x] + r.text)
			}
		}
		switch {
		case v[0].x != v[1].x:
			return reply("No, it is " + v[0].say() + ".")
		case not:
			return reply("It is: " + v[0].say() + ".")
		}
		return reply("Yes, it is " + v[0].say() + ".")
	}
}

// deal is a number of things, and what they cost together.
func deal(_ *context, v []*value) *value {
	if !v[0].plain() && v[0].unit.Quantity == v[1].unitQuantity() || v[0].x <= 0 {
		return nil
	}
	return &value{kind: list, all: v, text: "deal"}
}

func (v *value) unitQuantity() string {
	if v.unit == nil {
		return ""
	}
	return v.unit.Quantity
}

func cheaper(_ *context, v []*value) *value {
	a, b := v[0].all, slices.Clone(v[1].all)
	for k := range a { // "2 litres for 3 euros or 5 for 7"
		if b[k].unit == nil {
			b[k] = like(&value{kind: amount, x: b[k].x * scaleOf(a[k]), worked: true}, a[k])
		}
	}
	if !comparable(a[0], b[0]) || !comparable(a[1], b[1]) {
		return nil
	}
	x, y := tidy(a[1].x/a[0].x), tidy(b[1].x/b[0].x)
	if x == y {
		return reply("Both cost the same each.")
	}
	if x > y {
		a, x, y = b, y, x
	}
	s, _ := figure(x)
	t, _ := figure(y)
	return reply(fmt.Sprintf("%s for %s: that is %s each, against %s.", upper(a[0].say()), a[1].say(), s, t))
}

func scaleOf(v *value) float64 {
	if v.unit == nil {
		return 1
	}
	return v.unit.Factor
}

func each(_ *context, v []*value) *value { return div(v[0].all[1], v[0].all[0]) }

// scaled is what so many cost where others cost so much, or what so many need: "300 grams for 4 people, how much for 6".
func scaled(_ *context, v []*value) *value {
	of, worth := v[0].all[0], v[0].all[1]
	if !fits(of, v[1]) {
		of, worth = worth, of
	}
	if !fits(of, v[1]) || of.x == 0 {
		return nil
	}
	return mul(&value{kind: amount, x: v[1].x / of.x}, worth)
}

func duration(_ *context, v []*value) *value { // length and speed
	return moved(v[0], v[1], "length", "speed", "time", func(a, b float64) float64 { return a / b })
}

func moved(a, b *value, qa, qb, q string, f func(a, b float64) float64) *value {
	if a.unitQuantity() != qa || b.unitQuantity() != qb || b.x == 0 {
		return nil
	}
	u := unitOf("hour")
	if q == "length" {
		u = unitOf("kilometre")
		if strings.HasPrefix(a.unit.Name, "mile") {
			u = unitOf("mile")
		}
	}
	v := worked(f(a.x, b.x))
	return like(v, &value{unit: u})
}

// area is the product of two lengths.
func area(_ *context, v []*value) *value {
	if v[0].unitQuantity() != "length" || v[1].unitQuantity() != "length" {
		return nil
	}
	u := unitOf("square metre")
	if v[0].unit.Name == "centimetre" {
		u = unitOf("square centimetre")
	}
	return like(worked(v[0].x*v[1].x), &value{unit: u})
}
