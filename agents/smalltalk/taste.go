package smalltalk

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/perception/language/template"
)

var _ = register(map[string]maker{
	"favourite": {[]string{"", "named"}, []string{"thing"}, favourite, nil},
	"likes":     {[]string{"", "named"}, []string{"thing"}, favourite, nil},
	"prefers":   {plainCase, []string{"one", "other"}, prefers, nil},
	"news":      {plainCase, []string{"suggestion"}, suggests, nil},
})

func init() { acceptors["prefers"] = acceptPair } //nolint:gochecknoinits // it reads the tables of makers

// maxTaste is how many words of what somebody asks the robot's taste of are said again.
const maxTaste = 4

// favourite says again what the robot is asked to like, where that is short.
func favourite(q *turn) (string, values) {
	if thing := q.slot("thing"); thing != "" && len(strings.Fields(thing)) <= maxTaste {
		return "named", values{"thing": memory.ToYou(thing)}
	}
	return "", values{}
}

// acceptPair takes two short things between which the robot is to choose for itself.
func acceptPair(_ *Persona, at *template.Match) any {
	var pair []string
	for _, slot := range []string{"one", "other"} {
		words := strings.Fields(at.Slot(slot))
		if len(words) > 1 && slices.Contains([]string{"person", "fan", "type", "lover", "more", "better"}, words[len(words)-1]) {
			words = words[:len(words)-1]
		}
		if len(words) == 0 || len(words) > maxTaste {
			return nil
		}
		pair = append(pair, memory.ToYou(strings.Join(words, " ")))
	}
	return pair
}

func prefers(q *turn) (string, values) {
	pair, _ := q.f.read.([]string)
	return "", values{"one": pair[0], "other": pair[1]}
}

func suggests(q *turn) (string, values) {
	all := q.o.Persona.tables["suggestions"]
	return "", values{"suggestion": all[q.pick("suggestion", len(all))]}
}
