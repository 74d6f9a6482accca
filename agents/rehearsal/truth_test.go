package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
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
		"NUMBER more", "again, but only NUMBER",
		"lower your SIDE antenna", "both antennas to NUMBER", "SIDE antenna to minus NUMBER", "now the other antenna", "look as far SIDE as you can",
		"turn around", "shake your head", "be happy", "go to sleep", "wake up", "good morning, look SIDE", "faster", "twice more", "SIDE a bit, then HEIGHT",
		"look at the duck", "where is the apple", "where are you looking", "how far are you turned", "which way is your head pointing",
		"what are your antennas doing", "what did you just do", "are you moving", "look HEIGHT NUMBER degrees and turn SIDE", "lean your head SIDE NUMBER",
		"how is your head tilted", "which antenna is down", "where is your SIDE antenna", "how far down are they",
		"where were you before", "turn SIDE quickly", "slowly look HEIGHT", "are you facing SIDE",
		"roll NUMBER degrees to the SIDE", "oh nice, a bit more", "stop talking", "no, SIDE",
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

// happened is what came to pass in a turn: where the robot was before it, after each of its tool calls, and at its end.
type happened struct {
	*Turn
	tools  []string
	at     []dialogue.Pose // after each tool call
	within float64         // how far, in degrees, what is said may be from what is
	before [][2]string     // sentences of the conversation and their replies
	were   []dialogue.Pose // where the robot was before the turns until then
}

func (h *happened) near(a, b float64) bool { return math.Abs(math.Remainder(a-b, 360)) <= h.within }

// same reports whether two places are one, as far as one can tell.
func (h *happened) same(a, b *dialogue.Pose) bool {
	return h.near(a.BodyYaw, b.BodyYaw) && h.near(a.Head.Yaw, b.Head.Yaw) && h.near(a.Head.Pitch, b.Head.Pitch) && h.near(a.Head.Roll, b.Head.Roll) &&
		h.near(a.Antennas.Left, b.Antennas.Left) && h.near(a.Antennas.Right, b.Antennas.Right)
}

// claim is something that a reply says of where the robot is, and how that is compared with where it was and is.
type claim struct {
	tool string // whose calls it is about; empty: it is about the turn
	says *regexp.Regexp
	true func(h *happened, m []string, from, to *dialogue.Pose) bool

	within bool // it is about a way, which may lead back where it began
}

// signed is an angle with its side; usual is the one that a side without a number means.
func signed(number, side string, usual float64) float64 {
	v := usual
	if number != "" {
		v, _ = strconv.ParseFloat(strings.Replace(number, "−", "-", 1), 64)
	}
	if side == "right" || side == "up" || side == "inward" {
		return -v
	}
	return v
}

// antenna returns the angle of one.
func antenna(p *dialogue.Pose, side string) float64 {
	if side == "left" {
		return p.Antennas.Left
	}
	return p.Antennas.Right
}

// moves are claims of how far something went, by what it is, and the axis; + is the first side.
func moves(tool, what, sides string, of func(*dialogue.Pose) float64) claim {
	return claim{tool, regexp.MustCompile(what + ` (\d[\d.]*)° ` + sides), func(h *happened, m []string, from, to *dialogue.Pose) bool {
		return h.near(of(to)-of(from), signed(m[1], m[2], 0))
	}, true}
}

// ends are claims of where something is.
func ends(tool, says string, usual float64, of func(*dialogue.Pose) float64) claim {
	return claim{tool: tool, says: regexp.MustCompile(says), true: func(h *happened, m []string, _, to *dialogue.Pose) bool {
		return h.near(of(to), signed(m[1], m[2], usual))
	}}
}

// stays are claims that something is as it was.
func stays(tool, says string, of ...func(*dialogue.Pose) float64) claim {
	return claim{tool: tool, says: regexp.MustCompile(says), true: func(h *happened, _ []string, from, to *dialogue.Pose) bool {
		for _, v := range of {
			if !h.near(v(to), v(from)) {
				return false
			}
		}
		return true
	}}
}

// were are claims of where something was at some time before.
func were(says string, of func(*dialogue.Pose) float64) claim {
	return claim{says: regexp.MustCompile(says), true: func(h *happened, m []string, _, to *dialogue.Pose) bool {
		at := func(p dialogue.Pose) bool { return h.near(of(&p), signed(m[1], m[2], 0)) }
		return at(*to) || slices.ContainsFunc(h.were, at)
	}}
}

