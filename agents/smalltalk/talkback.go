package smalltalk

import (
	"regexp"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/perception/language"
)

var _ = register(map[string]maker{
	"said":      {[]string{"", "none"}, []string{"said"}, said, nil},
	"first":     {[]string{"", "none"}, []string{"said"}, firstSaid, nil},
	"reply":     {[]string{"", "none"}, []string{"reply"}, lastReply, nil},
	"slower":    {[]string{"", "none"}, []string{"reply"}, slower, nil},
	"mean":      {[]string{"", "none"}, []string{"said", "reply"}, mean, nil},
	"did":       {[]string{"", "none", "failed", "not", "refused"}, []string{"did", "said"}, did, nil},
	"why":       {[]string{"", "none", "failed"}, []string{"did", "said"}, did, nil},
	"when-said": {[]string{"", "none"}, []string{"time", "said"}, whenSaid, nil},
	"how-many":  {[]string{"", "none"}, []string{"count"}, howMany, nil},
	"rename":    {[]string{"", "same", "bad"}, []string{"old"}, rename, nil},
	"my-name":   {[]string{"", "unknown"}, []string{"person"}, myName, nil},
	"another":   {[]string{"", "none"}, []string{"more"}, another, nil},
	"recall":    {[]string{"", "none"}, []string{"facts"}, recall, nil},
	"volume":    {[]string{"", "set"}, []string{"volume"}, volume, nil},
})

// volumeSet finds what the robot said when it set its volume.
var volumeSet = regexp.MustCompile(`volume to (\d+)`)

// volume is what the robot set its volume to last in this conversation: somebody else may have set it since.
func volume(q *turn) (which string, v values) {
	for _, e := range slices.Backward(q.r.History) {
		if m := volumeSet.FindStringSubmatch(e.Account()); m != nil && slices.Contains(e.Did, "set_volume") {
			return "set", values{"volume": m[1]}
		}
	}
	return "", values{}
}

// last is what was said before, without questions about what was said before.
func (q *turn) last() (e coordinator.Exchange, ok bool) {
	if n := len(q.r.History); n > 0 {
		return q.r.History[n-1], true
	}
	return e, false
}

// acted is the last exchange in which something was done or tried; where nothing was, the last in which the robot looked how it is.
func (q *turn) acted() (looked coordinator.Exchange, ok bool) {
	for _, e := range slices.Backward(q.r.History) {
		if onlyLooked(e) {
			if !ok {
				looked, ok = e, true
			}
			continue
		}
		switch e.Outcome {
		case coordinator.OutcomePlan, coordinator.OutcomeFailed, coordinator.OutcomeInterrupted, coordinator.OutcomeError, coordinator.OutcomeRefuse:
			return e, true
		}
		if len(e.Did) > 0 { // with the help of a model
			return e, true
		}
	}
	return looked, ok
}

// onlyLooked reports whether an exchange only looked how the robot is: that is no deed.
func onlyLooked(e coordinator.Exchange) bool {
	return len(e.Did) > 0 && !slices.ContainsFunc(e.Did, func(tool string) bool { return tool != "get_robot_state" })
}

func quoted(text string) string { return "“" + strings.TrimSpace(text) + "”" }

func said(q *turn) (string, values) {
	e, ok := q.last()
	if !ok {
		return "none", values{}
	}
	return "", values{"said": quoted(e.Text)}
}

func firstSaid(q *turn) (string, values) {
	if len(q.r.History) == 0 {
		return "none", values{}
	}
	return "", values{"said": quoted(q.r.History[0].Text)}
}

func lastReply(q *turn) (string, values) {
	e, ok := q.last()
	if !ok || e.Reply == "" {
		return "none", values{}
	}
	return "", values{"reply": e.Reply}
}

// slower says the last reply again in small pieces.
func slower(q *turn) (string, values) {
	e, ok := q.last()
	if !ok || e.Reply == "" {
		return "none", values{}
	}
	return "", values{"reply": strings.Join(strings.Fields(e.Reply), " … ")}
}

func mean(q *turn) (string, values) {
	e, ok := q.last()
	if !ok || e.Reply == "" {
		return "none", values{}
	}
	return "", values{"reply": e.Reply, "said": quoted(e.Text)}
}

// did tells what was done last, or why: both come from what was asked and what was answered then. Where a deed is named ("did you
// nod?") it is the last that has its words; where none has, what was answered to the request for it, or that nothing of the kind is known.
func did(q *turn) (string, values) {
	e, ok := q.acted()
	if !ok {
		return "none", values{}
	}
	which := ""
	if named := deedNamed(q.m.said.Tokens); len(named) > 0 {
		if done, found := lastWith(q.r.History, named); found {
			e = done
		} else if no, refused := lastWithout(q.r.History, named); refused {
			return "refused", values{"did": no.Reply, "said": quoted(no.Text)}
		} else {
			which = "not"
		}
	}
	v := values{"did": e.Account(), "said": quoted(e.Text)}
	switch {
	case which != "":
		return which, v
	case e.Outcome == coordinator.OutcomePlan || e.Outcome == coordinator.OutcomeAnswered:
		return "", v
	}
	return "failed", v
}

