package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// said is a command that a document says to run.
type said struct {
	where   string // document and line
	program string
	words   []string
}

var (
	// begins is where a command of ours begins: what may stand before it is left out.
	begins = regexp.MustCompile(`(?:^|[|;&({] ?|\b(?:sudo|then|do|exec) )(?:sudo )?(?:[A-Z_]+=\S* )*` +
		`(?:go run \./cmd/|(?:\./)?bin/|\./)?(reachyctl|reachyd|make)(?: |$)`)
	// word is one of a command: quoted, or up to a space.
	word = regexp.MustCompile(`^ *((?:'[^']*'|"[^"]*"|[^\s'"])+)`)
	// meant is a word in whose place the reader puts one of his own.
	meant = regexp.MustCompile(`^[\[<{$]|^[^[:ascii:]]|^[A-Z0-9_]+([.|=].*)?$|…|\.\.\.`)
)

// commandsOf lists the commands of a document that stand in its blocks of shell or between backticks.
func commandsOf(t *testing.T, document string) (all []said) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	fence := ""
	for n, line := range strings.Split(string(text), "\n") {
		trimmed := strings.TrimSpace(line)
		var spans []string
		switch {
		case strings.HasPrefix(trimmed, "```") && fence == "":
			fence = trimmed
			continue
		case strings.HasPrefix(trimmed, "```"):
			fence = ""
			continue
		case fence == "```" || fence == "```sh" || strings.HasPrefix(line, "    "):
			spans = []string{trimmed}
		}
		if fence == "" {
			for _, span := range inQuotes.FindAllStringSubmatch(line, -1) {
				spans = append(spans, strings.ReplaceAll(span[1], `\|`, "|"))
			}
		}
		for _, span := range spans {
			for _, at := range begins.FindAllStringSubmatchIndex(span, -1) {
				s := said{where: filepath.Base(document) + ":" + strconv.Itoa(n+1), program: span[at[2]:at[3]], words: wordsOf(span[at[3]:])}
				all = append(all, s)
			}
		}
	}
	return all
}

// wordsOf are the words of a command up to where the shell ends it.
func wordsOf(text string) (words []string) {
	for {
		m := word.FindStringSubmatch(text)
		if m == nil || strings.ContainsAny(m[1][:1], "#|&;><)") {
			return words
		}
		text = text[len(m[0]):]
		w := strings.TrimSuffix(m[1], ")")
		if ended := strings.TrimRight(w, ";"); ended != w {
			return append(words, ended)
		}
		words = append(words, strings.Trim(w, `'"`))
	}
}

// usage is what the help of a command says.
type usage struct {
	commands []string
	free     bool            // it takes words that are no commands
	flags    map[string]bool // with their dashes; true: a value follows
}

// help asks the programs for their usage, each command once.
type help struct {
	dir  string
	seen map[string]usage
}

var (
	helpCommand = regexp.MustCompile(`^  ([a-z][a-z-]*) +\S`)
	takesWords  = regexp.MustCompile(`^  [a-z -]+ \[?[A-Z]`)
	helpFlag    = regexp.MustCompile(`^ +(?:(-\w), )?(--[a-z][a-z-]*)( [A-Za-z\[]\S*)?(?:  |$)`)
)

func (h *help) of(t *testing.T, program string, path []string) usage {
	t.Helper()
	key := strings.Join(append([]string{program}, path...), " ")
	if u, known := h.seen[key]; known {
		return u
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(h.dir, program), append(slices.Clone(path), "--help")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s --help: %v\n%s", key, err, out)
	}
	u := usage{flags: map[string]bool{"--help": false, "-h": false}}
	section := ""
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\n")
		if line != "" && line[0] != ' ' {
			section = line
		}
		if m := helpCommand.FindStringSubmatch(line); m != nil && section == "Available Commands:" {
			u.commands = append(u.commands, m[1])
		}
		if section == "Usage:" && takesWords.MatchString(line) {
			u.free = true
		}
		if m := helpFlag.FindStringSubmatch(line); m != nil && strings.HasSuffix(section, "Flags:") {
			u.flags[m[2]] = m[3] != ""
			if m[1] != "" {
				u.flags[m[1]] = m[3] != ""
			}
		}
	}
	h.seen[key] = u
	return u
}

