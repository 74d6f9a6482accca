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
	limits int // actions that would have left what the robot can take
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
	r.unsafe, r.limits, r.ticks = 0, 0, 0
}

// takes returns the nearest pose that the robot can take, and whether that is another one.
func takes(head hal.Head) (f kinematics.Feasible, other bool, err error) {
	f, err = kinematics.NearestHead(head, kinematics.AutoBodyYawFor(head.Yaw, 0), hal.Antennas{})
	return f, err == nil && len(f.Changed()) > 0, err
}

// turn lives through one tick with the head asked to be somewhere, and reports whether the body would have changed that.
func (r *rig) turn(head hal.Head) (changed bool) {
	f, changed, err := takes(head)
	if err != nil {
		return true // not finite: nothing moves
	}
	q := r.env.Step(&f.Joints)
	for j := range r.drives {
		r.drives[j].Position = q[j]
	}
	r.plant.Step(tick, &r.drives, &r.joints)
	r.ticks++
	return changed
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

// within is a goal as far as the action space goes: where the robot can take it, and so can it the way there from the last one.
func (r *rig) within(to hal.Head) hal.Head {
	switch f, other, err := takes(to); {
	case err != nil:
		r.limits++
		return r.from
	case other:
		r.limits++
		to = f.Head
	}
	if r.live != nil {
		to = nearer(r.from, to) // the nearest pose that the robot can take may be far from the last one
	}
	for range halvings {
		if r.clear(to) {
			return to
		}
		to = between(r.from, to, 0.5)
	}
	return r.from
}

// halvings is how often the way to a goal is halved that leaves what the robot can take.
const halvings = 6

// clear reports whether the robot can take all poses on the way from the last goal.
func (r *rig) clear(to hal.Head) bool {
	const looks = 4
	for k := looks; k >= 1; k-- {
		if _, other, err := takes(between(r.from, to, float64(k)/looks)); other || err != nil {
			return false
		}
	}
	return true
}

// between is a part of the way from one pose to another, 0…1.
func between(a, b hal.Head, s float64) hal.Head {
	return hal.Head{
		X: mix(a.X, b.X, s), Y: mix(a.Y, b.Y, s), Z: mix(a.Z, b.Z, s),
		Roll: mix(a.Roll, b.Roll, s), Pitch: mix(a.Pitch, b.Pitch, s), Yaw: mix(a.Yaw, b.Yaw, s),
	}
}

// glide moves the goal to a new one in the ticks of one decision; each calls at. A goal beyond what the robot can take is limited
// first; what the body has to change after that is unsafe.
func (r *rig) glide(to hal.Head, at func(k int)) {
	r.from = r.goal
	to = r.within(to)
	r.goal = to
	if r.live != nil {
		r.glideLive(at)
		return
	}
	changed := false
	for k := 1; k <= decision; k++ {
		changed = r.turn(between(r.from, to, float64(k)/decision)) || changed
		if at != nil {
			at(k)
		}
	}
	if changed {
		r.unsafe++
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
