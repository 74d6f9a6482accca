package tools

import (
	"context"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
)

func gesture(m mover) tool.Tool {
	type args struct{ Name string }
	return tool.Func(Spec("gesture"), func(ctx context.Context, a args) tool.Result {
		return m.do(ctx, hal.Request{Verb: hal.VerbGesture, Name: a.Name}, catalog.GestureNamed(a.Name).Done)
	})
}

func expressEmotion(m mover) tool.Tool {
	type args struct{ Emotion string }
	return tool.Func(Spec("express_emotion"), func(ctx context.Context, a args) tool.Result {
		return m.do(ctx, hal.Request{Verb: hal.VerbEmotion, Name: a.Emotion}, "I showed that I am "+a.Emotion)
	})
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
