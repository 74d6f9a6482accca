package body

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

func yawTarget(source string, yaw float64) hal.Request {
	return hal.Request{Verb: hal.VerbTarget, Source: source, Head: &hal.HeadGoal{Yaw: &yaw}}
}

func TestSingleTargetsShareOneConnectionAndAreAllAnswered(t *testing.T) {
	r := newRobot(t)
	ctx := soon(t)
	for i := range 100 { // faster than the loop turns
		if a, err := r.Do(ctx, yawTarget("puppet", 0.001*float64(i))); err != nil || a.Outcome != hal.Accepted {
			t.Fatalf("target %d: %+v %v", i, a, err)
		}
	}
	r.until(t, func(s *hal.State) bool { return s.MoveName == "stream puppet" && math.Abs(s.GoalHead.Yaw-0.099) < 1e-6 })
	if a, err := r.Do(ctx, yawTarget("thief", 0)); err != nil || a.Code != hal.CodeLease || !strings.Contains(a.Reason, "puppet") {
		t.Errorf("thief: %+v %v", a, err)
	}
	if a, err := r.Do(ctx, yawTarget("puppet", math.Inf(1))); err != nil || a.Code != hal.CodeInvalid {
		t.Errorf("infinite: %+v %v", a, err)
	}
	if puppet, thief := r.targets.get("puppet"), r.targets.get("thief"); puppet.sent != 100 || thief.sent != 1 {
		t.Errorf("by stream went %d and %d targets; want 100 and 1", puppet.sent, thief.sent)
	}
}

func TestTargetsGoOnAfterTheBodyRestarted(t *testing.T) {
	r := newRobot(t)
	ctx := soon(t)
	if a, err := r.Do(ctx, yawTarget("puppet", 0.1)); err != nil || a.Outcome != hal.Accepted {
		t.Fatalf("%+v %v", a, err)
	}
	ts := r.targets.get("puppet")
	ts.stream.Close() // as when the body died: the connection is gone
	if a, err := r.Do(ctx, yawTarget("puppet", 0.2)); err == nil && a.Outcome == hal.Rejected && a.Code != hal.CodeLease {
		t.Fatalf("%+v %v", a, err)
	}
	r.stop()
	<-r.served
	if a, err := r.Do(ctx, yawTarget("puppet", 0.3)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a body that is gone: %+v %v", a, err)
	}
}

func TestTargetsOfManySources(t *testing.T) {
	r := newRobot(t)
	ctx := soon(t)
	if a, err := r.Do(ctx, yawTarget("owner", 0.1)); err != nil || a.Outcome != hal.Accepted {
		t.Fatalf("%+v %v", a, err)
	}
	// Those that are refused make room for each other; who has the lease keeps it.
	for i := range 3 * maxTargetStreams {
		if a, err := r.Do(ctx, yawTarget(fmt.Sprint("thief ", i), 0)); err != nil || a.Code != hal.CodeLease {
			t.Fatalf("thief %d: %+v %v", i, a, err)
		}
	}
	r.targets.mu.Lock()
	n, kept := len(r.targets.open), r.targets.open["owner"] != nil
	r.targets.mu.Unlock()
	if n != maxTargetStreams || !kept {
		t.Errorf("%d streams, the owner's among them: %v", n, kept)
	}
	for _, ts := range r.targets.open { // all in use: there is no room
		ts.turn <- struct{}{}
	}
	if a, err := r.Do(ctx, yawTarget("one too many", 0)); err != nil || a.Code != hal.CodeBusy {
		t.Errorf("%+v %v", a, err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.Do(gone, yawTarget("owner", 0)); !errors.Is(err, context.Canceled) {
		t.Errorf("who gives up waiting for its turn: %v", err)
	}
	for _, ts := range r.targets.open {
		<-ts.turn
		r.targets.drop(ts)
	}
	if len(r.targets.open) != 0 {
		t.Error("streams that nobody uses stay open")
	}
}

func TestClosedClientTakesNoTargets(t *testing.T) {
	r := newRobot(t)
	if a, err := r.Do(soon(t), yawTarget("puppet", 0.1)); err != nil || a.Outcome != hal.Accepted {
		t.Fatalf("%+v %v", a, err)
	}
	r.Close()
	if _, err := r.Do(soon(t), yawTarget("puppet", 0.1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}
	r.Close()
}

// A body that parks for good takes no targets, by whatever way.
func TestRetiredBodyTakesNoTargets(t *testing.T) {
	var server *Server
	r := newRobot(t, func(s *Server) { server = s })
	if a, err := r.Do(soon(t), yawTarget("puppet", 0.1)); err != nil || a.Outcome != hal.Accepted {
		t.Fatalf("%+v %v", a, err)
	}
	server.retired.Store(true)
	if a, err := r.Do(soon(t), yawTarget("puppet", 0.2)); err != nil || a.Code != hal.CodeUnavailable {
		t.Errorf("%+v %v", a, err)
	}
}

func BenchmarkTarget(b *testing.B) {
	r := newRobot(b)
	for i := 0; b.Loop(); i++ {
		if a, err := r.Do(b.Context(), yawTarget("bench", 0.0001*float64(i%100))); err != nil || a.Outcome != hal.Accepted {
			b.Fatalf("%+v %v", a, err)
		}
	}
}
