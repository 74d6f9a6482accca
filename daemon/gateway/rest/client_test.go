package rest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/client"
)

// The Go client and the interface speak the same language.
func TestTheClientUnderstandsTheInterface(t *testing.T) {
	r, _, url := open(t)
	robot, err := client.New(url)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if said, err := robot.Chat(ctx, api.ChatRequest{Message: "look left"}); err != nil || said.Response != "I looked left." || said.ToolsCalled[0] != "move_head" {
		t.Errorf("%+v %v", said, err)
	}
	if said, err := robot.ChatStream(ctx, api.ChatRequest{Message: "look left"}, func(client.Said) {}); err != nil || said.Response != "I looked left." {
		t.Errorf("stream: %+v %v", said, err)
	}
	if reward, err := robot.Feedback(ctx, api.FeedbackArgs{Text: "good", Episode: "t1"}); err != nil || reward != 0.5 ||
		r.asked != `feedback {"episode":"t1","text":"good"}` {
		t.Errorf("%v %v, asked for %s", reward, err, r.asked)
	}
	var refused *client.Error
	if _, err := robot.Goto(ctx, api.GotoArgs{BodyYaw: new(200.0)}); !errors.As(err, &refused) || refused.Errors[0].Allowed != "-160…160" {
		t.Errorf("%v", err)
	}
	if _, err := robot.Configure(ctx, map[string]any{"idle": nil}); err != nil || r.asked != `config/set {"values":{"idle":null}}` {
		t.Errorf("%v, asked for %s", err, r.asked)
	}
	for range 5 {
		r.events.Publish("", api.Photo{Name: "p"})
	}
	last := r.events.Last()
	r.past = []api.Event{{ID: last, Type: api.TypePhoto}}
	for e, err := range robot.Events(ctx, last-1) {
		if err != nil || e.ID != last {
			t.Errorf("%+v %v", e, err)
		}
		break
	}
}
