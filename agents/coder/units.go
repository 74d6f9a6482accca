package coder

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
)

// unit is one that can be converted: how many of the base unit of its quantity it is, and what is to be added then.
type unit struct {
	name     string // as the tool knows it
	quantity string
	factor   float64
	zero     float64
	one      string // as a person says it
	many     string
	other    string // how else it is written, with blanks between
}

const (
	inch = 0.0254
	lb   = 0.45359237
	gal  = 231 * inch * inch * inch * 1000 // litres
)

var units = []unit{
	{"millimetre", "length", 1e-3, 0, "millimetre", "millimetres", "mm millimeter millimeters"},
	{"centimetre", "length", 1e-2, 0, "centimetre", "centimetres", "cm centimeter centimeters"},
	{"metre", "length", 1, 0, "metre", "metres", "m meter meters"},
	{"kilometre", "length", 1e3, 0, "kilometre", "kilometres", "km kms kilometer kilometers"},
	{"inch", "length", inch, 0, "inch", "inches", "in"},
	{"foot", "length", 12 * inch, 0, "foot", "feet", "ft"},
	{"yard", "length", 36 * inch, 0, "yard", "yards", "yd"},
	{"mile", "length", 63360 * inch, 0, "mile", "miles", "mi"},
	{"nautical_mile", "length", 1852, 0, "nautical mile", "nautical miles", "nmi"},
	{"milligram", "mass", 1e-6, 0, "milligram", "milligrams", "mg"},
	{"gram", "mass", 1e-3, 0, "gram", "grams", "g gramme grammes"},
	{"kilogram", "mass", 1, 0, "kilogram", "kilograms", "kg kilo kilos kgs"},
	{"tonne", "mass", 1e3, 0, "tonne", "tonnes", "t"},
	{"ounce", "mass", lb / 16, 0, "ounce", "ounces", "oz"},
	{"pound", "mass", lb, 0, "pound", "pounds", "lb lbs"},
	{"stone", "mass", 14 * lb, 0, "stone", "stones", ""},
	{"millilitre", "volume", 1e-3, 0, "millilitre", "millilitres", "ml milliliter milliliters"},
	{"centilitre", "volume", 1e-2, 0, "centilitre", "centilitres", "cl centiliter centiliters"},
	{"litre", "volume", 1, 0, "litre", "litres", "l liter liters"},
	{"cubic_metre", "volume", 1e3, 0, "cubic metre", "cubic metres", "m³"},
	{"teaspoon", "volume", gal / 768, 0, "teaspoon", "teaspoons", "tsp"},
	{"tablespoon", "volume", gal / 256, 0, "tablespoon", "tablespoons", "tbsp"},
	{"cup", "volume", gal / 16, 0, "cup", "cups", ""},
	{"pint", "volume", gal / 8, 0, "pint", "pints", ""},
	{"quart", "volume", gal / 4, 0, "quart", "quarts", ""},
	{"gallon", "volume", gal, 0, "gallon", "gallons", ""},
	{"millisecond", "time", 1e-3, 0, "millisecond", "milliseconds", "ms"},
	{"second", "time", 1, 0, "second", "seconds", "s sec secs"},
	{"minute", "time", 60, 0, "minute", "minutes", "min mins"},
	{"hour", "time", 3600, 0, "hour", "hours", "h hr hrs"},
	{"day", "time", 86400, 0, "day", "days", ""},
	{"week", "time", 7 * 86400, 0, "week", "weeks", ""},
	{"year", "time", 365.25 * 86400, 0, "year", "years", ""},
	{"metre_per_second", "speed", 1, 0, "metre per second", "metres per second", "m/s"},
	{"kilometre_per_hour", "speed", 1000. / 3600, 0, "kilometre per hour", "kilometres per hour", "km/h kph kmh"},
	{"mile_per_hour", "speed", 63360 * inch / 3600, 0, "mile per hour", "miles per hour", "mph"},
	{"knot", "speed", 1852. / 3600, 0, "knot", "knots", ""},
	{"bit", "data", 0.125, 0, "bit", "bits", ""},
	{"byte", "data", 1, 0, "byte", "bytes", ""},
	{"kilobyte", "data", 1e3, 0, "kilobyte", "kilobytes", "kb"},
	{"megabyte", "data", 1e6, 0, "megabyte", "megabytes", "mb"},
	{"gigabyte", "data", 1e9, 0, "gigabyte", "gigabytes", "gb"},
	{"terabyte", "data", 1e12, 0, "terabyte", "terabytes", "tb"},
	{"square_metre", "area", 1, 0, "square metre", "square metres", "m² sqm"},
	{"square_kilometre", "area", 1e6, 0, "square kilometre", "square kilometres", "km²"},
	{"hectare", "area", 1e4, 0, "hectare", "hectares", "ha"},
	{"acre", "area", 43560 * 144 * inch * inch, 0, "acre", "acres", ""},
	{"square_foot", "area", 144 * inch * inch, 0, "square foot", "square feet", "sqft"},
	{"degree", "angle", 1, 0, "degree", "degrees", "°"},
	{"radian", "angle", 57.29577951308232, 0, "radian", "radians", "rad"},
	{"turn", "angle", 360, 0, "turn", "turns", ""},
	{"kelvin", "temperature", 1, 0, "kelvin", "kelvin", "k"},
	{"celsius", "temperature", 1, 273.15, "degree Celsius", "degrees Celsius", "celsius °c centigrade c"},
	{"fahrenheit", "temperature", 5. / 9, 459.67 * 5 / 9, "degree Fahrenheit", "degrees Fahrenheit", "fahrenheit °f f"},
}

