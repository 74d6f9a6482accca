package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

// StopReason is the reason that the stop tool gives to the body.
const StopReason = "stop was said"

// HowToGoOn is what the robot says to those who have stopped it by speech.
const HowToGoOn = `Say "you may move again" to let me go on.`

// Ears can be switched off and on.
type Ears interface {
	// Mute makes the robot deaf, or hear again.
	Mute(ctx context.Context, on bool) error
}

// The voice and the eyes may also know these.
type (
	husher interface {
		Hush(ctx context.Context) error
	}
	meter interface {
		Volume(ctx context.Context) (int, error)
	}
	talker interface {
		Speaking(ctx context.Context) (bool, error)
	}
	tracker interface {
		Tracking(ctx context.Context) (bool, error)
	}
)

// The kinds of activity that stop ends; gestures are named by themselves.
const (
	whatMotion = "motion"
	whatSpeech = "speech"
	whatIdle   = "idle"
)

// Ended is the data of a stop that latches nothing.
type Ended struct {
	What  string   `json:"what"`
	Ended []string `json:"ended"` // what it ended: "gesture dance", "goto", "wait"
}

type ongoing struct{}

// WithOngoing returns a context in which the tool stop knows what was going on before the caller interrupted it: moves as
// the body names them, "wait", "speak".
func WithOngoing(ctx context.Context, activities []string) context.Context {
	return context.WithValue(ctx, ongoing{}, activities)
}

// stopper is what the tool stop works with.
type stopper struct {
	mover  mover
	vision Vision
	voice  Speaker
}

func stop(s stopper) tool.Tool {
	return tool.Func(Spec("stop"), func(ctx context.Context, a struct{ Only string }) tool.Result {
		switch a.Only {
		case "":
			return s.latch(ctx)
		case whatIdle:
			return s.still(ctx)
		case whatSpeech:
			return s.hush(ctx)
		}
		return s.end(ctx, a.Only)
	})
}

// latch is the emergency stop.
func (s stopper) latch(ctx context.Context) tool.Result {
	category := 1
	req := hal.Request{Verb: hal.VerbStop, Category: &category, Reason: StopReason, Source: "tool"}
	message := "I stopped, and I stay still until the stop is reset."
	if tool.Spoken(ctx) {
		req.Source, message = hal.BySpeech, "I stopped. "+HowToGoOn
	}
	a, err := s.mover.body.Do(ctx, req)
	if err != nil {
		return unreached(ctx, err)
	}
	if a.Outcome == hal.Rejected {
		return tool.Errorf(a.Code, "%s", s.mover.refusal(ctx, &a))
	}
	if now, err := s.mover.body.State(ctx); err == nil && now.EStop && now.EStopBy != req.Source {
		message = "I stopped. " + HowToRelease(&now)
	}
	return tool.Success(message, Outcome{Outcome: a.Outcome})
}

// end ends what moves, and says what that was. Who names something that is not going on means what is.
func (s stopper) end(ctx context.Context, what string) tool.Result {
	before, known := ctx.Value(ongoing{}).([]string)
	if !known {
		now, err := s.mover.body.State(ctx)
		if err != nil {
			return unreached(ctx, err)
		}
		before = Moving(&now)
	}
	before = slices.DeleteFunc(slices.Clone(before), func(a string) bool { return a == "speak" })
	if a, err := s.mover.body.Do(ctx, hal.Request{Verb: hal.VerbHold}); err != nil {
		return unreached(ctx, err)
	} else if a.Outcome == hal.Rejected {
		return tool.Errorf(a.Code, "%s", s.mover.refusal(ctx, &a))
	}
	if what == whatMotion && s.unfollow(ctx) {
		before = append(before, "track")
	}
	data := Ended{what, before}
	is := func(a string) bool { return isActivity(a, what) }
	switch {
	case len(before) == 0:
		return tool.Success("I am not "+gerunds(what)+".", data)
	case slices.ContainsFunc(before, is):
		return tool.Success("I stopped "+saidDoing(before)+".", data)
	}
	return tool.Success("I was not "+gerunds(what)+"; I stopped "+saidDoing(before)+".", data)
}

// unfollow ends following with the eyes and reports whether that was going on.
func (s stopper) unfollow(ctx context.Context) bool {
	t, ok := s.vision.(tracker)
	if !ok {
		return false
	}
	on, err := t.Tracking(ctx)
	return err == nil && on && s.vision.Track(ctx, false) == nil
}

