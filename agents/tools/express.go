package tools

import (
	"context"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
)

func gesture(m mover) tool.Tool {
	type args struct {
		Name           string
		Size, Duration float64
	}
	return tool.Func(Spec("gesture"), func(ctx context.Context, a args) tool.Result {
		req := hal.Request{Verb: hal.VerbGesture, Name: a.Name, Size: a.Size, Duration: a.Duration}
		return m.do(ctx, req, catalog.GestureNamed(a.Name).Done+sized(a.Size))
	})
}

// sized says how wide something was where that is not as usual.
func sized(size float64) string {
	switch {
	case size == 0 || size == 1:
		return ""
	case size < 1:
		return " less than usual"
	}
	return " more than usual"
}

func expressEmotion(m mover) tool.Tool {
	type args struct {
		Emotion        string
		Size, Duration float64
	}
	return tool.Func(Spec("express_emotion"), func(ctx context.Context, a args) tool.Result {
		req := hal.Request{Verb: hal.VerbEmotion, Name: a.Emotion, Size: a.Size, Duration: a.Duration}
		return m.do(ctx, req, "I showed that I am "+felt(a.Size)+a.Emotion)
	})
}

// felt says how strong a feeling was shown where that is not as usual.
func felt(size float64) string {
	switch {
	case size == 0 || size == 1:
		return ""
	case size < 1:
		return "a little "
	}
	return "very "
}

func wakeUp(m mover) tool.Tool {
	return tool.Func(Spec("wake_up"), func(ctx context.Context, _ struct{}) tool.Result {
		return m.do(ctx, hal.Request{Verb: hal.VerbWake}, "I woke up")
	})
}

func goToSleep(m mover) tool.Tool {
	return tool.Func(Spec("go_to_sleep"), func(ctx context.Context, _ struct{}) tool.Result {
		return m.do(ctx, hal.Request{Verb: hal.VerbSleep}, "I went to sleep")
	})
}
