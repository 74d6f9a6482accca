package vision

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/perception/scene"
)

const (
	followFrames = 100 * time.Millisecond // between two pictures that are looked at
	followTick   = 40 * time.Millisecond  // between two goals of the head
	followRetry  = 500 * time.Millisecond // after a goal that was refused
	followLost   = 3 * time.Second        // without a sighting of a thing that is told
	// followSource names the stream of goals: another request displaces it until its moves are over.
	followSource = "tracking"
)

// follow is the following of a face or a thing: what is wanted, and the following itself while it goes on.
type follow struct {
	mu     sync.Mutex
	wanted bool
	name   string // of the thing; empty: a face
	looks  int    // at things that go on, which turn the head themselves
	stop   context.CancelFunc
	over   chan struct{}
}

// halt ends following and waits for that. mu is held.
func (f *follow) halt() {
	if f.stop != nil {
		f.stop()
		<-f.over
		f.stop = nil
	}
}

// start begins following after a while, if it is wanted and nothing is being looked at. mu is held.
func (f *follow) start(e *Eyes, after time.Duration) {
	if !f.wanted || f.looks > 0 || f.stop != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.stop, f.over = cancel, make(chan struct{})
	go e.track(ctx, f.name, after, f.over)
}

// end ends following for good.
func (f *follow) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wanted = false
	f.halt()
}

// pause ends following for as long as something is looked at, and a moment longer.
func (f *follow) pause(e *Eyes) (resume func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks++
	f.halt()
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.looks--
		f.start(e, lookStays)
	}
}

// Track begins or ends following a face with the head. It does so until it is told otherwise: without a face the head
// rests, and when one comes it is followed.
func (e *Eyes) Track(ctx context.Context, on bool) error {
	if !on {
		e.follow.end()
		return nil
	}
	e.mu.Lock()
	can, missing := e.faces != nil, e.missing
	e.mu.Unlock()
	switch {
	case !can:
		return fmt.Errorf("faces cannot be recognised: %s", strings.Join(missing, "; "))
	case e.Body == nil:
		return errors.New("there is no body to turn")
	}
	return e.pursue(ctx, "")
}

// Follow begins following a thing with the head, in the place of what was followed. It does so until Track says otherwise;
// when the thing is lost, Lost is told once, and it is followed again when it is seen. The error wraps ErrUnknownThing for a
// name that nothing here can recognise.
func (e *Eyes) Follow(ctx context.Context, name string) error {
	if scene.Thing(name) == scene.Face {
		return e.Track(ctx, true)
	}
	if err := e.check(name); err != nil {
		return err
	}
	if e.Body == nil {
		return errors.New("there is no body to turn")
	}
	return e.pursue(ctx, name)
}

// pursue begins following what has a name, if pictures come.
func (e *Eyes) pursue(ctx context.Context, name string) error {
	if _, err := e.Camera.Frame(ctx); err != nil {
		return err
	}
	f := &e.follow
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.wanted && f.name != name {
		f.halt()
	}
	f.wanted, f.name = true, name
	f.start(e, 0)
	return nil
}

// Tracking reports whether something would be followed, now or after what is being looked at.
func (e *Eyes) Tracking() bool {
	e.follow.mu.Lock()
	defer e.follow.mu.Unlock()
	return e.follow.wanted
}

// aim is shared by the two halves of following: what is seen and how the head goes.
type aim struct {
	mu       sync.Mutex
	follower Follower
	active   bool
	wake     chan struct{} // told when it becomes active
}

func (e *Eyes) track(ctx context.Context, name string, after time.Duration, over chan struct{}) {
	defer close(over)
	rest(ctx, after)
	e.poses.acquire()
	defer e.poses.release()
	a := &aim{wake: make(chan struct{}, 1)}
	var parts sync.WaitGroup
	parts.Go(func() { e.steer(ctx, a) })
	defer parts.Wait()
	defer e.followed.Store(nil)
	var t tracker
	var target, before int
	var seq uint64
	lost := loss{tell: e.Lost, name: name}
	for ctx.Err() == nil {
		began := time.Now()
		f, err := e.Camera.Next(ctx, seq)
		if err == nil {
			seq = f.Seq
			var found []scene.Detection
			if found, err = e.sightings(ctx, &t, f, name); err == nil {
				d, ok := t.choose(target, found, f.Time)
				if ok {
					target = d.ID
					e.sight(a, d)
				}
				lost.look(ok, f.Time)
				if name == "" {
					e.followed.Store(placed(ok, &d, &f))
				}
				before = e.tell(found, before, f.Time)
			}
		}
		if err != nil && ctx.Err() == nil {
			e.Log.Warn().Err(err).Msg("following a face")
		}
		rest(ctx, followFrames-time.Since(began))
	}
}

