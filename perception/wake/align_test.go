package wake

import (
	"math"
	"sync"
	"testing"
)

func sentence(words ...string) (s Sentence) {
	for _, w := range words {
		var sounds []string
		for _, r := range w {
			sounds = append(sounds, string(r))
		}
		s = append(s, sounds)
	}
	return s
}

func aligner(t testing.TB, sentences ...Sentence) *Aligner {
	t.Helper()
	a, err := toneNetwork(t).NewAligner(sentences)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTheSentenceThatWasSaidFitsBest(t *testing.T) {
	said := []string{"ab", "ab cd", "ab cd ef", "ab cf", "ef"}
	a := aligner(t, sentence("ab"), sentence("ab", "cd"), sentence("ab", "cd", "ef"), sentence("ab", "cf"), sentence("ef"))
	for i, text := range said {
		f := a.Fits(play("   "+text+"   "), 1)
		if len(f) != 1 || f[0].Sentence != i || f[0].Mean < -0.2 || f[0].Worst < -0.5 || f[0].Ahead < 1 {
			t.Errorf("%q: %+v", text, f)
		}
	}
	f := a.Fits(play("   e  ab cd  "), 1) // something is said before it
	if len(f) != 1 || f[0].Sentence != 1 || f[0].Worst < -0.5 {
		t.Errorf("behind another sound: %+v", f)
	}
}

func TestAWordThatWasNotSaidIsTold(t *testing.T) {
	a := aligner(t, sentence("ab", "cd"), sentence("ef", "ef"))
	f := a.Fits(play("  ab ff  "), 1)
	if len(f) != 1 || f[0].Sentence != 0 || f[0].Worst > -2 || f[0].Mean > -2 {
		t.Errorf("%+v", f)
	}
	both := a.Fits(play("  ab cd  "), 1, 1, 0)
	if len(both) != 2 || both[0].Sentence != 0 || both[1].Sentence != 1 || both[0].Ahead != -both[1].Ahead || both[1].Ahead >= 0 || both[0].Sounds != 4 {
		t.Errorf("the best, and the one that is asked for: %+v", both)
	}
}

func TestSoundsThatFitNothing(t *testing.T) {
	a := aligner(t, sentence("ab", "cd"))
	for name, x := range map[string][]float32{"nothing": nil, "less than the sentence has sounds": play("a")[:60*ms]} {
		if f := a.Fits(x, 2); f != nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
	broken := play("  ab cd  ")
	broken[3000], broken[4000] = float32(math.NaN()), float32(math.Inf(1))
	for _, f := range a.Fits(broken, 1) {
		if math.IsNaN(f.Mean) || math.IsNaN(f.Worst) || math.IsNaN(f.Ahead) {
			t.Errorf("%+v", f)
		}
	}
	if f := aligner(t).Fits(play("ab"), 1); f != nil {
		t.Errorf("no sentences: %+v", f)
	}
}

func TestSentencesThatCannotBeAligned(t *testing.T) {
	long := Sentence{}
	for range maxSentence + 1 {
		long = append(long, []string{"a"})
	}
	for name, s := range map[string]Sentence{
		"no words": {}, "a word without sounds": {{"a"}, {}}, "a sound that the network does not know": {{"x"}}, "the blank": {{""}}, "too long": long,
	} {
		if _, err := toneNetwork(t).NewAligner([]Sentence{s}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := toneNetwork(t).NewAligner([]Sentence{long[1:]}); err != nil {
		t.Errorf("the longest: %v", err)
	}
}

func TestAnAlignerIsForAll(t *testing.T) {
	a := aligner(t, sentence("ab", "cd"), sentence("ef"))
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			text, want := "  ab cd  ", 0
			if i%2 == 1 {
				text, want = "   ef   ", 1
			}
			if f := a.Fits(play(text), 1); len(f) != 1 || f[0].Sentence != want {
				t.Errorf("%q: %+v", text, f)
			}
		})
	}
	all.Wait()
}

func BenchmarkFits(b *testing.B) {
	n, err := Own()
	if err != nil {
		b.Fatal(err)
	}
	var sentences []Sentence
	for range 261 {
		sentences = append(sentences, Sentence{{"l", "ʊ", "k"}, {"æ", "t"}, {"ð", "ə"}, {"d", "ʌ", "k"}})
	}
	a, err := n.NewAligner(sentences)
	if err != nil {
		b.Fatal(err)
	}
	x := noise(2*Rate, 0.1, 1)
	b.ReportAllocs()
	for b.Loop() {
		a.Fits(x, 2)
	}
}
