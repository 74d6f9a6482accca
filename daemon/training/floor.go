package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/arbiter"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/learner/onrobot"
)

// Body moves the robot. *body.Client is one.
type Body interface {
	Do(ctx context.Context, req hal.Request) (hal.Answer, error)
	// Wait returns the end of a move.
	Wait(ctx context.Context, move string) (hal.Event, error)
	State(ctx context.Context) (hal.State, error)
}

// Limits of learned motion on the robot itself.
const (
	targets     = 10 // of one decision
	simDecision = 100 * time.Millisecond
	between     = time.Duration(onrobot.Pace * float64(simDecision) / targets)
	turnMost    = 110 * 0.1 * math.Pi / 180 * 1.001 // of one decision, rad
	slideMost   = 0.0121                            // m
	startSpeed  = 40 * math.Pi / 180                // to a start, rad/s
	leastTime   = 0.8                               // s, at least
	poll        = 100 * time.Millisecond
	consented   = time.Hour // for which somebody agrees, at most
	maxBody     = 1 << 12
	bodyAnswers = 2 * time.Second // for the body to answer
	restTime    = 5 * time.Second
	source      = "training"
)

// Floor is where a run may move the robot itself, for as long as a person agrees. It asks the body like everybody else: a newer
// command takes the robot over and cuts the episode off, a stop ends it and the agreement.
type Floor struct {
	Body    Body
	Arbiter *arbiter.Arbiter
	Socket  string // where the trainer asks
	// Rest is how long the robot stays as somebody else has left it before practice goes on; 5 s when zero.
	Rest time.Duration

	moving sync.Mutex // one request is served at a time
	asking sync.Mutex // while the body is asked: a newer command waits for its answer, or the request would overtake it
	mu     sync.Mutex
	ctx    context.Context // of the agreement; nil: nobody has agreed yet
	end    context.CancelCauseFunc

	// Guarded by moving.
	episode context.Context // of the claim on the robot
	leave   context.CancelFunc
	goal    hal.Head // of the latest decision
	taken   bool     // somebody else has moved the robot since
}

var errNobody = errors.New("nobody has agreed that learning moves the robot")

// grant begins what a person has agreed to.
func (f *Floor) grant() {
	f.withdraw(errNobody)
	f.mu.Lock()
	defer f.mu.Unlock()
	ctx, cancel := context.WithCancelCause(context.Background())
	timer := time.AfterFunc(consented, func() { cancel(fmt.Errorf("%w for longer than %v", errNobody, consented)) })
	context.AfterFunc(ctx, func() { timer.Stop() })
	f.ctx, f.end = ctx, cancel
}

// withdraw ends the agreement, if there is one.
func (f *Floor) withdraw(why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.end != nil {
		f.end(why)
	}
}

func (f *Floor) agreed() (context.Context, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx == nil {
		return nil, errNobody
	}
	return f.ctx, context.Cause(f.ctx)
}

// Run serves the trainer until ctx ends.
func (f *Floor) Run(ctx context.Context) error {
	l, err := local.Listen(f.Socket)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /begin", serve(f, f.begin))
	mux.HandleFunc("POST /glide", serve(f, f.glide))
	const slow = 5 * time.Second
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: slow}
	defer context.AfterFunc(ctx, func() {
		f.withdraw(errors.New("reachyd ends"))
		srv.Close() //nolint:errcheck // it only ends Serve
	})()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// serve answers a request of the trainer as long as somebody agrees.
func serve[In any](f *Floor, do func(ctx context.Context, in *In) (onrobot.Moved, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in In
		if !local.Decode(w, r, maxBody, &in) {
			return
		}
		f.moving.Lock()
		defer f.moving.Unlock()
		ctx, err := f.agreed()
		var m onrobot.Moved
		if err == nil {
			m, err = do(ctx, &in)
		}
		switch {
		case err == nil:
			local.Reply(w, m)
		case errors.Is(err, onrobot.ErrTaken):
			local.Refuse(w, onrobot.StatusTaken, "%v", err)
		case errors.Is(err, onrobot.ErrStopped), errors.Is(err, arbiter.ErrStopped):
			f.withdraw(onrobot.ErrStopped)
			local.Refuse(w, onrobot.StatusStopped, "learning on it needs a new agreement")
		default:
			f.withdraw(err)
			local.Refuse(w, http.StatusGone, "%v", err)
		}
	}
}

