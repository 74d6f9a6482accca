package catalog

// Keyframe is one moment of an animation: T in seconds, X, Y, Z in millimetres, the rest in degrees, so that an
// animation reads like a dance sheet. Head and body are relative to where the robot looks. Antennas: 0 is up; outward
// and back is positive on the left, negative on the right.
type Keyframe struct {
	T                float64
	X, Y, Z          float64
	Roll, Pitch, Yaw float64
	Body             float64
	Left, Right      float64
}

// Gesture is a movement with a meaning of its own. It ends in the pose in which it began: the key frames are added to that.
type Gesture struct {
	Name string
	Act  string // what the robot does, after "I could not …": "nod"
	Done string // what the robot says when it has made the gesture: "I nodded"
	// Noun is what people count: "three nods". Empty when nobody does.
	Noun string
	// Part is what "it" means in the next sentence: "head", "antennas", or empty.
	Part string
	Keys []Keyframe
}

// Emotion is told with the whole robot. It ends in a neutral pose that faces where the robot faced; the antennas of the key
// frames are absolute, those of a robot that is awake stand at left 10°, right −10°.
type Emotion struct {
	Name string
	Keys []Keyframe
}
