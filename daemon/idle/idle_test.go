package idle

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/perception/scene"
)

// stage is a robot with a clock of its own, which a Life lives in.
type stage struct {
	Life
	t        *testing.T
	clock    time.Time
	state    hal.State
	asked    []hal.Request
	refuse   bool
	noise    float64
	follows  bool
	pictures int
	inView   []scene.Detection
}

func newStage(t *testing.T, level Level) *stage {
	s := &stage{t: t, clock: time.Unix(1_000_000, 0), state: hal.State{Mode: hal.ModeEnabled}}
	numbers := 0
	s.Life = Life{
		Body: s, State: func() hal.State { return s.state }, Level: level, Name: "Pepper", Now: func() time.Time { return s.clock },
		Random:    func() float64 { numbers++; return float64(numbers*7%10) / 10 },
		Following: func() bool { return s.follows }, Noise: func() float64 { return s.noise },
	}
	s.init()
	return s
}

func (s *stage) Do(_ context.Context, req hal.Request) (hal.Answer, error) {
	s.asked = append(s.asked, req)
	if s.refuse {
		return hal.Answer{Outcome: hal.Rejected, Code: hal.CodeEStop}, nil
	}
	return hal.Answer{Outcome: hal.Accepted}, nil
}

// pass lets time go by and returns what the body was asked for meanwhile.
func (s *stage) pass(d time.Duration) []hal.Request {
	s.asked = nil
	for end := s.clock.Add(d); s.clock.Before(end); {
		s.clock = s.clock.Add(tick)
		s.step(context.Background())
	}
	return s.asked
}

func (s *stage) hear(p api.Payload) { s.Hear(api.Event{Data: p}) }

// leans are the offsets among requests.
func leans(all []hal.Request) (out []hal.Request) {
	for _, r := range all {
		if r.Verb == hal.VerbOffset {
			out = append(out, r)
		}
	}
	return out
}

// begun are requests but those that end breathing.
func begun(all []hal.Request) []hal.Request {
	return slices.DeleteFunc(all, func(r hal.Request) bool { return r.Verb == hal.VerbIdle && !*r.On })
}

func TestItBreathesAndGlances(t *testing.T) {
	for level, least := range map[Level]int{Calm: 4, Lively: 12} {
		s := newStage(t, level)
		all := s.pass(5 * time.Minute)
		if len(all) == 0 || all[0].Verb != hal.VerbIdle || !*all[0].On {
			t.Fatalf("%s: %+v", level, all)
		}
		glances, back := 0, 0
		for _, r := range leans(all) {
			if r.Source != hal.IdleSource || r.Duration < 0.5 || math.Abs(*r.Head.Yaw) > manners[level].wide {
				t.Errorf("%s: %+v", level, r)
			}
			if *r.Head.Yaw != 0 {
				glances++
			} else {
				back++
			}
		}
		if glances < least || glances > 60 || back < glances-1 {
			t.Errorf("%s: %d glances, %d times back in five minutes", level, glances, back)
		}
	}
}

func TestItDoesNothingByItselfWhenItMustNot(t *testing.T) {
	for name, bar := range map[string]func(*stage){
		"latched":   func(s *stage) { s.state.EStop = true },
		"asleep":    func(s *stage) { s.state.Mode = hal.ModeDisabled },
		"by hand":   func(s *stage) { s.state.Mode = hal.ModePartial },
		"offline":   func(s *stage) { s.state.Mode = hal.ModeOffline },
		"moving":    func(s *stage) { s.state.Moving = true },
		"following": func(s *stage) { s.follows = true },
	} {
		s := newStage(t, Lively)
		s.pass(time.Minute)
		bar(s)
		s.noise = 40
		s.hear(api.Detection{Objects: []api.Object{{Name: scene.Face, Yaw: 20}}})
		if all := begun(s.pass(time.Hour)); len(all) > 0 {
			t.Errorf("%s: %+v", name, all[0])
		}
	}
}

