package daemon

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/persist"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/learner/feedback"
	"github.com/reachyd/reachyd/learner/preference"
	"github.com/reachyd/reachyd/learner/reward"
	"github.com/reachyd/reachyd/perception/meaning"
	"github.com/reachyd/reachyd/perception/models"
)

// openLearning opens the book of feedback, and learns anew from what is in it.
func (d *Daemon) openLearning(context.Context) error {
	fixed, err := preference.Fixed(d.Config.Learning.Fixed())
	if err != nil {
		return err
	}
	d.tastes = preference.New(fixed, rand.Uint64()) //nolint:gosec // a trial is no secret
	d.routes = &preference.Routes{}
	d.learnsRoutes.Store(d.Config.Learning.Routes)
	judge := d.judge()
	d.parts.push("reward model", judge.Close)
	d.book, err = feedback.Open(feedback.Options{
		Store: persist.NewFeedback(d.store), Learner: d.tastes, Told: d.tellReward, Judge: judge.Score, Routes: d.routes, Known: d.happened,
	})
	return err
}

// happened reports whether a trace is one of this process, or of a turn that is kept.
func (d *Daemon) happened(trace string) (bool, error) {
	if d.caller.Issued(trace) {
		return true, nil
	}
	return d.archive.Has(trace)
}

// choices let people's praise and blame decide who answers where no rule is sure, unless the owner has switched that off.
type choices struct{ d *Daemon }

// Choose implements runtime.Choices.
func (c choices) Choose(session, text, guess string, ways []string) (way string, learned bool) {
	if !c.d.learnsRoutes.Load() {
		return guess, false
	}
	return c.d.routes.Choose(session, text, guess, ways)
}

// Chose implements runtime.Choices.
func (c choices) Chose(session, trace, text, way, guess string) {
	c.d.book.Chose(session, feedback.Route{Episode: trace, Asked: text, Way: way, Usual: guess})
}

// restful is after how long without a question the model of sentences is closed: before unused memory is returned, and it opens in
// milliseconds.
const restful = 20 * time.Second

// openMeaning finds the model of sentences, which is optional and opened only when it is wanted.
func (d *Daemon) openMeaning(context.Context) error {
	path, err := d.modelStore().Find(models.MiniLM)
	if err != nil {
		d.Log.Debug().Err(err).Msg("words are understood by themselves")
		return nil
	}
	d.meaning = meaning.NewLazy(path, restful)
	d.parts.push("model of sentences", d.meaning.Close)
	return nil
}

// judge says what words are worth: with the model of sentences where it was fetched, by the network in the program alone elsewhere.
func (d *Daemon) judge() *reward.Judge {
	if d.meaning == nil {
		return reward.NewJudge(nil)
	}
	return reward.NewJudge(d.meaning)
}

// tellReward publishes what feedback is worth.
func (d *Daemon) tellReward(p feedback.Piece, deleted bool) {
	r := api.Reward{
		Feedback: p.ID, Reward: p.Reward, Uncertainty: p.Uncertainty, Reason: p.Reason, Meant: p.Meant, Corrected: p.Corrected,
		Deleted: deleted, Credits: make([]api.RewardCredit, 0, len(p.Credits)),
	}
	of := ""
	for _, c := range p.Credits {
		if of == "" {
			of = c.Episode
		}
		r.Credits = append(r.Credits, api.RewardCredit{Of: c.Episode, Tool: c.Tool, Share: c.Share})
	}
	if deleted {
		r.Reward = 0
	}
	if !deleted && !p.Corrected {
		d.events.Publish(of, api.Feedback{Feedback: p.ID, Of: of, Reward: p.Reward, Session: p.Session, Text: p.Text})
	}
	d.events.Publish(of, r)
}

// publishTalk publishes what happens in small talk. Praise and blame go into the book first, which publishes them.
func (d *Daemon) publishTalk(trace string, data api.Payload) {
	f, ok := data.(api.Feedback)
	if !ok {
		d.events.Publish(trace, data)
		return
	}
	if _, err := d.book.Give(feedback.Given{Session: f.Session, Text: f.Text}); err != nil {
		d.failed("feedback")(err)
	}
}

// tasteful is a body that moves as people like it, and notes what it has chosen for the book. It is an observer of tools, too:
// what they did is what feedback is about.
type tasteful struct {
	tools.Body
	tastes *preference.Learner
	book   *feedback.Book

	mu     sync.Mutex
	chosen map[string]map[string]int // by trace
}

// usualDuration is how long a movement takes of which nothing was said, seconds.
const usualDuration = 1.0