// still ends breathing.
func (s stopper) still(ctx context.Context) tool.Result {
	off := false
	a, err := s.mover.body.Do(ctx, hal.Request{Verb: hal.VerbIdle, On: &off})
	switch {
	case err != nil:
		return unreached(ctx, err)
	case a.Outcome == hal.Rejected:
		return tool.Errorf(a.Code, "%s", s.mover.refusal(ctx, &a))
	}
	return tool.Success("I keep still while nobody asks me for anything.", Ended{whatIdle, []string{}})
}

// hush ends what is being said.
func (s stopper) hush(ctx context.Context) tool.Result {
	before, _ := ctx.Value(ongoing{}).([]string)
	speaks := slices.Contains(before, "speak")
	if t, ok := s.voice.(talker); ok { // it may say a reply
		on, err := t.Speaking(ctx)
		speaks = speaks || err == nil && on
	}
	h, ok := s.voice.(husher)
	if ok {
		if err := h.Hush(ctx); err != nil {
			return failed(ctx, "be quiet", err)
		}
	}
	if !speaks {
		return tool.Success("I am not saying anything.", Ended{whatSpeech, []string{}})
	}
	return tool.Success("I stopped talking.", Ended{whatSpeech, []string{"speak"}})
}

func listen(e Ears, why string) tool.Tool {
	return tool.Func(available("listen", e == nil, why), func(ctx context.Context, a struct{ Enabled bool }) tool.Result {
		if err := e.Mute(ctx, !a.Enabled); err != nil {
			return failed(ctx, "change whether I listen", err)
		}
		if a.Enabled {
			return tool.Success("I listen again.", map[string]any{"listening": true})
		}
		return tool.Success(`I do not listen any more, not even to "stop". Write "listen again" to me to end that.`, map[string]any{"listening": false})
	})
}

// Moving is what a state says is going on, as WithOngoing takes it.
func Moving(s *hal.State) []string {
	if !s.Moving || s.MoveName == "" {
		return nil
	}
	return []string{s.MoveName}
}

// Activities are what calls of a tool do, as WithOngoing takes it; nothing for what neither moves nor takes time.
func Activities(name string, args map[string]any) []string {
	text := func(key string) string {
		v, _ := args[key].(string)
		return v
	}
	switch name {
	case "gesture":
		return []string{"gesture " + text("name")}
	case "express_emotion":
		return []string{"emotion " + text("emotion")}
	case "play_move":
		return []string{"play " + text("name")}
	case "wake_up":
		return []string{"wake"}
	case "go_to_sleep":
		return []string{"sleep"}
	case "wait", "speak":
		return []string{name}
	case "track_face", "repeat", "stop":
		return nil
	}
	if t := catalog.ToolNamed(name); t != nil && t.Moves {
		return []string{"goto"}
	}
	return nil
}

// isActivity reports whether an activity is of a kind.
func isActivity(activity, what string) bool {
	verb, name, _ := strings.Cut(activity, " ")
	return what == whatMotion || verb == what || verb == "gesture" && name == what || what == "goto" && verb == "target"
}

// saidDoing says activities: "dancing and waiting".
func saidDoing(activities []string) string {
	var said []string
	for _, a := range activities {
		verb, name, _ := strings.Cut(a, " ")
		var text string
		switch verb {
		case "gesture":
			text = gerunds(name)
		case "emotion":
			text = "showing that I am " + name
		default:
			text = gerunds(verb)
		}
		if !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	return verbalize.List(said)
}

// gerunds says what is done, by the name of a gesture or of a kind of activity.
func gerunds(what string) string {
	act := what
	if g := catalog.GestureNamed(what); g != nil {
		act = g.Act
	}
	switch what {
	case "emotion":
		return "showing an emotion"
	case "play":
		return "playing a move"
	case "wait":
		return "waiting"
	case "wake":
		return "waking up"
	case "sleep":
		return "going to sleep"
	case "track":
		return "following with my eyes"
	case whatMotion, "goto", "target":
		return "moving"
	}
	verb, rest, more := strings.Cut(act, " ")
	if more {
		return language.Gerund(verb) + " " + rest
	}
	return language.Gerund(verb)
}
