package coder

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/reachyd/reachyd/agents/units"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
)

// amount says "1 mile" or "5 miles".
func amount(x float64, u *units.Unit) string {
	if x == 1 {
		return "1 " + u.One
	}
	if cents := math.Round(x*100) / 100; u.Quantity == "temperature" && cents < 0 && cents > -1000 { // −273.15 is no −273.1
		return "minus " + strconv.FormatFloat(-cents, 'f', -1, 64) + " " + u.Many
	}
	return verbalize.Number(x) + " " + u.Many
}

// conversions are ways to ask for an amount in another unit.
var conversions = language.Sentences("conversions")

func readConversion(s *language.Request) args {
	for _, r := range conversions.Rules() {
		m := r.Find(s.Counted)
		if m == nil {
			continue
		}
		u, w := units.Of(m.Slot("from")), units.Of(m.Slot("to"))
		x, ok := number(m.Slot("value"))
		if !ok {
			x = 1
		}
		if u == nil || w == nil || u.Quantity != w.Quantity {
			continue
		}
		return args{"value": x, "from_unit": u.Name, "to_unit": w.Name}
	}
	return nil
}

func convert(a args) (any, error) {
	u, w := units.ByName(a["from_unit"].(string)), units.ByName(a["to_unit"].(string))
	x := a["value"].(float64)
	if u == nil || w == nil || u.Quantity != w.Quantity || x > 1e15 || x < -1e15 {
		return nil, errValue
	}
	base := x*u.Factor + u.Zero
	if u.Quantity == "temperature" && base < -1e-9 {
		return nil, errValue
	}
	return (base - w.Zero) / w.Factor, nil
}

func sayConversion(a args, v any) string {
	u, w := units.ByName(a["from_unit"].(string)), units.ByName(a["to_unit"].(string))
	x, y := a["value"].(float64), asNumber(v)
	verb := "are"
	if x == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%s %s %s.", upper(amount(x, u)), verb, amount(y, w))
}

// conversionCases has every unit at least once in both directions.
func conversionCases() []args {
	all := make([]args, 0, len(units.All)+6)
	all = append(all, []args{
		{"value": 100.0, "from_unit": "celsius", "to_unit": "fahrenheit"},
		{"value": -40.0, "from_unit": "fahrenheit", "to_unit": "celsius"},
		{"value": -300.0, "from_unit": "celsius", "to_unit": "kelvin"},
		{"value": 1.0, "from_unit": "mile", "to_unit": "gram"},
		{"value": 1.0, "from_unit": "wish", "to_unit": "gram"},
		{"value": 2e15, "from_unit": "mile", "to_unit": "metre"},
	}...)
	for i := range units.All {
		j := slices.IndexFunc(units.All, func(u units.Unit) bool { return u.Quantity == units.All[i].Quantity })
		all = append(all, args{"value": 400.0, "from_unit": units.All[i].Name, "to_unit": units.All[j].Name})
	}
	return all
}
