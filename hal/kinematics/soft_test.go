package kinematics

import (
	"math"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

// The further the head is turned against the body the softer it is: the same give of the servos turns it by more, and its weight, which
// straight ahead draws three arms one way and three the other, draws all six the same way. That, and not the driver, is why a head that is
// told 120° stands at 122.8° in the simulation.
func TestTheHeadIsSoftWhereItIsTurnedFar(t *testing.T) {
	const gives = 0.36 * math.Pi / 180 // of each servo as measured at 65°, and a third of it straight ahead
	turned := func(yaw, by, sense float64) float64 {
		at := hal.Head{Yaw: yaw}.Pose()
		q, err := Inverse(at, 0)
		if err != nil {
			t.Fatal(err)
		}
		for j := hal.Stewart1; j <= hal.Stewart6; j++ {
			q[j] += by
			by *= sense
		}
		pose, _, err := Forward(&q, at)
		if err != nil {
			t.Fatal(err)
		}
		return math.Abs(pose.Head().Yaw-yaw) * 180 / math.Pi
	}
	front, same, far := turned(0, gives/3, -1), turned(0, gives, 1), turned(65*math.Pi/180, gives, 1)
	if front > 0.01 || far < 2*same || far < 2 || far > 4 {
		t.Errorf("%.2f° straight ahead, %.2f° at 65°, where all the same way turn it by %.2f° straight ahead", front, far, same)
	}
}
