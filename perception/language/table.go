package language

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/perception/language/template"
)

//go:embed en/*.txt
var files embed.FS

// tables are the tables of en/*.txt by their name.
var tables = mustRead(files, "en")

// maxLine is the longest line of a table, in bytes.
const maxLine = 160

// table is one table of a text file: words, lists of words, or phrases.
type table struct {
	name    string
	kind    string // one of kinds
	known   bool   // its words are never taken for misspelt ones
	at      string // file:line of its header
	entries []entry
	trie    *Trie                // of phrases
	set     func() *template.Set // of patterns and sentences
}

var kinds = []string{"words", "lists", "phrases", "patterns", "sentences", "texts", "rewordings"}

// entry is one entry of a table. The entry of a table of words has no key.
type entry struct {
	key      string
	text     string
	lines    []string // of text, until the table is whole
	at       string   // file:line of its first line
	examples []string // texts in which the entry is found
}

// Words returns the words of some tables as one set, which nobody may change. It panics when there is no such table.
func Words(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		for _, e := range find(name, "words").entries {
			for w := range strings.FieldsSeq(e.text) {
				set[w] = true
			}
		}
	}
	return set
}

// Lists returns the lists of a table by their key. It panics when there is no such table.
func Lists(name string) map[string][]string {
	lists := map[string][]string{}
	for _, e := range find(name, "lists").entries {
		lists[e.key] = append(lists[e.key], e.list()...)
	}
	return lists
}

// Map returns the lists of a table turned round: the key of each word. It panics when there is no such table.
func Map(name string) map[string]string {
	keys := map[string]string{}
	for _, e := range find(name, "lists").entries {
		for _, w := range e.list() {
			keys[w] = e.key
		}
	}
	return keys
}

// Phrases returns the matcher of a table of phrases. It is built when it is used first, or by Load. It panics when
// there is no such table.
func Phrases(name string) *Trie { return find(name, "phrases").trie }

// Load builds the matchers of all tables, so that the first sentence does not wait for them.
func Load() {
	for _, t := range tables {
		if t.trie != nil {
			t.trie.tree()
		}
	}
}

func (e *entry) list() []string {
	var words []string
	for w := range strings.SplitSeq(e.text, "|") {
		words = append(words, strings.Join(strings.Fields(w), " "))
	}
	return words
}

func find(name, kind string) *table {
	t := tables[name]
	if t == nil || t.kind != kind {
		panic(fmt.Sprintf("language: no table %q of %s; there are %s", name, kind, strings.Join(slices.Sorted(maps.Keys(tables)), ", ")))
	}
	return t
}

// mustRead reads the tables of a folder. They are part of the program: a bad one is a mistake of its authors.
func mustRead(from fs.FS, folder string) map[string]*table {
	all, err := readFolder(from, folder)
	if err != nil {
		panic("language: " + err.Error())
	}
	return all
}

func readFolder(from fs.FS, folder string) (map[string]*table, error) {
	names, err := fs.Glob(from, path.Join(folder, "*.txt"))
	if err != nil {
		return nil, err
	}
	all, buf := map[string]*table{}, make([]byte, 8<<10)
	for _, name := range names {
		text, err := readText(from, name, buf)
		if err != nil {
			return nil, err
		}
		if err := readTables(name, text, all); err != nil {
			return nil, err
		}
	}
	return all, check(all)
}

// readText returns a file, read by way of buf, as a text that is made once.
func readText(from fs.FS, name string, buf []byte) (string, error) {
	f, err := from.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	var b strings.Builder
	if info, err := f.Stat(); err == nil {
		b.Grow(int(info.Size()))
	}
	_, err = io.CopyBuffer(&b, f, buf)
	return b.String(), err
}

