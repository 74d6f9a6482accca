// Package standin is a robot that is not there: a kinematic simulation with a camera and all tools, which runs on the
// clock of the tool that is tested and fails on request.
package standin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
)

// Config says what the robot meets. The zero value is a healthy robot that sits awake, looking ahead.
type Config struct {
	// Faults are by the name of a tool or capability ("camera", "robot.move", "speak").
	Faults map[string]Fault
	// Scenes are what analyze_scene sees, one after the other; the last one stays.
	Scenes []string
	// Objects are what detect_objects sees.
	Objects []Object
	// Answers replace the value of a tool: JSON by name. Tools of other names than the usual ones exist if they are here.
	Answers map[string]json.RawMessage
	// Asleep begins with the motors off.
	Asleep bool
}

// Fault is a failure that was wished for.
type Fault struct {
	After int // calls that work before it
	Times int // calls that fail; 0: all further ones
	Code  string
	// Message is what the tool reads; empty makes one up.
	Message string
}

// The failures that tests ask for most.
var (
	LimitRefused = Fault{Code: "unreachable", Message: "the pose is outside of what the head can reach"}
	CameraAway   = Fault{Code: host.CodeUnavailable, Message: "there is no camera"}
	Stopped      = Fault{Code: "estop", Message: "the emergency stop is latched"}
	Offline      = Fault{Code: host.CodeUnavailable, Message: "the robot cannot be reached"}
)

// Object is a thing in view, with its direction in degrees.
type Object struct {
	Name       string  `json:"name"`
	Confidence float64 `json:"confidence"`
	Yaw        float64 `json:"yaw"`
	Pitch      float64 `json:"pitch"`
}

// Call is a host call that reached the robot.
type Call struct {
	Name string
	Args json.RawMessage
	At   time.Duration // on the robot's clock
	Err  string
}

// Robot is the stand-in. It is for use by several goroutines.
type Robot struct {
	config Config

	mu     sync.Mutex
	until  time.Duration // when the last tool ended that waits: our clock, where the guest's does not pass that time
	from   pose
	to     pose
	began  time.Duration
	length time.Duration
	mode   string
	volume float64
	photos int
	calls  []Call
	count  map[string]int
}

var (
	_ host.Robot  = (*Robot)(nil)
	_ host.Camera = (*Robot)(nil)
)

// pose is x, y, z, roll, pitch, yaw of the head, the body's yaw, left and right antenna: metres, radians.
type pose [9]float64

const (
	x = iota
	y
	z
	roll
	pitch
	yaw
	body
	left
	right
)

const degree = math.Pi / 180

// asleep is where the head rests on the body.
var asleep = pose{z: -0.044, pitch: 24.4 * degree, left: -3.05, right: 3.05}

// New makes a robot.
func New(c Config) *Robot {
	if len(c.Scenes) == 0 {
		c.Scenes = []string{"A person sits at a desk with a laptop and a red cup. It is bright."}
	}
	if c.Objects == nil {
		c.Objects = []Object{{"person", 0.91, 8, -3}, {"laptop", 0.83, -12, 14}, {"cup", 0.77, -21, 16}}
	}
	r := &Robot{config: c, mode: "enabled", volume: 60, count: map[string]int{}}
	if c.Asleep {
		r.from, r.to, r.mode = asleep, asleep, "disabled"
	}
	return r
}

// Calls are what the robot was asked for so far.
func (r *Robot) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// enter begins a call: the time on the robot's clock, and the failure that was wished for. r.mu is held afterwards.
func (r *Robot) enter(ctx context.Context, name string, args json.RawMessage) (time.Duration, error) {
	r.mu.Lock()
	now := max(host.At(ctx), r.until)
	r.count[name]++
	c := Call{Name: name, Args: args, At: now}
	var err error
	if f, ok := r.config.Faults[name]; ok && r.count[name] > f.After && (f.Times == 0 || r.count[name] <= f.After+f.Times) {
		err = fault(cmp.Or(f.Code, host.CodeFailed), "%s", cmp.Or(f.Message, name+" failed because the test wants it to"))
		c.Err = err.Error()
	}
	r.calls = append(r.calls, c)
	return now, err
}

