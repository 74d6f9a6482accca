package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/calling"
	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/api"
)

// errLoop is that agents handed the work to and fro, or called the same tool in the same way again and again.
var errLoop = errors.New("the agents went round in circles")

// turn is the work on one request.
type turn struct {
	m        *Runtime
	r        coordinator.Request
	facts    string
	history  []llm.Message
	handoffs []string // "robot>vision"
	calls    map[string]int
	steps    []coordinator.Step
	foreign  bool           // texts of strangers have been read
	signs    map[string]int // for each specialist: words of the person that speak for it
}

func (m *Runtime) begin(r coordinator.Request, signs map[string]int) *turn {
	t := &turn{m: m, r: r, calls: map[string]int{}, signs: signs}
	mem, err := m.o.Memory.Of(r.Session)
	if err != nil {
		m.o.Failed(err)
	}
	var b strings.Builder
	for _, f := range mem.Facts {
		fmt.Fprintf(&b, "- %s\n", f.Text)
	}
	if b.Len() > 0 {
		t.facts = "\nWhat the person asked you to remember, in their words:\n" + b.String()
	}
	if mem.Summary != "" {
		t.facts += "\nWhat was said before: " + mem.Summary + "\n"
	}
	if m.o.Manner != nil {
		if how := m.o.Manner(r.Session); how != "" {
			t.facts += "\n" + how + "\n"
		}
	}
	t.history = m.history(r.History, mem.SummaryTo, r.Text)
	return t
}

const (
	// smallHistory is how many characters of the history a small model is shown: with its instructions they make some 500 tokens.
	smallHistory = 1000
	// smallSteps is by how many exchanges the beginning of what it is shown moves at once: what the server has read stays read between.
	smallSteps = 3
)

// history is what of a conversation the model is shown. A small one is shown none where a sentence stands for itself: it would read for
// many seconds what says nothing to it.
func (m *Runtime) history(all []coordinator.Exchange, summaryTo, text string) []llm.Message {
	if !m.small() {
		return shown(all, summaryTo, m.o.MaxHistory)
	}
	if !calling.Leans(text) {
		return nil
	}
	fits := shown(all, summaryTo, min(m.o.MaxHistory, smallHistory))
	begins := len(all) - len(fits)/2
	late := (smallSteps - begins%smallSteps) % smallSteps
	return fits[min(2*late, len(fits)):]
}

// shown is the part of the history that a model is shown: what is newer than the summary, the newest that fit.
func shown(history []coordinator.Exchange, summaryTo string, most int) []llm.Message {
	var out []llm.Message
	size := 0
	for _, e := range slices.Backward(history) {
		size += len(e.Text) + len(e.Reply)
		if size > most || summaryTo != "" && e.Trace <= summaryTo {
			break
		}
		out = append(out, llm.Message{Who: llm.Assistant, Text: e.Reply}, llm.Message{Who: llm.User, Text: e.Text})
	}
	slices.Reverse(out)
	return out
}

// did says what the tools have done.
func (t *turn) did() string {
	var good []coordinator.Step
	for _, s := range t.steps {
		if s.Result.OK() {
			good = append(good, s)
		}
	}
	return coordinator.Did(good)
}

// work answers the request as the route says.
func (t *turn) work(ctx context.Context, route Route) (string, error) {
	switch small := t.m.small(); {
	case route.Mode == Direct:
		return t.talk(ctx)
	case small && route.Agent == Code && t.m.o.Coder != nil:
		text, _, err := t.write(ctx, t.r.Text)
		return text, err
	case small:
		return t.brief(ctx)
	}
	switch route.Mode {
	case Plan:
		text, err := t.planned(ctx)
		if !errors.Is(err, errNoPlan) {
			return text, err
		}
		trace.Note(ctx, trace.Route, "react robot", "no plan came of it")
	}
	return t.handOff(ctx, Coordinator, route.Agent, route.Why, t.r.Text)
}

// talk is one answer without tools, by the coordinator itself.
func (t *turn) talk(ctx context.Context) (string, error) {
	return t.chat(ctx, llm.Request{
		Role: llm.RoleTalk, System: t.m.fill(t.m.o.Instructions.Coordinator.Instructions) + t.facts,
		Messages: append(slices.Clone(t.history), llm.Message{Who: llm.User, Text: t.r.Text}),
	})
}

// chat asks for a text and streams it.
func (t *turn) chat(ctx context.Context, req llm.Request) (string, error) {
	reply, err := t.ask(ctx, req)
	if err != nil {
		return reply.Text, err
	}
	return t.honest(ctx, reply.Text)
}

// errClaims is that a reply said nothing but what cannot be true.
var errClaims = errors.New("the reply only claims what was not done")

// idle reports whether nothing was done or read in the turn: then a model can have done and seen nothing.
func (t *turn) idle() bool { return len(t.steps) == 0 && !t.foreign }

