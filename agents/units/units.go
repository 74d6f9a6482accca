// Package units has the units of measurement that people speak of: how much each is, and how it is said.
package units

import "strings"

// Unit is one that can be converted: how many of the base unit of its quantity it is, and what is to be added then.
type Unit struct {
	Name     string // as the tool knows it
	Quantity string
	Factor   float64
	Zero     float64
	One      string // as a person says it
	Many     string
	other    string // how else it is written, with blanks between
}

const (
	inch = 0.0254
	lb   = 0.45359237
	gal  = 231 * inch * inch * inch * 1000 // litres
)

// All are the units.
var All = []Unit{
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

// names are the units by every way to write them, in lower case with single blanks.
var names = func() map[string]*Unit {
	all := map[string]*Unit{}
	for i := range All {
		u := &All[i]
		for _, n := range append(strings.Fields(u.other), u.One, u.Many) {
			all[strings.ToLower(n)] = u
		}
		if u.Quantity == "area" || u.Quantity == "volume" || u.Quantity == "speed" {
			for _, n := range []string{u.One, u.Many} {
				american := strings.NewReplacer("metre", "meter", "litre", "liter").Replace(n)
				all[american] = u
				for _, spoken := range []*strings.Replacer{strings.NewReplacer("per hour", "an hour"), strings.NewReplacer("per second", "a second")} {
					all[spoken.Replace(n)], all[spoken.Replace(american)] = u, u
				}
			}
		}
	}
	all["an hour"], all["an inch"] = all["hour"], all["inch"]
	return all
}()

// Of is the unit that a text names, in lower case; nil when there is none.
func Of(text string) *Unit {
	text = strings.TrimSpace(text)
	if u := names[text]; u != nil {
		return u
	}
	for _, article := range []string{"a ", "an ", "the ", "us "} {
		if rest, ok := strings.CutPrefix(text, article); ok {
			return names[rest]
		}
	}
	return nil
}

// ByName is the unit of a name; nil when there is none.
func ByName(name string) *Unit {
	for i := range All {
		if All[i].Name == name {
			return &All[i]
		}
	}
	return nil
}
