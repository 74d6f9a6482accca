package coder

import (
	"time"

	"github.com/reachyd/reachyd/agents/units"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
)

// Sum works out a request that is a plain sum, such as "what is 5 plus 7", in Go; ok is false when it is none, or has no result.
func Sum(s *language.Request) (v float64, ok bool) {
	for ; s != nil; s = withoutAsides(s) {
		if e := expression(s); e != "" {
			v, err := evaluate(e)
			return v, err == nil
		}
	}
	return 0, false
}

// WorkOut answers a question that a template of a tool is for in Go, without the tool: what the template's tests expect is what its
// tool would say. ok is false for all other sentences.
func WorkOut(s *language.Request, now time.Time) (text string, ok bool) {
	if s.Text == "" {
		return "", false
	}
	s = inDigits(s)
	for _, k := range toolTemplates {
		if k.oracle == nil {
			continue
		}
		a := k.read(s, now)
		if a == nil {
			continue
		}
		v, err := k.oracle(a)
		switch {
		case err != nil:
			return "", false
		case k.say != nil:
			return k.say(a, v), true
		}
		return upper(verbalize.Value(v)) + ".", true
	}
	return "", false
}

// Measure is an amount in the base unit of its quantity, such as 1.5 kilometres in metres of "length"; name is the amount as a
// person says it. ok is false for a unit that is not known.
func Measure(x float64, unit string) (base float64, quantity, name string, ok bool) {
	u := units.Of(unit)
	if u == nil {
		return 0, "", "", false
	}
	return x*u.Factor + u.Zero, u.Quantity, amount(x, u), true
}
