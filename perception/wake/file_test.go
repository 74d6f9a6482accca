package wake

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestWhatIsNoNetworkIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*made)
		says   string
	}{
		"format":         {func(m *made) { m.Format = 2 }, "format is 2; allowed is 1"},
		"no width":       {func(m *made) { m.Width = 0 }, "width is 0; allowed is 1…512"},
		"wide":           {func(m *made) { m.Width = maxWidth + 1 }, "width is 513"},
		"hidden":         {func(m *made) { m.Hidden = maxHidden + 1 }, "hidden is 2049; allowed is 1…2048"},
		"one symbol":     {func(m *made) { m.Symbols = m.Symbols[:1] }, "the number of symbols is 1; allowed is 2…256"},
		"many symbols":   {func(m *made) { m.Symbols = append(m.Symbols, make([]string, maxSymbol)...) }, "the number of symbols is 263"},
		"twice":          {func(m *made) { m.Symbols[2] = "a" }, `symbols[2] is "a"`},
		"no blank":       {func(m *made) { m.Symbols[0] = "x" }, `symbols[0] is "x"`},
		"two blanks":     {func(m *made) { m.Symbols[1] = "" }, `symbols[1] is ""`},
		"blocks":         {func(m *made) { m.Blocks = make([]shape, maxBlocks+1) }, "the number of blocks is 33; allowed is 0…32"},
		"taps":           {func(m *made) { m.Blocks[1].Taps = maxTaps + 1 }, "blocks[1].taps is 65; allowed is 1…64"},
		"no taps":        {func(m *made) { m.Blocks[1].Taps = 0 }, "blocks[1].taps is 0"},
		"left":           {func(m *made) { m.Blocks[0].Left = 3 }, "blocks[0].left is 3; allowed is 0…2"},
		"dilation":       {func(m *made) { m.Blocks[0].Dilation = maxDilate + 1 }, "blocks[0].dilation is 65; allowed is 1…64"},
		"threshold":      {func(m *made) { m.Threshold = 1.5 }, "threshold is 1.5; allowed is 0…1"},
		"own":            {func(m *made) { m.Own = -1 }, "own is -1; allowed is 0…1"},
		"worst":          {func(m *made) { m.Worst = -1 }, "worst is -1; allowed is 0…1"},
		"strange phrase": {func(m *made) { m.Phrases["x"] = Ways{[]string{"a", "b", "q", "d"}} }, `"x" has the sound "q"`},
		"blank phrase":   {func(m *made) { m.Phrases["x"] = Ways{[]string{"a", "b", "", "d"}} }, `"x" has the sound ""`},
		"short phrase":   {func(m *made) { m.Phrases["x"] = Ways{[]string{"a", "b", "c"}} }, `"x" has 3 sounds (a b c); allowed are 4…20`},
		"no way":         {func(m *made) { m.Phrases["x"] = Ways{} }, `"x" has 0 sounds`},
		"many ways":      {func(m *made) { m.Phrases["x"] = slices.Repeat(Ways{{"a", "b", "c", "d"}}, maxWays+1) }, `"x" is said in 9 ways; allowed are 1…8`},
		"short":          {func(m *made) { m.out.bias = m.out.bias[1:] }, "bytes follow its first line"},
		"long":           {func(m *made) { m.out.bias = append(m.out.bias, 1) }, "bytes follow its first line"},
		"NaN":            {func(m *made) { m.blocks[1].up.scales[2] = float32(math.NaN()) }, "blocks[1].dense1.scales[2] is NaN"},
		"infinite":       {func(m *made) { m.mean[3] = float32(math.Inf(1)) }, "mean[3] is +Inf"},
	} {
		m := madeOfTones()
		c.change(m)
		if _, err := Read(bytes.NewReader(pack(m.plain()))); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, b := range map[string][]byte{
		"nothing": nil, "no gzip": []byte("hello\n"), "cut": pack(madeOfTones().plain())[:200], "no line": pack([]byte(`{"format":1}`)),
		"no JSON": pack([]byte("hello\n")), "a bomb": pack(make([]byte, maxFile+1)),
	} {
		if _, err := Read(bytes.NewReader(b)); !errors.Is(err, ErrFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A network that nobody has calibrated can be measured, and listens to nobody.
func TestANetworkWithoutAThreshold(t *testing.T) {
	m := madeOfTones()
	m.Threshold = 0
	n := m.read(t)
	if _, err := n.NewSearch(tonePhrase, n.Phrases[tonePhrase], 0.5, 0); err != nil {
		t.Error(err)
	}
	if _, err := n.NewSpotter(tonePhrase, n.Phrases[tonePhrase]); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), "no threshold") {
		t.Error(err)
	}
}

// A phrase that the file does not have may be found at another threshold.
func TestThresholdOfAnOwnPhrase(t *testing.T) {
	m := madeOfTones()
	if n := m.read(t); n.ThresholdOf("hey oskar") != m.Threshold {
		t.Error(n.ThresholdOf("hey oskar"))
	}
	m.Own = m.Threshold / 2
	if n := m.read(t); n.ThresholdOf("hey oskar") != m.Own || n.ThresholdOf(tonePhrase) != m.Threshold {
		t.Error(n.ThresholdOf("hey oskar"), n.ThresholdOf(tonePhrase))
	}
}

// One way to say a phrase may stand alone.
func TestWaysInAFile(t *testing.T) {
	plain := string(madeOfTones().plain())
	for _, c := range []struct{ ways, want string }{
		{`["a","b","c","d"]`, "[[a b c d]]"}, {`[["a","b","c","d"],["e","f","a","b","c"]]`, "[[a b c d] [e f a b c]]"}, {`7`, ""}, {`["a",["b"]]`, ""}, {`[]`, ""},
	} {
		n, err := parse([]byte(strings.Replace(plain, `[["a","b","b","c","d"]]`, c.ways, 1)))
		if (err == nil) != (c.want != "") || err != nil && !errors.Is(err, ErrFile) || err == nil && fmt.Sprint(n.Phrases[tonePhrase]) != c.want {
			t.Errorf("%s: %v, %+v", c.ways, err, n)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(madeOfTones().plain())
	f.Add(random(oddShape, 1).plain())
	f.Add([]byte(`{"format":1,"width":1,"hidden":1,"symbols":["","a"],"blocks":[{"taps":64,"left":0,"dilation":64}]}` + "\n" + strings.Repeat("\x01", 600)))
	f.Add([]byte(`{"format":1,"width":512,"hidden":2048,"symbols":["","a"]}` + "\n"))
	f.Add([]byte(`{"format":1,"phrases":{"x":["a"],"y":[["a"],[]],"z":7}}` + "\n"))
	f.Fuzz(func(t *testing.T, plain []byte) {
		n, err := parse(plain)
		if err != nil {
			if !errors.Is(err, ErrFile) {
				t.Errorf("%v", err)
			}
			return
		}
		for i, logs := range outputs(n.NewStream(), noise(4000, 0.1, 1), 512) {
			if len(logs) != len(n.Symbols) {
				t.Fatalf("output %d has %d numbers of %d symbols", i, len(logs), len(n.Symbols))
			}
		}
		for phrase, sounds := range n.Phrases {
			if _, err := n.NewSpotter(phrase, sounds); (err != nil) != (n.Threshold == 0) {
				t.Errorf("%q: %v", phrase, err)
			}
		}
	})
}
