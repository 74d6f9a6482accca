package language

import (
	"strings"
	"testing"
)

func TestAnalyse(t *testing.T) {
	for _, c := range []struct {
		text, tokens       string
		clauses, address   int
		question, negation bool
	}{
		{"Reachy, look left.", "reachy look left", 2, 1, false, false},
		{"hey robot, um, what's the time?", "hey robot what is the time", 1, 2, true, false},
		{"can you see the apple", "can you see the apple", 1, 0, true, false},
		{"Don't move", "do not move", 1, 0, false, true},
		{"turn your hed twenty five degres", "turn your head twenty five degrees", 1, 0, false, false},
		{"nod, is it cold", "nod is it cold", 2, 0, true, false},
		{"do a dance", "do a dance", 1, 0, false, false},
		{"where you lookin’ now?", "where you looking now", 1, 0, true, false},
		{"say 'robin' again", "say robin again", 1, 0, false, false},
		{"", "", 0, 0, false, false},
	} {
		u := Analyse(c.text)
		if got := u.Tokens.String(); got != c.tokens || len(u.Clauses) != c.clauses || u.Address.Len() != c.address || u.Question != c.question ||
			u.Negated != c.negation {
			t.Errorf("%q: got %q, %d clauses, address %d, question %v, negation %v", c.text, got, len(u.Clauses), u.Address.Len(), u.Question, u.Negated)
		}
	}
	if u := Analyse(strings.Repeat("a ", MaxText/2)); !u.TooLong || u.Tokens != nil {
		t.Errorf("%d words: %d tokens", MaxText/2, len(u.Tokens))
	}
	if u := Analyse(strings.Repeat("nod", MaxText/3) + "nod"); !u.TooLong {
		t.Error("more than MaxText bytes are not too long")
	}
	if u := Analyse(strings.Repeat("nod ", MaxTokens/2)); u.TooLong {
		t.Errorf("%d words are too long", MaxTokens/2)
	}
}

func TestQuantities(t *testing.T) {
	for text, want := range map[string]Quantity{
		"a minute and a half": {90, Time}, "two hours and ten minutes": {7800, Time}, "half an hour": {1800, Time}, "twenty degrees": {20, Angle},
		"minus two point five cm": {-0.025, Length},
		"a full circle":           {360, Turns}, "half a turn": {180, Turns}, "50 %": {50, Percent}, "fifty per cent": {50, Percent}, "three": {3, NoUnit},
		"one hundred and five":    {105, NoUnit},
		"two thousand and twelve": {2012, NoUnit}, "1/2 second": {0.5, Time}, "2½ s": {2.5, Time}, "three quarters of a second": {0.75, Time},
		"a dozen degrees": {12, Angle}, "several seconds": {4, Time},
	} {
		toks := Analyse(text).Tokens
		if q, n := QuantityAt(toks, 0); q != want || n != len(toks) {
			t.Errorf("%q: got %v from %d of %d tokens, want %v", text, q, n, len(toks), want)
		}
	}
}

func FuzzAnalyse(f *testing.F) {
	for _, s := range []string{
		"", " ", "say \"", "\xff\xfe look left", "-", "--", "l-l-l-", "9999999999999999999999 degrees", "½½½", "a and a half",
		"point", "two hundred and", "½ and a", "reachy reachy",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u := Analyse(text)
		for _, toks := range []Tokens{u.Raw, u.Tokens} {
			for k, tok := range toks {
				if tok.Start < 0 || tok.End > len(text) || tok.Start > tok.End {
					t.Fatalf("%q: token %d is %d…%d of %d bytes", text, k, tok.Start, tok.End, len(text))
				}
				QuantityAt(toks, k)
			}
		}
	})
}

func BenchmarkAnalyse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Analyse("could you please look a little to the left, then nod twice and say hello world")
	}
}
