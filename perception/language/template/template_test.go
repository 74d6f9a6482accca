package template

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func compile(t testing.TB, whole bool, lines ...string) *Set {
	t.Helper()
	var entries []Entry
	for _, l := range lines {
		name, text, _ := strings.Cut(l, " = ")
		entries = append(entries, Entry{Name: name, Text: text, At: "test.txt:1"})
	}
	s, err := Compile(entries, whole)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNotation(t *testing.T) {
	for _, c := range []struct{ template, sentence, found string }{
		{"turn (on|off)", "please turn on the light", "turn on"},
		{"turn [right] on", "turn on", "turn on"},
		{"colo[u]r[s]", "What colors?", "colors"},
		{"(photo|picture)s of", "pictures of me", "pictures of"},
		{"wi[ ]fi key", "the Wi Fi key", "Wi Fi key"},
		{"undress*", "she is undressing", "undressing"},
		{"*berry jam", "strawberry jam", "strawberry jam"},
		{"the (very)* old", "the very very old man", "the very very old"},
		{"the (very)+ old", "the old man", ""},
		{"spy {word 0-2} me", "spy all on me", "spy all on me"},
		{"spy {word 0-2} me", "spy all day on me", ""},
		{"pin of {word}", "pin of anna@example.org, please", "pin of anna@example.org"},
		{"tool {word 0-2} it", "a tool: fix it", ""},
		{"say {text} twice", "say a b twice twice", "say a b twice"},
		{"{number} percent", "is 12.5 percent", "12.5 percent"},
		{"{number} percent", "is 10:30 percent", ""},
		{"{time} {minutes}", "12:30 10:5 10 30", "10 30"},
		{"{time}", "24:61 10.15", "10.15"},
		{`\(a \) b`, "( a ) b", "( a ) b"},
		{`\( a \) b`, "(a) b", "(a) b"},
		{"^ stop", "please stop", ""},
		{"^stop$", "stop", "stop"},
		{"(^|please) walk", "walk", "walk"},
		{"(^|please) walk", "they walk", ""},
		{"<animal> food", "dog's food and cat food", "cat food"},
		{"do not|don't", "don’t", "don’t"},
		{"neighbour['s] dog", "the neighbour's dog", "neighbour's dog"},
		{"re:<\\|[a-z]+\\|> re:\\[inst\\]", "x <|im|> y", "<|im|>"},
		{"re:<\\|[a-z]+\\|> re:\\[inst\\]", "x [inst]", "[inst]"},
		{"a|a b", "a b", "a"},
		{"(a|a b) c", "a b c", "a b c"},
	} {
		s := compile(t, false, "<animal> = cat|dog", "rule = "+c.template)
		got := ""
		if m := s.Find(Split(c.sentence)); m != nil {
			got = m.Text()
		}
		if got != c.found {
			t.Errorf("%q in %q: found %q, want %q", c.template, c.sentence, got, c.found)
		}
	}
}

func TestSlots(t *testing.T) {
	s := compile(t, true, "tip = (what is|how much is) {number:percent} percent of {number:total}", "say = say {text:what} (once|twice):times [please]")
	m := s.Find(Split("What is 15 percent of -3.5"))
	p, ok := m.Number("percent")
	q, ok2 := m.Number("total")
	if m.Rule.Name != "tip" || p != 15 || q != -3.5 || !ok || !ok2 {
		t.Errorf("%s: %v %v, %v %v", m.Rule.Name, p, ok, q, ok2)
	}
	m = s.Find(Split("say Hello, World! twice please"))
	if got := m.Slot("what") + "/" + m.Slot("times") + "/" + m.Slot("none"); got != "Hello, World!/twice/" {
		t.Error(got)
	}
	if m := s.Find(Split("please say x twice")); m != nil {
		t.Errorf("a part was taken for the whole: %q", m.Text())
	}
	// A slot of an alternative that was given up is empty again.
	s = compile(t, true, "r = (a {word:x} c|a b d)")
	if got := s.Find(Split("a b d")).Slot("x"); got != "" {
		t.Errorf("left over: %q", got)
	}
}

// A list is written once, but what was found in it is of the place where it stands.
func TestListsInSeveralPlaces(t *testing.T) {
	s := compile(t, true, "<n> = {number:count}|a few", "<thing> = <n> (cat|dog)s", "want = i want <thing>", "both = {word:who} has <thing> and <thing> <n>")
	for text, want := range map[string]string{
		"i want 3 cats": "want//3", "anna has 4 dogs and a few cats 5": "both/anna/5", "anna has 4 dogs and a few cats a few": "both/anna/4",
		"i want a few dogs": "want//",
	} {
		m := s.Find(Split(text))
		if m == nil {
			t.Errorf("%q: nothing is found", text)
		} else if got := m.Rule.Name + "/" + m.Slot("who") + "/" + m.Slot("count"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	entries := []Entry{{Name: "<l0>", Text: "a b|c d"}, {Name: "r", Text: "<l20>"}}
	for i := range 20 {
		entries = append(entries, Entry{Name: fmt.Sprintf("<l%d>", i+1), Text: fmt.Sprintf("<l%d> <l%d>", i, i)})
	}
	if _, err := Compile(entries, false); err == nil || !strings.Contains(err.Error(), "more than 65536 instructions") {
		t.Errorf("lists that double each other: %v", err)
	}
}

func TestUnless(t *testing.T) {
	s := compile(t, false, "hit = hit <being>", "hit unless = story|^ who", "wave = wave", "<being> = him|her")
	for text, want := range map[string]string{"hit him": "hit", "a story: hit him": "", "who hit her": "", "wave and hit him in a story": "wave"} {
		got := ""
		if m := s.Find(Split(text)); m != nil {
			got = m.Rule.Name
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	r := compile(t, false, "r = (look|a b|a)").Rule("r")
	if n := r.Count(Split("look a b, a look b")); n != 4 {
		t.Errorf("%d", n)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	many := func(alternative string) (all string) {
		for i := range 300 {
			all += fmt.Sprintf(alternative, i)
		}
		return all
	}
	for text, want := range map[string]string{
		"(a|b": `')' is missing`, "a|": "an alternative is empty", "a)": "closes nothing", "[]": "an alternative is empty",
		"{thing}":     "allowed are {word}, {text}, {number}, {time}",
		"{word 0-99}": "at most 20", "{word 3-1}": "allowed is a range", "<none>": "there is no list <none>", "a<l>": "only letters and brackets may touch",
		"Hello": "has capitals", "a*b": "beginning or the end",
		"(a):": "name of a slot", "<self>": "has itself in it", "[a][b]": "must not be empty", "re:(": "missing closing", "([a])*": "must not be nothing",
		"[ ]": "empty", strings.Repeat("(", 30) + "a" + strings.Repeat(")", 30): "nested deeper than 20",
		"([a][b][c][d][e][f][g][h][i]x)": "more than 400 spellings", strings.Repeat("({word 0-20} x)* ", 5000): "more than 65536 instructions",
		strings.Repeat("a", 1<<16) + " b":          "words of the templates take more than 65535 bytes",
		many("{word} w%d|") + many("w%d x|") + "y": "more than 65535 words and ways of choices",
	} {
		_, err := Compile([]Entry{{Name: "<self>", Text: "x|<self>"}, {Name: "rule", Text: text, At: "en/test.txt:7"}}, false)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "en/test.txt:7: rule: ") {
			t.Errorf("%.40q: %.200v, want %q", text, err, want)
		}
	}
	for _, e := range [][]Entry{{{Name: "a unless", Text: "x"}}, {{Name: "a", Text: "x"}, {Name: "a", Text: "y"}}} {
		if _, err := Compile(e, false); err == nil {
			t.Errorf("%+v", e)
		}
	}
}

// What a template finds is what the regular expression of the same alternatives finds: the leftmost place, the first
// alternative there.
func TestLikeRegularExpressions(t *testing.T) {
	words := []string{"a", "b", "c"}
	rapid.Check(t, func(t *rapid.T) {
		var lists []Entry
		var found []string // the regular expressions of the lists
		var one func(depth int) (template, re string)
		one = func(depth int) (string, string) {
			var ts, rs []string
			for range rapid.IntRange(1, 3).Draw(t, "alternatives") {
				var tp, rp string
				for range rapid.IntRange(1, 3).Draw(t, "parts") {
					switch k := rapid.IntRange(0, 8).Draw(t, "part"); {
					case k < 3 || depth == 0:
						w := rapid.SampledFrom(words).Draw(t, "word")
						tp, rp = tp+" "+w, rp+w+" "
					case k == 3:
						tp, rp = tp+" {word 0-2}", rp+`(?:\w ){0,2}`
					case k == 4:
						tp, rp = tp+" {text}", rp+`(?:\w )+?`
					case k == 5 && len(lists) > 0: // once more
						l := rapid.IntRange(0, len(lists)-1).Draw(t, "list")
						tp, rp = tp+" "+lists[l].Name, rp+"(?:"+found[l]+")"
					default:
						it, ir := one(depth - 1)
						if k == 6 {
							lists, found = append(lists, Entry{Name: fmt.Sprintf("<l%d>", len(lists)), Text: it}), append(found, ir)
							it = lists[len(lists)-1].Name
						}
						shape := rapid.SampledFrom([][3]string{{"(", ")", ""}, {"[", "]", "?"}, {"(", ")*", "*"}, {"(", ")+", "+"}}).Draw(t, "shape")
						if shape[0] == "(" && shape[2] != "" { // what is repeated must not be nothing
							it, ir = "b ("+it+")", "b (?:"+ir+")"
						}
						tp, rp = tp+" "+shape[0]+it+shape[1], rp+"(?:"+ir+")"+shape[2]
					}
				}
				ts, rs = append(ts, tp), append(rs, rp)
			}
			return strings.Join(ts, "|"), strings.Join(rs, "|")
		}
		text, re := one(2)
		s, err := Compile(append(lists, Entry{Name: "r", Text: text}), false)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		sentence := strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(words, "d")), 1, 12).Draw(t, "sentence"), " ")
		want := regexp.MustCompile(re).FindString(sentence + " ")
		got := ""
		if m := s.Find(Split(sentence)); m != nil {
			got = m.Text()
		}
		if got != strings.TrimSpace(want) {
			t.Fatalf("%q (%s) in %q: %q, want %q", text, re, sentence, got, want)
		}
	})
}

// Templates that make a naive matcher take for ever end soon: a place is never tried twice.
func TestHostileSentences(t *testing.T) {
	s := compile(t, false, "r = (a|a a|{word})* (a|{text})* (a (a)* (a)*)* {text} {text} {text} never")
	if s.Find(Split(strings.Repeat("a ", maxTokens))) != nil {
		t.Error("found")
	}
	if n := Split(strings.Repeat("a ", 2*maxTokens)).Len(); n != maxTokens {
		t.Errorf("%d tokens are looked at, want %d", n, maxTokens)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("It's 3.5 km/h, isn’t it? -7 10:30 e.g. \xff'")
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, tok := range Split(text).tokens {
			if tok.start < at || tok.end <= tok.start || tok.end > len(text) || tok.word == "" {
				t.Fatalf("%q: %+v behind %d", text, tok, at)
			}
			at = tok.end
		}
	})
}

func FuzzCompile(f *testing.F) {
	for _, text := range []string{"(a|b)* [c]{word 0-3}:x", "{text:x} ^$ <l>", "re:(a|b", "colo[u]r*"} {
		f.Add(text, "a b c")
	}
	f.Fuzz(func(_ *testing.T, text, sentence string) {
		if s, err := Compile([]Entry{{Name: "<l>", Text: "x|y"}, {Name: "r", Text: text}}, false); err == nil {
			s.Find(Split(sentence))
		}
	})
}

func BenchmarkHostile(b *testing.B) {
	s := compile(b, false, "r = (a|a a|{word})* (a|{text})* (a (a)* (a)*)* {text} {text} {text} never")
	in := Split(strings.Repeat("a ", 300))
	for b.Loop() {
		s.Find(in)
	}
}
