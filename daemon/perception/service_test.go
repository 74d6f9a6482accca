package perception

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/recognize"
	"github.com/reachyd/reachyd/perception/scene"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// worker is a reachy-sense whose connection the test holds: what it sends on out arrives, closing out breaks it.
type worker struct {
	mu   sync.Mutex
	out  chan client.Message
	said []string
	busy time.Duration // that speaking takes
	err  error         // of speaking

	cutAt string // somebody speaks in between here
}

func (w *worker) Own(ctx context.Context, fn func(client.Message)) error {
	w.mu.Lock()
	out := w.out
	w.mu.Unlock()
	for {
		select {
		case m, ok := <-out:
			if !ok {
				return client.ErrUnavailable
			}
			fn(m)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w *worker) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, fmt.Sprintf(format, args...))
}

func (w *worker) notes() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.said, "; ")
}

func (w *worker) SetEndpoint(_ context.Context, turn uint64, revision int, v client.Endpoint) error {
	w.note("turn %d.%d is %s", turn, revision, v)
	return nil
}

func (w *worker) Speak(ctx context.Context, text string) (client.Spoken, error) {
	select {
	case <-time.After(w.busy):
	case <-ctx.Done():
		return client.Spoken{}, ctx.Err()
	}
	w.note("%s", text)
	if w.cutAt != "" && strings.Contains(text, w.cutAt) {
		return client.Spoken{Reason: client.ReasonInterrupted, Text: text[:strings.Index(text, w.cutAt)]}, nil
	}
	return client.Spoken{Reason: client.ReasonFinished}, w.err
}

func (w *worker) Replied(context.Context) error { w.note("replied"); return nil }

func (w *worker) send(m client.Message) { w.out <- m; synctest.Wait() }

func (w *worker) event(e client.Event) { w.send(client.Message{Event: &e}) }

// brain answers every sentence with "You said …".
type brain struct {
	work        time.Duration
	interrupted []string
	err         error
	quiet       bool
	cut         string                       // the sentence whose turn was interrupted
	think       func(l coordinator.Listener) // before it works
	heard       []string
}

func (b *brain) Turn(ctx context.Context, session, text string, l coordinator.Listener) (Answer, error) {
	if b.think != nil {
		b.think(l)
	}
	select {
	case <-time.After(b.work):
	case <-ctx.Done():
	}
	if coordinator.Unsure(ctx) {
		text = "probably " + text
	}
	return Answer{Text: "You said " + text + " in " + session + ".", Aloud: !b.quiet, Trace: "t1", Interrupted: b.cut == text}, b.err
}

func (b *brain) Heard(_, trace, text string) { b.heard = append(b.heard, trace+": "+text) }

func (b *brain) Complete(text string) client.Endpoint {
	if strings.HasSuffix(text, "and") {
		return client.Incomplete
	}
	return client.Complete
}

func (b *brain) Interrupt(why error) { b.interrupted = append(b.interrupted, why.Error()) }

// diary keeps events as "type name active".
type diary struct {
	mu     sync.Mutex
	events []string
}

func (d *diary) Publish(_ string, data api.Payload) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text, fields := string(data.EventType()), api.Fields(data)
	for _, k := range []string{"name", "active", "text", "speaker"} {
		if v, ok := fields[k]; ok {
			text += fmt.Sprint(" ", v)
		}
	}
	d.events = append(d.events, text)
}

type rig struct {
	*Service
	worker *worker
	brain  *brain
	diary  *diary
	states []client.State
}

// run runs the senses while test works; all in virtual time.
func run(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{worker: &worker{out: make(chan client.Message)}, brain: &brain{}, diary: &diary{}}
		r.Service = &Service{
			Worker: r.worker, Conversation: r.brain, Events: r.diary, Log: zerolog.Nop(),
			Changed: func(s client.State) { r.states = append(r.states, s) },
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.Run(ctx) }()
		synctest.Wait()
		r.worker.send(client.Message{State: &client.State{}})
		test(t, r)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Run: %v", err)
		}
	})
}

func heard(text string) client.Event {
	return client.Event{Type: client.Heard, Utterance: &client.Utterance{Text: text}}
}

