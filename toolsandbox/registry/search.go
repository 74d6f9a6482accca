package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Document is what a tool is found by.
type Document struct {
	Name       string
	Summary    string
	Text       string   // the whole docstring
	Parameters []string // their names and descriptions
}

// Hit is a tool that was found.
type Hit struct {
	Name  string  `json:"name"`
	Score float64 `json:"score"` // 0 to 1, comparable only within one search of one Index
}

// Index finds tools by meaning.
type Index interface {
	// Put adds a document in place of the one of the same name. An index that can fail tries again by itself.
	Put(d Document)
	// Remove takes a document out.
	Remove(name string)
	// Search returns at most limit documents that have to do with the query, best first; none when none has.
	Search(ctx context.Context, query string, limit int) ([]Hit, error)
}

// document is empty of meaning, and not found, when the tool has no active version.
func (e *entry) document() Document {
	d := Document{Name: e.head.Name}
	if e.head.Active == 0 {
		return d
	}
	v := e.current
	d.Summary, d.Text = v.Doc.Summary, v.Doc.Text
	var s struct {
		Properties map[string]struct {
			Description string `json:"description"`
		} `json:"properties"`
	}
	if json.Unmarshal(v.Schema, &s) == nil {
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			d.Parameters = append(d.Parameters, name+" "+s.Properties[name].Description)
		}
	}
	return d
}

// Found is a tool that was found, with what a model needs to call it.
type Found struct {
	Hit
	Version *Version
	Usage   Usage // of the active version
}

// Search returns the active tools that have to do with the query, best first, at most limit.
func (r *Registry) Search(ctx context.Context, query string, limit int) ([]Found, error) {
	hits, err := r.set.Index.Search(ctx, query, limit)
	if err != nil {
		return nil, fmt.Errorf("search for %.80q: %w", query, err)
	}
	var found []Found
	for _, h := range hits {
		if v, err := r.Active(h.Name); err == nil { // the index may lag behind
			found = append(found, Found{h, v, r.Usage(h.Name, v.Number)})
		}
	}
	return found[:min(max(limit, 0), len(found))], nil
}

// Parameters of BM25, and how much a word counts by where it stands.
const (
	bmK, bmB        = 1.2, 0.6
	weightName      = 3
	weightSummary   = 2
	weightText      = 1
	weightParameter = 1
	// A tool is found when it has this part of what the query says, rare words saying more than common ones. Below
	// it, a tool that merely shares a word would be offered to a model, which makes it choose worse.
	enough   = 0.34
	maxQuery = 4 << 10 // bytes of a query that are read
)

// Lexical is an Index by words: their stems, with synonyms, ranked by BM25. It needs no model and no memory to speak
// of, and is there when the embeddings are not.
type Lexical struct {
	mu   sync.Mutex // held by writers
	docs atomic.Pointer[corpus]
}

type corpus struct {
	docs map[string]lexDoc
	df   map[string]int // documents that have the term
	size float64        // of all documents
}

type lexDoc struct {
	terms map[string]float64
	size  float64
}

// NewLexical returns an empty index.
func NewLexical() *Lexical {
	l := &Lexical{}
	l.docs.Store(&corpus{docs: map[string]lexDoc{}, df: map[string]int{}})
	return l
}

// Put implements Index.
func (l *Lexical) Put(d Document) {
	doc := lexDoc{terms: map[string]float64{}}
	if d.Summary == "" && d.Text == "" && d.Parameters == nil {
		l.replace(d.Name, nil)
		return
	}
	add := func(text string, weight float64) {
		for _, t := range terms(text) {
			doc.terms[t] += weight
			doc.size += weight
		}
	}
	add(d.Name, weightName)
	add(d.Summary, weightSummary)
	add(d.Text, weightText)
	add(strings.Join(d.Parameters, " "), weightParameter)
	l.replace(d.Name, &doc)
}

// Remove implements Index.
func (l *Lexical) Remove(name string) { l.replace(name, nil) }

func (l *Lexical) replace(name string, doc *lexDoc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.docs.Load()
	next := &corpus{docs: maps.Clone(old.docs), df: maps.Clone(old.df), size: old.size}
	if was, ok := next.docs[name]; ok {
		for t := range was.terms {
			if next.df[t]--; next.df[t] == 0 {
				delete(next.df, t)
			}
		}
		next.size -= was.size
		delete(next.docs, name)
	}
	if doc != nil {
		for t := range doc.terms {
			next.df[t]++
		}
		next.size += doc.size
		next.docs[name] = *doc
	}
	l.docs.Store(next)
}

// Search implements Index. The score is the share of the best score that a tool could have.
func (l *Lexical) Search(_ context.Context, query string, limit int) ([]Hit, error) {
	c := l.docs.Load()
	wanted := terms(query[:min(len(query), maxQuery)])
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	idf := make([]float64, len(wanted))
	total := 0.0
	for i, t := range wanted {
		n, df := float64(len(c.docs)), float64(c.df[t])
		idf[i] = math.Log(1 + (n-df+0.5)/(df+0.5))
		total += idf[i]
	}
	var hits []Hit
	for name, d := range c.docs {
		score, share := 0.0, 0.0
		norm := bmK * (1 - bmB + bmB*d.size*float64(len(c.docs))/c.size)
		for i, t := range wanted {
			if tf := d.terms[t]; tf > 0 {
				score += idf[i] * tf / (tf + norm)
				share += idf[i]
			}
		}
		if share > 0 && share >= enough*total {
			hits = append(hits, Hit{name, score / total})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Name, b.Name))
	})
	return hits[:min(max(limit, 0), len(hits))], nil
}

var _ Index = (*Lexical)(nil)