// liked returns the request as people like it: at their speed where it has the usual one, and gestures and emotions of their
// size. What was asked for with a duration or a size of its own stays.
func (t *tasteful) liked(ctx context.Context, req hal.Request) hal.Request {
	person, trace := tool.Session(ctx), tool.Trace(ctx)
	usual := 0.0
	switch req.Verb {
	case hal.VerbGoto:
		usual = usualDuration
		if req.Duration != usual {
			return req
		}
	case hal.VerbGesture:
		if g := catalog.GestureNamed(req.Name); g != nil {
			usual = g.Keys[len(g.Keys)-1].T
		}
	case hal.VerbEmotion:
		if e := catalog.EmotionNamed(req.Name); e != nil {
			usual = e.Keys[len(e.Keys)-1].T
		}
	}
	if usual == 0 || req.Verb != hal.VerbGoto && (req.Duration != 0 || req.Size != 0) {
		return req
	}
	speed := t.choose(person, trace, preference.Speed)
	if speed != 1 {
		req.Duration = usual / speed
	}
	if req.Verb != hal.VerbGoto {
		if size := t.choose(person, trace, preference.Size); size != 1 {
			req.Size = size
		}
	}
	return req
}

// choose returns the value of the option that a person likes, and notes it.
func (t *tasteful) choose(person, trace, parameter string) float64 {
	p, _ := preference.Named(parameter)
	t.mu.Lock()
	option, chosen := t.chosen[trace][parameter]
	t.mu.Unlock()
	if !chosen { // in one turn it is the same all through
		option = t.tastes.Choose(person, parameter)
		t.note(trace, parameter, option)
	}
	return p.Options[option].Value
}

// maxTraces is for how many turns it is remembered what was chosen.
const maxTraces = 64

func (t *tasteful) note(trace, parameter string, option int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.chosen == nil || len(t.chosen) > maxTraces {
		t.chosen = map[string]map[string]int{}
	}
	if t.chosen[trace] == nil {
		t.chosen[trace] = map[string]int{}
	}
	t.chosen[trace][parameter] = option
}

// Do asks for a change as people like it.
func (t *tasteful) Do(ctx context.Context, req hal.Request) (hal.Answer, error) {
	return t.Body.Do(ctx, t.liked(ctx, req))
}

// Perform implements tools.Performer.
func (t *tasteful) Perform(ctx context.Context, req hal.Request) (hal.Answer, hal.Event, error) {
	return tools.Perform(ctx, t.Body, t.liked(ctx, req))
}

// Before implements tool.Observer.
func (t *tasteful) Before(tool.Call) {}

// After implements tool.Observer: what a tool did is what feedback may be about.
func (t *tasteful) After(c tool.Call, r tool.Result) {
	if c.Depth > 0 || c.Tool == "stop" {
		return
	}
	t.mu.Lock()
	choices := make(map[string]int, len(t.chosen[c.Trace]))
	for name, option := range t.chosen[c.Trace] {
		choices[name] = option
	}
	t.mu.Unlock()
	t.book.Did(feedback.Action{Episode: c.Trace, Tool: c.Tool, Words: r.Message, Choices: choices})
}

// greeting is a conversation in which the robot greets with a gesture, when people like that.
type greeting struct {
	*coordinator.Coordinator
	d *Daemon
}

// Turn answers what is said.
func (g greeting) Turn(ctx context.Context, session, text string) (coordinator.Reply, error) {
	reply, err := g.Coordinator.Turn(ctx, session, text)
	if err != nil || reply.Trace.Outcome != coordinator.OutcomeAnswered || len(reply.Trace.Steps) > 0 || !reward.Greets(text) {
		return reply, err
	}
	p, _ := preference.Named(preference.Greeting)
	option := g.d.tastes.Choose(session, p.Name)
	id := reply.Trace.ID
	if name := p.Options[option].Name; option != p.Usual {
		args, err := json.Marshal(map[string]string{"name": name})
		if err == nil {
			ctx = tool.WithSession(tool.WithTrace(ctx, id), session)
			g.d.caller.Call(ctx, "gesture", args) // without it the words were greeting enough
		}
	}
	g.d.book.Did(feedback.Action{Episode: id, Tool: "greeting", Words: strings.TrimSpace(reply.Text), Choices: map[string]int{p.Name: option}})
	return reply, nil
}

var (
	_ tools.Body      = (*tasteful)(nil)
	_ tools.Performer = (*tasteful)(nil)
	_ tool.Observer   = (*tasteful)(nil)
)

// liveliness is a factor of how often the robot looks around by itself. Feedback is about that when nobody has asked for anything.
func (d *Daemon) liveliness() float64 {
	p, _ := preference.Named(preference.Idle)
	option := d.tastes.Choose(coordinator.DefaultSession, p.Name)
	d.book.DidAlone(feedback.Action{Tool: "idle", Words: "looked around", Choices: map[string]int{p.Name: option}})
	return p.Options[option].Value
}
