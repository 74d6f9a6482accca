// Package docs tests that its guides can be followed word for word.
package docs

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const root = ".."

// copyTree copies the repository without what was built and without its history.
func copyTree(t *testing.T, to string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && (name == ".git" || name == "bin" || name == "dist"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, info.Mode().Perm()|0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// guide follows one document. A step is prose that ends before a block of code; its words say what the block is:
//
//	Create `FILE`:            the block is the file
//	in `FILE`, below          the block is there, and what the next one has comes below it
//	in `FILE`, replace        the block is there, and the next one takes its place
//	Run                       each line of the block is a command that succeeds, once all guides are followed
type guide struct {
	dir      string
	commands *commands
	replace  bool   // the block before is replaced
	file     string // that the block before stands in; empty when there is none
	anchor   string
	steps    int
}

// follow does what a document says.
func (g *guide) follow(text string) error {
	parts := strings.Split(text, "\n```")
	for i := 0; i+1 < len(parts); i += 2 {
		_, prose, _ := strings.Cut(parts[i], "\n")
		if i == 0 {
			prose = parts[i]
		}
		language, block, _ := strings.Cut(parts[i+1], "\n")
		if err := g.step(strings.Join(strings.Fields(prose), " "), language, block+"\n"); err != nil {
			return fmt.Errorf("block %d: %w", i/2+1, err)
		}
	}
	if g.anchor != "" {
		return fmt.Errorf("the last block says where, and nothing says what")
	}
	return nil
}

func (g *guide) step(prose, language, block string) error {
	g.steps++
	ends := func(words string) bool { return strings.HasSuffix(strings.ToLower(prose), words) }
	switch {
	case g.anchor != "" && (ends("add") || ends("by")):
		return g.edit(block)
	case g.anchor != "":
		return fmt.Errorf("after a place comes what is added there, not %q", prose)
	case language == "sh" && ends("run"):
		return g.commands.add(block)
	case ends("`, below"), ends("`, replace"):
		g.file, g.anchor, g.replace = g.named(prose), block, ends("replace")
		return nil
	case ends("`:"):
		path := g.named(prose)
		if _, err := os.Stat(filepath.Join(g.dir, path)); err == nil {
			return fmt.Errorf("%s is there already", path)
		}
		return os.WriteFile(filepath.Join(g.dir, path), []byte(block), 0o600)
	}
	return fmt.Errorf("nobody knows what to do with %s after %q", language, prose)
}

// named returns the last thing in quotes.
func (g *guide) named(prose string) string {
	words := strings.Split(prose, "`")
	return words[len(words)-2]
}

func (g *guide) edit(block string) error {
	path := filepath.Join(g.dir, g.file)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := strings.Count(string(data), g.anchor); n != 1 {
		return fmt.Errorf("%s has this %d times, not once:\n%s", g.file, n, g.anchor)
	}
	if !g.replace {
		block = g.anchor + block
	}
	text := strings.Replace(string(data), g.anchor, block, 1)
	g.anchor = ""
	return os.WriteFile(path, []byte(text), 0o600)
}

// commands are what the guides say to run, by kind and each once: what is generated, what is asked of a program, and
// what is tested. They run when all guides have been followed, so that every package is built once.
type commands struct{ generate, ask, test []string }

const program = "go run ./cmd/reachyctl "

// add sorts the lines of a block in. The end-to-end tests are only compiled: they run beside this one, in their own place.
func (c *commands) add(block string) error {
	for line := range strings.Lines(block) {
		line = strings.TrimSpace(line)
		kind := &c.test
		switch {
		case strings.HasPrefix(line, "go generate "):
			kind = &c.generate
		case strings.HasPrefix(line, program):
			kind, line = &c.ask, "./reachyctl "+strings.TrimPrefix(line, program)
		case strings.HasPrefix(line, "go test ") && strings.HasSuffix(line, " ./e2e"):
			line = "go vet ./e2e"
		case strings.HasPrefix(line, "go test "):
			line = "go test -vet=off " + strings.TrimPrefix(line, "go test ")
		default:
			return fmt.Errorf("nobody knows how to run %q", line)
		}
		if !slices.Contains(*kind, line) {
			*kind = append(*kind, line)
		}
	}
	return nil
}

// run runs all commands in a directory. Paths are left out of what is built, so that what the guides do not touch comes
// from the cache.
func (c *commands) run(t *testing.T, dir string) {
	t.Helper()
	for _, line := range slices.Concat(c.generate, []string{"go build -o reachyctl ./cmd/reachyctl"}, c.ask, c.test) {
		began := time.Now()
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-trimpath")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
		t.Logf("%5.1f s: %s", time.Since(began).Seconds(), line)
	}
}

// All guides are followed one after the other in one copy of the repository: what they add lives side by side.
func TestGuidesCanBeFollowed(t *testing.T) {
	dir := t.TempDir()
	copyTree(t, dir)
	var all commands
	for _, name := range []string{
		"add-a-gesture.md", "add-a-phrase.md", "add-a-servo-type.md", "add-a-topic.md", "add-a-tool.md",
		"test-with-the-simulated-robot.md",
	} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		g := guide{dir: dir, commands: &all}
		if err := g.follow(string(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if g.steps < 2 {
			t.Errorf("%s has %d steps", name, g.steps)
		}
	}
	if len(all.generate) == 0 || len(all.ask) < 6 || len(all.test) < 6 {
		t.Errorf("the guides say to run only %+v", all)
	}
	all.run(t, dir)
}

// A new gesture is at most three files, and can be said in three ways.
func TestAGestureIsFewFiles(t *testing.T) {
	text, err := os.ReadFile("add-a-gesture.md")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]bool{}
	for _, part := range strings.Split(string(text), "In `")[1:] {
		file, _, _ := strings.Cut(part, "`")
		files[file] = true
	}
	if len(files) == 0 || len(files) > 3 {
		t.Errorf("%d files: %v", len(files), files)
	}
	if n := strings.Count(string(text), `reachyctl plan "`); n < 3 {
		t.Errorf("it is said in %d ways", n)
	}
}

// Every link in the documents leads to a file.
func TestLinks(t *testing.T) {
	documents, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	documents = append(documents, "../README.md", "../CONTRIBUTING.md", "../firmware-notes/README.md")
	for _, name := range documents {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, part := range strings.Split(string(text), "](")[1:] {
			link, _, _ := strings.Cut(part, ")")
			link, _, _ = strings.Cut(link, "#")
			if link == "" || strings.Contains(link, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), link)); err != nil {
				t.Errorf("%s: a link leads to %s, which is not there", name, link)
			}
		}
	}
}