// What people say is in the log only where the owner wants debug messages: not answered, answered, or a stop that failed.
func TestTheLogIsWithoutWhatPeopleSay(t *testing.T) {
	for level, want := range map[zerolog.Level]bool{zerolog.InfoLevel: false, zerolog.DebugLevel: true} {
		run(t, func(_ *testing.T, r *rig) {
			var log bytes.Buffer
			r.Log = zerolog.New(&log).Level(level)
			r.worker.event(heard("my secret"))
			r.brain.err = errors.New("no model")
			r.worker.event(heard("my secret, again"))
			r.worker.event(client.Event{Type: client.StopWord, Text: "stop my secret", Message: "no body"})
			if text := log.String(); strings.Contains(text, "secret") != want || !strings.Contains(text, "heard") || !strings.Contains(text, "no model") {
				t.Errorf("%v: %s", level, text)
			}
		})
	}
}

func TestASpokenSentenceIsAnsweredAloud(t *testing.T) {
	run(t, func(t *testing.T, r *rig) {
		r.worker.event(client.Event{Type: client.Partial, Turn: 3, Revision: 1, Text: "look left and"})
		r.worker.event(heard("look left"))
		if got, want := r.worker.notes(), "turn 3.1 is hanging; You said look left in voice.; replied"; got != want {
			t.Errorf("the worker got %q, want %q", got, want)
		}
		if want := []string{"partial look left and human"}; !slices.Equal(r.diary.events, want) {
			t.Errorf("events %q, want %q", r.diary.events, want)
		}
	})
}

func TestItIsKnownWhereAVoiceCameFrom(t *testing.T) {
	run(t, func(t *testing.T, r *rig) {
		if v := r.Voice(); v != (Arrival{}) {
			t.Errorf("before anybody spoke: %+v", v)
		}
		r.worker.event(client.Event{Type: client.SpeechStarted, Turn: 1})
		if v := r.Voice(); !v.Speaking || !v.At.IsZero() {
			t.Errorf("somebody speaks: %+v", v)
		}
		e := heard("look left")
		yaw := -40.0
		e.Utterance.Direction = &yaw
		r.Heading = func() float64 { return 25 }
		r.worker.event(e)
		if v := r.Voice(); v.Speaking || v.Yaw != -40 || v.Toward != -15 || !v.At.Equal(time.Now()) {
			t.Errorf("%+v", v)
		}
		r.worker.event(heard("and right")) // one whose direction is not known
		if v := r.Voice(); v.Yaw != -40 {
			t.Errorf("%+v", v)
		}
		r.worker.event(client.Event{Type: client.SpeechStarted, Turn: 3})
		var called Arrival
		r.Called = func() { called = r.Voice() }
		yaw = 30
		r.worker.event(client.Event{Type: client.Called, Turn: 3, Direction: &yaw})
		if called.Yaw != 30 || called.Toward != 55 || !called.Speaking {
			t.Errorf("called: %+v", called)
		}
	})
}

func TestASentenceThatWasProbablySaidIsToldAsSuch(t *testing.T) {
	run(t, func(t *testing.T, r *rig) {
		e := heard("look left")
		e.Utterance.Unsure = true
		r.worker.event(e)
		if got, want := r.worker.notes(), "You said probably look left in voice.; replied"; got != want {
			t.Errorf("the worker got %q, want %q", got, want)
		}
	})
}

func TestSomeRepliesAreNotSaid(t *testing.T) {
	for name, prepare := range map[string]func(r *rig){
		"the turn has spoken itself": func(r *rig) { r.brain.quiet = true },
		"the robot has no voice": func(r *rig) {
			r.worker.send(client.Message{State: &client.State{Speech: client.Speech{Off: "no espeak-ng"}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, r *rig) {
				prepare(r)
				r.worker.event(heard("look left"))
				if got := r.worker.notes(); got != "replied" {
					t.Errorf("the worker got %q", got)
				}
			})
		})
	}
}

