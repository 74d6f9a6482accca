package motion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// Config are the settings of a Loop. The zero value of a field means its default.
type Config struct {
	Rate   float64                   // ticks a second, default 100
	Limits [hal.NumJoints]JointLimit // default DefaultLimits
	Speed  float64                   // scales the speed limits, 0…1, default 1
	Lease  time.Duration             // silence after which a stream loses authority, default 2 s
	Queue  int                       // moves that may wait, default 16, at most MaxQueue
	Clock  Clock                     // default NewClock
	// Realtime is what was obtained for the process, in words; it is only reported.
	Realtime string
}

const (
	// MaxQueue is the most moves that a loop can be configured to let wait.
	MaxQueue = 64
	// torqueTries is how often a servo that does not confirm its torque is asked again.
	torqueTries = 3
	// deafCycles without an answer stop the goals; a single lost packet does not.
	deafCycles = 2
	// maxTrackingError is how far a goal may be from the measured joint before the measured one counts, rad.
	maxTrackingError = 0.5
	// settleTime is how long a move may take to arrive after its time is over, s.
	settleTime = 0.5
	// hurry is by how much faster a move goes while it makes up for ticks that were missed, so that it ends when it was said to
	// and stays in step with its sound. Plans leave the joints as much.
	hurry = 1/planned - 1
	// maxWait bounds the time between the request of a goto and its tick that counts as a part of it.
	maxWait = 20 * time.Millisecond
	// jobsPerTick bounds the requests that one tick looks at.
	jobsPerTick = 8
)

const (
	headMask    hal.JointMask = 0x7e // the six arms
	bodyMask    hal.JointMask = 1 << hal.BodyYaw
	antennaMask hal.JointMask = 1<<hal.RightAntenna | 1<<hal.LeftAntenna
)

// ErrClosed is the reason for requests that meet a loop which has ended.
var ErrClosed = errors.New("the control loop has ended")

// what the loop follows.
type mode int

const (
	holding mode = iota
	braking
	moving
	streaming
)

// move is a mover with a name, on its way through the queue.
type move struct {
	id, name string
	mover    mover
	uses     hal.JointMask
	park     bool // torque off when it is done
	setsBody bool // it ends at a body angle of its own
	t        float64
	end      posture       // where it ends, as planned
	waited   time.Duration // for its first tick, since it was asked for
	from     hal.Stance    // where the robot was when it began, as measured
}

// Loop is the control loop. Do, Stop, State and the other methods may be called by anybody at any time; Run is called once.
type Loop struct {
	cfg    Config
	servos Servos
	clock  Clock
	dt     float64
	period time.Duration

	jobs    chan *job
	done    chan struct{} // closed when Run has returned
	ids     atomic.Uint64
	prefix  string
	stop    atomic.Pointer[latch] // the emergency stop, nil when it is not latched
	planMu  sync.Mutex            // one planner at a time
	slot    slot                  // the newest streamed target
	early   atomic.Int64          // from when on the next tick may begin before its time, because the robot stands; 0: it may not
	sources sources
	pub     published

	// What follows belongs to the tick.
	now      time.Duration
	hurried  time.Duration // when a tick last began before its time
	tickNo   uint64
	lim      limiter
	fb       hal.Feedback
	health   hal.Health
	silent   int
	adopted  bool
	measured hal.Pose
	seeing   kinematics.Solver // of the measured joints
	aiming   kinematics.Solver // of the goals
	stopping kinematics.Solver // of where they could stop

	mode    mode
	base    posture // what the present source says, before offsets
	body    float64 // the body angle that was asked for last
	cur     *move
	queue   []*move
	tail    posture // where the last queued move ends
	stream  stream
	offs    offsets
	breath  breathing
	owed    float64 // time that the present move has lost to missed ticks, s
	latched *latch  // the emergency stop that the tick has seen
	control control
	decided []*job
	faults  faultList
	tele    ticker
}

// New returns a loop over servos that have been opened.
func New(servos Servos, cfg Config) *Loop {
	if cfg.Rate == 0 {
		cfg.Rate = 100
	}
	if cfg.Limits == ([hal.NumJoints]JointLimit{}) {
		cfg.Limits = DefaultLimits
	}
	if cfg.Speed == 0 {
		cfg.Speed = 1
	}
	for j := range cfg.Limits {
		cfg.Limits[j].Speed *= cfg.Speed
	}
	if cfg.Lease == 0 {
		cfg.Lease = 2 * time.Second
	}
	if cfg.Queue == 0 {
		cfg.Queue = 16
	}
	cfg.Queue = min(cfg.Queue, MaxQueue)
	if cfg.Clock == nil {
		cfg.Clock = NewClock()
	}
	l := &Loop{
		cfg: cfg, servos: servos, clock: cfg.Clock, dt: 1 / cfg.Rate,
		period: time.Duration(float64(time.Second) / cfg.Rate),
		jobs:   make(chan *job, 32), done: make(chan struct{}),
		prefix: strconv.FormatInt(time.Now().Unix()%(36*36*36*36), 36) + "-",
		queue:  make([]*move, 0, MaxQueue), decided: make([]*job, 0, 8*jobsPerTick),
	}
	l.lim = newLimiter(l.dt, cfg.Limits, hal.JointLimits)
	l.base.res = noTurn
	l.measured = hal.IdentityPose
	l.pub.init()
	l.tele.start = l.clock.Now()
	l.now = l.tele.start
	l.takeOver()
	return l
}

