package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/event"
)

const (
	// keepAlive is how often a stream says that it is still there.
	keepAlive = 15 * time.Second
	// streamBuffer is how many events a slow reader may be behind.
	streamBuffer = 512
	// writeTime is how long a reader may take for what is written at once.
	writeTime = 10 * time.Second
	// pageSize is how many events of the past are read at once.
	pageSize = 200
)

// stream writes server-sent events. After a failure it does nothing.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	failed  bool
}

func newStream(w http.ResponseWriter) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s := &stream{w: w, control: http.NewResponseController(w)}
	s.flush(nil)
	return s
}

func (s *stream) flush(err error) {
	if err = errors.Join(err, s.control.Flush()); err != nil {
		s.failed = true
	}
}

// send writes an event; id 0 is none.
func (s *stream) send(name string, id uint64, v any) {
	data, err := json.Marshal(v)
	if err != nil || s.failed {
		return
	}
	head := ""
	if id > 0 {
		head = "id: " + strconv.FormatUint(id, 10) + "\n"
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTime)) // a connection without deadlines has none that could expire
	_, err = fmt.Fprintf(s.w, "%sevent: %s\ndata: %s\n\n", head, name, data)
	s.flush(err)
}

func (s *stream) comment() {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTime)) // a connection without deadlines has none that could expire
	_, err := s.w.Write([]byte(":\n\n"))
	s.flush(err)
}

// wish is which events somebody wants.
type wish struct {
	types []api.Type
	after *uint64 // nil: from now on
}

// wishOf reads what a request asks for.
func wishOf(r *http.Request) (wish, *api.Error) {
	types, e := typesOf(r.URL.Query().Get("types"))
	if e != nil {
		return wish{}, e
	}
	text := r.Header.Get("Last-Event-ID")
	if q := r.URL.Query().Get("after"); q != "" {
		text = q
	}
	if text == "" {
		return wish{types: types}, nil
	}
	id, err := strconv.ParseUint(text, 10, 53)
	if err != nil {
		return wish{}, invalid("after", fmt.Sprintf("%.40q is not the ID of an event", text))
	}
	return wish{types, &id}, nil
}

// follow calls send with every event that is wanted, first those of the past, until send fails or the stream is closed. alive is
// called now and then.
func (a *API) follow(r *http.Request, by wish, send func(api.Event) bool, alive func() bool) {
	last := a.Events.Last()
	sub := a.Events.Subscribe("stream over HTTP", streamBuffer, by.types...)
	defer sub.Close()
	sent := uint64(0)
	if by.after != nil {
		var ok bool
		if sent, ok = a.catchUp(r, by, last, send); !ok {
			return
		}
	}
	a.pass(r, sub, sent, send, alive)
}

// pass sends what comes.
func (a *API) pass(r *http.Request, sub *event.Subscription, sent uint64, send func(api.Event) bool, alive func() bool) {
	ticker := time.NewTicker(keepAlive)
	defer ticker.Stop()
	for {
		select {
		case e, open := <-sub.Events():
			if !open {
				return
			}
			if e.ID > sent && !send(e) {
				return
			}
		case <-ticker.C:
			if !alive() {
				return
			}
		case <-r.Context().Done():
			return
		case <-a.closing.Done():
			return
		}
	}
}

// catchUp sends the events behind the last one that the reader has, up to last. The store may be a little behind the stream.
func (a *API) catchUp(r *http.Request, by wish, last uint64, send func(api.Event) bool) (sent uint64, ok bool) {
	at := *by.after
	deadline := time.Now().Add(time.Second)
	for at < last {
		result, e := a.do(r.Context(), api.VerbEventsList, map[string]any{"after": at, "limit": pageSize}, "")
		var page struct{ Events []api.Event }
		if e != nil || json.Unmarshal(result, &page) != nil {
			return at, true
		}
		if len(page.Events) == 0 {
			if time.Now().After(deadline) {
				return last, true // they are gone, or were never kept
			}
			select {
			case <-time.After(10 * time.Millisecond):
			case <-r.Context().Done():
				return at, false
			}
		}
		for _, ev := range page.Events {
			if at = ev.ID; ev.ID > last {
				return last, true
			}
			if wanted(by.types, ev.Type) && !send(ev) {
				return at, false
			}
		}
	}
	return at, true
}

func wanted(types []api.Type, t api.Type) bool {
	for _, w := range types {
		if w == t {
			return true
		}
	}
	return len(types) == 0
}

// events is the stream of events as server-sent events.
func (a *API) events(_ *route, w http.ResponseWriter, r *http.Request) {
	by, e := wishOf(r)
	if e != nil {
		Fail(w, r, e, nil)
		return
	}
	done, ok := a.begin(w, r)
	if !ok {
		return
	}
	defer done()
	out := newStream(w)
	send := func(ev api.Event) bool {
		if ev.Lost > 0 {
			out.send("lost", 0, map[string]uint64{"count": ev.Lost})
		}
		out.send(string(ev.Type), ev.ID, ev)
		return !out.failed
	}
	a.follow(r, by, send, func() bool { out.comment(); return !out.failed })
}

// settle is how long what was published before the end of some work may take to get through.
const settle = 2 * time.Millisecond

// meanwhile does some work and tells of the events of these types that come until it is done.
func (a *API) meanwhile(out *stream, work func(), tell func(api.Event), types ...api.Type) {
	sub := a.Events.Subscribe("request over HTTP", 256, types...)
	defer sub.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	keep := time.NewTicker(keepAlive)
	defer keep.Stop()
	events := sub.Events()
	for working := true; working; {
		select {
		case e, ok := <-events:
			if !ok { // reachyd ends
				events = nil
				continue
			}
			tell(e)
		case <-keep.C:
			out.comment()
		case <-done:
			working = false
		}
	}
	for {
		select {
		case e, ok := <-events:
			if !ok {
				return
			}
			tell(e)
		case <-time.After(settle):
			return
		}
	}
}

// begin makes a stream of a request, if there may be one more.
func (a *API) begin(w http.ResponseWriter, r *http.Request) (done func(), ok bool) {
	done = func() {}
	if a.Streams != nil {
		if done, ok = a.Streams(r); !ok {
			Refuse(w, r, api.CodeBusy, "too many streams are open")
			return nil, false
		}
	}
	a.streams.Add(1)
	free := done
	return func() { free(); a.streams.Done() }, true
}
