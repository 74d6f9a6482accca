package wake

import (
	"math"
	"strings"
	"testing"
)

// spots are the phrases that are found in a sound that comes in pieces.
func spots(t testing.TB, n *Network, x []float32, piece int) (all []Found) {
	t.Helper()
	s, err := n.NewSpotter(tonePhrase, n.Phrases[tonePhrase])
	if err != nil {
		t.Fatal(err)
	}
	for len(x) > 0 {
		k := min(piece, len(x))
		if _, ok := s.Hear(x[:k]); ok {
			all = append(all, s.Found())
		}
		x = x[k:]
	}
	if end, ok := s.Flush(); ok {
		all = append(all, s.Found())
		if end != s.Found().End {
			t.Errorf("it ends at %d: %+v", end, s.Found())
		}
	}
	return all
}

const ms = Rate / 1000

func TestAPhraseIsFoundWhereItIs(t *testing.T) {
	n := toneNetwork(t)
	x := play("ef  ab bcd  fe") // the pause between the two b tells that they are two
	begin, end := 4*90*ms, 10*90*ms
	var first []Found
	for _, piece := range []int{512, 1, 77, 3000} {
		got := spots(t, n, x, piece)
		if first == nil {
			first = got
		}
		if len(got) != 1 || len(first) != 1 || got[0] != first[0] {
			t.Fatalf("in pieces of %d: %+v, in pieces of 512 %+v", piece, got, first)
		}
	}
	f := first[0]
	if f.Begin < begin-60*ms || f.Begin > begin+90*ms || f.End < end-60*ms || f.End > end+60*ms || f.Confidence < 0.8 || f.Worst > f.Confidence {
		t.Errorf("%+v, it is at %d…%d", f, begin, end)
	}
}

func TestAPhraseIsFoundInNoise(t *testing.T) {
	n := toneNetwork(t)
	clean := play("    ab bcd    ")
	found := 0
	for seed := range uint64(20) {
		x := noise(len(clean), 0.06, seed) // 7 dB below the tones
		for i := range x {
			x[i] += clean[i]
		}
		found += len(spots(t, n, x, 512))
		if got := spots(t, n, noise(len(clean), 0.06, seed), 512); len(got) > 0 {
			t.Errorf("in noise alone: %+v", got)
		}
	}
	if found != 20 {
		t.Errorf("found in %d of 20", found)
	}
}

func TestOneReportAPhrase(t *testing.T) {
	n := toneNetwork(t)
	if got := spots(t, n, play("  ab bcddddd    ab bcd  "), 512); len(got) != 2 || got[1].Begin < got[0].End {
		t.Errorf("%+v", got)
	}
	if got := spots(t, n, play("  ab bcd"), 512); len(got) != 1 {
		t.Errorf("at the end of the sound: %+v", got)
	}
}

func TestANearPhraseIsNone(t *testing.T) {
	n := toneNetwork(t)
	for _, near := range []string{
		"abbcd", // one b instead of two
		"ab bc", "b bcd", "ac bcd", "ab bed", "ab bcf", "ba bcd", "dcb ba", "ab fbcd", "abcd", "a    b", "",
	} {
		if got := spots(t, n, play("  "+near+"    "), 512); len(got) > 0 {
			t.Errorf("%q: %+v", near, got)
		}
	}
}

// A phrase takes at most 1.6 s, from the end of its first sound to the beginning of its last; what was said long before it does not hide it.
func TestAPhraseIsNotLong(t *testing.T) {
	n := toneNetwork(t)
	if got := spots(t, n, append(play("  "), playSlowly("ab bcd ", 360)...), 512); len(got) != 1 {
		t.Errorf("of 1.44 s: %+v", got)
	}
	if got := spots(t, n, append(play("  "), playSlowly("ab bcd ", 430)...), 512); len(got) != 0 {
		t.Errorf("of 1.72 s: %+v", got)
	}
	for pause := range 20 {
		if got := spots(t, n, play("a"+strings.Repeat(" ", pause)+"ab bcd  "), 512); len(got) != 1 {
			t.Errorf("%d pauses after another beginning: %+v", pause, got)
		}
	}
}

// steps are outputs that say one symbol after the other, each as likely as it is given.
func steps(symbols []int, likely ...float64) (all [][]float32) {
	for i, s := range symbols {
		p := likely[i%len(likely)]
		logs := make([]float32, 7)
		for k := range logs {
			logs[k] = float32(math.Log(1e-6))
		}
		logs[6] = float32(math.Log(1 - p)) // something else
		logs[s] = float32(math.Log(p))
		all = append(all, logs)
	}
	return all
}

