package hal

import "time"

// Mode says what the motors do.
type Mode string

// The modes of the robot.
const (
	ModeDisabled Mode = "disabled" // torque off on all joints
	ModePartial  Mode = "partial"  // torque on some joints
	ModeEnabled  Mode = "enabled"  // torque on all joints
	ModeOffline  Mode = "offline"  // the bus is not there
)

// State is one snapshot of the robot.
type State struct {
	TS       time.Time `json:"ts"`
	Mode     Mode      `json:"mode"`
	Torque   JointMask `json:"torque"`
	Moving   bool      `json:"moving"`
	Move     string    `json:"move,omitempty"`      // ID of the present move
	MoveName string    `json:"move_name,omitempty"` // "goto", "gesture nod", …
	Queued   int       `json:"queued,omitempty"`

	Head     Head     `json:"head"` // measured, from forward kinematics
	BodyYaw  float64  `json:"body_yaw"`
	Antennas Antennas `json:"antennas"`
	Joints   Joints   `json:"joints"`   // measured
	Velocity Joints   `json:"velocity"` // measured, rad/s
	Current  Joints   `json:"current"`  // measured, A

	GoalHead Head   `json:"goal_head"`
	Goal     Joints `json:"goal"` // last goals on the bus

	EStop       bool    `json:"estop"`
	EStopReason string  `json:"estop_reason,omitempty"`
	EStopBy     string  `json:"estop_by,omitempty"` // who stopped it: the Source of the stop
	Faults      []Fault `json:"faults,omitempty"`
}

// FaultName is the kind of a Fault.
type FaultName string

// The faults of the robot.
const (
	FaultBusLost      FaultName = "bus_lost"      // nothing answers, or the port is gone
	FaultServoMissing FaultName = "servo_missing" // one servo does not answer
	FaultOverload     FaultName = "overload"
	FaultOverheat     FaultName = "overheat"
	FaultVoltage      FaultName = "voltage"    // supply below 4.5 V or above 7.8 V
	FaultElectrical   FaultName = "electrical" // electrical shock or insufficient power
	FaultEncoder      FaultName = "encoder"
	FaultConfig       FaultName = "config"        // a servo refuses its configuration
	FaultDeadline     FaultName = "deadline"      // the control loop misses its deadlines
	FaultNotLocked    FaultName = "unlocked"      // memory or priority of the control loop could not be secured
	FaultUnreachable  FaultName = "unreached"     // reachyd cannot reach the body
	FaultDiskFull     FaultName = "disk_full"     // reachyd cannot keep anything
	FaultMotionSensor FaultName = "motion_sensor" // lifting and falling cannot be noticed
)

// Fault is something wrong with the hardware, with a beginning and, when it is over, an end.
type Fault struct {
	Name   FaultName `json:"name"`
	Joint  string    `json:"joint,omitempty"`
	Detail string    `json:"detail"`
	Since  time.Time `json:"since"`
}

// EventType is the kind of a body Event.
type EventType string

// What the body reports by itself.
const (
	EventMoveStarted EventType = "move_started"
	EventMoveDone    EventType = "move_done"
	EventFault       EventType = "fault"
	EventEStop       EventType = "estop"
)

// How a move ended.
const (
	EndDone      = "done"
	EndCancelled = "cancelled" // replaced by another move, or told to hold
	EndStopped   = "stopped"   // by the emergency stop
	EndFailed    = "failed"    // by a fault
)

