package sdk

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// socket is a WebSocket of the REST interface: check may refuse it before it begins.
type socket struct {
	check func(query url.Values) error
	serve func(ctx context.Context, g *Gateway, conn *websocket.Conn, query url.Values)
}

// maxSockets is how many WebSockets of the REST interface there are at the same time.
const maxSockets = 32

var sockets = map[string]socket{
	"GET /api/state/ws/full":      {func(q url.Values) error { _, err := period(q); return err }, streamState},
	"GET /api/move/ws/updates":    {nil, streamUpdates},
	"GET /api/move/ws/set_target": {nil, takeTargets},
	"GET " + jobSocket + "{id}":   {nil, streamJob},
	"GET /api/move/ws/raw/write": {func(url.Values) error {
		return wrong(http.StatusForbidden, "not offered by reachyd: nobody but the control loop writes to the motors' bus")
	}, nil},
}

func (g *Gateway) socket(w http.ResponseWriter, r *http.Request, s socket) {
	query := r.URL.Query()
	if s.check != nil {
		if err := s.check(query); err != nil {
			answer(w, nil, err)
			return
		}
	}
	if !g.begin() {
		answer(w, nil, wrong(http.StatusServiceUnavailable, "reachyd is ending"))
		return
	}
	defer g.work.Done()
	select {
	case g.places <- struct{}{}:
		defer func() { <-g.places }()
	default:
		answer(w, nil, wrong(http.StatusServiceUnavailable, "%d WebSockets are open already, which is all that may", maxSockets))
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // it has been answered
	}
	defer conn.CloseNow() //nolint:errcheck // it is over in any case
	conn.SetReadLimit(maxFrame)
	if id := r.PathValue("id"); id != "" {
		query.Set("id", id)
	}
	s.serve(g.ctx, g, conn, query)
}

// put sends one message to a client that may be slow, up to a point.
func put(ctx context.Context, conn *websocket.Conn, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return write(ctx, conn, data)
}

func write(ctx context.Context, conn *websocket.Conn, text []byte) error {
	patient, cancel := context.WithTimeout(ctx, writePatience)
	defer cancel()
	return conn.Write(patient, websocket.MessageText, text)
}

func streamState(ctx context.Context, g *Gateway, conn *websocket.Conn, query url.Values) {
	ctx = conn.CloseRead(ctx)
	every, _ := period(query)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		state, err := g.full(query)
		if err != nil {
			state = map[string]string{"detail": err.Error()}
		}
		if put(ctx, conn, state) != nil || err != nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// update is a change of a move.
type update struct {
	Type    string `json:"type"` // move_started, move_completed, move_failed, move_cancelled
	UUID    string `json:"uuid"`
	Details string `json:"details"`
}

// listeners are those who hear of moves.
type listeners struct {
	mu   sync.Mutex
	list map[chan update]struct{}
}

func (l *listeners) add() chan update {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.list == nil {
		l.list = map[chan update]struct{}{}
	}
	ch := make(chan update, maxWaiting)
	l.list[ch] = struct{}{}
	return ch
}

func (l *listeners) remove(ch chan update) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.list, ch)
}

func (l *listeners) tell(u update) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for ch := range l.list {
		select {
		case ch <- u:
		default: // it does not read
		}
	}
}

func streamUpdates(ctx context.Context, g *Gateway, conn *websocket.Conn, _ url.Values) {
	ctx = conn.CloseRead(ctx)
	updates := g.listeners.add()
	defer g.listeners.remove(updates)
	for {
		select {
		case u := <-updates:
			if put(ctx, conn, u) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// takeTargets reads targets; what is wrong with one is answered.
func takeTargets(ctx context.Context, g *Gateway, conn *websocket.Conn, _ url.Values) {
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			return
		}
		var in fullTarget
		if err = json.Unmarshal(data, &in); err == nil {
			_, err = g.restTarget(ctx, &in)
		}
		if err != nil && put(ctx, conn, map[string]string{"status": "error", "detail": err.Error()}) != nil {
			return
		}
	}
}
