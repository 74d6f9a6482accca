package tools

import (
	"context"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
)

// gestures says in words what each gesture is, when it has been made.
var gestures = map[string]string{
	"nod":             "I nodded",
	"shake":           "I shook my head",
	"wiggle_antennas": "I wiggled my antennas",
	"dance":           "I danced",
	"look_around":     "I looked around",
	"bow":             "I bowed",
}

func gesture(m mover) tool.Tool {
	spec := tool.Spec{
		Name:        "gesture",
		Description: "Make a gesture.",
		Parameters: tool.Object(map[string]tool.Schema{
			"name": tool.OneOf("the gesture", "nod", "shake", "wiggle_antennas", "dance", "look_around", "bow"),
		}, "name"),
		Moves: true,
	}
	type args struct{ Name string }
	return tool.Func(spec, func(ctx context.Context, a args) tool.Result {
		return m.do(ctx, hal.Request{Verb: hal.VerbGesture, Name: a.Name}, gestures[a.Name])
	})
}

func expressEmotion(m mover) tool.Tool {
	spec := tool.Spec{
		Name:        "express_emotion",
		Description: "Show an emotion with head and antennas.",
		Parameters: tool.Object(map[string]tool.Schema{
			"emotion": tool.OneOf("the emotion", "happy", "sad", "surprised", "angry", "curious", "confused", "scared",
				"excited", "tired", "loving", "neutral"),
		}, "emotion"),
		Moves: true,
	}
	type args struct{ Emotion string }
	return tool.Func(spec, func(ctx context.Context, a args) tool.Result {
		return m.do(ctx, hal.Request{Verb: hal.VerbEmotion, Name: a.Emotion}, "I showed that I am "+a.Emotion)
	})
}

func wakeUp(m mover) tool.Tool {
	spec := tool.Spec{Name: "wake_up", Description: "Switch the motors on and wake up.", Parameters: tool.Object(nil), Moves: true}
	return tool.Func(spec, func(ctx context.Context, _ struct{}) tool.Result {
		return m.do(ctx, hal.Request{Verb: hal.VerbWake}, "I woke up")
	})
}

func goToSleep(m mover) tool.Tool {
	spec := tool.Spec{Name: "go_to_sleep", Description: "Go to sleep and switch the motors off.", Parameters: tool.Object(nil), Moves: true}
	return tool.Func(spec, func(ctx context.Context, _ struct{}) tool.Result {
		return m.do(ctx, hal.Request{Verb: hal.VerbSleep}, "I went to sleep")
	})
}

// StopReason is the reason that the stop tool gives to the body.
const StopReason = "stop was said"

func stop(body Body) tool.Tool {
	spec := tool.Spec{
		Name:        "stop",
		Description: "Emergency stop: the robot brakes, holds, and does not move again until the stop is reset.",
		Parameters:  tool.Object(nil),
		// It does not count as moving: it must never wait for a movement.
	}
	category := 1
	return tool.Func(spec, func(ctx context.Context, _ struct{}) tool.Result {
		a, err := body.Do(ctx, hal.Request{Verb: hal.VerbStop, Category: &category, Reason: StopReason})
		if err != nil {
			return unreached(ctx, err)
		}
		if a.Outcome == hal.Rejected {
			return tool.Errorf(a.Code, "%s", refusal(&a))
		}
		return tool.Success("I stopped, and I stay still until the stop is reset.", Outcome{Outcome: a.Outcome})
	})
}
