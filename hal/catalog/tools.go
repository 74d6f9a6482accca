package catalog

// Tools are what the robot can be told to do. Package agents/tools does it, package agents/fake pretends to.
var Tools = []Tool{
	{
		Name: "move_head", Act: "turn my head", Moves: true,
		Description: "Turn the head. Angles are absolute and in the world: 0 looks straight ahead. " +
			"An angle that is left out stays as it is; give at least one.",
		Arguments: []Argument{
			number("pitch", "positive looks down, negative up", HeadPitch),
			number("yaw", "positive looks left, negative right", HeadYaw),
			number("roll", "positive tilts to the robot's right, negative to its left", HeadRoll),
			duration,
		},
	},
	{
		Name: "set_antennas", Act: "move my antennas", Moves: true,
		Description: "Move the antennas. One that is left out stays as it is; give at least one.",
		Arguments:   []Argument{number("left", antennaAngle, Antenna), number("right", antennaAngle, Antenna), duration},
	},
	{
		Name: "turn_body", Act: "turn my body", Moves: true,
		Description: "Turn the body on its foot, with the head. The angle is absolute: 0 faces forward.",
		Arguments:   []Argument{required(number("yaw", "positive turns left, negative right", BodyYaw)), duration},
	},
	{
		Name: "goto_pose", Act: "take the pose {name}", Moves: true,
		Description: "Take a named pose. neutral, init, home and awake are the same pose.",
		Arguments:   []Argument{oneOf("name", "the pose", PoseNames()), duration},
	},
	{
		Name: "look_at", Act: "look at the {target}", Moves: true,
		Description: "Look at a thing by its name, or at a place given by x, y and z in metres: " +
			"the origin is on the table under the robot, x is forward, y left, z up.",
		Arguments: []Argument{
			number("x", "forward", Place), number("y", "left", Place), number("z", "up", Place), duration,
			text("target", "name of the thing", MaxThing),
		},
	},
	{
		Name: "track_face", Act: "follow a face", Moves: true,
		Description: "Begin or end following a face with the head.",
		Arguments:   []Argument{{Name: "enabled", Kind: Boolean, Description: "true begins, false ends", Default: true}},
	},
	{
		Name: "take_photo", Act: "take a photo",
		Description: "Take a photo of what is in view.",
	},
	{
		Name: "analyze_scene", Act: "see what is there",
		Description: "Look at what is in view and answer a question about it.",
		Arguments:   []Argument{byDefault(text("prompt", "the question", MaxText), "What do you see?")},
	},
	{
		Name: "detect_objects", Act: "look for things",
		Description: "Say which things are in view and in which direction.",
		Arguments:   []Argument{text("name", "only things of this name", MaxThing)},
	},
	{
		Name: "find_object", Act: "find the {name}", Moves: true,
		Description: "Say where a thing is. When it is not in view the robot looks where it was seen before, and then around, for at most 8 s.",
		Arguments:   []Argument{required(text("name", "the thing", MaxThing))},
	},
	{
		Name: "follow_object", Act: "follow the {target}", Moves: true,
		Description: "Find a thing and turn the head after it from then on. track_face with enabled false ends it.",
		Arguments:   []Argument{required(text("target", "name of the thing", MaxThing))},
	},
	{
		Name: "remember_face", Act: "remember the face of {name}",
		Description: "Remember the one face in view under a name, so that recognize_face knows it again. No picture is kept.",
		Arguments:   []Argument{required(text("name", "of the person", MaxPerson))},
	},
	{
		Name: "recognize_face", Act: "see whose face it is",
		Description: "Say whose the faces in view are, of the people whom remember_face has learned.",
	},
	{
		Name: "forget_face", Act: "forget the face",
		Description: "Forget the face of a person.",
		Arguments:   []Argument{text("name", "of the person; all faces when it is left out", MaxPerson)},
	},
	{
		Name: "describe_image", Act: "describe the picture",
		Description: "Answer a question about a photo that was taken before.",
		Arguments: []Argument{
			required(text("photo", "name of the photo, as take_photo gave it", MaxPhotoName)),
			byDefault(text("prompt", "the question", MaxText), "What is in this picture?"),
		},
	},
	{
		Name: "speak", Act: "speak",
		Description: "Say something aloud.",
		Arguments:   []Argument{required(text("text", "what to say", MaxText))},
	},
	{
		Name: "set_volume", Act: "change my volume",
		Description: "Set how loud the robot speaks.",
		Arguments:   []Argument{required(integer("level", "0 is silent, 100 the loudest", Volume))},
	},
	{
		Name: "search_web", Act: "search the web",
		Description: "Search the web.",
		Arguments:   []Argument{required(text("query", "what to search for", MaxText))},
	},
	{
		Name: "get_robot_state", Act: "say how I am",
		Description: "Say how the robot is: its pose, what it is doing, and what is wrong with it.",
	},
	{
		Name: "express_emotion", Act: "show that I am {emotion}", Moves: true,
		Description: "Show an emotion with head and antennas.",
		Arguments:   []Argument{oneOf("emotion", "the emotion", EmotionNames()), size, lasting},
	},
	{
		Name: "gesture", Act: "make the gesture {name}", Moves: true,
		Description: "Make a gesture.",
		Arguments:   []Argument{oneOf("name", "the gesture", GestureNames()), size, lasting},
	},
	{
		Name: "play_move", Act: "play the move {name}", Moves: true,
		Description: "Play a recorded move by its name.",
		Arguments:   []Argument{required(text("name", "the move: the name of its file, without .json", MaxThing))},
	},
	{
		Name: "wake_up", Act: "wake up", Moves: true,
		Description: "Switch the motors on and wake up.",
	},
	{
		Name: "go_to_sleep", Act: "go to sleep", Moves: true,
		Description: "Go to sleep and switch the motors off.",
	},
	{
		Name: "stop", Act: "stop", // it does not count as moving: it must never wait for a movement
		Description: "Emergency stop: the robot brakes, holds, and does not move again until the stop is reset. " +
			"With an argument it only ends that: motion is whatever moves, and the next command moves the robot again.",
		Arguments: []Argument{{Name: "only", Kind: Text, Description: "what ends, if not everything", Enum: Stoppable()}},
	},
	{
		Name: "listen", Act: "change whether I listen",
		Description: "Stop listening, also to the word stop, or listen again.",
		Arguments:   []Argument{{Name: "enabled", Kind: Boolean, Description: "false is deaf, true listens", Default: true}},
	},
	{
		Name: "wait", Act: "wait",
		Description: "Do nothing for some time.",
		Arguments:   []Argument{required(number("seconds", "how long", WaitTime))},
	},
	{
		Name: "repeat", Act: "repeat {steps}", Moves: true, // its steps may: so nobody else moves the robot between them
		Description: "Run a sequence of tool calls several times. It ends with the first call that fails.",
		Arguments: []Argument{
			{
				Name: "steps", Kind: Array, Description: "the calls of one round, in order", Required: true, MaxItems: MaxSteps,
				Items: []Argument{
					required(text("tool", "name of the tool", MaxToolName)),
					{Name: "args", Kind: Object, Description: "its arguments"},
				},
			},
			required(integer("times", "how many rounds", Range{1, MaxRounds, ""})),
			byDefault(number("interval", "pause between two rounds", Interval), 0.0),
		},
	},
}

