package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/reachyd/reachyd/agents/coder"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/runtime"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/websearch"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/daemon/store"
)

// openModel begins to look for the language model's server; nil when none is configured.
func (d *Daemon) openModel(parts *stack) (*llm.Client, error) {
	c := d.Config.LLM
	if c.URL == "" {
		return nil, nil //nolint:nilnil // a robot without a language model is a robot
	}
	cfg := llm.Config{URL: c.URL, Context: c.Context, Threads: c.Threads, Models: map[llm.Role][]string{}}
	for role, wanted := range map[llm.Role][]string{llm.RoleTalk: c.Talk, llm.RoleCall: c.Call, llm.RoleCode: c.Code, llm.RoleSee: c.See, llm.RoleEmbed: c.Embed} {
		if cfg.Models[role] = wanted; len(wanted) == 0 {
			cfg.Models[role] = llm.Recommended[role]
		}
	}
	model, err := llm.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("llm: %w", err)
	}
	parts.push("language model", func() error { model.Close(); return nil })
	return model, nil
}

// openWeb returns what the robot looks up; it may read pages also where there is no search engine.
func (d *Daemon) openWeb(parts *stack) (*websearch.Web, error) {
	c := d.Config.Web
	web, err := websearch.Open(websearch.Config{SearXNG: c.SearXNG, Language: c.Language, SafeSearch: c.SafeSearch, AllowPrivate: c.AllowPrivate})
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	parts.push("web", func() error { web.Close(); return nil })
	return web, nil
}

// thinking is what a mind is made of.
type thinking struct {
	registry *tool.Registry
	own      map[string]bool // names of the robot's own tools
	model    *llm.Client     // nil: none
	web      *websearch.Web
	coder    *coder.Coder // nil: none
	memory   *memory.Memories
}

// openMind puts the mind together.
func (d *Daemon) openMind(parts *stack, t thinking, events *event.Bus) (*runtime.Runtime, error) {
	o := runtime.Options{
		Name: d.Config.Robot.Name, Tools: t.registry, Pages: t.web, Own: t.own, Publish: events.Publish,
		Memory: t.memory,
		Failed: func(err error) { d.Log.Warn().Err(err).Msg("mind") },
	}
	if t.model != nil {
		o.Model = t.model
	}
	if t.coder != nil {
		o.Coder = t.coder
	}
	if path := d.Config.LLM.Instructions; path != "" {
		own, err := runtime.LoadInstructions(path)
		if err != nil {
			return nil, err
		}
		o.Instructions = own
	}
	m := runtime.New(o)
	parts.push("mind", func() error { m.Close(); return nil })
	return m, nil
}

// names are the names of the tools that a registry has now.
func names(r *tool.Registry) map[string]bool {
	all := map[string]bool{}
	for _, s := range r.List() {
		all[s.Name] = true
	}
	return all
}

// memories keeps what people ask the robot to remember in the store. It is not pruned: a name is not forgotten by age.
type memories struct{ bucket *store.Bucket[memory.Memory] }

// keptMemories is how many sessions have a memory.
const keptMemories = 10_000

func newMemories(s *store.Store) memories {
	return memories{store.NewBucket[memory.Memory](s, "memories", store.Keep{Count: keptMemories})}
}

// SaveMemory implements memory.Store.
func (m memories) SaveMemory(v memory.Memory) error { return m.bucket.Put(v.Session, v) }

// DeleteMemory implements memory.Store.
func (m memories) DeleteMemory(session string) error { return m.bucket.Delete(session) }

// LoadMemory implements memory.Store.
func (m memories) LoadMemory(session string) (memory.Memory, bool, error) {
	v, err := m.bucket.Get(session)
	if errors.Is(err, store.ErrNotFound) {
		return v, false, nil
	}
	return v, err == nil, err
}

// doctor says what of the mind works.
func (d *Daemon) doctor(model *llm.Client, web *websearch.Web) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) {
		out := map[string]any{"llm": "no language model is configured (llm.url)", "llm_ok": false, "web": "no search engine is configured (web.searxng)", "web_ok": web.Configured()}
		if web.Configured() {
			out["web"] = "searches with " + d.Config.Web.SearXNG
		}
		if model != nil {
			r, err := model.Doctor(ctx)
			if err != nil {
				return nil, err
			}
			out["llm"], out["llm_ok"] = r.String(), r.Away == nil && len(r.Models) > 0
		}
		return out, nil
	}
}

var _ memory.Store = memories{}