var (
	deedAsks  = language.Words("done-asks")
	deedSmall = language.Words("done-small")
)

// deedNamed is what "did you …?" names, as the roots of its words; none where it only asks for what was done.
func deedNamed(toks language.Tokens) (named []string) {
	at := slices.IndexFunc(toks, func(t language.Token) bool { return deedAsks[t.Word] })
	if at < 0 || toks.Word(at+1) != "you" {
		return nil
	}
	for i := range toks[at:] {
		if w := toks.Word(at + i); w != "" && !deedSmall[w] {
			named = append(named, root(w))
		}
	}
	return named
}

// lastWith is the last deed in whose words all of those that are named stand.
func lastWith(history []coordinator.Exchange, named []string) (coordinator.Exchange, bool) {
	for _, e := range slices.Backward(history) {
		if (len(e.Did) > 0 || e.Outcome == coordinator.OutcomePlan) && hasAll(e.Text+" "+e.Account(), named) {
			return e, true
		}
	}
	return coordinator.Exchange{}, false
}

// lastWithout is the last request with all of those words to which nothing was done: what was answered says why.
func lastWithout(history []coordinator.Exchange, named []string) (coordinator.Exchange, bool) {
	for _, e := range slices.Backward(history) {
		asked := language.Analyse(e.Text)
		if len(e.Did) == 0 && e.Outcome != coordinator.OutcomePlan && e.Reply != "" && !asked.Question && !strings.Contains(e.Text, "?") && hasAll(e.Text, named) {
			return e, true
		}
	}
	return coordinator.Exchange{}, false
}

// hasAll reports whether a text has all of some words, by their roots.
func hasAll(text string, roots []string) bool {
	words := language.SplitWords(strings.ToLower(text))
	has := make([]string, 0, len(words))
	for _, w := range words {
		has = append(has, root(w))
	}
	return !slices.ContainsFunc(roots, func(w string) bool { return !slices.Contains(has, w) })
}

func whenSaid(q *turn) (string, values) {
	e, ok := q.last()
	if what := q.slot("what"); what != "" {
		ok = false
		for _, x := range slices.Backward(q.r.History) {
			if strings.Contains(strings.ToLower(x.Text), what) {
				e, ok = x, true
				break
			}
		}
	}
	if !ok {
		return "none", values{}
	}
	return "", values{"time": sayClock(e.TS.In(q.now.Location())), "said": quoted(e.Text)}
}

func howMany(q *turn) (string, values) {
	if len(q.r.History) == 0 {
		return "none", values{}
	}
	return "", values{"count": count(len(q.r.History), "thing", "things")}
}

// maxName is how long a name of the robot may be, in bytes.
const maxName = 40

func rename(q *turn) (string, values) {
	called := q.slot("called")
	for _, more := range []string{" if you", " from now", " from today", " as of now", " okay", " all right"} { // "… if you do not mind"
		called, _, _ = strings.Cut(called, more)
	}
	name := strings.TrimSpace(strings.Trim(q.asSaid(called), ".!?,\"'“”"))
	old := q.Name()
	switch {
	case name == "" || len(name) > maxName || len(strings.Fields(name)) > 3:
		return "bad", values{"old": old}
	case strings.EqualFold(name, old):
		return "same", values{"old": old}
	}
	if name == strings.ToLower(name) {
		name = upper(name)
	}
	if err := q.rename(name); err != nil {
		q.o.Failed(err)
		return "bad", values{"old": old}
	}
	return "", values{"old": old}
}

func myName(q *turn) (string, values) {
	if name := q.person(); name != "" {
		return "", values{"person": name}
	}
	return "unknown", values{}
}

// another gives one more of what was given last.
func another(q *turn) (string, values) {
	q.mu.Lock()
	k := q.o.Persona.byName[q.s.kind]
	q.mu.Unlock()
	if k == nil || !k.again {
		return "none", values{}
	}
	return "", values{"more": q.answer(k)}
}

func recall(q *turn) (string, values) {
	if q.o.Memory == nil {
		return "none", values{}
	}
	m, err := q.o.Memory.Of(q.r.Session)
	if err != nil || len(m.Facts) == 0 {
		return "none", values{}
	}
	var all []string
	for _, f := range m.Facts {
		all = append(all, toYou(f.Text))
	}
	const most = 8
	return "", values{"facts": strings.Join(all[max(0, len(all)-most):], "; ")}
}
