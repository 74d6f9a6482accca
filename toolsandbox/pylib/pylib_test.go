package pylib

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/guest/guesttest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/host/hosttest"
	"github.com/reachyd/reachyd/toolsandbox/lang"
	"github.com/reachyd/reachyd/toolsandbox/lang/python"
)

var (
	lean  = &guesttest.Sandbox{Config: leanConfig}
	numpy = &guesttest.Sandbox{Config: numpyConfig}
)

func TestMain(m *testing.M) { guesttest.Main(m, lean, numpy) }

var pythonForTests = sync.OnceValue(func() error {
	if _, err := os.Stat(filepath.Join(guest.DefaultPython(), "SHA256SUMS")); err == nil {
		return nil
	}
	out, err := exec.Command("../../cross/python-wasm.sh").CombinedOutput()
	if err != nil {
		os.Stderr.Write(out)
	}
	return err
})

// leanConfig is that of a sandbox without the real numpy.
func leanConfig() (guest.Config, error) {
	if err := pythonForTests(); err != nil {
		return guest.Config{}, fmt.Errorf("no Python for WebAssembly; run cross/python-wasm.sh in the repository: %w", err)
	}
	modules, err := Modules()
	if err != nil {
		return guest.Config{}, err
	}
	maps.Copy(modules, python.Modules())
	return guest.Config{Workers: 1, Image: guest.ImageConfig{Modules: modules}}, nil
}