// takeOver starts from the robot as it is found: standing joints keep the goals they have.
func (l *Loop) takeOver() {
	l.servos.Health(&l.health)
	l.control.Online, l.control.Offline = l.health.Online, "the bus has not been found yet"
	l.adopt()
	l.base = l.goalPosture()
	l.body = l.lim.q[hal.BodyYaw]
	l.tail = l.base
	l.publish()
}

// adopt takes over the goals that the servos had when the bus was opened, once.
func (l *Loop) adopt() bool {
	if l.adopted || l.health.Found == 0 {
		return false
	}
	l.adopted = true
	for j, goal := range l.health.Goal {
		if l.health.Found.Has(hal.Joint(j)) {
			l.lim.pin(j, goal)
		}
	}
	return true
}

// Run turns the loop until ctx ends. Torque and goals are left as they are.
func (l *Loop) Run(ctx context.Context) error {
	defer close(l.done)
	deadline := l.clock.Now() + l.period
	for {
		l.clock.SleepUntil(deadline)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		now := l.clock.Now()
		if now < deadline {
			if !l.mayHurry(now) {
				continue
			}
			deadline, l.hurried = now, now
		}
		l.tele.woke(now, now-deadline)
		l.tick(now)
		l.mayHurryFrom(deadline + l.period)
		// A tick is never made up for: two writes at once would be a jump.
		deadline += l.period
		if behind := l.clock.Now() - deadline; behind > 0 {
			skipped := behind/l.period + 1
			l.tele.missed += uint64(skipped)
			l.owed += float64(skipped) * l.dt
			deadline += skipped * l.period
		}
	}
}

// tick is one turn: requests, next goals, bus, measurement, publication.
func (l *Loop) tick(now time.Duration) {
	l.now = now
	l.tickNo++
	l.obeyStop()
	l.serveJobs()
	l.serveStream()
	l.advance()
	err := l.servos.Cycle(&l.lim.q, &l.fb)
	l.measure(err)
	l.tele.turn(now, l)
	l.answerJobs(l.publish())
}

// advance moves the goals by one tick.
func (l *Loop) advance() {
	frozen := l.control.Frozen
	live := l.health.Torque &^ frozen
	idle := l.mode == holding && l.latched == nil && l.control.Online && l.health.Torque&headMask == headMask
	breath, sway, breathes := l.breath.step(idle, l.dt)
	offset, shifted := l.offs.step(l.now, l.dt, idle)
	switch {
	case !l.control.Online || l.silent >= deafCycles:
		l.lim.v = hal.Joints{} // goals that nobody hears must not run ahead of the joints
	case l.mode == braking:
		l.lim.brake()
		if l.lim.still() {
			l.settle()
		}
	default:
		l.follow()
		p := l.base
		if shifted {
			head := offset.head()
			p.add(&head)
			p.left += offset[6]
			p.right += offset[7]
		}
		if breathes {
			p.add(&breath)
			p.left += sway
			p.right -= sway
		}
		if f, ok := solve(&p); ok {
			l.approach(&p, &f.Joints, live)
			l.arrive(&f.Joints, live)
		}
	}
	for j := range l.lim.q {
		if !l.health.Torque.Has(hal.Joint(j)) && l.fb.Fresh.Has(hal.Joint(j)) {
			l.lim.pin(j, l.fb.Position[j])
		}
	}
	if l.mode == holding && l.health.Torque&headMask == 0 {
		l.rebase() // limp: the goal is where the hand leaves it
	}
}

// detour is the part of the way to a posture that the head goes when the straight way of the arms is barred.
const detour = 0.1

// approach moves the goals one tick towards the joints of a posture. On the way from one posture to another that is far from
// it the arms may come where they would pull against each other: before that they stop together, and go round.
func (l *Loop) approach(to *posture, joints *hal.Joints, live hal.JointMask) {
	before := l.lim
	l.lim.step(joints, live)
	if l.sound() {
		return
	}
	l.lim = before
	if !before.still() {
		l.lim.brake()
		return
	}
	from := l.goalPosture()
	via := blend(&from, to, detour)
	if f, ok := solve(&via); ok {
		l.lim.step(&f.Joints, live)
	}
}

// sound says whether the head has a pose where the goals are, and where they could stop.
func (l *Loop) sound() bool {
	if _, err := l.aiming.Forward(&l.lim.q); err != nil {
		return false
	}
	end := l.lim.stop()
	_, err := l.stopping.Forward(&end)
	return err == nil
}

