package coordinator

import (
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/halt"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

const (
	maxReadings    = 64  // sentences that are held
	maxReadingText = 200 // bytes of each
	// readingsIdle is how long they stay in memory when nobody says anything.
	readingsIdle = time.Minute
)

// reading is what a sentence says by itself, whoever says it and whenever.
type reading struct {
	u    *language.Utterance
	plan planner.Plan
	ends halt.Reading
}

// readings holds what was read of late: people, and programs even more, say the same again and again.
type readings struct {
	mu    sync.Mutex
	known map[string]reading
	names any // of the planner, when they were read
	timer *time.Timer
}

// named is a planner that learns names. What it has planned before is not what it plans now.
type named interface {
	// Names returns something that is equal as long as no name is learned.
	Names() any
}

// understand says what a text asks for and what it ends.
func (c *Coordinator) understand(text string) (u *language.Utterance, ends halt.Reading, plan planner.Plan) {
	var names any
	if p, ok := c.o.Planner.(named); ok {
		names = p.Names()
	}
	if r, ok := c.readings.get(text, names); ok {
		return r.u, r.ends, c.seeing(r.plan.Clone())
	}
	u, plan = c.plan(text)
	ends, plan = c.halts(u, plan)
	c.readings.put(text, names, reading{u, plan.Clone(), ends})
	return u, ends, c.seeing(plan)
}

// seeing is a plan as a robot has it that may be without eyes: "this is Anna" and "who am I" are talk then.
func (c *Coordinator) seeing(p planner.Plan) planner.Plan {
	name := planner.OfFaces(p)
	if name == "" {
		return p
	}
	if spec, known := c.o.Tools.Get(name); known && spec.Unavailable == "" {
		return p
	}
	return planner.Plan{Text: p.Text, Outcome: planner.OutcomeNone, Steps: []planner.Step{}, Message: planner.NotUnderstood}
}

func (a *readings) get(text string, names any) (r reading, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.names != names {
		a.known, a.names = nil, names
	}
	r, ok = a.known[text]
	return r, ok
}

func (a *readings) put(text string, names any, r reading) {
	if len(text) > maxReadingText {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.names != names {
		return
	}
	if a.known == nil || len(a.known) >= maxReadings {
		a.known = map[string]reading{}
	}
	a.known[text] = r
	if a.timer == nil {
		a.timer = time.AfterFunc(readingsIdle, a.drop)
	}
	a.timer.Reset(readingsIdle)
}

// drop forgets what was said.
func (a *readings) drop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known = nil
}
