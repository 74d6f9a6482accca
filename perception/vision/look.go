package vision

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/perception/scene"
)

// How LookAt looks.
const (
	lookTolerance = 2.0  // degrees from the middle of the picture that are centred
	lookAim       = 1.2  // below that it does not correct any more
	lookMoves     = 5    // movements at most
	lookQuickest  = 0.25 // s of a movement
	lookSpeed     = 60.0 // degrees/s of a movement, on average
	lookSlowest   = 1.0  // s

	lookStays = 2 * time.Second // before it follows a face again
)

// searchYaws are where the head turns to when a thing is not in view, degrees.
var searchYaws = [...]float64{0, 55, -55}

// searchPitch is how far down it looks then.
const searchPitch = 15.0

// LookAt turns the head until a thing is in the middle of the picture. When it is not in view the head looks around
// for it. A face that was being followed is followed again two seconds later. The error wraps ErrUnknownThing or
// ErrNotSeen; a thing that is seen and cannot be centred is no error, Look tells why.
func (e *Eyes) LookAt(ctx context.Context, name string) (look scene.Look, err error) {
	look.Name = scene.Thing(name)
	if err := e.check(name); err != nil {
		return look, err
	}
	if e.Body == nil {
		return look, fmt.Errorf("look at the %s: there is no body to turn", look.Name)
	}
	defer e.follow.pause(e)() // two who turn the head get nowhere
	e.poses.acquire()
	defer e.poses.release()
	began := time.Now()
	defer func() { look.Duration = time.Since(began) }()
	d, s, err := e.search(ctx, name, &look)
	if err != nil {
		return look, err
	}
	limited := ""
	goal := goalFor(&d)
	for {
		look.Name, look.Last, look.Error = d.Name, d, s.off(&d)
		look.Centred = look.Error <= lookTolerance
		if look.Error <= lookAim || look.Moves >= lookMoves || limited != "" {
			break
		}
		before := look.Error
		after, clamped, err := e.turn(ctx, goal, before, &look)
		if err != nil {
			return look, err
		}
		limited = clamped
		if d, s, err = e.spot(ctx, name, after, &d); err != nil {
			return look, err
		}
		// What is left is added to the goal, because the servos do not quite reach it.
		yaw, pitch := s.ahead()
		goal.Yaw += math.Remainder(d.Yaw-yaw, 360) / degrees
		goal.Pitch += (d.Pitch - pitch) / degrees
	}
	look.Error = s.off(&d)
	look.Last = d
	if look.Centred = look.Error <= lookTolerance; !look.Centred {
		look.Reason = limited
		if limited == "" {
			look.Reason = fmt.Sprintf("it is still %.1f degrees off after %d movements", look.Error, look.Moves)
		}
	}
	return look, nil
}

// search finds a thing in view, or by looking around.
func (e *Eyes) search(ctx context.Context, name string, look *scene.Look) (scene.Detection, sight, error) {
	var after time.Time
	d, s, err := e.spot(ctx, name, after, nil)
	for i := 0; err != nil && i < len(searchYaws); i++ {
		if ctx.Err() != nil || !isNotSeen(err) {
			return d, s, err
		}
		h := hal.Head{Yaw: searchYaws[i] / degrees, Pitch: searchPitch / degrees}
		turn := angleBetween(s.head.R.Apply(axis), rayTo(searchYaws[i], searchPitch))
		if turn < 20 {
			continue // that is what was looked at
		}
		var moved error
		if after, _, moved = e.turn(ctx, h, turn, look); moved != nil {
			return d, s, moved
		}
		d, s, err = e.spot(ctx, name, after, nil)
	}
	return d, s, err
}

// spot returns the surest thing of a name in a picture that was taken after a time; near, if not nil, is where it was:
// of several the nearest to that counts.
func (e *Eyes) spot(ctx context.Context, name string, after time.Time, near *scene.Detection) (scene.Detection, sight, error) {
	w := onlyThings
	switch scene.Thing(name) {
	case scene.Face:
		w = everything
	case scene.Motion:
		v, s, err := e.look(ctx, after)
		return pick(v, s, err, name, near)
	}
	f, err := e.Camera.Since(ctx, after)
	if err != nil {
		return scene.Detection{}, sight{head: hal.IdentityPose}, err
	}
	v, s, err := e.study(ctx, f, w)
	return pick(v, s, err, name, near)
}

func pick(v scene.View, s sight, err error, name string, near *scene.Detection) (scene.Detection, sight, error) {
	if err != nil {
		return scene.Detection{}, s, err
	}
	found := v.Named(name)
	if len(found) == 0 {
		return scene.Detection{}, s, fmt.Errorf("%w: %s", ErrNotSeen, name)
	}
	best := found[0]
	if near != nil {
		from := rayTo(near.Yaw, near.Pitch)
		for _, d := range found {
			if angleBetween(from, rayTo(d.Yaw, d.Pitch)) < angleBetween(from, rayTo(best.Yaw, best.Pitch)) {
				best = d
			}
		}
	}
	return best, s, nil
}

// goalFor is the head pose that has a thing in the middle of the picture. The eye moves with the head: for a thing whose
// place is known that is reckoned with, for others the next picture puts it right.
func goalFor(d *scene.Detection) hal.Head {
	if d.Place != nil {
		if p, err := kinematics.LookAt(d.Place[0], d.Place[1], d.Place[2]); err == nil {
			h := p.Head()
			return hal.Head{Yaw: h.Yaw, Pitch: h.Pitch}
		}
	}
	return hal.Head{Yaw: d.Yaw / degrees, Pitch: d.Pitch / degrees}
}

// turn moves the head by some degrees and returns when it has come to rest, with a reason in words when it was not
// allowed to go all the way.
func (e *Eyes) turn(ctx context.Context, h hal.Head, by float64, look *scene.Look) (done time.Time, limited string, err error) {
	look.Moves++
	t := max(lookQuickest, min(lookSlowest, by/lookSpeed))
	a, err := e.Body.Do(ctx, hal.Request{Verb: hal.VerbGoto, Head: h.Goal(), Duration: t})
	switch {
	case err != nil:
		return done, "", err
	case a.Outcome == hal.Rejected:
		return done, "", fmt.Errorf("turn the head: %s", a.Reason)
	case a.Outcome == hal.Clamped:
		for _, c := range a.Changes {
			if c.Field != "duration" && math.Abs(c.Asked-c.Given) > lookAim/degrees {
				limited = "my head cannot turn so far: " + c.Limit
			}
		}
	}
	end, err := e.Body.Wait(ctx, a.Move)
	switch {
	case err != nil:
		return done, "", err
	case end.End != hal.EndDone:
		return done, "", fmt.Errorf("turn the head: it was %s: %s", end.End, end.Reason)
	}
	return time.Now(), limited, nil
}

func isNotSeen(err error) bool { return errors.Is(err, ErrNotSeen) }
