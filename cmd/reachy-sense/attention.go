package main

import (
	"context"
	"sync"
	"time"
)

// How somebody looks at the robot while he speaks to it.
const (
	glanceEvery = 250 * time.Millisecond
	glanceFor   = 4 * time.Second // from the beginning of a sentence on
	glanceLong  = 800 * time.Millisecond
	glanceShare = 0.75 // of the pictures: a detector misses a face now and then
)

// attention watches, from when somebody begins to speak, whether one face looks at the robot. The camera is not used otherwise.
type attention struct {
	look func(context.Context) (faces, facing int, err error)

	mu      sync.Mutex
	ends    time.Time // of watching
	busy    bool
	glances []glance
}

// glance is what was seen at a moment.
type glance struct {
	at            time.Time
	faces, facing int
}

// begin watches for a while.
func (a *attention) begin(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ends = time.Now().Add(glanceFor)
	if a.busy {
		return
	}
	a.busy = true
	go a.watch(ctx)
}

func (a *attention) watch(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // of sentence upon sentence
	defer cancel()
	tick := time.NewTicker(glanceEvery)
	defer tick.Stop()
	for {
		faces, facing, err := a.look(ctx)
		if a.note(glance{time.Now(), faces, facing}, err != nil || ctx.Err() != nil) {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// note keeps a glance and reports whether it was the last.
func (a *attention) note(g glance, last bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !last {
		a.glances = append(a.glances, g)
		a.glances = a.glances[max(0, len(a.glances)-int(glanceFor/glanceEvery)):]
	}
	a.busy = !last && g.at.Before(a.ends)
	return !a.busy
}

// looked reports whether one face, and no other, has looked at the robot while a sentence was said that began at a moment. Of two
// people each may talk to the other.
func (a *attention) looked(start time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	var first, last time.Time
	n, facing := 0, 0
	for _, g := range a.glances {
		if g.at.Before(start) {
			continue
		}
		if g.faces > 1 {
			return false
		}
		n++
		if g.facing == 1 {
			if facing++; facing == 1 {
				first = g.at
			}
			last = g.at
		}
	}
	return last.Sub(first) >= glanceLong && float64(facing) >= glanceShare*float64(n)
}