// follow brings the base posture one tick further along its source.
func (l *Loop) follow() {
	switch l.mode {
	case moving:
		m := l.cur
		paid := min(l.owed, hurry*l.dt)
		l.owed -= paid
		m.t += l.dt + paid
		m.mover.at(min(m.t, m.mover.duration()), &l.base)
	case streaming:
		l.base = l.stream.track.next(l.now, l.dt)
	}
}

// arrive ends the present move when its time is over and the goals have reached it.
func (l *Loop) arrive(target *hal.Joints, live hal.JointMask) {
	if l.mode != moving {
		return
	}
	m := l.cur
	over := m.t - m.mover.duration()
	if over < -l.dt/2 {
		return
	}
	for j := range target {
		if live.Has(hal.Joint(j)) && math.Abs(target[j]-l.lim.q[j]) > 1e-3 && over < settleTime {
			return
		}
	}
	if m.setsBody {
		l.body = l.base.body
	}
	l.base.body = l.body
	if m.park {
		if err := l.switchTorque(hal.AllJoints, false); err != nil {
			l.finish(hal.EndFailed, err.Error())
			return
		}
	}
	l.finish(hal.EndDone, "")
}

// finish ends the present move, and begins the next one when this one was done.
func (l *Loop) finish(end, reason string) {
	if m := l.cur; m != nil {
		l.cur = nil
		e := hal.Event{Type: hal.EventMoveDone, Move: m.id, Name: m.name, End: end, Reason: reason, From: &m.from}
		if end == hal.EndDone {
			to := l.stance()
			goal := hal.Stance{Head: l.base.head(), BodyYaw: l.lim.q[hal.BodyYaw]}
			goal.Antennas = hal.Antennas{Left: l.lim.q[hal.LeftAntenna], Right: l.lim.q[hal.RightAntenna]}
			e.To, e.Goal = &to, &goal
		}
		l.emit(e)
	}
	l.mode = holding
	if end != hal.EndDone {
		l.mode = braking
		l.clearQueue(end, reason)
		return
	}
	if len(l.queue) > 0 {
		next := l.queue[0]
		l.queue = append(l.queue[:0], l.queue[1:]...)
		l.beginMove(next)
		return
	}
	l.readmit() // before anybody hears of the end
}

func (l *Loop) clearQueue(end, reason string) {
	for _, m := range l.queue {
		l.emit(hal.Event{Type: hal.EventMoveDone, Move: m.id, Name: m.name, End: end, Reason: reason})
	}
	clear(l.queue)
	l.queue = l.queue[:0]
}

// cancel ends whatever moves the robot, so that it brakes.
func (l *Loop) cancel(end, reason string) {
	l.endStream(end, reason)
	if l.cur != nil || len(l.queue) > 0 {
		l.finish(end, reason)
	}
	if l.mode != holding {
		l.mode = braking
	}
}

// beginMove lets a move start from the present goals with their present speed.
func (l *Loop) beginMove(m *move) {
	from, speed := l.aheadPosture(), l.goalRates()
	if l.overTrackingError() {
		if p, ok := l.measuredPosture(); ok {
			from, speed = p, rates{}
		}
	}
	if g, ok := m.mover.(*gotoMove); ok {
		g.wish.complete(&l.base)
	}
	m.t, l.owed = m.waited.Seconds(), 0
	m.from = l.stance()
	m.mover.begin(&from, &speed, l.body)
	l.cur, l.mode = m, moving
	l.emit(hal.Event{Type: hal.EventMoveStarted, Move: m.id, Name: m.name})
}

// overTrackingError reports whether the head is far from where its goals are: somebody holds it.
func (l *Loop) overTrackingError() bool {
	for j := hal.BodyYaw; j <= hal.Stewart6; j++ {
		if l.fb.Fresh.Has(j) && math.Abs(l.lim.q[j]-l.fb.Position[j]) > maxTrackingError {
			return true
		}
	}
	return false
}

// switchTorque switches torque and, when it goes on, holds the joints where they are.
func (l *Loop) switchTorque(joints hal.JointMask, on bool) error {
	var err error
	for range torqueTries {
		if err = l.servos.SetTorque(joints, on); err == nil {
			break
		}
	}
	for j := range l.lim.q {
		if joints.Has(hal.Joint(j)) && l.fb.Fresh.Has(hal.Joint(j)) && (!on || !l.health.Torque.Has(hal.Joint(j))) {
			l.lim.pin(j, l.fb.Position[j])
		}
	}
	l.servos.Health(&l.health)
	if err != nil {
		return fmt.Errorf("switch torque: %w", err)
	}
	return nil
}

// measure takes in what the cycle brought: positions, faults, and whether the bus is there.
func (l *Loop) measure(err error) {
	if l.fb.Fresh == 0 {
		l.silent++
	} else {
		l.silent = 0
	}
	if l.fb.Fresh&(headMask|bodyMask) == headMask|bodyMask {
		if pose, ferr := l.seeing.Forward(&l.fb.Position); ferr == nil {
			l.measured = pose
		}
	}
	l.servos.Health(&l.health)
	l.watchFaults(err)
}
