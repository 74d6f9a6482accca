package calling

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// What a sentence says decides over what a model writes: a number that nobody said is left out, one that was said is taken, and
// a choice that stands in the sentence by its name is the one that is meant.

// backward are words that lean on what was said before.
var backward = sync.OnceValue(func() map[string]bool { return language.Words("calling-back") })

// refersBack reports whether a sentence leans on the one before.
func refersBack(text string) bool {
	return slices.ContainsFunc(language.SplitWords(text), func(w string) bool { return backward()[w] })
}

// Words of talk that lean on a conversation: see perception/language/en/calling.txt.
var (
	talkBack = sync.OnceValue(func() map[string]bool { return language.Words("calling-talk") })
	talkOn   = sync.OnceValue(func() map[string]bool { return language.Words("calling-on") })
)

// shortTalk is how many words may be too few to say what they are about.
const shortTalk = 3

// Leans reports whether what people say in a conversation may be about what was said before, so that who answers must know that.
func Leans(text string) bool {
	words := language.SplitWords(strings.ToLower(text))
	return len(words) <= shortTalk || talkOn()[words[0]] || refersBack(text) ||
		slices.ContainsFunc(words, func(w string) bool { return talkBack()[w] })
}

// allowed is how many calls a sentence can ask for: one for each of its parts.
func allowed(text string) int {
	asked := slices.DeleteFunc(parts(text), func(p string) bool { return moods.Rule("polite").Find(template.Split(p)) != nil })
	return min(max(len(asked), 1), maxCalls)
}

// denying are words with which a part of a sentence may ask for nothing: see perception/language/en/remarks.txt.
var denying = sync.OnceValue(func() map[string]bool { return language.Words("denies") })

// forgotten adds what parts of a sentence ask for by their words alone where the model wrote calls for its other parts only: small
// models stop after the first. Only a part for which one face stands, and in which all that it needs is said, is taken so.
func forgotten(text string, calls []llm.Call, all []face) []llm.Call {
	said := clauses(text)
	if len(calls) == 0 || len(calls) >= len(said) {
		return calls
	}
	var out []llm.Call
	rest := slices.Clone(calls)
	for _, c := range said {
		fitting := fits(c, all)
		if k := slices.IndexFunc(rest, func(call llm.Call) bool {
			return slices.ContainsFunc(fitting, func(f *face) bool { return f.Name == call.Name })
		}); k >= 0 {
			out, rest = append(out, rest[:k+1]...), rest[k+1:]
			continue
		}
		if len(fitting) != 1 || !c.joined || slices.ContainsFunc(language.SplitWords(c.text), func(w string) bool { return denying()[w] }) {
			continue
		}
		if call, ok := fitting[0].spelt(c.text); ok {
			out = append(out, call)
		}
	}
	return append(out, rest...)
}

// fits are the faces that a part of a sentence speaks for when it is a request.
func fits(part clause, all []face) (out []*face) {
	if part.mood != requests {
		return nil
	}
	said, words := counted(part.text), bag(part.text)
	for i := range all {
		if all[i].known && all[i].fits(said, words) > 0 {
			out = append(out, &all[i])
		}
	}
	return out
}

// spelt is the call of a face of which a part of a sentence says all that is needed.
func (f *face) spelt(part string) (llm.Call, bool) {
	args := map[string]any{}
	if f.Thing != "" {
		return llm.Call{}, false
	}
	for _, name := range f.spec.Parameters.Required {
		p := f.spec.Parameters.Properties[name]
		values := f.literal(part, p.Enum)
		if len(values) != 1 {
			return llm.Call{}, false
		}
		args[name] = values[0]
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return llm.Call{}, false
	}
	c := llm.CheckCall(specsOf(f), f.Name, raw)
	c.Fixes = append(c.Fixes, llm.Fix{Field: "call", Given: "nothing", Used: f.Name})
	return c, c.Err == nil
}

// settle puts calls of faces right by the sentence and makes them calls of tools. Calls that were made before, or stand there
// twice, are left out.
func settle(text string, calls []llm.Call, all []face, before []llm.Call) []llm.Call {
	var out []llm.Call
	seen := map[string]bool{}
	for _, c := range before {
		seen[key(c)] = true
	}
	calls = forgotten(text, inOrder(text, invented(text, redirected(calls, all), all), all), all)
	once := !strings.Contains(strings.ToLower(text), "twice") && !slices.Contains(language.SplitWords(text), "times")
	for i := range calls {
		k := slices.IndexFunc(all, func(f face) bool { return f.Name == calls[i].Name })
		if k < 0 {
			continue
		}
		f := &all[k]
		c := calls[i]
		if c.Err == nil {
			c = f.ground(text, c, calls)
		}
		c = f.translate(c)
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d", i+1)
		}
		if id := key(c); !seen[id] || !once {
			seen[id] = true
			out = append(out, c)
		}
		if len(out) == maxCalls {
			break
		}
	}
	return out
}

