package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

// told is what the robot says about itself.
type told struct {
	LLM   string `json:"llm"`
	LLMOK bool   `json:"llm_ok"`
	Web   string `json:"web"`
	WebOK bool   `json:"web_ok"`
	Store *struct {
		Kinds []struct {
			Kind  string `json:"kind"`
			Keys  int    `json:"keys"`
			Bytes int64  `json:"bytes"`
		} `json:"kinds"`
		Tables int   `json:"tables"`
		Disk   int64 `json:"disk_bytes"`
	} `json:"store"` // nil: an earlier version
}

// ask asks the robot what it says about itself; what stands in the way is a finding.
func ask(ctx context.Context, a commands, about string) (*told, []Finding) {
	l, err := connect.Open(ctx, a.App)
	if err != nil {
		return nil, remark("not asked: the robot cannot be reached", "see robot above")
	}
	defer l.Close()
	r, err := l.Call(ctx, "doctor", map[string]any{}, a.Wait(doctorTimeout))
	if err != nil || !r.OK {
		return nil, remark("the robot does not say "+about, "see robot above")
	}
	var m told
	if err := json.Unmarshal(r.Result, &m); err != nil {
		return nil, wrong(cli.Malformed("a report", r.Raw, err).Error(), "install the same version of reachyd and reachyctl")
	}
	return &m, nil
}

// checkStore asks the robot what takes the room in its store.
func checkStore(ctx context.Context, a commands) []Finding {
	m, standing := ask(ctx, a, "what its store takes")
	if m == nil {
		return standing
	}
	if m.Store == nil {
		return remark("the robot does not say what its store takes", "install the same version of reachyd and reachyctl")
	}
	const most = 6 // of a line
	var kinds []string
	for _, k := range m.Store.Kinds[:min(most, len(m.Store.Kinds))] {
		kinds = append(kinds, fmt.Sprintf("%d %s (%.1f MB)", k.Keys, k.Kind, float64(k.Bytes)/1e6))
	}
	f := good(fmt.Sprintf("%.1f MB on the disk, %d tables: %s", float64(m.Store.Disk)/1e6, m.Store.Tables, strings.Join(kinds, ", ")))
	f[0].Data = m.Store
	return f
}

// checkLanguageModels asks the robot which language models and search engine it has.
func checkLanguageModels(ctx context.Context, a commands) []Finding {
	m, standing := ask(ctx, a, "which language models it has")
	if m == nil {
		return standing
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
