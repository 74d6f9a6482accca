package toolmanager

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
)

// specified is one of the specification's tools, as it is.
func specified(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "toolsandbox", "pylib", "testdata", name+".py"))
	must(t, err)
	return string(text)
}

func TestTheSpecificationsTools(t *testing.T) {
	t.Run("distance_3d", func(t *testing.T) {
		b := newBench(t)
		if got := b.done("add", map[string]any{"source": specified(t, "distance_3d"), "cases": []map[string]any{
			{"name": "1-2-2", "input": map[string]any{"point_a": []int{0, 0, 0}, "point_b": []int{1, 2, 2}}, "expected": 3.0},
			{"name": "two coordinates", "input": map[string]any{"point_a": []int{0, 0}, "point_b": []int{1, 2, 2}}, "error": "ValueError"},
		}}); !strings.Contains(got, `"name":"distance_3d","version":1,"active":true`) || !strings.Contains(got, `"grants":[]`) {
			t.Errorf("distance: %s", got)
		}
		if r := b.call("distance_3d", `{"point_a":[0,0,0],"point_b":[3,4,0]}`); !r.OK() || jsonText(t, r.Data) != "5.0" {
			t.Errorf("distance: %+v", r)
		}
	})

	t.Run("periodic_photos", func(t *testing.T) {
		b := newBench(t)
		photos := func(interval, duration float64) map[string]any {
			return map[string]any{"interval_seconds": interval, "duration_seconds": duration}
		}
		if got := b.done("add", map[string]any{"source": specified(t, "periodic_photos"), "cases": []map[string]any{
			{"name": "every second for 5 s", "input": photos(1, 5), "predicate": "len(result) == 5 and 4.9 < seconds < 5.3"},
			{"name": "no interval", "input": photos(0, 5), "error": "ValueError"},
			{"name": "every 2 s for 6 s", "input": photos(2, 6), "predicate": "len(result) == 3"},
			{"name": "no camera", "input": photos(1, 5), "robot": map[string]any{"camera_away": true}, "error": "No frame from the camera"},
		}}); !strings.Contains(got, `"camera","go_to_sleep","image","play_move"`) {
			t.Errorf("photos: %s", got)
		}
		if r := b.call(
			"periodic_photos",
			`{"interval_seconds":1,"duration_seconds":5}`,
		); r.Code != tool.CodeFailed ||
			!strings.Contains(r.Message, "No frame from the camera") {
			t.Errorf("a robot without a camera: %+v", r)
		}
	})

	t.Run("monitor_scene", func(t *testing.T) {
		b := newBench(t)
		if got := b.done("add", map[string]any{"source": specified(t, "monitor_scene"), "cases": []map[string]any{
			{"name": "two looks", "input": map[string]any{"checks": 2}, "predicate": "result['changes'] >= 1"},
			{"name": "none", "input": map[string]any{"checks": 0}, "error": "ValueError"},
		}}); !strings.Contains(got, `"analyze_scene"`) || !strings.Contains(got, `"robot.move"`) {
			t.Errorf("scene: %s", got)
		}
		if spec, _ := b.tools.Get("monitor_scene"); !spec.Moves {
			t.Error("it moves the robot, so it must wait for its turn")
		}
	})
}

// legs notes what it is asked for, and refuses the second time.
type legs struct{ asked []hal.Request }

func (l *legs) Do(_ context.Context, req hal.Request) (hal.Answer, error) {
	l.asked = append(l.asked, req)
	if len(l.asked) > 1 {
		return hal.Answer{Outcome: hal.Rejected, Code: "estop", Reason: "the emergency stop is latched"}, nil
	}
	return hal.Answer{Outcome: hal.Accepted, Duration: req.Duration}, nil
}

func TestReachyMiniMovesTheBody(t *testing.T) {
	l := &legs{}
	b := newBench(t, func(o *Options) {
		o.Body, o.State = l, func() hal.State { return hal.State{Mode: hal.ModeEnabled, BodyYaw: 0.25} }
	})
	source := `from reachy_mini import ReachyMini


def f():
    with ReachyMini() as mini:
        mini.goto_target(body_yaw=0.5, duration=0.1)
        before = mini.get_current_body_yaw()
        try:
            mini.goto_target(body_yaw=-0.1, duration=0.1)
        except Exception as error:
            return [before, str(error)]
`
	got := b.done("run", map[string]any{"name": "f", "source": source, "skip_checks": true, "grants": []string{"robot.move", "robot.state"}})
	if !strings.Contains(got, `"value":[0.25,"the emergency stop is latched"]`) || len(l.asked) != 2 || *l.asked[0].BodyYaw != 0.5 ||
		l.asked[0].Verb != hal.VerbGoto {
		t.Errorf("%s, asked %+v", got, l.asked)
	}
	// Without the body and the camera that is said.
	other := newBench(t)
	if got := other.done(
		"run",
		map[string]any{"name": "f", "source": source, "skip_checks": true, "grants": []string{"robot.move"}},
	); !strings.Contains(
		got,
		"there is no body to move",
	) {
		t.Errorf("%s", got)
	}
	if got := other.done("run", map[string]any{"name": "f", "source": source, "skip_checks": true}); strings.Contains(got, `"reason":"ok"`) {
		t.Errorf("not granted: %s", got)
	}
}

// Edge cases stand in for cases that nobody wrote.
func TestAddWithoutCases(t *testing.T) {
	b := newBench(t)
	if got := b.done("add", map[string]any{"source": distance("1")}); !strings.Contains(got, `edge: x`) {
		t.Errorf("%s", got)
	}
	breaks := strings.Replace(distance("1"), "return 1 *", "return 1 / x *", 1)
	b.refused(codeRefused, "ZeroDivisionError", "add", map[string]any{"source": breaks, "allow_duplicate": true})
}
