package smalltalk

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// notKnown says that it does not know, and suggests something that works. What people tell is met by its mood and its subject, and what
// they tell of themselves can be kept.
func notKnown(q *turn) (which string, v values) { return q.beside(q.r.Said()) }

// beyond is what is said to the part of a sentence behind a greeting that nobody understands; empty where a nod would do.
func (q *turn) beyond(u *language.Utterance) string {
	which, v := q.beside(u)
	if which == "" || which == "remark" || which == "told" {
		return ""
	}
	return strings.TrimSpace(q.say(q.o.Persona.byName[unknown], which, v))
}

// beside says which reply of the unknown fits a sentence.
func (q *turn) beside(u *language.Utterance) (which string, v values) {
	p := q.o.Persona
	all := p.tables["suggestions"]
	v = values{"suggestion": all[q.pick("suggestion", len(all))]}
	plain := p.matcher().plain(u.Raw)
	bare := untagged(plain)
	words := strings.Fields(bare)
	if len(words) == 0 {
		return "question", v
	}
	mood, fact := p.mood(words), told(u)
	exclaims := shows("exclaims", bare)
	statement := !shows("wants", bare) && (fact != "" || exclaims || remarks[words[0]] && !shows("indirect", bare) || states(u) || bare != plain)
	v["subject"], v["echo"] = p.subject(words), echo(u, statement)
	_, you := speaks(words)
	marked := bare == plain && (u.Question || strings.Contains(u.Text, "?"))
	asks := (marked || asking(words) || shows("indirect", bare)) && (!exclaims || strings.Contains(u.Text, "?"))
	switch {
	case asks && shows("advice", bare):
		return "advice", v
	case asks && you && !withMe(words):
		return "self", v
	case asks:
		return "question", v
	case mood != "" && (statement || tellers[words[0]]):
		return mood, v
	case fact != "":
		return "told", values{"suggestion": "remember that " + fact}
	case statement && v["subject"] != "" && !denies(words):
		return "subject", v
	case statement && len(words) > 1:
		which = "remark"
	}
	return which, v
}

// maxEcho is how many words of what somebody told are said again.
const maxEcho = 12

// echo is what somebody told, said again with a "so" before it; empty where it is no short statement.
func echo(u *language.Utterance, statement bool) string {
	text := strings.TrimRight(strings.TrimSpace(u.Text), " .!")
	words := strings.Fields(text)
	if !statement || len(words) < 3 || len(words) > maxEcho || strings.ContainsAny(text, ".,;:?!“”\"\n(") || !echoed[strings.ToLower(words[0])] {
		return ""
	}
	if _, you := speaks(strings.Fields(strings.ToLower(text))); you { // who is who would have to be turned round in the verbs, too
		return ""
	}
	if words[0] != "I" && !strings.HasPrefix(words[0], "I'") {
		text = strings.ToLower(text[:1]) + text[1:]
	}
	return "So " + memory.ToYou(text) + ". "
}

// withMe says that a sentence is also about who speaks: "have you seen my cup".
func withMe(words []string) bool {
	me, _ := speaks(words)
	return me
}

// signs tell what somebody wants: that the robot does something, a question in the form of a statement, advice that only people can
// give, or nothing ("what a match").
var signs = language.Patterns("talk-signs")

// shows says whether a text has a sign.
func shows(sign, text string) bool { return signs.Rule(sign).Find(template.Split(text)) != nil }

// around are forms that stand before or behind what is to be read alone.
var around = language.Patterns("talk-around")

// withoutEnd is a text without a form of that name at its end; the text itself where nothing else is left.
func withoutEnd(form, text string) string {
	if m := around.Rule(form).Find(template.Split(text)); m != nil && m.Before() != "" {
		return m.Before()
	}
	return text
}

// untagged is a statement without the tag behind it, which asks only for assent: "quiet here, isn't it".
func untagged(plain string) string { return withoutEnd("tag", plain) }

// subject is what is said to the subject that most words of a sentence are about; empty where it has none.
func (p *Persona) subject(words []string) string {
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = language.Stem(w)
	}
	best, about := 0, ""
	for _, t := range p.self().subjects {
		n := 0
		for _, w := range t.words {
			if slices.Contains(stems, w) {
				n++
			}
		}
		if n > best {
			best, about = n, t.about
		}
	}
	return about
}

// mood says whether what people tell is good or bad news, by the words of the table; empty where it is neither, or both.
func (p *Persona) mood(words []string) (mood string) {
	for _, line := range p.tables["moods"] {
		name, all, _ := strings.Cut(line, "=")
		listed := strings.Fields(all)
		if !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(listed, w) }) {
			continue
		}
		if mood != "" {
			return ""
		}
		mood = strings.TrimSpace(name)
	}
	if mood != "" && slices.ContainsFunc(words, func(w string) bool { return negatives[w] }) {
		if mood == "bad" {
			return ""
		}
		return "bad"
	}
	return mood
}

// states says whether a sentence has the form of a statement: "Peter is twelve".
func states(u *language.Utterance) bool {
	words := strings.Fields(strings.ToLower(u.Text))
	return !asking(words) && slices.ContainsFunc(words[min(1, len(words)):min(maxBefore+1, len(words))], func(w string) bool {
		return stateVerbs[w]
	})
}

// maxTold is how many words a statement has that may be worth keeping.
const maxTold = 10

// told is what people tell of themselves, as they said it; empty where they ask, or speak of something else.
func told(u *language.Utterance) string {
	text := strings.TrimRight(strings.TrimSpace(u.Text), " .!")
	words := strings.Fields(text)
	wants := slices.ContainsFunc(words, func(w string) bool { return wishes[strings.ToLower(w)] })
	if wants || u.Question || strings.ContainsAny(text, "?“”\"\n") || len(words) < 3 || len(words) > maxTold || !tellers[strings.ToLower(words[0])] {
		return ""
	}
	if words[0] != "I" && !strings.HasPrefix(words[0], "I'") {
		text = strings.ToLower(text[:1]) + text[1:]
	}
	return text
}
