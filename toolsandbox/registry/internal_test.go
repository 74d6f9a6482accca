package registry

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Applying the edits to a gives b, keeping only what is the same, and no more edits than necessary.
func TestLineEdits(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "d\n"}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		a, b := lines.Draw(t, "a"), lines.Draw(t, "b")
		var from, to []string
		kept := 0
		for _, e := range lineEdits(a, b) {
			if e.op != '+' {
				from = append(from, e.line)
			}
			if e.op != '-' {
				to = append(to, e.line)
			}
			if e.op == ' ' {
				kept++
			}
		}
		if !slices.Equal(from, a) || !slices.Equal(to, b) {
			t.Fatalf("edits turn %q into %q", from, to)
		}
		if want := common(a, b); kept != want {
			t.Fatalf("%d lines kept, %d could be", kept, want)
		}
	})
}

// common is the length of the longest common subsequence, computed the slow and plain way.
func common(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			row[j+1] = max(above, row[j])
			if x == y {
				row[j+1] = diagonal + 1
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func TestManyEdits(t *testing.T) {
	var a, b []string
	for i := range 2 * maxEdits {
		a, b = append(a, fmt.Sprintf("a%d\n", i)), append(b, fmt.Sprintf("b%d\n", i))
	}
	edits := lineEdits(a, b)
	if len(edits) != len(a)+len(b) || edits[0].op != '-' || edits[len(edits)-1].op != '+' {
		t.Errorf("%d edits", len(edits))
	}
}

func TestTokenise(t *testing.T) {
	got := strings.Join(tokenise(`import math  # comment
def f(x):
    """Docstring
    of two lines."""
    y = r"raw" + f'{x}' * 0x1F + math.sqrt(x)
    return """not a docstring""" if y else 'it\'s'
`), " ")
	const want = "import math def i ( i ) : i = s + s * 0 + i . sqrt ( i ) return s if i else s"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func FuzzTokenise(f *testing.F) {
	for _, s := range []string{"", "\"", "'''", "\\", "def f(x):\n  '\\", "\xff", "1.e5", "#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n := len(tokenise(s)); n > len(s) {
			t.Errorf("%d tokens of %d bytes", n, len(s))
		}
		a := sketchOf(s, nil)
		if x := a.similarity(&a); x != 1 {
			t.Errorf("%q is %v similar to itself", s, x)
		}
	})
}

func TestSimilarityOfManifests(t *testing.T) {
	m := func(module, name, what string) string {
		return `{"module":"sha256:` + module + `","name":"` + name + `","description":"` + what + `","returns":{"type":"integer"}}`
	}
	one := sketchOf(m("0a", "add_up", "Adds two numbers."), nil)
	laid := sketchOf(strings.ReplaceAll(m("0a", "add_up", "Adds two numbers."), ",", " ,\n  "), nil)
	if x := one.similarity(&laid); x != 1 {
		t.Errorf("the same in another layout: %v", x)
	}
	other := sketchOf(m("1b", "weather", "Says how warm it is."), nil)
	if x := one.similarity(&other); x > 0.7 {
		t.Errorf("another module: %v", x)
	}
}

func TestStem(t *testing.T) {
	for _, group := range []string{"take takes taking", "nod nods nodded nodding", "photo photos", "battery batteries", "glass glasses", "pass passing passed"} {
		words := strings.Fields(group)
		for _, w := range words[1:] {
			if stem(w) != stem(words[0]) {
				t.Errorf("%s → %s, %s → %s", words[0], stem(words[0]), w, stem(w))
			}
		}
	}
}

// In groups, the first word of one must not be a synonym in another: it would be a chain that nobody follows.
func TestSynonyms(t *testing.T) {
	for word, to := range synonyms {
		if again := synonyms[to]; again != to {
			t.Errorf("%s → %s → %s", word, to, again)
		}
	}
}

func BenchmarkSketch(b *testing.B) {
	var src strings.Builder
	for i := range 200 {
		fmt.Fprintf(&src, "    value_%d = compute(value_%d, %d) + other.thing[%d]\n", i, i+1, i, i)
	}
	b.SetBytes(int64(src.Len()))
	for b.Loop() {
		sketchOf(src.String(), nil)
	}
}

func BenchmarkSimilarity(b *testing.B) {
	x, y := sketchOf("def f(x): return x", nil), sketchOf("def g(x): return -x", nil)
	for b.Loop() {
		x.similarity(&y)
	}
}

func BenchmarkLexicalSearch(b *testing.B) {
	l := NewLexical()
	for i := range 500 {
		l.Put(Document{Name: fmt.Sprintf("tool_%d", i), Summary: fmt.Sprintf("Does thing %d with part %d of the photo.", i, i%7)})
	}
	for b.Loop() {
		if hits, _ := l.Search(b.Context(), "photo of part 3", 5); len(hits) != 5 {
			b.Fatal(len(hits))
		}
	}
}
