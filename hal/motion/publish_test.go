package motion

import (
	"testing"
	"time"
)

// A reader is woken up by a tick, as often as it has asked for.
func TestStatesComeWithTheTicks(t *testing.T) {
	for _, c := range []struct {
		hz    float64
		every time.Duration
		least int // of 300 ticks
		most  int
	}{
		{100, 10 * time.Millisecond, 299, 300},
		{50, 20 * time.Millisecond, 149, 151},
		{30, time.Second / 30, 88, 91},
		{3, time.Second / 3, 8, 10},
		{0, 0, 0, 0},
	} {
		r := newRig(t)
		s, _ := r.Subscribe(c.every)
		n := 0
		for range 300 {
			r.ticks(1)
			select {
			case <-s.States:
				n++
			default:
			}
		}
		s.Close()
		if n < c.least || n > c.most {
			t.Errorf("%g Hz: %d states in 3 s", c.hz, n)
		}
	}
}
