package smalltalk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language/template"
)

// Persona is what the robot says, and to what. It is not changed after it was read.
type Persona struct {
	kinds  []*kind // those of an owner before the built-in ones
	byName map[string]*kind
	lists  []template.Entry
	tables map[string][]string
	// matcher is compiled when the first sentence comes; all who talk with this persona share it.
	matcher func() *matcher
	self    func() *self  // what the tables say of the robot itself
	world   func() *world // and of other things
}

// kind is one kind of request with its replies.
type kind struct {
	name     string
	at       string   // file:line of its header
	ways     []string // templates
	unless   []string // templates that make it something else
	examples []string // sentences of this kind
	words    []string // further words that speak for it
	replies  map[string][]string
	replyAt  map[string]string
	over     []string // outcomes and tools of plans before which it goes
	with     []string // of these, the tools that are called all the same
	does     []act
	again    bool // "another one" asks for it again
	own      bool // of an owner: the network does not know it
	leans    bool // the same words may be about what was done before
	last     bool // any other kind goes before it
	yields   bool // a language model knows more of it
	good     int  // praise is +1, blame −1
}

// act is a tool call that belongs to a reply.
type act struct {
	tool string
	args map[string]any
}

// Limits of a persona.
const (
	maxLine    = 160     // bytes
	maxFile    = 1 << 20 // bytes
	maxPersona = 64      // files
	maxKinds   = 1000
)

