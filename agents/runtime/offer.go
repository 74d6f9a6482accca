package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/websearch"
)

// Tools that belong to the agents themselves.
const (
	handOffTool  = "hand_off"
	readPageTool = "read_page"
	makeTool     = "make_tool"
	searchTool   = "search_web"
)

// maxSelfMade is how many self-made tools an agent is offered: more confuse small models.
const maxSelfMade = 5

// tools are those that an agent is offered for this request: its own, hand-offs, and the self-made ones that fit.
func (t *turn) tools(ctx context.Context, a *Agent) []tool.Spec {
	var out []tool.Spec
	for _, name := range a.Tools {
		switch {
		case name == readPageTool && t.m.o.Pages != nil:
			out = append(out, readPageSpec)
		case name == makeTool && t.m.o.Coder != nil:
			out = append(out, makeToolSpec)
		default:
			if s, ok := t.m.o.Tools.Get(name); ok && s.Unavailable == "" {
				out = append(out, s)
			}
		}
	}
	if a.SelfMade && t.m.o.Coder != nil {
		for _, name := range t.m.o.Coder.Find(ctx, t.r.Text, maxSelfMade) {
			if s, ok := t.m.o.Tools.Get(name); ok && s.Unavailable == "" && !slices.Contains(a.Tools, name) {
				out = append(out, s)
			}
		}
	}
	if len(a.HandOff) > 0 {
		out = append(out, handOffSpec(a.HandOff))
	}
	return out
}

// specialists say what each agent is for.
var specialists = map[string]string{
	Robot: "moves head, body and antennas, shows emotions", Vision: "sees, finds things, takes and describes photos",
	Web: "looks things up on the web", Code: "calculates, and writes and changes tools",
}

func handOffSpec(to []string) tool.Spec {
	var b strings.Builder
	b.WriteString("Give the work to a specialist:")
	for _, name := range to {
		fmt.Fprintf(&b, " %s %s;", name, specialists[name])
	}
	return tool.Spec{
		Name: handOffTool, Description: strings.TrimSuffix(b.String(), ";") + ".",
		Parameters: tool.Object(map[string]tool.Schema{
			"to":     tool.OneOf("the specialist", to...),
			"reason": tool.Text("why, in a few words", 200),
			"task":   tool.Text("what it should know beside the request", 500),
		}, "to", "reason"),
	}
}

var readPageSpec = tool.Spec{
	Name: readPageTool, Description: "Read the text of a web page.",
	Parameters: tool.Object(map[string]tool.Schema{"url": tool.Text("address of the page, as search_web gave it", 2000)}, "url"),
}

var makeToolSpec = tool.Spec{
	Name: makeTool, Description: "Write, test and keep a new tool, and run it for this request.",
	Parameters: tool.Object(map[string]tool.Schema{"request": tool.Text("what the tool must do, in one sentence", 1000)}, "request"),
}

// search is search_web for an agent that can read: all hits with their addresses, as a stranger's text.
func (t *turn) search(ctx context.Context, c *llm.Call) string {
	if t.m.o.Pages == nil {
		return t.told(c, t.call(ctx, c.Name, c.Args))
	}
	var a struct{ Query string }
	if !decode(c, &a) {
		return badArguments
	}
	found, err := t.m.o.Pages.Find(ctx, a.Query)
	if err != nil {
		return "error: " + err.Error()
	}
	t.foreign = true
	text, _ := guard.Foreign("the web", hits(found))
	return text
}

func hits(f websearch.Found) string {
	var b strings.Builder
	for _, a := range f.Answers {
		fmt.Fprintf(&b, "Answer: %s\n", a)
	}
	for _, r := range f.Results {
		fmt.Fprintf(&b, "%s (%s): %s\n", r.Title, r.URL, r.Snippet)
	}
	if b.Len() == 0 {
		return "nothing was found"
	}
	return b.String()
}

// maxPage is how many characters of a page a model is shown.
const maxPage = 6000

// readPage reads a page as a stranger's text.
func (t *turn) readPage(ctx context.Context, c *llm.Call) string {
	var a struct{ URL string }
	if !decode(c, &a) {
		return badArguments
	}
	p, err := t.m.o.Pages.Read(ctx, a.URL)
	if err != nil {
		return "error: " + err.Error()
	}
	t.foreign = true
	text := p.Title + "\n" + p.Text
	if r := []rune(text); len(r) > maxPage {
		text = string(r[:maxPage]) + "…"
	}
	safe, _ := guard.Foreign(p.Site, text)
	return safe
}

// make lets the coder write a tool; what it answers is the answer to the request.
func (t *turn) make(ctx context.Context, c *llm.Call) (answer string, final bool, err error) {
	var a struct{ Request string }
	if !decode(c, &a) {
		return badArguments, false, nil
	}
	if t.foreign && t.signs[Code] == 0 {
		return "error: the person did not ask for that", false, nil
	}
	if t.foreign || strings.TrimSpace(a.Request) == "" {
		a.Request = t.r.Text
	}
	return t.write(ctx, a.Request)
}

// write lets the coder find or write the tool that a request needs.
func (t *turn) write(ctx context.Context, request string) (answer string, final bool, err error) {
	r := t.r
	r.Text = request
	r.Call = func(ctx context.Context, name string, args json.RawMessage) tool.Result {
		return t.call(ctx, name, args)
	}
	made := t.m.o.Coder.Make(ctx, r)
	if ctx.Err() != nil {
		return "", false, ctx.Err()
	}
	return made.Text, made.Outcome == coordinator.OutcomeAnswered || made.Outcome == coordinator.OutcomeRefuse, nil
}
