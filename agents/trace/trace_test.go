package trace

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// steps returns a clock that goes on by a millisecond each time it is read.
func steps() func() time.Time {
	var mu sync.Mutex
	t := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		t = t.Add(time.Millisecond)
		return t
	}
}

func TestSpansFormATree(t *testing.T) {
	r := NewRecorder(steps())
	ctx := With(t.Context(), r)
	inner, outer := Start(ctx, Handoff, "vision", "the question is about what is in view")
	_, call := Start(inner, Tool, "analyze_scene", "")
	call.Set("objects", 2)
	call.End(nil)
	_, bad := Start(inner, Model, "qwen3", "")
	bad.End(errors.New("the server is away"))
	outer.End(nil)
	Note(ctx, Guard, "output", "nothing to object to")

	spans, dropped := r.Spans()
	if len(spans) != 4 || dropped != 0 {
		t.Fatalf("%d spans, %d dropped", len(spans), dropped)
	}
	for i, parent := range []int{-1, 0, 0, -1} {
		if spans[i].Parent != parent {
			t.Errorf("span %d has parent %d, want %d", i, spans[i].Parent, parent)
		}
	}
	if spans[0].DurationMS != 5 || spans[1].DurationMS != 1 {
		t.Errorf("durations %v and %v ms, want 5 and 1", spans[0].DurationMS, spans[1].DurationMS)
	}
	var b strings.Builder
	if err := Draw(&b, spans, 0); err != nil {
		t.Fatal(err)
	}
	want := `      0.0 ms       5.0 ms  ├─ handoff vision: the question is about what is in view
      1.0 ms       1.0 ms  │  ├─ tool analyze_scene
      3.0 ms       1.0 ms  │  └─ model qwen3 [failed: the server is away]
      6.0 ms       1.0 ms  └─ guard output: nothing to object to
`
	if b.String() != want {
		t.Errorf("drawn:\n%s\nwant:\n%s", b.String(), want)
	}
	b.Reset()
	_ = Draw(&b, spans, 30)
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 30 {
			t.Errorf("a line has %d characters, want at most 30: %q", n, line)
		}
	}
}

func TestWithoutARecorderNothingIsRecorded(t *testing.T) {
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		_, s := Start(ctx, Tool, "nod", "")
		s.Set("a", nil)
		s.End(nil)
	}); n > 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func TestSpansAreLimited(t *testing.T) {
	r := NewRecorder(nil)
	ctx := With(context.Background(), r)
	for range MaxSpans + 7 {
		Note(ctx, Thought, "again", "")
	}
	spans, dropped := r.Spans()
	if len(spans) != MaxSpans || dropped != 7 {
		t.Errorf("%d spans, %d dropped; want %d and 7", len(spans), dropped, MaxSpans)
	}
}

func TestTextsAreLimited(t *testing.T) {
	r := NewRecorder(nil)
	ctx := With(context.Background(), r)
	long := strings.Repeat("a word ", MaxDetail/7)
	for range MaxSpans {
		_, s := Start(ctx, Thought, "long", long)
		s.Set("more", map[string]any{"text": long, "list": []any{long, long}})
		s.End(errors.New(long))
	}
	spans, _ := r.Spans()
	kept, err := json.Marshal(spans)
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) > 2*MaxText || spans[0].Data == nil || spans[MaxSpans-1].Data != nil || spans[MaxSpans-1].Detail != "" {
		t.Errorf("%d bytes are kept", len(kept))
	}
}

func TestBrokenTreesAreDrawnToo(t *testing.T) {
	var b strings.Builder
	if err := Draw(&b, []Span{{Parent: 5, Name: "a"}, {Parent: 1, Name: "b"}, {Parent: -9, Name: "c"}}, 0); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "\n"); got != 3 {
		t.Errorf("%d lines, want 3:\n%s", got, b.String())
	}
}

func TestSecretsAndDataAreNotKept(t *testing.T) {
	for in, want := range map[string]string{
		"the password is hunter2, dear":    "the password is (hidden), dear",
		`{"token": "abc123", "x": 1}`:      `{"token": "(hidden)", "x": 1}`,
		"GET http://me:geheim@nas.local/":  "GET http://me:(hidden)@nas.local/",
		"Authorization: Bearer eyJhbGciOi": "Authorization: Bearer (hidden)",
		"api_key=12345;next":               "api_key=(hidden);next",
		"look left":                        "look left",
		"data:image/jpeg;base64," + strings.Repeat("A", 300) + "== seen": "(325 bytes of data) seen",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%.60q) = %q, want %q", in, got, want)
		}
	}
	r := NewRecorder(nil)
	_, s := Start(With(t.Context(), r), Tool, "get", "")
	s.Set("headers", map[string]any{"Authorization": "Bearer abc", "Accept": []any{"text/html"}})
	s.Set("photo", []byte{1, 2, 3})
	s.Set("prompt_tokens", 431) // counts are no secrets; a word under the same name, or a number under another, may be
	s.Set("cached_tokens", "abc")
	s.Set("token", 1234)
	s.End(nil)
	spans, _ := r.Spans()
	headers, _ := spans[0].Data["headers"].(map[string]any)
	if headers["Authorization"] != hidden || spans[0].Data["photo"] != "(3 bytes of data)" {
		t.Errorf("kept: %v", spans[0].Data)
	}
	if d := spans[0].Data; d["prompt_tokens"] != 431 || d["cached_tokens"] != hidden || d["token"] != hidden {
		t.Errorf("kept: %v", d)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("token=abc")
	f.Add(strings.Repeat("ab", 300))
	f.Add("\xff\xfe password is \x00")
	f.Fuzz(func(t *testing.T, text string) {
		got := Clean(text)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > MaxDetail {
			t.Errorf("Clean(%q) = %q", text, got)
		}
	})
}
