package language

import (
	"math"
	"strings"
)

// Dimension is what a unit measures.
type Dimension uint8

// The dimensions, and in what a quantity of them is given.
const (
	NoUnit  Dimension = iota
	Angle             // degrees
	Time              // seconds
	Length            // metres
	Percent           // of a hundred
	Turns             // whole turns, in degrees
)

// Unit is a unit of measurement.
type Unit struct {
	Dim   Dimension
	Scale float64 // how much one of it is
}

// Quantity is a number with its unit.
type Quantity struct {
	Value float64 // degrees, seconds, metres, hundredths; the number itself when Dim is NoUnit
	Dim   Dimension
}

// units are the units by their names.
var units = func() map[string]Unit {
	dims := map[string]Dimension{"angle": Angle, "time": Time, "length": Length, "percent": Percent, "turns": Turns}
	m := map[string]Unit{}
	for w, key := range Map("units") {
		dim, scale, _ := strings.Cut(key, " ")
		m[w] = Unit{Dim: dims[dim], Scale: number(scale)}
	}
	return m
}()

// UnitOf returns the unit that a word names. Its Dim is NoUnit when there is none.
func UnitOf(word string) Unit { return units[word] }

// Tidy rounds away the noise of unit conversion.
func Tidy(v float64) float64 {
	r := math.Round(v*1e4) / 1e4
	if r == 0 {
		return 0 // never −0
	}
	return r
}

var (
	wholeWords = set("full", "complete", "whole")
	restWords  = set("of", "more", "whole", "full", "entire", "long", "additional", "extra")
)

// QuantityAt reads a number and its unit at token k, and says how many tokens they have, 0 when there is none:
// "20 degrees", "a second", "one and a half seconds", "two minutes and ten seconds", "a full circle".
func QuantityAt(toks Tokens, k int) (q Quantity, n int) {
	from := k
	v := 1.0
	if t := toks.At(k); t.Kind == Number {
		v = t.Num
		k++
	} else if m, ok := oneOf(toks, k); ok {
		k += m
	} else {
		return Quantity{}, 0
	}
	if n := turnAt(toks, k); n > 0 {
		return Quantity{Tidy(v * 360), Turns}, k + n - from
	}
	if toks.Word(k) == "per" && toks.Word(k+1) == "cent" {
		return Quantity{v, Percent}, k + 2 - from
	}
	if restWords[toks.Word(k)] && UnitOf(toks.Word(k+1)).Dim != NoUnit {
		k++
	}
	w := toks.Word(k)
	u := UnitOf(w)
	if u.Dim == NoUnit || w == "turn" || w == "turns" {
		return Quantity{v, NoUnit}, k - from
	}
	k++
	if u.Dim == Time {
		v, n := timeGoesOn(toks, k, v, u)
		return Quantity{v, Time}, k + n - from
	}
	return Quantity{Tidy(v * u.Scale), u.Dim}, k - from
}

// oneOf reads the "a" of "a second" and "a full turn" at k; n is 0 when a turn begins without it.
func oneOf(toks Tokens, k int) (n int, ok bool) {
	w, next := toks.Word(k), toks.Word(k+1)
	switch {
	case (w == "a" || w == "an" || w == "another") && UnitOf(next).Dim == Time:
		return 1, true
	case (w == "a" || w == "one") && (UnitOf(next).Dim == Turns || wholeWords[next]) && turnAt(toks, k+1) > 0:
		return 1, true
	}
	return 0, wholeWords[w] && turnAt(toks, k) > 0
}

// timeGoesOn reads what may follow "two minutes" at k: "and a half", "and ten seconds". It returns all in seconds.
func timeGoesOn(toks Tokens, k int, v float64, u Unit) (seconds float64, n int) {
	and := toks.Word(k) == "and"
	next := toks.At(k + 1)
	switch {
	case and && toks.Word(k+1) == "a" && toks.Word(k+2) == "half":
		return Tidy((v + 0.5) * u.Scale), 3
	case and && next.Kind == Number && next.Num == 0.5 && (k+2 >= len(toks) || toks[k+2].Kind == Mark):
		return Tidy((v + 0.5) * u.Scale), 2
	}
	m := k
	if and {
		m++
	}
	if t, smaller := toks.At(m), UnitOf(toks.Word(m+1)); t.Kind == Number && smaller.Dim == Time && smaller.Scale < u.Scale {
		return Tidy(v*u.Scale + t.Num*smaller.Scale), m + 2 - k
	}
	return Tidy(v * u.Scale), 0
}

// turnAt reads "turn", "full circle", "complete revolution" at k, and says how many tokens it has.
func turnAt(toks Tokens, k int) int {
	n := 0
	for w := toks.Word(k); wholeWords[w] || w == "of" || n > 0 && w == "a"; w = toks.Word(k + n) {
		n++
	}
	if UnitOf(toks.Word(k+n)).Dim == Turns {
		return n + 1
	}
	return 0
}

func set(words ...string) map[string]bool {
	m := map[string]bool{}
	for _, w := range words {
		m[w] = true
	}
	return m
}