// It turns to who speaks, once for each sentence, as far as it reaches, and back; a voice of long ago turns nothing.
func TestItTurnsToWhoSpeaks(t *testing.T) {
	s := newStage(t, Calm)
	var yaw float64
	var at time.Time
	s.Voice = func() (float64, time.Time) { return yaw, at }
	s.pass(10 * time.Second)
	for _, c := range []struct{ from, head, want float64 }{{20, 0, 20}, {-20, 0, -20}, {30, 10, 20}, {100, 0, 25.8}, {-90, 0, -25.8}} {
		s.state.GoalHead.Yaw = c.head / 180 * math.Pi
		yaw, at = c.from, s.clock
		all := leans(s.pass(2 * time.Second))
		if len(all) != 1 || math.Abs(*all[0].Head.Yaw*180/math.Pi-c.want) > 0.1 {
			t.Fatalf("a voice at %v°, the head at %v°: %+v", c.from, c.head, all)
		}
		if all = leans(s.pass(6 * time.Second)); len(all) != 1 || *all[0].Head.Yaw != 0 {
			t.Errorf("afterwards: %+v", all)
		}
	}
	s.state.Moving = true
	yaw, at = 40, s.clock
	s.pass(10 * time.Second)
	s.state.Moving = false
	if all := leans(s.pass(5 * time.Second)); len(all) > 0 && math.Abs(*all[0].Head.Yaw) > 0.43 {
		t.Errorf("it answers to a voice of before it moved: %+v", all[0])
	}
}

// The release of a stop moves nothing; life goes on when somebody has moved the robot again.
func TestAStopEndsItUntilSomebodyMovesTheRobot(t *testing.T) {
	s := newStage(t, Calm)
	s.pass(time.Minute)
	s.hear(api.EStop{Active: true})
	s.state.EStop = true
	s.pass(time.Minute)
	s.hear(api.EStop{Active: false})
	s.state.EStop = false
	if all := s.pass(time.Hour); len(all) > 0 {
		t.Errorf("after the release: %+v", all[0])
	}
	s.hear(api.MoveStarted{})
	if all := s.pass(time.Minute); len(all) == 0 || all[0].Verb != hal.VerbIdle {
		t.Errorf("after a movement: %+v", all)
	}
}

// What forbids to move by itself is noted while it is off, and stays when it takes another level.
func TestAnotherLevelForgetsNothing(t *testing.T) {
	for name, c := range map[string]struct{ forbids, allows []api.Payload }{
		"a released stop": {[]api.Payload{api.EStop{Active: true}, api.EStop{}}, []api.Payload{api.MoveStarted{}}},
		"hold still":      {[]api.Payload{api.ToolCall{Tool: "stop", Args: map[string]any{"only": "motion"}}}, []api.Payload{api.MoveStarted{}}},
		"no breathing":    {[]api.Payload{api.ToolCall{Tool: "stop", Args: map[string]any{"only": "idle"}}}, []api.Payload{api.ToolCall{Tool: "wake_up"}}},
		"wait":            {[]api.Payload{api.ToolCall{Tool: "wait", Args: map[string]any{"seconds": 90}}}, nil},
	} {
		for _, before := range []Level{Off, Calm} {
			s := newStage(t, before)
			s.pass(10 * time.Second)
			for _, p := range c.forbids {
				s.hear(p)
			}
			s.pass(2 * time.Second)
			s.become(Lively)
			if all := begun(s.pass(time.Minute)); len(all) > 0 {
				t.Errorf("%s, from %s: %+v", name, before, all[0])
			}
			for _, p := range c.allows {
				s.hear(p)
			}
			if all := begun(s.pass(time.Minute)); len(all) == 0 {
				t.Errorf("%s, from %s: it does nothing any more", name, before)
			}
		}
	}
}

func TestItIsUprightAndStillOnceItIsOff(t *testing.T) {
	s := newStage(t, Calm)
	s.pass(11 * time.Minute)
	if s.now != drowsy || !s.breathing {
		t.Fatalf("%+v, breathing %v", s.now, s.breathing)
	}
	s.become(Off)
	s.refuse = true
	s.pass(2 * time.Second)
	s.refuse = false
	all := s.pass(time.Hour)
	if got := leans(all); len(got) != 1 || *got[0].Head.Pitch != 0 || s.now != upright || s.breathing || len(all) != 2 {
		t.Errorf("%+v, %+v", all, s.now)
	}
	s.become(Lively)
	if all := leans(s.pass(5 * time.Minute)); len(all) == 0 || s.sleepy {
		t.Errorf("%+v, sleepy %v", all, s.sleepy)
	}
}

