package reward

import (
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// The anchors of the specification.
func TestAnchors(t *testing.T) {
	for text, want := range map[string]float64{
		"That was perfect!": 1, "Good, but a bit slow": 0.5, "That's not quite right": -0.3, "No! Stop!": -1, "What time is it?": 0, "STOP": -1,
		"that was perfect": 1, "That was perfect, Reachy.": 1, "": 0, "…": 0,
	} {
		if s := Default().Score(text); math.Abs(s.Reward-want) > 1e-9 {
			t.Errorf("%q: %+v, want %g", text, s, want)
		}
	}
}

func TestWhatWasMeantIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"That was too fast for me":               "too_fast",
		"Could you go a bit slower next time?":   "too_fast",
		"Nice, but much too loud":                "too_loud",
		"no, the other left":                     "wrong_direction",
		"I can't hear you":                       "too_quiet",
		"You ask me that every single time":      "too_often",
		"That's not the one, I meant the banana": "wrong_thing",
	} {
		if s := Default().Score(text); !slices.Contains(s.Meant, want) {
			t.Errorf("%q means %v, want %s among it (%+v)", text, s.Meant, want, s)
		}
	}
}

func TestReasonsAreWordsOfTheSentence(t *testing.T) {
	s := Default().Score("that was a really lovely dance")
	if !slices.Contains(s.Reason, "lovely") {
		t.Errorf("%+v", s)
	}
}

// A model of three writers agrees with a fourth far better than one that always says the same (35 %). The figures of all
// writers are printed by make eval-reward.
func TestAWriterThatWasNotSeen(t *testing.T) {
	_, all := Writers()
	m := Fit(slices.Concat(all[1:]...))
	r := Evaluate(all[0], m.Score)
	if r.Agreement < 0.68 || r.MAE > 0.32 {
		t.Errorf("%s", r)
	}
	surest, least := (r.Deciles[0]+r.Deciles[1])/2, (r.Deciles[8]+r.Deciles[9])/2
	if surest < 0.85 || surest-least < 0.25 {
		t.Errorf("what it is sure of is right in %.2f, what it is not in %.2f", surest, least)
	}
}

// The model in the program is that of its sentences: the same make the same in every run.
func TestTheModelIsThatOfItsSentences(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("elsewhere a product and a sum may be rounded once, not twice: a fit differs in its last digits")
	}
	_, all := Writers()
	var fitted strings.Builder
	if err := Fit(slices.Concat(all...)).WriteLinear(&fitted); err != nil || fitted.String() != linearFile {
		t.Errorf("the sentences or the features have changed: make reward-linear fits the model anew (%v)", err)
	}
}

func TestExamplesThatAreNone(t *testing.T) {
	for bad, says := range map[string]string{
		`{"text":"a","reward":2}`:                        "[-1, 1]",
		`{"text":"","reward":0}`:                         "text",
		`{"text":"a","reward":0,"meant":["too_purple"]}`: "too_purple",
		`{`: "line 1",
		"{\"text\":\"a\",\"reward\":0}\n{\"text\":\"a\",\"reward\":9}": "line 2",
	} {
		if _, err := ReadExamples(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestReportIsPrinted(t *testing.T) {
	r := Evaluate([]Example{{Text: "perfect", Reward: 1}, {Text: "what time is it", Reward: -1, Meant: []string{"too_slow"}}}, Default().Score)
	if r.Agreement != 0.5 || r.MAE != 0.5 || r.Confusion[Blame][Neutral] != 1 || len(r.Wrong) != 1 {
		t.Errorf("%+v", r)
	}
	if text := r.String(); !strings.Contains(text, "50.0 %") {
		t.Error(text)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// Longest, oddest texts: what is said is within the range, and costs little.
func FuzzScore(f *testing.F) {
	f.Add("No! Stop!")
	f.Add(strings.Repeat("good but bad ", 200))
	f.Add("ÄÖÜ ß 你好 \x00\xff '’`")
	m := Default()
	f.Fuzz(func(t *testing.T, text string) {
		s := m.Score(text)
		if math.IsNaN(s.Reward) || math.Abs(s.Reward) > 1 || s.Uncertainty < 0 || s.Uncertainty > 1 {
			t.Fatalf("%+v", s)
		}
		if again := m.Score(text); fmt.Sprint(s) != fmt.Sprint(again) {
			t.Fatalf("%+v, then %+v", s, again)
		}
	})
}

func BenchmarkFit(b *testing.B) {
	_, all := Writers()
	b.ReportAllocs()
	for b.Loop() {
		Fit(slices.Concat(all...))
	}
}

func BenchmarkScore(b *testing.B) {
	m := Default()
	for b.Loop() {
		m.Score("well that was lovely but could you do it a bit slower next time")
	}
}
