// Package server is the door of the control loop: a small HTTP server on a unix socket; package body is its client.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/hal/motion"
)

const (
	// MaxRequest is the longest request in bytes; a recording of a minute fits.
	MaxRequest = 4 << 20
	// MaxTargetLine is the longest line of a stream of targets in bytes.
	MaxTargetLine = 4 << 10
	// MaxWatchers is how many watches and streams may be open at once.
	MaxWatchers = 32
	// MaxWatchHz is the most states a second that a watch sends.
	MaxWatchHz = 100

	bigRequest = 64 << 10 // from here on one request at a time, so that memory stays bounded
)

// Server offers a loop on a unix socket and looks after the robot when its owner is gone.
type Server struct {
	Loop *motion.Loop
	Log  zerolog.Logger
	// OwnerTimeout is how long the robot holds without an owner before it is parked; 0 is for ever.
	OwnerTimeout time.Duration
	// Linger is how long the server goes on without an owner after that, before Serve returns ErrAbandoned; 0 is for ever.
	Linger time.Duration
	// StopFile, if not empty, remembers a latched emergency stop across a crash of the process.
	StopFile string

	owners   owners
	usage    local.Usage
	big      sync.Mutex
	watchers chan struct{}
	slow     time.Duration // a reader that takes longer for one line is disconnected; default 5 s
	retired  atomic.Bool
}

// ErrAbandoned is what Serve returns when no owner has come for so long that nobody will.
var ErrAbandoned = errors.New("no owner has come back")

// Serve answers on l until ctx ends or the robot is abandoned, and closes l. Requests that are being answered are
// finished; watches and streams are cut.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	s.recallStop()
	s.watchers = make(chan struct{}, MaxWatchers)
	s.slow = cmp.Or(s.slow, 5*time.Second)
	s.owners.init()
	s.usage.Get() // from here on
	closing, closeAll := context.WithCancel(context.Background())
	defer closeAll()
	srv := local.NewServer(closing, s.handler())
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := srv.Serve(local.QuietListener{Listener: l}); !errors.Is(err, http.ErrServerClosed) {
			stop(fmt.Errorf("serve: %w", err))
		}
	})
	err := s.supervise(ctx)
	closeAll()
	local.Shut(srv)
	wg.Wait()
	return err
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		local.Reply(w, map[string]any{"ok": true, "pid": os.Getpid()})
	})
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) { local.Reply(w, s.Loop.State()) })
	mux.HandleFunc("GET /telemetry", func(w http.ResponseWriter, _ *http.Request) { local.Reply(w, s.telemetry()) })
	mux.HandleFunc("POST /command", s.command)
	mux.HandleFunc("GET /wait", s.wait)
	mux.HandleFunc("GET /watch", s.watch)
	mux.HandleFunc("POST /stream", s.stream)
	return mux
}

func (s *Server) telemetry() hal.Telemetry {
	t := s.Loop.Telemetry()
	t.RSSBytes, t.CPUPercent = s.usage.Get()
	return t
}

func (s *Server) command(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength < 0 || r.ContentLength > bigRequest {
		s.big.Lock()
		defer s.big.Unlock()
	}
	var req hal.Request
	if !local.Decode(w, r, MaxRequest, &req) {
		return
	}
	a := retired
	if !s.retired.Load() || req.Verb == hal.VerbStop {
		a = s.Loop.Do(r.Context(), req)
	}
	s.noteStop(&req, &a)
	wait := r.FormValue("wait") == "1" && a.Outcome != hal.Rejected && a.Move != ""
	log := s.Log.Debug()
	if req.Verb == hal.VerbStop || req.Verb == hal.VerbReset {
		log = s.Log.Warn()
	}
	log.Str("verb", string(req.Verb)).Str("name", req.Name).Str("outcome", string(a.Outcome)).
		Str("move", a.Move).Str("code", a.Code).Str("reason", cmp.Or(a.Reason, req.Reason)).Msg("command")
	if wait {
		s.answerAndEnd(w, r, &a)
		return
	}
	local.Reply(w, a)
}

