package smalltalk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// An owner's replies take the place of ours, ways are added, and new kinds are answered.
func TestOwnPersona(t *testing.T) {
	p, err := Load(write(t, "own.txt", `# ours at home
name:
  ? who might you be called
  - Call me {name}, sailor.

pirate:
  ? shiver my timbers | ahoy matey
  - Arr!
`))
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, p)
	for text, want := range map[string]string{
		"what is your name?": "Call me Reachy Mini, sailor.", "shiver my timbers": "Arr!", "who might you be called": "Call me Reachy Mini, sailor.",
	} {
		for range 3 {
			if got := s.say(text); got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		}
	}
	if got := s.say("tell me the time"); !strings.Contains(got, "14:05") {
		t.Errorf("what is built in is there no more: %q", got)
	}
}

// An error names file and line, the value, and what is allowed.
func TestBadPersonas(t *testing.T) {
	for text, want := range map[string]string{
		"name:\n  - I am {nickname}.\n":                  `own.txt:2: the slot {nickname} in "I am {nickname}."; allowed are {name}, {you}`,
		"time:\n  -late It is late.\n":                   `own.txt:2: the kind "time" has no case "late"; allowed are [""]`,
		"Name:\n":                                        `own.txt:1: "Name:"; allowed are a kind or a table`,
		"table stars:\n":                                 `own.txt:1: table "stars"; allowed are fillers`,
		"  - hello\n":                                    `own.txt:1: "- hello" stands under no kind`,
		"pirate:\n  + hello\n":                           `own.txt:2: "+"; allowed are ?`,
		"pirate:\n  ?\n":                                 `own.txt:2: "?" has nothing behind the mark`,
		"pirate:\n  - Arr!\n":                            `own.txt:1: the kind "pirate" has no way to say it`,
		"pirate:\n  ? arr\n":                             `own.txt:1: the kind "pirate" has no reply for the case ""`,
		"pirate:\n  ? (arr\n  - Arr!\n":                  `own.txt:1: pirate 0: ')' is missing`,
		"pirate:\n  ? arr\n  - Arr!\n  @ loudly\n":       `own.txt:4: option "loudly"; allowed are over, with, again, leans, last, model, good, bad and do`,
		"pirate:\n  ? arr\n  - Arr!\n  @ do fly\n":       `own.txt:4: do "fly"; allowed are the tools`,
		"pirate:\n  ? a\n  - A!\n  @ do wait seconds=-1": `own.txt:4: do wait: seconds="-1", allowed is 0 to 600`,
		"pirate:\n  ? a\n  - A!\n  @ do gesture name=x":  `own.txt:4: do gesture: name="x", allowed are nod`,
		"pirate:\n  ? a\n  - A!\n  @ do gesture x=nod":   `own.txt:4: do gesture: argument "x=nod" is not one of the tool`,
		"    deep\n":                                     `own.txt:1: "deep" goes on with nothing`,
		"<x>\n":                                          `own.txt:1: "<x>" is no list`,
		"pirate:\n  ? " + strings.Repeat("arr ", 50):     `own.txt:2: the line has 203 bytes, allowed are 160`,
	} {
		if _, err := Load(write(t, "own.txt", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there was read")
	}
	if _, err := Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "0 files *.txt, allowed are 1 to 64") {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := Load(write(t, "own.txt", strings.Repeat("#\n", maxFile))); err == nil || !strings.Contains(err.Error(), "allowed are 1048576") {
		t.Errorf("a file that is too long: %v", err)
	}
	var many strings.Builder
	for i := range maxKinds {
		many.WriteString("k" + strings.Repeat("x", i/26) + string(rune('a'+i%26)) + ":\n  ? a\n  - A!\n")
	}
	if _, err := Load(write(t, "own.txt", many.String())); err == nil || !strings.Contains(err.Error(), "is one too many, allowed are 1000") {
		t.Errorf("too many kinds: %v", err)
	}
}

// Whatever is in a file, reading it ends with a persona or an error.
func FuzzPersona(f *testing.F) {
	f.Add("name:\n  ? a | b\n  - c {name}\n  @ over error\n")
	f.Add("<x> = a|b\npirate:\n  ? <x> {text:y} $\n  ! no\n  -\n    arr\n")
	f.Fuzz(func(t *testing.T, text string) {
		p := &Persona{byName: map[string]*kind{}, tables: map[string][]string{}}
		r := &reader{Persona: p, own: true, cleared: map[string]bool{}}
		if r.read("fuzz.txt", text) != nil {
			return
		}
		p.kinds = r.fresh
		if p.check() == nil {
			_, _ = p.compile()
		}
	})
}
