package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestFind(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	s := store("", a, b, "/nowhere")
	put := func(dir, name string, n int) {
		if err := os.WriteFile(filepath.Join(dir, name), content["model.bin"][:n], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	missing := func(why string) {
		t.Helper()
		if p, err := s.Find("test"); !errors.Is(err, ErrMissing) {
			t.Errorf("%s: %q, %v", why, p, err)
		}
	}
	put(a, "model.bin", 700_000)
	missing("its other file is not there")
	put(b, "model.bin.json", 900)
	missing("its other file is elsewhere")
	put(a, "model.bin.json", 899)
	missing("its other file is too short")
	put(a, "model.bin.json", 900)
	if p, err := s.Find("test"); err != nil || p != filepath.Join(a, "model.bin") {
		t.Errorf("%q, %v", p, err)
	}
	if name, p, err := s.First("test"); err != nil || name != "test" || p == "" {
		t.Errorf("%q, %q, %v", name, p, err)
	}
	if _, _, err := s.First("/none", "/neither"); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "/none, /neither") {
		t.Error(err)
	}
	if _, _, err := s.First("/none"); !errors.Is(err, ErrMissing) || !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, _, err := s.First("/none", "tset", "test"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	if _, err := s.Find("tset"); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "known are test") {
		t.Error(err)
	}
	if err := s.Pull(t.Context(), "tset", a, nil); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	// A path is a model of the user's own.
	own := filepath.Join(b, "own.bin")
	if _, err := s.Find(own); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
	put(b, "own.bin", 10)
	if p, err := s.Find(own); p != own || err != nil {
		t.Errorf("%q, %v", p, err)
	}
	if _, err := s.Find(b); !errors.Is(err, ErrMissing) {
		t.Errorf("a directory: %v", err)
	}
	s.Models[0].Files = s.Models[0].Files[:1]
	s.Models[0].Files[0].Alias = "other.bin"
	s.Dirs = []string{b}
	missing("only the alias could be there")
	put(b, "other.bin", 700_000)
	if p, err := s.Find("test"); err != nil || p != filepath.Join(b, "other.bin") {
		t.Errorf("%q, %v", p, err)
	}
}

func TestDirs(t *testing.T) {
	env := map[string]string{"REACHYD_MODELS": "/a::/b", "HOME": "/home/x"}
	dirs := Dirs("/data", func(k string) string { return env[k] })
	want := []string{"/a", "/b", "/data/models", "/home/x/.cache/reachyd/models"}
	if len(dirs) < 4 || strings.Join(dirs[:4], " ") != strings.Join(want, " ") {
		t.Errorf("%v", dirs)
	}
	env["XDG_CACHE_HOME"] = "/xdg"
	if d := Dirs("", func(k string) string { return env[k] }); d[2] != "/xdg/reachyd/models" {
		t.Errorf("%v", d)
	}
	env["REACHYD_CACHE"] = "/cache"
	if d := Dirs("", func(k string) string { return env[k] }); d[2] != "/cache/models" {
		t.Errorf("%v", d)
	}
	t.Chdir(t.TempDir())
	if d := Dirs("", func(string) string { return "" }); len(d) != 0 {
		t.Errorf("with nothing set, outside of the checkout: %v", d)
	}
	root := t.TempDir()
	shared := filepath.Join(root, "shared", "data")
	deep := filepath.Join(root, "checkout", "a", "b")
	for _, d := range []string{shared, deep} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "checkout", "go.mod"), []byte("module github.com/reachyd/reachyd\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(deep)
	if d := Dirs("", func(string) string { return "" }); len(d) != 1 || !sameFile(t, d[0], shared) {
		t.Errorf("beside the checkout: %v", d)
	}
}

func sameFile(t *testing.T, a, b string) bool {
	t.Helper()
	x, err := os.Stat(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.Stat(b)
	if err != nil {
		t.Fatal(err)
	}
	return os.SameFile(x, y)
}

func TestTheCatalogueIsWellFormed(t *testing.T) {
	names, files := map[string]bool{}, map[string]bool{}
	for _, m := range Catalogue() {
		if m.Name == "" || names[m.Name] || m.Kind == "" || m.About == "" || m.Licence == "" || len(m.Files) == 0 {
			t.Errorf("%+v", m)
		}
		names[m.Name] = true
		for _, f := range m.Files {
			u, err := url.Parse(f.URL)
			if (err != nil || u.Scheme != "https" || filepath.Base(u.Path) != f.Name) && (f.URL != "" || f.recipe == nil) {
				t.Errorf("%s: %q, %v", f.Name, f.URL, err)
			}
			if sum, err := hex.DecodeString(f.SHA256); err != nil || len(sum) != sha256.Size || f.Size <= 0 {
				t.Errorf("%s: checksum %q, %d bytes", f.Name, f.SHA256, f.Size)
			}
			if filepath.Base(f.Name) != f.Name || files[f.Name] || strings.HasSuffix(f.Name, partSuffix) {
				t.Errorf("file name %q", f.Name)
			}
			files[f.Name] = true
		}
	}
	if m, err := byName(catalogue, "silero-v6.2.0"); err != nil || m.Size() != 885098 {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := byName(catalogue, "whisper-9000"); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "tiny.en-q8_0") {
		t.Error(err)
	}
	if l := new(Store).List(); len(l) != len(Catalogue()) {
		t.Errorf("%d of %d", len(l), len(Catalogue()))
	}
}

func TestTheChecksumOfSileroIsRight(t *testing.T) {
	s := NewStore("", os.Getenv)
	path, err := s.Find("silero-v6.2.0")
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	m, err := byName(catalogue, "silero-v6.2.0")
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(t.Context(), path, &m.Files[0]); err != nil {
		t.Error(err)
	}
	if err := verify(t.Context(), path, &File{SHA256: strings.Repeat("0", 64)}); !errors.Is(err, ErrChecksum) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := verify(ctx, path, &m.Files[0]); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestChecksumTellsReadErrors(t *testing.T) {
	if _, err := checksum(t.Context(), io.MultiReader(strings.NewReader("x"), failing{})); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, syscall.EIO }

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 999: "999 bytes", 1000: "1 kB", 885098: "885 kB", 43550795: "43.6 MB", 1 << 31: "2147.5 MB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %q instead of %q", n, got, want)
		}
	}
}
