package doctor

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

// checkLanguageModels asks the robot which language models and search engine it has.
func checkLanguageModels(ctx context.Context, a commands) []Finding {
	l, err := connect.Open(ctx, a.App)
	if err != nil {
		return remark("not asked: the robot cannot be reached", "see robot above")
	}
	defer l.Close()
	r, err := l.Call(ctx, "doctor", map[string]any{}, a.Wait(doctorTimeout))
	if err != nil || !r.OK {
		return remark("the robot does not say which language models it has", "see robot above")
	}
	var m struct {
		LLM   string `json:"llm"`
		LLMOK bool   `json:"llm_ok"`
		Web   string `json:"web"`
		WebOK bool   `json:"web_ok"`
	}
	if err := json.Unmarshal(r.Result, &m); err != nil {
		return wrong(cli.Malformed("a report", r.Raw, err).Error(), "install the same version of reachyd and reachyctl")
	}
	var all []Finding
	for line := range strings.Lines(m.LLM) {
		line = strings.TrimRight(line, "\n")
		switch {
		case m.LLMOK:
			all = append(all, good("language model: "+strings.TrimSpace(line))...)
		case len(all) == 0:
			all = remark("language model: "+line, "install Ollama here or on another computer of the home and set llm.url; commands, tools and sums work without it")
		}
	}
	if m.WebOK {
		return append(all, good(m.Web)...)
	}
	return append(all, remark(m.Web, "set web.searxng to the address of a SearXNG instance, if the robot is to look things up")...)
}
