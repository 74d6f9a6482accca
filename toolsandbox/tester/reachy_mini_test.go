package tester

import (
	"encoding/json"
	"testing"
)

// The tools of the specification run as they are.
func TestToolsForTheSDK(t *testing.T) {
	s := openSandbox(t)
	const capture = `import time
import cv2
from reachy_mini import ReachyMini


def capture_photos(interval: float, duration: float) -> list[str]:
    if interval <= 0:
        raise ValueError("interval must be positive")
    saved = []
    with ReachyMini() as mini:
        start = time.time()
        while time.time() - start < duration - 0.01:
            frame = mini.media.get_frame()
            name = f"photo_{len(saved)}.jpg"
            if frame.shape == (480, 640, 3) and cv2.imwrite(name, frame):
                saved.append(name)
            time.sleep(interval)
    return saved
`
	const monitor = `import time
import cv2
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def monitor_scene(seconds: int, wanted: str) -> dict:
    seen = []
    with ReachyMini() as mini:
        for i in range(seconds):
            mini.goto_target(head=create_head_pose(yaw=10 * i, pitch=5), antennas=[0.1, -0.1], duration=0.5)
            scene = analyze_scene("What do you see?")
            if wanted in scene["data"]["description"]:
                cv2.imwrite(f"{wanted}.jpg", mini.media.get_frame())
                seen.append(i)
            time.sleep(1)
        pose = mini.get_current_head_pose()
    return {"seen": seen, "yaw": round(float(pose[1, 0]), 3)}
`
	for source, cases := range map[string][]Case{
		capture: {
			{Name: "5", Input: json.RawMessage(`{"interval":1,"duration":5}`), Predicate: "len(result) == 5"},
			{Name: "0", Input: json.RawMessage(`{"interval":0,"duration":5}`), Error: "ValueError"},
			{Name: "3", Input: json.RawMessage(`{"interval":2,"duration":6}`), Predicate: "len(result) == 3"},
			{Name: "away", Input: json.RawMessage(`{"interval":1,"duration":5}`), Robot: Conditions{CameraAway: true}, Error: "RobotError: there is no camera"},
		},
		monitor: {
			{Name: "apple", Input: json.RawMessage(`{"seconds":2,"wanted":"apple"}`), Expected: json.RawMessage(`{"seen":[0,1],"yaw":0.173}`)},
			{Name: "nothing", Input: json.RawMessage(`{"seconds":1,"wanted":"pear"}`), Expected: json.RawMessage(`{"seen":[],"yaw":0.0}`)},
		},
	} {
		function := map[bool]string{true: "capture_photos", false: "monitor_scene"}[source == capture]
		r, err := Run(t.Context(), s, source, function, cases, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range r.Outcomes {
			if !o.Passed {
				t.Errorf("%s: %s %+v", o.Name, o.Message, o.Error)
			}
		}
	}
}
