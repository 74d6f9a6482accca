package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/reachyd/reachyd/agents/calling"
	"github.com/reachyd/reachyd/agents/coder"
	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/memory/faces"
	"github.com/reachyd/reachyd/agents/memory/places"
	"github.com/reachyd/reachyd/agents/runtime"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/agents/websearch"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/perception"
	"github.com/reachyd/reachyd/daemon/persist"
	"github.com/reachyd/reachyd/daemon/toolmanager"
)

// openModel begins to look for the language model's server, if one is configured.
func (d *Daemon) openModel(context.Context) error {
	c := d.Config.LLM
	if c.URL == "" {
		return nil
	}
	cfg := llm.Config{URL: c.URL, API: llm.API(c.API), Key: c.Key.Reveal(), Context: c.Context, Threads: c.Threads, Models: map[llm.Role][]string{}}
	cfg.Observe = d.meter.Asked
	for role, wanted := range map[llm.Role][]string{
		llm.RoleTalk: c.Talk, llm.RoleCall: c.Call, llm.RoleCode: c.Code, llm.RoleSee: c.See, llm.RoleEmbed: c.Embed,
	} {
		if cfg.Models[role] = wanted; len(wanted) == 0 {
			cfg.Models[role] = llm.Recommended[role]
		}
	}
	model, err := llm.New(cfg)
	if err != nil {
		return fmt.Errorf("llm: %w", err)
	}
	d.model = model
	d.parts.push("language model", func() error { model.Close(); return nil })
	return nil
}

// languageModel is the model as the agents take it; nil when none is configured.
func (d *Daemon) languageModel() llm.Model {
	if d.model == nil {
		return nil
	}
	o := calling.Options{Name: d.Config.Robot.Name}
	switch how := d.Config.LLM.Calls; how {
	case "plain":
		return d.model
	case "auto":
	default:
		o.Style, o.Always = calling.Style(how), true
	}
	return calling.New(d.model, o)
}

// openWeb opens what the robot looks things up with; it may read pages also where there is no search engine.
func (d *Daemon) openWeb(context.Context) error {
	c := d.Config.Web
	web, err := websearch.Open(websearch.Config{SearXNG: c.SearXNG, Language: c.Language, SafeSearch: c.SafeSearch, AllowPrivate: c.AllowPrivate})
	if err != nil {
		return fmt.Errorf("web: %w", err)
	}
	d.web = web
	d.parts.push("web", func() error { web.Close(); return nil })
	return nil
}

// openTools registers the robot's own tools, and makes who calls them in turn.
func (d *Daemon) openTools(context.Context) error {
	d.registry = tool.NewRegistry(time.Now)
	d.registry.Observe(coordinator.Events(d.events))
	liked := &tasteful{Body: d.sounding, tastes: d.tastes, book: d.book}
	d.registry.Observe(liked)
	d.faces = faces.New(persist.NewFaces(d.store), nil, d.failed("memory"))
	base := tools.Options{
		Body: toolmanager.SpeedLimited{Body: liked}, Moves: d.move,
		Places: places.New(persist.NewPlaces(d.store), nil, d.failed("memory")), Faces: d.faces,
	}
	if d.web.Configured() {
		base.Searcher = d.web
	}
	d.builtin = &perception.Registrar{
		Registry: d.registry, Base: base, Sense: d.voice(), Model: d.languageModel(), Events: d.events, Log: d.Log,
	}
	if err := d.builtin.RegisterWithout(d.noSense); err != nil {
		return err
	}
	d.ownTools = map[string]bool{}
	for _, s := range d.registry.List() {
		d.ownTools[s.Name] = true
	}
	d.caller = coordinator.NewCaller(d.registry, coordinator.Limits{Arbiter: d.registry.Arbiter()}, nil)
	return nil
}

// openCoder makes what writes tools, where there is a place to keep them.
func (d *Daemon) openCoder(context.Context) error {
	if d.userTools == nil {
		return nil
	}
	o := coder.Options{
		Model: d.languageModel(), Maker: d.userTools.Maker(), Tools: d.registry, Plan: d.planner.Plan, Do: d.userTools.Do,
		Policy: coder.Policy(d.Config.Tools.Write), Call: d.caller.Call, Failures: persist.NewFailures(d.store),
		Schedules: persist.NewSchedules(d.store), Publish: d.events.Publish, Failed: d.failed("writing tools"),
		Latched: d.latched, Busy: d.busy,
	}
	if d.meaning != nil {
		o.Sentences = d.meaning
	}
	d.coder = coder.New(o)
	return nil
}

// openRuntime makes what answers sentences that the planner does not.
func (d *Daemon) openRuntime(context.Context) error {
	d.memories = persist.NewMemories(d.store)
	d.facts = memory.New(d.memories, nil)
	o := runtime.Options{
		Name: d.Config.Robot.Name, Model: d.languageModel(), Tools: d.registry, Pages: d.web, Own: d.ownTools,
		Publish: d.events.Publish, Memory: d.facts, Failed: d.failed("runtime"),
		History: func(session string) []coordinator.Exchange { return d.coordinator.History(session) },
	}
	if d.coder != nil {
		o.Coder = d.coder
	}
	talk, err := d.openTalk()
	if err != nil {
		return err
	}
	o.Talk, o.Manner, o.Choices = talk, d.answering, choices{d}
	o.Feedback = consenting{d.book, d.trainer, d.shown}
	if path := d.Config.LLM.Instructions; path != "" {
		own, err := runtime.LoadInstructions(path)
		if err != nil {
			return err
		}
		o.Instructions = own
	}
	if model, ok := o.Model.(*calling.Model); ok {
		d.parts.run("warm language model", model.Warm)
	}
	d.runtime = runtime.New(o)
	d.parts.push("runtime", func() error { d.runtime.Close(); return nil })
	return nil
}

// openCoordinator makes what runs turns of conversation.
func (d *Daemon) openCoordinator(context.Context) error {
	d.archive = persist.NewArchive(d.store, d.keep())
	d.coordinator = coordinator.New(coordinator.Options{
		Caller: d.caller, Planner: d.planner, Runtime: d.runtime, Tools: d.registry, Publisher: d.events, Body: d.body, World: world{d.robot},
		Store: d.archive, Failed: d.failed("could not be stored"), Volume: d.volume(),
	})
	d.parts.push("coordinator", func() error { return withPatience(d.coordinator.Close) })
	return nil
}

// runSchedules does what is done regularly, and pauses it at the emergency stop.
func (d *Daemon) runSchedules(context.Context) error {
	if d.coder == nil {
		return nil
	}
	d.parts.run("what is done regularly", d.coder.Run)
	const enough = 64
	d.follow("stops of what is done regularly", enough, func(e api.Event) {
		if stop, ok := e.Data.(api.EStop); ok && stop.Active {
			d.coder.Stopped()
		}
	}, api.TypeEStop)
	return nil
}
