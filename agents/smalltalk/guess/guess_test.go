package guess

import (
	"errors"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/frames"
)

// Sentences that nobody wrote for the network are of the kinds that they ask for.
func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		"would you be so good as to tell us a joke, robot": "joke",
		"i'd love to know what people call you":            "name",
		"Now then, what's the hour, dear?":                 "time",
		"turn your head a bit more to the left please":     Move,
	} {
		if got, sure := Of(language.Analyse(text)).Best(); got != want {
			t.Errorf("%q is of the kind %s (%.2f), want %s", text, got, sure, want)
		}
	}
}

// The network learned with the vectors that package frames has now; else it is to be made anew (make kinds).
func TestVectors(t *testing.T) {
	if got := kept().frames; got != frames.Checksum() {
		t.Errorf("the network learned with vectors %08x, the program has %08x", got, frames.Checksum())
	}
}

func TestNothing(t *testing.T) {
	for _, text := range []string{"", "  ", strings.Repeat("a", language.MaxText+1)} {
		if kind, sure := Of(language.Analyse(text)).Best(); sure != 0 {
			t.Errorf("%.20q is of the kind %s (%.2f)", text, kind, sure)
		}
	}
}

func TestBadFiles(t *testing.T) {
	for name, bad := range map[string]string{
		"empty": "", "cut": data[:len(data)/2], "other": "frames 1\nname\n\n", "no end": "guess 1\nname\n", "too long": data + "x",
		"no numbers": "guess 1\nname\n\nabcd", "no kinds": magic + "\n" + strings.Repeat("x", 1000),
	} {
		if _, err := parse(bad); !errors.Is(err, errFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkOf(b *testing.B) {
	u := language.Analyse("I was wondering, little one, whether you run on batteries or hang on the mains")
	b.ReportAllocs()
	for b.Loop() {
		Of(u)
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse(data); err != nil {
			b.Fatal(err)
		}
	}
}
