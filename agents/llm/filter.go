package llm

import (
	"encoding/json"
	"strings"

	"github.com/reachyd/reachyd/agents/tool"
)

// filter looks at the text of a reply for what models put there that does not belong there: reasoning between <think>
// and </think> when the server does not know the model's tags, and tool calls written out as JSON. Text that begins
// like neither passes at once.
type filter struct {
	calls bool // there are tools, so text may be a call
	state filterState
	held  strings.Builder
}

type filterState int

const (
	atStart filterState = iota
	inThinking
	afterThinking
	inCall // everything from here on is held until the end
	passing
)

const (
	thinkBegin = "<think>"
	thinkEnd   = "</think>"
)

// callBegins are how a call that is written out begins.
var callBegins = []string{"{", "[{", "[ {", "```json", "<tool_call>"}

// add takes a piece of text and returns what is known of it now.
func (f *filter) add(piece string) []Delta {
	if piece == "" {
		return nil
	}
	if f.state == passing {
		return []Delta{{Text: piece}}
	}
	f.held.WriteString(piece)
	var out []Delta
	for {
		d, again := f.step()
		if d != (Delta{}) {
			out = append(out, d)
		}
		if !again {
			return out
		}
	}
}

// step looks at the held text once; again says that there is more to see.
func (f *filter) step() (d Delta, again bool) {
	held := f.held.String()
	switch f.state {
	case atStart, afterThinking:
		begin := strings.TrimLeft(held, " \t\r\n")
		if f.state == atStart && strings.HasPrefix(begin, thinkBegin) {
			f.keep(begin[len(thinkBegin):])
			f.state = inThinking
			return d, true
		}
		if f.calls && hasPrefixOf(begin, callBegins) {
			f.state = inCall
			return d, false
		}
		if (f.state == atStart && strings.HasPrefix(thinkBegin, begin)) || begin == "" || (f.calls && couldBegin(begin, callBegins)) {
			return d, false // too little to tell
		}
		if f.state == afterThinking {
			held = begin
		}
		f.keep("")
		f.state = passing
		return Delta{Text: held}, false
	case inThinking:
		if i := strings.Index(held, thinkEnd); i >= 0 {
			f.keep(held[i+len(thinkEnd):])
			f.state = afterThinking
			return Delta{Thinking: held[:i]}, true
		}
		cut := len(held) - overlap(held, thinkEnd)
		f.keep(held[cut:])
		return Delta{Thinking: held[:cut]}, false
	}
	return d, false
}

func (f *filter) keep(rest string) {
	f.held.Reset()
	f.held.WriteString(rest)
}

// end returns what was held: the calls if that is what it is and calls are wanted, else text or thinking.
func (f *filter) end(tools []tool.Spec, wanted bool) ([]Delta, []Call) {
	held := f.held.String()
	f.keep("")
	switch {
	case held == "":
		return nil, nil
	case f.state == inThinking:
		return []Delta{{Thinking: held}}, nil
	case f.state == inCall && wanted:
		if calls := writtenCalls(held, tools); calls != nil {
			return nil, calls
		}
	case strings.TrimSpace(held) == "":
		return nil, nil
	}
	return []Delta{{Text: held}}, nil
}

// writtenCalls reads calls that a model wrote into its text: one JSON object with a known tool's name, several, or an
// array of them, between marks or not. Anything else is nil: it may be what the user wanted to read.
func writtenCalls(text string, tools []tool.Spec) []Call {
	text = strings.NewReplacer("<tool_call>", " ", "</tool_call>", " ", "```json", " ", "```", " ").Replace(text)
	type written struct {
		Name       string          `json:"name"`
		Arguments  json.RawMessage `json:"arguments"`
		Parameters json.RawMessage `json:"parameters"`
	}
	var all []written
	dec := json.NewDecoder(strings.NewReader(text))
	for dec.More() {
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return nil
		}
		var several []written
		if raw[0] != '[' {
			several = make([]written, 1)
			if json.Unmarshal(raw, &several[0]) != nil {
				return nil
			}
		} else if json.Unmarshal(raw, &several) != nil {
			return nil
		}
		all = append(all, several...)
	}
	var calls []Call
	for _, w := range all {
		known := false
		for i := range tools {
			known = known || tools[i].Name == w.Name
		}
		if !known {
			return nil
		}
		if w.Arguments == nil {
			w.Arguments = w.Parameters
		}
		var c wireCall
		c.Function.Arguments = w.Arguments
		calls = append(calls, CheckCall(tools, w.Name, c.arguments()))
	}
	return calls
}

// hasPrefixOf reports whether s begins with one of the prefixes.
func hasPrefixOf(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// couldBegin reports whether s may become one that begins with one of the prefixes.
func couldBegin(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(p, s) {
			return true
		}
	}
	return false
}

// overlap is how many bytes at the end of s may be the beginning of mark.
func overlap(s, mark string) int {
	for n := min(len(s), len(mark)-1); n > 0; n-- {
		if strings.HasSuffix(s, mark[:n]) {
			return n
		}
	}
	return 0
}
