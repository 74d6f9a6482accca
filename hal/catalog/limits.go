package catalog

import "time"

// Range is what a number may be, ends included.
type Range struct {
	Min, Max float64
	Unit     string // "°", "m", "s", or empty
}

// Contains reports whether v is in the range.
func (r Range) Contains(v float64) bool { return v >= r.Min && v <= r.Max }

// Ranges of the robot's parts. What the envelope of the body allows may be less at a given pose; it clamps and says so.
var (
	HeadX     = Range{-0.06, 0.06, "m"} // relative to neutral
	HeadY     = Range{-0.06, 0.06, "m"}
	HeadZ     = Range{-0.06, 0.03, "m"}
	HeadRoll  = Range{-40, 40, "°"}
	HeadPitch = Range{-40, 40, "°"}
	HeadYaw   = Range{-180, 180, "°"}
	BodyYaw   = Range{-160, 160, "°"}
	Antenna   = Range{-180, 180, "°"}
	Place     = Range{-10, 10, "m"} // each coordinate of a place to look at
	Volume    = Range{0, 100, ""}
	Size      = Range{0.2, 1.5, ""} // of a gesture or an emotion, against the one in the catalogue
)

// MaxMoveTime is the longest movement, seconds.
const MaxMoveTime = 60.0

// Times.
var (
	MoveTime = Range{0.1, MaxMoveTime, "s"}  // how long a movement takes that a tool makes
	GotoTime = Range{0.05, MaxMoveTime, "s"} // the same for the command goto, by which programs make short moves one after the other
	WaitTime = Range{0, 600, "s"}
	Interval = Range{0, 60, "s"} // between two rounds of repeat
)

// Limits of repeat.
const (
	MaxRounds   = 100
	MaxSteps    = 20
	MaxNesting  = 3 // a repeat within a repeat within a repeat
	MaxRepeated = 10 * time.Minute
)

// Lengths of texts, in characters.
const (
	MaxText      = 2000 // what is said, asked or searched
	MaxThing     = 100  // the name of a thing in view or of a recorded move
	MaxPhotoName = 200
	MaxPerson    = 60 // the name of a person whose face is remembered
	MaxToolName  = 64
)

// The angles that people mean when they say only a direction, degrees.
const (
	UsualTurn = 30.0
	UsualTilt = 20.0
)
