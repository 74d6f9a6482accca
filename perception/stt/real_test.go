//go:build whisper

package stt

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/internal/fixtures"
	"github.com/reachyd/reachyd/perception/speechtest"
)

// real is Whisper tiny.en with its real weights, which are fetched where they are not here.
func real1(t *testing.T, o Options) *Recogniser {
	t.Helper()
	r, err := Open(fixtures.Model(t, "tiny.en-q8_0"), Settings{Threads: 1, Defaults: o})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestRealWeightsSayShortSentencesOnce had the model say everything again and again while its window was as short as they are.
func TestRealWeightsSayShortSentencesOnce(t *testing.T) {
	r := real1(t, Options{})
	for text, voice := range map[string]string{"look left": "flite:slt", "turn right": "flite:awb", "go to sleep": "espeak:en-us"} {
		x := speechtest.Join(speechtest.Pause(300*time.Millisecond), speechtest.Say(t, voice, text), speechtest.Pause(300*time.Millisecond))
		res, err := r.Transcribe(t.Context(), x)
		if got := words(res.Text); err != nil || got != text {
			t.Errorf("%s, %q: %+v, %v", voice, text, res, err)
		}
	}
}

// What microphones and old recordings do to a sentence costs none of its words: quiet, three times too loud, as a telephone passes it on.
func TestRealWeightsHearBadSound(t *testing.T) {
	r := real1(t, Options{})
	x := speechtest.Join(speechtest.Pause(300*time.Millisecond), speechtest.Say(t, "flite:slt", "look left"), speechtest.Pause(300*time.Millisecond))
	clipped := speechtest.Gain(x, 10-20*math.Log10(float64(slices.Max(x))))
	for i, v := range clipped {
		clipped[i] = max(-1, min(1, v))
	}
	for name, samples := range map[string][]float32{
		"30 dB quieter": speechtest.Gain(x, -30), "clipped": clipped,
		"at 8 kHz": speechtest.Resample(speechtest.Resample(x, speechtest.Rate, 8000), 8000, speechtest.Rate),
	} {
		res, err := r.Transcribe(t.Context(), samples)
		if got := words(res.Text); err != nil || got != "look left" {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
}

func TestRealWeightsLookForAReadingThatMakesSense(t *testing.T) {
	r := both(t)["published"] // which is not certain of it
	x := speechtest.Join(speechtest.Pause(300*time.Millisecond), speechtest.Say(t, "flite:slt", "turn right"), speechtest.Pause(300*time.Millisecond))
	asked := 0
	none, err := r.TranscribeWith(t.Context(), x, Options{Meaning: func(string) string { asked++; return "" }})
	if err != nil || none.Text == "" || len(none.Alternatives) == 0 || asked < 2 {
		t.Fatalf("%+v, asked %d times, %v", none, asked, err)
	}
	// Whichever of the readings makes sense is the text then.
	want := none.Alternatives[0].Text
	res, err := r.TranscribeWith(t.Context(), x, Options{Unguarded: true, Meaning: func(text string) string {
		if text == want {
			return "turn"
		}
		return ""
	}})
	if err != nil || res.Text != want || res.Share != 1 || slices.ContainsFunc(res.Alternatives, func(a Reading) bool { return a.Text == want }) {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestRealWeightsSayNothingToNoise(t *testing.T) {
	r := real1(t, Options{Meaning: stopMeaning})
	for _, k := range []speechtest.Kind{speechtest.White, speechtest.Hum, speechtest.Servo, speechtest.Music} {
		res, err := r.Transcribe(t.Context(), speechtest.Gain(speechtest.Noise(t, k, speechtest.Samples(3*time.Second), 3), -25))
		if err != nil || res.Text != "" {
			t.Errorf("%v: %+v, %v", k, res, err)
		}
	}
}

func stopMeaning(text string) string {
	if strings.Contains(strings.ToLower(text), "stop") {
		return "stop"
	}
	return ""
}

// What asks for the same counts together, and how likely it is to be something else is told.
func TestReadingsThatAskForTheSameCountTogether(t *testing.T) {
	r := real1(t, Options{})
	reading := func(text string, logProb float64) path {
		p := path{tokens: r.tokenize(text)}
		for range p.tokens {
			p.probs = append(p.probs, logProb/float64(len(p.tokens)))
		}
		return p
	}
	all := []path{
		reading(" It is late.", -1), reading(" Start tracking me.", -1.5), reading(" Stop tracking me.", -1.6), reading(" stop tracking me", -1.7),
		reading(" Stop tracking me now.", -2),
	}
	meaning := func(text string) string {
		verb, _, _ := strings.Cut(strings.ToLower(text), " ")
		return map[string]string{"start": "follow", "stop": "stay"}[verb]
	}
	var p part
	best := r.choose(all, &Options{Meaning: meaning}, &p)
	stop, start := math.Exp(-1.6)+math.Exp(-2), math.Exp(-1.5)
	if got := r.text(best.tokens); meaning(clean(got)) != "stay" || math.Abs(p.share-stop/(stop+start)) > 1e-6 {
		t.Errorf("%q, share %v", got, p.share)
	}
	// The same by the sound alone, and what asks for nothing counts, too; nothing here leans.
	if doubt := (start + math.Exp(-1)) / (stop + start + math.Exp(-1)); math.Abs(p.doubt-doubt) > 1e-6 {
		t.Errorf("doubt %v instead of %v", p.doubt, doubt)
	}
	if len(p.alternatives) < 3 {
		t.Errorf("%+v", p.alternatives)
	}
	none := part{}
	if best := r.choose(all, &Options{Meaning: func(string) string { return "" }}, &none); best != &all[0] || none.share != 1 || none.doubt != 0 {
		t.Errorf("nothing asks for anything: %q, %v, %v", r.text(best.tokens), none.share, none.doubt)
	}
}

// An early word that is another is looked at however many usual words follow it.
func TestAnotherFirstWordIsAsNearAsAnotherLastOne(t *testing.T) {
	p := path{probs: []float64{-0.2, -0.1, -0.1, -0.2}, leans: []float64{2, 6, 6, 8}}
	other := choice{prob: -2.2, lean: 2}
	for i := range p.probs {
		other.lean = p.leans[i]
		if behind := p.sum() - p.instead(i, other); math.Abs(behind-(p.probs[i]+2.2)) > 1e-9 {
			t.Errorf("word %d: %v behind", i, behind)
		}
	}
}

// The mark at the end of a sentence is worth what the end behind it is, so that it does not lose against an end without a mark.
func TestAMarkBeforeTheEnd(t *testing.T) {
	s := &search{gain: leanGain}
	mark, end, word := choice{token: 1, prob: -0.1, ahead: 7}, choice{token: 2, prob: -3.5, lean: 7}, choice{token: 3, prob: -1, lean: 1}
	if got := s.likeliest([]choice{word, end, mark}); got != mark {
		t.Errorf("%+v", got)
	}
	mark.ahead = 0 // nobody ends a sentence here
	end.lean = 0
	if got := s.likeliest([]choice{mark, end, {token: 3, prob: -1, lean: 6}}); got.token != 3 {
		t.Errorf("%+v", got)
	}
}

func TestLoop(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 0, "abab": 2, "abcabc": 3, "xabcabc": 0, "xabcabcabc": 6, "aaa": 0, "aaaa": 2, "xaaaa": 0, "xaaaaa": 4, "abcab": 0,
	} {
		tokens := make([]token, len(text))
		for i := range tokens {
			tokens[i] = token(text[i])
		}
		if got := loop(tokens); got != want {
			t.Errorf("%q: %d of it are said again, not %d", text, got, want)
		}
	}
}
