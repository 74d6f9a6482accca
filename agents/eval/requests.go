package eval

import (
	_ "embed" // the requests that are held out
	"strings"
)

// Request is a sentence of a user and what a model should make of it.
type Request struct {
	Text string
	// Want is what must be called: calls in order with ";" between them, each "tool argument>0 argument=value …", and
	// other ways to be right after "|". Empty: no tool fits, and the model must not call any.
	Want string
}

// Requests are the fixed sentences. Half of them leave room for a mistake that small models make: they act when nothing
// is to be done, turn to the wrong side, or take the tool whose name sounds like the sentence.
var Requests = []Request{
	// The head and the body. Left is positive, down is positive.
	{"Look to the left.", "move_head yaw>0"},
	{"Please look right.", "move_head yaw<0"},
	{"Look up at the ceiling.", "move_head pitch<0"},
	{"Look down at the floor.", "move_head pitch>0"},
	{"Turn your head 45 degrees to the left.", "move_head yaw=45"},
	{"Turn your head 20 degrees to the right.", "move_head yaw=-20"},
	{"Tilt your head to your right shoulder.", "move_head roll>0"},
	{"Turn your head slowly to the left, take three seconds for it.", "move_head yaw>0 duration=3"},
	{"Turn your whole body to the right.", "turn_body yaw<0"},
	{"Rotate your body 90 degrees to the left.", "turn_body yaw=90"},
	{"Raise both antennas straight up.", "set_antennas left=0 right=0"},
	{"Wiggle your antennas.", "gesture name=wiggle_antennas"},
	{"Look at the point half a metre in front of you, 20 centimetres up.", "look_at x=0.5 z=0.2"},
	{"Look at the cup.", "look_at target~cup"},

	// Gestures and feelings.
	{"Nod.", "gesture name=nod"},
	{"Say yes with your head.", "gesture name=nod"},
	{"Shake your head.", "gesture name=shake"},
	{"Take a bow.", "gesture name=bow"},
	{"Dance a little.", "gesture name=dance"},
	{"Have a look around the room.", "gesture name=look_around"},
	{"Show me that you are happy.", "express_emotion emotion=happy"},
	{"Look sad, please.", "express_emotion emotion=sad"},
	{"Act surprised!", "express_emotion emotion=surprised"},
	{"Pretend to be scared.", "express_emotion emotion=scared"},
	{"Make a curious face.", "express_emotion emotion=curious"},

	// Sight.
	{"Take a photo.", "take_photo"},
	{"Take a picture of me, please.", "take_photo"},
	{"What do you see?", "analyze_scene | take_photo ; describe_image"},
	{"Is there a cup on the table?", "detect_objects name~cup | analyze_scene"},
	{"Which objects are in front of you?", "detect_objects | analyze_scene"},
	{"How many people are in the room?", "detect_objects | analyze_scene"},
	{"Follow my face.", "track_face enabled=true"},
	{"Stop following my face.", "track_face enabled=false"},
	{"What is on the photo photo-0003.jpg?", "describe_image photo=photo-0003.jpg"},

	// Voice, state, power.
	{"Say good morning out loud.", "speak text~good morning"},
	{"Set the volume to 30.", "set_volume level=30"},
	{"Be quieter: volume ten percent.", "set_volume level=10"},
	{"How are your motors doing?", "get_robot_state"},
	{"Which way is your head turned right now?", "get_robot_state"},
	{"Wake up!", "wake_up"},
	{"Good night, go to sleep.", "go_to_sleep"},
	{"Stop!", "stop"},
	{"Don't move any more.", "stop"},
	{"Search the web for the weather in Paris tomorrow.", "search_web query~Paris"},
	{"Who won the last football world cup? Look it up online.", "search_web query~world cup"},

	// Several.
	{"Look left, then take a photo.", "move_head yaw>0 ; take_photo"},
	{"Take a photo and then nod.", "take_photo ; gesture name=nod"},
	{"Look right and say hello.", "move_head yaw<0 ; speak text~hello"},
	{"Wake up, then show that you are excited.", "wake_up ; express_emotion emotion=excited"},
	{"Wait five seconds, then nod.", "wait seconds=5 ; gesture name=nod"},

	// No tool fits.
	{"Hello, how are you?", ""},
	{"What is your name?", ""},
	{"Thank you, that was nice.", ""},
	{"Tell me a joke.", ""},
	{"What is seven times eight?", ""},
	{"Do you like music?", ""},
	{"Why is the sky blue?", ""},
	{"Explain in one sentence what a robot is.", ""},
	{"Please make me a coffee.", ""},
	{"Open the window.", ""},
	{"Drive to the kitchen.", ""},
	{"Send an e-mail to my boss.", ""},
	{"Never mind.", ""},
	{"I had a long day at work.", ""},
	{"Translate 'good evening' into French.", ""},
	{"Yesterday you looked to the left. That was funny.", ""},
	{"My sister always says that I should look up more often.", ""},
	{"What would happen if you turned your head too far?", ""},
}

//go:embed heldout.txt
var heldOut string

// HeldOut are requests of which nothing was used to choose words, examples or instructions.
func HeldOut() []Request {
	var all []Request
	for line := range strings.Lines(heldOut) {
		if text, want, ok := strings.Cut(strings.TrimSpace(line), " ="); ok && !strings.HasPrefix(line, "#") {
			all = append(all, Request{strings.TrimSpace(text), strings.TrimSpace(want)})
		}
	}
	return all
}
