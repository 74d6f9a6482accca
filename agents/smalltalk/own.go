package smalltalk

import (
	"slices"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

var _ = register(map[string]maker{
	"has":   {[]string{"", "yes", "no"}, []string{"about"}, has, nil},
	"able":  {[]string{"table-yes", "table-no", "yes", "no", "unknown"}, []string{"about", "what", "why"}, able, nil},
	"can":   {[]string{"table-yes", "table-no"}, []string{"about"}, able, nil},
	"limit": {[]string{"", "body", "pitch", "roll", "yaw"}, append([]string{"yes"}, reachSlots...), limit, readLimit},
})

func init() { //nolint:gochecknoinits // they read the tables of makers
	acceptors["has"], acceptors["able"], acceptors["can"] = acceptPart, acceptAbility, acceptAbility
}

// truth is a line of a table: words, whether it is so, and a sentence about it.
type truth struct {
	words []string // in the order of the file
	yes   bool
	about string
}

// truths reads the lines "words = yes|no sentence" of a table; sep separates words.
func truths(lines []string, sep string) []truth {
	all := make([]truth, 0, len(lines))
	for _, l := range lines {
		words, rest, _ := strings.Cut(l, "=")
		is, about, _ := strings.Cut(strings.TrimSpace(rest), " ")
		t := truth{yes: is == "yes", about: strings.TrimSpace(about)}
		for w := range strings.SplitSeq(words, sep) {
			if w = strings.TrimSpace(w); w != "" {
				t.words = append(t.words, w)
			}
		}
		all = append(all, t)
	}
	return all
}

// self is what the tables say of the robot itself.
type self struct {
	parts, abilities []truth
	subjects         []truth // whose words are stems
	limits           map[string][]string
}

func newSelf(p *Persona) func() *self {
	return sync.OnceValue(func() *self {
		o := &self{parts: truths(p.tables["parts"], " "), abilities: truths(p.tables["abilities"], "|"), limits: map[string][]string{}}
		for _, l := range p.tables["subjects"] {
			words, about, _ := strings.Cut(l, "=")
			t := truth{about: strings.TrimSpace(about)}
			for w := range strings.FieldsSeq(words) {
				t.words = append(t.words, language.Stem(w))
			}
			o.subjects = append(o.subjects, t)
		}
		for _, l := range p.tables["limits"] {
			name, words, _ := strings.Cut(l, "=")
			for w := range strings.SplitSeq(words, "|") {
				o.limits[strings.TrimSpace(name)] = append(o.limits[strings.TrimSpace(name)], strings.TrimSpace(w))
			}
		}
		return o
	})
}

// part is what the robot has, or has not, of a name.
func (o *self) part(name string) *truth {
	at := slices.IndexFunc(o.parts, func(t truth) bool { return slices.Contains(t.words, name) })
	if at < 0 {
		return nil
	}
	return &o.parts[at]
}

// acceptPart finds the part, or the two parts, that a sentence asks for.
func acceptPart(p *Persona, at *template.Match) any {
	o := p.self()
	for slot, part := range map[string]string{"see": "eyes", "hear": "microphones", "speak": "voice"} {
		if at.Slot(slot) != "" {
			return []*truth{o.part(part)}
		}
	}
	var all []*truth
	for _, slot := range []string{"thing", "other"} {
		if name := at.Slot(slot); name != "" {
			t := o.part(name)
			if t == nil {
				return nil
			}
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

func has(q *turn) (string, values) {
	all, _ := q.f.read.([]*truth)
	about := make([]string, 0, len(all))
	for _, t := range all {
		about = append(about, t.about)
	}
	which := "no"
	if all[0].yes {
		which = "yes"
	}
	if len(all) > 1 && all[0].yes != all[1].yes || q.slot("where") != "" || q.slot("see")+q.slot("hear")+q.slot("speak") != "" {
		which = ""
	}
	if which == "" && !all[0].yes && q.slot("where") != "" {
		which = "no"
	}
	return which, values{"about": strings.Join(about, " ")}
}

// maxMore is how many words more than those of the table an ability may have that the robot has: "sing in the rain" is another.
const maxMore = 0

// acceptAbility finds what the tables say of an ability: the longest words that a deed begins with. What they do not know, the
// planner may.
func acceptAbility(p *Persona, at *template.Match) any {
	how := at.Slot("how") // "how do you walk": where it does not, that is said
	what := strings.Fields(at.Slot("what") + how)
	if len(what) == 0 {
		return nil
	}
	x := p.matcher()
	text := strings.Join(what, " ") + " "
	var best *truth
	length := 0
	o := p.self()
	for i := range o.abilities {
		t := &o.abilities[i]
		for _, w := range t.words {
			if len(w) > length && strings.HasPrefix(text, w+" ") && (!t.yes || x.weight(text[len(w):]) <= maxMore) {
				best, length = t, len(w)
			}
		}
	}
	switch {
	case best != nil && how != "" && (best.yes || len(what) > 1):
		return nil
	case best != nil:
		return best
	}
	if at.Slot("asks") == "" {
		return nil // "could you tell me …" asks for no ability
	}
	return text
}

// able answers "are you able to …": by the table, and else what the planner can plan, the robot can.
func able(q *turn) (string, values) {
	if t, ok := q.f.read.(*truth); ok {
		if t.yes {
			return "table-yes", values{"about": t.about}
		}
		return "table-no", values{"about": t.about}
	}
	v := values{"what": memory.ToYou(q.slot("what"))}
	if q.o.Plan == nil {
		return "unknown", v
	}
	switch p := q.o.Plan(q.slot("what")); p.Outcome {
	case planner.OutcomePlan:
		return "yes", v
	case planner.OutcomeError, planner.OutcomeRefuse:
		v["why"] = p.Message
		return "no", v
	}
	return "unknown", v
}

// limitAsked is a question for how far a part goes: which axis, and the angle of "further than 50 degrees".
type limitAsked struct {
	axis  string
	angle float64
	yesNo bool
}

// axes are the directions of the head in the order in which they are looked for.
var axes = []string{"pitch", "roll", "yaw"}

// maxLimitWords is how long a question for a limit may be.
const maxLimitWords = 14

// readLimit reads "how far can you look down", "would your head go down 50 degrees".
func readLimit(t *Talk, u *language.Utterance, text string) any {
	limits := t.o.Persona.self().limits
	padded := strings.ReplaceAll(" "+language.InDigits(text)+" ", " up to ", " to ") // "up to how many degrees" names no direction
	words := strings.Fields(padded)
	says := func(of string) bool {
		return slices.ContainsFunc(limits[of], func(w string) bool { return strings.Contains(padded, " "+w+" ") })
	}
	if len(words) == 0 || len(words) > maxLimitWords || !says("about") || !says("moves") || says("never") || len(u.Clauses) > 2 {
		return nil
	}
	l := limitAsked{}
	for i := 1; i < len(words); i++ {
		if x, ok := parseNumber(words[i-1]); ok && (words[i] == "degrees" || words[i] == "degree") {
			l.angle, l.yesNo = x, true
		}
	}
	subject := len(words) > 1 && words[1] == "your" && slices.Contains([]string{"can", "could", "would", "will", "does", "do"}, words[0])
	further := strings.Contains(padded, " more than ") || strings.Contains(padded, " further than ") || strings.Contains(padded, " beyond ")
	switch {
	case l.yesNo && (subject || further):
	case says("asks"):
		l.yesNo = false
	default:
		return nil
	}
	switch {
	case says("antennas"):
		l.axis = "antennas"
	case says("body"):
		l.axis = "body"
	default:
		at := slices.IndexFunc(axes, says)
		if at < 0 {
			return nil
		}
		l.axis = axes[at]
	}
	return l
}

func limit(q *turn) (string, values) {
	l, _ := q.f.read.(limitAsked)
	v := ranges()
	of := map[string]string{"antennas": "antenna", "body": "body", "pitch": "up", "roll": "tilt", "yaw": "neck"}[l.axis]
	if most, ok := parseNumber(v[of]); ok && l.yesNo {
		v["yes"] = "No. "
		if l.angle <= most {
			v["yes"] = "Yes. "
		}
	}
	if l.axis == "antennas" {
		return "", v
	}
	return l.axis, v
}