// wrong says what of a command does not exist; empty when all of it does.
func (h *help) wrong(t *testing.T, s said) string {
	t.Helper()
	var path []string
	u := h.of(t, s.program, nil)
	for i := 0; i < len(s.words); i++ {
		w := s.words[i]
		switch flag, _, given := strings.Cut(w, "="); {
		case w == "--":
			return ""
		case meant.MatchString(w):
			if len(u.commands) > 0 {
				return "" // any of them
			}
		case len(w) > 1 && w[0] == '-' && (w[1] == '-' || w[1] > '9'):
			value, known := u.flags[flag]
			if !known {
				return "there is no flag " + flag
			}
			if value && !given {
				i++
			}
		case len(u.commands) > 0:
			each := strings.Split(w, "|")
			if u.free && !slices.Contains(u.commands, each[0]) {
				return ""
			}
			for _, name := range each {
				if !slices.Contains(u.commands, name) {
					return "there is no command " + name
				}
			}
			path = append(path, each[0])
			u = h.of(t, s.program, path)
		}
	}
	return ""
}

var (
	target   = regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`)
	variable = regexp.MustCompile(`^([A-Z]+)=`)
)

// wrongTarget says what a call of make names that the Makefile does not have.
func wrongTarget(makefile string, s said) string {
	var targets []string
	for _, m := range target.FindAllStringSubmatch(makefile, -1) {
		targets = append(targets, m[1])
	}
	for _, w := range s.words {
		if m := variable.FindStringSubmatch(w); m != nil {
			if !regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(makefile) {
				return "there is no variable " + m[1]
			}
			continue
		}
		if !meant.MatchString(w) && !slices.Contains(targets, w) {
			return "there is no target " + w
		}
	}
	return ""
}

// Every command that the documents say to run is there, with its flags.
func TestCommandsOfTheDocumentsAreThere(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	h := help{dir: t.TempDir(), seen: map[string]usage{}}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", h.dir, "../cmd/reachyctl", "../cmd/reachyd")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	documents, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, document := range append(documents, "../README.md", "../CONTRIBUTING.md", "../firmware-notes/README.md") {
		for _, s := range commandsOf(t, document) {
			count[s.program]++
			var wrong string
			if s.program == "make" {
				wrong = wrongTarget(string(makefile), s)
			} else {
				wrong = h.wrong(t, s)
			}
			if wrong != "" {
				t.Errorf("%s: %s %s: %s", s.where, s.program, strings.Join(s.words, " "), wrong)
			}
		}
	}
	t.Logf("commands: %v", count)
	if count["reachyctl"] < 100 || count["reachyd"] < 10 || count["make"] < 50 {
		t.Errorf("only %v commands were found", count)
	}
}

// What does not exist is found.
func TestWhatIsNotThereIsFound(t *testing.T) {
	h := help{seen: map[string]usage{
		"reachyctl":           {commands: []string{"tool"}, flags: map[string]bool{"--json": false, "--broker": true}},
		"reachyctl tool":      {commands: []string{"list", "show"}, flags: map[string]bool{}},
		"reachyctl tool list": {flags: map[string]bool{"--all": false}}, "reachyctl tool show": {flags: map[string]bool{}},
	}}
	for text, want := range map[string]string{
		" --broker tool tool list --all | sort": "", " --json tool list|show NAME": "", " tool NAME --what": "", " tool list -- --what": "",
		" tol list": "there is no command tol", " tool list --every": "there is no flag --every", " tool list|hide": "there is no command hide",
	} {
		if got := h.wrong(t, said{program: "reachyctl", words: wordsOf(text)}); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		" bench DURATION=5s": "", " bench HOURS=1": "there is no variable HOURS", " banch": "there is no target banch",
	} {
		if got := wrongTarget("bench: build\n\tx $(DURATION)\n", said{program: "make", words: wordsOf(text)}); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}