func TestWhoeverInterruptsIsAnsweredOnce(t *testing.T) {
	for name, c := range map[string]struct{ then, want string }{
		"by other words":      {"look up", "You said look up in voice.; replied; replied"},
		"by somebody else":    {"", "You said dance in voice.; replied"},
		"a stop by the mouth": {"stop", "You said stop in voice.; replied; replied"},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, r *rig) {
				r.brain.cut, r.brain.work = "dance", time.Second
				r.worker.event(heard("dance"))
				r.brain.work = 0
				switch c.then {
				case "":
				case "stop":
					r.worker.event(client.Event{Type: client.StopWord, Text: "stop", Utterance: &client.Utterance{Text: "stop"}})
				default:
					r.worker.event(heard(c.then))
				}
				time.Sleep(2 * time.Second)
				if got := r.worker.notes(); got != c.want {
					t.Errorf("the worker got %q, want %q", got, c.want)
				}
			})
		})
	}
}

func TestWhyNothingWasDoneIsSaid(t *testing.T) {
	run(t, func(t *testing.T, r *rig) {
		r.brain.err = errors.New("too many turns are waiting")
		r.worker.event(heard("look left"))
		if got, want := r.worker.notes(), "I cannot do that now: too many turns are waiting.; replied"; got != want {
			t.Errorf("said %q, want %q", got, want)
		}
	})
}

func TestAStopWordIsAnsweredAsASentenceIs(t *testing.T) {
	run(t, func(t *testing.T, r *rig) {
		r.worker.event(client.Event{Type: client.StopWord, Text: "stop", Utterance: &client.Utterance{Text: "stop"}})
		if got, want := r.worker.notes(), "You said stop in voice.; replied"; got != want {
			t.Errorf("the worker was told %s, want %s", got, want)
		}
	})
}

func TestAStopWordInterrupts(t *testing.T) {
	run(t, func(t *testing.T, r *rig) {
		r.worker.event(client.Event{Type: client.StopWord, Text: "stop"})
		if want := []string{"stop was said"}; !slices.Equal(r.brain.interrupted, want) {
			t.Errorf("interrupted %q, want %q", r.brain.interrupted, want)
		}
	})
}

func TestTheLossOfTheWorkerIsToldOnce(t *testing.T) {
	run(t, func(t *testing.T, r *rig) {
		fail := func() {
			r.worker.mu.Lock()
			close(r.worker.out)
			r.worker.mu.Unlock()
			time.Sleep(time.Second) // many tries
			r.worker.mu.Lock()
			r.worker.out = make(chan client.Message)
			r.worker.mu.Unlock()
			time.Sleep(time.Second)
			synctest.Wait()
		}
		fail()
		if _, connected := r.State(); connected {
			t.Error("still connected")
		}
		r.worker.send(client.Message{State: &client.State{PID: 2}})
		if s, connected := r.State(); !connected || s.PID != 2 {
			t.Errorf("state %+v, connected %v", s, connected)
		}
		if want := []string{"fault sense true", "fault sense false"}; !slices.Equal(r.diary.events, want) {
			t.Errorf("events %q, want %q", r.diary.events, want)
		}
	})
}

func TestASenseThatComesOrGoesIsTold(t *testing.T) {
	run(t, func(t *testing.T, r *rig) {
		off := client.State{Sight: client.Sight{Off: "no camera"}}
		r.worker.send(client.Message{State: &off})
		r.worker.send(client.Message{State: &off})
		r.worker.send(client.Message{State: &client.State{}})
		if len(r.states) != 3 { // the first of all, off, on
			t.Errorf("told %d times, want 3", len(r.states))
		}
		r.worker.event(client.Event{Type: client.DeviceFound, Device: "microphone"}) // was never lost
		r.worker.event(client.Event{Type: client.DeviceLost, Device: "microphone", Message: "unplugged"})
		r.worker.event(client.Event{Type: client.DeviceFound, Device: "microphone"})
		r.worker.event(client.Event{Type: client.Detected, Detections: []scene.Detection{{Name: "duck"}}})
		if want := []string{"fault microphone true", "fault microphone false", "detection"}; !slices.Equal(r.diary.events, want) {
			t.Errorf("events %q, want %q", r.diary.events, want)
		}
	})
}