// The confidence is the mean of the sounds' likelihoods against the likeliest, and each of them counts.
func TestThresholds(t *testing.T) {
	n := toneNetwork(t)
	ways := Ways{{"a", "b", "c", "d"}}
	for _, c := range []struct {
		name             string
		likely           []float64
		threshold, worst float64
		found            bool
		mean, least      float64
	}{
		{"sure", []float64{0.9}, 0.99, 0.99, true, 1, 1},
		{"all as likely as something else by half", []float64{1.0 / 3}, 0.49, 0.49, true, 0.5, 0.5},
		{"the mean is too low", []float64{1.0 / 3}, 0.51, 0.1, false, 0, 0},
		{"one is unlikely", []float64{0.9, 0.9, 1.0 / 11, 0.9}, 0.5, 0.09, true, math.Pow(0.1, 0.25), 0.1},
		{"one is too unlikely", []float64{0.9, 0.9, 1.0 / 11, 0.9}, 0.5, 0.11, false, 0, 0},
		{"the last is too unlikely", []float64{0.9, 0.9, 0.9, 1.0 / 11}, 0.5, 0.11, false, 0, 0},
	} {
		s, err := n.NewSearch("abcd", ways, c.threshold, c.worst)
		if err != nil {
			t.Fatal(err)
		}
		for _, logs := range steps([]int{1, 2, 3, 4}, c.likely...) {
			s.Step(logs)
		}
		f, ok := s.Flush()
		if ok != c.found || ok && (math.Abs(f.Confidence-c.mean) > 1e-3 || math.Abs(f.Worst-c.least) > 1e-3) {
			t.Errorf("%s: %+v, %v", c.name, f, ok)
		}
	}
}

// A sound counts where it is likeliest, a pause in it does not make it worse.
func TestASoundThatIsHeld(t *testing.T) {
	n := toneNetwork(t)
	s, err := n.NewSearch("abcd", Ways{{"a", "b", "c", "d"}}, 0.1, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	for _, likely := range [][]float64{{0.9, 0.9, 1.0 / 6, 0.9, 0.9}, {0.9, 1.0 / 6, 0.9, 0.9, 0.9}} { // one half of b is unlikely
		s.Reset()
		for _, logs := range steps([]int{1, 2, 2, 3, 4}, likely...) {
			s.Step(logs)
		}
		if f, ok := s.Flush(); !ok || math.Abs(f.Worst-1) > 1e-3 || math.Abs(f.Confidence-math.Pow(0.2, 0.25)) > 1e-3 {
			t.Errorf("%+v, %v", f, ok)
		}
	}
}

// What a search is told may be no number.
func TestASearchOfNonsense(t *testing.T) {
	n := toneNetwork(t)
	s, err := n.NewSearch("abcd", Ways{{"a", "b", "c", "d"}, {"a", "b", "c", "d", "e"}}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	bad := make([]float32, 7)
	for i := range bad {
		bad[i] = float32(math.NaN())
	}
	for range 100 {
		if f, ok := s.Step(bad); ok {
			t.Fatalf("%+v", f)
		}
	}
	if f, ok := s.Flush(); ok {
		t.Errorf("%+v", f)
	}
}

// A phrase that is said in several ways is found in each, once, and the likeliest counts.
func TestWaysToSayAPhrase(t *testing.T) {
	n := toneNetwork(t)
	ways := Ways{{"a", "b", "c", "d"}, {"a", "b", "e", "f", "d"}}
	for said, want := range map[string]float64{"\x01\x02\x03\x04": 1, "\x01\x02\x05\x06\x04": 1, "\x01\x02\x03": 0} {
		s, err := n.NewSearch("x", ways, 0.3, 0)
		if err != nil {
			t.Fatal(err)
		}
		var symbols []int
		for _, b := range []byte(said) {
			symbols = append(symbols, int(b))
		}
		var found []Found
		for _, logs := range steps(symbols, 0.9) {
			if f, ok := s.Step(logs); ok {
				found = append(found, f)
			}
		}
		if f, ok := s.Flush(); ok {
			found = append(found, f)
		}
		if len(found) != int(want) || want > 0 && found[0].Confidence < 0.99 {
			t.Errorf("%q: %+v", said, found)
		}
	}
	for _, ways := range []Ways{nil, make(Ways, maxWays+1)} {
		if _, err := n.NewSearch("x", ways, 0.5, 0); err == nil || !strings.Contains(err.Error(), "allowed are 1…8") {
			t.Errorf("%d ways: %v", len(ways), err)
		}
	}
}
