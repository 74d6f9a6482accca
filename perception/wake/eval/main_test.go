package main

import (
	"bytes"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/speechtest"
	"github.com/reachyd/reachyd/perception/wake"
)

// blind is a network that holds every symbol to be as likely as any other, so that each way costs nothing.
func blind(t *testing.T) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(`{"format":1,"width":1,"hidden":1,"symbols":["","a","b","c","d"],"phrases":{"abcd":["a","b","c","d"]},"threshold":0.5}` + "\n"))
	z.Write(make([]byte, 320+200+8+5+40))
	z.Close()
	path := filepath.Join(t.TempDir(), "blind.bin.gz")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func eval(t *testing.T, args ...string) (code int, out, complaint string) {
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// What is counted is right: a network that hears the phrase in all sound that is long enough.
func TestEval(t *testing.T) {
	dir := t.TempDir()
	for name, seconds := range map[string]float64{"long": 1, "short": 0.1, "other": 36} {
		speechtest.WriteWAV(t, filepath.Join(dir, name+".wav"), make([]float32, int(seconds*speechtest.Rate)))
	}
	index := "long.wav\tanna\tquiet\tphrase\tabcd\nshort.wav\tanna\tnoise\tphrase\tabcd\nlong.wav\tbert\tnoise\tphrase\tabcd\nother.wav\tanna\tquiet\tother\tx\n" +
		"long.wav\tanna\tquiet\tnear\tabce\nshort.wav\tanna\tquiet\tnear\tabce\n"
	if err := os.WriteFile(filepath.Join(dir, "index.tsv"), []byte(index), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, complaint := eval(t, "-network", blind(t), "-phrase", "abcd", "-thresholds", "0.5,1", "-v", dir)
	if code != 0 || !strings.Contains(complaint, "short.wav") || !strings.Contains(complaint, "other.wav") {
		t.Fatalf("%d: %s", code, complaint)
	}
	text := regexp.MustCompile(` +`).ReplaceAllString(out, " ")
	for _, want := range []string{
		"threshold 0.500 1.000", "heard of 3 66.7 % 66.7 %", "condition noise 2 50.0 % 50.0 %", "condition quiet 1 100.0 %", "voice anna 2 50.0 %",
		"voice bert 1 100.0 %", "in 0.01 h", "taken of 2 1 1", "% of a core for 39s of sound, with 2 searches",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestFalseOnesAreCountedByTheHour(t *testing.T) {
	n, err := open(blind(t))
	if err != nil {
		t.Fatal(err)
	}
	s, err := n.NewSearch("abcd", n.Phrases["abcd"], 0.5, 0)
	if err != nil {
		t.Fatal(err)
	}
	m := &measurement{network: n, tries: []*try{{threshold: 0.5, search: s}}}
	m.hear(&row{Kind: otherKind}, make([]float32, 36*wake.Rate))
	strange := m.tries[0].strange
	if strange < 5 || math.Abs(m.hourly(m.tries[0])-100*float64(strange)) > 1e-6 {
		t.Errorf("%d in 36 s are %g an hour", strange, m.hourly(m.tries[0]))
	}
}

func TestWhatEvalCannotDoIsTold(t *testing.T) {
	dir := t.TempDir()
	index := filepath.Join(dir, "index.tsv")
	for _, c := range []struct {
		index string
		args  []string
		code  int
		says  string
	}{
		{"", nil, 2, "one directory"},
		{"", []string{dir}, 1, "index.tsv"},
		{"a\tb\tc\tphrase\n", []string{dir}, 1, "index.tsv:1"},
		{"a\tb\tc\tsung\td\n", []string{dir}, 1, "allowed are phrase, other, near"},
		{"a\tb\tc\tother\td\n", []string{dir}, 1, "no such file"},
		{"index.tsv\tb\tc\tother\td\n", []string{dir}, 1, "not a WAV file"},
		{"a\tb\tc\tother\td\n", []string{"-thresholds", "0.5,2", dir}, 1, `"2"; allowed are numbers from 0 to 1`},
		{"a\tb\tc\tother\td\n", []string{"-phrase", "ab", dir}, 1, "allowed are 4…20"},
		{"a\tb\tc\tother\td\n", []string{"-network", index, dir}, 1, "no network"},
	} {
		os.Remove(index)
		if c.index != "" {
			if err := os.WriteFile(index, []byte(c.index), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		code, _, complaint := eval(t, append([]string{"-network", blind(t), "-phrase", "abcd"}, c.args...)...)
		if code != c.code || !strings.Contains(complaint, c.says) {
			t.Errorf("%q, %q: %d: %s", c.args, c.index, code, complaint)
		}
	}
}