// honest is a reply without what it claims to have done, where nothing was done.
func (t *turn) honest(ctx context.Context, text string) (string, error) {
	if !t.idle() {
		return text, nil
	}
	rest, dropped := guard.Claims(text)
	if guard.Sight(t.r.Text) {
		rest, dropped = "", []string{text}
	}
	for _, claim := range dropped {
		trace.Note(ctx, trace.Guard, "claim", strings.TrimSpace(claim))
	}
	if rest == "" && len(dropped) > 0 {
		return "", errClaims
	}
	return rest, nil
}

// kept is a reply of a small model to what tools returned, without what it promises or says of what it is: what it was to do is done, and
// nobody will keep a promise.
func (t *turn) kept(ctx context.Context, text string) string {
	rest, dropped := guard.Promises(text)
	for _, claim := range dropped {
		trace.Note(ctx, trace.Guard, "claim", strings.TrimSpace(claim))
	}
	return rest
}

// heard is a reply as far as it has come, as it may be said already; empty where nothing may.
func (t *turn) heard(text string) string {
	clean, v := guard.Output(text, t.m.secrets...)
	if !v.OK() {
		return ""
	}
	if t.idle() {
		if clean, _ = guard.Claims(clean); guard.Agrees(clean) || guard.Sight(t.r.Text) {
			return "" // what it agrees to may turn out not to be done
		}
	}
	return clean
}

// ask asks the model, streams its text sentence by sentence where it is one for people, and records the call.
func (t *turn) ask(ctx context.Context, req llm.Request) (llm.Reply, error) {
	ctx, span := trace.Start(ctx, trace.Model, string(req.Role), "")
	if t.r.Thinks != nil {
		t.r.Thinks()
	}
	start := time.Now()
	var began, spoke time.Duration // until the first sign of life, and until the first sentence
	watched, alive, stop := t.m.pace.watch(ctx)
	defer stop()
	var text strings.Builder
	said, partial := 0, ""
	reply, err := t.m.o.Model.Chat(watched, req, func(d llm.Delta) {
		if began == 0 {
			alive()
			began = time.Since(start)
		}
		if t.r.Partial == nil || req.Schema != nil {
			return
		}
		text.WriteString(d.Text)
		end := sentencesEnd(text.String())
		if end <= said {
			return
		}
		said = end
		if spoke == 0 {
			spoke = time.Since(start)
			span.Set("first_sentence_ms", spoke.Milliseconds())
		}
		if clean := t.heard(text.String()[:end]); clean != "" && clean != partial {
			partial = clean
			t.r.Partial(clean)
		}
	})
	span.Set("model", reply.Model)
	switch {
	case err == nil && began > 0:
		t.m.pace.began(reply.Usage, began)
	case err != nil && errors.Is(context.Cause(watched), errSlow) && ctx.Err() == nil:
		err = errSlow
	case err != nil && ctx.Err() == nil:
		t.m.pace.broke()
	}
	span.Set("prompt_tokens", reply.Usage.PromptTokens)
	span.Set("cached_tokens", reply.Usage.CachedTokens)
	span.Set("reply_tokens", reply.Usage.ReplyTokens)
	span.Set("first_token_ms", reply.Usage.FirstToken.Milliseconds())
	span.Detail(reply.Text)
	if reply.Thinking != "" {
		span.Set("thinking", reply.Thinking)
	}
	span.End(err)
	return reply, err
}

// sentencesEnd is where the last whole sentence of a text that still grows ends: a blank shows that "3." does not become "3.5".
func sentencesEnd(text string) int {
	for i := len(text) - 1; i > 0; i-- {
		if (text[i] == ' ' || text[i] == '\n') && strings.IndexByte(".!?", text[i-1]) >= 0 {
			return i
		}
	}
	return 0
}

// handOff gives the work to an agent and returns what it answered.
func (t *turn) handOff(ctx context.Context, from, to, why, task string) (string, error) {
	if from != to {
		way := from + ">" + to
		if len(t.handoffs) >= t.m.o.MaxHandoffs || slices.Contains(t.handoffs, way) {
			return "", fmt.Errorf("%w: %s after %s", errLoop, way, strings.Join(t.handoffs, ", "))
		}
		t.handoffs = append(t.handoffs, way)
	}
	ctx, span := trace.Start(ctx, trace.Handoff, from+" → "+to, why)
	t.tell(from, to, why)
	text, err := t.react(ctx, to, task)
	span.End(err)
	back := "done"
	if err != nil {
		back = err.Error()
	}
	t.tell(to, from, back)
	return text, err
}

func (t *turn) tell(from, to, why string) {
	t.m.o.Publish(t.r.Trace, api.Handoff{Session: t.r.Session, From: from, To: to, Reason: trace.Clean(why)})
}