// redirected makes a call whose argument is a choice of another face that one's: "up" is nothing to look at, but a direction.
func redirected(calls []llm.Call, all []face) []llm.Call {
	out := slices.Clone(calls)
	for i := range out {
		for _, r := range faces().Instead {
			to := slices.IndexFunc(all, func(f face) bool { return f.Name == r.To })
			var args map[string]any
			if to < 0 || out[i].Name != r.Face || json.Unmarshal(out[i].Args, &args) != nil {
				continue
			}
			word, _ := args[r.Argument].(string)
			f := &all[to]
			word = strings.ToLower(word)
			p := f.spec.Parameters.Properties[r.As]
			if named := f.literal(word, p.Enum); len(named) == 1 && len(language.SplitWords(word)) <= 2 {
				raw, err := json.Marshal(map[string]string{r.As: named[0]})
				if err != nil {
					continue
				}
				c := llm.CheckCall(specsOf(f), f.Name, raw)
				c.ID, c.Fixes = out[i].ID, append(out[i].Fixes, llm.Fix{Field: "call", Given: r.Face, Used: r.To})
				out[i] = c
			}
		}
	}
	return out
}

// invented leaves out calls about a thing of which the sentence has no word, where others remain.
func invented(text string, calls []llm.Call, all []face) []llm.Call {
	said := bag(text)
	out := slices.DeleteFunc(slices.Clone(calls), func(c llm.Call) bool {
		k := slices.IndexFunc(all, func(f face) bool { return f.Name == c.Name })
		var args map[string]any
		if k < 0 || json.Unmarshal(c.Args, &args) != nil {
			return false
		}
		thing, given := args[all[k].Thing].(string)
		return given && thing != anybody && !slices.ContainsFunc(language.SplitWords(thing), func(w string) bool { return said[language.Stem(w)] })
	})
	if len(out) == 0 {
		return calls
	}
	return out
}

// turned are words after which the first part of a sentence is not what comes first.
var turned = sync.OnceValue(func() map[string]bool { return language.Words("calling-turned") })

// inOrder sorts calls as the parts of the sentence stand that speak for them, where each part speaks for one of them.
func inOrder(text string, calls []llm.Call, all []face) []llm.Call {
	if slices.ContainsFunc(language.SplitWords(text), func(w string) bool { return turned()[w] }) {
		return calls
	}
	place := map[string]int{}
	for i, part := range clauses(text) {
		for _, f := range fits(part, all) {
			if _, twice := place[f.Name]; twice || slices.Contains(slices.Collect(maps.Values(place)), i) {
				return calls
			}
			place[f.Name] = i
		}
	}
	if slices.ContainsFunc(calls, func(c llm.Call) bool { _, ok := place[c.Name]; return !ok }) {
		return calls
	}
	out := slices.Clone(calls)
	slices.SortStableFunc(out, func(a, b llm.Call) int { return place[a.Name] - place[b.Name] })
	return out
}

// anybody is the thing that a person is, in whatever word.
const anybody = "person"

func key(c llm.Call) string { return c.Name + string(c.Args) }

// ground puts the arguments of one call right.
func (f *face) ground(text string, c llm.Call, calls []llm.Call) llm.Call {
	var args map[string]any
	if json.Unmarshal(c.Args, &args) != nil {
		return c
	}
	part := text
	if len(calls) > 1 {
		part = f.part(text)
	}
	said := amountsIn(part)
	g := grounding{args: args}
	for _, a := range f.Arguments {
		p, known := f.spec.Parameters.Properties[a.Name]
		if !known {
			continue
		}
		required := slices.Contains(f.spec.Parameters.Required, a.Name)
		switch {
		case a.Name == "degrees":
			g.number(a.Name, said.angles, required, alone(calls, f.Name))
		case a.Name == "seconds":
			g.number(a.Name, said.times, required, alone(calls, f.Name))
		case a.Name == "level" && len(said.plain) == 1:
			g.number(a.Name, []float64{share(said.plain[0])}, required, true)
		case len(p.Enum) > 0:
			g.choice(a.Name, f.literal(part, p.Enum), taken(calls, &c, a.Name), required)
		}
	}
	if len(g.fixes) == 0 {
		return c
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return c
	}
	checked := llm.CheckCall(specsOf(f), f.Name, raw)
	checked.ID, checked.Fixes = c.ID, append(append(c.Fixes, g.fixes...), checked.Fixes...)
	return checked
}

// share is a level in per cent: a quarter is 25.
func share(level float64) float64 {
	if level > 0 && level < 1 {
		return 100 * level
	}
	return level
}