// Event is something that happened in the body. Seq rises by one per event, so that a reader sees a gap.
type Event struct {
	Seq  uint64    `json:"seq"`
	TS   time.Time `json:"ts"`
	Type EventType `json:"type"`

	Move   string `json:"move,omitempty"`   // move_started, move_done
	Name   string `json:"name,omitempty"`   // of the move
	End    string `json:"end,omitempty"`    // move_done: done, cancelled, stopped, failed
	Active bool   `json:"active,omitempty"` // fault, estop: begins (true) or is over (false)
	Fault  *Fault `json:"fault,omitempty"`
	Reason string `json:"reason,omitempty"`
	By     string `json:"by,omitempty"` // estop: who stopped it, or released it
	// From is where the robot was, as measured, when the move began; move_done of a move that began.
	From *Stance `json:"from,omitempty"`
	// To is where it was, as measured, when the move had ended, and Goal where it should have been; move_done of a move that
	// ended as planned.
	To   *Stance `json:"to,omitempty"`
	Goal *Stance `json:"goal,omitempty"`
}

// Stance is where head, body and antennas are: metres and radians.
type Stance struct {
	Head     Head     `json:"head"`
	BodyYaw  float64  `json:"body_yaw"`
	Antennas Antennas `json:"antennas"`
}

// Telemetry is the health of the body, once a second.
type Telemetry struct {
	TS         time.Time     `json:"ts"`
	LoopHz     float64       `json:"loop_hz"`
	JitterP50  float64       `json:"jitter_p50_us"` // lateness of the tick's wake-up, µs, over the last second
	JitterP99  float64       `json:"jitter_p99_us"`
	JitterMax  float64       `json:"jitter_max_us"`
	Ticks      uint64        `json:"ticks"` // since start
	Missed     uint64        `json:"missed_ticks"`
	Realtime   string        `json:"realtime"` // what was obtained: "fifo 50, memory locked", or why not
	Bus        BusCounters   `json:"bus"`
	Servos     []ServoHealth `json:"servos"`
	RSSBytes   int64         `json:"rss_bytes"`
	CPUPercent float64       `json:"cpu_percent"` // of one core
	UptimeS    float64       `json:"uptime_s"`
	Motion     *Motion       `json:"-"` // of the motion sensor, which reachyd reads; nil without one
	Link       *Link         `json:"-"` // of the host, which reachyd reads; nil when it is not known
}

// Link is how the robot's host is connected; zero when it is not.
type Link struct {
	Interface string
	Address   string // by which others reach it: 192.168.1.20; "" without one
	Wireless  bool
	Name      string  // of the wireless network; "" when it is not known
	Signal    float64 // dBm; 0 when it is not known
}

// Motion is a reading of the motion sensor.
type Motion struct {
	Accel, Turn [3]float64 // specific force, m/s²; rad/s
	Tilt        float64    // from how it last stood, rad
	Posture     string     // as package imu names it; empty before the robot was still once
}

// BusCounters count what the driver met on the bus since start.
type BusCounters struct {
	Cycles     uint64 `json:"cycles"`
	Packets    uint64 `json:"packets"`
	Timeouts   uint64 `json:"timeouts"`
	Corrupt    uint64 `json:"corrupt"` // CRC or framing
	Foreign    uint64 `json:"foreign"` // well-formed but not the answer that was waited for
	Reconnects uint64 `json:"reconnects"`
}

// Health is what the driver of the servos knows beyond their positions.
type Health struct {
	Online bool      // the bus is there and answers
	Torque JointMask // joints whose torque is on, as far as known
	Faults []Fault   // replaced, never modified, when it changes
	Bus    BusCounters
	Servos [NumJoints]ServoHealth
	// Goal are the goals that the servos had when the bus was opened, rad, and Found the joints for which they are
	// known: a body that starts again takes a standing robot over with them.
	Goal  Joints
	Found JointMask
}

// ServoHealth is what the slow rotation reads from one servo.
type ServoHealth struct {
	Joint         string  `json:"joint"`
	Voltage       float64 `json:"v"`
	Temperature   float64 `json:"c"`
	Current       float64 `json:"ma"`
	HardwareError byte    `json:"hw_error"`
	Present       bool    `json:"present"`
}

// Feedback is what one bus cycle measured.
type Feedback struct {
	Position Joints    // rad
	Velocity Joints    // rad/s
	Current  Joints    // A
	Fresh    JointMask // joints whose values are of this cycle
}
