package coordinator

import (
	"regexp"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/perception/language"
)

// A list that was spoken of is gone on with: "so what do we still need?", "Jonas already got milk, take that off again". The words are in
// perception/language/en/recollect.txt.

var (
	listsFollow = language.Reword("lists-follow")
	listsMore   = language.Reword("lists-more")
	listsLack   = language.Reword("lists-lack")

	// listReply finds the list of which the robot spoke, and what it put on it.
	listReply = regexp.MustCompile(`^(?:I put (.+?) on|I took (?:.+?) off|On|There is nothing on|There is a .+ already. On|.+ is not on) the ((?:[a-z]+ )?list)\b`)
	itemFor   = regexp.MustCompile(` (?:for|from|with) .*$`) // "butter for Saturday"
	listParts = regexp.MustCompile(`, | and `)
)

// mostListed is how many exchanges back a list was spoken of.
const mostListed = 4

// ofList is what a sentence wants of a list of which was spoken of late, in the usual words; empty where it wants nothing.
func (c *Coordinator) ofList(session string, u *language.Utterance) string {
	l, named := memory.ListOf(u)
	if named && !l.Points() {
		return ""
	}
	text := strings.TrimSpace(u.Text)
	if named && l.Op == memory.ListAdd {
		if what := listsLack.Apply(text); what != text {
			return strings.NewReplacer(result, what, "LIST", l.Name).Replace(keepUsual["item"])
		}
		return ""
	}
	name, last := listTalk(c.sessions.history(session))
	if name == "" {
		return ""
	}
	if more := c.onList(session, text); !named && more != "" {
		return strings.ReplaceAll(more, "LIST", name)
	}
	asked := listsFollow.Apply(text)
	switch {
	case named && l.Op == memory.ListDrop:
		name, asked = l.Name, strings.NewReplacer(result, "it", "LIST", "LIST").Replace(keepUsual["off"])
	case asked == text:
		return ""
	}
	words := strings.Fields(asked)
	if len(words) < 2 || words[0] != "take" {
		return strings.ReplaceAll(asked, "LIST", name)
	}
	things := c.o.Runtime.Listed(session, name)
	what := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(asked, "take "), " off the LIST"), " one")
	if only := (memory.List{Items: []string{what}}); only.Points() {
		what = strings.Join(pointedAt(u, things, last), " and ")
	} else if !slices.ContainsFunc(things, func(t string) bool { return memory.SameItem(what, t) }) { // "take off your hat"
		return ""
	}
	if what == "" {
		return ""
	}
	return strings.NewReplacer(result, what, "LIST", name).Replace(keepUsual["off"])
}

// onList is what a sentence wants to be put on the list of which the robot spoke just now: "add tents"; empty where it wants nothing.
func (c *Coordinator) onList(session, text string) string {
	history := c.sessions.history(session)
	more := listsMore.Apply(text)
	late := history[max(0, len(history)-2):]
	if more == text || !slices.ContainsFunc(late, func(e Exchange) bool { return listReply.MatchString(e.Reply) }) ||
		!listable(strings.TrimSuffix(strings.TrimPrefix(more, "put "), " on the LIST")) {
		return ""
	}
	return more
}

// listable reports whether a text names things that may stand on a list.
func listable(text string) bool {
	if language.BeginsAsOrder(language.Analyse(text)) {
		return false
	}
	l, ok := memory.ListOf(language.Analyse(strings.NewReplacer(result, text, "LIST", "list").Replace(keepUsual["item"])))
	return ok && l.Named()
}

// listTalk is the list that was spoken of of late, and what was put on it last.
func listTalk(history []Exchange) (name string, last []string) {
	for i := len(history) - 1; i >= max(0, len(history)-mostListed); i-- {
		m := listReply.FindStringSubmatch(history[i].Reply)
		if m == nil {
			continue
		}
		if m[1] != "" {
			last = listParts.Split(m[1], -1)
		}
		return m[2], last
	}
	return "", nil
}

// pointedAt are the things of a list that a sentence means by "it" or "them": those that it names elsewhere, or where it says nothing else those
// that were put on it last.
func pointedAt(u *language.Utterance, things, last []string) (all []string) {
	for _, t := range things {
		if memory.SameItem(t, u.Text) || memory.SameItem(itemFor.ReplaceAllString(t, ""), u.Text) {
			all = append(all, t)
		}
	}
	if len(all) == 0 && len(u.Clauses) == 1 {
		return last
	}
	return all
}