// answerAndEnd writes the answer to a request, and in a second line how the move ended or why that is not known.
func (s *Server) answerAndEnd(w http.ResponseWriter, r *http.Request, a *hal.Answer) {
	out := local.NewLines(w, s.slow)
	if out.Write(a) != nil {
		return
	}
	var end body.End
	e, err := s.Loop.Wait(r.Context(), a.Move)
	if err != nil {
		end.Error = err.Error()
	} else {
		end.Event = &e
	}
	_ = out.Write(&end) // who asked may be gone
}

// retired is what moves are answered when the body parks for good.
var retired = hal.Answer{Outcome: hal.Rejected, Code: hal.CodeUnavailable, Reason: "the body has been told to end and is parking"}

func (s *Server) wait(w http.ResponseWriter, r *http.Request) {
	e, err := s.Loop.Wait(r.Context(), r.FormValue("move"))
	var unknown *motion.UnknownMoveError
	switch {
	case errors.As(err, &unknown):
		local.Refuse(w, http.StatusNotFound, "%v", err)
	case err != nil:
		local.Refuse(w, http.StatusServiceUnavailable, "%v", err)
	default:
		local.Reply(w, e)
	}
}

// enter takes one of the places for long connections, or refuses.
func (s *Server) enter(w http.ResponseWriter) bool {
	select {
	case s.watchers <- struct{}{}:
		return true
	default:
		local.Refuse(w, http.StatusServiceUnavailable, "%d watches and streams are open, which is the most", MaxWatchers)
		return false
	}
}

func (s *Server) leave() { <-s.watchers }

func (s *Server) watch(w http.ResponseWriter, r *http.Request) {
	hz, err := strconv.ParseFloat(cmp.Or(r.FormValue("hz"), "10"), 64)
	if err != nil || math.IsNaN(hz) || hz <= 0 || hz > MaxWatchHz {
		local.Refuse(w, http.StatusBadRequest, "hz is %q; allowed is a number above 0 and up to %d", r.FormValue("hz"), MaxWatchHz)
		return
	}
	var after uint64
	resume := r.FormValue("after") != ""
	if resume {
		if after, err = strconv.ParseUint(r.FormValue("after"), 10, 64); err != nil {
			local.Refuse(w, http.StatusBadRequest, "after is %q; allowed is the seq of an event", r.FormValue("after"))
			return
		}
	}
	if !s.enter(w) {
		return
	}
	defer s.leave()
	if r.FormValue("owner") == "1" {
		s.owners.came()
		defer s.owners.left()
	}
	every := time.Duration(min(1/hz, 3600) * float64(time.Second)) // a number near 0 has a period beyond all durations
	sub, last := s.Loop.Subscribe(every)
	defer sub.Close()
	if !resume {
		after = last
	}
	s.tell(r.Context(), local.NewLines(w, s.slow), sub, after, &pace{calm: r.FormValue("calm") == "1", now: s.Loop.State})
}

// tell writes states, events and telemetry until the reader leaves or is too slow. Every reader has its own goroutine,
// so that a slow one only misses states; of events it misses none, unless it is a thousand behind.
func (s *Server) tell(ctx context.Context, out *local.Lines, sub *motion.Subscription, after uint64, p *pace) {
	health := time.NewTicker(time.Second)
	defer health.Stop()
	var events []hal.Event
	if out.Write(p.state()) != nil {
		return
	}
	for {
		events = s.Loop.Events(after, events[:0])
		for i := range events {
			after = events[i].Seq
			if out.Write(&body.Message{Event: &events[i]}) != nil {
				return
			}
		}
		var err error
		select {
		case <-ctx.Done():
			return
		case <-sub.C:
		case <-sub.States:
			if p.due() {
				err = out.Write(p.state())
			}
		case <-health.C:
			t := s.telemetry()
			if m := (body.Message{Telemetry: &t}); p.calm {
				err = out.Write(p.state(), &m) // one line more is cheaper than to be woken up twice
			} else {
				err = out.Write(&m)
			}
		}
		if err != nil {
			return
		}
	}
}
