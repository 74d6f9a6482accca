package sense

import (
	"context"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/perception/client"
)

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) { local.Reply(w, s.State()) })
	mux.HandleFunc("GET /watch", s.watch)
	mux.HandleFunc("POST /listen", limited(make(chan struct{}, MaxListening), "recordings are being heard", s.listen))
	mux.HandleFunc("POST /mute", s.mute)
	mux.HandleFunc("POST /completeness", s.completeness)
	mux.HandleFunc("POST /replied", func(w http.ResponseWriter, _ *http.Request) { s.invite(); local.Reply(w, struct{}{}) })
	mux.HandleFunc("POST /speak", limited(s.tts.calls, "texts are being said", s.speak))
	mux.HandleFunc("POST /synthesize", limited(make(chan struct{}, MaxSynthesizing), "texts are being made sound of", s.synthesize))
	mux.HandleFunc("POST /play", limited(s.tts.calls, "texts are being said", s.playSound))
	mux.HandleFunc("POST /pour", limited(s.tts.calls, "texts are being said", s.pour))
	mux.HandleFunc("GET /microphone", s.hear)
	mux.HandleFunc("POST /hush", s.hush)
	mux.HandleFunc("POST /volume", s.setVolume)
	looks := func(f http.HandlerFunc) http.HandlerFunc {
		return limited(s.vision.calls, "pictures are being looked at", f)
	}
	mux.HandleFunc("POST /detect", looks(s.detect))
	mux.HandleFunc("POST /portraits", looks(s.portraits))
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
				local.Refuse(w, http.StatusInternalServerError, "%s failed badly: %v", r.URL.Path, p)
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
			w.Header().Set("Connection", "close") // as in listen
			local.Refuse(w, http.StatusServiceUnavailable, "%d %s, which is the most", cap(places), what)
		}
	}
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	if err := s.watchdog.check(time.Now()); err != nil {
		local.Refuse(w, http.StatusServiceUnavailable, "%v", err)
		return
	}
	local.Reply(w, map[string]any{"ok": true, "pid": os.Getpid()})
}

func (s *Server) mute(w http.ResponseWriter, r *http.Request) {
	on, ok := switched(w, r)
	switch {
	case !ok:
	case s.audio.engine == nil && !on:
		local.Refuse(w, http.StatusNotImplemented, "hearing is off: %s", s.Hearing.Off)
	case s.audio.engine == nil:
		local.Reply(w, struct{}{}) // who is deaf is mute already
	default:
		s.audio.engine.Mute(on) // first of all: what cannot be remembered must be done all the same
		if err := s.noteMute(on); err != nil {
			local.Refuse(w, http.StatusInternalServerError, "it is done, but would be forgotten in a crash: %v", err)
			return
		}
		local.Reply(w, struct{}{})
	}
}

func (s *Server) completeness(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Turn     uint64          `json:"turn"`
		Revision int             `json:"revision"`
		Endpoint client.Endpoint `json:"verdict"`
	}
	if !decode(w, r, &in) {
		return
	}
	switch in.Endpoint {
	case client.Complete, client.Incomplete, client.Unknown:
	default:
		local.Refuse(w, http.StatusBadRequest, "verdict is %q; allowed are %s, %s and %s", in.Endpoint, client.Complete, client.Incomplete, client.Unknown)
		return
	}
	if s.audio.engine != nil {
		s.audio.engine.SetEndpoint(in.Turn, in.Revision, in.Endpoint)
	}
	local.Reply(w, struct{}{})
}

// watch writes states and events until the reader leaves or is too slow. Every reader has its own goroutine, so that a
// slow one hinders nobody.
func (s *Server) watch(w http.ResponseWriter, r *http.Request) {
	select {
	case s.watchers <- struct{}{}:
		defer func() { <-s.watchers }()
	default:
		local.Refuse(w, http.StatusServiceUnavailable, "%d watches are open, which is the most", MaxWatchers)
		return
	}
	if r.FormValue("owner") == "1" {
		s.owners.add(1)
		defer s.owners.add(-1)
	}
	calls, last, end := s.hub.subscribe()
	defer end()
	s.tell(r.Context(), local.NewLines(w, s.slow), calls, last)
}

func (s *Server) tell(ctx context.Context, out *local.Lines, calls <-chan struct{}, last uint64) {
	tick := time.NewTicker(s.beat)
	defer tick.Stop()
	var events []client.Event
	for state := true; ; {
		if state {
			st := s.State()
			if out.Write(client.Message{State: &st}) != nil {
				return
			}
		}
		events = s.hub.after(last, events[:0])
		for i := range events {
			last = events[i].Seq
			if out.Write(client.Message{Event: &events[i]}) != nil {
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

// decode reads the JSON object of a call, or refuses it.
func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	return local.Decode(w, r, MaxCall, into)
}

const onMissing = "on is missing; allowed are true and false"

// switched reads {"on":true} or {"on":false}.
func switched(w http.ResponseWriter, r *http.Request) (on, ok bool) {
	var in struct {
		On *bool `json:"on"`
	}
	if !decode(w, r, &in) {
		return false, false
	}
	if in.On == nil {
		local.Refuse(w, http.StatusBadRequest, onMissing)
		return false, false
	}
	return *in.On, true
}
