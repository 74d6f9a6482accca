package main

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/body/bodytest"
	"github.com/reachyd/reachyd/hal/body/server"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/perception/client"
)

// newBody is a real body over servos that obey at once.
func newBody(t testing.TB) *bodytest.Robot {
	t.Helper()
	return bodytest.New(t, shortDir(t), motion.Config{}, func(l *motion.Loop) bodytest.Server { return &server.Server{Loop: l, Log: zerolog.Nop()} })
}

func TestTheStopGoesToTheBodyItself(t *testing.T) {
	robot := newBody(t)
	w := &senses{body: body.New(robot.Socket)}
	defer w.body.Close()
	began := time.Now()
	if err := w.stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("the body has answered after %v", time.Since(began).Round(10*time.Microsecond))
	robot.Until(t, "the stop", func(s *hal.State) bool { return s.EStop && s.EStopReason != "" })
	if err := w.stop(t.Context()); err != nil {
		t.Error("a second time:", err)
	}
	nobody := &senses{body: body.New(filepath.Join(t.TempDir(), "nobody"))}
	defer nobody.body.Close()
	if err := nobody.stop(t.Context()); err == nil {
		t.Error("nobody was stopped")
	}
}

func TestTheProgramSpeaksAndMovesTheHead(t *testing.T) {
	t.Parallel()
	robot := newBody(t)
	dir := shortDir(t)
	c, _ := start(t, []string{
		"--socket", filepath.Join(dir, "sock"), "--body-socket", robot.Socket, "--models", dir, "--speech", off, "--microphone", off,
		"--camera", off, "--speaker", "null",
	})
	ctx, cancel := context.WithCancel(t.Context())
	events := make(chan client.Event, 100)
	watching, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		c.Watch(ctx, func(m client.Message) {
			if m.State != nil {
				select {
				case <-watching:
				default:
					close(watching)
				}
			} else {
				events <- *m.Event
			}
		})
	}()
	defer func() { cancel(); <-ended }()
	<-watching
	type end struct {
		client.Spoken
		error
	}
	say := func(text string) <-chan end {
		done := make(chan end, 1)
		go func() { s, err := c.Speak(context.Background(), text); done <- end{s, err} }()
		return done
	}
	next := func(typ client.EventType) client.Event {
		t.Helper()
		select {
		case e := <-events:
			if e.Type != typ {
				t.Fatalf("%+v, want %s", e, typ)
			}
			return e
		case <-time.After(patience):
			t.Fatalf("no %s", typ)
		}
		panic("not reached")
	}
	asked := time.Now()
	done := say("I am Reachy, and I can talk.")
	first := next(client.SpeakingStarted)
	t.Logf("first sound after %v", first.Time.Sub(asked).Round(time.Millisecond))
	robot.Until(t, "the head that moves with speech", func(s *hal.State) bool { return s.GoalHead.Pitch != 0 || s.GoalHead.Yaw != 0 })
	if e := next(client.SpeakingDone); e.Reason != client.ReasonFinished {
		t.Errorf("%+v", e)
	}
	if e := <-done; e.error != nil || e.Reason != client.ReasonFinished || e.Heard < 1 {
		t.Errorf("%+v", e)
	}

	done = say("This is a much longer text, of which nobody will ever hear the end, since somebody wants to have silence.")
	next(client.SpeakingStarted)
	asked = time.Now()
	if err := c.Hush(t.Context()); err != nil {
		t.Error(err)
	}
	t.Logf("silent after %v", time.Since(asked).Round(10*time.Microsecond))
	if e := next(client.SpeakingDone); e.Reason != client.ReasonInterrupted {
		t.Errorf("%+v", e)
	}
	if e := <-done; e.error != nil || e.Reason != client.ReasonInterrupted {
		t.Errorf("%+v", e)
	}
	if err := c.SetVolume(t.Context(), 30); err != nil {
		t.Error(err)
	}
	if st, err := c.State(t.Context()); err != nil || st.Speech.Volume != 30 || st.Speech.Off != "" {
		t.Errorf("%+v, %v", st.Speech, err)
	}
}
