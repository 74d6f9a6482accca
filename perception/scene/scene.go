// Package scene holds what the robot sees as plain data, and puts it into words.
//
// It is what the vision worker, the daemon and the tools share: no pixels, no cgo. Directions are degrees in the world
// frame as seen from the robot's eye (+yaw is left, +pitch is down), places are world metres (x forward, y left, z up,
// the origin on the table under the robot), boxes are pixels of the picture they were found in.
package scene

import (
	"time"

	"github.com/reachyd/reachyd/hal"
)

// The names of what is found without a learned model. A learned detector adds those of its own classes.
const (
	Apple     = "apple"
	Croissant = "croissant"
	Duck      = "duck"
	Face      = "face"
	Motion    = "motion"
	QRCode    = "qr code"
	Person    = "person" // of a learned detector
)

// The detectors, as Detection.By names them: whoever reads a detection should know how much it is worth.
const (
	ByShape   = "colour and shape" // only made for the three things of the simulated table
	ByCascade = "face cascade"
	ByYuNet   = "yunet"
	ByYOLOX   = "yolox"
	ByMotion  = "frame difference"
	ByQR      = "qr decoder"
)

// Box is a rectangle in a picture, pixels; X and Y are its upper left corner.
type Box struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// Center returns the middle of the box.
func (b Box) Center() (x, y float64) {
	return float64(b.X) + float64(b.W)/2, float64(b.Y) + float64(b.H)/2
}

// Overlap is the area that two boxes share over the area that they cover together, 0…1.
func (b Box) Overlap(o Box) float64 {
	w := min(b.X+b.W, o.X+o.W) - max(b.X, o.X)
	h := min(b.Y+b.H, o.Y+o.H) - max(b.Y, o.Y)
	if w <= 0 || h <= 0 {
		return 0
	}
	both := float64(w) * float64(h)
	return both / (float64(b.W)*float64(b.H) + float64(o.W)*float64(o.H) - both)
}

// Detection is one thing in view.
type Detection struct {
	Name  string  `json:"name"`
	By    string  `json:"by"`    // the detector
	Score float64 `json:"score"` // 0…1, as the detector has it: scores of different detectors do not compare
	Box   Box     `json:"box"`
	// Yaw and Pitch are the direction of the box's middle, degrees, with the head where it was when the picture was taken.
	Yaw   float64 `json:"yaw"`
	Pitch float64 `json:"pitch"`
	// Place is where it is, when that is known: for things that are taken to stand on the table.
	Place *hal.Vec3 `json:"place,omitempty"`
	// ID tells faces apart as long as they are followed, 0 for what has no identity.
	ID     int    `json:"id,omitempty"`
	Colour string `json:"colour,omitempty"` // in a word
	Text   string `json:"text,omitempty"`   // of a QR code
}

// View is what was found in one picture, the surest of each name first.
type View struct {
	TS         time.Time   `json:"ts"` // when the picture was taken
	Width      int         `json:"width"`
	Height     int         `json:"height"`
	Detections []Detection `json:"detections"`
	// Colours are the words for the picture's main colours, the most frequent first.
	Colours []string `json:"colours,omitempty"`
	// Dark is set when the picture is too dark to find anything in.
	Dark bool `json:"dark,omitempty"`
	// Missing says what cannot be looked for here, and why.
	Missing []string `json:"missing,omitempty"`
}

// Followed is the face that is followed, as the newest picture has it.
type Followed struct {
	TS   time.Time `json:"ts"`   // when the picture was taken
	Seen bool      `json:"seen"` // it is in the picture
	// X and Y are the middle of the face while it is seen: −1 at the picture's left and upper edge, 1 at the right and lower one.
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Look is how looking at something ended.
type Look struct {
	Name     string        `json:"name"`
	Error    float64       `json:"error"`    // angle between the middle of the picture and the thing at the end, degrees
	Centred  bool          `json:"centred"`  // Error was within the tolerance
	Reason   string        `json:"reason"`   // why not, in words
	Moves    int           `json:"moves"`    // how many it took
	Duration time.Duration `json:"duration"` // ns
	Last     Detection     `json:"last"`
}
