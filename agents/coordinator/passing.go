package coordinator

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/halt"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
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
	said    string // the part of a sentence that it is
	wish    string // the usual words for what it asks for in passing; empty where it was read as it was said
}

// reads says what a text means after what was said and done before.
func (c *Coordinator) reads(session, text string, unsure bool) (r understanding) {
	r.u, r.ends, r.alone = c.understand(c.carried(session, text))
	r.reading = c.readIn(session, r.u, r.alone, unsure)
	if language.Reminds(r.u) && r.reading.Plan.Outcome == planner.OutcomePlan { // "remind me at four to her eye drops" turns no head
		r.reading.Plan = planner.Plan{Text: r.u.Text, Outcome: planner.OutcomeNone, Steps: []planner.Step{}, Message: planner.NotUnderstood}
	}
	c.recollect(session, r.u, &r.reading)
	if r.reading.Heard != "" {
		r.u = language.Analyse(r.reading.Heard)
	}
	return r
}

// inPassing is what a sentence asks for in passing; not ok where somebody understands it whole, or it asks for nothing. just are words that
// were said before it.
func (c *Coordinator) inPassing(session string, whole *understanding, just []string, unsure bool) (r understanding, ok bool) {
	said := func(topic []string, last bool) bool {
		return slices.ContainsFunc(append(c.saidOfLate(session, last), just...), func(w string) bool { return slices.Contains(topic, w) })
	}
	if l, list := memory.ListOf(whole.u); whole.ends.Kind == halt.Latch || list && !l.Points() {
		return r, false
	}
	if r, ok = c.measured(session, whole, unsure); ok {
		return r, true
	}
	for _, sure := range []bool{true, false} {
		if rest := language.BehindThanks(whole.u); !sure && rest != "" && whole.reading.Plan.Outcome == planner.OutcomeNone {
			r = c.reads(session, rest, unsure)
			other, passing := c.inPassing(session, &r, nil, unsure)
			if passing {
				r = other
			}
			if passing || c.understood(session, &r) {
				r.wish = cmp.Or(r.wish, rest)
				return r, true
			}
		}
		if !sure && (whole.reading.Plan.Outcome == planner.OutcomeRefuse || c.understood(session, whole)) {
			return understanding{}, false
		}
		texts := append(c.followUps(session, whole.u, sure), language.Wishes(whole.u, sure, c.models(), said)...)
		if sure {
			texts = slices.Insert(texts, 0, c.errand(session, whole.u))
			if one := language.Appointments(whole.u); len(one) == 1 && !strings.EqualFold(one[0], whole.u.Text) {
				texts = slices.Insert(texts, 1, one[0])
			}
		}
		texts = slices.Insert(texts, 0, c.keeps(session, whole, sure))
		for _, text := range texts {
			if text == "" {
				continue
			}
			if whole.ends.Kind == halt.Later && len(strings.Fields(whole.u.Text)) <= len(strings.Fields(text)) { // nothing stands beside it
				continue
			}
			if r = c.reads(session, text, unsure); r.ends.Kind != halt.Latch && c.understood(session, &r) {
				r.wish = text
				return r, true
			}
		}
	}
	if r, ok = c.aside(session, whole, unsure); ok {
		return r, true
	}
	return c.askedBeside(session, whole, unsure)
}

// aside is what a sentence which nobody understands asks for beside what it tells. What is polite before a movement may be what makes it none
// ("let me put you down for two"), so it is read with it.
func (c *Coordinator) aside(session string, whole *understanding, unsure bool) (r understanding, ok bool) {
	if whole.ends.Kind != halt.None {
		return r, false
	}
	for _, a := range language.Asides(whole.u) {
		r = c.reads(session, a.Text, unsure)
		moves := r.reading.Plan.Outcome == planner.OutcomePlan
		if r.ends.Kind == halt.None && (moves && !a.Bare || !moves && c.understood(session, &r)) {
			r.wish = a.Text
			return r, true
		}
	}
	return r, false
}

// inTwo are the two requests of a sentence that nobody understands as one, or of which the planner would do only its own: "bow to my guest and
// set a timer for three minutes".
func (c *Coordinator) inTwo(session string, whole *understanding, unsure bool) (first, second understanding, ok bool) {
	if whole.ends.Kind != halt.None || whole.reading.Plan.Outcome == planner.OutcomeRefuse {
		return first, second, false
	}
	if memory.AskedBehind(whole.u) {
		return first, second, false
	}
	for _, halves := range language.Halves(whole.u) {
		if first, ok = c.asks(session, halves[0], nil, unsure); !ok {
			continue
		}
		if second, ok = c.asks(session, halves[1], language.SplitWords(strings.ToLower(halves[0])), unsure); !ok {
			continue
		}
		sure := func() bool {
			return len(language.Wishes(whole.u, true, c.models(), func([]string, bool) bool { return false })) > 0
		}
		moves := c.apart(session, &first) && len(second.reading.Plan.Steps) > 0 && !language.Reminds(whole.u) &&
			(language.OrdersAnew(whole.u, halves[1]) || language.AsksToKeep(halves[0]))
		if moves { // "add eggs to the list and then look down", "what's 19 plus 27, and can you wave?"
			return first, second, true
		}
		movesFirst := len(first.reading.Plan.Steps) > 0 && c.apart(session, &second)
		if movesFirst || c.apart(session, &first) != c.apart(session, &second) && len(whole.reading.Plan.Steps) > 0 || !c.understood(session, whole) || sure() {
			return first, second, true
		}
	}
	return first, second, false
}

