package motion

import "slices"

// key is one moment of a score: seconds, millimetres and degrees, so that a score reads like a dance sheet.
// Head and body are relative to where the robot looks; yaw and body are added to the present direction.
type key struct {
	t                float64
	x, y, z          float64
	roll, pitch, yaw float64
	body             float64
	left, right      float64
}

// score is a short keyframe animation.
type score struct {
	// relative scores add their head and antennas to the pose they start from and end there; the others fade that pose out
	// and end in a pose of their own.
	relative bool
	keys     []key
}

func namesOf(scores map[string]score) []string {
	names := make([]string, 0, len(scores))
	for n := range scores {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Gestures lists the names of the gestures, sorted.
func Gestures() []string { return namesOf(gestures) }

// Emotions lists the names of the emotions, sorted.
func Emotions() []string { return namesOf(emotions) }
