// Package virtual is the robot's end of the bus: nine simulated servos that answer Dynamixel packets, turn a Plant, and fail on request.
package virtual

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// Tick is the time that one Step simulates.
const Tick = 10 * time.Millisecond

// Options say what a Chain is made of. Only Plant is needed.
type Options struct {
	Plant Plant
	// Firmware of all servos; 0 is 52. Below 46 they do not know the fast sync read.
	Firmware byte
	// FactoryNew servos were never configured: all EEPROM but identifier and baud rate is the factory's.
	FactoryNew hal.JointMask
	// Boot is how long a servo is silent after a reboot, in simulated time; 0 is 200 ms, negative is not at all.
	Boot time.Duration
	// WireTime makes every byte take 10 µs and every answer its return delay, as on the line at 1 Mbit/s.
	WireTime bool
	// Clock paces Run, WireTime and delays; nil is the clock of the machine.
	Clock Clock
	// Seed of the faults' dice.
	Seed uint64
}

// Chain is nine servos on one line. Bus clients are answered at once from what the servos measured in the last Step,
// whatever the plant is doing; all its methods may be called from any goroutine.
type Chain struct {
	plant    Plant
	clock    Clock
	wireTime bool
	bootTime float64

	stepping sync.Mutex // serialises Step and Reset; taken before mu, never while mu is held

	mu      sync.Mutex
	baud    byte // at which the instruction came that is being answered
	servos  [hal.NumJoints]servo
	faults  active
	plugged chan struct{} // closed and replaced when Unplug changes
	rng     *rand.Rand
	clients int
	lastUse time.Duration // when the last client left

	driven  Drives // of the last Step, for Status
	steps   uint64
	resyncs uint64
	lost    time.Duration // that Run has given up
	next    time.Duration // when Run makes the next step; 0 when it does not

	drives  Drives  // owned by stepping
	motions Motions // owned by stepping
}

// eeprom is how Reachy Mini's servos are configured.
var eeprom = [hal.NumJoints]struct {
	spec     *modelSpec
	homing   int64
	min, max int64
	gain     float64 // P, with which the plant's position loop is as stiff as it was measured
}{
	hal.BodyYaw:      {&xc330m288, 0, 0, 4095, 200},
	hal.Stewart1:     {&xl330m288, +1024, 1502, 2958, 300},
	hal.Stewart2:     {&xl330m288, -1024, 1138, 2844, 300},
	hal.Stewart3:     {&xl330m288, +1024, 1502, 2958, 300},
	hal.Stewart4:     {&xl330m288, -1024, 1138, 2594, 300},
	hal.Stewart5:     {&xl330m288, +1024, 1252, 2958, 300},
	hal.Stewart6:     {&xl330m288, -1024, 1138, 2594, 300},
	hal.RightAntenna: {&xl330m077, 0, 0, 4095, 200},
	hal.LeftAntenna:  {&xl330m077, 0, 0, 4095, 200},
}

// New returns a powered chain, torque off, with the plant as Reset leaves it.
func New(o Options) *Chain {
	if o.Firmware == 0 {
		o.Firmware = 52
	}
	if o.Clock == nil {
		o.Clock = SystemClock()
	}
	switch {
	case o.Boot == 0:
		o.Boot = 200 * time.Millisecond
	case o.Boot < 0:
		o.Boot = 0
	}
	c := &Chain{
		plant: o.Plant, clock: o.Clock, wireTime: o.WireTime, bootTime: o.Boot.Seconds(),
		plugged: make(chan struct{}), rng: rand.New(rand.NewPCG(o.Seed, 0)), lastUse: o.Clock.Now(),
	}
	c.faults, _ = activate(Faults{})
	c.plant.Reset(&c.motions)
	for j := range c.servos {
		s, e := &c.servos[j], &eeprom[j]
		s.joint, s.spec, s.mount, s.motion = hal.Joint(j), e.spec, e.homing, c.motions[j]
		s.factory(o.Firmware)
		s.put(dxl.AddrID, int64(s.joint.ServoID()))
		s.put(dxl.AddrBaud, lineBaud)
		if !o.FactoryNew.Has(s.joint) {
			s.put(dxl.AddrReturnDelay, 0)
			s.put(dxl.AddrHomingOffset, e.homing)
			s.put(dxl.AddrPositionMax, e.max)
			s.put(dxl.AddrPositionMin, e.min)
			s.put(dxl.AddrShutdown, int64(dxl.HardwareOverheat|dxl.HardwareElectrical|dxl.HardwareOverload))
		}
		s.restart(0)
		s.suffer(&c.faults, c.bootTime)
	}
	return c
}

