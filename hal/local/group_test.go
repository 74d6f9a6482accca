package local

import (
	"os"
	"path/filepath"
	"testing"
)

// A socket is for its owner, unless its directory lets a group in.
func TestSocketIsForTheGroupOfItsDirectory(t *testing.T) {
	for mode, want := range map[os.FileMode]os.FileMode{0o700: 0o600, 0o710: 0o660, 0o750: 0o660, 0o701: 0o600} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		socket := filepath.Join(dir, "s")
		l, err := Listen(socket)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if err := OpenToGroup(socket); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != want {
			t.Errorf("in a directory of mode %04o: %v, want %04o, %v", mode, info.Mode().Perm(), want, err)
		}
	}
}
