package main

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/perception/client"
)

// heard is what the robot made of sound.
type heard struct {
	at         time.Time
	text       string
	confidence float64
	why        string // it became no sentence
	stop       bool   // it is the stop word, found before the sentence was over
}

// told is something that the robot said, or a notification.
type told struct {
	at       time.Time
	text     string
	end      string // how it ended
	notified bool
}

// call is a call of a tool.
type call struct {
	number  uint64
	depth   int
	tool    string
	args    json.RawMessage
	done    bool
	ok      bool
	message string
	at      time.Time // when it ended
}

// turn is a sentence that the robot took up, and what came of it.
type turn struct {
	trace, text    string
	begins, ends   time.Time
	reply, outcome string
	calls          []call
}

// place is where the body was.
type place struct {
	at              time.Time
	pose            dialogue.Pose
	moving, stopped bool
}

// moved is a movement that ended.
type moved struct {
	at        time.Time
	name, end string
	from, to  *hal.Stance
}

// notes are all that happens in the robot, as its processes tell it.
type notes struct {
	mu     sync.Mutex
	heard  []heard
	told   []told
	turns  []*turn
	places []place
	moves  []moved
	other  []string // faults and the like
	last   time.Time
	talks  bool // somebody has begun to speak, and nothing has become of it yet
	broken int  // connections
}

const posesHz = 25

// follow notes what happens until ctx ends.
func (n *notes) follow(ctx context.Context, web events, ear *client.Client, limbs *body.Client) {
	var all sync.WaitGroup
	again := func(watch func() error) {
		all.Go(func() {
			for ctx.Err() == nil {
				if err := watch(); err != nil && ctx.Err() == nil {
					n.trouble("a connection broke: " + err.Error())
				}
				select {
				case <-time.After(200 * time.Millisecond):
				case <-ctx.Done():
				}
			}
		})
	}
	again(func() error { return ear.Watch(ctx, n.ear) })
	again(func() error { return limbs.Watch(ctx, posesHz, n.limbs) })
	again(func() error {
		for e, err := range web.Events(ctx, 0) {
			if err != nil {
				return err
			}
			n.event(&e)
		}
		return errors.New("the events ended")
	})
	all.Wait()
}

func (n *notes) trouble(what string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.broken++
	n.other = append(n.other, time.Now().Format(clock)+" "+what)
}

// ear notes what reachy-sense tells.
func (n *notes) ear(m client.Message) {
	if m.Event == nil {
		return
	}
	e := m.Event
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = time.Now()
	switch e.Type {
	case client.SpeechStarted:
		n.talks = true
	case client.Heard:
		n.talks = false
		n.heard = append(n.heard, heard{at: e.Time, text: e.Utterance.Text, confidence: e.Utterance.Confidence})
	case client.Rejected:
		n.talks = false
		n.heard = append(n.heard, heard{at: e.Time, text: e.Message, why: e.Reason})
	case client.StopWord:
		n.talks = false
		n.heard = append(n.heard, heard{at: e.Time, text: e.Text, stop: true})
	case client.SpeakingStarted:
		n.told = append(n.told, told{at: e.Time, text: e.Text})
	case client.SpeakingDone:
		for i := len(n.told) - 1; i >= 0; i-- {
			if t := &n.told[i]; !t.notified && t.end == "" { // what is interrupted ends with fewer words
				t.end = e.Reason
				break
			}
		}
	case client.DeviceLost:
		n.other = append(n.other, e.Time.Format(clock)+" "+e.Device+" is lost: "+e.Message)
	}
}

// limbs notes what reachy-body tells.
func (n *notes) limbs(m body.Message) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case m.State != nil:
		n.places = append(n.places, place{m.State.TS, dialogue.FromState(m.State).Pose, m.State.Moving, m.State.EStop})
	case m.Event != nil && m.Event.Type == hal.EventMoveDone:
		n.moves = append(n.moves, moved{m.Event.TS, m.Event.Name, m.Event.End, m.Event.From, m.Event.To})
	}
}

// event notes what reachyd tells.
func (n *notes) event(e *api.Event) {
	raw, ok := e.Data.(api.Raw)
	if !ok {
		return
	}
	data, err := raw.Decode()
	if err != nil { // of a type that is of no interest
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = time.Now()
	t := n.turn(e.Trace)
	switch d := data.(type) {
	case api.Utterance:
		n.turns = append(n.turns, &turn{trace: e.Trace, text: d.Text, begins: e.TS})
	case api.Reply:
		if t != nil {
			t.reply, t.outcome, t.ends = d.Text, d.Outcome, e.TS
		}
	case api.ToolCall:
		if t != nil {
			args, err := json.Marshal(d.Args)
			if err != nil {
				args = []byte("{}")
			}
			t.calls = append(t.calls, call{number: d.Call, depth: d.Depth, tool: d.Tool, args: args})
		}
	case api.ToolResult:
		if t == nil {
			return
		}
		for i := range t.calls {
			if c := &t.calls[i]; c.number == d.Call {
				c.done, c.ok, c.message, c.at = true, d.Status == "success", d.Message, e.TS
			}
		}
	case api.Notification:
		n.told = append(n.told, told{at: e.TS, text: d.Text, notified: true})
	case api.Fault, api.EStop, api.ToolRegistered, api.ToolRefused:
		text, err := json.Marshal(raw)
		if err == nil {
			n.other = append(n.other, e.TS.Format(clock)+" "+string(e.Type)+" "+string(text))
		}
	}
}

// turn is that of a trace. The caller holds mu.
func (n *notes) turn(trace string) *turn {
	for _, t := range n.turns {
		if t.trace == trace {
			return t
		}
	}
	return nil
}

// at is where the body was at a moment. The caller holds mu.
func (n *notes) at(moment time.Time) place {
	var p place
	for i := len(n.places) - 1; i >= 0; i-- {
		if n.places[i].at.Before(moment) {
			return n.places[min(i+1, len(n.places)-1)]
		}
	}
	return p
}

// taken is how long it takes at most until what was heard is a turn; some of it, such as another language, never is.
const taken = 5 * time.Second

// answered reports whether something became of what was said after a moment, and all that was taken up has been answered.
func (n *notes) answered(after time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	ears, turns := 0, 0
	for _, h := range n.heard {
		if h.at.After(after) && h.why == "" && time.Since(h.at) < taken {
			turns--
		}
		if h.at.After(after) {
			ears++
		}
	}
	for _, t := range n.turns {
		if t.ends.IsZero() {
			return false
		}
		if t.begins.After(after) {
			turns++
		}
	}
	return (ears > 0 || turns > 0) && turns >= 0 && !n.talks
}

// quiet is since when nothing has happened; moving whether the body moves now.
func (n *notes) quiet() (since time.Time, moving bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if k := len(n.places); k > 0 {
		moving = n.places[k-1].moving
	}
	return n.last, moving
}

// kept is when the robot said words by itself within a time; zero if it did not.
func (n *notes) kept(from, to time.Time, want []string) time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, t := range n.told {
		if t.notified && t.at.After(from) && t.at.Before(to) && hasWords(t.text, want) {
			return t.at
		}
	}
	return time.Time{}
}
