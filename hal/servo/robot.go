package servo

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

var (
	// ErrOffline says that the bus is lost. It is looked for; there is nothing that the caller could do.
	ErrOffline = errors.New("the servo bus is lost")
	// ErrSilent says that nobody answered in this cycle.
	ErrSilent = errors.New("no servo answered in this cycle")
)

// GoalError says which goal was refused; none of the cycle's goals was written.
type GoalError struct {
	Joint hal.Joint
	Value float64 // rad
}

// Error names joint, value and what is allowed.
func (e *GoalError) Error() string {
	l := hal.JointLimits[e.Joint]
	return fmt.Sprintf("goal of %s is %v rad: allowed is %.4f…%.4f", e.Joint, e.Value, l.Min, l.Max)
}

// Robot is nine servos on one bus. Who may call what is said in the package comment.
type Robot struct {
	opts   Options
	report *Report
	faults faults

	online  bool
	bus     *dxl.Bus
	line    *dxl.Line
	search  chan *attached // brings the bus back while it is lost
	lostAt  time.Time
	lostWhy string
	started bool            // some bus was attached: from now on our wishes rule, not what is found
	past    hal.BusCounters // of earlier buses, and cycles and reconnects

	joints  [hal.NumJoints]joint
	listen  hal.JointMask // joints that answer and are read every cycle
	torque  hal.JointMask // joints whose torque is on, as far as known
	want    hal.JointMask // joints whose torque shall be on
	unseen  hal.JointMask // joints that were silent at the first start-up and since: what they did before is not known
	goal    hal.Joints    // found when the bus was opened
	found   hal.JointMask
	current hal.Joints // A, last measured

	block     *dxl.Batch // what every cycle reads
	blockOf   hal.JointMask
	asked     bool       // the block, and nobody has taken the answer yet
	goals     *dxl.Batch // what every cycle writes
	fast      bool
	fastAgain uint64    // cycle after which the fast read is tried again
	cycles    uint64    // on this bus
	heardAt   time.Time // when somebody answered last
	silent    int       // cycles since
	lastCycle time.Time
	turn      uint64   // slow steps done
	rotation  int      // what the rotation asks next
	probe     int      // which missing joint is asked next
	pins      pins     // work space of SetTorque
	buf       [16]byte // work space of the slow steps

	stop      chan struct{}
	stopped   sync.Once
	searching sync.WaitGroup
}

// joint is what is known of one servo.
type joint struct {
	stage    stage
	tries    int     // of the present stage
	misses   int     // cycles in a row without an answer while others answered
	written  float64 // goal that the servo has, rad
	catching bool    // written has not reached the goal of the loop yet
	alert    bool    // the servo says that its latched errors have changed
	warm     bool

	health      hal.ServoHealth
	excusedTill time.Time // it restarts: its silence is no fault before
	rebootAt    time.Time // zero when it is not due
	rebootPause time.Duration
	rebootedAt  time.Time
}

// Open opens the bus and starts the servos up; it may take as long as Options.PowerWait. What the servos do is taken
// over as it is: torque stays on where it is on, and goals stay what they are. Without a robot it fails, unless Options.Patient.
func Open(opts Options) (*Robot, error) {
	opts, err := opts.complete()
	if err != nil {
		return nil, err
	}
	r := &Robot{
		opts: opts, report: &Report{Port: opts.Port}, faults: faults{now: opts.Now}, stop: make(chan struct{}),
		block: dxl.NewBatch(dxl.AddrPresentCurrent, blockSize, make([]byte, hal.NumJoints)...),
		goals: dxl.NewBatch(dxl.AddrGoalPosition, 4, make([]byte, hal.NumJoints)...),
		pins:  newPins(),
	}
	for j := range r.joints {
		r.joints[j].health.Joint = hal.Joint(j).String()
		r.report.Servos[j].Joint = hal.Joint(j).String()
		r.joints[j].rebootPause = opts.RebootAfter
	}
	a, err := attach(&r.opts, r.stop)
	switch {
	case err == nil:
		r.takeOver(a)
	case opts.Patient:
		r.lose(err)
	default:
		return nil, err
	}
	return r, nil
}

// Close ends the search for a lost bus and closes the port. Torque stays as it is. It may be called twice.
func (r *Robot) Close() error {
	var err error
	r.stopped.Do(func() {
		close(r.stop)
		r.searching.Wait()
		if r.search != nil {
			select {
			case a := <-r.search:
				err = a.line.Close()
			default:
			}
		}
		if r.online {
			err = errors.Join(err, r.line.Close())
		}
	})
	return err
}

// Report returns what the last start-up found. It is replaced, never modified.
func (r *Robot) Report() *Report { return r.report }

// Faults returns the present faults. The slice is replaced, never modified, when they change.
func (r *Robot) Faults() []hal.Fault { return r.faults.list }

// Health brings h up to date. It does not allocate.
func (r *Robot) Health(h *hal.Health) {
	h.Online, h.Torque, h.Faults, h.Goal, h.Found = r.online, r.torque, r.faults.list, r.goal, r.found
	h.Bus = r.past
	if r.online {
		h.Bus = sum(h.Bus, r.bus.Counters())
	}
	for j := range r.joints {
		s := r.joints[j].health
		s.Present = r.listen.Has(hal.Joint(j))
		s.Current = r.current[j] * 1000
		h.Servos[j] = s
	}
}

func sum(a, b hal.BusCounters) hal.BusCounters {
	a.Packets += b.Packets
	a.Timeouts += b.Timeouts
	a.Corrupt += b.Corrupt
	a.Foreign += b.Foreign
	return a
}
