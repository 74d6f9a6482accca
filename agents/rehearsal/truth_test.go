package rehearsal

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/dialogue"
)

// grammar makes sentences: an upper-case word stands for one of its alternatives.
var grammar = map[string][]string{
	"SENTENCE": {
		"turn SIDE", "turn SIDE NUMBER degrees", "turn your body SIDE by NUMBER degrees", "look SIDE", "look HEIGHT", "look NUMBER degrees SIDE",
		"look SIDE and HEIGHT", "tilt your head to the SIDE", "look straight ahead", "face forward", "turn your body to the front", "centre your head",
		"turn your head SIDE NUMBER degrees", "look a little SIDE", "look far SIDE", "nod", "dance", "bow twice", "wiggle your antennas",
		"again", "undo", "a bit more", "the other way", "stop", "stop dancing", "stop doing that", "you may move again", "carry on", "please stop",
		"stop and look SIDE", "turn SIDE, then stop", "move your antennas up", "raise your SIDE antenna", "how are you doing", "wait 2 seconds",
		"turn to NUMBER degrees", "go to the neutral pose", "turn SIDE to NUMBER degrees", "turn by NUMBER degrees", "to the SIDE",
		"the same with your body", "now to minus NUMBER", "everything back to zero", "undo the undo", "hold still", "not so far",
		"NUMBER more", "again, but only NUMBER", "roll NUMBER degrees to the SIDE", "oh nice, a bit more", "stop talking", "no, SIDE",
	},
	"SIDE": {"left", "right"}, "HEIGHT": {"up", "down"}, "NUMBER": {"5", "10", "20", "45", "90", "150", "170"},
}

func sentence(r *rand.Rand, symbol string) string {
	words := strings.Fields(symbol)
	for i, w := range words {
		bare := strings.TrimRight(w, ",")
		if of := grammar[bare]; of != nil {
			words[i] = sentence(r, of[r.IntN(len(of))]) + w[len(bare):]
		}
	}
	return strings.Join(words, " ")
}

// claim is something that a reply says of where the robot is, and how that is compared with where it was and is.
type claim struct {
	says *regexp.Regexp
	true func(m []string, before, after dialogue.Pose) bool
}

// within is how far, in degrees, what is said may be from what is.
const within = 2.0

func near(a, b float64) bool { return math.Abs(a-b) <= within }

// signed is an angle with its side; usual is the one that a side without a number means.
func signed(number, side string, usual float64) float64 {
	v := usual
	if number != "" {
		v, _ = strconv.ParseFloat(number, 64)
	}
	if side == "right" || side == "up" {
		return -v
	}
	return v
}

var claims = []claim{
	{regexp.MustCompile(`turned my body (\d[\d.]*)° to the (left|right)`), func(m []string, b, a dialogue.Pose) bool {
		return near(a.BodyYaw-b.BodyYaw, signed(m[1], m[2], 0))
	}},
	{regexp.MustCompile(`so that it faces (\d[\d.]*)° to the (left|right)`), func(m []string, _, a dialogue.Pose) bool {
		return near(a.BodyYaw, signed(m[1], m[2], 0))
	}},
	{regexp.MustCompile(`turned my body to the front|facing the front`), func(_ []string, _, a dialogue.Pose) bool { return near(a.BodyYaw, 0) }},
	{regexp.MustCompile(`(?:I looked|looking)(?: [^.,]*and)? (?:(\d[\d.]*)° )?(left|right)`), func(m []string, _, a dialogue.Pose) bool {
		return near(a.Head.Yaw, signed(m[1], m[2], 30))
	}},
	{regexp.MustCompile(`(?:I looked|looking)(?: [^.,]*and)? (?:(\d[\d.]*)° )?(up|down)`), func(m []string, _, a dialogue.Pose) bool {
		return near(a.Head.Pitch, signed(m[1], m[2], 20))
	}},
	{regexp.MustCompile(`(?:I looked|looking) straight ahead`), func(_ []string, _, a dialogue.Pose) bool {
		return math.Abs(a.Head.Yaw) <= 3+within && math.Abs(a.Head.Pitch) <= 3+within
	}},
	{regexp.MustCompile(`as far (left|right) as I can go \((\d[\d.]*)°\)`), func(m []string, _, a dialogue.Pose) bool {
		v := signed(m[2], m[1], 0)
		return near(a.BodyYaw, v) || near(a.Head.Yaw, v)
	}},
	{regexp.MustCompile(`I was already`), func(_ []string, b, a dialogue.Pose) bool {
		return near(a.BodyYaw, b.BodyYaw) && near(a.Head.Yaw, b.Head.Yaw) && near(a.Head.Pitch, b.Head.Pitch) && near(a.Head.Roll, b.Head.Roll)
	}},
	{regexp.MustCompile(`^(I am not moving|I am not dancing|I may move again|I am not stopped|I was told to stop)`), func(_ []string, b, a dialogue.Pose) bool {
		return a == b
	}},
}

