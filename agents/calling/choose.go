package calling

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// maxOffered is how many tools a small model is offered: more confuse it, and each costs some twenty tokens.
const maxOffered = 8

// The words that speak for a face, and what a sentence may be beside a request: see perception/language/en/calling.txt.
var (
	speaks = language.Patterns("calling")
	moods  = language.Patterns("calling-moods")
	joints = map[string]bool{"and": true, "then": true}
)

// mood is what a sentence wants.
type mood int

const (
	requests mood = iota // something is to be done or looked up
	asks                 // something is to be looked up; nothing is to be done
	talks                // neither
)

// clause is a part of a sentence.
type clause struct {
	text   string
	joined bool // by "and" or "then", not by a mark
	mood   mood
}

// parts are the texts of the clauses of a sentence.
func parts(text string) []string {
	all := clauses(text)
	out := make([]string, 0, len(all))
	for _, c := range all {
		out = append(out, c.text)
	}
	return out
}

// clauses cuts a sentence at its marks and where "and" and "then" join.
func clauses(text string) []clause {
	u := language.Analyse(text)
	var out []clause
	var words []string
	joined := false
	end := func(byWord bool) {
		if len(words) > 0 {
			out = append(out, clause{text: strings.Join(words, " "), joined: joined})
			joined = byWord
		}
		words = nil
	}
	for i := range u.Raw {
		t := &u.Raw[i]
		switch {
		case t.Kind == language.Quote:
			words = append(words, t.Word)
		case t.Kind == language.Mark && t.Word == "." && i+1 < len(u.Raw) && u.Raw[i+1].Start == t.End: // photo-1.jpg
			words = append(words, t.Word)
		case t.Kind == language.Mark && strings.Contains(",;:.!?", t.Word):
			end(false)
			if t.Word == "?" && len(out) > 0 {
				out[len(out)-1].text += " ?"
			}
		case t.Kind == language.Word && joints[t.Word]:
			end(true)
		case i > 0 && t.Start == u.Raw[i-1].Start: // the second word of "that's", of which the first stands for both
		default:
			words = append(words, text[t.Start:t.End])
		}
	}
	end(false)
	if len(out) == 0 {
		out = []clause{{text: text}}
	}
	for i := range out {
		c := &out[i]
		c.mood = moodOf(c.text)
		if c.joined && c.mood == asks && out[i-1].mood == requests { // "could you look up and nod?"
			c.mood = moodOf(strings.TrimSuffix(c.text, " ?"))
		}
	}
	return out
}

// moodOf says what a part of a sentence wants.
func moodOf(part string) mood {
	u := language.Analyse(part)
	said := template.Split(part)
	switch {
	case moods.Rule("told").Find(said) != nil, moods.Rule("supposed").Find(said) != nil:
		return talks
	case moods.Rule("known").Find(said) != nil:
		return asks
	case u.Question && moods.Rule("wanted").Find(said) == nil:
		return asks
	}
	return requests
}

// offered are the faces that a sentence speaks for, the surest first; none when it is neither a request nor a question that a
// tool answers. Tools without a face are offered when the sentence has a word of their names or descriptions.
func offered(text string, all []face) []face {
	type scored struct {
		f *face
		s float64
	}
	score := make([]scored, len(all))
	for i := range all {
		score[i].f = &all[i]
	}
	found := false
	guess := func(s float64, m mood) bool { return m == requests && s >= alike }
	before, last := requests, ""
	for _, c := range clauses(text) {
		p, m := c.text, c.mood
		if m == requests && last != "" && moods.Rule("points").Find(template.Split(p)) != nil { // "are you sad? show it!"
			p += " " + last
		}
		last = strings.TrimSuffix(c.text, " ?")
		if c.joined && before == talks { // "I turned left and got lost"
			m = talks
		}
		if before = m; m == talks {
			continue
		}
		said, words := counted(p), bag(p)
		best := similar(words, m)
		for i := range all {
			f := &all[i]
			if m == asks && !f.Asks {
				continue
			}
			s := f.fits(said, words)
			switch {
			case s > 0:
				s += best[f.Name]
			case guess(best[f.Name], m):
				s = best[f.Name] / 10 // it counts only where no word speaks for any tool
			}
			score[i].s += s
			found = found || s >= 1
		}
	}
	slices.SortStableFunc(score, func(a, b scored) int { return cmp.Compare(b.s, a.s) })
	var out []face
	for _, s := range score {
		if (s.s >= 1 || s.s > 0 && !found) && len(out) < maxOffered {
			out = append(out, *s.f)
		}
	}
	return out
}

// counted is a part of a sentence as the words that speak for a tool are looked for in it, with its numbers in digits.
func counted(part string) *template.Sentence { return template.Split(language.InDigits(part)) }

// alike is how much a sentence must have in common with an example whose tool is offered although no word speaks for it.
const alike = 0.55

// similar says for each face how alike the words are to the example of it that is most alike and wants the same.
func similar(words map[string]bool, m mood) map[string]float64 {
	c := examples()
	best := map[string]float64{}
	for i := range c.all {
		if c.all[i].mood != m {
			continue
		}
		s := c.like(words, c.all[i].words)
		for _, call := range c.all[i].calls {
			best[call.Name] = max(best[call.Name], s)
		}
	}
	return best
}

// fits says how much a part of a sentence speaks for the face; 0 for not at all.
func (f *face) fits(said *template.Sentence, words map[string]bool) float64 {
	if f.known {
		rule := speaks.Rule(f.Name)
		if rule.Find(said) == nil { // Count does not look at what speaks against it
			return 0
		}
		return float64(min(rule.Count(said), 2))
	}
	n := 0.0
	for w := range bag(strings.ReplaceAll(f.Name, "_", " ")) {
		if words[w] {
			n += 2
		}
	}
	for w := range bag(f.Does) {
		if words[w] && !stopwords()[w] {
			n++
		}
	}
	return n
}

var stopwords = sync.OnceValue(func() map[string]bool { return language.Words("stop-words") })

// catalogued are the robot's own tools.
func catalogued() []tool.Spec {
	out := make([]tool.Spec, 0, len(catalog.Tools))
	for _, name := range catalog.ToolNames() {
		out = append(out, tools.Spec(name))
	}
	return out
}

func cmpFloat(a, b float64) int { return cmp.Compare(a, b) }