// react lets an agent think, act, and look at what came of it, until it answers.
func (t *turn) react(ctx context.Context, name, task string) (string, error) {
	agent, known := t.m.o.Instructions.agent(name)
	if !known {
		return "", fmt.Errorf("there is no agent %q", name)
	}
	tools := t.tools(ctx, agent)
	role := llm.RoleCall
	if len(tools) == 0 {
		role = llm.RoleTalk
	}
	req := llm.Request{
		Role: role, System: t.m.fill(agent.Instructions) + t.facts, Tools: tools,
		Messages: append(slices.Clone(t.history), llm.Message{Who: llm.User, Text: task}),
	}
	for range agent.MaxSteps {
		reply, err := t.ask(ctx, req)
		if err != nil {
			return "", err
		}
		if len(reply.Calls) == 0 {
			return t.honest(ctx, reply.Text)
		}
		if thought := strings.TrimSpace(reply.Text); thought != "" {
			trace.Note(ctx, trace.Thought, name, thought)
		}
		req.Messages = append(req.Messages, reply.Message())
		for i := range reply.Calls {
			c := &reply.Calls[i]
			answer, final, err := t.act(ctx, name, c)
			if err != nil || final {
				return answer, err
			}
			req.Messages = append(req.Messages, c.Result(answer))
		}
	}
	// It may act no more, but it may still say what it knows.
	trace.Note(ctx, trace.Thought, name, fmt.Sprintf("%d steps are enough", agent.MaxSteps))
	req.Tools, req.Role = nil, llm.RoleTalk
	req.Messages = append(req.Messages, llm.Message{Who: llm.User, Text: "You may call no more tools. Answer now with what you know."})
	return t.chat(ctx, req)
}

// badArguments cannot be: they were checked against the schema.
const badArguments = "error: the arguments are not what the schema says"

func decode(c *llm.Call, into any) bool { return json.Unmarshal(c.Args, into) == nil }

// maxSame is how often the same call is made before the agent is told that it has been made.
const maxSame = 2

// act carries out one call of an agent. final says that the answer is the answer to the whole request.
func (t *turn) act(ctx context.Context, name string, c *llm.Call) (answer string, final bool, err error) {
	if ctx.Err() != nil {
		return "", false, ctx.Err()
	}
	if c.Err != nil {
		trace.Note(ctx, trace.Guard, "arguments of "+trace.Clean(c.Name), c.Err.Error())
		return "error: " + c.Err.Error(), false, t.count(c)
	}
	if err := t.count(c); err != nil {
		return "", false, err
	}
	switch c.Name {
	case handOffTool:
		var a struct{ To, Reason, Task string }
		if !decode(c, &a) {
			return badArguments, false, nil
		}
		if t.foreign && t.signs[a.To] == 0 {
			trace.Note(ctx, trace.Guard, "hand-off to "+a.To, "a stranger's text has been read, and the person asked for nothing of the kind")
			return "error: the person did not ask for that", false, nil
		}
		task := t.r.Text
		if a.Task != "" && !t.foreign {
			task += "\n(" + name + " adds: " + a.Task + ")"
		}
		text, err := t.handOff(ctx, name, a.To, a.Reason, task)
		return text, err == nil, err
	case readPageTool:
		return t.readPage(ctx, c), false, nil
	case searchTool:
		return t.search(ctx, c), false, nil
	case makeTool:
		return t.make(ctx, c)
	}
	res := t.call(ctx, c.Name, c.Args)
	return t.told(c, res), false, nil
}

// count ends a turn in which the same call is made again and again.
func (t *turn) count(c *llm.Call) error {
	key := c.Name + string(c.Args)
	t.calls[key]++
	if t.calls[key] > maxSame+1 {
		return fmt.Errorf("%w: %s was called %d times in the same way", errLoop, c.Name, t.calls[key]-1)
	}
	return nil
}

// call calls a tool of the robot.
func (t *turn) call(ctx context.Context, name string, args json.RawMessage) tool.Result {
	res := t.r.Call(ctx, name, args)
	t.steps = append(t.steps, coordinator.Step{Tool: name, Args: args, Result: res})
	t.foreign = t.foreign || t.strange(name)
	return res
}

// maxResult is how many characters of a result a model is shown.
const maxResult = 3000

// told is a result as a model is told of it, with what had to be changed in its arguments.
func (t *turn) told(c *llm.Call, res tool.Result) string {
	text := res.Message
	if data, err := json.Marshal(res.Data); err == nil && string(data) != "null" {
		text += "\n" + string(data)
	}
	if r := []rune(text); len(r) > maxResult {
		text = string(r[:maxResult]) + "…"
	}
	if t.strange(c.Name) {
		text, _ = guard.Foreign("the tool "+c.Name, text)
	}
	prefix := res.Status
	if res.Code != "" {
		prefix += " (" + res.Code + ")"
	}
	for _, f := range c.Fixes {
		if f.Clamp {
			prefix += fmt.Sprintf("; %v because of the limits: tell the person", f)
		}
	}
	return prefix + ": " + text
}

// strange says whether a stranger may have written what a tool returns.
func (t *turn) strange(tool string) bool { return !t.m.o.Own[tool] || seesText[tool] }

// seesText are the robot's own tools whose results can carry a stranger's words: what is written on a sign, for instance.
var seesText = map[string]bool{"analyze_scene": true, "describe_image": true, "detect_objects": true, "find_object": true, "search_web": true}