// begin brings the head to a start once nobody else moves the robot.
func (f *Floor) begin(ctx context.Context, in *onrobot.Begin) (m onrobot.Moved, err error) {
	for {
		f.release() // else it would wait behind its own last episode
		at, err := f.free(ctx)
		if err != nil {
			return m, err
		}
		switch free, err := f.claim(ctx); {
		case err != nil:
			return m, err
		case !free:
			f.taken = true
			continue
		}
		far := max(math.Abs(at.Head.Yaw-in.Start.Yaw), math.Abs(at.Head.Pitch-in.Start.Pitch), math.Abs(at.Head.Roll-in.Start.Roll))
		end, a, err := f.goTo(in.Start, max(leastTime, far/startSpeed))
		switch {
		case f.episode.Err() != nil && ctx.Err() == nil:
			if why := context.Cause(f.episode); !errors.Is(why, arbiter.ErrNewer) {
				return m, why
			}
			f.taken = true
			continue // somebody else was faster
		case err != nil:
			return m, err
		case a.Outcome == hal.Rejected:
			return m, refusal(&a)
		case end.End == hal.EndStopped:
			return m, onrobot.ErrStopped
		case end.End != hal.EndDone:
			f.taken = true
			continue
		}
		s, err := f.Body.State(ctx)
		f.goal = in.Start
		return onrobot.Moved{On: []hal.Head{s.Head}}, err
	}
}

// goTo brings the head to a pose within some seconds, and waits for the end.
func (f *Floor) goTo(head hal.Head, seconds float64) (end hal.Event, a hal.Answer, err error) {
	yaw := kinematics.AutoBodyYawFor(head.Yaw, 0)
	a, err = f.ask(hal.Request{Verb: hal.VerbGoto, Head: head.Goal(), BodyYaw: &yaw, Duration: seconds})
	if err == nil && a.Outcome != hal.Rejected {
		end, err = f.Body.Wait(f.episode, a.Move)
	}
	return end, a, err
}

// ask asks the body for a movement of the episode, and waits for its answer even when the episode is lost meanwhile: who has taken
// the robot begins only then, and what was still on its way cannot end what they begin.
func (f *Floor) ask(req hal.Request) (hal.Answer, error) {
	f.asking.Lock()
	defer f.asking.Unlock()
	if f.episode.Err() != nil {
		return hal.Answer{}, context.Cause(f.episode)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.episode), bodyAnswers)
	defer cancel()
	return f.Body.Do(ctx, req)
}

// free waits until nobody else moves the robot, and for a while longer where somebody else has moved it.
func (f *Floor) free(ctx context.Context) (hal.State, error) {
	_, leave, ok := f.Arbiter.Enter(ctx)
	if !ok {
		return hal.State{}, context.Cause(ctx)
	}
	defer leave()
	rest := cmp.Or(f.Rest, restTime)
	for still := time.Now(); ; {
		s, err := f.Body.State(ctx)
		if err == nil && f.taken && s.Moving {
			still = time.Now()
		}
		switch {
		case err != nil:
			return s, err
		case s.EStop:
			return s, onrobot.ErrStopped
		case s.Mode != hal.ModeEnabled:
			return s, fmt.Errorf("the motors are %s", s.Mode)
		case f.taken && time.Since(still) < rest:
		case !s.Moving || s.MoveName == "stream "+source:
			f.taken = false
			return s, nil
		}
		select {
		case <-ctx.Done():
			return s, context.Cause(ctx)
		case <-time.After(poll):
		}
	}
}

