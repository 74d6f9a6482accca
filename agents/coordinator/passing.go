package coordinator

import (
	"slices"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/halt"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// What nobody understands as it was said may ask for something in passing: "yo set a timer for 90 seconds, the boss respawns then". It is read as
// the first of language.Wishes that somebody understands.

// understanding is what was understood of a sentence of a session.
type understanding struct {
	u       *language.Utterance
	ends    halt.Reading
	alone   planner.Plan // of the sentence by itself
	reading dialogue.Reading
	wish    string // the usual words for what it asks for in passing; empty where it was read as it was said
}

// reads says what a text means after what was said and done before.
func (c *Coordinator) reads(session, text string, unsure bool) (r understanding) {
	r.u, r.ends, r.alone = c.understand(c.carried(session, text))
	r.reading = c.readIn(session, r.u, r.alone, unsure)
	c.recollect(session, r.u, &r.reading)
	if r.reading.Heard != "" {
		r.u = language.Analyse(r.reading.Heard)
	}
	return r
}

// inPassing is what a sentence asks for in passing; not ok where somebody understands it whole, or it asks for nothing.
func (c *Coordinator) inPassing(session string, whole *understanding, unsure bool) (r understanding, ok bool) {
	late := sync.OnceValue(func() []string { return c.saidOfLate(session) })
	said := func(topic []string) bool {
		return slices.ContainsFunc(late(), func(w string) bool { return slices.Contains(topic, w) })
	}
	if whole.ends.Kind == halt.Latch {
		return r, false
	}
	for _, sure := range []bool{true, false} {
		if !sure && (whole.reading.Plan.Outcome == planner.OutcomeRefuse || c.understood(session, whole)) {
			break
		}
		for _, text := range language.Wishes(whole.u, sure, said) {
			if r = c.reads(session, text, unsure); r.ends.Kind != halt.Latch && c.understood(session, &r) {
				r.wish = text
				return r, true
			}
		}
	}
	return r, false
}

// understood reports whether somebody surely makes something of a sentence. What is impossible is not understood: it may be only part of it.
func (c *Coordinator) understood(session string, r *understanding) bool {
	if r.ends.Kind != halt.None {
		return true
	}
	p := &r.reading.Plan
	failed := p.Outcome == planner.OutcomeError && len(p.Steps) == 0 && r.reading.Ask == nil
	if p.Outcome != planner.OutcomeNone && !failed || r.reading.Say != "" {
		return true
	}
	if c.o.Runtime == nil {
		return false
	}
	return c.o.Runtime.Understands(session, r.u, r.alone, *p)
}

// mostTopic is how many exchanges back something was spoken of of late.
const mostTopic = 4

// saidOfLate are the words of the last exchanges of a session.
func (c *Coordinator) saidOfLate(session string) (words []string) {
	history := c.sessions.history(session)
	for _, e := range history[max(0, len(history)-mostTopic):] {
		words = append(words, language.SplitWords(strings.ToLower(e.Text+" "+e.Reply))...)
	}
	return words
}
