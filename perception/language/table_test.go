package language

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/language/template"
)

// Every example of an entry is a text in which its phrases are found.
func TestExamplesOfTheTables(t *testing.T) {
	examples := 0
	fillers := Words("fillers")
	for _, tab := range tables {
		if tab.set != nil {
			set := tab.set()
			for _, e := range tab.entries() {
				if strings.HasPrefix(e.key, "<") || strings.HasSuffix(e.key, " unless") {
					continue
				}
				for _, text := range e.examples {
					if examples++; set.Rule(e.key).Find(template.Split(text)) == nil {
						t.Errorf("table %s: %q is not found in %q", tab.name, e.key, text)
					}
				}
			}
			continue
		}
		if tab.kind == "rewordings" {
			rules := tab.rewordings()
			for i := range rules {
				r := &rules[i]
				for _, text := range r.examples {
					if examples++; !r.from().MatchString(text) {
						t.Errorf("table %s: %q does not change %q", tab.name, r.name, text)
					}
				}
			}
			continue
		}
		for _, e := range tab.entries() {
			for _, text := range e.examples {
				examples++
				toks := Analyse(text).Tokens
				found := func(i int) bool {
					k, n := tab.trie.Loose(toks, i, func(t *Token) bool { return fillers[t.Word] }) // as closed commands are read
					return n > 0 && k == e.key
				}
				if !slices.ContainsFunc(indices(toks), found) {
					t.Errorf("%s: %q has no phrase of %s %q", tab.at(e.line), text, tab.name, e.key)
				}
			}
		}
	}
	if examples == 0 {
		t.Error("the tables have no examples")
	}
}

// read reads one file.
func read(file, text string, all map[string]*table) error {
	if err := findTables(file, text, all); err != nil {
		return err
	}
	for _, t := range all {
		if _, err := t.read(); err != nil {
			return err
		}
	}
	return nil
}

func indices(toks Tokens) []int {
	all := make([]int, len(toks))
	for k := range all {
		all[k] = k
	}
	return all
}

// Every mistake in a table is reported with its file and line.
func TestMistakesInTablesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"words a:\n  b\nwords a:\n  c":            `x.txt:3: table "a" is already at x.txt:1`,
		"nouns a:\n":                              `x.txt:1: header "nouns a:"`,
		"words a b c:\n":                          `x.txt:1: header "words a b c:"`,
		"a = b":                                   `x.txt:1: "a = b" stands outside of an entry`,
		"  a":                                     `x.txt:1: "a" continues no entry`,
		"phrases a:\nb":                           `x.txt:2: "b" is no entry`,
		"phrases a:\nb = ":                        `x.txt:2: phrases a: entry "b" is empty`,
		"phrases a:\nb = c (d":                    `x.txt:2: phrases a: a bracket "(" is not closed`,
		"phrases a:\nb = c (d]":                   `x.txt:2: phrases a: "c (d]" closes no bracket`,
		"phrases a:\nb = c d)":                    `x.txt:2: phrases a: "c d)" closes no bracket`,
		"phrases a:\nb = time(s)":                 `x.txt:2: phrases a: "time(" touches the word before it`,
		"phrases a:\nb = (s)time":                 `x.txt:2: phrases a: ")time" touches the word behind it`,
		"phrases a:\nb = c | | d":                 `x.txt:2: phrases a: an alternative of "c | | d" is empty`,
		"phrases a:\nb = c (d|)":                  `x.txt:2: phrases a: an alternative of "d|" is empty`,
		"phrases a:\nb = C":                       `x.txt:2: phrases a: entry "b" has capitals`,
		"lists a:\nb = (c)":                       `x.txt:2: lists a: entry "b" has "("`,
		"lists a:\nb = c | | d":                   `x.txt:2: lists a: entry "b" has an empty word`,
		"lists a:\nb = c\n  > c":                  `x.txt:3: an example in a table of lists`,
		"words a:\n  " + strings.Repeat("b", 159): `x.txt:2: the line has 161 bytes, at most 160 are allowed`,
	} {
		err := read("x.txt", text, map[string]*table{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if err := read("x.txt", "words a:\n  "+strings.Repeat("b", 158), map[string]*table{}); err != nil {
		t.Errorf("a line of 160 bytes: %v", err)
	}
}

func TestATableThatIsNotThere(t *testing.T) {
	defer func() {
		if s, _ := recover().(string); !strings.Contains(s, `no table "nonsense" of words; there are`) {
			t.Errorf("got %q", s)
		}
	}()
	Words("nonsense")
}

// An entry may go on in indented lines, behind a comment, and has the value of its key.
func TestNotation(t *testing.T) {
	all := map[string]*table{}
	if err := read("x.txt", "# c\nphrases p: # c\nslow = [very] slowly # c\n\n  # c\n  | at a (slow|low) [walking\n  | creeping] pace\nfast = slowly | "+
		"fast\n", all); err != nil {
		t.Fatal(err)
	}
	trie := all["p"].trie
	for text, want := range map[string]string{
		"slowly": "slow", "very slowly": "slow", "at a slow pace": "slow", "at a low creeping pace": "slow",
		"fast": "fast", "very fast": "", "at a pace": "",
	} {
		toks, _ := tokenize(text)
		if key, n := trie.Match(toks, 0); key != want || want != "" && n != len(toks) {
			t.Errorf("%q: got %q, %d tokens of %d, want %q", text, key, n, len(toks), want)
		}
	}
}

// Every file of en/ is one of the texts, and every table can be read.
func TestTextsAreTheFilesOfTheFolder(t *testing.T) {
	files, err := filepath.Glob("en/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(texts)); !slices.Equal(got, files) {
		t.Errorf("en.go has %q, the folder %q", got, files)
	}
	for _, name := range files {
		if data, err := os.ReadFile(name); err != nil || texts[name] != string(data) {
			t.Errorf("%s is another text in en.go (%v)", name, err)
		}
	}
	for _, tab := range tables {
		if entries, err := tab.read(); err != nil || len(entries) == 0 {
			t.Errorf("%s: %d entries, %v", tab.name, len(entries), err)
		}
	}
}

func FuzzTables(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Add("phrases a:\nb = c (d [e|f] (g|h)) | i\n  > c d")
	f.Fuzz(func(t *testing.T, text string) {
		all := map[string]*table{}
		if read("x.txt", text, all) != nil || len(text) > 1000 {
			return
		}
		for _, tab := range all {
			if tab.trie != nil && strings.Count(text, "(")+strings.Count(text, "[") < 12 { // nested choices multiply
				tab.trie.Match(Tokens{{Kind: Word, Word: "a"}}, 0)
			}
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		for _, t := range mustFind(texts) {
			if t.trie != nil {
				t.trie.tree()
			}
		}
	}
}
