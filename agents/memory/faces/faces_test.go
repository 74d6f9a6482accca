package faces

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/recognize"
)

// disk is a store that can break.
type disk struct {
	people map[string]Person
	err    error
}

func (d *disk) SaveFace(p Person) error {
	if d.err == nil {
		d.people[p.Name] = p
	}
	return d.err
}

func (d *disk) DeleteFace(name string) error {
	if d.err == nil {
		delete(d.people, name)
	}
	return d.err
}

func (d *disk) LoadFaces() (all []Person, err error) {
	for _, p := range d.people {
		all = append(all, p)
	}
	return all, d.err
}

// face is a descriptor of a face that looks like no other number's.
func face(n int) recognize.Descriptor {
	d := make(recognize.Descriptor, recognize.Size)
	d[0] = 'b'
	for i := n % 50; i < recognize.Size-1; i += 59 {
		d[1+i] = 144
	}
	return d
}

func TestFacesAreLearnedToldAndForgotten(t *testing.T) {
	d := &disk{people: map[string]Person{}}
	now := time.Date(2026, 3, 1, 11, 0, 0, 0, time.UTC)
	m := New(d, func() time.Time { return now }, nil)
	for name, n := range map[string]int{"Anna": 1, " tom  sawyer ": 2} {
		if err := m.Learn(name, []recognize.Descriptor{face(n)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Learn("ANNA", []recognize.Descriptor{face(3), {1, 2}}); err != nil { // one of which is none
		t.Fatal(err)
	}
	m = New(d, nil, nil) // after a restart
	all := m.All()
	if len(all) != 2 || all[0].Name != "Anna" || len(all[0].Samples) != 2 || !all[0].At.Equal(now) || all[1].Name != "tom sawyer" {
		t.Errorf("%d people, %q", len(all), all[0].Name)
	}
	for n, want := range map[int]string{1: "Anna", 2: "tom sawyer", 3: "Anna", 4: ""} {
		if v := m.Who(face(n)); v.Name != want || v.Sure != (want != "") {
			t.Errorf("face %d: %+v, want %q", n, v, want)
		}
	}
	if gone, err := m.Forget("nobody"); err != nil || gone != nil {
		t.Errorf("%q, %v", gone, err)
	}
	if gone, err := m.Forget("anna"); err != nil || !slices.Equal(gone, []string{"Anna"}) || m.Who(face(1)).Name != "" || len(d.people) != 1 {
		t.Errorf("%q, %v, %d are kept", gone, err, len(d.people))
	}
	if gone, err := m.Forget(""); err != nil || !slices.Equal(gone, []string{"tom sawyer"}) || len(d.people) != 0 {
		t.Errorf("%q, %v, %d are kept", gone, err, len(d.people))
	}
}

func TestLimits(t *testing.T) {
	m := New(nil, nil, nil)
	for i := range MaxSamples + 5 {
		if err := m.Learn("Anna", []recognize.Descriptor{face(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(m.All()[0].Samples); n != MaxSamples || m.Who(face(0)).Name != "" || m.Who(face(MaxSamples+4)).Name != "Anna" {
		t.Errorf("%d samples, want the newest %d", n, MaxSamples)
	}
	for i := range MaxPeople - 1 {
		if err := m.Learn(fmt.Sprint("person ", i), []recognize.Descriptor{face(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Learn("one more", []recognize.Descriptor{face(1)}); !errors.Is(err, ErrFull) || len(m.All()) != MaxPeople {
		t.Errorf("%v, %d people", err, len(m.All()))
	}
	if err := m.Learn("anna", []recognize.Descriptor{face(1)}); err != nil { // who is known already
		t.Error(err)
	}
	for _, name := range []string{"", "  ", strings.Repeat("x", MaxName+1), "\xff", "a\x00b", strings.Repeat("字", MaxName)} {
		if err := m.Learn(name, []recognize.Descriptor{face(1)}); !errors.Is(err, ErrName) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := m.Learn("Bob", []recognize.Descriptor{nil}); !errors.Is(err, ErrSamples) {
		t.Error(err)
	}
}

func TestABrokenStoreChangesNothing(t *testing.T) {
	d := &disk{people: map[string]Person{}}
	m := New(d, nil, nil)
	if err := m.Learn("Anna", []recognize.Descriptor{face(1)}); err != nil {
		t.Fatal(err)
	}
	d.err = errors.New("disk full")
	if err := m.Learn("Tom", []recognize.Descriptor{face(2)}); !errors.Is(err, d.err) {
		t.Error(err)
	}
	if _, err := m.Forget("Anna"); !errors.Is(err, d.err) {
		t.Error(err)
	}
	if all := m.All(); len(all) != 1 || all[0].Name != "Anna" {
		t.Errorf("%d people", len(all))
	}
	var told error
	if New(d, nil, func(err error) { told = err }); !errors.Is(told, d.err) {
		t.Error(told)
	}
}
