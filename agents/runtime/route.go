package runtime

import (
	"context"
	"slices"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// Mode is a way of working.
type Mode string

// The modes.
const (
	Direct Mode = "direct" // one answer, no tools
	ReAct  Mode = "react"  // think, act, look at what came of it, again
	Ask    Mode = "ask"    // ask what is meant
	Plan   Mode = "plan"   // plan first, then act, plan anew when something fails
)

// Route says who answers a request, how, and why.
type Route struct {
	Agent string
	Mode  Mode
	Why   string
	Sure  bool // a rule decided; without it a model is asked, if there is one
	// signs counts for each specialist the words of the person that speak for it.
	signs map[string]int
}

// The words that speak for an agent, and why it answers: see perception/language/en/router.txt.
var (
	signs   = language.Patterns("router")
	reasons = language.Texts("routes")
	// bySigns are asked in this order: what stands first wins where several are spoken for equally often.
	bySigns = []string{Code, Web, Vision, Robot}
)

// rule routes by words alone.
func rule(s *template.Sentence) Route {
	tally := map[string]int{}
	best := ""
	for _, agent := range bySigns {
		if n := signs.Rule(agent).Count(s); n > 0 {
			tally[agent] = n
			if n > tally[best] {
				best = agent
			}
		}
	}
	// A tool that is to be written, or a page that is to be read, says so; what it is about comes second.
	switch {
	case tally[Code] > 0:
		best = Code
	case tally[Web] > 0 && tally[Web] >= tally[Vision]:
		best = Web
	}
	talk := signs.Rule("talk").Count(s)
	switch {
	case best == "" && talk > 0:
		return Route{Coordinator, Direct, reasons["talk"], true, tally}
	case best == "":
		return Route{Coordinator, Direct, reasons["none"], false, tally}
	case best == Code:
		return Route{Code, ReAct, reasons[best], true, tally}
	case talk > tally[best] && len(tally) == 1:
		return Route{Coordinator, Direct, reasons["talk"], true, tally}
	case best != Web && tally[Vision]+tally[Robot] > 1 && signs.Rule("joins").Find(s) != nil:
		return Route{Robot, Plan, reasons["joins"], true, tally}
	}
	return Route{best, ReAct, reasons[best], len(tally) == 1 || tally[best] > 1 || best == Web, tally}
}

// aboutTools says who answers a sentence to which the planner says no because of a word such as "roll", "run" or "walk",
// where it is about tools: "roll back the dice tool". Every other no of the planner stands.
func aboutTools(u *language.Utterance, p planner.Plan) (Route, bool) {
	if p.Outcome != planner.OutcomeError || signs.Rule("tools").Find(u.Said) == nil || !guard.Input(u).OK() {
		return Route{}, false
	}
	return Route{Code, ReAct, reasons["tools"], true, rule(u.Said).signs}, true
}

// ways are who may answer where no rule is sure: a specialist, words alone, or a question back.
var ways = []string{string(Ask), Code, string(Direct), Robot, Vision, Web}

// learnedRoute is route, but where no rule is sure what people thought of such sentences before comes first.
func (m *Runtime) learnedRoute(ctx context.Context, r *coordinator.Request, said *template.Sentence) Route {
	usual := m.route(ctx, r.Text, said)
	if m.o.Choices == nil || rule(said).Sure {
		return usual
	}
	way, learned := m.o.Choices.Choose(r.Session, r.Text, wayOf(usual), m.ways())
	m.o.Choices.Chose(r.Session, r.Trace, r.Text, way, wayOf(usual))
	switch {
	case !learned:
		return usual
	case way == string(Direct) || way == string(Ask):
		return Route{Coordinator, Mode(way), reasons["learned"], true, usual.signs}
	}
	return Route{way, ReAct, reasons["learned"], true, usual.signs}
}

// ways are those there are here.
func (m *Runtime) ways() []string {
	return slices.DeleteFunc(slices.Clone(ways), func(way string) bool {
		return way == Web && m.o.Pages == nil || way == Code && m.o.Coder == nil
	})
}

// wayOf is the way of a route.
func wayOf(r Route) string {
	if r.Mode == Direct {
		return string(Direct)
	}
	return r.Agent
}

// routeSchema is what a model answers that is asked for the route.
var routeSchema = tool.Object(map[string]tool.Schema{
	"who": tool.OneOf("who answers", "direct", Robot, Vision, Web, Code),
	"why": tool.Text("in a few words", 120),
}, "who")

// route chooses who answers; a model is asked where no rule is sure.
func (m *Runtime) route(ctx context.Context, text string, said *template.Sentence) Route {
	r := rule(said)
	if m.small() {
		return m.routeSmall(text, r)
	}
	if r.Sure || m.o.Model == nil || m.o.Model.Ready(llm.RoleCall) != nil {
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, m.o.RouteTime)
	defer cancel()
	ctx, span := trace.Start(ctx, trace.Model, "route", "")
	zero := 0.0
	var chosen struct{ Who, Why string }
	reply, err := llm.Structured(ctx, m.o.Model, llm.Request{
		Role: llm.RoleCall, System: m.fill(m.o.Instructions.Route), Messages: []llm.Message{{Who: llm.User, Text: text}},
		Schema: &routeSchema, MaxTokens: 80, Temperature: &zero,
	}, &chosen)
	span.Set("model", reply.Model)
	span.End(err)
	if err != nil {
		return r // the rule is a guess, and better than none
	}
	why := chosen.Why
	if why == "" {
		why = "a language model thinks so"
	}
	if chosen.Who == "direct" {
		return Route{Coordinator, Direct, why, true, r.signs}
	}
	return Route{chosen.Who, ReAct, why, true, r.signs}
}
