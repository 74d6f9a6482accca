package daemon

import (
	"context"
	"time"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/websearch"
	"github.com/reachyd/reachyd/daemon/batch"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/store"
)

// doctor says what of the language model and of web search works, and what the store takes.
type doctor struct {
	model  *llm.Client // nil: none is configured
	web    *websearch.Web
	engine string // the address of the search engine
	store  *store.Store

	answers batch.Batch[any]
	usage   store.Usage
	counted time.Time // when usage was
}

// freshUsage is how old what is told of the store may be: all its keys are counted for it.
const freshUsage = time.Second

// Doctor implements command.Doctor. Those who ask at once share an answer.
func (d *doctor) Doctor(ctx context.Context) (any, error) { return d.answers.Do(ctx, d.look) }

func (d *doctor) look(ctx context.Context) (any, error) {
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
	if time.Since(d.counted) > freshUsage {
		usage, err := d.store.Usage()
		if err != nil {
			return nil, err
		}
		d.usage, d.counted = usage, time.Now()
	}
	out["store"] = d.usage
	return out, nil
}

var _ command.Doctor = (*doctor)(nil)
