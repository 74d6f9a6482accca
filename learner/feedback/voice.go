package feedback

import (
	"maps"
	"slices"
	"time"

	"github.com/reachyd/reachyd/learner/preference"
	"github.com/reachyd/reachyd/learner/reward"
)

// voices are how the robot spoke last, by the session it spoke to.
type voices map[string]Action

// note adds choices to those with which the robot has just spoken to a session.
func (v voices) note(session string, choices map[string]int, now time.Time) {
	all := map[string]int{}
	if last, there := v[session]; there && now.Sub(last.At) < maxAge {
		maps.Copy(all, last.Choices)
	}
	maps.Copy(all, choices)
	maps.DeleteFunc(v, func(_ string, a Action) bool { return now.Sub(a.At) >= maxAge })
	if _, known := v[session]; !known && len(v) >= maxSessions {
		clear(v)
	}
	v[session] = Action{Tool: "voice", Words: "spoke", Choices: all, At: now}
}

// to is how the robot has just spoken to a session. Who was not spoken to has heard what was said to somebody else.
func (v voices) to(session string, now time.Time) (last Action, ok bool) {
	last, ok = v[session]
	if ok && now.Sub(last.At) < maxAge {
		return last, true
	}
	last = Action{}
	for _, a := range v {
		if a.At.After(last.At) {
			last = a
		}
	}
	return last, len(last.Choices) > 0 && now.Sub(last.At) < maxAge
}

// beside adds how the robot has spoken to a session to the latest of the actions, newest first.
func (v voices) beside(of []Credit, session string, now time.Time) []Credit {
	last, spoke := v.to(session, now)
	switch {
	case !spoke:
		return of
	case len(of) == 0:
		return []Credit{{last, 1}}
	}
	all := maps.Clone(last.Choices)
	maps.Copy(all, of[0].Choices)
	of[0].Choices = all
	return of
}

// Spoke notes how the robot speaks to a session now: feedback on what it did last is about that, too, and feedback on nothing else
// is about that alone.
func (b *Book) Spoke(session string, choices map[string]int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spoke.note(session, choices, b.o.Now())
}

// spokeLately reports whether a session has just heard the robot speak.
func (b *Book) spokeLately(session string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, spoke := b.spoke.to(session, b.o.Now())
	return spoke
}

// narrow leaves the choices that a piece is about. Where the robot has moved and spoken, what is said is about how it moved, unless
// it names the voice, or something that only a voice can be.
func narrow(choices map[string]int, p *Piece) {
	voice, moved := false, false
	for name := range choices {
		q, _ := preference.Named(name)
		voice, moved = voice || q.Speech, moved || !q.Speech
	}
	if !voice || !moved {
		return
	}
	talk := says(reward.Plain(p.Text), "voice", false)
	maps.DeleteFunc(choices, func(name string, _ int) bool {
		q, _ := preference.Named(name)
		return talk != q.Speech && (!q.Speech || !onlyVoice(&q, p.Meant))
	})
}

// onlyVoice reports whether something is meant that no movement can be.
func onlyVoice(q *preference.Parameter, meant []string) bool {
	return slices.ContainsFunc(meant, func(m string) bool {
		one := []string{m}
		return names(q, one) && !slices.ContainsFunc(preference.Parameters(), func(o preference.Parameter) bool {
			return !o.Speech && names(&o, one)
		})
	})
}

// aboutVoice reports whether what is said can be about how the robot speaks.
func aboutVoice(plain string, meant []string) bool {
	return slices.ContainsFunc(preference.Parameters(), func(q preference.Parameter) bool {
		return q.Speech && (onlyVoice(&q, meant) || says(plain, "voice", false) && names(&q, meant))
	})
}

// names reports whether something is meant that the parameter can be.
func names(q *preference.Parameter, meant []string) bool {
	return slices.ContainsFunc(meant, func(m string) bool { return slices.Contains(q.TooMuch, m) || slices.Contains(q.TooLittle, m) })
}
