package smalltalk

import (
	"regexp"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/perception/language"
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
	statement := !wants.MatchString(bare) && (fact != "" || exclaims(bare) || remarks[words[0]] && indirect.FindString(bare) == "" || states(u) || bare != plain)
	v["subject"], v["echo"] = p.subject(words), echo(u, statement)
	_, you := speaks(words)
	marked := bare == plain && (u.Question || strings.Contains(u.Text, "?"))
	asks := (marked || asking(words) || indirect.MatchString(bare)) && (!exclaims(bare) || strings.Contains(u.Text, "?"))
	switch {
	case asks && advice.MatchString(bare):
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

// echoed are words with which a statement begins that can be said again as it is.
var echoed = map[string]bool{
	"i": true, "i'm": true, "i've": true, "my": true, "we": true, "we're": true, "we've": true, "our": true, "the": true, "his": true, "her": true,
	"their": true,
}

// wants is how somebody wants something of the robot.
var wants = regexp.MustCompile(`\b(?:need|want|like|wish|expect) you to\b`)

// exclaims says that what begins like a question is none: "what a match".
func exclaims(plain string) bool {
	return strings.HasPrefix(plain, "what a ") || strings.HasPrefix(plain, "what an ") || strings.HasPrefix(plain, "such a ")
}

// withMe says that a sentence is also about who speaks: "have you seen my cup".
func withMe(words []string) bool {
	me, _ := speaks(words)
	return me
}

var (
	// tags are behind a statement, and ask only for assent: "quiet here, isn't it", as it is written without marks.
	tags = regexp.MustCompile(` (?:(?:is|are|was|were|do|does|did|has|have|can|could|will|would|should) not (?:it|they|he|she|you|we|i|that)|` +
		`(?:is|are|was|were|do|does|did|has|have|can|could|will|would) (?:it|they|he|she|we) not|is not it|isn't it|aren't they|innit|eh|huh|` +
		`am i right|you know|right|don't you think|do not you think)$`)
	// indirect are questions in the form of a statement.
	indirect = regexp.MustCompile(`\b(?:wonder|wondering|idea|know|clue|tell me|curious|forgot|forgotten|remind me)\b` +
		`.{0,12}\b(?:who|what|where|when|why|how|which|whether|if)\b|` +
		`^i (?:would like|want|need) to know\b`)
	// advice is what only people can decide.
	advice = regexp.MustCompile(`\b(?:should|shall|ought) (?:i|we|my|he|she|one)\b|\bdo i (?:need|have) to\b|` +
		`\bwhat (?:would|do) you (?:recommend|suggest|advise)\b|\bmay i\b|\bthink i should\b`)
)

// untagged is a statement without the tag behind it.
func untagged(plain string) string { return tags.ReplaceAllString(plain, "") }

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

// negatives are words that turn round what is said.
var negatives = map[string]bool{"not": true, "never": true, "no": true, "nobody": true, "nothing": true, "cannot": true, "hardly": true}

// states says whether a sentence has the form of a statement: "Peter is twelve".
func states(u *language.Utterance) bool {
	words := strings.Fields(strings.ToLower(u.Text))
	return !asking(words) && slices.ContainsFunc(words[min(1, len(words)):min(maxBefore+1, len(words))], func(w string) bool {
		return slices.Contains([]string{"is", "are", "was", "were", "has", "have", "had", "likes", "loves", "lives", "works", "wants", "goes"}, w)
	})
}

// maxTold is how many words a statement has that may be worth keeping.
const maxTold = 10

// told is what people tell of themselves, as they said it; empty where they ask, or speak of something else.
func told(u *language.Utterance) string {
	text := strings.TrimRight(strings.TrimSpace(u.Text), " .!")
	words := strings.Fields(text)
	wants := slices.ContainsFunc(words, func(w string) bool { return slices.Contains(wishes, strings.ToLower(w)) })
	if wants || u.Question || strings.ContainsAny(text, "?“”\"\n") || len(words) < 3 || len(words) > maxTold || !tellers[strings.ToLower(words[0])] {
		return ""
	}
	if words[0] != "I" && !strings.HasPrefix(words[0], "I'") {
		text = strings.ToLower(text[:1]) + text[1:]
	}
	return text
}

// wishes are words by which what begins like a statement asks for something.
var wishes = []string{"you", "your", "want", "would", "wish", "need"}

// remarks are words with which people begin to say something of the world.
var remarks = map[string]bool{
	"the": true, "this": true, "that": true, "these": true, "those": true, "it": true, "he": true, "she": true, "they": true, "there": true, "a": true,
	"an": true, "his": true, "her": true, "their": true, "some": true, "everybody": true, "nobody": true, "somebody": true, "i": true, "my": true,
}

// tellers are words with which people begin to tell of themselves.
var tellers = map[string]bool{"i": true, "i'm": true, "i've": true, "my": true, "our": true, "we": true}