func TestWhatIsFollowedAndLostIsTold(t *testing.T) {
	run(t, func(t *testing.T, r *rig) {
		r.worker.send(client.Message{State: &client.State{}})
		r.worker.event(client.Event{Type: client.Lost, Text: "duck"})
		synctest.Wait()
		const lost = "I lost sight of the duck."
		if want := []string{"notification " + lost}; !slices.Equal(r.diary.events, want) || !strings.Contains(r.worker.notes(), lost) {
			t.Errorf("events %q, said %q", r.diary.events, r.worker.notes())
		}
	})
}

func TestTooManySentencesAreDropped(t *testing.T) {
	run(t, func(t *testing.T, r *rig) {
		r.brain.work, r.brain.quiet = time.Minute, true
		for range maxTurns + 5 {
			r.worker.event(heard("think"))
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if got := strings.Count(r.worker.notes(), "replied"); got != maxTurns {
			t.Errorf("%d answered, want %d", got, maxTurns)
		}
		r.worker.event(heard("again"))
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if got := strings.Count(r.worker.notes(), "replied"); got != maxTurns+1 {
			t.Errorf("%d answered, want %d", got, maxTurns+1)
		}
	})
}

// caller is reachy-sense as the tools use it.
type caller struct {
	worker
	err  error
	look scene.Look
}

func (c *caller) Detect(context.Context, string) (scene.View, error) {
	return scene.View{Detections: []scene.Detection{{Name: "duck", Score: 0.8, Yaw: 12, Pitch: 3}}}, c.err
}

func (c *caller) Describe(_ context.Context, photo, prompt string) (string, error) {
	return photo + prompt, c.err
}
func (c *caller) Hush(context.Context) error                  { return c.err }
func (c *caller) Mute(context.Context, bool) error            { return c.err }
func (c *caller) Track(context.Context, bool) error           { return c.err }
func (c *caller) Follow(context.Context, client.Target) error { return c.err }
func (c *caller) SetVolume(context.Context, int) error        { return c.err }
func (c *caller) TakePhoto(context.Context) (client.Photo, error) {
	return client.Photo{Name: "p1"}, c.err
}

func (c *caller) Portraits(_ context.Context, pictures int) ([][]recognize.Portrait, error) {
	return make([][]recognize.Portrait, pictures), c.err
}

func (c *caller) LookAt(context.Context, client.Target) (scene.Look, error) { return c.look, c.err }

func TestToolsOfTheSenses(t *testing.T) {
	c, d := &caller{look: scene.Look{Centred: true}}, &diary{}
	o := Tools(c, d, client.State{})
	ctx := t.Context()
	if name, err := o.Camera.Photo(ctx); name != "p1" || err != nil || !slices.Equal(d.events, []string{"photo p1"}) {
		t.Errorf("photo %q, %v, events %q", name, err, d.events)
	}
	if found, err := o.Vision.Detect(ctx, "duck"); err != nil || len(found) != 1 || found[0].Yaw != 12 {
		t.Errorf("found %+v, %v", found, err)
	}
	if err := o.Looker.Look(ctx, "duck"); err != nil {
		t.Errorf("look: %v", err)
	}
	c.look = scene.Look{Error: 7}
	if err := o.Looker.Look(ctx, "duck"); err == nil || !strings.Contains(err.Error(), "7° away") {
		t.Errorf("look that missed: %v", err)
	}
	c.err = fmt.Errorf("dial: %w", client.ErrUnavailable)
	if _, err := o.Camera.Photo(ctx); !errors.Is(err, errAway) || len(d.events) != 1 {
		t.Errorf("photo without a worker: %v, events %q", err, d.events)
	}

	o = Tools(c, d, client.State{Sight: client.Sight{Off: "no camera: plug one in"}, Speech: client.Speech{Off: "no voice"}})
	if o.Camera != nil || o.Vision != nil || o.Looker != nil || o.Speaker != nil || o.NoCamera != "no camera: plug one in" || o.NoSpeaker != "no voice" {
		t.Errorf("with everything off: %+v", o)
	}
}