func yawOf(p *dialogue.Pose) float64   { return p.Head.Yaw }
func pitchOf(p *dialogue.Pose) float64 { return p.Head.Pitch }
func rollOf(p *dialogue.Pose) float64  { return -p.Head.Roll } // + is to the robot's left, as with the others
func bodyOf(p *dialogue.Pose) float64  { return p.BodyYaw }
func leftOf(p *dialogue.Pose) float64  { return p.Antennas.Left }
func rightOf(p *dialogue.Pose) float64 { return p.Antennas.Right }

func straight(h *happened, _ []string, _, to *dialogue.Pose) bool {
	return math.Abs(to.Head.Yaw) <= 3+h.within && math.Abs(to.Head.Pitch) <= 3+h.within
}

func front(h *happened, _ []string, _, to *dialogue.Pose) bool { return h.near(to.BodyYaw, 0) }

const (
	aSide   = `(?:to the )?(left|right)\b`
	anAngle = `(?:(\d[\d.]*)° )?`
	seen    = `\b(?:looked|looking)(?: (?:[^.,]|\.\d)*?and)? `
)

var claims = []claim{
	moves("turn_body", `\bturned my body`, aSide, bodyOf),
	ends("turn_body", `so that it faces (\d[\d.]*)° `+aSide, 0, bodyOf),
	ends("turn_body", `with my body turned (\d[\d.]*)° `+aSide, 0, bodyOf),
	ends("turn_body", `\bonly turn my body (\d[\d.]*)° `+aSide, 0, bodyOf),
	{tool: "turn_body", says: regexp.MustCompile(`turned my body to the front|facing the front`), true: front},
	stays("turn_body", `already there, with my body|already facing`, bodyOf),
	ends("move_head", seen+anAngle+`(left|right)\b`, 30, yawOf),
	ends("move_head", seen+anAngle+`(up|down)\b`, 20, pitchOf),
	ends("move_head turn_body", `\bonly (?:.*? and )?turn my head (\d[\d.]*)° `+aSide, 0, yawOf),
	ends("move_head turn_body", `\bonly (?:.*? and )?look (\d[\d.]*)° (up|down)\b`, 0, pitchOf),
	ends("move_head turn_body", `\bonly (?:.*? and )?tilt my head (\d[\d.]*)° `+aSide, 0, rollOf),
	ends("move_head", `\b(?:tilted my head|my head tilted) `+anAngle+`to the (left|right)\b`, 20, rollOf),
	{tool: "move_head", says: regexp.MustCompile(`(?:looked|looking) straight ahead`), true: straight},
	{tool: "move_head", says: regexp.MustCompile(`(?:held|holding) my head level`), true: func(h *happened, _ []string, _, to *dialogue.Pose) bool {
		return h.near(to.Head.Roll, 0)
	}},
	stays("move_head", `already looking|already had my head|already held`, yawOf, pitchOf, rollOf),
	{
		tool: "set_antennas", says: regexp.MustCompile(`\bonly (?:.*? and )?move my (left|right) antenna to ([−-]?\d[\d.]*)°`),
		true: func(h *happened, m []string, _, to *dialogue.Pose) bool {
			return h.near(antenna(to, m[1]), signed(m[2], "", 0))
		},
	},
	{tool: "set_antennas", says: regexp.MustCompile(`\bmoved my (left|right) antenna`), true: func(h *happened, m []string, from, to *dialogue.Pose) bool {
		other := map[string]string{"left": "right", "right": "left"}[m[1]]
		return antenna(from, m[1]) != antenna(to, m[1]) && h.near(antenna(from, other), antenna(to, other))
	}, within: true},
	stays("set_antennas", `already had my (?:left |right )?antennas? there`, leftOf, rightOf),
	{tool: "goto_pose", says: regexp.MustCompile(`went to my neutral pose`), true: func(h *happened, _ []string, _, to *dialogue.Pose) bool {
		return h.near(to.BodyYaw, 0) && h.near(to.Head.Yaw, 0) && h.near(to.Head.Pitch, 0) && h.near(to.Head.Roll, 0)
	}},
	{
		says: regexp.MustCompile(`as far (?:to the )?(left|right|up|down) as I can go \((\d[\d.]*)°\)`),
		true: func(h *happened, m []string, _, to *dialogue.Pose) bool {
			v := signed(m[2], m[1], 0)
			if m[1] == "up" || m[1] == "down" {
				return h.near(to.Head.Pitch, v)
			}
			return h.near(to.BodyYaw, v) || h.near(to.Head.Yaw, v) || h.near(rollOf(to), v)
		},
	},
	ends("", `\bI look `+anAngle+`(left|right)\b`, 30, yawOf),
	ends("", `\bI look (?:\d[\d.]*° (?:left|right) and )?`+anAngle+`(up|down)\b`, 20, pitchOf),
	ends("", `[Mm]y body is turned (\d[\d.]*)° `+aSide, 0, bodyOf),
	{says: regexp.MustCompile(`\bI look straight ahead`), true: straight},
	{says: regexp.MustCompile(`my body faces the front`), true: front},
	{
		says: regexp.MustCompile(`my antennas are at ([−-]?\d[\d.]*)° \(left\) and ([−-]?\d[\d.]*)° \(right\)`),
		true: func(h *happened, m []string, _, to *dialogue.Pose) bool {
			return h.near(to.Antennas.Left, signed(m[1], "", 0)) && h.near(to.Antennas.Right, signed(m[2], "", 0))
		},
	},
	ends("", `\b[Mm]y yaw is (\d[\d.]*)° to the (left|right)`, 0, yawOf),
	ends("", `\b[Mm]y pitch is (\d[\d.]*)° (up|down)`, 0, pitchOf),
	ends("", `\b[Mm]y roll is (\d[\d.]*)° to the (left|right)`, 0, rollOf),
	ends("", `\b[Mm]y yaw is (0)°()`, 0, yawOf),
	ends("", `\b[Mm]y pitch is (0)°()`, 0, pitchOf),
	ends("", `\b[Mm]y roll is (0)°()`, 0, rollOf),
	ends("", `\b[Mm]y body is at (0)°()`, 0, bodyOf),
	ends("", `[Mm]y yaw is [^,;]*, (\d[\d.]*)° to the (left|right) of my body`, 0, func(p *dialogue.Pose) float64 { return p.Head.Yaw - p.BodyYaw }),
	{
		says: regexp.MustCompile(`[Mm]y (left|right) antenna is (?:up, )?at ([−-]?\d[\d.]*)°(?:, (\d[\d.]*)° down from where it rests)?`),
		true: func(h *happened, m []string, _, to *dialogue.Pose) bool {
			at := antenna(to, m[1])
			return h.near(at, signed(m[2], "", 0)) && (m[3] == "" || h.near(math.Abs(at)-10, signed(m[3], "", 0)))
		},
	},
	were(`\b[Mm]y yaw was (\d[\d.]*)°(?: to the (left|right))?`, yawOf),
	were(`\b[Mm]y yaw was [^,;]*, (\d[\d.]*)° to the (left|right) of my body`, func(p *dialogue.Pose) float64 { return p.Head.Yaw - p.BodyYaw }),
	were(`\b[Mm]y pitch was (\d[\d.]*)° ?(up|down)?`, pitchOf),
	were(`\b[Mm]y roll was (\d[\d.]*)°(?: to the (left|right))?`, rollOf),
	were(`\b[Mm]y body was (?:at|turned) (\d[\d.]*)°(?: to the (left|right))?`, bodyOf),
	were(`\b[Mm]y left antenna was (?:up, )?at ([−-]?\d[\d.]*)°()(?:, \d[\d.]*° down from where it rests)?`, leftOf),
	were(`\b[Mm]y right antenna was (?:up, )?at ([−-]?\d[\d.]*)°()(?:, \d[\d.]*° down from where it rests)?`, rightOf),
	stays("", `^(?:I am not moving|I am not dancing|I may move again|I am not stopped|I was told to stop)`,
		yawOf, pitchOf, rollOf, bodyOf, leftOf, rightOf),
}

