package llm

import (
	"strings"

	"github.com/reachyd/reachyd/agents/tool"
)

// filter looks at the text of a reply for what models put there that does not belong there: reasoning between <think>
// and </think> when the server does not know the model's tags, and tool calls written out as JSON. Text that begins
// like neither passes at once.
type filter struct {
	calls  bool     // there are tools, so text may be a call
	begins []string // how a call begins, beside callBegins and callMarks
	state  filterState
	held   strings.Builder
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

// callBegins are how a call that is written out begins at the beginning of a reply, callMarks also behind other words.
var (
	callBegins = []string{"{", "[{", "[ {", "[\n"}
	callMarks  = []string{"```", "<tool_call>", "<function", "<|python_tag|>", "[TOOL_CALLS]", "<functioncall>"}
)

// expect lets the filter look for calls of these tools.
func (f *filter) expect(tools []tool.Spec) {
	f.calls = len(tools) > 0
	if !f.calls {
		return
	}
	for i := range tools {
		for _, name := range append([]string{tools[i].Name}, tools[i].Also...) {
			f.begins = append(f.begins, name+"(", "["+name+"(")
		}
	}
}

// add takes a piece of text and returns what is known of it now.
func (f *filter) add(piece string) []Delta {
	if piece == "" {
		return nil
	}
	if f.state == passing && !f.calls {
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
		if f.calls && f.begin(begin, strings.HasPrefix) {
			f.state = inCall
			return d, false
		}
		if (f.state == atStart && strings.HasPrefix(thinkBegin, begin)) || begin == "" ||
			(f.calls && f.begin(begin, func(s, prefix string) bool { return strings.HasPrefix(prefix, s) })) {
			return d, false // too little to tell
		}
		if f.state == afterThinking {
			held = begin
		}
		f.keep(held)
		f.state = passing
		return d, true
	case passing:
		return f.pass(held), false
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

// pass lets text through until a mark of a call, from which on everything is held.
func (f *filter) pass(held string) Delta {
	cut := len(held)
	if f.calls {
		for _, mark := range callMarks {
			if i := strings.Index(held, mark); i >= 0 && i < cut {
				cut, f.state = i, inCall
			}
		}
		if f.state == passing {
			for _, mark := range callMarks {
				cut = min(cut, len(held)-overlap(held, mark))
			}
		}
	}
	f.keep(held[cut:])
	return Delta{Text: held[:cut]}
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
		if calls := WrittenCalls(held, tools); calls != nil {
			return nil, calls
		}
	case strings.TrimSpace(held) == "":
		return nil, nil
	}
	return []Delta{{Text: held}}, nil
}

// begin reports whether is holds of a text and one of the beginnings of calls.
func (f *filter) begin(text string, is func(text, begin string) bool) bool {
	for _, list := range [...][]string{callBegins, callMarks, f.begins} {
		for _, b := range list {
			if is(text, b) {
				return true
			}
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
