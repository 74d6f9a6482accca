package env

import (
	"io"
	"math"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/hal/virtual"
)

const (
	tick     = 0.01 // s, of the control loop
	decision = 10   // ticks between two actions
	deg      = math.Pi / 180

	// LearnedSpeed is the fastest that a learned policy may turn the head, degrees a second: the peak of the classical solution.
	LearnedSpeed = 110.0

	// The eye in the head frame, m, and the half angles of its picture, degrees.
	eyeForward, eyeUp  = 0.0437, 0.0512
	pictureX, pictureY = 43.0, 32.0
	maxYaw, maxPitch   = 65.0, 40.0
	firstSettle        = 150 // ticks from a plant's start to where an episode starts
)

// rig is the robot at full speed: the loop's own envelope and kinematics over a plant, without bus and clock.
type rig struct {
	plant  virtual.Plant
	env    *motion.Envelope
	drives virtual.Drives
	joints virtual.Motions
	solver kinematics.Solver

	goal   hal.Head // where the head is asked to be, rad
	from   hal.Head
	unsafe int
	ticks  int

	live Live     // nil: simulated
	seen hal.Head // where the head of the robot itself is
	err  error    // why the robot itself does not go on
}

func newRig(plant virtual.Plant) *rig {
	return &rig{plant: plant}
}

// pace is how many times longer a decision takes than in simulation.
func (r *rig) pace() float64 {
	if r.live != nil {
		return r.live.Pace()
	}
	return 1
}

func (r *rig) close() error {
	if r.live != nil {
		return nil
	}
	if c, ok := r.plant.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// begin puts the head to a pose, at rest. Torque is the part of its full torque that each servo has.
func (r *rig) begin(start hal.Head, torque float64) {
	if r.live != nil {
		r.beginLive(start)
		return
	}
	r.plant.Reset(&r.joints)
	var at hal.Joints
	for j := range at {
		at[j] = r.joints[j].Position
	}
	r.env = motion.NewEnvelope(1/tick, motion.DefaultLimits, at)
	r.solver = kinematics.Solver{}
	for j := range r.drives {
		r.drives[j] = virtual.Drive{On: true, Limit: 1}
	}
	r.goal, r.from = start, start
	for range firstSettle {
		r.turn(start)
	}
	for j := range r.drives {
		r.drives[j].Limit = torque
	}
	r.unsafe, r.ticks = 0, 0
}

// turn lives through one tick with the head asked to be somewhere.
func (r *rig) turn(head hal.Head) {
	f, err := kinematics.NearestHead(head, kinematics.AutoBodyYawFor(head.Yaw, 0), hal.Antennas{})
	if err != nil {
		return // not finite: nothing moves
	}
	q := r.env.Step(&f.Joints)
	for j := range r.drives {
		r.drives[j].Position = q[j]
	}
	r.plant.Step(tick, &r.drives, &r.joints)
	r.ticks++
}

// head is where the head is by its joints.
func (r *rig) head() hal.Head {
	if r.live != nil {
		return r.seen
	}
	var q hal.Joints
	for j := range q {
		q[j] = r.joints[j].Position
	}
	pose, err := r.solver.Forward(&q)
	if err != nil {
		return r.goal
	}
	return pose.Head()
}

// glide moves the goal to a new one in the ticks of one decision; each calls at. A goal outside the envelope is unsafe, and
// then the goal is what it was clamped to.
func (r *rig) glide(to hal.Head, at func(k int)) {
	r.from = r.goal
	f, err := kinematics.NearestHead(to, kinematics.AutoBodyYawFor(to.Yaw, 0), hal.Antennas{})
	switch {
	case err != nil:
		r.unsafe++
		to = r.goal
	case len(f.Changed()) > 0:
		r.unsafe++
		to = f.Head
	}
	if r.live != nil {
		to = nearer(r.from, to) // the nearest pose that the robot can take may be far from the last one
	}
	r.goal = to
	if r.live != nil {
		r.glideLive(at)
		return
	}
	for k := 1; k <= decision; k++ {
		s := float64(k) / decision
		r.turn(hal.Head{
			X: mix(r.from.X, to.X, s), Y: mix(r.from.Y, to.Y, s), Z: mix(r.from.Z, to.Z, s),
			Roll: mix(r.from.Roll, to.Roll, s), Pitch: mix(r.from.Pitch, to.Pitch, s), Yaw: mix(r.from.Yaw, to.Yaw, s),
		})
		if at != nil {
			at(k)
		}
	}
}

func mix(a, b, s float64) float64 { return a + (b-a)*s }

// offset is where the eye of a head sees a place: degrees to the left and down of the middle of the picture.
func offset(head hal.Head, place hal.Vec3) (left, down float64) {
	pose := head.Pose()
	eye := pose.R.Apply(hal.Vec3{eyeForward, 0, eyeUp})
	var to hal.Vec3
	for i := range to {
		to[i] = place[i] - pose.T[i] - eye[i]
	}
	ray := pose.R.T().Apply(to)
	return math.Atan2(ray[1], ray[0]) / deg, -math.Atan2(ray[2], math.Hypot(ray[0], ray[1])) / deg
}

// inDirection is the place at some degrees to the left and down of straight ahead, as seen from the head at rest.
func inDirection(left, down, distance float64) hal.Vec3 {
	s, c := math.Sincos(left * deg)
	ps, pc := math.Sincos(down * deg)
	return hal.Vec3{distance * pc * c, distance * pc * s, -distance*ps + eyeUp}
}