// Stoppable are the things that the tool stop can end without latching: gestures by their names, and kinds of activity.
func Stoppable() []string {
	return append([]string{"motion", "speech", "idle", "wait", "goto", "play", "emotion"}, GestureNames()...)
}

const antennaAngle = "0 is up; outward and back is positive on the left, negative on the right"

var duration = byDefault(number("duration", "how long the movement takes", MoveTime), 1.0)

// How wide and how long gestures and emotions are, which are as people like them where nothing is said.
var (
	size    = number("size", "how wide it is: 1 is as wide as usual", Size)
	lasting = number("duration", "how long it takes", MoveTime)
)

func number(name, description string, r Range) Argument {
	return Argument{Name: name, Kind: Number, Description: description, Range: r}
}

func integer(name, description string, r Range) Argument {
	return Argument{Name: name, Kind: Integer, Description: description, Range: r}
}

func text(name, description string, length int) Argument {
	return Argument{Name: name, Kind: Text, Description: description, MaxLength: length}
}

func oneOf(name, description string, values []string) Argument {
	return Argument{Name: name, Kind: Text, Description: description, Enum: values, Required: true}
}

func required(a Argument) Argument {
	a.Required = true
	return a
}

func byDefault(a Argument, v any) Argument {
	a.Default = v
	return a
}