// run calls the function of a source that imports these modules and uses these tools, in virtual time.
func run(tb testing.TB, s lang.Sandbox, set *host.Set, source, function, args string, uses ...string) guest.Result {
	tb.Helper()
	r, err := s.Call(tb.Context(), &guest.Request{
		Source: source, Function: function, Args: json.RawMessage(args), Clock: guest.Clock{Virtual: true, Seed: 1},
		Limits: guest.Limits{CallsPerSecond: 1000, Wall: 5 * time.Minute, CPU: time.Minute},
		Grants: host.Grants([]string{"reachy_mini.utils", "cv2", "PIL.Image", "requests"}, uses), Host: set.Call,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func testTool(tb testing.TB, name string) string {
	tb.Helper()
	return testFile(tb, name+".py")
}

func testFile(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

func newSet(robot *hosttest.Robot) *host.Set {
	return host.New(host.Config{Robot: robot, Camera: robot})
}

// awake is a robot with the tools that the tools under test call.
func awake() *hosttest.Robot {
	done := func(value any) hosttest.Tool {
		return func(*hosttest.Robot, map[string]any) (any, time.Duration, error) { return value, 0, nil }
	}
	sleeping := func(asleep bool) hosttest.Tool {
		return func(r *hosttest.Robot, _ map[string]any) (any, time.Duration, error) {
			r.Asleep = asleep
			return nil, 2 * time.Second, nil
		}
	}
	scenes, yaw := []string{"An empty desk.", "Somebody sat down."}, 0.0
	return &hosttest.Robot{Tools: map[string]hosttest.Tool{
		"analyze_scene": func(*hosttest.Robot, map[string]any) (any, time.Duration, error) {
			seen := scenes[0]
			scenes = scenes[min(1, len(scenes)-1):]
			return map[string]any{"description": seen}, 0, nil
		},
		"detect_objects": func(_ *hosttest.Robot, args map[string]any) (any, time.Duration, error) {
			found := []map[string]any{}
			for _, name := range []string{"person", "laptop", "cup"} {
				if args["name"] == nil || args["name"] == name {
					found = append(found, map[string]any{"name": name, "score": 0.8, "yaw": 8, "pitch": -3})
				}
			}
			return map[string]any{"objects": found}, 0, nil
		},
		"move_head": func(_ *hosttest.Robot, args map[string]any) (any, time.Duration, error) {
			yaw, _ = args["yaw"].(float64)
			return nil, time.Second, nil
		},
		"get_robot_state": func(*hosttest.Robot, map[string]any) (any, time.Duration, error) {
			return map[string]any{"head": map[string]any{"yaw": yaw}}, 0, nil
		},
		"speak": done(nil), "play_move": done(nil), "notify": done(nil), "wake_up": sleeping(false), "go_to_sleep": sleeping(true),
	}}
}

func TestDistance(t *testing.T) { onBoth(t, testDistance) }

func testDistance(t *testing.T, s lang.Sandbox) {
	source := testTool(t, "distance_3d")
	for _, tc := range []struct{ args, want string }{
		{`{"point_a":[0,0,0],"point_b":[1,2,2]}`, "3.0"},
		{`{"point_a":[1.5,-2,0],"point_b":[1.5,-2,0]}`, "0.0"},
		{`{"point_a":[0,0],"point_b":[1,2,2]}`, "ValueError"},
	} {
		r := run(t, s, newSet(awake()), source, "distance_3d", tc.args)
		if got := valueOrError(r); got != tc.want {
			t.Errorf("%s: %s %+v, want %s", tc.args, got, r.Error, tc.want)
		}
	}
}

func valueOrError(r guest.Result) string {
	if r.Error != nil {
		return r.Error.Type
	}
	return string(r.Value)
}

func TestPeriodicPhotos(t *testing.T) { onBoth(t, testPeriodicPhotos) }

func testPeriodicPhotos(t *testing.T, s lang.Sandbox) {
	source := testTool(t, "periodic_photos")
	for _, tc := range []struct {
		args   string
		photos int
		took   time.Duration
	}{
		{`{"interval_seconds":1,"duration_seconds":5}`, 5, 5 * time.Second},
		{`{"interval_seconds":0,"duration_seconds":5}`, 0, 0},
		{`{"interval_seconds":2,"duration_seconds":6}`, 3, 6 * time.Second},
	} {
		robot := awake()
		set := newSet(robot)
		r := run(t, s, set, source, "periodic_photos", tc.args)
		t.Logf("%s: %v real, %v on the tool's clock, %d MB", tc.args, r.Usage.Wall, r.Usage.Clock, r.Usage.Memory>>20)
		if tc.photos == 0 {
			if r.Reason != guest.ReasonError || r.Error.Type != "ValueError" || len(robot.Calls()) > 0 {
				t.Errorf("%s: %+v %+v", tc.args, r, r.Error)
			}
			continue
		}
		var names []string
		if err := json.Unmarshal(r.Value, &names); err != nil || len(names) != tc.photos || len(set.Files()) != tc.photos ||
			r.Usage.Clock.Round(time.Second) != tc.took {
			t.Errorf("%s: %+v %+v, %d files", tc.args, r, r.Error, len(set.Files()))
		}
		for i, c := range robot.Calls() {
			if c.Name != host.CapCamera || c.At.Round(10*time.Millisecond) != time.Duration(i)*tc.took/time.Duration(tc.photos) {
				t.Errorf("%s: photo %d: %+v", tc.args, i, c)
			}
		}
		for name, data := range set.Files() {
			if !strings.HasPrefix(string(data), "\xff\xd8") {
				t.Errorf("%s is no JPEG", name)
			}
		}
	}
}

func TestMonitorScene(t *testing.T) { onBoth(t, testMonitorScene) }

func testMonitorScene(t *testing.T, s lang.Sandbox) {
	robot := awake()
	set := newSet(robot)
	r := run(t, s, set, testTool(t, "monitor_scene"), "monitor_scene", `{"checks":4,"sensitivity":1}`, "analyze_scene")
	t.Logf("%v real, %v on the tool's clock", r.Usage.Wall, r.Usage.Clock)
	var got struct {
		Changes      int
		Descriptions []string
	}
	if err := json.Unmarshal(r.Value, &got); err != nil || got.Changes < 2 || got.Descriptions[0] != "An empty desk." ||
		got.Descriptions[1] != "Somebody sat down." || len(set.Files()) != got.Changes {
		t.Errorf("%+v %+v %s %v", r, r.Error, r.Value, err)
	}
	if c := robot.Calls()[0]; c.Name != host.CapMove || !strings.Contains(string(c.Args), `"yaw":0.17453`) {
		t.Errorf("the first call: %s %s", c.Name, c.Args)
	}
	// The camera goes away: the tool says so.
	robot = awake()
	robot.Frames = 1
	if r := run(t, s, newSet(robot), testTool(t, "monitor_scene"), "monitor_scene", `{}`, "analyze_scene"); r.Error == nil ||
		r.Error.Message != "No frame from the camera" {
		t.Errorf("without a camera: %+v %+v", r, r.Error)
	}
}

// What the validator finds a tool to import and call is all that must be granted to it.
func TestValidatedAndGranted(t *testing.T) {
	s := lean.Open(t)
	for _, tc := range []struct{ tool, args string }{
		{"distance_3d", `{"point_a":[0,0,0],"point_b":[1,2,2]}`},
		{"periodic_photos", `{"interval_seconds":2,"duration_seconds":6}`},
		{"monitor_scene", `{"checks":2}`},
	} {
		source := testTool(t, tc.tool)
		report, err := python.Language{Box: s, Imports: Imports()}.Check(t.Context(), tc.tool, source, lang.Options{Calls: slices.Collect(maps.Keys(awake().Tools))})
		if err != nil {
			t.Fatal(err)
		}
		if !report.OK {
			t.Errorf("%s: %v", tc.tool, report.Findings)
		}
		grants := host.Grants(report.Imports, report.Calls)
		t.Logf("%s: %v %v, granted %v, schema %s", tc.tool, report.Imports, report.Calls, grants, report.Schema)
		r, err := s.Call(t.Context(), &guest.Request{
			Source: source, Function: tc.tool, Args: json.RawMessage(tc.args), Clock: guest.Clock{Virtual: true},
			Grants: grants, Host: newSet(awake()).Call,
		})
		if err != nil || r.Reason != guest.ReasonOK {
			t.Errorf("%s: %+v %+v %v", tc.tool, r, r.Error, err)
		}
	}
}
