package coder

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/perception/language/truncate"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// index holds what tools mean as vectors, one for every version that is called.
type index struct {
	model     llm.Model // nil: none
	sentences Sentences // asked when the language model cannot tell; nil: none

	mu      sync.Mutex
	of      string // the model that made them
	vectors map[string]meaning
}

type meaning struct {
	digest string
	vector []float32
}

// Limits of finding by meaning.
const (
	embedTime  = 3 * time.Second // afterwards words must do
	maxMeant   = 500             // tools
	closeBy    = 0.6             // from here on a tool has to do with a request
	lexicalTop = 20
	// closeSentences is the same for Sentences, whose vectors lie further apart.
	closeSentences = 0.45
	ownVectors     = "sentences" // where a language model's name stands
	mostFresh      = 30          // tools of which it is asked in one turn; those beyond are found by words until the next
)

// Sentences makes vectors of length one without a language model, such as *meaning.Lazy.
type Sentences interface {
	Vector(text string) ([]float32, error)
}

func newIndex(m llm.Model, s Sentences) *index {
	return &index{model: m, sentences: s, vectors: map[string]meaning{}}
}

// ready reports whether the language model tells what texts mean.
func (x *index) ready() bool { return x.model != nil && x.model.Ready(llm.RoleEmbed) == nil }

// embed returns a vector for each text, who made them, and from where on two are close.
func (x *index) embed(ctx context.Context, texts []string) (vectors [][]float32, model string, near float64, err error) {
	if x.ready() {
		vectors, model, err = x.model.Embed(ctx, texts)
		return vectors, model, closeBy, err
	}
	for _, text := range texts {
		v, err := x.sentences.Vector(text)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, "", 0, err
		}
		vectors = append(vectors, v)
	}
	return vectors, ownVectors, closeSentences, nil
}

// find returns self-made tools that have to do with a text, the best first: by words, and by meaning when a model can tell
// it. What neither is sure of is left out, for a model chooses worse from many than from few.
func (c *Coder) find(ctx context.Context, text string, most int) []registry.Found {
	found, err := c.o.Maker.Search(ctx, text, lexicalTop)
	if err != nil {
		c.o.Failed(err)
	}
	scores, from := c.index.near(ctx, c.made(), text)
	for name, score := range scores {
		at := slices.IndexFunc(found, func(f registry.Found) bool { return f.Name == name })
		if at >= 0 {
			found[at].Score = max(found[at].Score, score)
			continue
		}
		if v, err := c.o.Maker.Version(name, 0); err == nil && score >= from {
			found = append(found, registry.Found{Hit: registry.Hit{Name: name, Score: score}, Version: v})
		}
	}
	slices.SortStableFunc(found, func(a, b registry.Found) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Name, b.Name))
	})
	return found[:min(len(found), most)]
}

// made are the self-made tools that can be called.
func (c *Coder) made() []*registry.Version {
	var all []*registry.Version
	for _, s := range c.o.Tools.List() {
		if s.Unavailable != "" || len(all) == maxMeant {
			continue
		}
		if v, err := c.o.Maker.Version(s.Name, 0); err == nil {
			all = append(all, v)
		}
	}
	return all
}

// near says how near tools are to a text, 0 to 1, and from where on that is close; nothing when nobody can tell.
func (x *index) near(ctx context.Context, tools []*registry.Version, text string) (scores map[string]float64, from float64) {
	if len(tools) == 0 || x.sentences == nil && !x.ready() {
		return nil, 0
	}
	ctx, cancel := context.WithTimeout(ctx, embedTime)
	defer cancel()
	x.mu.Lock()
	defer x.mu.Unlock()
	texts := []string{text}
	var fresh []*registry.Version
	for _, v := range tools {
		if !x.ready() && len(fresh) == mostFresh {
			break
		}
		if x.vectors[v.Name].digest != v.Digest || x.vectors[v.Name].vector == nil {
			fresh = append(fresh, v)
			texts = append(texts, strings.ReplaceAll(v.Name, "_", " ")+": "+v.Doc.Summary+" "+truncate.Runes(v.Provenance.Prompt, 300))
		}
	}
	vectors, model, from, err := x.embed(ctx, texts)
	if err != nil || len(vectors) != len(texts) {
		return nil, 0
	}
	if model != x.of { // vectors of another model cannot be compared
		x.of, x.vectors = model, map[string]meaning{}
	}
	for i, v := range fresh {
		x.vectors[v.Name] = meaning{v.Digest, vectors[i+1]}
	}
	scores = map[string]float64{}
	for _, v := range tools {
		if m, ok := x.vectors[v.Name]; ok && m.digest == v.Digest {
			scores[v.Name] = dot(vectors[0], m.vector)
		}
	}
	return scores, from
}

func dot(a, b []float32) (sum float64) {
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
