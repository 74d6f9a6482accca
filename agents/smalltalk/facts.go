package smalltalk

import (
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/perception/language/levenshtein"
	"github.com/reachyd/reachyd/perception/language/template"
)

var _ = register(map[string]maker{
	"opposite":       {plainCase, []string{"thing", "other"}, looked, nil},
	"mix":            {plainCase, []string{"one", "two", "other"}, looked, nil},
	"follows":        {plainCase, []string{"other"}, looked, nil},
	"pose-now":       {[]string{"", "unknown"}, []string{"state"}, poseNow, nil},
	"which-spelling": {plainCase, []string{"right", "letters"}, looked, nil},
	"knock":          {plainCase, nil, func(q *turn) (string, values) { return q.begin(&knockKnock{}) }, nil},
})

func init() { //nolint:gochecknoinits // they read the tables of makers
	acceptors["opposite"], acceptors["mix"], acceptors["follows"] = acceptOpposite, acceptMixture, acceptNext
	acceptors["which-spelling"] = acceptSpelling
	for _, k := range []string{"spell", "length", "backwards"} {
		acceptors[k] = acceptWord
	}
}

// looked is what an acceptor has looked up: the slots of the reply.
func looked(q *turn) (string, values) {
	v, _ := q.f.read.(values)
	filled := values{}
	for k, text := range v {
		filled[k] = text
	}
	return "", filled
}

// acceptOpposite looks a word up, from the left and, where no line has it there, from the right.
func acceptOpposite(p *Persona, at *template.Match) any {
	thing, reverse := at.Slot("thing"), ""
	for _, l := range p.tables["opposites"] {
		a, b, _ := strings.Cut(l, "=")
		switch a, b = strings.TrimSpace(a), strings.TrimSpace(b); thing {
		case a:
			return values{"thing": thing, "other": b}
		case b:
			if reverse == "" {
				reverse = a
			}
		}
	}
	if reverse == "" {
		return nil
	}
	return values{"thing": thing, "other": reverse}
}

func acceptMixture(p *Persona, at *template.Match) any {
	pair := []string{at.Slot("one"), at.Slot("two")}
	slices.Sort(pair)
	for _, l := range p.tables["mixtures"] {
		if of, mixed, _ := strings.Cut(l, "="); strings.Join(pair, " ") == strings.TrimSpace(of) {
			return values{"one": at.Slot("one"), "two": at.Slot("two"), "other": strings.TrimSpace(mixed)}
		}
	}
	return nil
}

// maxMisspelt is how many letters a misspelt word may differ by from the right one.
const maxMisspelt = 3

// acceptSpelling takes two words of which one is hard to write and the other is like it.
func acceptSpelling(p *Persona, at *template.Match) any {
	pair := []string{at.Slot("one"), at.Slot("two")}
	for i, right := range pair {
		other := pair[1-i]
		if d := levenshtein.Distance(right, other, maxMisspelt); d > 0 && d <= maxMisspelt && p.hard(right) && !p.hard(other) {
			return values{"right": right, "letters": strings.Join(strings.Split(strings.ToUpper(right), ""), ", ")}
		}
	}
	return nil
}

// hard says whether a word is one that people are unsure how to write.
func (p *Persona) hard(word string) bool {
	return slices.ContainsFunc(p.tables["hard-words"], func(line string) bool { return slices.Contains(strings.Fields(line), word) })
}

// acceptNext finds what comes after or before a month, a weekday or a letter.
func acceptNext(_ *Persona, at *template.Match) any {
	thing, step := at.Slot("thing"), 1
	if at.Slot("way") == "before" {
		step = -1
	}
	if at.Slot("way") == "follows" && strings.HasPrefix(at.Text(), "who") {
		return nil
	}
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(m.String(), thing) {
			return values{"other": time.Month((int(m)-1+step+12)%12 + 1).String()}
		}
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(d.String(), thing) {
			return values{"other": time.Weekday((int(d) + step + 7) % 7).String()}
		}
	}
	if len(thing) == 1 && strings.Contains(at.Text(), "letter") {
		if next := thing[0] + byte(step); next >= 'a' && next <= 'z' {
			return values{"other": strings.ToUpper(string(next))}
		}
	}
	return nil
}

// acceptWord takes a question about a word only where a word is named: "spell it for me" names none.
func acceptWord(p *Persona, at *template.Match) any {
	w := at.Slot("word")
	if len(w) < 2 || strings.ContainsAny(w, "0123456789") || slices.Contains(p.tables["no-words"], w) {
		return nil
	}
	return w
}

// poseNow tells how the robot stands, as its body reports it.
func poseNow(q *turn) (string, values) {
	if q.r.Call == nil {
		return "unknown", values{}
	}
	res := q.r.Call(q.ctx, "get_robot_state", []byte("{}"))
	if !res.OK() || res.Message == "" {
		return "unknown", values{}
	}
	return "", values{"state": res.Message}
}

// knockKnock is the joke of that name, in which the person is at the door.
type knockKnock struct{ name string }

// maxCaller is how many words somebody at the door has for a name.
const maxCaller = 4

func (g *knockKnock) takes(_ *Talk, text string) bool {
	return g.name != "" || len(strings.Fields(text)) <= maxCaller
}

func (g *knockKnock) turn(q *turn, _ string) (reply string, over bool) {
	if g.name == "" {
		g.name = strings.Trim(q.r.Text, " .!?,")
		return upper(g.name) + " who?", false
	}
	return [...]string{"Ha ha! That one I did not see coming.", "Very good! I will tell it to my antennas."}[q.chance(2)], true
}