var (
	kindName = regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)*$`)
	slotName = regexp.MustCompile(`\{([^{}]*)\}`)
)

// reader reads the files of a persona.
type reader struct {
	*Persona
	own     bool            // the file is an owner's
	fresh   []*kind         // kinds of the files at work
	cleared map[string]bool // "kind case" of which an owner's file has begun replies
	now     *kind           // the entry at work
	table   string          // the table at work
	last    *string         // where a line goes on
	file    string
	line    int
}

// newPersona reads the built-in files.
func newPersona(files []source) (*Persona, error) {
	p := &Persona{byName: map[string]*kind{}, tables: map[string][]string{}}
	p.matcher = sync.OnceValue(func() *matcher { return newMatcher(p) })
	p.self, p.world = newSelf(p), newWorld(p)
	r := &reader{Persona: p}
	for _, f := range files {
		if err := r.read(f.name, f.text); err != nil {
			return nil, err
		}
	}
	p.kinds = r.fresh
	return p, p.check()
}

// source is one file.
type source struct{ name, text string }

// Load returns the built-in persona with an owner's: a file, or a directory of *.txt. An empty path is the built-in one. An
// error names file and line, the value and what is allowed.
func Load(path string) (*Persona, error) {
	files, err := own(path)
	if err != nil {
		return nil, fmt.Errorf("persona: %w", err)
	}
	p, err := newPersona(builtIn)
	if err != nil {
		return nil, err
	}
	r := &reader{Persona: p, own: true, cleared: map[string]bool{}}
	for _, f := range files {
		if err := r.read(f.name, f.text); err != nil {
			return nil, fmt.Errorf("persona: %w", err)
		}
	}
	p.kinds = append(r.fresh, p.kinds...)
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("persona: %w", err)
	}
	if _, err := p.compile(); err != nil {
		return nil, fmt.Errorf("persona: %w", err)
	}
	return p, nil
}

// own reads the files of an owner.
func own(path string) ([]source, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	names := []string{path}
	if info.IsDir() {
		if names, err = filepath.Glob(filepath.Join(path, "*.txt")); err != nil {
			return nil, err
		}
		if len(names) == 0 || len(names) > maxPersona {
			return nil, fmt.Errorf("%s: %d files *.txt, allowed are 1 to %d", path, len(names), maxPersona)
		}
		slices.Sort(names)
	}
	var files []source
	for _, name := range names {
		text, err := readFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, source{name, text})
	}
	return files, nil
}

func readFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return "", err
	case err != nil:
		return "", fmt.Errorf("%s: %w", name, err)
	case len(text) > maxFile:
		return "", fmt.Errorf("%s: more than %d bytes, allowed are %d", name, maxFile, maxFile)
	}
	return string(text), nil
}

// wrong is an error at the line at work.
func (r *reader) wrong(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.file, r.line, fmt.Sprintf(format, args...))
}

// read reads one file.
func (r *reader) read(file, text string) error {
	r.file, r.line, r.now, r.table, r.last = file, 0, nil, "", nil
	for line := range strings.Lines(text) {
		r.line++
		line = strings.TrimRight(line, " \t\r\n")
		if len(line) > maxLine {
			return r.wrong("the line has %d bytes, allowed are %d", len(line), maxLine)
		}
		if body := strings.TrimSpace(line); body == "" || body[0] == '#' {
			continue
		}
		if err := r.one(line); err != nil {
			return err
		}
	}
	return nil
}

// one reads a line: a header, a list, a line of an entry, or one that goes on with the line above.
func (r *reader) one(line string) error {
	body := strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t"):
		if r.last == nil {
			return r.wrong("%q goes on with nothing", body)
		}
		*r.last += " " + body
		return nil
	case line[0] == ' ':
		return r.entry(body)
	case line[0] == '<':
		name, text, ok := strings.Cut(line, "=")
		if !ok {
			return r.wrong("%q is no list; allowed is <name> = a|b", body)
		}
		r.lists = append(r.lists, template.Entry{Name: strings.TrimSpace(name), Text: strings.TrimSpace(text), At: r.at()})
		r.last, r.now, r.table = &r.lists[len(r.lists)-1].Text, nil, ""
		return nil
	}
	return r.header(body)
}

func (r *reader) at() string { return fmt.Sprintf("%s:%d", r.file, r.line) }

// header begins a kind or a table: "name:", "table name:".
func (r *reader) header(body string) error {
	name, ok := strings.CutSuffix(body, ":")
	if table, is := strings.CutPrefix(name, "table "); is && ok {
		if !slices.Contains(tableNames, table) {
			return r.wrong("table %q; allowed are %s", table, strings.Join(tableNames, ", "))
		}
		r.table, r.now, r.last = table, nil, nil
		return nil
	}
	if !ok || !kindName.MatchString(name) {
		return r.wrong("%q; allowed are a kind or a table with a colon: letters, and hyphens between", body)
	}
	r.table, r.last = "", nil
	if r.now = r.byName[name]; r.now != nil {
		if !r.own {
			return r.wrong("the kind %q is already at %s", name, r.now.at)
		}
		return nil
	}
	if len(r.byName) >= maxKinds {
		return r.wrong("the kind %q is one too many, allowed are %d", name, maxKinds)
	}
	r.now = &kind{name: name, at: r.at(), own: r.own, replies: map[string][]string{}, replyAt: map[string]string{}}
	r.byName[name] = r.now
	r.fresh = append(r.fresh, r.now)
	return nil
}

// entry reads an indented line.
func (r *reader) entry(body string) error {
	if r.table != "" {
		r.tables[r.table] = append(r.tables[r.table], body)
		r.last = &r.tables[r.table][len(r.tables[r.table])-1]
		return nil
	}
	if r.now == nil {
		return r.wrong("%q stands under no kind", body)
	}
	mark, text, _ := strings.Cut(body, " ")
	if text = strings.TrimSpace(text); text == "" {
		return r.wrong("%q has nothing behind the mark", body)
	}
	add := func(to *[]string) {
		*to = append(*to, text)
		r.last = &(*to)[len(*to)-1]
	}
	switch {
	case mark == "?":
		add(&r.now.ways)
	case mark == "!":
		add(&r.now.unless)
	case mark == ">":
		add(&r.now.examples)
	case mark == "~":
		add(&r.now.words)
	case mark == "@":
		r.last = nil
		return r.option(text)
	case mark[0] == '-':
		which := mark[1:]
		if key := r.now.name + " " + which; r.own && !r.cleared[key] { // an owner's replies take the place of ours
			r.cleared[key] = true
			r.now.replies[which] = nil
		}
		all := append(r.now.replies[which], text)
		r.now.replies[which], r.last = all, &all[len(all)-1]
		r.now.replyAt[which] = r.at()
	default:
		return r.wrong("%q; allowed are ? (a way to say it), ! (what makes it something else), > (an example), ~ (words that speak for it), "+
			"- or -case (a reply) and @ (an option)", mark)
	}
	return nil
}

// option reads "over error speak", "with wake_up", "again", "leans", "last", "model", "good", "bad" and "do gesture name=nod".
func (r *reader) option(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "over":
		r.now.over = append(r.now.over, strings.Fields(rest)...)
	case "with":
		r.now.over = append(r.now.over, strings.Fields(rest)...)
		r.now.with = append(r.now.with, strings.Fields(rest)...)
	case "again":
		r.now.again = true
	case "leans":
		r.now.leans = true
	case "last":
		r.now.last = true
	case "model":
		r.now.yields = true
	case "good":
		r.now.good = 1
	case "bad":
		r.now.good = -1
	case "do":
		return r.do(rest)
	default:
		return r.wrong("option %q; allowed are over, with, again, leans, last, model, good, bad and do", word)
	}
	return nil
}

// do reads a tool with its arguments.
func (r *reader) do(text string) error {
	f := strings.Fields(text)
	if len(f) == 0 || catalog.ToolNamed(f[0]) == nil {
		return r.wrong("do %q; allowed are the tools %s", text, strings.Join(catalog.ToolNames(), ", "))
	}
	a := act{tool: f[0], args: map[string]any{}}
	for _, pair := range f[1:] {
		key, value, ok := strings.Cut(pair, "=")
		arg := catalog.ToolNamed(a.tool).Argument(key)
		if !ok || arg == nil {
			return r.wrong("do %s: argument %q is not one of the tool; allowed is name=value", a.tool, pair)
		}
		a.args[key] = value
		if arg.Kind == catalog.Number || arg.Kind == catalog.Integer {
			v, ok := parseNumber(value)
			if !ok || !arg.Range.Contains(v) {
				return r.wrong("do %s: %s=%q, allowed is %s to %s", a.tool, key, value, tool.FormatNumber(arg.Range.Min), tool.FormatNumber(arg.Range.Max))
			}
			a.args[key] = v
		}
		if len(arg.Enum) > 0 && !slices.Contains(arg.Enum, value) {
			return r.wrong("do %s: %s=%q, allowed are %s", a.tool, key, value, strings.Join(arg.Enum, ", "))
		}
	}
	r.now.does = append(r.now.does, a)
	return nil
}

// check looks at what only the whole shows: every kind has ways and replies, and replies have only slots that are filled.
func (p *Persona) check() error {
	for _, k := range p.kinds {
		m := makers[k.name]
		if len(k.ways) == 0 && m.reads == nil {
			return fmt.Errorf("%s: the kind %q has no way to say it; allowed is a line with ?", k.at, k.name)
		}
		cases := m.cases
		if m.make == nil {
			cases = []string{""}
		}
		for _, c := range cases {
			if len(k.replies[c]) == 0 {
				return fmt.Errorf("%s: the kind %q has no reply for the case %q; allowed is a line with -%s", k.at, k.name, c, c)
			}
		}
		for c, replies := range k.replies {
			if !slices.Contains(cases, c) {
				return fmt.Errorf("%s: the kind %q has no case %q; allowed are %q", k.replyAt[c], k.name, c, cases)
			}
			for _, text := range replies {
				for _, slot := range slotName.FindAllStringSubmatch(text, -1) {
					if allowed := append(slices.Clone(usualSlots), m.slots...); !slices.Contains(allowed, slot[1]) {
						return fmt.Errorf("%s: the slot {%s} in %q; allowed are {%s}", k.replyAt[c], slot[1], text, strings.Join(allowed, "}, {"))
					}
				}
			}
		}
	}
	return nil
}

// otherwise is the end of the name of what makes a sentence something else.
const otherwise = " otherwise"

// compile makes the matcher of all kinds.
func (p *Persona) compile() (*template.Set, error) {
	entries := slices.Clone(p.lists)
	for _, k := range p.kinds {
		for i, way := range k.ways {
			entries = append(entries, template.Entry{Name: k.name + " " + strconv.Itoa(i), Text: way, At: k.at})
		}
		if len(k.unless) > 0 {
			entries = append(entries, template.Entry{Name: k.name + otherwise, Text: strings.Join(k.unless, " | "), At: k.at})
		}
	}
	return template.Compile(entries, false)
}
