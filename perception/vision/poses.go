package vision

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
)

const (
	poseRate   = 50                     // states a second that are remembered
	poseMemory = 2 * poseRate           // how many: two seconds
	poseLinger = 3 * time.Second        // for which states are watched after the last use
	poseSpan   = 2 * time.Second        // between two states
	poseFirst  = 500 * time.Millisecond // that the first state may take
	poseRetry  = 200 * time.Millisecond // between attempts to reach the body
)

// poses remembers where the head was, because a picture is older than the news of it. It watches the body only while
// somebody uses it.
type poses struct {
	body Body

	mu     sync.Mutex
	ring   [poseMemory]stamped
	n      int // states ever remembered
	news   chan struct{}
	users  int
	stop   context.CancelFunc
	over   chan struct{}
	linger *time.Timer
}

type stamped struct {
	at   time.Time
	head hal.Head
}

// acquire begins to watch. release must follow.
func (p *poses) acquire() {
	if p.body == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users++
	if p.linger != nil {
		p.linger.Stop()
	}
	if p.stop == nil {
		ctx, cancel := context.WithCancel(context.Background())
		p.stop, p.over = cancel, make(chan struct{})
		p.n, p.news = 0, make(chan struct{})
		go p.watch(ctx, p.over)
	}
}

// release ends a use; the watch ends a little later, unless it is used again.
func (p *poses) release() {
	if p.body == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users == 0 {
		p.linger = time.AfterFunc(poseLinger, p.end)
	}
}

// end stops watching if nobody uses it.
func (p *poses) end() {
	p.mu.Lock()
	stop, over := p.stop, p.over
	if p.users > 0 || stop == nil {
		p.mu.Unlock()
		return
	}
	if p.linger != nil {
		p.linger.Stop()
	}
	p.stop = nil
	p.mu.Unlock()
	stop()
	<-over
}

func (p *poses) watch(ctx context.Context, over chan struct{}) {
	defer close(over)
	for ctx.Err() == nil {
		err := p.body.Watch(ctx, poseRate, func(m body.Message) {
			if m.State != nil && m.State.Mode != hal.ModeOffline {
				p.keep(m.State.TS, m.State.Head)
			}
		})
		if err == nil || errors.Is(err, context.Canceled) {
			continue
		}
		t := time.NewTimer(poseRetry)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
		}
	}
}

func (p *poses) keep(at time.Time, h hal.Head) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n > 0 {
		switch since := at.Sub(p.ring[(p.n-1)%poseMemory].at); {
		case since < -poseSpan || since > poseSpan: // the clock was set: what was before it tells nothing of after
			p.n = 0
		case since <= 0: // the same state again
			return
		}
	}
	p.ring[p.n%poseMemory] = stamped{at, h}
	p.n++
	close(p.news)
	p.news = make(chan struct{})
}

// at returns the head's pose at a time, between two states where both are known, and waits a little for the first one.
// It reports false when the body does not say anything.
func (p *poses) at(ctx context.Context, t time.Time) (hal.Pose, bool) {
	if p.body == nil {
		return hal.IdentityPose, false
	}
	limit := time.NewTimer(poseFirst)
	defer limit.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	// A picture may be newer than the newest state: the next one tells what was between.
	for p.stop != nil && (p.n == 0 || p.ring[(p.n-1)%poseMemory].at.Before(t)) {
		news := p.news
		p.mu.Unlock()
		waiting := true
		select {
		case <-news:
		case <-limit.C:
			waiting = false
		case <-ctx.Done():
			waiting = false
		}
		p.mu.Lock()
		if !waiting {
			break
		}
	}
	if p.n == 0 {
		return hal.IdentityPose, false
	}
	return p.between(t), true
}

// between interpolates in what is remembered; outside of it the nearest state counts. mu is held.
func (p *poses) between(t time.Time) hal.Pose {
	newest := p.ring[(p.n-1)%poseMemory]
	for i := p.n - 2; i >= max(0, p.n-poseMemory); i-- {
		older := p.ring[i%poseMemory]
		if !older.at.After(t) {
			s := 1.0
			if gap := newest.at.Sub(older.at); t.Before(newest.at) {
				s = float64(t.Sub(older.at)) / float64(gap)
			}
			return mix(older.head, newest.head, s).Pose()
		}
		newest = older
	}
	return newest.head.Pose()
}

// mix is the pose a part of the way from a to b, which are near to each other.
func mix(a, b hal.Head, s float64) hal.Head {
	lerp := func(a, b float64) float64 { return a + (b-a)*s }
	yaw := b.Yaw
	for yaw-a.Yaw > pi {
		yaw -= 2 * pi
	}
	for yaw-a.Yaw < -pi {
		yaw += 2 * pi
	}
	return hal.Head{
		X: lerp(a.X, b.X), Y: lerp(a.Y, b.Y), Z: lerp(a.Z, b.Z),
		Roll: lerp(a.Roll, b.Roll), Pitch: lerp(a.Pitch, b.Pitch), Yaw: lerp(a.Yaw, yaw),
	}
}
