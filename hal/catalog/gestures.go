package catalog

// Gestures are the gestures of the robot. docs/add-a-gesture.md says how to add one.
var Gestures = []Gesture{
	{
		Name: "nod", Act: "nod", Done: "I nodded", Noun: "nod", Part: "head",
		Keys: []Keyframe{
			{T: 0},
			{T: 0.30, Pitch: 16, Z: -4, Left: -4, Right: 4},
			{T: 0.60, Pitch: -7, Z: 2, Left: 5, Right: -5},
			{T: 0.90, Pitch: 13, Z: -3, Left: -4, Right: 4},
			{T: 1.20, Pitch: -4},
			{T: 1.50},
		},
	},
	{
		Name: "shake", Act: "shake my head", Done: "I shook my head", Noun: "shake", Part: "head",
		Keys: []Keyframe{
			{T: 0},
			{T: 0.28, Yaw: 20, Roll: -2, Left: 6, Right: 6},
			{T: 0.62, Yaw: -20, Roll: 2, Left: -6, Right: -6},
			{T: 0.96, Yaw: 17, Roll: -2, Left: 5, Right: 5},
			{T: 1.28, Yaw: -9},
			{T: 1.60},
		},
	},
	{
		Name: "wiggle_antennas", Act: "wiggle my antennas", Done: "I wiggled my antennas", Noun: "wiggle", Part: "antennas",
		Keys: []Keyframe{
			{T: 0},
			{T: 0.20, Left: 32, Right: 32, Roll: 2},
			{T: 0.45, Left: -32, Right: -32, Roll: -2},
			{T: 0.70, Left: 32, Right: 32, Roll: 2},
			{T: 0.95, Left: -32, Right: -32, Roll: -2},
			{T: 1.20, Left: 18, Right: 18},
			{T: 1.50},
		},
	},
	{
		Name: "wave", Act: "wave", Done: "I waved", Noun: "wave",
		Keys: []Keyframe{
			{T: 0},
			{T: 0.40, Pitch: -4, Roll: -6, Right: -70},
			{T: 0.70, Pitch: -4, Roll: -6, Right: -10},
			{T: 1.00, Pitch: -4, Roll: -6, Right: -70},
			{T: 1.30, Pitch: -4, Roll: -6, Right: -10},
			{T: 1.60, Pitch: -3, Roll: -5, Right: -60},
			{T: 2.00},
		},
	},
	{
		Name: "dance", Act: "dance", Done: "I danced", Noun: "dance",
		Keys: []Keyframe{
			{T: 0},
			{T: 0.35, Z: -10, Roll: 11, Body: 8, Yaw: 8, Left: 30, Right: 10},
			{T: 0.70, Z: 6, Roll: 0, Left: 0, Right: 0},
			{T: 1.05, Z: -10, Roll: -11, Body: -8, Yaw: -8, Left: -10, Right: -30},
			{T: 1.40, Z: 6, Roll: 0, Left: 0, Right: 0},
			{T: 1.75, Z: -8, Y: 8, Roll: 9, Pitch: 6, Body: 14, Yaw: 14, Left: 35, Right: 35},
			{T: 2.10, Z: 4, Pitch: -5},
			{T: 2.45, Z: -8, Y: -8, Roll: -9, Pitch: 6, Body: -14, Yaw: -14, Left: -35, Right: -35},
			{T: 2.80, Z: 4, Pitch: -5},
			{T: 3.15, Z: -10, Roll: 11, Yaw: 6, Left: 30, Right: 10},
			{T: 3.50, Z: -10, Roll: -11, Yaw: -6, Left: -10, Right: -30},
			{T: 3.85, Z: 8, Pitch: -8, Left: 20, Right: -20},
			{T: 4.30},
		},
	},
	{
		Name: "look_around", Act: "look around", Done: "I looked around",
		Keys: []Keyframe{
			{T: 0},
			{T: 0.80, Yaw: 38, Pitch: -3, Roll: -3, Body: 8, Left: 8, Right: 0},
			{T: 1.30, Yaw: 40, Pitch: 5, Roll: -2, Body: 8, Left: 10, Right: 4},
			{T: 2.30, Yaw: -38, Pitch: -3, Roll: 3, Body: -8, Left: 0, Right: -8},
			{T: 2.80, Yaw: -40, Pitch: 5, Roll: 2, Body: -8, Left: -4, Right: -10},
			{T: 3.50, Yaw: -6, Pitch: -7},
			{T: 4.00},
		},
	},
	{
		Name: "bow", Act: "bow", Done: "I bowed", Noun: "bow",
		Keys: []Keyframe{
			{T: 0},
			{T: 0.25, Pitch: -4, Z: 3},
			{T: 1.00, Pitch: 27, Z: -16, X: 6, Left: 45, Right: -45},
			{T: 1.50, Pitch: 28, Z: -17, X: 6, Left: 48, Right: -48},
			{T: 2.30, Pitch: -2, Z: 1},
			{T: 2.60},
		},
	},
	{
		Name: "shrug", Act: "shrug", Done: "I shrugged", Noun: "shrug",
		Keys: []Keyframe{
			{T: 0},
			{T: 0.40, Z: -12, Pitch: 4, Roll: 9, Left: 30, Right: -30},
			{T: 0.75, Z: 4, Pitch: -3, Roll: 10, Left: -14, Right: 14},
			{T: 1.25, Z: 4, Pitch: -3, Roll: 10, Left: -16, Right: 16},
			{T: 1.70, Z: -4, Pitch: 2, Roll: 3, Left: 8, Right: -8},
			{T: 2.10},
		},
	},
	{
		Name: "circle", Act: "move my head in a circle", Done: "I moved my head in a circle", Noun: "circle", Part: "head",
		Keys: []Keyframe{
			{T: 0},
			{T: 0.40, Pitch: -12, Left: 4, Right: 4},
			{T: 0.85, Pitch: -4, Yaw: 17, Left: 8, Right: 8},
			{T: 1.30, Pitch: 9, Yaw: 10},
			{T: 1.65, Pitch: 12, Yaw: -3, Left: -4, Right: -4},
			{T: 2.05, Pitch: 5, Yaw: -17, Left: -8, Right: -8},
			{T: 2.50, Pitch: -9, Yaw: -10},
			{T: 3.00},
		},
	},
}
