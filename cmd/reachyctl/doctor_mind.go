package main

import (
	"context"
	"encoding/json"
	"strings"
)

// checkMind asks the robot which language models and search engine it has.
func checkMind(ctx context.Context, a *app) []finding {
	l, err := a.connect(ctx)
	if err != nil {
		return remark("not asked: the robot cannot be reached", "see robot above")
	}
	defer l.close()
	r, err := l.call(ctx, "doctor", map[string]any{}, a.wait(doctorTimeout))
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
		return wrong(malformed("a report", r.raw, err).Error(), "install the same version of reachyd and reachyctl")
	}
	var all []finding
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
