package coordinator

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/halt"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
)

// Outcome says what became of a turn.
type Outcome string

// The outcomes of a turn: those of its plan, or how its steps came to an end.
const (
	OutcomePlan        Outcome = "plan"        // all steps were done
	OutcomeError       Outcome = "error"       // understood but impossible
	OutcomeRefuse      Outcome = "refuse"      // understood and not allowed
	OutcomeNone        Outcome = "none"        // not a command for the body, and nobody could answer it
	OutcomeAnswered    Outcome = "answered"    // the mind answered, and did what that took
	OutcomeFailed      Outcome = "failed"      // a step failed; the rest was not done
	OutcomeInterrupted Outcome = "interrupted" // stopped, or a newer command took over
)

// Trace is all that happened in one turn.
type Trace struct {
	ID         string       `json:"id"` // rises with time
	Session    string       `json:"session"`
	TS         time.Time    `json:"ts"`
	Text       string       `json:"text"`
	Outcome    Outcome      `json:"outcome"`
	Plan       planner.Plan `json:"plan"`
	Steps      []Step       `json:"steps"` // those that were begun
	Reply      string       `json:"reply"`
	DurationMS float64      `json:"duration_ms"`
	// Spans are everything that happened, as a tree; SpansDropped counts those that did not find room.
	Spans        []trace.Span `json:"spans,omitempty"`
	SpansDropped int          `json:"spans_dropped,omitempty"`

	halt     halt.Reading
	alone    planner.Plan // of the sentence by itself
	wish     string       // what it asks for in passing, in the usual words
	reading  dialogue.Reading
	recorder *trace.Recorder
	todo     []planner.Step // what is run; nil: the plan's steps
	before   *dialogue.Pose // where the robot was when the turn began to act
}

// steps are what the turn is to run.
func (t *Trace) steps() []planner.Step {
	if t.todo != nil {
		return t.todo
	}
	return t.Plan.Steps
}

// leans reports whether the sentence asks for something only because of what was said and done before.
func (t *Trace) leans() bool { return len(t.Plan.Steps) > 0 && t.alone.Deed() != t.Plan.Deed() }

// OK reports whether everything that was asked for was done.
func (t *Trace) OK() bool { return t.Outcome == OutcomePlan || t.Outcome == OutcomeAnswered }

// did are the tools that did something.
func (t *Trace) did() (names []string) {
	for i := range t.Steps {
		if t.Steps[i].Result.OK() {
			names = append(names, t.Steps[i].Tool)
		}
	}
	return names
}

// PlannerAgent is who answers what needs no thought.
const PlannerAgent = "planner"

// Agent is the agent that the work of the turn was handed to last.
func (t *Trace) Agent() string {
	agent := PlannerAgent
	if t.Outcome == OutcomeAnswered {
		agent = "robot"
	}
	for i := range t.Spans {
		if s := &t.Spans[i]; s.Kind == trace.Handoff {
			agent = s.Name
			if _, to, ok := strings.Cut(s.Name, " → "); ok {
				agent = to
			}
		}
	}
	return agent
}

// Step is one tool call of a turn.
type Step struct {
	Tool       string          `json:"tool"`
	Args       json.RawMessage `json:"args"`
	Result     tool.Result     `json:"result"`
	TS         time.Time       `json:"ts"`
	DurationMS float64         `json:"duration_ms"`
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// ids makes trace IDs of 24 hexadecimal digits: 12 of the time in milliseconds, 4 that count within one millisecond,
// and 8 that are the signature of these. They rise even when the clock is set back.
type ids struct {
	mu    sync.Mutex
	milli uint64
	count uint16
	key   []byte // of the signatures; another one in every process
}

func (g *ids) next(now time.Time) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	milli := max(g.milli, uint64(max(0, now.UnixMilli())))
	switch {
	case milli > g.milli:
		g.milli, g.count = milli, 0
	case g.count == 1<<16-1:
		g.milli, g.count = milli+1, 0
	default:
		g.count++
	}
	return g.signed(fmt.Sprintf("%012x%04x", g.milli, g.count))
}

// signed is an ID that begins so. g.mu is held.
func (g *ids) signed(begin string) string {
	if g.key == nil {
		g.key = make([]byte, 16)
		_, _ = rand.Read(g.key) // never fails, says its documentation
	}
	sum := hmac.New(sha256.New, g.key)
	sum.Write([]byte(begin)) // never fails, says its documentation
	return begin + hex.EncodeToString(sum.Sum(nil)[:4])
}

// issued reports whether an ID is one of these.
func (g *ids) issued(id string) bool {
	const begin, all = 16, 24
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(id) == all && g.signed(id[:begin]) == id
}
