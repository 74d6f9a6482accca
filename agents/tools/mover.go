package tools

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/hal"
)

// mover asks the body for a movement and waits for its end.
type mover struct{ body Body }

// holdTime is how long the body is given to take the order to hold when a movement is given up.
const holdTime = 2 * time.Second

// Outcome is the data of a moving tool's result. Angles are degrees.
type Outcome struct {
	Outcome  hal.Outcome `json:"outcome"`
	Move     string      `json:"move,omitempty"`
	Duration float64     `json:"duration,omitempty"` // seconds
	Changes  []Change    `json:"changes,omitempty"`
	Before   *Place      `json:"before,omitempty"` // where the robot was, as measured
	After    *Place      `json:"after,omitempty"`  // where it came to rest
	Reason   string      `json:"reason,omitempty"`
	End      string      `json:"end,omitempty"`
}

// Change is a hal.Change in degrees, metres or seconds.
type Change struct {
	Field string  `json:"field"`
	Asked float64 `json:"asked"`
	Given float64 `json:"given"`
	Unit  string  `json:"unit"`
	Limit string  `json:"limit"`
}

// do asks for a movement and waits until it is over. did is what to say when it was done as it was asked: "I nodded".
func (m mover) do(ctx context.Context, req hal.Request, did string) tool.Result {
	return m.doAnd(ctx, req, func(*Place, *Place) string { return did })
}

// doAnd is do with words that are made from where the robot was and where it came to rest; both are nil when that is not known.
func (m mover) doAnd(ctx context.Context, req hal.Request, did func(from, to *Place) string) tool.Result {
	a, end, err := Perform(ctx, m.body, req)
	if a.Outcome == "" {
		return unreached(ctx, err)
	}
	data := Outcome{Outcome: a.Outcome, Move: a.Move, Duration: a.Duration, Changes: inDegrees(a.Changes), Reason: a.Reason}
	if a.Outcome == hal.Rejected {
		r := tool.Errorf(a.Code, "%s", m.refusal(ctx, &a))
		r.Data = data
		return r
	}
	if a.Move != "" && err != nil && ctx.Err() != nil {
		end = m.hold(ctx, a.Move)
	}
	from, to := m.measured(ctx, &end, &data)
	if a.Move != "" {
		if err != nil {
			r := unreached(ctx, err)
			r.Message += soFar(&req, from, to)
			r.Data = data
			return r
		}
		data.End = end.End
		if r, bad := ended(&end); bad {
			r.Message += soFar(&req, from, to)
			r.Data = data
			return r
		}
	}
	text := did(from, to)
	if from != nil && req.BodyYaw == nil && unmoved(&req, data.Before, data.After) {
		text = already(text)
	}
	return tool.Success(sentence(text, came(data.Changes, to)), data)
}

// came are changes with where the robot came to rest, where that is not what it was given, and without those that made no difference.
func came(changes []Change, to *Place) (all []Change) {
	if to == nil {
		return changes
	}
	at := map[string]float64{
		"head.yaw": to.Head.Yaw, "head.pitch": to.Head.Pitch, "head.roll": to.Head.Roll, "body_yaw": to.BodyYaw,
		"antennas.left": to.Antennas.Left, "antennas.right": to.Antennas.Right,
	}
	for _, c := range changes {
		if is, known := at[c.Field]; known && math.Abs(math.Remainder(is-c.Given, 360)) > confirms {
			c.Given = is
			if math.Abs(math.Remainder(is-c.Asked, 360)) <= confirms {
				continue
			}
		}
		all = append(all, c)
	}
	return all
}

// measured notes where a movement began and where the robot came to rest, and returns both in round words; nil when that is not
// known.
func (m mover) measured(ctx context.Context, end *hal.Event, data *Outcome) (from, to *Place) {
	if end.From == nil {
		return nil, nil
	}
	after, goal := end.To, end.Goal
	if after == nil || goal == nil { // it was cut short, and may still be coming to rest
		s, err := m.settled(ctx)
		if err != nil {
			return nil, nil
		}
		after = &hal.Stance{Head: s.Head, BodyYaw: s.BodyYaw, Antennas: s.Antennas}
		goal = &hal.Stance{Head: s.GoalHead, BodyYaw: s.Goal[hal.BodyYaw]}
		goal.Antennas = hal.Antennas{Left: s.Goal[hal.LeftAntenna], Right: s.Goal[hal.RightAntenna]}
	}
	data.Before, data.After = placeOf(end.From), placeOf(after)
	return data.Before, confirmed(data.After, goal)
}

// Performer is a Body that begins a move and waits for its end in one request.
type Performer interface {
	// Perform is Do, and Wait when that began a move. When the answer has come an error is that of Wait.
	Perform(ctx context.Context, req hal.Request) (hal.Answer, hal.Event, error)
}

// Perform asks the body for a move and waits for its end, in one request where the body can.
func Perform(ctx context.Context, b Body, req hal.Request) (a hal.Answer, end hal.Event, err error) {
	if p, ok := b.(Performer); ok {
		return p.Perform(ctx, req)
	}
	if a, err = b.Do(ctx, req); err != nil {
		return hal.Answer{}, end, err
	}
	if a.Move != "" && a.Outcome != hal.Rejected {
		end, err = b.Wait(ctx, a.Move)
	}
	return a, end, err
}

// hold ends the movement that nobody waits for any more, and returns how it ended; one that has replaced it goes on.
func (m mover) hold(ctx context.Context, move string) (end hal.Event) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), holdTime)
	defer cancel()
	if _, err := m.body.Do(ctx, hal.Request{Verb: hal.VerbHold, ID: move}); err == nil { // a body that is gone holds by itself
		end, _ = m.body.Wait(ctx, move) // what it cannot tell is not told
	}
	return end
}