// unitNames are the units by every way to write them, in lower case with single blanks.
var unitNames = func() map[string]*unit {
	all := map[string]*unit{}
	for i := range units {
		u := &units[i]
		for _, n := range append(strings.Fields(u.other), u.one, u.many) {
			all[strings.ToLower(n)] = u
		}
		if u.quantity == "area" || u.quantity == "volume" || u.quantity == "speed" {
			for _, n := range []string{u.one, u.many} {
				all[strings.NewReplacer("metre", "meter", "litre", "liter").Replace(n)] = u
			}
		}
	}
	all["an hour"], all["an inch"] = all["hour"], all["inch"]
	return all
}()

func unitOf(text string) *unit {
	text = strings.TrimSpace(text)
	if u := unitNames[text]; u != nil {
		return u
	}
	for _, article := range []string{"a ", "an ", "the ", "us "} {
		if rest, ok := strings.CutPrefix(text, article); ok {
			return unitNames[rest]
		}
	}
	return nil
}

// amount says "1 mile" or "5 miles".
func amount(x float64, u *unit) string {
	if x == 1 {
		return "1 " + u.one
	}
	if cents := math.Round(x*100) / 100; u.quantity == "temperature" && cents < 0 && cents > -1000 { // −273.15 is no −273.1
		return "minus " + strconv.FormatFloat(-cents, 'f', -1, 64) + " " + u.many
	}
	return verbalize.Number(x) + " " + u.many
}

func unitByName(name string) *unit {
	at := slices.IndexFunc(units, func(u unit) bool { return u.name == name })
	if at < 0 {
		return nil
	}
	return &units[at]
}

// conversions are ways to ask for an amount in another unit.
var conversions = language.Sentences("conversions")

func readConversion(s *language.Request) args {
	for _, r := range conversions.Rules() {
		m := r.Find(s.Counted)
		if m == nil {
			continue
		}
		u, w := unitOf(m.Slot("from")), unitOf(m.Slot("to"))
		x, ok := number(m.Slot("value"))
		if !ok {
			x = 1
		}
		if u == nil || w == nil || u.quantity != w.quantity {
			continue
		}
		return args{"value": x, "from_unit": u.name, "to_unit": w.name}
	}
	return nil
}

func convert(a args) (any, error) {
	u, w := unitByName(a["from_unit"].(string)), unitByName(a["to_unit"].(string))
	x := a["value"].(float64)
	if u == nil || w == nil || u.quantity != w.quantity || x > 1e15 || x < -1e15 {
		return nil, errValue
	}
	base := x*u.factor + u.zero
	if u.quantity == "temperature" && base < -1e-9 {
		return nil, errValue
	}
	return (base - w.zero) / w.factor, nil
}

func sayConversion(a args, v any) string {
	u, w := unitByName(a["from_unit"].(string)), unitByName(a["to_unit"].(string))
	x, y := a["value"].(float64), asNumber(v)
	verb := "are"
	if x == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%s %s %s.", upper(amount(x, u)), verb, amount(y, w))
}

// conversionCases has every unit at least once in both directions.
func conversionCases() []args {
	all := make([]args, 0, len(units)+6)
	all = append(all, []args{
		{"value": 100.0, "from_unit": "celsius", "to_unit": "fahrenheit"},
		{"value": -40.0, "from_unit": "fahrenheit", "to_unit": "celsius"},
		{"value": -300.0, "from_unit": "celsius", "to_unit": "kelvin"},
		{"value": 1.0, "from_unit": "mile", "to_unit": "gram"},
		{"value": 1.0, "from_unit": "wish", "to_unit": "gram"},
		{"value": 2e15, "from_unit": "mile", "to_unit": "metre"},
	}...)
	for i := range units {
		j := slices.IndexFunc(units, func(u unit) bool { return u.quantity == units[i].quantity })
		all = append(all, args{"value": 400.0, "from_unit": units[i].name, "to_unit": units[j].name})
	}
	return all
}