// Step simulates one Tick.
func (c *Chain) Step() {
	dt := Tick.Seconds()
	c.stepping.Lock()
	defer c.stepping.Unlock()
	c.mu.Lock()
	for j := range c.servos {
		c.drives[j] = c.servos[j].drive(dt)
	}
	c.mu.Unlock()

	c.plant.Step(dt, &c.drives, &c.motions) // without mu: the bus must not wait for the physics

	c.mu.Lock()
	defer c.mu.Unlock()
	c.steps++
	c.driven = c.drives
	for j := range c.servos {
		s := &c.servos[j]
		s.moved(dt, c.motions[j])
		s.suffer(&c.faults, c.bootTime)
	}
}

// Reset puts the plant back to where it began and restarts the servos: torque off, RAM at its defaults, EEPROM kept.
// Faults and counters stay.
func (c *Chain) Reset() {
	c.stepping.Lock()
	defer c.stepping.Unlock()
	c.plant.Reset(&c.motions)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.driven = Drives{}
	for j := range c.servos {
		s := &c.servos[j]
		s.motion = c.motions[j]
		s.restart(0)
		s.suffer(&c.faults, c.bootTime)
	}
}

// Faults returns the faults that are switched on.
func (c *Chain) Faults() Faults {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.faults.Faults
}

// SetFaults replaces the faults that are switched on; the zero Faults heals everything but errors that the servos
// have latched, which only a reboot clears. An error changes nothing.
func (c *Chain) SetFaults(f Faults) error {
	f.Mute, f.Overload, f.Overheat = slices.Clone(f.Mute), slices.Clone(f.Overload), slices.Clone(f.Overheat)
	if f.Voltage != nil {
		v := *f.Voltage
		f.Voltage = &v
	}
	a, err := activate(f)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.Unplug != c.faults.Unplug {
		close(c.plugged)
		c.plugged = make(chan struct{})
	}
	c.faults = a
	for j := range c.servos {
		c.servos[j].suffer(&c.faults, c.bootTime)
	}
	return nil
}

// plug returns whether the line is there, and a channel that closes when that changes.
func (c *Chain) plug() (there bool, change <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.faults.Unplug, c.plugged
}

// Peek reads an item of a joint's control table, as the servo itself sees it. addr must be the address of an item.
func (c *Chain) Peek(j hal.Joint, addr int) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.servos[j].get(addr)
}

// Poke writes an item of a joint's control table past all rules: the servo was configured wrongly, or wears out.
func (c *Chain) Poke(j hal.Joint, addr int, v int64) error {
	if addr < 0 || addr >= tableEnd || itemAt[addr] < 0 {
		return fmt.Errorf("address %d: no item of the control table begins there", addr)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.servos[j].put(addr, v)
	c.servos[j].measure()
	return nil
}

// Status is what a Chain tells about itself.
type Status struct {
	Steps   uint64 // ticks simulated
	Resyncs uint64 // times that Run was so late that it gave ticks up
	// Late is how long ago the next tick should have begun: the bus is answered from the last one until it has ended.
	// Lost is how much slower than the clock simulated time has gone, in all.
	Late, Lost time.Duration
	Drives     Drives  // what the servos asked of the plant in the last tick
	Motions    Motions // what the joints did in the last tick
	// Torque and Goals are the registers of the servos at this moment, rad: what the bus wrote last, which the plant
	// learns in the next tick. Of a joint without torque, or driven by it, the goal is where the joint is.
	Torque  hal.JointMask
	Goals   hal.Joints
	Began   time.Time // when the bus last began to change one of the goals, after 100 ms in which it had stayed what it was
	Clients int       // bus clients connected now
	// Idle is how long no bus client has been connected.
	Idle time.Duration
}

// Status returns what the chain is doing now.
func (c *Chain) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Status{Steps: c.steps, Resyncs: c.resyncs, Lost: c.lost, Clients: c.clients, Drives: c.driven}
	if c.next > 0 {
		s.Late = max(0, c.clock.Now()-c.next)
	}
	for j := range c.servos {
		servo := &c.servos[j]
		s.Motions[j], s.Goals[j] = servo.motion, servo.motion.Position
		if servo.began.After(s.Began) {
			s.Began = servo.began
		}
		if servo.dead || servo.boot > 0 || !servo.torque() {
			continue
		}
		s.Torque = s.Torque.With(hal.Joint(j))
		if servo.get(dxl.AddrOperatingMode) != modeCurrent {
			s.Goals[j] = servo.toRad(servo.get(dxl.AddrGoalPosition))
		}
	}
	if c.clients == 0 {
		s.Idle = c.clock.Now() - c.lastUse
	}
	return s
}

func (c *Chain) clientCame() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clients++
}

func (c *Chain) clientLeft() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clients--
	c.lastUse = c.clock.Now()
}
