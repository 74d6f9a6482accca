package demonstration

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

func TestNamesAreFoundInSentences(t *testing.T) {
	for text, want := range map[string]string{
		"Remember this as curious look":                   "curious look",
		"OK, great, remember that as the Sleepy Owl.":     "sleepy owl",
		"call this wobble please":                         "wobble",
		"Well, save it as my big bow, thank you, Reachy!": "big bow",
		"remember this":                                   "",
		"remember that my sister lives in Leeds":          "",
		"I will remember this as a lovely day":            "",
		"call this":                                       "",
		"":                                                "",
		"remember this as " + strings.Repeat("x", 80):     "",
	} {
		if got := namedIn(text); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}

// "Remember this as curious look", said while a hand guides the robot, ends the demonstration and makes a smooth move within the envelope.
func TestWhatIsShownIsRememberedByAName(t *testing.T) {
	r := newRig(t)
	if _, ok := r.Said(t.Context(), "remember this as curious look"); ok {
		t.Fatal("taken, though nothing was shown")
	}
	r.must(t, `{"action":"record","how":"hand"}`, `"how":"hand"`)
	r.show(t, 50)
	if reply, ok := r.Said(t.Context(), "Great, remember this as curious look, please!"); !ok || !strings.Contains(reply, `the move "curious look"`) {
		t.Fatalf("%q, %v", reply, ok)
	}
	if last := r.requests[len(r.requests)-1]; last.On == nil || !*last.On {
		t.Error("the motors do not hold again")
	}
	smoothMove(t, filepath.Join(r.Moves, "curious_look.json"))
	if reply, ok := r.Said(t.Context(), "call this nosy"); !ok || !strings.Contains(reply, "nosy") {
		t.Errorf("a second name: %q, %v", reply, ok)
	}
	if _, ok := r.Said(t.Context(), "what a nice day"); ok {
		t.Error("taken for a name")
	}
	r.must(t, `{"action":"record","how":"hand"}`, `"how":"hand"`)
	if reply, ok := r.Said(t.Context(), "remember this as nothing much"); !ok || !strings.Contains(reply, "could not keep") {
		t.Errorf("too short: %q, %v", reply, ok)
	}
}

// smoothMove looks at a move: what the robot can take, no faster than learned motion may be, and without jerks.
func smoothMove(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rec hal.Recording
	if err := json.Unmarshal(text, &rec); err != nil || len(rec.Frames) < 20 {
		t.Fatalf("%d frames, %v", len(rec.Frames), err)
	}
	yaw := make([]float64, len(rec.Frames))
	for i, f := range rec.Frames {
		yaw[i] = math.Atan2(f.Head[1][0], f.Head[0][0])
		pose := hal.Head{Yaw: yaw[i]}.Pose()
		if q, err := kinematics.Inverse(pose, *f.BodyYaw); err != nil {
			t.Errorf("frame %d is none that the robot can take: %v (%v)", i, err, q)
		}
		if i == 0 {
			continue
		}
		const fastest, jump = 111 * math.Pi / 180, 25.0 // rad/s, rad/s²
		took := rec.Time[i] - rec.Time[i-1]
		if speed := math.Abs(yaw[i]-yaw[i-1]) / took; speed > fastest {
			t.Errorf("frame %d: %.2f rad/s", i, speed)
		}
		if i > 1 {
			if a := math.Abs(yaw[i]-2*yaw[i-1]+yaw[i-2]) / took / took; a > jump {
				t.Errorf("frame %d: %.1f rad/s²", i, a)
			}
		}
	}
}
