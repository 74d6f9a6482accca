// Package idle is what the robot does when nobody has asked for anything: it breathes, glances now and then, looks at a face
// that appears, at who speaks, at a sudden movement and up at a noise, gets sleepy, and wakes at a word.
//
// All of it is breathing and offsets of the body's source "idle", which the body ends in the tick in which anything else moves
// the robot, and forgets at a stop: nothing here takes a turn, a claim or a lease.
package idle

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/beat"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/perception/scene"
)

// Level is how much the robot does by itself.
type Level string

// The levels.
const (
	Off    Level = "off"
	Calm   Level = "calm"
	Lively Level = "lively"
)

// manner is how a level behaves. Times between two glances lie between rarest and often.
type manner struct {
	often, rarest time.Duration
	wide          float64 // rad of a glance to the side, at most
	sleepy        time.Duration
	look          time.Duration // between two pictures, where it may look
}

var manners = map[Level]manner{
	Calm:   {25 * time.Second, 80 * time.Second, 0.22, 10 * time.Minute, 10 * time.Second},
	Lively: {8 * time.Second, 30 * time.Second, 0.40, 30 * time.Minute, 5 * time.Second},
}

const (
	tick      = time.Second
	settle    = 3 * time.Second  // after the last movement, before it does anything by itself
	attention = 3 * time.Second  // that something new is looked at
	again     = 15 * time.Second // before the same kind of thing is new again
	refresh   = 10 * time.Second // a posture that stays is told anew; the body forgets it after 30 s
	noisy     = 25.0             // dB above the noise that lift the head
	lookLimit = 2 * time.Second  // that a picture may take
	doLimit   = time.Second
	reach     = 0.45 // rad from where the head is meant to be, at most
)

// posture is what is added to the pose.
type posture struct {
	head     hal.Head
	antennas hal.Antennas
}

var (
	upright = posture{}
	drowsy  = posture{hal.Head{Pitch: 0.14, Z: -0.004}, hal.Antennas{Left: 0.30, Right: -0.30}}
	perked  = posture{hal.Head{Pitch: -0.07, Z: 0.003}, hal.Antennas{Left: -0.12, Right: 0.12}}
)

// Body is the robot; hal/body.Client is one.
type Body interface {
	Do(ctx context.Context, req hal.Request) (hal.Answer, error)
}

// Life is the robot's own doing. Fill in the fields, then Run it.
type Life struct {
	Body  Body
	State func() hal.State // the newest, without asking the body
	Level Level
	// Levels are the levels that it is to take from now on, each when it comes; may be nil.
	Levels <-chan Level
	Name   string // of the robot, at which it wakes
	Log    zerolog.Logger
	// Following reports whether a face or a thing is followed, Noise how loud it is, dB above the usual. Both may be nil.
	Following func() bool
	Noise     func() float64
	// Calls come when somebody has called the robot: it turns to him at once. It may be nil.
	Calls <-chan struct{}
	// Voice returns where the newest voice came from, degrees to the left of the robot's front, and when it was heard: zero for never.
	// It may be nil.
	Voice func() (yaw float64, at time.Time)
	// Look takes a picture of its own and returns what is in it; nil where it may not.
	Look func(ctx context.Context) ([]scene.Detection, error)
	// Liveliness is a factor of how often it looks around; nil is 1.
	Liveliness func() float64
	// Now is the clock and Random gives numbers in [0, 1); those of the host when nil.
	Now    func() time.Time
	Random func() float64

	mu   sync.Mutex
	news []api.Event // since the last tick

	breathing bool
	barred    bool      // a stop was released: nothing begins by itself before somebody has moved the robot
	silent    bool      // it was told not to breathe; waking it up ends that
	kept      bool      // it was told to hold still: nothing begins by itself before somebody has moved the robot
	until     time.Time // it was told to wait
	moved     time.Time
	active    time.Time // when somebody wanted something last
	next      time.Time // glance
	ends      time.Time // of the present glance; zero when there is none
	told      time.Time
	looked    time.Time
	heard     time.Time // when the voice spoke that it turned to last
	sleepy    bool
	now       posture
	seen      map[string]time.Time // kinds of things that were news
}

// Types are the events that Hear takes.
var Types = []api.Type{
	api.TypeUtterance, api.TypePartial, api.TypeReply, api.TypeToolCall, api.TypeMoveStarted, api.TypeDetection, api.TypeEStop, api.TypeNotification,
}

// maxNews bounds the events that wait for a tick.
const maxNews = 64

// Hear takes an event.
func (l *Life) Hear(e api.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.news) < maxNews {
		l.news = append(l.news, e)
	}
}

