package vision

import (
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// After the clock was set, back or ahead, a picture is placed by where the head is, not by where it was before.
func TestPosesWhenTheClockIsSet(t *testing.T) {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	for _, to := range []time.Time{now.Add(-30 * 24 * time.Hour), now.Add(-time.Hour), now.Add(400 * 24 * time.Hour), time.Unix(10, 0)} {
		p := &poses{news: make(chan struct{})}
		p.keep(now, hal.Head{Yaw: 1})
		p.keep(to, hal.Head{Yaw: 2})
		p.keep(to.Add(10*time.Millisecond), hal.Head{Yaw: 3})
		for at, want := range map[time.Time]float64{to: 2, to.Add(time.Second): 3} {
			if got := p.between(at); got != (hal.Head{Yaw: want}).Pose() {
				t.Errorf("%v, a second later %v: %v", to, at, got)
			}
		}
		p.keep(to, hal.Head{Yaw: 4}) // the same state again
		if p.n != 2 {
			t.Errorf("%d states", p.n)
		}
	}
}