// placed says where in a frame the face that is followed is.
func placed(seen bool, d *scene.Detection, f *camera.Frame) *scene.Followed {
	out := &scene.Followed{TS: f.Time, Seen: seen && f.Width > 0 && f.Height > 0}
	if out.Seen {
		x, y := d.Box.Center()
		out.X, out.Y = 2*x/float64(f.Width)-1, 2*y/float64(f.Height)-1
	}
	return out
}

// Followed returns where the face that is followed was seen last; nil while no face is followed, or none was looked for yet.
func (e *Eyes) Followed() *scene.Followed { return e.followed.Load() }

// rest waits, at most until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// loss tells once when a thing that is followed has not been seen for a while.
type loss struct {
	tell func(name string)
	name string // empty: a face, which comes and goes
	seen time.Time
}

// look takes in whether the thing is in a picture.
func (l *loss) look(there bool, at time.Time) {
	switch {
	case there, l.seen.IsZero() && l.name == "":
		l.seen = at
	case !l.seen.IsZero() && at.Sub(l.seen) > followLost:
		l.seen = time.Time{}
		if l.name != "" && l.tell != nil {
			l.tell(l.name)
		}
	}
}

// sightings returns the faces of a frame, or the things of a name, with their numbers.
func (e *Eyes) sightings(ctx context.Context, t *tracker, f camera.Frame, name string) ([]scene.Detection, error) {
	w := onlyFaces
	if name != "" {
		w = onlyThings
	}
	v, s, err := e.study(ctx, f, w)
	if err != nil {
		return nil, err
	}
	if name != "" {
		v.Detections = v.Named(name)
	}
	found := v.Detections[:0]
	var sizes []float64
	for _, d := range v.Detections {
		if across, _, ok := s.extent(d.Box); ok {
			found, sizes = append(found, d), append(sizes, across*degrees)
		}
	}
	return t.update(found, sizes, f.Time), nil
}

// sight hands a sighting to the half that steers.
func (e *Eyes) sight(a *aim, d scene.Detection) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	if !a.active {
		e.poses.mu.Lock()
		head := hal.Head{}
		if e.poses.n > 0 {
			head = e.poses.ring[(e.poses.n-1)%poseMemory].head
		}
		e.poses.mu.Unlock()
		a.follower.Start(head.Yaw*degrees, head.Pitch*degrees, now)
		a.active = true
		select {
		case a.wake <- struct{}{}:
		default:
		}
	}
	a.follower.See(d.Yaw, d.Pitch, now)
}

// tell reports that a face has come or gone. It returns a number that changes with the faces in view.
func (e *Eyes) tell(found []scene.Detection, before int, at time.Time) int {
	now := 0
	for _, d := range found {
		now = now*31 + d.ID
	}
	if now != before && e.Seen != nil {
		e.Seen(scene.View{TS: at, Detections: found})
	}
	return now
}

// steer sends goals to the head as long as there is something to follow. When it ends, the head stays at the last one.
func (e *Eyes) steer(ctx context.Context, a *aim) {
	tick := time.NewTicker(followTick)
	defer tick.Stop()
	for {
		a.mu.Lock()
		active := a.active
		a.mu.Unlock()
		if !active {
			select {
			case <-ctx.Done():
				return
			case <-a.wake:
				continue
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !e.steerOnce(ctx, a) {
			rest(ctx, followRetry)
		}
	}
}

// steerOnce sends one goal and reports whether it was taken. After a refusal following begins anew from where the
// head then is: somebody else has moved it.
func (e *Eyes) steerOnce(ctx context.Context, a *aim) bool {
	a.mu.Lock()
	yaw, pitch, ok := a.follower.Step(time.Now())
	a.active = ok
	a.mu.Unlock()
	if !ok {
		return true
	}
	head := hal.Head{Yaw: yaw / degrees, Pitch: pitch / degrees}
	answer, err := e.Body.Do(ctx, hal.Request{Verb: hal.VerbTarget, Source: followSource, Head: head.Goal()})
	if err == nil && answer.Outcome != hal.Rejected {
		return true
	}
	a.mu.Lock()
	a.active = false
	a.mu.Unlock()
	e.Log.Debug().Err(err).Str("reason", answer.Reason).Msg("the head does not follow")
	return false
}
