package frames

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/reachyd/reachyd/perception/language"
)

// Sentences that nobody wrote for the network are read as what they mean.
func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"What I would like you to do is to swing your head round to the left by 17 degrees": "move head left #1",
		"Could I trouble you to nod three times?":                                           "gesture nod #1",
		"the other antenna, same thing please":                                              "same other-antenna",
		"My sister turned left at the church and fell asleep in the car":                    "talk",
		"when the kettle boils, look up":                                                    "when move head up",
	} {
		got := Read(language.Analyse(text), "")
		var frames []string
		for _, f := range got.Frames {
			frames = append(frames, f.String())
		}
		if strings.Join(frames, " ; ") != want {
			t.Errorf("%q is read as %q (%.2f), want %q", text, frames, got.Sure, want)
		}
	}
}

// What is no sentence has no frames.
func TestReadsNothing(t *testing.T) {
	for _, text := range []string{"", "   ", strings.Repeat("look left, nod and then ", 20), strings.Repeat("a", language.MaxText+1)} {
		if got := Read(language.Analyse(text), ""); len(got.Frames) > 0 {
			t.Errorf("%.20q: %v", text, got.Frames)
		}
	}
}

// Many may read at once, and read the same.
func TestReadersDoNotDisturbEachOther(t *testing.T) {
	u := language.Analyse("if you would be so kind, a little more to the left")
	want := Read(u, "")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := Read(u, ""); got.Sure != want.Sure || len(got.Frames) != len(want.Frames) {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
	all.Wait()
}

// The sentences that the network learned from are read as their writers meant them: a network of other sentences, or a reader that
// does not compute what train.py computed, fails here.
func TestLearned(t *testing.T) {
	files, err := filepath.Glob("sentences/writer-*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	const step, least = 40, 0.75 // each so many-th sentence; of label noise and numbers that are not in a sentence the rest
	right, all := 0, 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(raw)), "\n"), func(l string) bool { return l == "" || l[0] == '#' })
		for i := 0; i < len(lines); i += step {
			text, want, ok := strings.Cut(lines[i], " => ")
			if !ok {
				t.Fatalf("%s:%d: no => in %q", file, i+1, lines[i])
			}
			all++
			if got := Read(language.Analyse(text), ""); len(got.Frames) > 0 && got.Frames[0][0] == strings.Fields(want)[0] {
				right++
			}
		}
	}
	if share := float64(right) / float64(all); share < least {
		t.Errorf("%d of %d sentences begin with the frame that their writers meant, want %g", right, all, least)
	}
}

// A file that is damaged is refused with what is wrong in it.
func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"another file": {"frames 2\nand so on", "begins with"},
		"cut off":      {data[:len(data)-100], "ends early"},
		"too long":     {data + "\x01\x02\x03", "3 bytes follow"},
		"a huge part":  {magic + "\xff\xff\xff\xff", "allowed are up to"},
		"nothing":      {magic, "ends early"},
	} {
		if _, err := parse(c.file); !errors.Is(err, errFile) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want one that says %q", name, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("frames 1\n")
	f.Add(data[:2000])
	f.Add("frames 1\n\x04\x00\x00\x00a\nb\n\x02\x00\x00\x00x\n\x01\x00\x00\x00\x01\x00\x00\x00")
	f.Fuzz(func(t *testing.T, raw string) {
		n, err := parse(raw)
		if err == nil {
			n.read([]string{"look", "left"})
		}
	})
}

func BenchmarkRead(b *testing.B) {
	u := language.Analyse("If it is no trouble, could you perhaps turn your head a little further to the left?")
	Read(u, "")
	b.ReportAllocs()
	for b.Loop() {
		Read(u, "")
	}
}

// The quick functions of the gates are as exact as their numbers, and end where the exact ones do.
func TestGates(t *testing.T) {
	for x := -100.; x <= 100; x += 1. / 64 {
		for name, v := range map[string]struct {
			got  float32
			want float64
		}{
			"sigmoid": {sigmoid(float32(x)), 1 / (1 + math.Exp(-x))},
			"tanh":    {tanh(float32(x)), math.Tanh(x)},
		} {
			if math.Abs(float64(v.got)-v.want) > 3e-7 {
				t.Fatalf("%s(%g) is %g, want %g", name, x, v.got, v.want)
			}
		}
	}
	if s := sigmoid(-1e30); s < 0 || s > 1e-30 || sigmoid(1e30) != 1 || tanh(-1e30) != -1 || tanh(1e30) != 1 {
		t.Errorf("far out: %g, %g, %g, %g", s, sigmoid(1e30), tanh(-1e30), tanh(1e30))
	}
}
