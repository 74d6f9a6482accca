package sdk

import (
	"math"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/perception/scene"
)

// sees has the robot follow a face; nil: none.
func (l *loudspeaker) sees(f *scene.Followed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Sight.Face = f
}

func TestTheFaceThatIsFollowed(t *testing.T) {
	l := newLoudspeaker()
	r := newRig(t, func(g *Gateway) { g.Senses = l })
	face := func() map[string]any {
		t.Helper()
		answer := r.must("GET", "/api/media/tracking/face", "")
		if answer["status"] != "ok" {
			t.Errorf("%v", answer)
		}
		return answer["face_target"].(map[string]any)
	}
	is := func(what string, f map[string]any, detected bool, x, y any) {
		t.Helper()
		if roll, there := f["roll"]; f["detected"] != detected || f["x"] != x || f["y"] != y || roll != nil || !there {
			t.Errorf("%s: %v", what, f)
		}
	}
	if f := face(); f["ts"] != nil {
		t.Errorf("no face is followed: %v", f)
	}
	is("no face is followed", face(), false, nil, nil)
	l.sees(&scene.Followed{TS: time.Now().Add(-2 * time.Second), Seen: true, X: -0.25, Y: 0.5})
	f := face()
	is("a face", f, true, -0.25, 0.5)
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		t.Fatal(err)
	}
	if age := float64(now.Nano())/1e9 - f["ts"].(float64); math.Abs(age-2) > 1 {
		t.Errorf("a picture that is 2 s old is %.2f s old by the monotonic clock", age)
	}
	r.soon("the face in the status", func() bool {
		f, _ := r.must("GET", "/api/daemon/status", "")["face_target"].(map[string]any)
		return f["detected"] == true && f["x"] == -0.25
	})
	l.sees(&scene.Followed{TS: time.Now()})
	if f = face(); f["ts"] == nil {
		t.Errorf("when it was looked for last is not told: %v", f)
	}
	is("a face that has gone", f, false, nil, nil)
}

func TestNoFaceWithoutSenses(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/api/media/tracking/face", "/api/daemon/status"} {
		if f := r.must("GET", path, "")["face_target"].(map[string]any); f["detected"] != false || f["x"] != nil {
			t.Errorf("%s: %v", path, f)
		}
	}
}
