package coder

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/units"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// Most templates are data: templates/NAME.py is the source, templates/NAME.json what it must do and how its arguments are
// read, and perception/language/en/tools.txt the sentences that want it and what is answered.
//
//go:embed templates
var templateFiles embed.FS

// The sentences of templates that are data. A rule is "NAME" or "NAME something"; its slots are the arguments. They are
// compiled when the first sentence is read, and a template's own files when a sentence wants it.
var (
	numberTools = sync.OnceValue(func() *template.Set { return language.Sentences("number-tools") })
	textTools   = sync.OnceValue(func() *template.Set { return language.Sentences("text-tools") })
	looseTools  = sync.OnceValue(func() *template.Set { return language.Patterns("loose-tools") })
	toolParts   = sync.OnceValue(func() []language.Parted { return language.InParts("tool-parts") })
	toolReplies = sync.OnceValue(func() map[string]string { return language.Texts("tool-replies") })
)

// templateFile is what templates/NAME.json holds.
type templateFile struct {
	Does string `json:"does"`
	// Arguments says how each argument is read: "KIND", "KIND SLOT" or "KIND SLOT TABLE"; the slot is called as the argument when
	// none is named. A "?" before it: the argument is left out when the slot is empty. The kinds are those of argumentReaders.
	Arguments map[string]string `json:"arguments"`
	// Cases are those of toolsandbox/tester.
	Cases json.RawMessage `json:"cases"`
}

var (
	loadedMu sync.Mutex
	loaded   = map[string]*toolTemplate{}
)

// dataTemplate reads a template; it is kept.
func dataTemplate(name string) (*toolTemplate, error) {
	loadedMu.Lock()
	defer loadedMu.Unlock()
	if k := loaded[name]; k != nil {
		return k, nil
	}
	if at := slices.IndexFunc(toolTemplates, func(k *toolTemplate) bool { return k.name == name }); at >= 0 {
		return toolTemplates[at], nil
	}
	k, err := readTemplate(name)
	if err != nil {
		return nil, fmt.Errorf("template %s: %w", name, err)
	}
	loaded[name] = k
	return k, nil
}

func readTemplate(name string) (*toolTemplate, error) {
	text, err := templateFiles.ReadFile("templates/" + name + ".json")
	if err != nil {
		return nil, err
	}
	var f templateFile
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, err
	}
	source, err := templateFiles.ReadFile("templates/" + name + ".py")
	if err != nil {
		return nil, err
	}
	k := &toolTemplate{name: name, does: f.Does, file: string(source), arguments: f.Arguments}
	return k, json.Unmarshal(f.Cases, &k.cases)
}

// heard is a sentence in the forms in which templates look at it.
type heard struct {
	*language.Request
	amounts *template.Sentence // with all amounts in digits
	now     time.Time
	random  func() uint32
	lacks   string // what the robot lacks for it, in a sentence for a person
}

func (c *Coder) hear(s *language.Request) *heard {
	r := inDigits(s)
	return &heard{Request: r, amounts: r.Counted, now: c.o.Now(), random: c.o.Random}
}

// coins are sums of money of which only the larger coin is named: "7 pounds 25".
var coins = language.Reword("coins")

// wordEnd is a mark behind a word, which may be a number: "a box for twelve. How many".
var wordEnd = regexp.MustCompile(`([a-z])([.?!]) `)

// inDigits is a request with all amounts in digits.
func inDigits(s *language.Request) *language.Request {
	text := coins.Apply(language.Amounts(wordEnd.ReplaceAllString(s.Lower, "$1 $2 "), func(w string) bool { return units.Of(w) != nil || isTime(w) }))
	text = strings.NewReplacer(" . ", ". ", " ? ", "? ", " ! ", "! ").Replace(text)
	r := *s
	r.Digits = text
	r.Counted = s.Counted.Of(text)
	return &r
}

// fromData finds the template of those that are data that a sentence wants; nil when it is none's.
func (h *heard) fromData(may func(name string) bool) *wanted {
	for _, set := range []struct {
		rules *template.Set
		in    *template.Sentence
		loose bool
	}{{numberTools(), h.amounts, false}, {textTools(), h.Said, false}, {looseTools(), h.amounts, true}} {
		for _, m := range set.rules.All(set.in) {
			name, _, _ := strings.Cut(m.Rule.Name, " ")
			if !may(name) {
				continue
			}
			k, err := dataTemplate(name)
			if err != nil {
				panic(err) // it is in this program
			}
			if set.loose && !k.explains(m, h.Digits) {
				continue
			}
			if a := h.arguments(k, m); a != nil {
				return &wanted{toolTemplate: k, args: a, match: m, lacks: h.lacks}
			}
		}
	}
	return h.fromParts(may)
}

// mostAside is how many words may stand beside a loose match: "I have been wondering for a while, …".
const mostAside = 8

// explains says whether every number of a text is one of the template's slots: what a loose rule passes over must not change the answer.
func (k *toolTemplate) explains(m *template.Match, text string) bool {
	slots := map[string]bool{}
	for name, how := range k.arguments {
		words := append(strings.Fields(strings.TrimPrefix(how, "?")), name)
		slots[words[1]] = true
	}
	if slots["time"] { // may be split in two
		slots["hours"] = true
	}
	n := 0
	for name := range slots {
		n += numerals(m.Slot(name))
	}
	return n == numerals(text) && len(strings.Fields(m.Before()))+len(strings.Fields(m.After())) <= mostAside
}

// numerals counts the words of a text that begin with a digit.
func numerals(text string) (n int) {
	for w := range strings.FieldsSeq(text) {
		if w = strings.TrimLeft(w, "-(.$€£"); w != "" && w[0] >= '0' && w[0] <= '9' {
			n++
		}
	}
	return n
}

// arguments reads the arguments of a template from a match; nil when one cannot be read.
func (h *heard) arguments(k *toolTemplate, m slots) args {
	a := args{}
	for name, how := range k.arguments {
		how, optional := strings.CutPrefix(how, "?")
		words := append(strings.Fields(how), name)
		kind, slot := words[0], words[1]
		text := strings.TrimSpace(m.Slot(slot))
		if text == "" && optional {
			continue
		}
		read := argumentReaders[kind]
		if read == nil {
			panic(fmt.Sprintf("template %s: argument %s of kind %q; allowed are %v", k.name, name, kind, slices.Sorted(maps.Keys(argumentReaders))))
		}
		v, ok := read(&argument{h, m, text, words[max(1, len(words)-2)]})
		if !ok {
			return nil
		}
		a[name] = v
	}
	return a
}
