package stt

import (
	"math"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWhatIsKeptAndWhatIsThrownAway(t *testing.T) {
	for _, c := range []struct {
		text       string
		confidence float64
		noSpeech   float64
		want       Discard
	}{
		{"Look left.", 0.9, 0.01, ""},
		{"look left and then nod twice and then go to sleep", 0.6, 0.2, ""},
		{"no no no no", 0.8, 0.1, ""},
		{"turn left, turn left", 0.8, 0.1, ""},
		{"Thank you.", 0.9, 0.05, ""},
		{"Stop!", 0.5, 0.1, ""},
		{"Look left.", 0.9, 0.95, NoSpeech},
		{"Look left.", 0.5, 0.7, NoSpeech},
		{"Look left.", 0.8, 0.7, ""},
		{"... !", 0.9, 0, NoSpeech},
		{"Thank you for watching!", 0.99, 0.01, Phantom},
		{"Thanks for watching, bye.", 0.99, 0.01, Phantom},
		{"Okay, please subscribe.", 0.9, 0.01, Phantom},
		{"Subtitles by the Amara.org community", 0.9, 0.01, Phantom},
		{"Thank you.", 0.5, 0.05, Phantom},
		{"Thank you.", 0.9, 0.5, Phantom},
		{"you", 0.4, 0.3, Phantom},
		{"go go go go go go", 0.9, 0.01, Repetition},
		{"I am here I am here I am here", 0.9, 0.01, Repetition},
		{"the end of the end of the end of", 0.9, 0.01, Repetition},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0.9, 0.01, Repetition},
		{strings.Repeat("one of many quite different sentences that nobody says within two seconds ", 1) + "as they take six at least", 0.9, 0.01, Babble},
		{"Look left.", 0.2, 0.01, Unsure},
		{"look left, look right, look up, nod.", 0.9, 0.01, ""},
		{"Look left, look right, look up, nod, stop.", 0.9, 0.01, Phantom},
		{"Look left, look right, look up, nod, go.", 0.9, 0.01, ""},
	} {
		s := Segment{Text: c.text, End: 2 * time.Second, Confidence: c.confidence, NoSpeech: c.noSpeech}
		if got := s.suspicious("Reachy: look left, look right, look up, nod, stop!", false); got != c.want {
			t.Errorf("%q, confidence %v, no speech %v: %q instead of %q", c.text, c.confidence, c.noSpeech, got, c.want)
		}
	}
}

// What makes sense is kept at a lower confidence: what else was heard decides then.
func TestWordsThatMakeSenseAreKeptWhenTheyAreUnsure(t *testing.T) {
	for confidence, want := range map[float64]Discard{0.36: "", 0.2: "", 0.19: Unsure} {
		s := Segment{Text: "Look left.", End: 2 * time.Second, Confidence: confidence, NoSpeech: 0.01}
		if got := s.suspicious("", true); got != want {
			t.Errorf("confidence %v: %q instead of %q", confidence, got, want)
		}
	}
}

func TestCleanKeepsWhatIsSaid(t *testing.T) {
	for text, want := range map[string]string{
		" Look left.":                "Look left.",
		"[BLANK_AUDIO]":              "",
		" (wind blowing) Hello":      "Hello",
		"*sighs*  yes  please ":      "yes please",
		"♪ la la ♪":                  "la la",
		"[Music [loud]] stop":        "stop",
		"(never closed":              "",
		"a ) b ] c":                  "a ) b ] c",
		" ...":                       "",
		"":                           "",
		"turn 30° left":              "turn 30° left",
		"Schau nach links, schöner!": "Schau nach links, schöner!",
		" -":                         "",
	} {
		if got := clean(text); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
	}
}

func TestSegmentsBecomeAResult(t *testing.T) {
	var r Result
	add := func(text string, p float64, tokens int) {
		r.add(&part{
			start: time.Duration(len(r.Segments)) * time.Second, end: time.Duration(len(r.Segments)+1) * time.Second, text: text,
			language: "en", logProb: float64(tokens) * math.Log(p), tokens: tokens, noSpeech: 0.1, took: Timings{Mel: 1, Encode: 2, Decode: 3},
		})
	}
	add(" Look left", 0.9, 3)
	add(" [BLANK_AUDIO]", 0.9, 3)
	add(" Thanks for watching!", 0.9, 5)
	add(" and nod.", 0.5, 3)
	r.finish(&Options{})
	if r.Text != "Look left and nod." || r.Raw != "Look left Thanks for watching! and nod." || len(r.Segments) != 2 || r.Discarded != "" {
		t.Errorf("%+v", r)
	}
	if r.Confidence < 0.6 || r.Confidence > 0.75 || r.Tokens != 14 || r.NoSpeech != 0.1 || r.Language != "en" {
		t.Errorf("confidence %v, %d tokens, no speech %v, language %q", r.Confidence, r.Tokens, r.NoSpeech, r.Language)
	}
	if (r.Took != Timings{Mel: 4, Encode: 8, Decode: 12}) {
		t.Errorf("%+v", r.Took)
	}

	r = Result{}
	add(" Thanks for watching!", 0.9, 5)
	r.finish(&Options{})
	if r.Text != "" || r.Discarded != Phantom || r.Raw != "Thanks for watching!" || r.Confidence != 0 {
		t.Errorf("a phantom: %+v", r)
	}
	r = Result{}
	add(" Thanks for watching!", 0.9, 5)
	r.finish(&Options{Unguarded: true})
	if r.Text != "Thanks for watching!" || r.Discarded != "" {
		t.Errorf("a phantom that is wanted: %+v", r)
	}
	r = Result{}
	add(" [BLANK_AUDIO]", 0.9, 5)
	r.finish(&Options{})
	if r.Text != "" || r.Discarded != NoSpeech || r.Raw != "[BLANK_AUDIO]" {
		t.Errorf("only a remark: %+v", r)
	}
}

