package mqtt

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/daemon/command"
)

// Limits of commands.
const (
	MaxPayload = 256 << 10 // bytes
	MaxID      = 128       // bytes

	maxStops   = 16 // stops under way at the same time
	maxMotions = 64 // commands that wait for the one before
	maxOthers  = 32 // other commands under way at the same time
)

// Codes of the errors that the gateway gives itself.
const (
	CodeRetained = "retained"
	CodeBadJSON  = "bad_json"
	CodeInvalid  = "invalid"
	CodeTooLarge = "too_large"
	CodeBusy     = "busy"
	CodeRefused  = "refused" // the broker did not take the reply
)

// invalidID is the level of the reply topic for commands whose id cannot be used.
const invalidID = "invalid"

// command takes one message below cmd/. It never waits.
func (g *Gateway) command(topic string, payload []byte, retained bool) {
	verb, ok := strings.CutPrefix(topic, g.topic("cmd/"))
	if !ok {
		return
	}
	id, code, wrong := check(payload)
	switch {
	case retained:
		g.refuse(id, CodeRetained, fmt.Sprintf("cmd/%s: a retained command is not carried out, as it would be again at each connection; "+
			"publish without retain (an empty retained message removes it)", verb))
	case code != "":
		g.refuse(id, code, wrong)
	default:
		if why := g.inbox.put(verb, append([]byte(nil), payload...)); why != "" {
			g.refuse(id, CodeBusy, why)
		}
	}
}

func (g *Gateway) refuse(id, code, message string) {
	if id == "" {
		id = invalidID
	}
	type fault struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	data, err := json.Marshal(struct {
		ID    string `json:"id"`
		OK    bool   `json:"ok"`
		Error fault  `json:"error"`
	}{id, false, fault{code, message}})
	if err != nil {
		g.Log.Error().Err(err).Msg("a refusal cannot be written") // it is made of texts
		return
	}
	g.reply(id, data, false)
}

// IsCommand tells commands by their topics.
func (g *Gateway) IsCommand(topic string) bool { return strings.HasPrefix(topic, g.topic("cmd/")) }

// Retained judges a message that a client of the embedded broker wants retained: a command must not be. A stop counts
// nevertheless, once; any other is refused with a reply.
func (g *Gateway) Retained(topic string, payload []byte) Retention {
	g.init()
	verb, ok := strings.CutPrefix(topic, g.topic("cmd/"))
	switch {
	case !ok:
		return Keep
	case command.LaneOf(verb) == command.AtOnce:
		return Strip
	case len(payload) == 0: // is meant to remove what was retained; there is nothing
		return Drop
	}
	g.command(topic, payload, true)
	return Drop
}

// check looks at what the gateway itself must understand of a command: that it is an object, and its id, which becomes a
// level of the reply's topic. An empty payload is an empty object: many clients send nothing for "stop".
func check(payload []byte) (id, code, wrong string) {
	if len(payload) > MaxPayload {
		return "", CodeTooLarge, fmt.Sprintf("the payload has %d bytes; allowed: %d", len(payload), MaxPayload)
	}
	if strings.TrimSpace(string(payload)) == "" {
		return "", "", ""
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(payload, &fields); err != nil || fields == nil {
		return "", CodeBadJSON, `the payload is not a JSON object such as {"id":"1","text":"look left"}: ` + command.Shorten(payload)
	}
	raw, ok := fields["id"]
	if !ok {
		return "", "", ""
	}
	if json.Unmarshal(raw, &id) != nil || string(raw) == "null" {
		var n json.Number
		if json.Unmarshal(raw, &n) != nil || n == "" {
			return "", CodeInvalid, "id: " + command.Shorten(raw) + " is not a text; allowed: a text or a number"
		}
		id = n.String()
	}
	if !command.ValidID(id) {
		return "", CodeInvalid, fmt.Sprintf("id: %s is not allowed; allowed: 1 to %d bytes without spaces, '/', '+', '#' and control characters",
			command.Shorten(raw), MaxID)
	}
	return id, "", ""
}

// inbox carries commands out, off the network's goroutine, in the three lanes of package command, which do not wait for
// each other.
type inbox struct {
	commander Commander
	reply     func(id string, data []byte, urgent bool)

	ctx     context.Context //nolint:containedctx // of Run: what is under way ends with it
	wg      sync.WaitGroup
	motions chan job
	stops   chan struct{}
	others  chan struct{}

	mu     sync.Mutex
	opened bool
}

type job struct {
	verb    string
	payload []byte
}

func newInbox(c Commander, reply func(id string, data []byte, urgent bool)) *inbox {
	return &inbox{
		commander: c, reply: reply, motions: make(chan job, maxMotions),
		stops: make(chan struct{}, maxStops), others: make(chan struct{}, maxOthers),
	}
}

func (b *inbox) open(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ctx, b.opened = ctx, true
	b.wg.Go(func() {
		for {
			select {
			case j := <-b.motions:
				b.do(j)
			case <-ctx.Done():
				return
			}
		}
	})
}

// close waits for what is under way; its context has ended.
func (b *inbox) close() {
	b.mu.Lock()
	b.opened = false
	b.mu.Unlock()
	b.wg.Wait()
}

// put starts or queues a command. It returns why it could not.
func (b *inbox) put(verb string, payload []byte) (busy string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	j := job{verb, payload}
	switch command.LaneOf(verb) {
	case command.AtOnce:
		return b.start(j, b.stops, "stops")
	case command.InOrder:
		if b.opened {
			select {
			case b.motions <- j:
				return ""
			default:
			}
		}
		return fmt.Sprintf("cmd/%s: %d commands wait already; allowed: %d", verb, len(b.motions), maxMotions)
	default:
		return b.start(j, b.others, "commands")
	}
}

// start carries a command out in a goroutine of its own if slots has room; b.mu is held.
func (b *inbox) start(j job, slots chan struct{}, what string) (busy string) {
	if b.opened {
		select {
		case slots <- struct{}{}:
			b.wg.Go(func() {
				defer func() { <-slots }()
				b.do(j)
			})
			return ""
		default:
		}
	}
	return fmt.Sprintf("cmd/%s: %d %s are under way already; allowed: %d", j.verb, len(slots), what, cap(slots))
}

func (b *inbox) do(j job) {
	id, data := b.commander.Do(b.ctx, j.verb, j.payload)
	if !command.ValidID(id) {
		id = invalidID
	}
	b.reply(id, data, command.LaneOf(j.verb) == command.AtOnce)
}