func fault(code, format string, args ...any) error {
	return &guest.HostError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// at is where the robot is at a time: minimum jerk from where it was to where it goes.
func (r *Robot) at(now time.Duration) pose {
	if r.length <= 0 || now >= r.began+r.length {
		return r.to
	}
	t := max(0, float64(now-r.began)/float64(r.length))
	s := t * t * t * (10 - 15*t + 6*t*t)
	p := r.from
	for i := range p {
		p[i] += s * (r.to[i] - p[i])
	}
	return p
}

// limits are the same as the real robot's; degrees and metres.
var limits = []struct {
	axis int
	name string
	max  float64
	unit float64
	word string
}{
	{x, "head.x", 0.03, 1, "m"},
	{y, "head.y", 0.03, 1, "m"},
	{z, "head.z", 0.05, 1, "m"},
	{roll, "roll", 40, degree, "degrees"},
	{pitch, "pitch", 40, degree, "degrees"},
	{yaw, "yaw", 180, degree, "degrees"},
	{body, "body yaw", 160, degree, "degrees"},
	{left, "left antenna", 180, degree, "degrees"},
	{right, "right antenna", 180, degree, "degrees"},
}

// maxTwist is how far head and body may turn against each other.
const maxTwist = 65 * degree

// start begins a motion.
func (r *Robot) start(now time.Duration, to pose, d time.Duration) error {
	if r.mode != "enabled" {
		return fault("torque_off", "the motors are off; wake me up first")
	}
	for _, l := range limits {
		const rounding = 1e-6
		if v := to[l.axis] / l.unit; !(math.Abs(v) <= l.max+rounding) {
			return fault(host.CodeInvalid, "%s: %.4g %s, allowed %g to %g", l.name, v, l.word, -l.max, l.max)
		}
	}
	if twist := to[yaw] - to[body]; math.Abs(twist) > maxTwist {
		to[body] = to[yaw] - math.Copysign(maxTwist, twist) // the body follows
	}
	r.from, r.to, r.began, r.length = r.at(now), to, now, d
	return nil
}

// Move implements host.Robot.
func (r *Robot) Move(ctx context.Context, m host.Motion) (time.Duration, error) {
	args, err := json.Marshal(m)
	if err != nil {
		return 0, err
	}
	now, err := r.enter(ctx, host.CapMove, args)
	defer r.mu.Unlock()
	if err != nil {
		return 0, err
	}
	to := r.to
	if h := m.Head; h != nil {
		copy(to[:], []float64{h.X, h.Y, h.Z, h.Roll, h.Pitch, h.Yaw})
	}
	if m.BodyYaw != nil {
		to[body] = *m.BodyYaw
	}
	if a := m.Antennas; a != nil {
		to[left], to[right] = a.Left, a.Right
	}
	return m.Duration, r.start(now, to, m.Duration)
}

// State implements host.Robot.
func (r *Robot) State(ctx context.Context) (host.State, error) {
	now, err := r.enter(ctx, host.CapState, nil)
	defer r.mu.Unlock()
	if err != nil {
		return host.State{}, err
	}
	return r.state(now), nil
}

func (r *Robot) state(now time.Duration) host.State {
	p := r.at(now)
	s := host.State{
		Mode: r.mode, Moving: now < r.began+r.length, BodyYaw: p[body], Antennas: host.Antennas{Left: p[left], Right: p[right]},
		Head: host.Pose{X: p[x], Y: p[y], Z: p[z], Roll: p[roll], Pitch: p[pitch], Yaw: p[yaw]},
	}
	s.Joints[0], s.Joints[7], s.Joints[8] = p[body], p[right], p[left]
	for i := range 6 {
		s.Joints[1+i] = arm(i, &p)
	}
	return s
}

// arm is about what a Stewart arm's servo shows: right at neutral, right in sign, linear in between.
func arm(i int, p *pose) float64 {
	const neutral, perMetre, platform = 0.543, 22.0, 0.03
	angle := (float64(i/2)*120 + 60) * degree
	lift := p[z] + platform*(math.Sin(angle)*p[roll]-math.Cos(angle)*p[pitch])
	twist := 0.35 * (p[yaw] - p[body])
	if i%2 == 1 {
		return -(neutral + perMetre*lift) + twist
	}
	return neutral + perMetre*lift + twist
}

// The picture of the camera.
const (
	frameWidth  = 640
	frameHeight = 480
	fieldOfView = 80 * degree
)

// Frame implements host.Camera: a room that moves when the head turns, and a red ball that goes round once in 10 s.
func (r *Robot) Frame(ctx context.Context) (image.Image, error) {
	now, err := r.enter(ctx, host.CapCamera, nil)
	defer r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	p := r.at(now)
	img := image.NewNRGBA(image.Rect(0, 0, frameWidth, frameHeight))
	const pixels = frameWidth / fieldOfView
	turn, tilt := p[yaw]*pixels, p[pitch]*pixels
	phase := 2 * math.Pi * now.Seconds() / 10
	ballX, ballY := frameWidth/2+turn+120*math.Cos(phase), frameHeight/2-tilt+60*math.Sin(phase)
	for v := range frameHeight {
		for u := range frameWidth {
			c := [3]byte{byte(150 + 60*v/frameHeight), 170, byte(190 - 60*v/frameHeight)}
			if column := int(math.Floor((float64(u) - turn) / 40)); column%4 == 0 {
				c = [3]byte{120, 110, 100}
			}
			if dx, dy := float64(u)-ballX, float64(v)-ballY; dx*dx+dy*dy < 35*35 {
				c = [3]byte{215, 30, 35}
			}
			copy(img.Pix[4*(v*frameWidth+u):], []byte{c[0], c[1], c[2], 255})
		}
	}
	return img, nil
}
