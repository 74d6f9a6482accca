package smalltalk

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/perception/language/template"
)

// turn is one answer at work.
type turn struct {
	*Talk
	ctx context.Context
	r   coordinator.Request
	m   *Match
	f   *found
	s   *session
	now time.Time
}

// values fill the slots of a reply.
type values map[string]string

// answer makes the reply of a kind.
func (q *turn) answer(k *kind) string {
	which, v := "", values{}
	if m, ok := makers[k.name]; ok && m.make != nil {
		which, v = m.make(q)
	}
	if k.good != 0 && q.m.Sure {
		q.feedback(k.good)
	}
	text := q.say(k, which, v)
	if k.again || q.s.kind == "" { // what is said between is not what there may be more of
		q.mu.Lock()
		q.s.kind = k.name
		q.mu.Unlock()
	}
	for _, s := range q.r.Plan.Steps {
		if !slices.Contains(k.with, s.Tool) || s.Tool == "wake_up" && q.awake() {
			continue
		}
		if why := q.do(s.Tool, s.Args); why != "" {
			return strings.TrimSpace(text + " " + why)
		}
	}
	for _, a := range k.does {
		if why := q.do(a.tool, a.args); why != "" {
			return strings.TrimSpace(text + " " + why)
		}
	}
	return text
}

// awake says that the robot is known to be.
func (q *turn) awake() bool {
	f := q.o.Feelings()
	return f.Known && f.Mode != string(hal.ModeDisabled)
}

// do calls a tool and says why it did not work; empty when it did.
func (q *turn) do(name string, args map[string]any) string {
	if q.r.Call == nil {
		return ""
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return err.Error()
	}
	res := q.r.Call(q.ctx, name, raw)
	if res.OK() {
		return ""
	}
	return "I could not " + coordinator.Infinitive(planner.Step{Tool: name, Args: args}) + ": " + res.Message
}

// say fills a reply of a kind, never the one that the session heard last.
func (q *turn) say(k *kind, which string, v values) string {
	all := k.replies[which]
	if len(all) == 0 {
		return ""
	}
	all = q.asLong(all)
	text := all[q.pick(k.name+" "+which, len(all))]
	v["name"], v["you"] = q.Name(), q.you()
	return fill(text, v)
}

// asLong leaves the shorter or the longer half of what can be said, as the person likes it.
func (q *turn) asLong(all []string) []string {
	if q.o.Length == nil {
		return all
	}
	length := q.o.Length(q.r.Session)
	if length == 0 {
		return all
	}
	sorted := slices.SortedStableFunc(slices.Values(all), func(a, b string) int { return len(a) - len(b) })
	half := (len(sorted) + 1) / 2
	if length < 0 {
		return sorted[:half]
	}
	return sorted[len(sorted)-half:]
}

// fill puts values into slots.
func fill(text string, v values) string {
	return slotName.ReplaceAllStringFunc(text, func(slot string) string { return v[slot[1:len(slot)-1]] })
}

// pick chooses one of n by chance, never the same twice in a row for a key of the session.
func (q *turn) pick(key string, n int) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	last, again := q.s.last[key]
	i := q.random.IntN(n)
	if again && n > 1 && i == last {
		i = (i + 1 + q.random.IntN(n-1)) % n
	}
	q.s.last[key] = i
	return i
}

// chance is a number from 0 to n-1.
func (q *turn) chance(n int) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.random.IntN(n)
}

// you is ", Anna" where the person's name is known.
func (q *turn) you() string {
	if name := q.person(); name != "" {
		return ", " + name
	}
	return ""
}

// person is the name of who speaks; empty when it is not known.
func (q *turn) person() string {
	if q.o.Memory == nil {
		return ""
	}
	facts, err := q.o.Memory.Recall(q.r.Session, "my name")
	if err != nil || len(facts) == 0 {
		return ""
	}
	for _, f := range facts {
		if m := ownName.Find(template.Split(f.Text)); m != nil {
			return m.Slot("name")
		}
	}
	return ""
}

// feedback publishes praise or blame for what was done last.
func (q *turn) feedback(good int) {
	of := ""
	if n := len(q.r.History); n > 0 {
		of = q.r.History[n-1].Trace
	}
	q.o.Publish(q.r.Trace, api.Feedback{Session: q.r.Session, Text: q.r.Text, Of: of, Reward: float64(good)})
}
