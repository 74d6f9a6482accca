package sdk

import (
	"context"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/perception/scene"
)

// faceTarget is the face that is followed, in the official daemon's words. Its roll is not known here.
type faceTarget struct {
	Detected bool     `json:"detected"`
	X        *float64 `json:"x"` // −1 at the picture's left edge, 1 at its right one
	Y        *float64 `json:"y"` // −1 at its upper edge, 1 at its lower one
	Roll     *float64 `json:"roll"`
	TS       *float64 `json:"ts"` // of the picture, s of the host's monotonic clock
}

const (
	// faceFresh is how old a face may be that is told without asking anew: faces are looked for ten times a second.
	faceFresh = 90 * time.Millisecond
	// faceIdle is the same while no face is followed.
	faceIdle = time.Second
	// facePatience is how long a status waits for the face.
	facePatience = 100 * time.Millisecond
)

// faces keeps the newest face for those who must not wait.
type faces struct {
	mu    sync.Mutex
	last  *scene.Followed
	asked time.Time
	done  chan struct{} // closed when the answer is there; nil while nobody asks
}

// askFace asks reachy-sense for the face that is followed; nil for none.
func (g *Gateway) askFace(ctx context.Context) (*scene.Followed, error) {
	ctx, cancel := context.WithTimeout(ctx, bodyPatience)
	defer cancel()
	state, err := g.Senses.State(ctx)
	return state.Sight.Face, err
}

// face returns the face that is followed, and asks anew, for at most so long, when what is known is old. What is asked for longer serves the next.
func (g *Gateway) face(wait time.Duration) faceTarget {
	if g.Senses == nil {
		return faceTarget{}
	}
	f := &g.faces
	f.mu.Lock()
	old := faceFresh
	if f.last == nil {
		old = faceIdle
	}
	if f.done == nil && time.Since(f.asked) > old && g.begin() {
		f.asked, f.done = time.Now(), make(chan struct{})
		go func() {
			defer g.work.Done()
			face, err := g.askFace(g.ctx)
			f.mu.Lock()
			defer f.mu.Unlock()
			close(f.done)
			f.done = nil
			if f.last = face; err != nil {
				f.last = nil // it may be anywhere
			}
		}()
	}
	done := f.done
	f.mu.Unlock()
	if done != nil && wait > 0 {
		late := time.NewTimer(wait)
		defer late.Stop()
		select {
		case <-done:
		case <-late.C:
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return told(f.last)
}

// told is a face in the official daemon's words.
func told(f *scene.Followed) faceTarget {
	if f == nil {
		return faceTarget{}
	}
	out := faceTarget{Detected: f.Seen}
	if f.Seen {
		x, y := f.X, f.Y
		out.X, out.Y = &x, &y
	}
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) == nil {
		ts := float64(now.Nano())/float64(time.Second) - time.Since(f.TS).Seconds()
		out.TS = &ts
	}
	return out
}

// restFace answers with the face that is followed now.
func restFace(g *Gateway, r *http.Request) (any, error) {
	var face *scene.Followed
	if g.Senses != nil { // else no face is followed, as with the official daemon without media
		var err error
		if face, err = g.askFace(r.Context()); err != nil {
			return nil, err
		}
	}
	return map[string]any{"status": "ok", "face_target": told(face)}, nil
}
