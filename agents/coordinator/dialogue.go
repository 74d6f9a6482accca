package coordinator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/perception/language"
)

// readIn says what a sentence of a session means after what was said and done before; of one that is unsure, what to ask. What
// breaks in it must not take the robot down: then the planner's own plan counts.
func (c *Coordinator) readIn(session string, u *language.Utterance, plan planner.Plan, unsure bool) (r dialogue.Reading) {
	plain := dialogue.Reading{Plan: plan, Text: u.Text}
	defer func() {
		if v := recover(); v != nil {
			c.o.Failed(fmt.Errorf("dialogue, sentence %q: panic: %v", u.Text, v))
			r = plain
		}
	}()
	if stops(plan) {
		return plain
	}
	now, known := c.now()
	if alone := !known || hears(plan); alone && unsure {
		return new(dialogue.State).Whether(&plain)
	} else if alone {
		return plain
	}
	if c.o.Runtime != nil {
		now.Name = c.o.Runtime.Called()
	}
	s := c.sessions.get(session)
	defer s.release()
	state := s.conversation()
	r = state.Read(c.o.Planner, u, plan, now)
	if unsure {
		r = state.Whether(&r)
	}
	return r
}

type unsureKey struct{}

// WithUnsure returns a context for Turn of a sentence that was only probably said: the robot asks before it does it.
func WithUnsure(ctx context.Context) context.Context {
	return context.WithValue(ctx, unsureKey{}, true)
}

// Unsure reports whether ctx is that of a sentence that was only probably said.
func Unsure(ctx context.Context) bool { return ctx.Value(unsureKey{}) != nil }

// stops reports whether a plan begins with a stop.
func stops(p planner.Plan) bool { return len(p.Steps) > 0 && p.Steps[0].Tool == stopTool }

// hears reports whether a plan is that the robot listens, or does not: "listen again" does nothing a second time.
func hears(p planner.Plan) bool { return len(p.Steps) == 1 && p.Steps[0].Tool == "listen" }

// believed is how far, in degrees, a state may be from where the last step ended and still be the one before its end.
const believed = 1.5

// now is where the robot is: where the last step has brought it, when the newest state is as near to that as one can be that
// was written before the end of the step.
func (c *Coordinator) now() (dialogue.Now, bool) {
	if c.o.World == nil {
		return dialogue.Now{}, false
	}
	now, known := c.o.World.Now()
	c.goalMu.Lock()
	defer c.goalMu.Unlock()
	if known && c.goal != nil {
		now.Pose = dialogue.Snap(now.Pose, *c.goal, believed)
	}
	return now, known
}

// reached notes where a step has brought the robot.
func (c *Coordinator) reached(s planner.Step, from dialogue.Pose) {
	to := dialogue.After(s, from)
	c.goalMu.Lock()
	defer c.goalMu.Unlock()
	c.goal = &to
}

// resolved is a step as it is run now, and what the robot says of its limits.
func (c *Coordinator) resolved(s planner.Step, start dialogue.Pose) (step planner.Step, limits []dialogue.Limit, from dialogue.Pose) {
	now, known := c.now()
	if !known {
		return s, nil, start
	}
	step, limits = dialogue.Resolve(s, start, now.Pose)
	return step, limits, now.Pose
}

// louder is a step with the volume that a wish for a change comes to.
func (c *Coordinator) louder(ctx context.Context, s planner.Step) planner.Step {
	if s.Change == 0 || c.o.Volume == nil {
		return s
	}
	now, err := c.o.Volume(ctx)
	if err != nil {
		return s // the tool will say why
	}
	return s.Louder(now)
}

// places are tools that bring the robot to a place of their own: what follows them in a sentence counts from there.
var places = map[string]bool{
	"wake_up": true, "go_to_sleep": true, "goto_pose": true, "look_at": true, "play_move": true, "express_emotion": true,
	"find_object": true, "follow_object": true,
}

// settled is where the robot is now; else where it was.
func (c *Coordinator) settled(start dialogue.Pose) dialogue.Pose {
	if now, known := c.now(); known {
		return now.Pose
	}
	return start
}

// limited says in the result of a step that the robot can go no further; where it was there already that is all there is to say.
func limited(r *tool.Result, limits []dialogue.Limit) {
	if !r.OK() || len(limits) == 0 {
		return
	}
	moves := false
	var said []string
	for _, l := range limits {
		moves = moves || l.Moves
		if o, ok := r.Data.(tools.Outcome); ok && o.After != nil && (short(&o) || !l.Reached(poseOf(o.After))) {
			moves = true // how far it came is in the tool's own words
			continue
		}
		said = append(said, l.String())
	}
	if moves {
		said = append([]string{strings.TrimSpace(r.Message)}, said...)
	}
	r.Message = strings.Join(said, " ")
}

// short reports whether a tool has said itself that it came less far.
func short(o *tools.Outcome) bool {
	return slices.ContainsFunc(o.Changes, func(c tools.Change) bool { return c.Unit != "s" })
}

// answered gives the answer to what was asked of the state, in place of the words for all of it.
func (c *Coordinator) answered(step *Step, r *dialogue.Reading) {
	if r.Answer == nil || step.Tool != stateTool || !step.Result.OK() {
		return
	}
	if now, known := c.now(); known {
		step.Result.Message = r.Answer(now.Pose)
	}
}

// stateTool tells where the robot is.
const stateTool = "get_robot_state"

// poseOf is a measured place as the dialogue has it.
func poseOf(p *tools.Place) dialogue.Pose {
	return dialogue.Pose{Head: dialogue.Head(p.Head), BodyYaw: p.BodyYaw, Antennas: dialogue.Antennas{Left: p.Antennas.Left, Right: p.Antennas.Right}}
}

// begin notes in the session that a turn begins to do what it reads, and returns where the robot is.
func (c *Coordinator) begin(t *Trace) (start dialogue.Pose, known bool) {
	now, known := c.now()
	if !known {
		return start, false
	}
	t.before = &now.Pose
	if stops(t.Plan) { // it waits for nothing, not even for the store
		return now.Pose, true
	}
	c.sessions.change(t.Session, func(s *dialogue.State) { s.Begin(&t.reading, now.Pose) })
	if t.reading.Base != nil {
		return *t.reading.Base, true
	}
	return now.Pose, true
}

// beginOther notes that the runtime answers a turn: what the robot has asked is over.
func (c *Coordinator) beginOther(t *Trace) {
	t.reading = t.reading.Unread()
	c.begin(t)
}

// end notes where the turn has brought the robot.
func (c *Coordinator) end(t *Trace) {
	now, known := c.now()
	if !known || t.before == nil || stops(t.Plan) {
		return
	}
	c.sessions.change(t.Session, func(s *dialogue.State) { s.End(&t.reading, *t.before, now.Pose, t.OK()) })
	t.before = nil
}
