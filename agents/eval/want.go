package eval

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/agents/llm"
)

// want is a Request.Want, read: ways to be right, each a list of calls.
type want [][]wantedCall

type wantedCall struct {
	tool  string
	rules []rule
}

// rule compares an argument: with = a number, true or false, or a text; with < and > a number; with ~ a piece of a text,
// whatever its letters' case.
type rule struct{ name, op, value string }

var ruleStart = regexp.MustCompile(`(^|\s)([a-z_]+)([=<>~])`)

// parseWant reads a Want.
func parseWant(text string) (want, error) {
	var w want
	if strings.TrimSpace(text) == "" {
		return w, nil
	}
	for way := range strings.SplitSeq(text, "|") {
		var calls []wantedCall
		if strings.TrimSpace(way) == "" { // to do nothing is right, too
			w = append(w, nil)
			continue
		}
		for part := range strings.SplitSeq(way, ";") {
			name, rest, _ := strings.Cut(strings.TrimSpace(part), " ")
			if name == "" {
				return nil, fmt.Errorf("%q names no tool", part)
			}
			c := wantedCall{tool: name}
			found := ruleStart.FindAllStringSubmatchIndex(rest, -1)
			if len(found) == 0 && rest != "" {
				return nil, fmt.Errorf("%q is no rule", rest)
			}
			for i, m := range found {
				end := len(rest)
				if i+1 < len(found) {
					end = found[i+1][0]
				}
				r := rule{rest[m[4]:m[5]], rest[m[6]:m[7]], strings.TrimSpace(rest[m[1]:end])}
				if r.value == "" {
					return nil, fmt.Errorf("%q compares with nothing", rest)
				}
				c.rules = append(c.rules, r)
			}
			calls = append(calls, c)
		}
		w = append(w, calls)
	}
	return w, nil
}

// verdict is how right the calls of a model are.
type verdict struct {
	tools bool // the right tools in the right order, no others
	args  bool // and the right arguments
}

// judge compares calls with what is wanted.
func (w want) judge(calls []llm.Call) verdict {
	if len(w) == 0 {
		return verdict{len(calls) == 0, len(calls) == 0}
	}
	var best verdict
	for _, way := range w {
		if len(way) != len(calls) {
			continue
		}
		v := verdict{true, true}
		for i, c := range way {
			v.tools = v.tools && c.tool == calls[i].Name
			v.args = v.args && v.tools && calls[i].Err == nil && c.fits(calls[i].Args)
		}
		best = verdict{best.tools || v.tools, best.args || v.args}
	}
	return best
}

// failure names the way in which calls are not what was wanted, without what was said.
func (w want) failure(calls []llm.Call, v verdict) string {
	if len(calls) > 0 && calls[len(calls)-1].Name == "" {
		return "the reply could not be read"
	}
	called := make([]string, 0, len(calls))
	for _, c := range calls {
		called = append(called, c.Name)
	}
	if len(w) == 0 {
		return "called " + strings.Join(called, ", ") + " for nothing"
	}
	wanted := make([]string, 0, len(w[0]))
	for _, c := range w[0] {
		wanted = append(wanted, c.tool)
	}
	switch {
	case v.tools:
		return "arguments of " + strings.Join(wanted, ", ")
	case len(calls) == 0:
		return "nothing in place of " + strings.Join(wanted, ", ")
	}
	return strings.Join(called, ", ") + " in place of " + strings.Join(wanted, ", ")
}

func (c *wantedCall) fits(args json.RawMessage) bool {
	var given map[string]any
	if json.Unmarshal(args, &given) != nil {
		return false
	}
	for _, r := range c.rules {
		if !r.holds(given[r.name]) {
			return false
		}
	}
	return true
}

func (r *rule) holds(v any) bool {
	switch v := v.(type) {
	case float64:
		n, err := strconv.ParseFloat(r.value, 64)
		if err != nil {
			return false
		}
		switch r.op {
		case "<":
			return v < n
		case ">":
			return v > n
		case "=":
			return math.Abs(v-n) < 1e-6
		}
	case bool:
		return r.op == "=" && strconv.FormatBool(v) == r.value
	case string:
		if r.op == "~" {
			return strings.Contains(strings.ToLower(v), strings.ToLower(r.value))
		}
		return r.op == "=" && v == r.value
	}
	return false
}