// unreached is the result when no answer came from the body.
func unreached(ctx context.Context, err error) tool.Result {
	if ctx.Err() != nil {
		return tool.Interrupted(ctx)
	}
	return tool.Errorf(hal.CodeUnavailable, "I cannot reach my body: %v.", err)
}

// ended says in words how a movement failed to end as it should.
func ended(e *hal.Event) (tool.Result, bool) {
	switch e.End {
	case hal.EndDone:
		return tool.Result{}, false
	case hal.EndCancelled:
		return tool.Errorf(tool.CodeCancelled, "I was interrupted by another movement."), true
	case hal.EndStopped:
		return tool.Errorf(tool.CodeStopped, "I was stopped%s.", because(e.Reason)), true
	}
	return tool.Errorf(tool.CodeFailed, "I could not finish the movement%s.", because(e.Reason)), true
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + strings.TrimSuffix(reason, ".")
}

// HowToRelease says in one sentence that the robot is stopped, and how it goes on.
func HowToRelease(s *hal.State) string {
	if s.EStopBy == hal.BySpeech {
		return `I was told to stop: say "you may move again" first.`
	}
	return "My emergency stop is on" + inBrackets(s.EStopReason) + ": only a reset releases it (`reachyctl reset`)."
}

func inBrackets(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + strings.TrimSuffix(reason, ".") + ")"
}

// refusal says in words why the body does not move.
func (m mover) refusal(ctx context.Context, a *hal.Answer) string {
	switch a.Code {
	case hal.CodeEStop:
		s, err := m.body.State(ctx)
		if err != nil {
			s = hal.State{}
		}
		return HowToRelease(&s)
	case hal.CodeTorqueOff:
		return `My motors are off: say "wake up".`
	case hal.CodeUnreachable:
		return "I cannot reach that pose" + because(a.Reason) + "."
	case hal.CodeBusy:
		return "I have too much to do already" + because(a.Reason) + "."
	case hal.CodeLease:
		return "Somebody else is steering me" + because(a.Reason) + "."
	}
	if a.Reason == "" {
		return "My body refuses it."
	}
	return strings.ToUpper(a.Reason[:1]) + strings.TrimSuffix(a.Reason[1:], ".") + "."
}

func degrees(rad float64) float64 { return rad * 180 / math.Pi }

func radians(deg float64) float64 { return deg * math.Pi / 180 }

// tenth rounds to one decimal, and −0 to 0.
func tenth(v float64) float64 { return math.Round(v*10)/10 + 0 }

func inDegrees(changes []hal.Change) []Change {
	if len(changes) == 0 {
		return nil
	}
	all := make([]Change, len(changes))
	for i, c := range changes {
		all[i] = Change{Field: c.Field, Asked: c.Asked, Given: c.Given, Unit: "°", Limit: c.Limit}
		switch tail := c.Field[strings.LastIndexByte(c.Field, '.')+1:]; tail {
		case "x", "y", "z":
			all[i].Unit = "m"
		case "duration":
			all[i].Unit = "s"
		default:
			all[i].Asked, all[i].Given = tenth(degrees(c.Asked)), tenth(degrees(c.Given))
		}
	}
	return all
}

// worth is from how many degrees on a limit is worth a word.
const worth = 0.5

// sentence says what was done, and what of it could not be done as asked.
func sentence(did string, changes []Change) string {
	var only []string
	slower := ""
	for _, c := range changes {
		asked, given := tenth(c.Asked), tenth(c.Given)
		if c.Unit == "m" {
			asked, given = math.Round(c.Asked*1000), math.Round(c.Given*1000)
		}
		if asked == given || c.Unit == "°" && math.Abs(asked-given) < worth {
			continue // too little to be worth a word
		}
		if c.Field == "duration" {
			slower = fmt.Sprintf(", in %s s instead of %s s, which is as fast as I can",
				tool.FormatNumber(given), tool.FormatNumber(asked))
			continue
		}
		only = append(only, limited(c.Field, asked, given)+" ("+c.Limit+")")
	}
	if len(only) > 0 {
		return "I could only " + verbalize.List(only) + slower + "."
	}
	return did + slower + "."
}

// limited says how far a part of the robot went instead of how far it should have gone.
func limited(field string, asked, given float64) string {
	switch field {
	case "head.yaw":
		return "turn my head " + toSide(given, "left", "right") + " instead of " + toSide(asked, "left", "right")
	case "head.pitch":
		return "look " + toSide(given, "down", "up") + " instead of " + toSide(asked, "down", "up")
	case "head.roll":
		return "tilt my head " + toSide(given, "to the right", "to the left") + " instead of " + toSide(asked, "to the right", "to the left")
	case "body_yaw":
		return "turn my body " + toSide(given, "left", "right") + " instead of " + toSide(asked, "left", "right")
	case "antennas.left", "antennas.right":
		return fmt.Sprintf("move my %s antenna to %s° instead of %s°", strings.TrimPrefix(field, "antennas."),
			tool.FormatNumber(given), tool.FormatNumber(asked))
	case "head.x", "head.y", "head.z":
		return fmt.Sprintf("shift my head by %s mm instead of %s mm", tool.FormatNumber(given), tool.FormatNumber(asked))
	}
	return fmt.Sprintf("follow %s with %s instead of %s", field, tool.FormatNumber(given), tool.FormatNumber(asked))
}

// toSide writes a signed angle: 30° left.
func toSide(deg float64, plus, minus string) string {
	switch {
	case deg > 0:
		return tool.FormatNumber(deg) + "° " + plus
	case deg < 0:
		return tool.FormatNumber(-deg) + "° " + minus
	}
	return "straight (0°)"
}
