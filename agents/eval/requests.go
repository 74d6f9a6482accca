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
	// Hidden requests are reported by the way in which they failed alone.
	Hidden bool
}

// Requests are the fixed sentences. Half of them leave room for a mistake that small models make: they act when nothing
// is to be done, turn to the wrong side, or take the tool whose name sounds like the sentence.
var Requests = []Request{
	// The head and the body. Left is positive, down is positive.
	{Text: "Look to the left.", Want: "move_head yaw>0"},
	{Text: "Please look right.", Want: "move_head yaw<0"},
	{Text: "Look up at the ceiling.", Want: "move_head pitch<0"},
	{Text: "Look down at the floor.", Want: "move_head pitch>0"},
	{Text: "Turn your head 45 degrees to the left.", Want: "move_head yaw=45"},
	{Text: "Turn your head 20 degrees to the right.", Want: "move_head yaw=-20"},
	{Text: "Tilt your head to your right shoulder.", Want: "move_head roll>0"},
	{Text: "Turn your head slowly to the left, take three seconds for it.", Want: "move_head yaw>0 duration=3"},
	{Text: "Turn your whole body to the right.", Want: "turn_body yaw<0"},
	{Text: "Rotate your body 90 degrees to the left.", Want: "turn_body yaw=90"},
	{Text: "Raise both antennas straight up.", Want: "set_antennas left=0 right=0"},
	{Text: "Wiggle your antennas.", Want: "gesture name=wiggle_antennas"},
	{Text: "Look at the point half a metre in front of you, 20 centimetres up.", Want: "look_at x=0.5 z=0.2"},
	{Text: "Look at the cup.", Want: "look_at target~cup"},

	// Gestures and feelings.
	{Text: "Nod.", Want: "gesture name=nod"},
	{Text: "Say yes with your head.", Want: "gesture name=nod"},
	{Text: "Shake your head.", Want: "gesture name=shake"},
	{Text: "Take a bow.", Want: "gesture name=bow"},
	{Text: "Dance a little.", Want: "gesture name=dance"},
	{Text: "Have a look around the room.", Want: "gesture name=look_around"},
	{Text: "Show me that you are happy.", Want: "express_emotion emotion=happy"},
	{Text: "Look sad, please.", Want: "express_emotion emotion=sad"},
	{Text: "Act surprised!", Want: "express_emotion emotion=surprised"},
	{Text: "Pretend to be scared.", Want: "express_emotion emotion=scared"},
	{Text: "Make a curious face.", Want: "express_emotion emotion=curious"},

	// Sight.
	{Text: "Take a photo.", Want: "take_photo"},
	{Text: "Take a picture of me, please.", Want: "take_photo"},
	{Text: "What do you see?", Want: "analyze_scene | take_photo ; describe_image"},
	{Text: "Is there a cup on the table?", Want: "detect_objects name~cup | analyze_scene"},
	{Text: "Which objects are in front of you?", Want: "detect_objects | analyze_scene"},
	{Text: "How many people are in the room?", Want: "detect_objects | analyze_scene"},
	{Text: "Follow my face.", Want: "track_face enabled=true"},
	{Text: "Stop following my face.", Want: "track_face enabled=false"},
	{Text: "What is on the photo photo-0003.jpg?", Want: "describe_image photo=photo-0003.jpg"},

	// Voice, state, power.
	{Text: "Say good morning out loud.", Want: "speak text~good morning"},
	{Text: "Set the volume to 30.", Want: "set_volume level=30"},
	{Text: "Be quieter: volume ten percent.", Want: "set_volume level=10"},
	{Text: "How are your motors doing?", Want: "get_robot_state"},
	{Text: "Which way is your head turned right now?", Want: "get_robot_state"},
	{Text: "Wake up!", Want: "wake_up"},
	{Text: "Good night, go to sleep.", Want: "go_to_sleep"},
	{Text: "Stop!", Want: "stop"},
	{Text: "Don't move any more.", Want: "stop"},
	{Text: "Search the web for the weather in Paris tomorrow.", Want: "search_web query~Paris"},
	{Text: "Who won the last football world cup? Look it up online.", Want: "search_web query~world cup"},

	// Several.
	{Text: "Look left, then take a photo.", Want: "move_head yaw>0 ; take_photo"},
	{Text: "Take a photo and then nod.", Want: "take_photo ; gesture name=nod"},
	{Text: "Look right and say hello.", Want: "move_head yaw<0 ; speak text~hello"},
	{Text: "Wake up, then show that you are excited.", Want: "wake_up ; express_emotion emotion=excited"},
	{Text: "Wait five seconds, then nod.", Want: "wait seconds=5 ; gesture name=nod"},

	// No tool fits.
	{Text: "Hello, how are you?"},
	{Text: "What is your name?"},
	{Text: "Thank you, that was nice."},
	{Text: "Tell me a joke."},
	{Text: "What is seven times eight?"},
	{Text: "Do you like music?"},
	{Text: "Why is the sky blue?"},
	{Text: "Explain in one sentence what a robot is."},
	{Text: "Please make me a coffee."},
	{Text: "Open the window."},
	{Text: "Drive to the kitchen."},
	{Text: "Send an e-mail to my boss."},
	{Text: "Never mind."},
	{Text: "I had a long day at work."},
	{Text: "Translate 'good evening' into French."},
	{Text: "Yesterday you looked to the left. That was funny."},
	{Text: "My sister always says that I should look up more often."},
	{Text: "What would happen if you turned your head too far?"},
}

//go:embed heldout.txt
var heldOut string

//go:embed unseen.txt
var unseen string

// HeldOut are requests of which nothing was used to choose words, examples or instructions before they were first measured.
func HeldOut() []Request { return listed(heldOut, false) }

// Unseen are requests of which nobody reads what became of a single one: a suite says of them only how many failed in which way.
func Unseen() []Request { return listed(unseen, true) }

// Listed reads requests of one's own: lines "sentence = want"; what begins with # is left out.
func Listed(text string) []Request { return listed(text, false) }

// listed reads lines "sentence = want".
func listed(text string, hidden bool) []Request {
	var all []Request
	for line := range strings.Lines(text) {
		if text, want, ok := strings.Cut(strings.TrimSpace(line), " ="); ok && !strings.HasPrefix(line, "#") {
			all = append(all, Request{Text: strings.TrimSpace(text), Want: strings.TrimSpace(want), Hidden: hidden})
		}
	}
	return all
}
