package places

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/tools"
)

type disk struct {
	all   []Sighting
	saves int
	err   error
}

func (d *disk) SavePlaces(all []Sighting) error {
	d.saves++
	if d.err == nil {
		d.all = all
	}
	return d.err
}
func (d *disk) LoadPlaces() ([]Sighting, error) { return d.all, d.err }

func TestPlacesAreRememberedOverARestart(t *testing.T) {
	now := time.Unix(1000, 0)
	clock := func() time.Time { return now }
	d := &disk{}
	m := New(d, clock, nil)
	m.Saw([]tools.Detection{
		{Name: "duck", Yaw: 10, Score: 0.4},
		{Name: "duck", Yaw: 60, Score: 0.8, By: "yolox"},
		{Name: "face", Yaw: 1},
		{Name: "cup", Yaw: math.NaN()},
	})
	now = now.Add(time.Minute)
	m = New(d, clock, nil)
	got, ago, known := m.Last("the ducks")
	if !known || got.Yaw != 60 || got.By != "yolox" || ago != time.Minute {
		t.Errorf("%+v, %v ago, %v", got, ago, known)
	}
	for _, name := range []string{"face", "cup"} {
		if _, _, known := m.Last(name); known {
			t.Errorf("%s has a place", name)
		}
	}
	m.Forget("duck")
	if _, _, known := New(d, clock, nil).Last("duck"); known {
		t.Error("a place was not forgotten")
	}
}

// What does not change is not written: a thing that is looked at ten times a second would wear the disk.
func TestPlacesAreWrittenWhenTheyChange(t *testing.T) {
	now := time.Unix(1000, 0)
	d := &disk{}
	m := New(d, func() time.Time { return now }, nil)
	for i, want := range []int{1, 1, 2, 3, 3} {
		yaw := []float64{0, 1, 9, 9, 9}[i]
		now = now.Add([]time.Duration{0, time.Second, time.Second, 2 * time.Minute, time.Second}[i])
		m.Saw([]tools.Detection{{Name: "duck", Yaw: yaw}})
		if d.saves != want {
			t.Errorf("sighting %d: written %d times, want %d", i, d.saves, want)
		}
	}
	if _, ago, _ := m.Last("duck"); ago != 0 {
		t.Errorf("seen %v ago", ago)
	}
}

func TestPlacesAreBounded(t *testing.T) {
	now := time.Unix(1000, 0)
	m := New(nil, func() time.Time { now = now.Add(time.Second); return now }, nil)
	for i := range MaxThings + 5 {
		m.Saw([]tools.Detection{{Name: fmt.Sprint("thing", i)}})
	}
	all := m.All()
	if len(all) != MaxThings || all[0].Name != fmt.Sprint("thing", MaxThings+4) {
		t.Errorf("%d things, the newest %s", len(all), all[0].Name)
	}
	if _, _, known := m.Last("thing0"); known {
		t.Error("the oldest is still known")
	}
}

func TestADiskThatFailsIsTold(t *testing.T) {
	told := 0
	m := New(&disk{err: errors.New("full")}, nil, func(error) { told++ })
	m.Saw([]tools.Detection{{Name: "duck", Yaw: 5}})
	if d, _, known := m.Last("duck"); !known || d.Yaw != 5 || told != 2 {
		t.Errorf("%+v, %v; told %d times", d, known, told)
	}
}
