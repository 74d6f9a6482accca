package trace

import (
	"fmt"
	"io"
	"strings"
)

// Draw writes the spans as a tree, a line each: time since the start, how long it took, what it was.
//
//	0.0 ms      3.1 ms  ├─ route direct: small talk
//	3.2 ms    812.0 ms  └─ handoff vision: the question is about what is in view
//	3.9 ms    640.2 ms     ├─ model qwen3:4b
//
// width cuts the lines; 0 does not.
func Draw(w io.Writer, spans []Span, width int) error {
	if len(spans) == 0 {
		return nil
	}
	children := make(map[int][]int)
	for i, s := range spans {
		parent := s.Parent
		if parent >= i || parent < -1 { // never from a Recorder; a file may be broken
			parent = -1
		}
		children[parent] = append(children[parent], i)
	}
	d := drawing{out: w, spans: spans, children: children, width: width}
	d.below(-1, "")
	return d.err
}

type drawing struct {
	out      io.Writer
	spans    []Span
	children map[int][]int
	width    int
	err      error
}

func (d *drawing) below(parent int, prefix string) {
	all := d.children[parent]
	for n, i := range all {
		branch, next := "├─ ", "│  "
		if n == len(all)-1 {
			branch, next = "└─ ", "   "
		}
		d.line(d.spans[i], prefix+branch)
		d.below(i, prefix+next)
	}
}

func (d *drawing) line(s Span, prefix string) {
	since := float64(s.TS.Sub(d.spans[0].TS).Microseconds()) / 1000
	text := fmt.Sprintf("%9.1f ms %9.1f ms  %s%s %s", since, s.DurationMS, prefix, s.Kind, s.Name)
	if detail := strings.Join(strings.Fields(s.Detail), " "); detail != "" {
		text += ": " + detail
	}
	if s.Error != "" {
		text += " [failed: " + strings.Join(strings.Fields(s.Error), " ") + "]"
	}
	if r := []rune(text); d.width > 0 && len(r) > d.width {
		text = string(r[:d.width-1]) + "…"
	}
	if _, err := fmt.Fprintln(d.out, text); err != nil && d.err == nil {
		d.err = err
	}
}