// Run lives until ctx ends. While it is off it does nothing, but it goes on to note what forbids to move by itself.
func (l *Life) Run(ctx context.Context) error {
	if l.Level == Off && l.Levels == nil {
		return nil
	}
	l.init()
	t := time.NewTimer(beat.Until(tick))
	defer t.Stop()
	for {
		select {
		case <-t.C:
			l.step(ctx)
			t.Reset(beat.Until(tick))
		case <-l.Calls:
			l.called()
			l.step(ctx)
		case level := <-l.Levels:
			l.become(level)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *Life) init() {
	if l.Now == nil {
		l.Now = time.Now
	}
	if l.Random == nil {
		l.Random = rand.Float64 //nolint:gosec // a glance is no secret
	}
	l.seen = map[string]time.Time{}
	l.moved, l.active = l.Now(), l.Now()
	l.plan()
}

// become takes another level: somebody wanted it, so that it is awake. What it must not do stays so.
func (l *Life) become(level Level) {
	l.Level, l.sleepy, l.active = level, false, l.Now()
	l.plan()
}

// called has it look for a face at once, also for one that it has seen of late, where it does not know where the voice came from.
func (l *Life) called() {
	l.active = l.Now()
	if l.Voice != nil {
		if _, at := l.Voice(); at.After(l.heard) && l.active.Sub(at) <= attention {
			return
		}
	}
	l.looked = time.Time{}
	delete(l.seen, scene.Face)
	delete(l.seen, scene.Person)
}

// plan chooses the time of the next glance.
func (l *Life) plan() {
	if l.Level == Off {
		return
	}
	m := manners[l.Level]
	wait := m.often + time.Duration(l.Random()*float64(m.rarest-m.often))
	if l.Liveliness != nil {
		wait = time.Duration(float64(wait) / l.Liveliness())
	}
	l.next = l.Now().Add(wait)
}

// step is one tick: news first, then what is to be done, if anything may be done.
func (l *Life) step(ctx context.Context) {
	now, s := l.Now(), l.State()
	found := l.take(now)
	if !l.free(&s, now) || l.rests(ctx, now) {
		return
	}
	if !l.breathing {
		on := true
		l.breathing = l.do(ctx, hal.Request{Verb: hal.VerbIdle, On: &on})
	}
	if now.Sub(l.moved) < settle {
		return
	}
	found = append(found, l.see(ctx, now)...)
	switch {
	case l.notice(ctx, &s, found, now):
	case !l.ends.IsZero() && now.After(l.ends):
		l.ends = time.Time{}
		l.lean(ctx, l.rest(), 1.4) // it glances back
	case l.ends.IsZero() && l.drowse(ctx, now):
	case l.ends.IsZero() && now.After(l.next):
		l.glance(ctx, now)
	case l.now != upright && now.Sub(l.told) > refresh:
		l.lean(ctx, l.now, 1)
	}
}

// take reads the news: who wants something keeps it awake. It returns what has come into view.
func (l *Life) take(now time.Time) (found []scene.Detection) {
	l.mu.Lock()
	news := l.news
	l.news = nil
	l.mu.Unlock()
	for _, e := range news {
		switch data := e.Data.(type) {
		case api.Partial:
			if l.Name == "" || !strings.Contains(strings.ToLower(data.Text), strings.ToLower(l.Name)) {
				continue // it may be said to somebody else; a sentence for the robot comes as an utterance
			}
		case api.Detection:
			for _, o := range data.Objects {
				found = append(found, scene.Detection{Name: o.Name, Yaw: o.Yaw, Pitch: o.Pitch})
			}
			continue
		case api.EStop:
			l.barred = true
			continue
		case api.MoveStarted:
			l.barred, l.kept, l.moved = false, false, now
		case api.ToolCall:
			l.obey(&data, now)
		}
		l.active = now
	}
	return found
}

// obey notes what somebody has asked for that forbids to move by itself.
func (l *Life) obey(c *api.ToolCall, now time.Time) {
	var args struct {
		Only    string
		Seconds float64
	}
	if raw, err := json.Marshal(c.Args); err != nil || json.Unmarshal(raw, &args) != nil {
		return // the call is refused
	}
	switch {
	case c.Tool == "wake_up":
		l.silent, l.kept = false, false
	case c.Tool == "wait":
		l.until = now.Add(time.Duration(args.Seconds * float64(time.Second)))
	case c.Tool == "stop" && args.Only == "idle":
		l.silent = true
	case c.Tool == "stop" && args.Only == "motion":
		l.kept = true
	}
}

// rests ends breathing while it must keep still, and reports whether it must.
func (l *Life) rests(ctx context.Context, now time.Time) bool {
	if l.Level != Off && !l.silent && !l.kept && !now.Before(l.until) && (l.Following == nil || !l.Following()) {
		return false
	}
	if l.breathing {
		off := false
		l.breathing = !l.do(ctx, hal.Request{Verb: hal.VerbIdle, On: &off})
	}
	if l.Level == Off && l.now != upright {
		l.lean(ctx, upright, 1)
	} else {
		l.now = upright
	}
	l.ends, l.moved = time.Time{}, now
	return true
}

// free reports whether the robot may do anything by itself. What it did before is over when it may not: the body has ended it.
func (l *Life) free(s *hal.State, now time.Time) bool {
	if s.Moving {
		l.moved = now
	}
	switch {
	case s.EStop:
		l.barred = true
	case s.Mode == hal.ModeEnabled && !l.barred:
		if l.moved.Equal(now) {
			l.now, l.ends = upright, time.Time{}
			return false
		}
		return true
	}
	l.breathing, l.now, l.ends, l.moved = false, upright, time.Time{}, now
	l.active = now
	return false
}

// see takes a picture, where it may and it is time to.
func (l *Life) see(ctx context.Context, now time.Time) []scene.Detection {
	if l.Look == nil || l.sleepy || now.Sub(l.looked) < manners[l.Level].look {
		return nil
	}
	l.looked = now
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	found, err := l.Look(ctx)
	if err != nil {
		l.Log.Debug().Err(err).Msg("idle: no picture")
	}
	return found
}

// notable are the things that it looks at when they appear.
var notable = map[string]bool{scene.Face: true, scene.Person: true, scene.Motion: true}

// notice looks at what is new: a face, a movement, a noise.
func (l *Life) notice(ctx context.Context, s *hal.State, found []scene.Detection, now time.Time) bool {
	for _, d := range found {
		if !notable[d.Name] {
			continue
		}
		fresh := l.fresh(d.Name, now)
		if d.Name != scene.Motion {
			l.active = now // somebody is there
		}
		if fresh {
			to := hal.Head{Yaw: toward(d.Yaw, s), Pitch: within(d.Pitch*math.Pi/180 - s.GoalHead.Pitch)}
			l.sleepy = false
			l.turn(ctx, posture{to, perked.antennas}, 0.8, attention)
			return true
		}
	}
	if l.listens(ctx, s, now) {
		return true
	}
	if l.Noise != nil && l.Noise() > noisy && l.fresh("noise", now) {
		l.sleepy = false
		l.turn(ctx, perked, 0.5, attention)
		return true
	}
	return false
}

// listens turns to who speaks, as far as the head reaches by itself, once for each sentence.
func (l *Life) listens(ctx context.Context, s *hal.State, now time.Time) bool {
	if l.Voice == nil {
		return false
	}
	yaw, at := l.Voice()
	if !at.After(l.heard) || now.Sub(at) > attention {
		return false
	}
	l.heard, l.sleepy = at, false
	l.turn(ctx, posture{hal.Head{Yaw: toward(yaw, s)}, perked.antennas}, 0.6, attention)
	return true
}

// toward is by how much the head is to be turned to look at something, rad; yaw is where that is, degrees to the left of the front.
func toward(yaw float64, s *hal.State) float64 {
	return within(math.Remainder(yaw*math.Pi/180-s.GoalHead.Yaw, 2*math.Pi))
}

// fresh reports whether a kind of thing has not been noticed for a while, and notes it.
func (l *Life) fresh(kind string, now time.Time) bool {
	last, known := l.seen[kind]
	l.seen[kind] = now
	return !known || now.Sub(last) > again
}

func within(rad float64) float64 { return max(-reach, min(reach, rad)) }

// drowse lets it get sleepy when nobody wants anything, and wakes it when somebody does.
func (l *Life) drowse(ctx context.Context, now time.Time) bool {
	sleepy := now.Sub(l.active) > manners[l.Level].sleepy
	if sleepy == l.sleepy {
		return false
	}
	l.sleepy = sleepy
	if sleepy {
		l.lean(ctx, drowsy, 4)
		return true
	}
	l.turn(ctx, perked, 0.6, tick)
	return true
}

// rest is the posture between two glances.
func (l *Life) rest() posture {
	if l.sleepy {
		return drowsy
	}
	return upright
}

// glance looks somewhere for a moment, unless it is sleepy.
func (l *Life) glance(ctx context.Context, now time.Time) {
	l.plan()
	if l.sleepy {
		return
	}
	wide := manners[l.Level].wide
	to := hal.Head{Yaw: wide * (2*l.Random() - 1), Pitch: 0.4 * wide * (2*l.Random() - 1)}
	l.turn(ctx, posture{to, hal.Antennas{Left: 0.1 * l.Random(), Right: -0.1 * l.Random()}}, 1.2, time.Second+time.Duration(l.Random()*2*float64(time.Second)))
	l.ends = now.Add(max(2*time.Second, l.ends.Sub(now)))
}

// turn takes a posture for a while.
func (l *Life) turn(ctx context.Context, p posture, seconds float64, stay time.Duration) {
	l.lean(ctx, p, seconds)
	l.ends = l.Now().Add(time.Duration(seconds*float64(time.Second)) + stay)
}

// lean takes a posture within some seconds.
func (l *Life) lean(ctx context.Context, p posture, seconds float64) {
	req := hal.Request{Verb: hal.VerbOffset, Source: hal.IdleSource, Head: p.head.Goal(), Antennas: p.antennas.Goal(), Duration: seconds}
	if l.do(ctx, req) {
		l.now, l.told = p, l.Now()
	}
}

// do asks the body, and reports whether it did it.
func (l *Life) do(ctx context.Context, req hal.Request) bool {
	ctx, cancel := context.WithTimeout(ctx, doLimit)
	defer cancel()
	a, err := l.Body.Do(ctx, req)
	if err != nil || a.Outcome == hal.Rejected {
		l.Log.Debug().Err(err).Str("reason", a.Reason).Msgf("idle: %s", req.Verb)
		return false
	}
	return true
}
