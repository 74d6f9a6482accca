package coder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/units"
	"github.com/reachyd/reachyd/perception/language"
)

var smallNumbers = strings.Fields("zero one two three four five six seven eight nine ten " +
	"eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")

var tensOf = strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")

// inWords writes a number up to 999 as people say it.
func inWords(n int) string {
	switch {
	case n < 20:
		return smallNumbers[n]
	case n < 100 && n%10 == 0:
		return tensOf[n/10]
	case n < 100:
		return tensOf[n/10] + "-" + smallNumbers[n%10]
	case n%100 == 0:
		return smallNumbers[n/100] + " hundred"
	}
	return smallNumbers[n/100] + " hundred and " + inWords(n%100)
}

// A sum of up to four numbers, said in words and digits in many ways, comes out as arithmetic says, or is left alone.
func TestSumsAreRight(t *testing.T) {
	const rounds, atLeast = 3000, 0.97
	r := rand.New(rand.NewPCG(1, 2))
	ops := []string{" plus ", " minus ", " times ", " divided by "}
	frames := []string{"what is %s", "what's %s?", "how much is %s", "%s", "calculate %s please", "%s, quick", "could you work out %s"}
	known := 0
	for range rounds {
		n := 2 + r.IntN(3)
		terms := []float64{}
		var text string
		var sign float64
		for i := range n {
			x := 1 + r.IntN(999)
			said := strconv.Itoa(x)
			if r.IntN(2) == 0 {
				said = inWords(x)
			}
			op := r.IntN(len(ops))
			if i == 0 {
				text, terms = said, append(terms, float64(x))
				continue
			}
			text += ops[op] + said
			switch op {
			case 0, 1:
				sign = 1 - 2*float64(op)
				terms = append(terms, sign*float64(x))
			case 2:
				terms[len(terms)-1] *= float64(x)
			default:
				terms[len(terms)-1] /= float64(x)
			}
		}
		want := 0.0
		for _, x := range terms {
			want += x
		}
		text = fmt.Sprintf(frames[r.IntN(len(frames))], text)
		got, ok := Sum(language.Analyse(text).Request())
		if ok {
			known++
		}
		if ok && math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
			t.Errorf("%q is %g, not %g", text, want, got)
		}
	}
	if share := float64(known) / rounds; share < atLeast {
		t.Errorf("%.1f %% of the sums were worked out, want at least %.0f %%", 100*share, 100*atLeast)
	}
}

// An amount converted there and back is the amount, for every pair of units of a quantity and in several ways to ask.
func TestConversionsAreRight(t *testing.T) {
	frames := []string{
		"convert %s %s to %s", "how many %[3]s are there in %[1]s %[2]s", "%s %s is how many %s", "what is %s %s in %s", "how many %[3]s are %[1]s %[2]s, roughly",
	}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for i := range units.All {
		for j := range units.All {
			u, w := &units.All[i], &units.All[j]
			if i == j || u.Quantity != w.Quantity || u.Quantity == "temperature" {
				continue
			}
			text := fmt.Sprintf(frames[(i+j)%len(frames)], "40", u.Many, w.Many)
			a := args(nil)
			for s := language.Analyse(text).Request(); s != nil && a == nil; s = withoutAsides(s) {
				a = readConversion(inDigits(s))
			}
			if a == nil {
				t.Errorf("%q is not understood", text)
				continue
			}
			v, err := convert(a)
			want := 40 * u.Factor / w.Factor
			if err != nil || a["from_unit"] != u.Name || a["to_unit"] != w.Name || math.Abs(v.(float64)-want) > 1e-9*want {
				t.Errorf("%q: %v, %v, %v, want %g", text, a, v, err, want)
			}
		}
	}
	if text, ok := WorkOut(language.Analyse("what is 5 wishes in grams").Request(), now); ok {
		t.Errorf("wishes are no unit: %q", text)
	}
}
