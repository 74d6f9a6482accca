package coder

import "github.com/reachyd/reachyd/perception/language"

// Sum works out a request that is a plain sum, such as "what is 5 plus 7", in Go; ok is false when it is none, or has no result.
func Sum(s *language.Request) (v float64, ok bool) {
	e := expression(s)
	if e == "" {
		return 0, false
	}
	v, err := evaluate(e)
	return v, err == nil
}

// Measure is an amount in the base unit of its quantity, such as 1.5 kilometres in metres of "length"; name is the amount as a
// person says it. ok is false for a unit that is not known.
func Measure(x float64, unit string) (base float64, quantity, name string, ok bool) {
	u := unitOf(unit)
	if u == nil {
		return 0, "", "", false
	}
	return x*u.factor + u.zero, u.quantity, amount(x, u), true
}
