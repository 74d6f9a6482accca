// Package trace records what happens within one turn as a tree of spans: hand-offs, thoughts, calls of models and tools.
//
// A Recorder travels in the context. Whoever does something worth telling begins a Span and ends it; without a recorder
// in the context both cost nothing. Secrets and pictures are referenced, never kept: see Clean.
package trace

import (
	"context"
	"sync"
	"time"
)

// Kind says what a span is about.
type Kind string

// The kinds of spans.
const (
	Plan    Kind = "plan"    // the built-in planner
	Guard   Kind = "guard"   // a guardrail
	Route   Kind = "route"   // who is to work, and why
	Handoff Kind = "handoff" // from one agent to another and back
	Thought Kind = "thought" // what an agent thinks before it acts
	Model   Kind = "model"   // a call of a language model
	Tool    Kind = "tool"    // a call of a tool
	Code    Kind = "code"    // a stage of writing a tool
	Search  Kind = "search"  // looking for tools, pages, memories
	Memory  Kind = "memory"  // what a session remembers or forgets
)

// Span is one thing that happened. Spans are kept in the order in which they began; a parent stands before its children.
type Span struct {
	Parent     int            `json:"parent"` // index in the list of spans; -1 at the top
	Kind       Kind           `json:"kind"`
	Name       string         `json:"name"`
	Detail     string         `json:"detail,omitempty"` // one sentence, or the beginning of a text
	Error      string         `json:"error,omitempty"`
	TS         time.Time      `json:"ts"`
	DurationMS float64        `json:"duration_ms"`
	Data       map[string]any `json:"data,omitempty"`
}

// Limits of one recorder.
const (
	MaxSpans  = 500
	MaxDetail = 2000 // characters of one text
	// MaxText is how many bytes of text all spans have together; later ones lose theirs.
	MaxText = 256 << 10
)

// Recorder collects the spans of one turn. It may be used by many goroutines at once.
type Recorder struct {
	now func() time.Time

	mu      sync.Mutex
	spans   []Span
	dropped int
	text    int // bytes of the texts of all spans
}

// room returns the text as far as it may still be kept.
func (r *Recorder) room(text string) string {
	text = Clean(text)
	if r.text += len(text); r.text > MaxText {
		return ""
	}
	return text
}

// NewRecorder returns an empty recorder; now is time.Now when nil.
func NewRecorder(now func() time.Time) *Recorder {
	if now == nil {
		now = time.Now
	}
	return &Recorder{now: now}
}

// Spans returns what was recorded, and how many spans did not find room.
func (r *Recorder) Spans() (spans []Span, dropped int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Span(nil), r.spans...), r.dropped
}

type key struct{}

type place struct {
	recorder *Recorder
	parent   int
}

// With returns a context whose spans go to the recorder.
func With(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, key{}, place{r, -1})
}

// Open is a span that has begun. The zero Open records nothing.
type Open struct {
	recorder *Recorder
	at       int
}

// Start begins a span under the present one. Spans that are begun with the returned context are its children.
func Start(ctx context.Context, kind Kind, name, detail string) (context.Context, Open) {
	p, ok := ctx.Value(key{}).(place)
	if !ok {
		return ctx, Open{}
	}
	r := p.recorder
	start := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.spans) >= MaxSpans {
		r.dropped++
		return ctx, Open{}
	}
	at := len(r.spans)
	r.spans = append(r.spans, Span{Parent: p.parent, Kind: kind, Name: name, Detail: r.room(detail), TS: start})
	return context.WithValue(ctx, key{}, place{r, at}), Open{r, at}
}

// Note records a span that takes no time.
func Note(ctx context.Context, kind Kind, name, detail string) {
	_, s := Start(ctx, kind, name, detail)
	s.End(nil)
}

// Detail replaces what the span tells.
func (o Open) Detail(text string) { o.change(func(s *Span) { s.Detail = o.recorder.room(text) }) }

// Set adds a value to the span; texts are cleaned, and values whose name says that they are secret are not kept.
func (o Open) Set(name string, value any) {
	o.change(func(s *Span) {
		clean := cleanValue(name, value)
		o.recorder.text += len(name) + size(clean)
		if o.recorder.text > MaxText {
			return
		}
		if s.Data == nil {
			s.Data = map[string]any{}
		}
		s.Data[name] = clean
	})
}

// End ends the span; err, when not nil, says why it failed.
func (o Open) End(err error) {
	if o.recorder == nil {
		return
	}
	end := o.recorder.now()
	o.change(func(s *Span) {
		s.DurationMS = float64(end.Sub(s.TS).Microseconds()) / 1000
		if err != nil {
			s.Error = o.recorder.room(err.Error())
		}
	})
}

func (o Open) change(f func(*Span)) {
	if o.recorder == nil {
		return
	}
	o.recorder.mu.Lock()
	defer o.recorder.mu.Unlock()
	f(&o.recorder.spans[o.at])
}
