package sense

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/reachyd/reachyd/perception/client"
)

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) { reply(w, s.State()) })
	mux.HandleFunc("GET /watch", s.watch)
	mux.HandleFunc("POST /listen", limited(make(chan struct{}, MaxListening), "recordings are being heard", s.listen))
	mux.HandleFunc("POST /mute", s.mute)
	mux.HandleFunc("POST /completeness", s.completeness)
	mux.HandleFunc("POST /replied", func(w http.ResponseWriter, _ *http.Request) { s.invite(); reply(w, struct{}{}) })
	mux.HandleFunc("POST /speak", limited(s.mouth.calls, "texts are being said", s.speak))
	mux.HandleFunc("POST /hush", s.hush)
	mux.HandleFunc("POST /volume", s.setVolume)
	looks := func(f http.HandlerFunc) http.HandlerFunc {
		return limited(s.eye.calls, "pictures are being looked at", f)
	}
	mux.HandleFunc("POST /detect", looks(s.detect))
	mux.HandleFunc("POST /find", looks(s.find))
	mux.HandleFunc("POST /describe", looks(s.describe))
	mux.HandleFunc("POST /photo", looks(s.takePhoto))
	mux.HandleFunc("GET /photo/{name}", s.photo)
	mux.HandleFunc("POST /track", s.track)
	mux.HandleFunc("POST /look_at", looks(s.lookAt))
	mux.HandleFunc("GET /frame.jpg", looks(s.frame))
	mux.HandleFunc("POST /see", looks(s.see))
	return s.survive(mux)
}

// survive makes an error of a panic: one bad call must not cost the others theirs.
func (s *Server) survive(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler:
				panic(p)
			default:
				s.Log.Error().Str("path", r.URL.Path).Interface("panic", p).Bytes("stack", debug.Stack()).Msg("a call panicked")
				fail(w, http.StatusInternalServerError, "%s failed badly: %v", r.URL.Path, p)
			}
		}()
		h.ServeHTTP(w, r)
	})
}

// limited refuses calls beyond the capacity of places.
func limited(places chan struct{}, what string, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			h(w, r)
		default:
			fail(w, http.StatusServiceUnavailable, "%d %s, which is the most", cap(places), what)
		}
	}
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	if err := s.pulse.check(time.Now()); err != nil {
		fail(w, http.StatusServiceUnavailable, "%v", err)
		return
	}
	reply(w, map[string]any{"ok": true, "pid": os.Getpid()})
}

func (s *Server) mute(w http.ResponseWriter, r *http.Request) {
	on, ok := switched(w, r)
	switch {
	case !ok:
	case s.ear.engine == nil && !on:
		fail(w, http.StatusNotImplemented, "hearing is off: %s", s.Hearing.Off)
	case s.ear.engine == nil:
		reply(w, struct{}{}) // who is deaf is mute already
	default:
		s.ear.engine.Mute(on) // first of all: what cannot be remembered must be done all the same
		if err := s.noteMute(on); err != nil {
			fail(w, http.StatusInternalServerError, "it is done, but would be forgotten in a crash: %v", err)
			return
		}
		reply(w, struct{}{})
	}
}

func (s *Server) completeness(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Turn     uint64         `json:"turn"`
		Revision int            `json:"revision"`
		Verdict  client.Verdict `json:"verdict"`
	}
	if !decode(w, r, &in) {
		return
	}
	switch in.Verdict {
	case client.Complete, client.Hanging, client.Unknown:
	default:
		fail(w, http.StatusBadRequest, "verdict is %q; allowed are %s, %s and %s", in.Verdict, client.Complete, client.Hanging, client.Unknown)
		return
	}
	if s.ear.engine != nil {
		s.ear.engine.Judge(in.Turn, in.Revision, in.Verdict)
	}
	reply(w, struct{}{})
}

// watch writes states and events until the reader leaves or is too slow. Every reader has its own goroutine, so that a
// slow one hinders nobody.
func (s *Server) watch(w http.ResponseWriter, r *http.Request) {
	select {
	case s.watchers <- struct{}{}:
		defer func() { <-s.watchers }()
	default:
		fail(w, http.StatusServiceUnavailable, "%d watches are open, which is the most", MaxWatchers)
		return
	}
	if r.FormValue("owner") == "1" {
		s.owners.add(1)
		defer s.owners.add(-1)
	}
	calls, last, end := s.hub.subscribe()
	defer end()
	s.tell(r.Context(), s.newWriter(w), calls, last)
}

func (s *Server) tell(ctx context.Context, out *writer, calls <-chan struct{}, last uint64) {
	tick := time.NewTicker(s.beat)
	defer tick.Stop()
	var events []client.Event
	for state := true; ; {
		if state {
			st := s.State()
			if out.write(client.Message{State: &st}) != nil {
				return
			}
		}
		events = s.hub.after(last, events[:0])
		for i := range events {
			last = events[i].Seq
			if out.write(client.Message{Event: &events[i]}) != nil {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-calls:
			state = false
		case <-tick.C:
			state = true
		}
	}
}

// writer writes JSON lines, each with its own deadline.
type writer struct {
	enc     *json.Encoder
	ctrl    *http.ResponseController
	timeout time.Duration
}

func (s *Server) newWriter(w http.ResponseWriter) *writer {
	w.Header().Set("Content-Type", "application/x-ndjson")
	return &writer{json.NewEncoder(w), http.NewResponseController(w), s.slow}
}

func (w *writer) write(v any) error {
	if err := w.ctrl.SetWriteDeadline(time.Now().Add(w.timeout)); err != nil {
		return err
	}
	if err := w.enc.Encode(v); err != nil {
		return err
	}
	return w.ctrl.Flush()
}

// decode reads the JSON object of a call, or refuses it.
func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, MaxCall))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, end := d.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("there is more after the JSON object")
		}
	}
	var tooBig *http.MaxBytesError
	switch {
	case err == nil:
		return true
	case errors.As(err, &tooBig):
		fail(w, http.StatusRequestEntityTooLarge, "the call is longer than %d bytes", MaxCall)
	default:
		fail(w, http.StatusBadRequest, "%s: %v", r.URL.Path, err)
	}
	return false
}

// switched reads {"on":true} or {"on":false}.
func switched(w http.ResponseWriter, r *http.Request) (on, ok bool) {
	var in struct {
		On *bool `json:"on"`
	}
	if !decode(w, r, &in) {
		return false, false
	}
	if in.On == nil {
		fail(w, http.StatusBadRequest, "on is missing; allowed are true and false")
		return false, false
	}
	return *in.On, true
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) //nolint:errcheck // the client has gone
}

func fail(w http.ResponseWriter, status int, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": fmt.Sprintf(format, args...)}) //nolint:errcheck // the client has gone
}
