package planner

// join says how a clause is tied to the one before.
type join uint8

const (
	joinNone join = iota // first clause, or no connective at all
	joinComma
	joinAnd
	joinThen
	joinStop // end of a sentence
)

// class is what a clause is about.
type class uint8

const (
	motion  class = iota // head, body or antennas: the slots of a frame decide which tool
	action               // a finished step
	speech               // a step whose text may be corrected
	looking              // look_at with a target
	feeling              // express_emotion
	pausing              // wait
	volume               // set_volume with a number
	finding              // detect_objects
	again                // "do that three times": repeats what stands before
	ahead                // "three times: …": repeats what follows
	nothing              // understood, and nothing to do
	fault                // understood but impossible or not allowed
	pending              // modifiers only: a fragment such as "three times" or "slowly"
)

// amount is how far: unsaid, a little, far, or a number of degrees.
type amount struct {
	kind byte // 0 unsaid, 'l' little, 'f' far, 'n' number
	deg  float64
	to   bool // the number is an angle to go to: "to 20 degrees"
	by   bool // it is how far to go, although the part is one that goes to angles: "by 20 degrees"
}

// heading is one direction of a motion and how far it goes.
type heading struct {
	dir     string
	amt     amount
	returns bool // it is where the robot was: "back again", no place of its own
}

// seconds is an optional time.
type seconds struct {
	set bool
	s   float64
}

// frame is what one clause says. Elliptical clauses ("… and right") leave slots empty and inherit them.
type frame struct {
	class     class
	verbed    bool // has a verb of its own
	seeks     bool // finding: it is looked around for
	keeps     bool // looking: it is followed
	courteous bool // a courtesy stood behind it: "dance for me"
	negated   bool // prohibited: not run, but later fragments may inherit from it
	join      join

	verb     string // class of the motion verb: look turn tilt roll move raise lower face
	part     string
	parts    []string // further parts joined by "and"
	headings []heading
	bare     []amount // amounts without a direction
	more     bool     // "further", "another": from where the robot is
	axes     [3]float64
	axisSet  [3]bool // pitch, yaw, roll
	axisBy   [3]bool // "pitch by 20"

	tool   string
	args   map[string]any
	change int    // volume: louder or quieter than now by this
	word   string // target, emotion or text

	pace  seconds // from "slowly", "quickly"
	early bool    // pace or count stood before the verb: it holds for all that leans on it
	over  seconds // duration asked for
	hold  seconds // "for two seconds"
	delay seconds // "in five seconds", at the front
	times float64 // 0: unsaid
	said  bool    // times was said
	every seconds

	problem Outcome // of a fault
	message string
}

// axis indices.
const (
	pitch = iota
	yaw
	roll
)
