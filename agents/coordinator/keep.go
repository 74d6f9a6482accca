package coordinator

import (
	"regexp"
	"strings"

	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/perception/language"
)

// What is to be remembered may be said by itself, behind the request for it or behind something else that was remembered: "and that Mila is
// allergic to strawberries", "oh, and nappies too". The words are in perception/language/en/recollect.txt.

var (
	keepsOn   = language.Reword("keeps-on")
	listsOn   = language.Reword("lists-on")
	keepUsual = language.Texts("keep-usual")
)

// keeps is what a sentence may want to be remembered that leans on the exchange before it; empty where it wants nothing.
func (c *Coordinator) keeps(session string, whole *understanding, sure bool) string {
	u := whole.u
	if c.o.Runtime == nil || u.TooLong {
		return ""
	}
	history := c.sessions.history(session)
	if text := c.ofList(session, u); text != "" && sure {
		return text
	}
	if u.Question {
		return ""
	}
	if len(history) == 0 {
		return ""
	}
	if !sure { // nobody understands it otherwise
		if fact := keptAnew(history, u); fact != "" {
			return strings.ReplaceAll(keepUsual["fact"], result, fact)
		}
	}
	last := history[len(history)-1]
	text := strings.TrimRight(u.Text, ".! ")
	switch {
	case asksName(last.Reply):
		if name := memory.NameAlone(u); name != "" {
			return strings.ReplaceAll(keepUsual["name"], result, name)
		}
	case last.Reply == RememberWhat && !language.BeginsAsOrder(u) && len(u.Tokens) >= leastKept:
		return strings.ReplaceAll(keepUsual["fact"], result, text)
	case strings.HasPrefix(last.Reply, keepUsual["kept"]):
		if more := keepsOn.Apply(text); more != text {
			return strings.ReplaceAll(keepUsual["fact"], result, more)
		}
	case !sure || showsMood(whole) && goesOnList.MatchString(text): // "oh, and bananas"
		if m := listReply.FindStringSubmatch(last.Reply); m != nil {
			more := listsOn.Apply(text)
			if more == text {
				return ""
			}
			for parts := strings.Split(more, ","); len(parts) > 1 && !listable(more); more = strings.Join(parts, ",") { // "and eggs, I nearly forgot them"
				parts = parts[:len(parts)-1]
			}
			if listable(more) {
				return strings.NewReplacer(result, more, "LIST", m[2]).Replace(keepUsual["item"])
			}
		}
	}
	return ""
}

// goesOnList begins what is one more for a list.
var goesOnList = regexp.MustCompile(`(?i)^(?:oh,? )?(?:and|also|plus)\b`)

// showsMood reports whether a sentence was read as nothing but an emotion.
func showsMood(r *understanding) bool {
	steps := r.reading.Plan.Steps
	return len(steps) == 1 && steps[0].Tool == "express_emotion"
}

// leastKept is of how many words what is to be remembered is; "never mind" is none.
const leastKept = 3

// asksName reports whether the robot said that it does not know the name of who speaks.
func asksName(reply string) bool {
	return strings.Contains(reply, keepUsual["name asked"]) || strings.Contains(reply, keepUsual["name unknown"])
}

// mostKept is how many exchanges back something was remembered of which a sentence may tell anew.
const mostKept = 3

// keptAnew is what a sentence tells anew of something that was remembered of late: "she rang, the vet's coming on Friday now, not Thursday".
func keptAnew(history []Exchange, u *language.Utterance) string {
	for i := len(history) - 1; i >= max(0, len(history)-mostKept); i-- {
		fact, ok := strings.CutPrefix(history[i].Reply, keepUsual["kept"]+": ")
		if !ok {
			continue
		}
		if memory.Moves(u) {
			if act, told := memory.Understand(language.Analyse(history[i].Text)); act == memory.Remember {
				fact = told
			}
			if moved := memory.Moved(u, strings.TrimRight(fact, ".")); moved != "" {
				return moved
			}
		}
		if !language.BeginsAsOrder(u) && memory.SameThing(u.Text, fact) && memory.Tells(u) {
			return strings.TrimRight(u.Text, ".! ")
		}
	}
	return ""
}