// soFar are the claims of how far a movement went that was cut short.
var soFar = []claim{
	moves("turn_body", `\bturned my body`, aSide, bodyOf),
	moves("move_head", `\bturned my head`, aSide, yawOf),
	moves("move_head", `\bmoved my head`, `(down|up)\b`, pitchOf),
	moves("move_head", `\btilted my head`, aSide, rollOf),
	moves("set_antennas", `\bmoved my left antenna`, `(outward|inward)\b`, leftOf),
	moves("set_antennas", `\bmoved my right antenna`, `(outward|inward)\b`, func(p *dialogue.Pose) float64 { return -rightOf(p) }),
	stays("turn_body", `\bnot (?:.*? or )?turned my body`, bodyOf),
	stays("move_head", `\bnot (?:.*? or )?turned my head`, yawOf),
	stays("move_head", `\bnot (?:.*? or )?moved my head`, pitchOf),
	stays("move_head", `\bnot (?:.*? or )?tilted my head`, rollOf),
	stays("set_antennas", `\bnot (?:.*? or )?moved my left antenna`, leftOf),
	stays("set_antennas", `\bnot (?:.*? or )?moved my right antenna`, rightOf),
}

// unsaid are figures that are no claim of where the robot is: what was asked for, and how far it can go.
var unsaid = regexp.MustCompile(`instead of \d[\d.]*°|^I cannot turn that far: .*|goes no further than [−-]?\d[\d.]*°|The (?:apple|duck) is .*`)

