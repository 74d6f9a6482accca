package worker

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/reachyd/reachyd/hal/local"
)

const (
	maxRequest  = 1 << 20
	maxPause    = 60.0 // s
	maxTries    = 10_000
	standardTry = 200
	beat        = time.Second
	slow        = 5 * time.Second
)

// ErrAbandoned is what Serve returns when nobody has asked anything for so long that nobody will.
var ErrAbandoned = errors.New("nobody asks any more")

// Request is one wish: train start, stop, status, list, show, curve, evaluate, compare.
type Request struct {
	Start

	Action  string `json:"action"`
	Other   string `json:"other,omitempty"` // compare: the second run
	HeldOut bool   `json:"held_out,omitempty"`
	Tries   int    `json:"tries,omitempty"` // evaluate: episodes
	Try     string `json:"try,omitempty"`   // evaluate: on another model of the robot
}

// Comparison is two runs side by side, each tried on the same episodes.
type Comparison struct {
	Runs [2]Summary    `json:"runs"`
	Both [2]Evaluation `json:"evaluations"`
}

// Server answers on a unix socket.
type Server struct {
	Trainer *Trainer
	Linger  time.Duration // without a question Serve returns ErrAbandoned; 0 is for ever

	mu       sync.Mutex
	asked    time.Time
	watchers map[chan Status]struct{}
}

// Tell passes a status on to who watches. It is the trainer's Changed.
func (s *Server) Tell(st Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watchers {
		select {
		case w <- st:
		default: // a watcher that is slow sees the next one
		}
	}
}

// Serve answers on l until ctx ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	s.asked = time.Now()
	srv := &http.Server{Handler: s.routes(ctx), ReadHeaderTimeout: slow}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { srv.Close() })() //nolint:errcheck // it only ends Serve
	var watchdog sync.WaitGroup
	watchdog.Go(func() { s.watch(ctx, cancel) })
	err := srv.Serve(l)
	cancel(nil)
	watchdog.Wait()
	if cause := context.Cause(ctx); errors.Is(cause, ErrAbandoned) {
		return cause
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func (s *Server) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		s.mu.Lock()
		idle := time.Since(s.asked)
		s.mu.Unlock()
		if s.Linger > 0 && idle > s.Linger {
			cancel(ErrAbandoned)
			return
		}
	}
}

func (s *Server) routes(ctx context.Context) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		s.asked = time.Now()
		s.mu.Unlock()
		local.Reply(w, map[string]any{"pid": os.Getpid()})
	})
	mux.HandleFunc("POST /train", func(w http.ResponseWriter, r *http.Request) {
		var req Request
		if !local.Decode(w, r, maxRequest, &req) {
			return
		}
		answer, err := s.do(r.Context(), &req)
		if err != nil {
			local.Refuse(w, http.StatusConflict, "%v", err)
			return
		}
		local.Reply(w, answer)
	})
	mux.HandleFunc("POST /pause", func(w http.ResponseWriter, r *http.Request) {
		var req struct{ Seconds float64 }
		if !local.Decode(w, r, maxRequest, &req) {
			return
		}
		if !(req.Seconds >= 0 && req.Seconds <= maxPause) {
			local.Refuse(w, http.StatusBadRequest, "seconds: %g is not within 0…%g", req.Seconds, maxPause)
			return
		}
		s.Trainer.Pause(time.Duration(req.Seconds * float64(time.Second)))
		local.Reply(w, s.Trainer.Status())
	})
	mux.HandleFunc("POST /feedback", func(w http.ResponseWriter, r *http.Request) {
		var req struct{ Reward float64 }
		if !local.Decode(w, r, maxRequest, &req) {
			return
		}
		if !(req.Reward >= -1 && req.Reward <= 1) {
			local.Refuse(w, http.StatusBadRequest, "reward: %g is not within −1…1", req.Reward)
			return
		}
		local.Reply(w, map[string]bool{"taken": s.Trainer.Feedback(req.Reward)})
	})
	file := func(kind string, of func(string) ([]byte, error)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			data, err := of(r.URL.Query().Get("run"))
			if err != nil {
				local.Refuse(w, http.StatusNotFound, "%v", err)
				return
			}
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(data) // who asked may have gone
		}
	}
	mux.HandleFunc("GET /curves.png", file("image/png", s.Trainer.Picture))
	mux.HandleFunc("GET /curve.csv", file("text/csv", s.Trainer.Table))
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) { s.events(ctx, w, r) })
	return mux
}

func (s *Server) do(ctx context.Context, r *Request) (any, error) {
	t := s.Trainer
	switch {
	case r.Tries == 0:
		r.Tries = standardTry
	case r.Tries < 1 || r.Tries > maxTries:
		return nil, errors.New("tries: it must be within 1…10000")
	}
	switch r.Action {
	case "start":
		return t.Begin(r.Start)
	case "stop":
		return t.Stop()
	case "status", "":
		return t.Status(), nil
	case "list":
		runs, err := t.Runs()
		return map[string]any{"runs": runs}, err
	case "show":
		return t.Show(r.Run)
	case "curve":
		return t.Curve(r.Run)
	case "evaluate":
		return t.Evaluate(ctx, r.Run, r.Tries, r.HeldOut, r.Try)
	case "compare":
		return s.compare(ctx, r)
	}
	return nil, errors.New("action: " + r.Action + " is not one of start, stop, status, list, show, curve, evaluate, compare")
}

func (s *Server) compare(ctx context.Context, r *Request) (c Comparison, err error) {
	for i, name := range []string{r.Run, r.Other} {
		if c.Runs[i], err = s.Trainer.Show(name); err != nil {
			return c, err
		}
		if c.Both[i], err = s.Trainer.Evaluate(ctx, name, r.Tries, r.HeldOut, r.Try); err != nil {
			return c, err
		}
	}
	return c, nil
}

// events tells the status now and whenever it changes.
func (s *Server) events(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	const waiting = 64
	ch := make(chan Status, waiting)
	s.mu.Lock()
	if s.watchers == nil {
		s.watchers = map[chan Status]struct{}{}
	}
	s.watchers[ch] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.watchers, ch)
		s.mu.Unlock()
	}()
	lines := local.NewLines(w, slow)
	st := s.Trainer.Status()
	for lines.Write(st) == nil {
		select {
		case <-ctx.Done():
			return
		case <-r.Context().Done():
			return
		case st = <-ch:
		}
	}
}
