package smalltalk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

var _ = register(map[string]maker{
	"spell-name":   {[]string{"", "backwards"}, []string{"letters"}, spellName, nil},
	"old-name":     {[]string{"", "same"}, []string{"old"}, oldName, nil},
	"rhyme":        {[]string{"", "none"}, []string{"word", "rhymes"}, rhyme, nil},
	"knowledge":    {plainCase, []string{"answer"}, func(q *turn) (string, values) { return "", values{"answer": q.f.read.(string)} }, readKnowledge},
	"longer-word":  {[]string{"", "same"}, []string{"word", "letters", "other", "fewer"}, longerWord, nil},
	"introduce":    {[]string{"", "named"}, []string{"who"}, introduce, nil},
	"sums-game":    {plainCase, []string{"sum"}, startSums, nil},
	"reply-before": {[]string{"", "none"}, []string{"reply"}, replyBefore, nil},
	"why-said":     {[]string{"", "none"}, []string{"said"}, said, nil},
})

func init() { //nolint:gochecknoinits // they read the tables of makers
	acceptors["rhyme"], acceptors["longer-word"] = acceptWord, acceptWords
}

// spellName spells what the robot is called, from the front or from the back.
func spellName(q *turn) (string, values) {
	words := strings.Fields(q.Name())
	which := ""
	if q.slot("back") != "" {
		which = "backwards"
		slices.Reverse(words)
	}
	for i, w := range words {
		r := []rune(w)
		if which != "" {
			slices.Reverse(r)
		}
		words[i] = letters(string(r))
	}
	return which, values{"letters": strings.Join(words, "; ")}
}

// introduce greets who is named, where the word is written as a name.
func introduce(q *turn) (string, values) {
	who := q.asSaid(q.slot("who"))
	if who == "" || who != upper(who) {
		return "", values{}
	}
	return "named", values{"who": who}
}

// oldName takes back the name that people have given it.
func oldName(q *turn) (string, values) {
	v := values{"old": q.Name()}
	if q.Name() == q.o.Name {
		return "same", v
	}
	if err := q.rename(""); err != nil {
		q.o.Failed(err)
		return "same", v
	}
	return "", v
}

// maxRhymes is how many rhymes are named.
const maxRhymes = 3

// rhyme names words of the line of the table that a word is in.
func rhyme(q *turn) (string, values) {
	word := q.word()
	for _, line := range q.o.Persona.tables["rhymes"] {
		all := strings.Fields(line)
		at := slices.Index(all, word)
		if at < 0 {
			continue
		}
		all = slices.Delete(all, at, at+1)
		from := q.chance(len(all))
		all = append(all[from:], all[:from]...)
		return "", values{"word": word, "rhymes": verbalize.And(all[:min(len(all), maxRhymes)])}
	}
	return "none", values{"word": word}
}

// readKnowledge reads a question whose words stand in a line of the table: "capital of france | french capital = Paris.".
func readKnowledge(t *Talk, _ *language.Utterance, text string) any {
	x := t.o.Persona.matcher()
	for _, where := range []string{" in the world", " on earth", " of the world", " of all", " in the solar system", " of all time"} {
		text = strings.TrimSuffix(text, where)
	}
	padded := " " + text + " "
	best, answer := "", ""
	for _, line := range t.o.Persona.tables["knowledge"] {
		keys, reply, _ := strings.Cut(line, "=")
		for key := range strings.SplitSeq(keys, "|") {
			key = strings.TrimSpace(key)
			before, after, ok := strings.Cut(padded, " "+key+" ")
			if ok && len(key) > len(best) && x.weight(before) == 0 && x.weight(after) == 0 {
				best, answer = key, strings.TrimSpace(reply)
			}
		}
	}
	if best == "" {
		return nil
	}
	return answer
}

// acceptWords takes a comparison of words where both are words and no amounts.
func acceptWords(p *Persona, at *template.Match) any {
	for _, slot := range []string{"word", "other"} {
		if w := at.Slot(slot); len(w) < 2 || strings.ContainsAny(w, "0123456789") || slices.Contains(p.tables["no-words"], w) {
			return nil
		}
	}
	return at
}

func longerWord(q *turn) (string, values) {
	a, b := q.slot("word"), q.slot("other")
	if (len([]rune(a)) < len([]rune(b))) == (q.slot("which") == "longer" || q.slot("which") == "more") {
		a, b = b, a
	}
	v := values{"word": a, "other": b, "letters": count(len([]rune(a)), "letter", "letters"), "fewer": fmt.Sprint(len([]rune(b)))}
	if len([]rune(a)) == len([]rune(b)) {
		return "same", v
	}
	return "", v
}

// replyBefore is what the robot answered before its last answer.
func replyBefore(q *turn) (string, values) {
	if n := len(q.r.History); n > 1 && q.r.History[n-2].Reply != "" {
		return "", values{"reply": q.r.History[n-2].Reply}
	}
	return "none", values{}
}

// sumsGame asks sums until the person ends it.
type sumsGame struct{ a, b, right int }

func startSums(q *turn) (string, values) {
	g := &sumsGame{}
	q.begin(g)
	return "", values{"sum": g.ask(q)}
}

// ask chooses the next sum.
func (g *sumsGame) ask(q *turn) string {
	const most = 8
	g.a, g.b = 2+q.chance(most), 2+q.chance(most)
	return fmt.Sprintf("What is %d times %d?", g.a, g.b)
}

func (g *sumsGame) takes(t *Talk, text string) bool {
	_, ok := onlyNumber(text)
	return ok && !t.plans(text) && !asking(strings.Fields(text)) || gaveUp(text) || text == "i do not know"
}

func (g *sumsGame) turn(q *turn, text string) (string, bool) {
	n, ok := onlyNumber(text)
	last := fmt.Sprintf("%d times %d is %d.", g.a, g.b, g.a*g.b)
	switch {
	case !ok:
		return last + " " + g.ask(q), false
	case n != g.a*g.b:
		q.shows(false)
		return "Not quite: " + last + " " + g.ask(q), false
	}
	g.right++
	q.shows(true)
	return fmt.Sprintf("Right! That makes %s. %s", count(g.right, "right answer", "right answers"), g.ask(q)), false
}

// turned is a question with its verb where English has it, as those ask who have learned another language first: "what you can do",
// "you are happy?", "you like music?". It is text where it is none.
func turned(text string, question bool) string {
	words := strings.Fields(text)
	at := slices.Index(words, "you")
	if at < 0 || at+1 >= len(words) {
		return text
	}
	if at > 0 && (at > maxBefore || !askers[words[0]] || slices.ContainsFunc(words[1:at], func(w string) bool {
		return openings[w] || turnedRound[w]
	})) || at == 0 && !question {
		return text
	}
	verb := words[at+1]
	switch {
	case turnedRound[verb]:
		words[at], words[at+1] = verb, "you"
	case at == 0 || len(words) == at+2:
		words = slices.Insert(words, at, "do")
	}
	return strings.Join(words, " ")
}
