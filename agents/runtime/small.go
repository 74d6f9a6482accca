package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/calling"
	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/perception/language"
)

// A small model is asked once: which of a few tools, or what to say. It chooses no specialist, writes no plan and reads no
// results; what came of its calls is said in the robot's own words.

// small reports whether the model that calls tools is small.
func (m *Runtime) small() bool {
	s, ok := m.o.Model.(interface{ Small(role llm.Role) bool })
	return ok && s.Small(llm.RoleCall)
}

// routeSmall routes by words alone: what no tool fits is talk.
func (m *Runtime) routeSmall(text string, r Route) Route {
	if r.Agent == Code || r.Agent == Web && m.o.Pages != nil {
		return r
	}
	if offers := calling.Offers(text, m.o.Tools.List()); len(offers) > 0 {
		return Route{Robot, ReAct, "tools fit: " + strings.Join(offers, ", "), true, r.signs}
	}
	return Route{Coordinator, Direct, reasons["talk"], true, r.signs}
}

// brief asks the model once for the calls of a request, and makes them.
func (t *turn) brief(ctx context.Context) (string, error) {
	i := &t.m.o.Instructions
	all := Agent{SelfMade: true}
	for _, a := range []*Agent{&i.Robot, &i.Vision, &i.Web} {
		all.Tools = append(all.Tools, a.Tools...)
	}
	slices.Sort(all.Tools)
	all.Tools = slices.Compact(append(slices.DeleteFunc(all.Tools, func(name string) bool { return name == readPageTool }), "stop"))
	req := llm.Request{
		Role: llm.RoleCall, System: t.m.fill(i.Coordinator.Instructions) + t.facts, Tools: t.tools(ctx, &all),
		Messages: append(slices.Clone(t.history), llm.Message{Who: llm.User, Text: t.r.Text}),
	}
	reply, err := t.ask(ctx, req)
	if err != nil {
		return reply.Text, err
	}
	if len(reply.Calls) == 0 {
		return t.honest(ctx, reply.Text)
	}
	read, own, err := t.callAll(ctx, reply.Calls)
	if err != nil || read == "" {
		return t.did(), err
	}
	if own || !t.foreign {
		return strings.TrimSpace(t.did() + " " + read), nil
	}
	// What strangers wrote must be read before it is told.
	req.Tools, req.Role = nil, llm.RoleTalk
	req.Messages = append(req.Messages, llm.Message{Who: llm.User, Text: read + "\nAnswer with that in one or two sentences."})
	text, err := t.chat(ctx, req)
	if text = t.kept(ctx, text); text == "" && err == nil {
		if text = t.did(); text == "" {
			err = errClaims
		}
	}
	return text, err
}

// callAll makes calls one after the other until one fails. It returns what is to be said beside what was done: why one failed,
// or what was found on the web. own says that all of it is in the robot's own words.
func (t *turn) callAll(ctx context.Context, calls []llm.Call) (read string, own bool, err error) {
	for k := range calls {
		c := &calls[k]
		switch {
		case ctx.Err() != nil:
			return "", false, ctx.Err()
		case c.Err != nil:
			trace.Note(ctx, trace.Guard, "arguments of "+trace.Clean(c.Name), c.Err.Error())
			return "", false, fmt.Errorf("%w: %w", llm.ErrBadOutput, c.Err)
		case c.Name == searchTool && t.m.o.Pages != nil:
			return t.search(ctx, c), false, nil
		}
		res := t.call(ctx, c.Name, c.Args)
		if !res.OK() {
			failed := "I could not " + infinitive(c) + ": " + res.Message
			if t.m.o.Coder != nil && !t.m.o.Own[c.Name] && mends.Find(t.r.Said().Said) != nil {
				mended, _, err := t.write(ctx, "fix the "+c.Name+" tool so that it works: "+res.Message)
				return "I could not " + infinitive(c) + ". " + mended, true, err
			}
			return failed, false, nil
		}
		for _, f := range c.Fixes {
			if f.Clamp {
				read = strings.TrimSpace(read + " That is as far as I can go.")
			}
		}
	}
	return read, false, nil
}

// mends are the words by which a tool that fails is to be mended.
var mends = language.Patterns("mends")

// infinitive names a call as what was to be done.
func infinitive(c *llm.Call) string {
	step := planner.Step{Tool: c.Name}
	if json.Unmarshal(c.Args, &step.Args) != nil {
		step.Args = nil
	}
	return coordinator.Infinitive(step)
}
