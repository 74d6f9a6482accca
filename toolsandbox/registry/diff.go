package registry

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Diff is what differs between two versions of a tool.
type Diff struct {
	Name    string   `json:"name"`
	From    int      `json:"from"`
	To      int      `json:"to"`
	Source  string   `json:"source"`            // as a unified diff, empty when it is the same
	Changed []string `json:"changed,omitempty"` // what else differs: schema, grants, uses, cases …
}

const (
	diffContext = 3
	maxEdits    = 1000 // lines; beyond that everything is shown as replaced
)

// Diff compares two versions of a tool.
func (r *Registry) Diff(name string, from, to int) (Diff, error) {
	a, err := r.Version(name, from)
	if err != nil {
		return Diff{}, fmt.Errorf("diff: %w", err)
	}
	b, err := r.Version(name, to)
	if err != nil {
		return Diff{}, fmt.Errorf("diff: %w", err)
	}
	d := Diff{Name: name, From: a.Number, To: b.Number}
	if a.Source != b.Source {
		d.Source = fmt.Sprintf("--- %s v%d\n+++ %s v%d\n%s", name, a.Number, name, b.Number, unified(a.Source, b.Source))
	}
	for _, f := range []struct {
		name string
		same bool
	}{
		{"language", a.Language == b.Language},
		{"schema", bytes.Equal(a.Schema, b.Schema)},
		{"returns", bytes.Equal(a.Returns, b.Returns)},
		{"documentation", a.Doc == b.Doc},
		{"cases", bytes.Equal(a.Cases, b.Cases)},
		{"grants", slices.Equal(a.Grants, b.Grants)},
		{"uses", slices.Equal(a.Uses, b.Uses)},
		{"licence", a.Licence == b.Licence},
	} {
		if !f.same {
			d.Changed = append(d.Changed, f.name)
		}
	}
	return d, nil
}

type edit struct {
	op   byte // ' ', '-' or '+'
	line string
}

func unified(a, b string) string {
	edits := lineEdits(splitLines(a), splitLines(b))
	var out strings.Builder
	for i := 0; i < len(edits); {
		if edits[i].op == ' ' {
			i++
			continue
		}
		start := max(0, i-diffContext)
		end := i // after the last change of the hunk
		for j := i; j < len(edits) && j <= end+2*diffContext; j++ {
			if edits[j].op != ' ' {
				end = j + 1
			}
		}
		stop := min(len(edits), end+diffContext)
		fromLine, toLine := 1, 1
		for _, e := range edits[:start] {
			if e.op != '+' {
				fromLine++
			}
			if e.op != '-' {
				toLine++
			}
		}
		fromCount, toCount := 0, 0
		for _, e := range edits[start:stop] {
			if e.op != '+' {
				fromCount++
			}
			if e.op != '-' {
				toCount++
			}
		}
		if fromCount == 0 {
			fromLine--
		}
		if toCount == 0 {
			toLine--
		}
		fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n", fromLine, fromCount, toLine, toCount)
		for _, e := range edits[start:stop] {
			out.WriteByte(e.op)
			out.WriteString(e.line)
			if !strings.HasSuffix(e.line, "\n") {
				out.WriteString("\n\\ No newline at end of file\n")
			}
		}
		i = stop
	}
	return out.String()
}

func splitLines(s string) []string { return slices.Collect(strings.Lines(s)) }

// lineEdits is the shortest way from a to b (Myers 1986).
func lineEdits(a, b []string) []edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	edits := make([]edit, 0, len(a)+len(b))
	for _, line := range a[:head] {
		edits = append(edits, edit{' ', line})
	}
	edits = append(edits, shortest(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, line := range a[len(a)-tail:] {
		edits = append(edits, edit{' ', line})
	}
	return edits
}

func shortest(a, b []string) []edit {
	limit := min(len(a)+len(b), maxEdits)
	goal := len(a) - len(b)
	reach := make([]int, 2*limit+3) // the furthest x on diagonal k = x − y, at k + limit + 1
	var trace [][]int               // reach of diagonals −d … d after d edits
	for d, found := 0, false; !found; d++ {
		if d > limit {
			return replaced(a, b)
		}
		for k := -d; k <= d; k += 2 {
			at := k + limit + 1
			x := reach[at+1]
			if !insertion(k, d, reach[at-1], reach[at+1]) {
				x = reach[at-1] + 1
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			reach[at] = x
			found = found || k == goal && x >= len(a)
		}
		trace = append(trace, slices.Clone(reach[limit+1-d:limit+2+d]))
	}
	var edits []edit // from the end
	x := len(a)
	for d, k := len(trace)-1, goal; ; d-- {
		start, op, next := 0, byte(' '), k
		if d > 0 {
			before := func(k int) int { // only asked where it was reached
				if k < -(d-1) || k > d-1 {
					return 0
				}
				return trace[d-1][k+d-1]
			}
			if insertion(k, d, before(k-1), before(k+1)) {
				start, op, next = before(k+1), '+', k+1
			} else {
				start, op, next = before(k-1)+1, '-', k-1
			}
		}
		for x > start {
			x--
			edits = append(edits, edit{' ', a[x]})
		}
		switch op {
		case '+':
			edits = append(edits, edit{'+', b[x-k-1]})
		case '-':
			x--
			edits = append(edits, edit{'-', a[x]})
		default:
			slices.Reverse(edits)
			return edits
		}
		k = next
	}
}

// insertion says whether diagonal k is reached furthest by d edits when the last one is an insertion.
func insertion(k, d, left, right int) bool { return k == -d || (k != d && left < right) }

func replaced(a, b []string) []edit {
	edits := make([]edit, 0, len(a)+len(b))
	for _, line := range a {
		edits = append(edits, edit{'-', line})
	}
	for _, line := range b {
		edits = append(edits, edit{'+', line})
	}
	return edits
}