// apart reports whether a request is one that the planner does not know.
func (c *Coordinator) apart(session string, r *understanding) bool {
	p := &r.reading.Plan
	none := p.Outcome == planner.OutcomeNone || p.Outcome == planner.OutcomeError && len(p.Steps) == 0 && r.reading.Ask == nil
	return none && r.reading.Say == "" && c.o.Runtime != nil && c.o.Runtime.Understands(session, r.u, r.alone, *p)
}

// asks is what a part of a sentence asks for by itself, or in passing; not ok where nobody understands it, or it is no order.
func (c *Coordinator) asks(session, part string, just []string, unsure bool) (r understanding, ok bool) {
	r = c.reads(session, part, unsure)
	orders := language.BeginsAsOrder(r.u)
	if other, ok := c.inPassing(session, &r, just, unsure); ok {
		r = other
		orders = orders || len(r.reading.Plan.Steps) == 0 // "and one of five minutes for the peas"
	}
	orders = orders || memory.Introduces(r.u) != "" // "and this is my sister Abena"
	orders = orders || language.AsksBehind(r.u) && c.apart(session, &r)
	r.said = part
	stands := r.ends.Kind == halt.None && r.reading.Ask == nil && r.reading.Plan.Outcome != planner.OutcomeRefuse && r.reading.Say == ""
	return r, orders && stands && c.understood(session, &r)
}

// several are the requests of a sentence that asks for more than one thing; none where it does not.
func (c *Coordinator) several(session string, whole *understanding, unsure bool) []understanding {
	if sum, ok := c.summed(session, whole, unsure); ok {
		return []understanding{sum}
	}
	if set := c.timersToSet(session, whole, unsure); len(set) > 0 {
		return set
	}
	if first, second, ok := c.presented(session, whole, unsure); ok {
		return []understanding{first, second}
	}
	if first, second, ok := c.inTwo(session, whole, unsure); ok {
		return []understanding{first, second}
	}
	return nil
}

// presented are who presents himself, or somebody, and what he asks for then: "Jorge here, please nod if you can hear me".
func (c *Coordinator) presented(session string, whole *understanding, unsure bool) (first, second understanding, ok bool) {
	u := whole.u
	if whole.ends.Kind != halt.None || u.TooLong || c.o.Runtime == nil {
		return first, second, false
	}
	for i := 0; i+1 < len(u.Clauses); i++ {
		from, end, next := u.Address.To, u.Clauses[i].To, u.Clauses[i+1].From
		if end <= from || next >= len(u.Tokens) {
			continue
		}
		part := u.Text[u.Tokens[from].Start:u.Tokens[end-1].End]
		if memory.Introduces(language.Analyse(part)) == "" {
			continue
		}
		first = c.reads(session, part, unsure)
		if first.said = part; !c.understood(session, &first) || !c.apart(session, &first) {
			continue
		}
		rest := u.Text[u.Tokens[next].Start:]
		if second, ok = c.asks(session, rest, language.SplitWords(strings.ToLower(part)), unsure); ok {
			return first, second, true
		}
	}
	return first, second, false
}

// turns does what the parts of a text ask for, each where the one before was not interrupted and did not fail.
func (c *Coordinator) turns(ctx context.Context, session, text string, all []understanding) (Reply, error) {
	first, err := c.turn(ctx, session, all[0].said, &all[0])
	for i := 1; err == nil && first.Trace.OK() && i < len(all); i++ {
		if read, ok := c.asks(session, all[i].said, nil, Unsure(ctx)); ok { // it may be read otherwise after the first
			all[i] = read
		}
		next, err := c.turn(tool.WithTrace(ctx, ""), session, all[i].said, &all[i])
		if err != nil { // what was done before is done, and that is told
			first.Text += " I did not do the rest: " + err.Error() + "."
			return first, nil //nolint:nilerr // the reply says it
		}
		both := *next.Trace
		both.Text, both.TS, both.DurationMS = text, first.Trace.TS, first.Trace.DurationMS+next.Trace.DurationMS
		both.Reply = strings.TrimSpace(first.Text + " " + next.Text)
		both.Steps = slices.Concat(first.Trace.Steps, next.Trace.Steps)
		if next.Trace.OK() && len(next.Trace.Steps) == 0 {
			both.Outcome = first.Trace.Outcome
		}
		first = Reply{Text: both.Reply, Trace: &both}
	}
	return first, err
}

// models reports whether a language model answers what nobody understands.
func (c *Coordinator) models() bool { return c.o.Runtime != nil && c.o.Runtime.Models() }

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

// saidOfLate are the words of the last exchanges of a session, or of the last one.
func (c *Coordinator) saidOfLate(session string, last bool) (words []string) {
	most := mostTopic
	if last {
		most = 1
	}
	history := c.sessions.history(session)
	for _, e := range history[max(0, len(history)-most):] {
		words = append(words, language.SplitWords(strings.ToLower(e.Text+" "+e.Read()+" "+e.Reply))...)
	}
	return words
}
