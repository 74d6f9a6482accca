package perception

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/memory/faces"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/perception/recognize"
)

func TestFacesAreListedAndForgotten(t *testing.T) {
	now := time.Date(2026, 3, 1, 11, 0, 0, 0, time.UTC)
	m := faces.New(nil, func() time.Time { return now }, nil)
	f := Faces{m}
	if list := f.List(); list.Faces == nil || len(list.Faces) != 0 {
		t.Errorf("%+v", list)
	}
	d := make(recognize.Descriptor, recognize.Size)
	d[0] = 'b'
	for _, name := range []string{"Tom", "Anna", "Zoë"} {
		if err := m.Learn(name, []recognize.Descriptor{d, d}); err != nil {
			t.Fatal(err)
		}
	}
	list := f.List().Faces
	if len(list) != 3 || list[0].Name != "Anna" || list[0].Samples != 2 || !time.Time(list[0].Learned).Equal(now) {
		t.Errorf("%+v", list)
	}
	var unknown *command.Error
	if _, err := f.Forget("Bob"); !errors.As(err, &unknown) || unknown.Code != command.CodeUnknownName {
		t.Error(err)
	}
	if gone, err := f.Forget("anna"); err != nil || !slices.Equal(gone.Forgotten, []string{"Anna"}) {
		t.Errorf("%+v, %v", gone, err)
	}
	if gone, err := f.Forget(""); err != nil || !slices.Equal(gone.Forgotten, []string{"Tom", "Zoë"}) || len(f.List().Faces) != 0 {
		t.Errorf("%+v, %v", gone, err)
	}
	if gone, err := f.Forget(""); err != nil || gone.Forgotten == nil {
		t.Errorf("%+v, %v", gone, err)
	}
}
