package interpreters

import (
	"os"
	"path/filepath"
	"testing"
)

// An interpreter of the cache goes before that of the package, which goes before none.
func TestWhereInterpretersAre(t *testing.T) {
	cache := t.TempDir()
	system = t.TempDir()
	t.Cleanup(func() { system = "/usr/lib/reachyd/interpreters" })
	install := func(dir string) string {
		folder := filepath.Join(dir, Python.Folder)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, Sums), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	own := filepath.Join(cache, Python.Folder)
	if got := Python.In(cache); got != own {
		t.Errorf("none: %s", got)
	}
	its := install(system)
	if got := Python.In(cache); got != its {
		t.Errorf("that of the package: %s, want %s", got, its)
	}
	t.Setenv("REACHYD_CACHE", cache)
	if got := Images(its); got != cache {
		t.Errorf("images of that of the package: %s, want %s", got, cache)
	}
	if got := Images("/elsewhere/python"); got != "/elsewhere" {
		t.Errorf("images of another: %s, want them beside it", got)
	}
	install(cache)
	if got := Python.In(cache); got != own {
		t.Errorf("both: %s, want %s", got, own)
	}
}
