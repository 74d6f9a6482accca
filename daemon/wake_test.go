package daemon

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// A robot that is too late for the first try, or not there yet, is woken up by a later one.
func TestWakingIsTriedAgain(t *testing.T) {
	late := errors.New("torque on: stewart_2 does not confirm")
	for name, c := range map[string]struct {
		states []hal.State // before each try; the last stays
		fails  int
		tries  int
		err    error
	}{
		"at once":          {[]hal.State{{Mode: hal.ModeDisabled}}, 0, 1, nil},
		"late":             {[]hal.State{{Mode: hal.ModeDisabled}, {Mode: hal.ModePartial}}, 2, 3, nil},
		"offline at first": {[]hal.State{{Mode: hal.ModeOffline}, {Mode: hal.ModeDisabled}}, 1, 2, nil},
		"never":            {[]hal.State{{Mode: hal.ModeDisabled}}, 99, wakeTries, late},
		"awake":            {[]hal.State{{Mode: hal.ModeEnabled}}, 0, 0, nil},
		"partly held":      {[]hal.State{{Mode: hal.ModePartial}}, 0, 0, nil},
		"stopped meanwhile": {
			[]hal.State{{Mode: hal.ModeDisabled}, {Mode: hal.ModeDisabled, EStop: true}}, 99, 1, nil,
		},
	} {
		looked, tries := 0, 0
		w := waker{
			state: func() hal.State {
				looked++
				return c.states[min(looked, len(c.states))-1]
			},
			once: func(context.Context) error {
				if tries++; tries <= c.fails {
					return late
				}
				return nil
			},
			pause: func(context.Context, time.Duration) {},
		}
		if err := w.wake(t.Context()); !errors.Is(err, c.err) || tries != c.tries {
			t.Errorf("%s: %d tries, error %v; want %d, %v", name, tries, err, c.tries, c.err)
		}
	}
}
