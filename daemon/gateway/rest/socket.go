package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
)

const (
	// maxMessage is the longest message of a client.
	maxMessage = 64 << 10
)

// socket is a WebSocket. Its context ends with the connection and with the server.
type socket struct {
	*websocket.Conn
	ctx context.Context
}

// accept makes a WebSocket of a request. A page of another site is refused: its Origin is not the Host. done must be called.
func (a *API) accept(w http.ResponseWriter, r *http.Request) (s *socket, done func(), ok bool) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Connection", "Upgrade")
		Refuse(w, r, codeUpgrade, fmt.Sprintf("Upgrade: %.40q; this is a WebSocket", r.Header.Get("Upgrade")))
		return nil, nil, false
	}
	free, ok := a.begin(w, r)
	if !ok {
		return nil, nil, false
	}
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil { // it has been answered
		free()
		return nil, nil, false
	}
	c.SetReadLimit(maxMessage)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	stop := context.AfterFunc(a.closing, func() {
		_ = c.Close(websocket.StatusGoingAway, "reachyd ends") // whoever does not answer is cut off
		cancel()
	})
	return &socket{c, ctx}, func() {
		stop()
		cancel()
		_ = c.CloseNow() // it may be closed already
		free()
	}, true
}

// send writes an object; the reader has writeTime for it.
func (s *socket) send(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.ctx, writeTime)
	defer cancel()
	return s.Write(ctx, websocket.MessageText, data)
}

// listening reads and drops what comes, so that the end of the connection is seen.
func (s *socket) listening() { s.ctx = s.CloseRead(s.ctx) }

// alive asks the other side whether it is there.
func (s *socket) alive() bool {
	ctx, cancel := context.WithTimeout(s.ctx, writeTime)
	defer cancel()
	return s.Ping(ctx) == nil
}

// message is what the live socket and the voice send.
type message struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

// listener makes a WebSocket of a request of somebody who only wants to hear of events. done must be called.
func (a *API) listener(w http.ResponseWriter, r *http.Request) (by wish, s *socket, done func(), ok bool) {
	by, e := wishOf(r)
	if e != nil {
		Fail(w, r, e, nil)
		return by, nil, nil, false
	}
	if s, done, ok = a.accept(w, r); ok {
		s.listening()
	}
	return by, s, done, ok
}

// eventSocket is the stream of events as a WebSocket.
func (a *API) eventSocket(_ *route, w http.ResponseWriter, r *http.Request) {
	by, s, done, ok := a.listener(w, r)
	if !ok {
		return
	}
	defer done()
	a.follow(r.WithContext(s.ctx), by, func(ev api.Event) bool { return s.send(ev) == nil }, s.alive)
}

// live tells state, telemetry and events.
func (a *API) live(_ *route, w http.ResponseWriter, r *http.Request) {
	by, s, done, ok := a.listener(w, r)
	if !ok {
		return
	}
	defer done()
	sub := a.Events.Subscribe("live", streamBuffer, by.types...)
	defer sub.Close()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	defer a.Follow()()
	changed := a.Changed()
	err := errors.Join(s.send(message{"state", json.RawMessage(a.State())}), s.send(message{"telemetry", json.RawMessage(a.Telemetry())}))
	for beats := 0; err == nil; {
		select {
		case <-changed:
			changed = a.Changed()
			err = s.send(message{"state", json.RawMessage(a.State())})
		case <-second.C:
			err = s.send(message{"telemetry", json.RawMessage(a.Telemetry())})
			if beats++; err == nil && beats%15 == 0 && !s.alive() {
				return
			}
		case ev, open := <-sub.Events():
			if !open {
				return
			}
			err = s.send(message{"event", ev})
		case <-s.ctx.Done():
			return
		}
	}
}

// streams counts streams of targets, so that each has a name of its own.
var streams atomic.Uint64

// targets is a stream of targets. Whoever streams has the robot until it is silent; others are refused meanwhile by the body itself.
func (a *API) targets(_ *route, w http.ResponseWriter, r *http.Request) {
	s, done, ok := a.accept(w, r)
	if !ok {
		return
	}
	defer done()
	source := fmt.Sprintf("websocket-%d", streams.Add(1))
	told := ""
	for {
		_, data, err := s.Read(s.ctx)
		if err != nil {
			return
		}
		answer := a.target(s.ctx, source, data)
		if answer.kind == told && told != "error" {
			continue
		}
		told = answer.kind
		if s.send(answer.message) != nil {
			return
		}
	}
}

// targetAnswer is what became of one target; answers of the same kind are told once.
type targetAnswer struct {
	kind    string
	message message
}

func (a *API) target(ctx context.Context, source string, data []byte) targetAnswer {
	args, err := tool.Decode(data)
	var e *api.Error
	var result json.RawMessage
	if err != nil {
		e = &api.Error{Code: api.CodeBadJSON, Message: err.Error()}
	} else {
		args["source"] = source
		delete(args, "id")
		result, e = a.do(ctx, api.VerbSetTarget, args, "")
	}
	if e != nil {
		return targetAnswer{"error", message{"error", e}}
	}
	var moved api.MoveResult
	_ = json.Unmarshal(result, &moved) // it is our own
	fields := ""
	for _, c := range moved.Changes {
		fields += c.Field + " "
	}
	return targetAnswer{moved.Outcome + " " + fields, message{moved.Outcome, moved}}
}

// liveFeedback takes words of praise and blame while the robot acts.
func (a *API) liveFeedback(_ *route, w http.ResponseWriter, r *http.Request) {
	s, done, ok := a.accept(w, r)
	if !ok {
		return
	}
	defer done()
	for {
		_, data, err := s.Read(s.ctx)
		if err != nil {
			return
		}
		if s.send(a.praise(s.ctx, data)) != nil {
			return
		}
	}
}

// praise is one word of live feedback: a text, or an object {feedback, episode_id}.
func (a *API) praise(ctx context.Context, data []byte) any {
	var in struct {
		Feedback  string `json:"feedback"`
		EpisodeID string `json:"episode_id"`
	}
	if json.Unmarshal(data, &in) != nil && json.Unmarshal(data, &in.Feedback) != nil {
		in.Feedback = strings.TrimSpace(string(data))
	}
	words := map[string]bool{"great": true, "good": true, "bad": true, "stop": true}
	word := strings.ToLower(in.Feedback)
	if !words[word] {
		return map[string]any{"status": "error", "error": invalid("feedback", fmt.Sprintf("%.40q is not one of great, good, bad and stop", in.Feedback))}
	}
	if word == "stop" {
		if _, e := a.do(ctx, api.VerbStop, map[string]any{"reason": "live feedback"}, ""); e != nil {
			return map[string]any{"status": "error", "error": e}
		}
	}
	args := map[string]any{"verdict": word}
	if in.EpisodeID != "" {
		args["episode"] = in.EpisodeID
	}
	result, e := a.do(ctx, api.VerbFeedback, args, "")
	if e != nil && word != "stop" { // it has stopped, whether or not there was something to judge
		return map[string]any{"status": "error", "error": e}
	}
	var of struct {
		Reward float64 `json:"reward"`
	}
	_ = json.Unmarshal(result, &of) // without one it is 0
	return map[string]any{"status": "processed", "reward": of.Reward}
}
