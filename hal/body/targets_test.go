package body

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

// There is room for so many sources; when all are at work, the next one is told.
func TestRoomForSources(t *testing.T) {
	c := New("/nowhere")
	defer c.Close()
	yaw := 0.1
	target := func(source string) hal.Request {
		return hal.Request{Verb: hal.VerbTarget, Source: source, Head: &hal.HeadGoal{Yaw: &yaw}}
	}
	for i := range maxTargetStreams {
		c.targets.get(fmt.Sprint(i)).turn <- struct{}{}
	}
	if a, err := c.Do(t.Context(), target("one too many")); err != nil || a.Code != hal.CodeBusy {
		t.Errorf("%+v %v", a, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Do(gone, target("0")); !errors.Is(err, context.Canceled) {
		t.Errorf("who gives up waiting for its turn: %v", err)
	}
	owner := c.targets.open["1"]
	c.targets.drop(owner)
	if c.targets.open["1"] != owner {
		t.Error("a stream in use was closed")
	}
	for _, ts := range c.targets.open {
		<-ts.turn
	}
	owner.refused = false // the oldest but one, and the only one that the body listens to
	for i := range 3 * maxTargetStreams {
		if c.targets.get(fmt.Sprint("thief ", i)) == nil {
			t.Fatal("no room is made")
		}
	}
	if len(c.targets.open) != maxTargetStreams || c.targets.open["1"] != owner {
		t.Errorf("%d streams, the owner's among them: %v", len(c.targets.open), c.targets.open["1"] == owner)
	}
	c.targets.drop(owner)
	if c.targets.open["1"] != nil {
		t.Error("a stream that nobody uses stays open")
	}
}