// movement is what a reply tells of a movement of head or body.
var movement = regexp.MustCompile(`looked|turned my body`)

// along is where the robot was before and after the movement i of the last n of a turn, by the goals of its steps; the last one ends
// where the robot is.
func along(turn *Turn, i, n int) (from, to dialogue.Pose) {
	poses := []dialogue.Pose{turn.Before}
	for _, s := range turn.Steps {
		p := poses[len(poses)-1]
		var goal struct{ Yaw, Pitch, Roll *float64 }
		if json.Unmarshal(s.Args, &goal) != nil {
			continue
		}
		set := func(at, v *float64) {
			if v != nil {
				*at = *v
			}
		}
		switch s.Tool {
		case "turn_body":
			carried := p.Head.Yaw - p.BodyYaw
			set(&p.BodyYaw, goal.Yaw)
			p.Head.Yaw = p.BodyYaw + carried
		case "move_head":
			set(&p.Head.Yaw, goal.Yaw)
			set(&p.Head.Pitch, goal.Pitch)
			set(&p.Head.Roll, goal.Roll)
		default:
			continue
		}
		poses = append(poses, p)
	}
	if k := len(poses) - n + i; k > 0 && k < len(poses) {
		from, to = poses[k-1], poses[k]
		if k == len(poses)-1 {
			to = turn.Pose
		}
		return from, to
	}
	return turn.Before, turn.Pose
}

var did = regexp.MustCompile(`^I (turned|looked|nodded|danced|bowed|wiggled|moved|tilted)`)

// untruths are what of a reply is not so.
func untruths(turn *Turn) (all []string) {
	for _, c := range claims {
		movements := movement.FindAllStringIndex(turn.Reply, -1)
		ends := c.says.FindAllStringIndex(turn.Reply, -1)
		for k, m := range c.says.FindAllStringSubmatch(turn.Reply, -1) {
			from, to := turn.Before, turn.Pose
			if len(movements) > 1 { // each of several movements in a row ends where its own step went
				i := -1
				for _, at := range movements {
					if at[0] < ends[k][1] {
						i++
					}
				}
				from, to = along(turn, i, len(movements))
			}
			if !c.true(m, from, to) {
				all = append(all, fmt.Sprintf("%q", m[0]))
			}
		}
	}
	latched := len(turn.Steps) == 1 && turn.Steps[0].Tool == "stop" && string(turn.Steps[0].Args) == "{}"
	if strings.HasPrefix(turn.Reply, "I stopped. ") != (turn.Stopped && latched) {
		all = append(all, "whether it is stopped")
	}
	if turn.Stopped && did.MatchString(turn.Reply) {
		all = append(all, "that it moved while it is stopped")
	}
	return all
}

// dialogues is how many random conversations are held: make truth holds 1000.
var dialogues = flag.Int("dialogues", 60, "random conversations whose replies are compared with where the robot is")

// No reply of a random dialogue says of the robot what is not so. The checker knows nothing of how replies are made.
func TestRepliesAreTrue(t *testing.T) {
	const turns = 8
	dialogues := *dialogues
	r := rand.New(rand.NewPCG(11, 2)) //nolint:gosec // the same dialogues each time
	stage := newStage(t)
	checked, moved, lies := 0, 0, 0
	for range dialogues {
		c := stage.Begin()
		var said []string
		for range turns {
			text := sentence(r, "SENTENCE")
			turn, err := c.Say(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			said = append(said, text)
			for _, claim := range claims {
				if claim.says.MatchString(turn.Reply) {
					checked++
				}
			}
			if turn.Before != turn.Pose {
				moved++
			}
			if bad := untruths(&turn); len(bad) > 0 {
				if lies++; lies < 12 {
					t.Errorf("%q\n  reply %q\n  not so: %v\n  before %+v\n  after  %+v", said, turn.Reply, bad, turn.Before, turn.Pose)
				}
			}
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if checked < dialogues || moved < dialogues {
		t.Errorf("only %d claims were checked, and only %d turns moved the robot", checked, moved)
	}
	t.Logf("%d dialogues, %d claims, %d turns that moved the robot, %d replies that are not so", dialogues, checked, moved, lies)
}
