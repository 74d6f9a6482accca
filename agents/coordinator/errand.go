package coordinator

import (
	"strings"

	"github.com/reachyd/reachyd/agents/halt"
	"github.com/reachyd/reachyd/perception/language"
)

// mostErrands is how many exchanges back something was said of what is kept for later.
const mostErrands = 6

// WhichOne is what the robot asks where one of several is to be cancelled.
const WhichOne = "Which one?"

// errand is what a sentence wants with what is kept for later, in the usual words; empty where it wants nothing.
func (c *Coordinator) errand(session string, u *language.Utterance) string {
	if c.o.Runtime == nil {
		return ""
	}
	return language.Errand(u, c.o.Runtime.Kept(), c.saidOfErrands(session))
}

// saidOfErrands is what was said of late that may have been of what is kept for later.
func (c *Coordinator) saidOfErrands(session string) (said language.Said) {
	history := c.sessions.history(session)
	said.Which = len(history) > 0 && strings.Contains(history[len(history)-1].Reply, WhichOne)
	for i := len(history) - 1; i >= max(0, len(history)-mostErrands); i-- {
		said.Texts = append(said.Texts, history[i].Text+". "+history[i].Reply)
	}
	return said
}

// timersToSet are the timers, alarms or reminders that a sentence asks for which asks for several, or for one more where timers were spoken of.
func (c *Coordinator) timersToSet(session string, whole *understanding, unsure bool) (all []understanding) {
	if c.o.Runtime == nil || whole.ends.Kind != halt.None {
		return nil
	}
	texts := language.TimersToSet(whole.u, c.saidOfErrands(session).OfTimer())
	if more := language.Appointments(whole.u); len(texts) == 0 && len(more) > 1 {
		texts = more
	} else if len(more) == 0 && len(texts) == 0 {
		if one := language.Another(whole.u, c.saidOfErrands(session)); one != "" {
			texts = []string{one}
		}
	}
	for _, text := range texts {
		r := c.reads(session, text, unsure)
		if !c.understood(session, &r) || !c.apart(session, &r) {
			return nil
		}
		r.said, r.wish = text, text
		all = append(all, r)
	}
	if len(all) == 1 { // what it is for is told by the sentence itself
		all[0].said = whole.u.Text
	}
	return all
}