// part is the part of a sentence that speaks for the face, or all of it where it is not only one.
func (f *face) part(text string) string {
	found, n := text, 0
	for _, p := range parts(text) {
		if f.fits(counted(p), bag(p)) > 0 {
			found, n = p, n+1
		}
	}
	if n != 1 {
		return text
	}
	return found
}

// alone reports whether only one of the calls is of this face.
func alone(calls []llm.Call, name string) bool {
	n := 0
	for _, c := range calls {
		if c.Name == name {
			n++
		}
	}
	return n == 1
}

// taken are the values that other calls of the same face have for an argument.
func taken(calls []llm.Call, c *llm.Call, name string) map[string]bool {
	out := map[string]bool{}
	for i := range calls {
		var args map[string]any
		if calls[i].Name != c.Name || string(calls[i].Args) == string(c.Args) || json.Unmarshal(calls[i].Args, &args) != nil {
			continue
		}
		if v, ok := args[name].(string); ok {
			out[v] = true
		}
	}
	return out
}

// grounding changes arguments and notes what it changes.
type grounding struct {
	args  map[string]any
	fixes []llm.Fix
}

func (g *grounding) set(name string, v any) {
	fix := llm.Fix{Field: name, Given: "nothing"}
	if old, ok := g.args[name]; ok {
		fix.Given = fmt.Sprint(old)
	}
	if v == nil {
		delete(g.args, name)
	} else {
		fix.Used = fmt.Sprint(v)
		g.args[name] = v
	}
	g.fixes = append(g.fixes, fix)
}

// number holds a number to those that were said.
func (g *grounding) number(name string, said []float64, required, alone bool) {
	v, given := g.args[name].(float64)
	switch {
	case given && slices.ContainsFunc(said, func(x float64) bool { return math.Abs(x-v) < 1 }):
	case len(said) == 1 && alone:
		g.set(name, math.Max(1, math.Round(said[0])))
	case given && !required:
		g.set(name, nil)
	}
}

// choice takes the only value that was said where the given one was not.
func (g *grounding) choice(name string, said []string, taken map[string]bool, required bool) {
	v, given := g.args[name].(string)
	if given && slices.Contains(said, v) {
		return
	}
	said = slices.DeleteFunc(slices.Clone(said), func(s string) bool { return taken[s] })
	if len(said) == 1 {
		g.set(name, said[0])
	} else if given && !required && len(said) == 0 {
		g.set(name, nil)
	}
}

// literal are the values that a text has by their names, or by words that mean nothing else.
func (f *face) literal(text string, values []string) []string {
	words := meant(text)
	var out []string
	if f.Tool == emotionTool {
		return slices.DeleteFunc(emotions(text), func(v string) bool { return !slices.Contains(values, v) })
	}
	for _, v := range values {
		if holds(words, strings.ReplaceAll(v, "_", " ")) ||
			slices.ContainsFunc(faces().Said[f.Name][v], func(s string) bool { return holds(words, s) }) {
			out = append(out, v)
		}
	}
	return out
}

// meant are the words of a text without the phrases in which a direction's name says no direction.
func meant(text string) []string {
	list := " " + strings.Join(language.SplitWords(text), " ") + " "
	for _, phrase := range faces().Idle {
		list = strings.ReplaceAll(list, " "+phrase+" ", " ")
	}
	return strings.Fields(list)
}

// emotionTool is the tool whose choices have words of their own: see perception/language/en/emotions.txt.
const emotionTool = "express_emotion"

var feelings = []*language.Trie{language.Phrases("emotion-words"), language.Phrases("emotion-verbs")}

// emotions are those that a text names.
func emotions(text string) (out []string) {
	toks := language.Analyse(text).Tokens
	for i := 0; i < len(toks); i++ {
		for _, t := range feelings {
			if key, n := t.Match(toks, i); n > 0 && !slices.Contains(out, key) {
				out = append(out, key)
				i += n - 1
				break
			}
		}
	}
	return out
}

// holds reports whether all the words of a phrase are said, in whatever form.
func holds(words []string, phrase string) bool {
	for _, w := range strings.Fields(phrase) {
		if !slices.ContainsFunc(words, func(s string) bool { return s == w || language.Stem(s) == language.Stem(w) }) {
			return false
		}
	}
	return true
}

// amounts are the numbers of a sentence.
type amounts struct{ angles, times, plain []float64 }

func amountsIn(text string) (a amounts) {
	toks := language.Analyse(text).Tokens
	for i := 0; i < len(toks); {
		q, n := language.QuantityAt(toks, i)
		if n == 0 {
			i++
			continue
		}
		switch q.Dim {
		case language.Angle, language.Turns:
			a.angles = append(a.angles, math.Abs(q.Value))
		case language.Time:
			a.times = append(a.times, q.Value)
		case language.Percent, language.NoUnit:
			a.plain = append(a.plain, q.Value)
		case language.Length:
		}
		i += n
	}
	return a
}