// recalls is a reply that tells of an earlier turn: its sentence and its reply.
var recalls = []struct {
	says          *regexp.Regexp
	text, replied int
}{
	{regexp.MustCompile(`^You said “(.*?)”\. (.*)$`), 1, 2},
	{regexp.MustCompile(`^(.*) That was when you said “(.*?)”\.$`), 2, 1},
}

// recalled reports whether a reply tells of an earlier turn, and whether that was so.
func (h *happened) recalled() (recalled, holds bool) {
	for _, r := range recalls {
		if m := r.says.FindStringSubmatch(h.Reply); m != nil {
			return true, slices.ContainsFunc(h.before, func(b [2]string) bool { return b[0] == m[r.text] && strings.HasPrefix(b[1], m[r.replied]) })
		}
	}
	return false, false
}

var figure = regexp.MustCompile(`\d°`)

// holds reports whether a claim is true of the turn, or of one of its calls of the claim's tool from call first on; next is the
// first call for the next such claim.
func (h *happened) holds(c *claim, m []string, first int) (holds bool, next int) {
	calls := 0
	for i, name := range h.tools {
		if !slices.Contains(strings.Fields(c.tool), name) {
			continue
		}
		calls++
		from := &h.Before
		if i > 0 {
			from = &h.at[i-1]
		}
		if i >= first && c.true(h, m, from, &h.at[i]) {
			return true, i + 1
		}
	}
	return calls == 0 && c.true(h, m, &h.Before, &h.Pose), first
}

var did = regexp.MustCompile(`^I (turned|looked|nodded|danced|bowed|wiggled|moved|tilted)`)

// compared are the claims of a text that are not so, and how many there are.
func (h *happened) compared(text string, claims []claim) (all []string, checked int) {
	rest := []byte(text)
	for i := range claims {
		c, first := &claims[i], 0
		found := c.says.FindAllStringSubmatchIndex(text, -1)
		for k, at := range found {
			if h.rounds() && (k < len(found)-1 || c.within) { // where the robot was within a round nobody has noted
				copy(rest[at[0]:at[1]], bytes.Repeat([]byte("."), at[1]-at[0]))
				continue
			}
			checked++
			said := make([]string, 0, len(at)/2)
			for k := 0; k < len(at); k += 2 {
				said = append(said, text[max(at[k], 0):max(at[k+1], 0)])
			}
			var holds bool
			if holds, first = h.holds(c, said, first); !holds {
				all = append(all, fmt.Sprintf("%q", said[0]))
			}
			copy(rest[at[0]:at[1]], bytes.Repeat([]byte("."), at[1]-at[0]))
		}
	}
	if figure.MatchString(unsaid.ReplaceAllString(string(rest), "")) {
		all = append(all, fmt.Sprintf("a figure that nothing here compares: %q", rest))
	}
	return all, checked
}

// rounds reports whether several movements were repeated together, by one call.
func (h *happened) rounds() bool {
	return slices.ContainsFunc(h.Steps, func(s Step) bool {
		var args struct {
			Steps []json.RawMessage `json:"steps"`
		}
		return s.Tool == "repeat" && json.Unmarshal(s.Args, &args) == nil && len(args.Steps) > 1
	})
}

