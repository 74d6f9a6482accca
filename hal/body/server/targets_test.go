package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/local"
)

func yawTarget(source string, yaw float64) hal.Request {
	return hal.Request{Verb: hal.VerbTarget, Source: source, Head: &hal.HeadGoal{Yaw: &yaw}}
}

// logged is a log that may be written while it is read.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestSingleTargetsShareOneConnectionAndAreAllAnswered(t *testing.T) {
	var log logged
	var server *Server
	r := newRobot(t, func(s *Server) { server, s.Log = s, zerolog.New(&log) })
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
	if n := streams(ctx, server, 2); n != 2 || strings.Contains(log.String(), `"command"`) {
		t.Errorf("%d streams are open, want 2; requests of their own: %s", n, log.String())
	}
}

func TestTargetsGoOnAfterTheServerRestarted(t *testing.T) {
	r := newRobot(t)
	ctx := soon(t)
	if a, err := r.Do(ctx, yawTarget("puppet", 0.1)); err != nil || a.Outcome != hal.Accepted {
		t.Fatalf("%+v %v", a, err)
	}
	r.Stop()
	<-r.Served
	if a, err := r.Do(ctx, yawTarget("puppet", 0.3)); !errors.Is(err, body.ErrUnavailable) {
		t.Errorf("a body that is gone: %+v %v", a, err)
	}
	if a, err := r.Do(ctx, yawTarget("other", 0.3)); !errors.Is(err, body.ErrUnavailable) {
		t.Errorf("a body that is gone, by a new stream: %+v %v", a, err)
	}
	l, err := local.Listen(r.Socket)
	if err != nil {
		t.Fatal(err)
	}
	again, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { (&Server{Loop: r.Loop, Log: zerolog.Nop()}).Serve(again, l) })
	defer wg.Wait()
	defer stop()
	if a, err := r.Do(ctx, yawTarget("puppet", 0.3)); err != nil || a.Outcome != hal.Accepted {
		t.Errorf("%+v %v", a, err)
	}
}

// Sources that are refused make room for each other; who has the lease keeps it.
func TestTargetsOfManySources(t *testing.T) {
	var server *Server
	r := newRobot(t, func(s *Server) { server = s })
	ctx := soon(t)
	for i := range 25 {
		if a, err := r.Do(ctx, yawTarget("owner", 0.1)); err != nil || a.Outcome != hal.Accepted {
			t.Fatalf("%+v %v", a, err)
		}
		if a, err := r.Do(ctx, yawTarget(fmt.Sprint("thief ", i), 0)); err != nil || a.Code != hal.CodeLease {
			t.Fatalf("thief %d: %+v %v", i, a, err)
		}
	}
	if n := streams(ctx, server, 9); n > 9 {
		t.Errorf("%d streams are open", n)
	}
}

// streams is how many streams are open, once those that were closed have left.
func streams(ctx context.Context, s *Server, most int) int {
	for len(s.watchers) > most && ctx.Err() == nil {
		runtime.Gosched()
	}
	return len(s.watchers)
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

func TestPerformAnswersAndEndsInOneRequest(t *testing.T) {
	var log logged
	r := newRobot(t, func(s *Server) { s.Log = zerolog.New(&log) })
	ctx := soon(t)
	yaw := 0.2
	goTo := hal.Request{Verb: hal.VerbGoto, Head: &hal.HeadGoal{Yaw: &yaw}, Duration: 0.2}
	a, end, err := r.Perform(ctx, goTo)
	if err != nil || a.Outcome != hal.Accepted || a.Move == "" || end.Move != a.Move || end.End != hal.EndDone {
		t.Fatalf("%+v %+v %v", a, end, err)
	}
	if n := strings.Count(log.String(), `"message":"command"`); n != 1 {
		t.Errorf("%d requests: %s", n, log.String())
	}
	far := math.NaN()
	if a, _, err := r.Perform(ctx, hal.Request{Verb: hal.VerbGoto, BodyYaw: &far}); err != nil || a.Code != hal.CodeInvalid {
		t.Errorf("not a number: %+v %v", a, err)
	}
	if a, end, err := r.Perform(ctx, hal.Request{Verb: hal.VerbHold}); err != nil || a.Outcome != hal.Accepted || end != (hal.Event{}) {
		t.Errorf("what begins no move: %+v %+v %v", a, end, err)
	}

	goTo.Duration = 20
	for i := 0; ; i++ {
		goTo.ID = fmt.Sprint("long ", i)
		given, giveUp := context.WithCancel(ctx)
		go func(id string) {
			r.until(t, func(s *hal.State) bool { return s.Move == id })
			giveUp()
		}(goTo.ID)
		a, _, err := r.Perform(given, goTo)
		if !errors.Is(err, context.Canceled) || a.Move != "" && a.Move != goTo.ID || ctx.Err() != nil {
			t.Fatalf("who gives up: %+v %v; want the answer, and why there is no end", a, err)
		}
		if a.Move != "" {
			break
		} // the answer was still on its way: once more
	}
	goTo.ID = "longer"
	go func() {
		r.until(t, func(s *hal.State) bool { return s.Move == "longer" })
		if _, err := r.Do(ctx, hal.Request{Verb: hal.VerbStop}); err != nil {
			t.Error(err)
		}
	}()
	if a, end, err := r.Perform(ctx, goTo); err != nil || a.Outcome != hal.Accepted || end.End != hal.EndStopped {
		t.Errorf("stopped: %+v %+v %v", a, end, err)
	}
	if a, _, err := r.Perform(ctx, goTo); err != nil || a.Code != hal.CodeEStop {
		t.Errorf("refused: %+v %v", a, err)
	}
	r.Stop()
	<-r.Served
	if _, _, err := r.Perform(ctx, goTo); !errors.Is(err, body.ErrUnavailable) {
		t.Errorf("a body that is gone: %v", err)
	}
}
