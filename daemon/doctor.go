package daemon

import (
	"context"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/websearch"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/store"
)

// doctor says what of the language model and of web search works, and what the store takes.
type doctor struct {
	model  *llm.Client // nil: none is configured
	web    *websearch.Web
	engine string // the address of the search engine
	store  *store.Store
}

// Doctor implements command.Doctor.
func (d doctor) Doctor(ctx context.Context) (any, error) {
	out := map[string]any{
		"llm": "no language model is configured (llm.url)", "llm_ok": false,
		"web": "no search engine is configured (web.searxng)", "web_ok": d.web.Configured(),
	}
	if d.web.Configured() {
		out["web"] = "searches with " + d.engine
	}
	if d.model != nil {
		r, err := d.model.Doctor(ctx)
		if err != nil {
			return nil, err
		}
		out["llm"], out["llm_ok"] = r.String(), r.Away == nil && len(r.Models) > 0
	}
	usage, err := d.store.Usage()
	if err != nil {
		return nil, err
	}
	out["store"] = usage
	return out, nil
}

var _ command.Doctor = doctor{}
