package persist

import (
	"testing"

	"github.com/reachyd/reachyd/agents/memory/faces"
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/perception/recognize"
)

func TestFacesOutliveARestart(t *testing.T) {
	dir := t.TempDir()
	open := func() (*store.Store, *faces.Memory) {
		s, err := store.Open(dir, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s, faces.New(NewFaces(s), nil, func(err error) { t.Error(err) })
	}
	d := make(recognize.Descriptor, recognize.Size)
	d[0] = 'b'
	s, m := open()
	for _, name := range []string{"Anna", "Zoë Saldaña"} {
		if err := m.Learn(name, []recognize.Descriptor{d, d}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Forget("zoë saldaña"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(0); err != nil {
		t.Fatal(err)
	}
	s, m = open()
	defer s.Close(0)
	if all := m.All(); len(all) != 1 || all[0].Name != "Anna" || len(all[0].Samples) != 2 || m.Who(d).Name != "Anna" {
		t.Errorf("%d people: %.200v", len(all), all)
	}
}
