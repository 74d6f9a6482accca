package kinematics

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

// What firmware-notes tells a technician to expect of a sleeping robot is what its joints are in the sleep pose.
func TestNotesHaveTheJointsOfTheSleepPose(t *testing.T) {
	data, err := os.ReadFile("../../firmware-notes/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, step, found := strings.Cut(string(data), "In the sleep pose ")
	step, _, ends := strings.Cut(step, "\n")
	told := regexp.MustCompile(`stewart_(\d) ≈ ([−+]\d+)°`).FindAllStringSubmatch(step, -1)
	if !found || !ends || len(told) < 3 {
		t.Fatalf("firmware-notes names %d joints of the sleep pose", len(told))
	}
	joints, err := Inverse(hal.SleepHead.Pose(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range told {
		k, _ := strconv.Atoi(m[1])
		want, err := strconv.ParseFloat(strings.Replace(m[2], "−", "-", 1), 64)
		if got := joints[k] * 180 / math.Pi; err != nil || math.Abs(got-want) > 1 {
			t.Errorf("stewart_%d is %.1f°, the notes say %s°", k, got, m[2])
		}
	}
}
