package modules

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// module is one with a custom section that holds some bytes.
func module(content string) []byte {
	return append([]byte(magic+"\x00"), append([]byte{byte(len(content) + 2), 1, 'x'}, content...)...)
}

func TestKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "modules")
	s := New(dir)
	data := module("a")
	if _, err := s.Get(Sum(data)); !errors.Is(err, ErrMissing) {
		t.Errorf("before: %v", err)
	}
	sum, fresh, err := s.Put(data)
	if err != nil || !fresh || sum != Sum(data) {
		t.Fatalf("%s %v %v", sum, fresh, err)
	}
	if _, fresh, err := s.Put(data); err != nil || fresh {
		t.Errorf("again: %v %v", fresh, err)
	}
	if got, err := New(dir).Get(sum); err != nil || !bytes.Equal(got, data) {
		t.Errorf("after a restart: %q %v", got, err)
	}
	for n := range byte(2 * maxHeld) {
		other, _, err := s.Put(module(string('b' + n)))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := s.Get(other); err != nil {
				t.Error(err)
			}
		}
	}
	if len(s.held) != maxHeld {
		t.Errorf("%d are held, allowed %d", len(s.held), maxHeld)
	}
	if err := s.Remove(sum); err != nil {
		t.Error(err)
	}
	if _, err := s.Get(sum); !errors.Is(err, ErrMissing) {
		t.Errorf("removed: %v", err)
	}
}

func TestNotKept(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "modules"))
	whole := module("some content")
	for says, data := range map[string][]byte{
		"16777217 bytes, allowed 16777216":   make([]byte, MaxSize+1),
		`begins with "no modul"`:             []byte("no module"),
		`begins with ""`:                     nil,
		"section 0 at byte 8 is cut short":   whole[:len(whole)-1],
		"section 255 at byte 8 is cut short": []byte(magic + "\xff\xff\xff\xff\xff\xff\x01"),
	} {
		if _, _, err := s.Put(data); !errors.Is(err, ErrBad) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
	for _, sum := range []string{"", "../../etc/passwd", strings.Repeat("A", 64), strings.Repeat("a", 63)} {
		if _, err := s.Get(sum); !errors.Is(err, ErrBad) {
			t.Errorf("%q: %v", sum, err)
		}
		if err := s.Remove(sum); !errors.Is(err, ErrBad) {
			t.Errorf("%q: %v", sum, err)
		}
	}
	if _, err := os.Stat(s.dir); err == nil {
		t.Error("a folder was made for nothing")
	}
}

func TestTooManyBytes(t *testing.T) {
	s := New(t.TempDir())
	path := filepath.Join(s.dir, "large.wasm")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, MaxTotal); err != nil { // a hole, which takes no room
		t.Fatal(err)
	}
	if _, _, err := s.Put(module("a")); !errors.Is(err, ErrBad) || !strings.Contains(err.Error(), "allowed 536870912 together") {
		t.Error(err)
	}
}

// What a kill or a bad disk leaves is never taken for the module, and the next Put mends it.
func TestDamage(t *testing.T) {
	s := New(t.TempDir())
	data := module("some content")
	sum := Sum(data)
	left := filepath.Join(s.dir, "123"+unfinished)
	for path, content := range map[string][]byte{left: data[:9], s.path(sum): data[:9]} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Get(sum); !errors.Is(err, ErrBad) || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("%v", err)
	}
	if _, fresh, err := s.Put(data); err != nil || !fresh {
		t.Errorf("%v %v", fresh, err)
	}
	if got, err := s.Get(sum); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%q %v", got, err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what a killed Put left is still there")
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(module("a"))
	f.Add([]byte(magic + "\x00"))
	f.Add([]byte(magic + "\x01\xff\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if Check(data) != nil {
			return
		}
		if err := Check(append(slices.Clone(data), 0, 0)); err != nil {
			t.Errorf("with one more section: %v", err)
		}
		if Check(append(slices.Clone(data), 0)) == nil {
			t.Error("half a section is taken for a whole one")
		}
	})
}