func TestItLooksAtWhatIsNew(t *testing.T) {
	s := newStage(t, Calm)
	s.state.GoalHead.Yaw = 0.1
	s.pass(20 * time.Second)
	face := api.Detection{Objects: []api.Object{{Name: "cup", Yaw: -40}, {Name: scene.Face, Yaw: 20, Pitch: -4}}}
	s.hear(face)
	got := leans(s.pass(tick))
	if len(got) != 1 || math.Abs(*got[0].Head.Yaw-(20*math.Pi/180-0.1)) > 1e-9 || math.Abs(*got[0].Head.Pitch+4*math.Pi/180) > 1e-9 {
		t.Fatalf("%+v", got)
	}
	if back := leans(s.pass(6 * time.Second)); len(back) != 1 || *back[0].Head.Yaw != 0 {
		t.Errorf("it does not glance back: %+v", back)
	}
	s.hear(face)
	if got := leans(s.pass(tick)); len(got) != 0 {
		t.Errorf("a face that is there is new again: %+v", got)
	}
	s.pass(time.Minute)
	far := api.Detection{Objects: []api.Object{{Name: scene.Motion, Yaw: 170, Pitch: 60}}}
	s.hear(far)
	if got := leans(s.pass(tick)); len(got) != 1 || *got[0].Head.Yaw != reach || *got[0].Head.Pitch != reach {
		t.Errorf("%+v", got)
	}
	s.pass(time.Minute)
	s.noise = 30
	if got := leans(s.pass(tick)); len(got) != 1 || *got[0].Head.Pitch >= 0 {
		t.Errorf("a noise: %+v", got)
	}
	if got := leans(s.pass(2 * tick)); len(got) != 0 {
		t.Errorf("a noise that lasts is news again: %+v", got)
	}
}

func TestItGetsSleepyAndWakes(t *testing.T) {
	s := newStage(t, Calm)
	all := leans(s.pass(11 * time.Minute))
	last := all[len(all)-1]
	if *last.Head.Pitch != drowsy.head.Pitch || *last.Antennas.Left != drowsy.antennas.Left {
		t.Fatalf("%+v", last)
	}
	all = leans(s.pass(10 * time.Minute)) // the body forgets it unless it is told again
	if len(all) < 50 || *all[0].Head.Pitch != drowsy.head.Pitch {
		t.Errorf("%d times told, %+v", len(all), all[0])
	}
	s.hear(api.Partial{Text: "and then we went home"})
	if got := leans(s.pass(tick)); len(got) > 0 && *got[0].Head.Pitch < 0 {
		t.Errorf("it woke at words for somebody else: %+v", got)
	}
	for i, wakes := range []api.Payload{api.Partial{Text: "hey pepper"}, api.Utterance{Text: "what time is it"}, api.ToolCall{}} {
		s.hear(wakes)
		got := leans(s.pass(tick))
		if len(got) != 1 || *got[0].Head.Pitch >= 0 {
			t.Errorf("%d: %+v", i, got)
		}
		if got := leans(s.pass(4 * time.Second)); len(got) != 1 || *got[0].Head.Pitch != 0 {
			t.Errorf("%d, afterwards: %+v", i, got)
		}
		s.pass(11 * time.Minute)
	}
}

// What was refused is asked for again, no more often than once a second.
func TestABodyThatRefuses(t *testing.T) {
	s := newStage(t, Lively)
	s.refuse = true
	if all := s.pass(10 * time.Second); len(all) == 0 || len(all) > 20 {
		t.Errorf("%d requests", len(all))
	}
	s.refuse = false
	if all := s.pass(10 * time.Second); len(all) == 0 || !s.breathing {
		t.Errorf("%+v", all)
	}
}

func TestItLooksByItselfOnlyWhereItMay(t *testing.T) {
	s := newStage(t, Calm)
	s.Look = func(context.Context) ([]scene.Detection, error) {
		s.pictures++
		return s.inView, nil
	}
	s.pass(time.Minute)
	if s.pictures < 4 || s.pictures > 7 {
		t.Errorf("%d pictures in a minute", s.pictures)
	}
	s.inView = []scene.Detection{{Name: scene.Face, Yaw: 10}}
	if got := leans(s.pass(11 * time.Second)); len(got) == 0 || math.Abs(*got[0].Head.Yaw-10*math.Pi/180) > 1e-9 {
		t.Errorf("%+v", got)
	}
}

func TestNewsAreBounded(t *testing.T) {
	s := newStage(t, Calm)
	for range 10 * maxNews {
		s.hear(api.Reply{})
	}
	if len(s.news) != maxNews {
		t.Errorf("%d wait", len(s.news))
	}
}

func TestRunEnds(t *testing.T) {
	l := Life{Level: Off}
	if err := l.Run(context.Background()); err != nil {
		t.Error(err)
	}
	s := newStage(t, Off)
	levels := make(chan Level)
	s.Levels = levels
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // of a life that takes no level
	defer cancel()
	go func() {
		for range 2 { // the second is taken when the first was
			select {
			case levels <- Lively:
			case <-ctx.Done():
			}
		}
		cancel()
	}()
	if err := s.Run(ctx); fmt.Sprint(err) != "context canceled" || s.Level != Lively {
		t.Errorf("%v, %s", err, s.Level)
	}
}