func TestSilentIsWhatNobodyHears(t *testing.T) {
	quiet, loud := make([]float32, SampleRate), make([]float32, SampleRate)
	for i := range quiet {
		quiet[i] = 0.0009
	}
	for i := SampleRate / 2; i < SampleRate/2+480; i++ {
		loud[i] = 0.01
	}
	if !silent(quiet) || !silent(nil) {
		t.Error("−61 dB is taken for sound")
	}
	if silent(loud) {
		t.Error("30 ms at −40 dB are taken for silence")
	}
}

func TestAudioThatIsNoneIsRefused(t *testing.T) {
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 8.01} {
		x := make([]float32, 10)
		x[7] = bad
		if err := finite(x); err == nil || !strings.Contains(err.Error(), "sample 7") {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if err := finite([]float32{-8, 0, 8}); err != nil {
		t.Error(err)
	}
}

func TestContextFitsTheAudio(t *testing.T) {
	for _, c := range []struct {
		seconds    float64
		most, want int
	}{
		{0.3, 1500, 256},
		{3, 1500, 256},
		{4.8, 1500, 256},
		{4.9, 1500, 512},
		{6, 1500, 512},
		{10, 1500, 768},
		{29, 1500, 1500},
		{60, 1500, 1500},
		{1, 128, 128},
		{1, 256, 256},
		{6, 300, 300},
		{5, 300, 300},
	} {
		if got := contextFor(int(c.seconds*SampleRate), c.most, 256, false); got != c.want {
			t.Errorf("%v s with a model of %d: %d instead of %d", c.seconds, c.most, got, c.want)
		}
		if got := contextFor(int(c.seconds*SampleRate), c.most, 256, true); got != c.most {
			t.Errorf("the full window of %d is %d", c.most, got)
		}
	}
}

func TestPiecesAreCutWhereItIsQuiet(t *testing.T) {
	const window = 4 * SampleRate
	x := make([]float32, 15*SampleRate)
	for i := range x {
		x[i] = 0.1 * float32(1-2*(i%2))
	}
	pause := func(second float64) {
		at := int(second * SampleRate)
		clear(x[at : at+SampleRate/5])
	}
	pause(3.2)
	pause(6)
	pause(9.5)
	got := pieces(x, window)
	at := 0
	var cuts []float64
	for _, p := range got {
		if p.from != at || p.to <= p.from || p.to-p.from > window {
			t.Fatalf("piece %d–%d after %d", p.from, p.to, at)
		}
		at = p.to
		cuts = append(cuts, float64(p.to)/SampleRate)
	}
	if at != len(x) {
		t.Errorf("%d of %d samples", at, len(x))
	}
	for i, want := range []float64{3.3, 6.1, 9.6} {
		if math.Abs(cuts[i]-want) > 0.06 {
			t.Errorf("cut at %.2f s, the pause is at %v", cuts[i], want)
		}
	}
	if short := pieces(x[:window], window); len(short) != 1 || short[0] != (span{0, window}) {
		t.Errorf("what fits is cut: %v", short)
	}
}

func TestTokensGrowWithTheAudio(t *testing.T) {
	var o Options
	if a, b := o.tokens(SampleRate), o.tokens(10*SampleRate); a != 20 || b != 92 {
		t.Errorf("%d for a second, %d for ten", a, b)
	}
	o.MaxTokens = 5
	if n := o.tokens(10 * SampleRate); n != 5 {
		t.Errorf("%d instead of the 5 asked for", n)
	}
}

func FuzzGuards(f *testing.F) {
	for _, s := range []string{"Look left.", "[a (b] c)", "*x*", "no no no no no", strings.Repeat("ab ", 60), "\xff\xfe", "♪♪", "((((", "’’’"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := clean(text)
		if strings.ContainsAny(c, "*♪\n\t") || c != strings.TrimSpace(c) {
			t.Errorf("%q became %q", text, c)
		}
		if again := clean(c); len(again) > len(c) {
			t.Errorf("%q became %q and then %q", text, c, again)
		}
		s := Segment{Text: c, End: time.Second, Confidence: 0.9}
		if d := s.suspicious("", false); c == "" && d != NoSpeech {
			t.Errorf("nothing is %q", d)
		}
		repeats(strings.Fields(normal(text)))
	})
}
