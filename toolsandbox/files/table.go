package files

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

const checkEvery = 1024 // rows or tokens between two looks at the context

// Kinds of columns, from the narrowest.
const (
	kindInteger = "integer"
	kindNumber  = "number"
	kindBoolean = "boolean"
	kindDate    = "date"
	kindText    = "text"
)

// table collects rows of strings and finds out what their columns are.
type table struct {
	f       *File
	columns []string
	kinds   []string // per column; empty: only empty cells yet
	example []string
	empty   []int
	rows    [][]string
	seen    int // rows, without the header
	cells   int // that are kept
}

func newTable(f *File) *table { return &table{f: f} }

// add takes the next row; it is kept when keep says so.
func (t *table) add(row []string, keep bool) error {
	if len(row) > MaxColumns {
		return t.f.limit("columns", int64(len(row)), MaxColumns)
	}
	if t.columns == nil && isHeader(row) {
		t.columns = row
		t.grow(len(row))
		return nil
	}
	if t.columns == nil {
		t.columns = []string{}
	}
	t.seen++
	if keep {
		t.cells += max(len(row), 1)
	}
	if t.cells > MaxValues {
		return t.f.limit("cells or more (ask for a part of the rows)", int64(t.cells), MaxValues)
	}
	t.grow(len(row))
	for i, cell := range row {
		cell = strings.TrimSpace(cell)
		if cell == "" {
			t.empty[i]++
			continue
		}
		t.kinds[i] = wider(t.kinds[i], kindOf(cell))
		if t.example[i] == "" {
			t.example[i] = shorten(cell, 60)
		}
	}
	if keep {
		t.rows = append(t.rows, row)
	}
	return nil
}

func (t *table) grow(n int) {
	for len(t.kinds) < n {
		t.kinds, t.example, t.empty = append(t.kinds, ""), append(t.example, ""), append(t.empty, t.seen-min(t.seen, 1))
	}
	for len(t.columns) < n {
		t.columns = append(t.columns, fmt.Sprintf("column_%d", len(t.columns)+1))
	}
}

// value makes plain data of what was kept.
func (t *table) value() *Table {
	out := &Table{Columns: t.columns, Rows: make([][]any, len(t.rows))}
	if out.Columns == nil {
		out.Columns = []string{}
	}
	for i, row := range t.rows {
		cells := make([]any, len(t.columns))
		for j, cell := range row {
			cells[j] = typed(cell, t.kinds[j])
		}
		out.Rows[i] = cells
	}
	return out
}

// describe tells the author of a tool what the columns are.
func (t *table) describe() []Column {
	columns := make([]Column, len(t.columns))
	for i, name := range t.columns {
		columns[i] = Column{Name: shorten(name, 100), Type: t.kinds[i], Example: t.example[i], Empty: t.empty[i]}
		if columns[i].Type == "" {
			columns[i].Type = kindText
		}
	}
	return columns
}

// isHeader says whether a first row is names: all different, none empty, none a value.
func isHeader(row []string) bool {
	seen := map[string]bool{}
	for _, cell := range row {
		cell = strings.TrimSpace(cell)
		if cell == "" || seen[cell] || kindOf(cell) != kindText {
			return false
		}
		seen[cell] = true
	}
	return len(row) > 0
}

func kindOf(cell string) string {
	if len(cell) > 40 {
		return kindText
	}
	digits := strings.TrimPrefix(cell, "-")
	if digits != "" && strings.Trim(digits, "0123456789") == "" {
		if len(digits) > 1 && digits[0] == '0' {
			return kindText // a postcode or a telephone number
		}
		if _, err := strconv.ParseInt(cell, 10, 64); err == nil {
			return kindInteger
		}
		return kindText
	}
	if strings.Trim(cell, "+-.eE0123456789") == "" {
		if x, err := strconv.ParseFloat(cell, 64); err == nil && !math.IsInf(x, 0) {
			return kindNumber
		}
	}
	switch strings.ToLower(cell) {
	case "true", "false":
		return kindBoolean
	}
	for _, layout := range [...]string{time.DateOnly, time.RFC3339, time.DateTime} {
		if _, err := time.Parse(layout, cell); err == nil {
			return kindDate
		}
	}
	return kindText
}

func wider(a, b string) string {
	switch {
	case a == "" || a == b:
		return b
	case a == kindInteger && b == kindNumber || a == kindNumber && b == kindInteger:
		return kindNumber
	}
	return kindText
}

func typed(cell, kind string) any {
	trimmed := strings.TrimSpace(cell)
	if trimmed == "" {
		return nil
	}
	switch kind {
	case kindInteger:
		if n, err := strconv.ParseInt(trimmed, 10, 64); err == nil {
			return n
		}
	case kindNumber:
		if x, err := strconv.ParseFloat(trimmed, 64); err == nil {
			return x
		}
	case kindBoolean:
		return strings.EqualFold(trimmed, "true")
	}
	return cell
}

func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// separator of a table: the one that splits its first lines into the same number of fields, and most.
func (f *File) separator(text []byte) rune {
	if f.Type == TSV {
		return '\t'
	}
	best, most := ',', 1
	for _, s := range [...]rune{',', ';', '\t', '|'} {
		r := newCSV(text[:min(len(text), 64<<10)], s)
		first, n := 0, 0
		for ; n < 10; n++ {
			row, err := r.Read()
			if err != nil {
				break
			}
			if n == 0 {
				first = len(row)
			} else if len(row) != first {
				first = 0
				break
			}
		}
		if first > most {
			best, most = s, first
		}
	}
	return best
}

func newCSV(text []byte, separator rune) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = separator
	r.FieldsPerRecord = -1 // reported with the number of the line below
	return r
}

// parseCSV gives every row to a table.
func (f *File) parseCSV(ctx context.Context, q Query) (*table, error) {
	text := f.wholeText()
	t := newTable(f)
	r := newCSV(text, f.separator(text))
	width := 0
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, f.damaged(err)
		}
		line, _ := r.FieldPos(0)
		if width == 0 {
			width = len(row)
		}
		if len(row) != width {
			return nil, f.damaged(fmt.Errorf("line %d has %d fields, the first has %d", line, len(row), width))
		}
		if err := t.add(row, q.wants(t.seen)); err != nil {
			return nil, err
		}
		if t.seen%checkEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}

func (f *File) readCSV(ctx context.Context, q Query) (any, error) {
	t, err := f.parseCSV(ctx, q)
	if err != nil {
		return nil, err
	}
	return t.value(), nil
}
