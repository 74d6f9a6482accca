package kinematics_test

import (
	"fmt"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// The angles of the six arms that hold the head 10° down and 20° to the left, and the way back.
func ExampleInverse() {
	head := hal.Head{Pitch: 10 * degree, Yaw: 20 * degree}
	joints, err := kinematics.Inverse(head.Pose(), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, q := range joints[hal.Stewart1 : hal.Stewart6+1] {
		fmt.Printf("%.1f°, ", q/degree)
	}
	var solver kinematics.Solver
	pose, err := solver.Forward(&joints)
	back := pose.Head()
	fmt.Printf("and back:\npitch %.3f° yaw %.3f° %v\n", back.Pitch/degree, back.Yaw/degree, err)
	// Output:
	// 38.6°, -29.3°, 49.4°, -38.7°, 40.9°, -26.6°, and back:
	// pitch 10.000° yaw 20.000° <nil>
}

// A pose that the robot cannot take is scaled to the nearest one that it can.
func ExampleNearestHead() {
	f, err := kinematics.NearestHead(hal.Head{Pitch: 60 * degree}, 0, hal.Antennas{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range f.Changed() {
		fmt.Printf("%s %.1f° instead of %.1f°: %s\n", c.Field, c.Given/degree, c.Asked/degree, c.Limit)
	}
	// Output:
	// head.pitch 40.0° instead of 60.0°: range of the component
}

// The pose from which the eye looks at a place on the table, half a metre ahead.
func ExampleLookAt() {
	pose, err := kinematics.LookAt(0.5, 0, 0)
	fmt.Printf("pitch %.1f° %v\n", pose.Head().Pitch/degree, err)
	// Output:
	// pitch 25.0° <nil>
}
