package language

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/perception/language/template"
)

// tables are the tables of en/*.txt by their name. Their entries are read when somebody asks for them, and kept by nobody.
var tables = mustFind(texts)

// maxLine is the longest line of a table, in bytes.
const maxLine = 160

// table is one table of a text file: words, lists of words, or phrases.
type table struct {
	name  string
	kind  string // one of kinds
	known bool   // its words are never taken for misspelt ones
	file  string
	line  int                  // of its header
	body  string               // what stands under it
	trie  *Trie                // of phrases
	set   func() *template.Set // of patterns and sentences
}

var kinds = []string{"words", "lists", "phrases", "patterns", "sentences", "texts", "rewordings"}

// entry is one entry of a table. The entry of a table of words has no key.
type entry struct {
	key      string
	text     string
	lines    []string // of text
	line     int      // its first one, below the header
	examples []string // texts in which the entry is found
}

// Words returns the words of some tables as one set, which nobody may change. It panics when there is no such table.
func Words(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		for _, e := range find(name, "words").entries() {
			for _, line := range e.lines { // not of the whole text, which is made anew and would stay for a word of it
				for w := range strings.FieldsSeq(line) {
					set[w] = true
				}
			}
		}
	}
	return set
}

// Lists returns the lists of a table by their key. It panics when there is no such table.
func Lists(name string) map[string][]string {
	lists := map[string][]string{}
	for _, e := range find(name, "lists").entries() {
		lists[e.key] = append(lists[e.key], e.list()...)
	}
	return lists
}

// Map returns the lists of a table turned round: the key of each word. It panics when there is no such table.
func Map(name string) map[string]string {
	keys := map[string]string{}
	for _, e := range find(name, "lists").entries() {
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

// mustFind finds the tables of some files. They are part of the program: a bad one is a mistake of its authors.
func mustFind(files map[string]string) map[string]*table {
	all := map[string]*table{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := findTables(name, files[name], all); err != nil {
			panic("language: " + err.Error())
		}
	}
	return all
}

// findTables adds the tables of a text to all. An error names file and line.
func findTables(file, text string, all map[string]*table) error {
	var t *table
	n, from, to := 0, 0, 0
	for raw := range strings.Lines(text) {
		n++
		to += len(raw)
		if line := strings.TrimRight(raw, "\n"); len(line) > maxLine {
			return fmt.Errorf("%s:%d: the line has %d bytes, at most %d are allowed", file, n, len(line), maxLine)
		}
		line, body := content(raw)
		if body != "" && !indented(line) && strings.HasSuffix(body, ":") {
			var err error
			if t, err = newTable(body, file, n); err != nil {
				return fmt.Errorf("%s:%d: %w", file, n, err)
			}
			if was := all[t.name]; was != nil {
				return fmt.Errorf("%s:%d: table %q is already at %s", file, n, t.name, was.at(0))
			}
			all[t.name], from = t, to
		}
		if t != nil {
			t.body = text[from:to]
			continue
		}
		if _, err := t.add(nil, line, body, 0); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return nil
}

// content is a line without its comment, and without blanks around it.
func content(raw string) (line, body string) {
	line, _, _ = strings.Cut(raw, "#")
	return line, strings.TrimSpace(line)
}

func indented(line string) bool { return line[0] == ' ' || line[0] == '\t' }

// at is a line below the header as file:line.
func (t *table) at(line int) string { return t.file + ":" + strconv.Itoa(t.line+line) }

// newTable reads a header: "words NAME [known]:".
func newTable(header, file string, line int) (*table, error) {
	f := strings.Fields(strings.TrimSuffix(header, ":"))
	t := &table{file: file, line: line}
	if len(f) == 3 && f[2] == "known" {
		t.known = true
		f = f[:2]
	}
	if len(f) != 2 || !slices.Contains(kinds, f[0]) {
		return t, fmt.Errorf("header %q; allowed is one of %s, a name, and %q behind the name", header, strings.Join(kinds, ", "), "known")
	}
	t.kind, t.name = f[0], f[1]
	switch t.kind {
	case "phrases":
		t.trie = &Trie{from: t}
	case "patterns", "sentences":
		t.set = sync.OnceValue(t.compile)
	}
	return t, nil
}

// entries reads the table: a mistake in it is one of its authors, and ends the program.
func (t *table) entries() []entry {
	all, err := t.read()
	if err != nil {
		panic("language: " + err.Error())
	}
	return all
}

// read returns the entries of a table. An error names file and line.
func (t *table) read() (all []entry, err error) {
	if t.kind == "words" {
		all = []entry{{}}
	}
	n := 0
	for raw := range strings.Lines(t.body) {
		n++
		line, body := content(raw)
		if all, err = t.add(all, line, body, n); err != nil {
			return nil, fmt.Errorf("%s: %w", t.at(n), err)
		}
	}
	for k := range all { // what only a whole entry shows
		e := &all[k]
		e.text = strings.TrimSpace(strings.Join(e.lines, " "))
		if err := e.check(t.kind); err != nil {
			return nil, fmt.Errorf("%s: %s %s: %w", t.at(e.line), t.kind, t.name, err)
		}
	}
	return all, nil
}

// add reads a line, the nth below the header: nothing, the first of an entry ("key = text"), or an indented one.
func (t *table) add(all []entry, line, body string, n int) ([]entry, error) {
	switch {
	case body == "":
		return all, nil
	case indented(line):
		return all, t.goOn(all, body)
	case t == nil || t.kind == "words":
		return all, fmt.Errorf("%q stands outside of an entry; words are indented, entries are under a header", body)
	}
	key, text, ok := strings.Cut(body, "=")
	if key = strings.TrimSpace(key); !ok || key == "" {
		return all, fmt.Errorf("%q is no entry; allowed is %q", body, "key = text")
	}
	return append(all, entry{key: key, lines: []string{strings.TrimSpace(text)}, line: n}), nil
}

// goOn reads an indented line: the last entry goes on, or an example of it.
func (t *table) goOn(all []entry, line string) error {
	if len(all) == 0 {
		return fmt.Errorf("%q continues no entry", line)
	}
	e := &all[len(all)-1]
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
