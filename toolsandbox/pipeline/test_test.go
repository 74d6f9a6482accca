package pipeline

import (
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/tester"
)

func TestWhatATestWishesOfTheRobot(t *testing.T) {
	c := situation(tester.Conditions{
		CameraAway: true, Fail: map[string]string{"speak": "hoarse"},
		Objects: []tester.Object{{Name: "apple", Box: [4]float64{320, 240, 0, 0}, Confidence: 0.9}, {Name: "cup", Box: [4]float64{0, 240, 0, 0}}},
	})
	if c.Faults["camera"].Message == "" || c.Faults["speak"].Message != "hoarse" || c.Objects[0].Yaw != 0 || c.Objects[1].Yaw != 40 {
		t.Errorf("%+v", c)
	}
}