// release ends the episode before.
func (f *Floor) release() {
	if f.leave != nil {
		f.leave()
		f.leave = nil
	}
}

// claim takes the robot for an episode, unless somebody else has it or waits for it.
func (f *Floor) claim(ctx context.Context) (free bool, err error) {
	own, cancel := context.WithCancel(ctx)
	c, free := f.Arbiter.Modest(own)
	if !free {
		cancel()
		return false, context.Cause(ctx)
	}
	ok := c.Begin()
	f.episode, f.leave = c.Context(), cancel
	context.AfterFunc(c.Context(), func() {
		f.asking.Lock()
		defer f.asking.Unlock()
		c.End()
	})
	if !ok && ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	return true, nil // one that was lost already is noticed by the first movement
}

// glide moves the head for one decision.
func (f *Floor) glide(ctx context.Context, in *onrobot.Glide) (m onrobot.Moved, err error) {
	if f.episode == nil {
		return m, errors.New("no episode has begun")
	}
	if err := f.within(in); err != nil {
		return m, err
	}
	ticker := time.NewTicker(between)
	defer ticker.Stop()
	for k := 1; k <= targets; k++ {
		select {
		case <-f.episode.Done():
			return m, f.lost(ctx)
		case <-ticker.C:
		}
		head := mix(in.From, in.To, float64(k)/targets)
		yaw := kinematics.AutoBodyYawFor(head.Yaw, 0)
		a, err := f.ask(hal.Request{Verb: hal.VerbTarget, Head: head.Goal(), BodyYaw: &yaw, Source: source})
		switch {
		case f.episode.Err() != nil:
			return m, f.lost(ctx)
		case err != nil:
			return m, err
		case a.Outcome == hal.Rejected:
			f.taken = true
			return m, refusal(&a)
		}
		m.Changed = m.Changed || a.Outcome == hal.Clamped
		if k%2 == 0 {
			s, err := f.Body.State(ctx)
			if err != nil {
				return m, err
			}
			m.On = append(m.On, s.Head)
		}
	}
	f.goal = in.To
	return m, nil
}

// lost is why the episode has lost the robot.
func (f *Floor) lost(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if why := context.Cause(f.episode); !errors.Is(why, arbiter.ErrNewer) {
		return why
	}
	f.taken = true
	return onrobot.ErrTaken
}

// within says what is wrong with a movement that goes on from elsewhere or is too fast.
func (f *Floor) within(in *onrobot.Glide) error {
	a, b := in.From, in.To
	turn := max(math.Abs(a.Yaw-b.Yaw), math.Abs(a.Pitch-b.Pitch), math.Abs(a.Roll-b.Roll))
	slide := max(math.Abs(a.X-b.X), math.Abs(a.Y-b.Y), math.Abs(a.Z-b.Z))
	switch {
	case a != f.goal:
		return fmt.Errorf("from: %+v is not where the last movement ended, %+v", a, f.goal)
	case !(turn <= turnMost):
		return fmt.Errorf("to: %.3g rad of one decision; at most %.3g are allowed", turn, turnMost)
	case !(slide <= slideMost):
		return fmt.Errorf("to: %.3g m of one decision; at most %.3g are allowed", slide, slideMost)
	}
	return nil
}

// refusal is what the body's refusal means.
func refusal(a *hal.Answer) error {
	switch a.Code {
	case hal.CodeEStop:
		return onrobot.ErrStopped
	case hal.CodeLease, hal.CodeBusy:
		return onrobot.ErrTaken
	}
	return errors.New(a.Reason)
}

func mix(a, b hal.Head, s float64) hal.Head {
	at := func(x, y float64) float64 { return x + (y-x)*s }
	return hal.Head{
		X: at(a.X, b.X), Y: at(a.Y, b.Y), Z: at(a.Z, b.Z), Roll: at(a.Roll, b.Roll), Pitch: at(a.Pitch, b.Pitch), Yaw: at(a.Yaw, b.Yaw),
	}
}
