package language

import (
	"os"
	"strings"
	"testing"
)

// What everybody reads of a text: slips of keys, chats, filled pauses and numbers that are taken back are mended, and nothing else.
func TestTidied(t *testing.T) {
	data, err := os.ReadFile("testdata/tidied.txt")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(data)) {
		text, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " => ")
		if !ok {
			continue
		}
		if checked++; Tidied(text) != want {
			t.Errorf("%q\ngot  %q\nwant %q", text, Tidied(text), want)
		}
	}
	if checked < 20 {
		t.Errorf("%d texts are checked", checked)
	}
}

// Whatever is said, tidying neither fails nor makes much of little.
func FuzzTidied(f *testing.F) {
	f.Add("Um, set a timer for three, no, four mins")
	f.Add("5, no, 4, no, 3, wait, 2")
	f.Fuzz(func(t *testing.T, text string) {
		once := Tidied(text)
		if len(text) < MaxText/2 && len(once) > 4*len(text)+16 {
			t.Errorf("%q became %q", text, once)
		}
	})
}