// readTables adds the tables of a text to all. An error names file and line.
func readTables(file, text string, all map[string]*table) error {
	var t *table
	n := 0
	at := func() string { return file + ":" + strconv.Itoa(n) }
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		if len(line) > maxLine {
			return fmt.Errorf("%s:%d: the line has %d bytes, at most %d are allowed", file, n, len(line), maxLine)
		}
		line, _, _ = strings.Cut(line, "#")
		body := strings.TrimSpace(line)
		var err error
		switch {
		case body == "":
		case line[0] == ' ' || line[0] == '\t':
			err = t.goOn(body)
		case strings.HasSuffix(body, ":"):
			if t, err = newTable(body, at()); err == nil && all[t.name] != nil {
				err = fmt.Errorf("table %q is already at %s", t.name, all[t.name].at)
			}
			if err == nil {
				all[t.name] = t
			}
		default:
			err = t.begin(body, at())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", at(), err)
		}
	}
	return nil
}

// newTable reads a header: "words NAME [known]:".
func newTable(header, at string) (*table, error) {
	f := strings.Fields(strings.TrimSuffix(header, ":"))
	t := &table{at: at}
	if len(f) == 3 && f[2] == "known" {
		t.known = true
		f = f[:2]
	}
	if len(f) != 2 || !slices.Contains(kinds, f[0]) {
		return t, fmt.Errorf("header %q; allowed is one of %s, a name, and %q behind the name", header, strings.Join(kinds, ", "), "known")
	}
	t.kind, t.name = f[0], f[1]
	if t.kind == "words" {
		t.entries = []entry{{at: at}}
	}
	switch t.kind {
	case "phrases":
		t.trie = &Trie{from: t}
	case "patterns", "sentences":
		t.set = sync.OnceValue(t.compile)
	}
	return t, nil
}

// begin reads the first line of an entry: "key = text".
func (t *table) begin(line, at string) error {
	if t == nil || t.kind == "words" {
		return fmt.Errorf("%q stands outside of an entry; words are indented, entries are under a header", line)
	}
	key, text, ok := strings.Cut(line, "=")
	if key = strings.TrimSpace(key); !ok || key == "" {
		return fmt.Errorf("%q is no entry; allowed is %q", line, "key = text")
	}
	t.entries = append(t.entries, entry{key: key, lines: []string{strings.TrimSpace(text)}, at: at})
	return nil
}

// goOn reads an indented line: the entry goes on, or an example of it.
func (t *table) goOn(line string) error {
	if t == nil || len(t.entries) == 0 {
		return fmt.Errorf("%q continues no entry", line)
	}
	e := &t.entries[len(t.entries)-1]
	if example, ok := strings.CutPrefix(line, ">"); ok {
		if t.trie == nil && t.set == nil && t.kind != "rewordings" {
			return fmt.Errorf("an example in a table of %s; allowed in phrases, patterns, sentences and rewordings", t.kind)
		}
		e.examples = append(e.examples, strings.TrimSpace(example))
		return nil
	}
	e.lines = append(e.lines, line)
	return nil
}

// check makes the entries whole, and looks at what only a whole entry shows.
func check(all map[string]*table) error {
	for _, t := range all {
		for k := range t.entries {
			e := &t.entries[k]
			e.text, e.lines = strings.TrimSpace(strings.Join(e.lines, " ")), nil
			if err := e.check(t.kind); err != nil {
				return fmt.Errorf("%s: %s %s: %w", e.at, t.kind, t.name, err)
			}
		}
	}
	return nil
}

func (e *entry) check(kind string) error {
	if e.text == "" {
		return fmt.Errorf("entry %q is empty", e.key)
	}
	if slices.Contains([]string{"texts", "patterns", "sentences", "rewordings"}, kind) { // these are checked when they are compiled
		return nil
	}
	if e.text != strings.ToLower(e.text) {
		return fmt.Errorf("entry %q has capitals; text is compared in lower case", e.key)
	}
	if kind == "phrases" {
		return checkPattern(e.text)
	}
	if i := strings.IndexAny(e.text, "()[]"); i >= 0 {
		return fmt.Errorf("entry %q has %q; brackets are allowed in phrases", e.key, e.text[i:i+1])
	}
	if kind == "lists" && slices.Contains(e.list(), "") {
		return fmt.Errorf("entry %q has an empty word between two bars", e.key)
	}
	return nil
}
