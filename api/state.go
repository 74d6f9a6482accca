package api

// Head is a pose of the head: metres and degrees.
type Head struct {
	X     Number `json:"x"`     // forward of neutral, m
	Y     Number `json:"y"`     // left of neutral, m
	Z     Number `json:"z"`     // above neutral, m
	Roll  Number `json:"roll"`  // tilt, + to the robot's right, °
	Pitch Number `json:"pitch"` // nod, + looks down, °
	Yaw   Number `json:"yaw"`   // turn, + looks left, °
}

// Antennas are the angles of the antennas, degrees; 0 is up.
type Antennas struct {
	Left  Number `json:"left"`  // °
	Right Number `json:"right"` // °
}

// StateFault is a fault that the robot has.
type StateFault struct {
	Name   string `json:"name"`
	Joint  string `json:"joint,omitempty"`
	Detail string `json:"detail"` // for a person
	Since  Time   `json:"since"`
}

// State is where the robot is and how it is.
type State struct {
	TS          Time         `json:"ts"`
	Mode        string       `json:"mode"`      // disabled, partial, enabled, or offline while reachyd cannot reach the body
	Torque      []string     `json:"torque"`    // joints under torque
	Moving      bool         `json:"moving"`    // a move is under way
	Move        string       `json:"move"`      // its ID
	MoveName    string       `json:"move_name"` // its kind, such as goto or nod
	Queued      int          `json:"queued"`    // moves that wait
	Head        Head         `json:"head"`
	BodyYaw     Number       `json:"body_yaw"` // + is left, °
	Antennas    Antennas     `json:"antennas"`
	Joints      [9]Number    `json:"joints"` // rad: body rotation, the six arms of the head, right and left antenna
	EStop       bool         `json:"estop"`  // the emergency stop is latched
	EStopReason string       `json:"estop_reason,omitempty"`
	EStopBy     string       `json:"estop_by,omitempty"` // who stopped it; what is "speech" a person may release by speech
	Faults      []StateFault `json:"faults"`
}

// BusCounters count what the driver met on the servos' bus since reachy-body started.
type BusCounters struct {
	Cycles     uint64 `json:"cycles"`
	Packets    uint64 `json:"packets"`
	Timeouts   uint64 `json:"timeouts"`
	Corrupt    uint64 `json:"corrupt"` // wrong checksum or framing
	Foreign    uint64 `json:"foreign"` // well-formed but not the answer that was waited for
	Reconnects uint64 `json:"reconnects"`
}

// Servo is the health of one servo.
type Servo struct {
	Joint         string `json:"joint"`
	Voltage       Number `json:"v"`        // V
	Temperature   Number `json:"c"`        // °C
	Current       Number `json:"ma"`       // mA
	HardwareError byte   `json:"hw_error"` // the servo's own bits
	Present       bool   `json:"present"`  // it answers
}

// Process is what a process uses.
type Process struct {
	RSSBytes   int64  `json:"rss_bytes"`
	CPUPercent Number `json:"cpu_percent"`      // of one core
	UptimeS    Number `json:"uptime_s"`         // s
	Started    Time   `json:"started,omitzero"` // since when it runs; only of reachyd
}

// Telemetry is the health of the robot, once a second.
type Telemetry struct {
	TS             Time        `json:"ts"`
	LoopHz         Number      `json:"loop_hz"`       // of the control loop, over the last second
	JitterP50      Number      `json:"jitter_p50_us"` // lateness of its ticks, µs
	JitterP99      Number      `json:"jitter_p99_us"` // µs
	JitterMax      Number      `json:"jitter_max_us"` // µs
	Ticks          uint64      `json:"ticks"`         // since reachy-body started
	Missed         uint64      `json:"missed_ticks"`
	Realtime       string      `json:"realtime"` // what was obtained, or why not
	Bus            BusCounters `json:"bus"`
	Voltage        *Number     `json:"voltage"`         // lowest of the present servos, V; null without any
	TemperatureMax *Number     `json:"temperature_max"` // of the present servos, °C; null without any
	Servos         []Servo     `json:"servos"`
	Process                    // of reachy-body
	Daemon         Process     `json:"daemon"`            // of reachyd
	Motion         *Motion     `json:"motion,omitempty"`  // by the motion sensor of the wireless unit
	Network        *Network    `json:"network,omitempty"` // how the robot's host is connected; missing when that is not known
}

// Motion is a reading of the motion sensor: x forward, y left, z up.
type Motion struct {
	Acceleration [3]Number `json:"acceleration"` // m/s²; z is 9.8 when the robot stands still
	Turn         [3]Number `json:"turn"`         // °/s
	Tilt         Number    `json:"tilt"`         // from how it last stood, °
	Posture      string    `json:"posture"`      // stands, lifted, tipped, falling or lies; empty before it was still once
}
