package env

import "math"

// Controller says what to do in an environment without having learned it.
type Controller interface {
	// Begin forgets the last episode.
	Begin()
	// Act writes the action for an observation.
	Act(obs, action []float32)
}

// ClassicLook is what the robot does today: look, move there, look again and correct, at most five times.
type ClassicLook struct {
	path  [][2]float64 // turns in the decisions to come, degrees
	since float64      // s since the last movement ended
	moves int
}

// Begin implements Controller.
func (c *ClassicLook) Begin() { *c = ClassicLook{} }

const (
	classicAim   = 1.2 // degrees off below which it does not correct any more
	classicMoves = 5
)

// Act implements Controller.
func (c *ClassicLook) Act(obs, action []float32) {
	action[0], action[1] = 0, 0
	if len(c.path) == 0 {
		c.since += decision * tick
		fresh := float64(obs[obsAge]) < c.since || c.moves == 0
		left, down := float64(obs[obsLeft])*30, float64(obs[obsDown])*30
		// The servos do not quite reach the goal: what is left is added to it.
		if off := math.Hypot(left, down); fresh && off > classicAim && c.moves < classicMoves {
			c.plan(left, down, off)
		}
	}
	if len(c.path) > 0 {
		action[0], action[1] = float32(c.path[0][0]/lookStep), float32(c.path[0][1]/lookStep)
		c.path, c.since = c.path[1:], 0
	}
}

func (c *ClassicLook) plan(left, down, off float64) {
	c.moves++
	n := steps(off)
	was := 0.0
	for i := 1; i <= n; i++ {
		s := minJerk(float64(i) / float64(n))
		c.path = append(c.path, [2]float64{(s - was) * left, (s - was) * down})
		was = s
	}
}

// ClassicFollow is the robot's follower: it goes for where the thing will be when picture and head have caught up.
type ClassicFollow struct{}

// Begin implements Controller.
func (ClassicFollow) Begin() {}

// Act implements Controller.
func (ClassicFollow) Act(obs, action []float32) {
	const lead = 0.35 // s
	age := min(lead, float64(obs[obsAge]))
	for i := range 2 {
		scale, rate := 30.0, float64(obs[obsRateYaw+i])*30
		aim := float64(obs[obsLeft+i])*scale + rate*(lead+age)/2 - float64(obs[obsLagYaw+i])*10
		action[i] = float32(clamp(0.7*aim/lookStep, -1, 1))
	}
}

var (
	_ Controller = (*ClassicLook)(nil)
	_ Controller = ClassicFollow{}
)
