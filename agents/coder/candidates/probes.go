package candidates

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/coder/mend"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

const maxProbes = 10

// Probes are inputs of which nobody says what must come out: candidates that understood the task alike answer them alike. They are made
// of the types and names of the parameters and of what the text names.
func Probes(text string, f *mend.Function) []tester.Case {
	ps, _ := Parameters(f.Signature)
	if len(ps) == 0 {
		return []tester.Case{{Name: "probe 1", Input: json.RawMessage("{}"), NoCrash: true}}
	}
	values := make([][]string, len(ps))
	most := 0
	for i, p := range ps {
		if values[i] = valuesOf(text, p); len(values[i]) == 0 {
			return nil
		}
		most = max(most, len(values[i]))
	}
	var out []tester.Case
	for i := range min(most, maxProbes) {
		all := map[string]json.RawMessage{}
		for k, p := range ps {
			all[p.Name] = json.RawMessage(values[k][(i+k*(i/2))%len(values[k])])
		}
		out = append(out, tester.Case{Name: fmt.Sprintf("probe %d", i+1), Input: object(all), NoCrash: true})
	}
	return out
}

var numberIn = regexp.MustCompile(`(?:^|[\s(])([-−]?\d{1,6})(?:$|[^\w.]|\.\s)`)

// valuesOf are what a parameter is tried with, those first that have to do with what is asked for.
func valuesOf(text string, p Parameter) (out []string) {
	about := strings.ToLower(text)
	add := func(v string) {
		if fits(json.RawMessage(v), p.Type) && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for _, kind := range forms {
		for _, v := range words[kind] {
			if strings.Contains(p.Name, kind) || strings.HasPrefix(v, `"`) && strings.Contains(about, kind) {
				add(v)
			}
		}
	}
	general := words[p.Type]
	for _, v := range general[:min(len(general), 3)] {
		add(v)
	}
	if p.Type == "int" || p.Type == "float" {
		for _, m := range numberIn.FindAllStringSubmatch(text, 4) {
			var n float64
			if json.Unmarshal([]byte(strings.Replace(m[1], "−", "-", 1)), &n) == nil {
				add(fmt.Sprint(n))
				add(fmt.Sprint(n + 1))
			}
		}
	}
	for _, v := range general {
		add(v)
	}
	return out
}

// forms are the kinds of values that go by a name or a word, not by a type.
var forms = []string{
	"year", "month", "day", "hour", "minute", "second", "angle", "degrees", "hh:mm", "yyyy-mm-dd", "email", "date", "time", "bracket", "comma",
}
