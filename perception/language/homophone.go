package language

import "strings"

// homophone is what a small word was meant for, where the words around say so.
type homophone struct {
	meant string
	when  func(ts Tokens, i int) bool
}

// homophones are words that sound like a number, and numbers that sound like a small word. The first that holds counts.
var homophones = map[string][]homophone{
	"four":   {{"for", beforeTime}},
	"to":     {{"two", twoOf}},
	"too":    {{"to", func(ts Tokens, i int) bool { return ts.countAt(i+1) || afterTo[ts.Word(i+1)] }}, {"two", twoOf}},
	"two":    {{"to", beforeNumber}},
	"for":    {{"four", func(ts Tokens, i int) bool { return i > 0 && ts.unitAt(i+1) && strings.HasSuffix(ts.Word(i+1), "s") }}}, // not "for second hand bicycles"
	"won":    {{"one", func(ts Tokens, i int) bool { return ts.unitAt(i+1) || ts.Word(i+1) == "time" }}},
	"wan":    {{"one", func(ts Tokens, i int) bool { return ts.unitAt(i+1) || ts.Word(i+1) == "time" }}},
	"ate":    {{"eight", beforeUnit}},
	"tree":   {{"three", beforeUnit}},
	"free":   {{"three", beforeUnit}},
	"tin":    {{"ten", beforeUnit}},
	"then":   {{"ten", func(ts Tokens, i int) bool { return ts.Word(i+1) == "degrees" || ts.Word(i+1) == "degree" }}},
	"sex":    {{"six", beforeUnit}},
	"sicks":  {{"six", beforeUnit}},
	"five's": {{"five", func(Tokens, int) bool { return true }}},
	"fife":   {{"five", func(Tokens, int) bool { return true }}},
	"next":   {{"beside", func(ts Tokens, i int) bool { return ts.Word(i+1) == "to" }}}, // no connective: "the dog next to the sofa"
}

var (
	afterTo     = set("the", "your", "left", "right")
	notTwoOf    = set("turn", "circle", "foot")
	afterHeadTo = set("the", "your", "zero", "full", "minus")
	oneThing    = Words("before-pronoun-one")
)

func beforeUnit(ts Tokens, i int) bool { return ts.unitAt(i + 1) }

func twoOf(ts Tokens, i int) bool { return ts.unitAt(i+1) && !notTwoOf[ts.Word(i+1)] }

// beforeTime reports whether "four" at i is the "for" of "for two seconds".
func beforeTime(ts Tokens, i int) bool {
	w := ts.Word(i + 1)
	return (ts.countAt(i+1) || w == "a") && w != "to" && w != "too" && hasTimeUnit(ts, i+1)
}

// beforeNumber reports whether "two" at i is the "to" of "to twenty", "to the left".
func beforeNumber(ts Tokens, i int) bool {
	_, tens := tensWords[ts.Word(i+1)]
	return tens || ts.At(i+1).Kind == Number || afterHeadTo[ts.Word(i+1)]
}

// unitAt reports whether a unit that is a word of its own stands at k, or "times".
func (ts Tokens) unitAt(k int) bool {
	w := ts.Word(k)
	return w == "times" || UnitOf(w).Dim != NoUnit && w != "m" && w != "s"
}

// countAt reports whether a number, or a word that may be one, stands at k.
func (ts Tokens) countAt(k int) bool { return ts.At(k).Kind == Number || numberish(ts.Word(k)) }

// afterOne are words before which "one" is the number.
var afterOne = map[string]bool{"more": true, "degree": true, "hundred": true, "thousand": true}

// meanNumbers finds numbers that were heard as small words, and hides "one" from the number reader where it is a pronoun.
func meanNumbers(ts Tokens) Tokens {
	for i := range ts {
		w := ts.Word(i)
		if w == "one" && oneThing[ts.Word(i-1)] && !ts.unitAt(i+1) && !afterOne[ts.Word(i+1)] {
			ts[i].Pronoun = true
		}
		for _, h := range homophones[w] {
			if h.when(ts, i) {
				ts[i].Word = h.meant
				break
			}
		}
	}
	return ts
}
