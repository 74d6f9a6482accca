package language

import (
	"fmt"

	"github.com/reachyd/reachyd/perception/language/template"
)

// Patterns returns a table of templates that may be found anywhere in a sentence. It is compiled when it is used first. It
// panics when there is no such table.
func Patterns(name string) *template.Set { return find(name, "patterns").set() }

// Sentences returns a table of templates of whole sentences, as Patterns does.
func Sentences(name string) *template.Set { return find(name, "sentences").set() }

// Texts returns what the robot says, by its key. It panics when there is no such table.
func Texts(name string) map[string]string {
	texts := map[string]string{}
	for _, e := range find(name, "texts").entries() {
		texts[e.key] = e.text
	}
	return texts
}

// compile makes the matcher of a table of templates: a mistake in it is one of its authors, and ends the program.
func (t *table) compile() *template.Set {
	read := t.entries()
	entries := make([]template.Entry, len(read))
	for i, e := range read {
		entries[i] = template.Entry{Name: e.key, Text: e.text, At: t.at(e.line)}
	}
	set, err := template.Compile(entries, t.kind == "sentences")
	if err != nil {
		panic(fmt.Sprintf("language: %v", err))
	}
	return set
}
