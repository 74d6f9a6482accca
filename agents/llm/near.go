package llm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/levenshtein"
)

// What a model writes is often near what it should have written: another spelling of a name, a list of one value, the value
// under the wrong key. It is put right once where only one thing can be meant, told as a Fix, and else refused.

// resembles reports whether a name is that of a tool, or near only one.
func resembles(tools []tool.Spec, name string) bool {
	_, _, ok := nearTool(tools, name)
	return ok
}

// nearTool finds the tool that a model means by a name. given are arguments that the name holds: "shake" is a gesture.
func nearTool(tools []tool.Spec, name string) (i int, given map[string]any, ok bool) {
	if i = slices.IndexFunc(tools, func(s tool.Spec) bool { return s.Name == name }); i >= 0 {
		return i, nil, true
	}
	said := spelled(name[strings.LastIndexAny(name, ".:/")+1:])
	if said == "" {
		return 0, nil, false
	}
	only := func(is func(s *tool.Spec) bool) bool {
		found := 0
		for k := range tools {
			if is(&tools[k]) {
				i, found = k, found+1
			}
		}
		return found == 1
	}
	if only(func(s *tool.Spec) bool { return spelled(s.Name) == said || slices.Contains(s.Also, said) }) {
		return i, nil, true
	}
	var key, value string
	if only(func(s *tool.Spec) bool {
		for _, name := range s.Parameters.Required {
			if v, is := choice(s.Parameters.Properties[name].Enum, said); is {
				key, value = name, v
				return true
			}
		}
		return false
	}) {
		return i, map[string]any{key: value}, true
	}
	const letters = 5 // shorter names are too much alike
	if len(said) >= letters && only(func(s *tool.Spec) bool { return levenshtein.Distance(spelled(s.Name), said, 2) <= 2 }) {
		return i, nil, true
	}
	return 0, nil, false
}

// choice is the one of several values that a text spells, or inflects: nodding is nod, "shake head" is shake.
func choice(values []string, text string) (string, bool) {
	said := spelled(text)
	for _, v := range values {
		if spelled(v) == said {
			return v, true
		}
	}
	found, n := "", 0
	first, _, _ := strings.Cut(said, "_")
	for _, v := range values {
		s := spelled(v)
		if said != "" && (language.Stem(s) == language.Stem(said) || language.Stem(s) == language.Stem(first)) ||
			len(said) >= 4 && levenshtein.Distance(s, said, 1) <= 1 {
			found, n = v, n+1
		}
	}
	return found, n == 1
}

// spelled is a name in small letters with _ between its words: "Turn Head", "turn-head" and "turnHead" are turn_head.
func spelled(name string) string {
	var b strings.Builder
	var before rune
	for _, r := range strings.TrimSpace(name) {
		switch {
		case unicode.IsUpper(r):
			if unicode.IsLower(before) {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(r))
		case r == ' ', r == '-':
			b.WriteByte('_')
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// reshape puts arguments into the shape of the schema: a value by itself becomes the one argument that must be given, and a
// value under a key that is unknown goes to the only one that misses it.
func (f *fitter) reshape(s *tool.Schema, raw json.RawMessage) json.RawMessage {
	if s.Type != "" && s.Type != tool.TypeObject {
		return raw
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return raw
	}
	before := len(f.fixes)
	if list, ok := v.([]any); ok && len(list) == 1 {
		if inner, ok := list[0].(map[string]any); ok {
			f.fix("arguments", v, inner, false)
			v = inner
		}
	}
	if text, ok := v.(string); ok && len(s.Required) == 1 && !strings.HasPrefix(strings.TrimSpace(text), "{") {
		f.fix(s.Required[0], v, v, false)
		return marshal(map[string]any{s.Required[0]: v})
	}
	o, ok := v.(map[string]any)
	if !ok {
		return raw
	}
	for _, key := range argsKeys { // {"arguments": {…}} once more
		inner, nested := o[key].(map[string]any)
		if _, known := s.Properties[key]; nested && !known && len(o) == 1 && !s.Open {
			f.fix("arguments", o, inner, false)
			o = inner
		}
	}
	f.rename(s, o)
	if len(f.fixes) == before {
		return raw
	}
	return marshal(o)
}

// rename moves the only value under an unknown key to the only argument that is missing.
func (f *fitter) rename(s *tool.Schema, o map[string]any) {
	if s.Open {
		return
	}
	var unknown, missing []string
	for key := range o {
		if _, known := s.Properties[key]; !known {
			unknown = append(unknown, key)
		}
	}
	for _, key := range s.Required {
		if _, given := o[key]; !given {
			missing = append(missing, key)
		}
	}
	if len(missing) == 0 && len(s.Required) == 0 && len(s.Properties) == 1 && len(o) == len(unknown) {
		for key := range s.Properties {
			missing = append(missing, key)
		}
	}
	if len(unknown) != 1 || len(missing) != 1 {
		return
	}
	from, to := unknown[0], missing[0]
	f.fix(to, map[string]any{from: o[from]}, o[from], false)
	o[to] = o[from]
	delete(o, from)
}