// untruths are what of a reply is not so, and the number of claims in it.
func (h *happened) untruths() (all []string, checked int) {
	if recalled, holds := h.recalled(); recalled {
		if !holds {
			all = append(all, "what it recalls")
		}
		return all, 1
	}
	reply, byThen, cut := strings.Cut(h.Reply, " By then ")
	all, checked = h.compared(reply, claims)
	if cut {
		more, n := h.compared(byThen, soFar)
		all, checked = append(all, more...), checked+n
		if n == 0 {
			all = append(all, "what it had done by then is not told")
		}
	}
	latched := len(h.Steps) == 1 && h.Steps[0].Tool == "stop" && string(h.Steps[0].Args) == "{}"
	if strings.HasPrefix(h.Reply, "I stopped. ") != (h.Stopped && latched) {
		all = append(all, "whether it is stopped")
	}
	if h.Stopped && did.MatchString(h.Reply) && !slices.Contains(h.tools, "stop") {
		all = append(all, "that it moved while it is stopped")
	}
	return all, checked
}

// How many random conversations are held: make truth holds 1000.
var (
	dialogues = flag.Int("dialogues", 60, "random conversations whose replies are compared with where the robot is")
	servos    = flag.Int("servos", 15, "random conversations whose replies are compared with the registers of simulated servos")
)

// judge holds random conversations and compares what the robot says with where it is.
type judge struct {
	t      *testing.T
	random *rand.Rand
	within float64 // degrees
	where  func(*Conversation) dialogue.Pose

	were                       []dialogue.Pose // before the turns of a conversation
	held, checked, moved, lies int
}

type happenedKey struct{}

// watch notes where the robot is at the end of each tool call.
func (j *judge) watch(stage *Stage, c **Conversation) {
	stage.watch = func(ctx context.Context, tool string) {
		h := ctx.Value(happenedKey{}).(*happened)
		h.tools, h.at = append(h.tools, tool), append(h.at, j.where(*c))
	}
}

// say is one turn.
func (j *judge) say(c *Conversation, text string, before [][2]string) *happened {
	h := &happened{within: j.within, before: before}
	from := j.where(c)
	h.were = j.were
	turn, err := c.Say(context.WithValue(j.t.Context(), happenedKey{}, h), text)
	if err != nil {
		j.t.Error(err)
	}
	h.Turn, turn.Before, turn.Pose = &turn, from, j.where(c)
	return h
}

// hold holds conversations.
func (j *judge) hold(stage *Stage, conversations int) {
	const turns = 8
	var c *Conversation
	j.watch(stage, &c)
	for range conversations {
		c = stage.Begin()
		j.were = nil
		var said [][2]string
		for range turns {
			j.were = append(j.were, j.where(c))
			h := j.say(c, sentence(j.random, "SENTENCE"), said)
			j.compare(h)
			said = append(said, [2]string{h.Text, h.Reply})
		}
		j.close(c)
	}
}

func (j *judge) close(c *Conversation) {
	if err := errors.Join(append(c.Failures(), c.Close(j.t.Context()))...); err != nil {
		j.t.Error(err)
	}
	j.held++
}

func (j *judge) compare(h *happened) {
	bad, checked := h.untruths()
	j.checked += checked
	if !h.same(&h.Before, &h.Pose) {
		j.moved++
	}
	if len(bad) == 0 {
		return
	}
	if j.lies++; j.lies < 12 {
		j.t.Errorf("%q\n  said  %q\n  reply %q\n  not so: %v\n  before %+v\n  tools  %v %+v\n  after  %+v",
			h.before, h.Text, h.Reply, bad, h.Before, h.tools, h.at, h.Pose)
	}
}

// end tells what was compared, which must be something.
func (j *judge) end() {
	if j.checked < j.held || j.moved < j.held {
		j.t.Errorf("only %d claims were checked, and only %d turns moved the robot", j.checked, j.moved)
	}
	j.t.Logf("%d dialogues, %d claims, %d turns that moved the robot, %d replies that are not so", j.held, j.checked, j.moved, j.lies)
}

// No reply of a random dialogue says of the robot what is not so. The checker knows nothing of how replies are made.
func TestRepliesAreTrue(t *testing.T) {
	j := judge{t: t, random: rand.New(rand.NewPCG(11, 2)), within: 2} //nolint:gosec // the same dialogues each time
	j.where = func(c *Conversation) dialogue.Pose {
		s := c.robot.Body().Snapshot()
		return dialogue.FromState(&s).Pose
	}
	j.hold(newStage(t), *dialogues)
	j.end()
}
