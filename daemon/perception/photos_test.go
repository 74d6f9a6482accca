package perception

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/reachyd/reachyd/daemon/command"
)

// Photos are listed, shown and deleted by their names, and nothing else of the disk is.
func TestPhotosAreListedShownAndDeleted(t *testing.T) {
	dir := t.TempDir()
	p := Photos{Dir: filepath.Join(dir, "photos")}
	if list, err := p.List(); err != nil || list.Photos == nil || len(list.Photos) > 0 {
		t.Errorf("before the first one: %+v, %v", list, err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(p.Dir, "photo-folder.jpg"), 0o700))
	for _, name := range []string{"photo-1.jpg", "photo-2.jpg", "notes.jpg", "photo-3.jpg.part", "../photo-secret.jpg"} {
		must(os.WriteFile(filepath.Join(p.Dir, name), []byte(name), 0o600))
	}
	must(os.Symlink(filepath.Join(dir, "photo-secret.jpg"), filepath.Join(p.Dir, "photo-link.jpg")))
	names := func() (all []string) {
		list, err := p.List()
		must(err)
		for _, k := range list.Photos {
			if k.Bytes != int64(len(k.Name)+len(".jpg")) {
				t.Errorf("%+v", k)
			}
			all = append(all, k.Name)
		}
		return all
	}
	if got := names(); !slices.Equal(got, []string{"photo-2", "photo-1"}) {
		t.Errorf("the newest first: %q", got)
	}
	if s, err := p.Show("photo-1"); err != nil || s.Name != "photo-1" || string(s.Image) != "photo-1.jpg" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, name := range []string{"", "photo-4", "notes", "photo-folder", "photo-link", "../photo-secret", "photo-/../../photo-secret", "photo-1\x00"} {
		var unknown *command.Error
		if _, err := p.Show(name); !errors.As(err, &unknown) || unknown.Code != command.CodeUnknownName {
			t.Errorf("shown %q: %v", name, err)
		}
		if err := p.Delete(name); !errors.As(err, &unknown) || unknown.Code != command.CodeUnknownName {
			t.Errorf("deleted %q: %v", name, err)
		}
	}
	must(p.Delete("photo-2"))
	if got := names(); !slices.Equal(got, []string{"photo-1"}) {
		t.Errorf("afterwards: %q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "photo-secret.jpg")); err != nil {
		t.Error(err)
	}
}
