package rehearsal

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/rehearsal/truth"
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
		h := ctx.Value(happenedKey{}).(*truth.Turn)
		h.Tools, h.At = append(h.Tools, tool), append(h.At, j.where(*c))
	}
}

// say is one turn.
func (j *judge) say(c *Conversation, text string, before [][2]string) *truth.Turn {
	h := &truth.Turn{Within: j.within, Said: before, Before: j.where(c), Were: j.were}
	turn, err := c.Say(context.WithValue(j.t.Context(), happenedKey{}, h), text)
	if err != nil {
		j.t.Error(err)
	}
	h.Text, h.Reply, h.Stopped, h.Pose = turn.Text, turn.Reply, turn.Stopped, j.where(c)
	for _, s := range turn.Steps {
		h.Steps = append(h.Steps, truth.Step(s))
	}
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

func (j *judge) compare(h *truth.Turn) {
	bad, checked := h.Untruths()
	j.checked += checked
	if h.Moved() {
		j.moved++
	}
	if len(bad) == 0 {
		return
	}
	if j.lies++; j.lies < 12 {
		j.t.Errorf("%q\n  said  %q\n  reply %q\n  not so: %v\n  before %+v\n  tools  %v %+v\n  after  %+v",
			h.Said, h.Text, h.Reply, bad, h.Before, h.Tools, h.At, h.Pose)
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
