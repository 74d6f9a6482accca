package calling

import (
	_ "embed" // the examples
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/language"
)

//go:embed examples.txt
var examplesText string

// example is a sentence and the calls that it should lead to.
type example struct {
	text  string
	calls []llm.Call // of faces; none where no tool fits
	words map[string]bool
	mood  mood
	reply string // the calls as the model is to write them
}

// corpus is examples.txt with the weight of each word: what stands in few examples says more.
type corpus struct {
	all    []example
	weight map[string]float64
}

var examples = sync.OnceValue(func() *corpus {
	all, err := parseExamples(examplesText)
	if err != nil {
		panic(err) // a test reads the file
	}
	c := &corpus{all, map[string]float64{}}
	for _, e := range all {
		for w := range e.words {
			c.weight[w]++
		}
	}
	for w, n := range c.weight {
		c.weight[w] = math.Log(float64(len(all)+1) / n)
	}
	return c
})

// parseExamples reads lines "sentence => call; call"; what follows # at the beginning of a line is a comment.
func parseExamples(text string) (all []example, err error) {
	for n, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		said, wanted, ok := strings.Cut(line, " => ")
		if !ok {
			return nil, fmt.Errorf("examples.txt:%d: %q has no =>", n+1, line)
		}
		e := example{text: said, words: bag(said), mood: moodOf(said)}
		if wanted != noneTool+"()" {
			if e.calls = llm.WrittenCalls(bare.Replace(wanted), specs()); len(e.calls) == 0 {
				return nil, fmt.Errorf("examples.txt:%d: %q is no list of calls", n+1, wanted)
			}
		}
		for _, c := range e.calls {
			if c.Err != nil {
				return nil, fmt.Errorf("examples.txt:%d: %s: %w", n+1, c.Name, c.Err)
			}
		}
		e.reply = written(e.calls)
		all = append(all, e)
	}
	return all, nil
}

// bare lets calls follow each other in lines.
var bare = strings.NewReplacer("); ", ")\n")

// specs are the faces of all tools of the catalogue.
var specs = sync.OnceValue(func() []tool.Spec {
	all := shown(catalogued())
	out := make([]tool.Spec, 0, len(all))
	for _, f := range all {
		out = append(out, f.spec)
	}
	return out
})

// written are calls as a model writes them: [{"tool":"look","direction":"left"}].
func written(calls []llm.Call) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, c := range calls {
		if i > 0 {
			b.WriteByte(',')
		}
		name, args := c.Name, c.Args
		if c.Wrote != nil {
			name, args = c.Wrote.Name, c.Wrote.Args
		}
		fmt.Fprintf(&b, `{"tool":%q`, name)
		var given map[string]json.RawMessage
		if json.Unmarshal(args, &given) == nil {
			for _, key := range keys(name, given) {
				fmt.Fprintf(&b, `,%q:%s`, key, given[key])
			}
		}
		b.WriteByte('}')
	}
	if len(calls) == 0 {
		fmt.Fprintf(&b, `{"tool":%q}`, noneTool)
	}
	b.WriteByte(']')
	return b.String()
}

// keys are the arguments that are given, in the order of the face.
func keys(name string, given map[string]json.RawMessage) []string {
	var out []string
	for _, f := range faces().Faces {
		if f.Name != name {
			continue
		}
		for _, a := range f.Arguments {
			if _, ok := given[a.Name]; ok {
				out = append(out, a.Name)
			}
		}
	}
	var rest []string
	for key := range given {
		if !slices.Contains(out, key) {
			rest = append(rest, key)
		}
	}
	slices.Sort(rest)
	return append(out, rest...)
}

// courtesies are words that make no sentence like another.
var courtesies = sync.OnceValue(func() map[string]bool { return language.Words("calling-courtesies") })

// bag are the stems of the words of a text.
func bag(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range language.SplitWords(text) {
		if !courtesies()[w] {
			words[language.Stem(w)] = true
		}
	}
	return words
}

// like says how much two sets of words have in common, from 0 to 1.
func (c *corpus) like(a, b map[string]bool) float64 {
	var both, na, nb float64
	weigh := func(w string) float64 {
		if x, known := c.weight[w]; known {
			return x * x
		}
		return rare
	}
	for w := range a {
		x := weigh(w)
		na += x
		if b[w] {
			both += x
		}
	}
	for w := range b {
		nb += weigh(w)
	}
	if both == 0 {
		return 0
	}
	return both / math.Sqrt(na*nb)
}

// rare is the weight of a word that stands in no example: it makes sentences differ, but less than one that does.
const rare = 4

// nearest returns the examples most like the parts of a sentence that call only tools of these names: per part the best, the
// most alike last. An example of which nothing is to come is among them only where it is more alike than any other.
func (c *corpus) nearest(parts []string, names []string, most int) []*example {
	type scored struct {
		e *example
		s float64
	}
	var found []scored
	add := func(s scored) {
		if i := slices.IndexFunc(found, func(f scored) bool { return f.e == s.e }); i < 0 {
			found = append(found, s)
		} else {
			found[i].s = max(found[i].s, s.s)
		}
	}
	each := max(1, (most-1)/len(parts))
	var none scored
	for _, part := range parts {
		words := bag(part)
		var here []scored
		for i := range c.all {
			e := &c.all[i]
			s := c.like(words, e.words)
			if len(e.calls) == 0 {
				if none.e == nil || s > none.s {
					none = scored{e, s}
				}
				continue
			}
			if !slices.ContainsFunc(e.calls, func(k llm.Call) bool { return !slices.Contains(names, k.Name) }) {
				here = append(here, scored{e, s})
			}
		}
		slices.SortStableFunc(here, func(a, b scored) int { return cmpFloat(b.s, a.s) })
		for _, s := range here[:min(each, len(here))] {
			add(s)
		}
	}
	// A small model that is shown that nothing is to be done does nothing too often.
	if none.e != nil && !slices.ContainsFunc(found, func(f scored) bool { return f.s >= none.s }) {
		add(none)
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmpFloat(a.s, b.s) })
	out := make([]*example, len(found))
	for i, f := range found {
		out[i] = f.e
	}
	return out
}
