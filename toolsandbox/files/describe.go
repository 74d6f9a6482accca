package files

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Most of what Info lists: an author, or the context of a language model, needs no more.
const (
	maxListed = 50
	sampleLen = 500 // bytes
)

// Info describes a file to whoever writes a tool for it.
type Info struct {
	Name     string   `json:"name"`
	Type     Type     `json:"type"`
	Size     int      `json:"size"` // bytes
	Encoding string   `json:"encoding,omitempty"`
	Lines    int      `json:"lines,omitempty"`
	Rows     int      `json:"rows,omitempty"` // without the header
	Columns  []Column `json:"columns,omitempty"`
	Sheets   []Sheet  `json:"sheets,omitempty"`
	Pages    int      `json:"pages,omitempty"`
	Width    int      `json:"width,omitempty"` // pixels
	Height   int      `json:"height,omitempty"`
	Members  []Member `json:"members,omitempty"`
	Count    int      `json:"count,omitempty"`  // of all members of an archive, items of a list, keys of an object, columns
	Shape    string   `json:"shape,omitempty"`  // of JSON, YAML, XML: "object", "list of object", the root element
	Keys     []string `json:"keys,omitempty"`   // of an object, or of the first item of a list
	Sample   string   `json:"sample,omitempty"` // the beginning of a text
}

// Column describes a column of a table.
type Column struct {
	Name    string `json:"name"`
	Type    string `json:"type"` // integer, number, boolean, date or text
	Example string `json:"example,omitempty"`
	Empty   int    `json:"empty,omitempty"` // cells without a value
}

// Sheet describes a sheet of a workbook.
type Sheet struct {
	Name    string   `json:"name"`
	Rows    int      `json:"rows"`
	Columns []Column `json:"columns"`
}

// Describe says what is in a file. Whatever it describes, Read can read, except that it may be more than MaxOutput. The
// error is an *Error, or ctx's.
func Describe(ctx context.Context, f *File) (*Info, error) {
	info := &Info{Name: f.Name, Type: f.Type, Size: len(f.Data), Encoding: f.encoding}
	if err := f.describe(ctx, info); err != nil {
		return nil, err
	}
	return info, nil
}

func (f *File) describe(ctx context.Context, info *Info) (err error) {
	defer f.guard(&err)
	if f.Type.isText() {
		text := f.wholeText()
		info.Lines = bytes.Count(text, []byte{'\n'})
		if len(text) > 0 && text[len(text)-1] != '\n' {
			info.Lines++
		}
		info.Sample = shorten(string(text[:min(len(text), sampleLen+1)]), sampleLen)
	}
	switch {
	case f.Type == CSV || f.Type == TSV:
		t, err := f.parseCSV(ctx, Query{Skip: math.MaxInt})
		if err != nil {
			return err
		}
		info.Rows, info.Columns, info.Count = t.seen, listed(t.describe()), len(t.columns)
	case f.Type == JSON:
		v, err := f.readJSON(ctx)
		if err != nil {
			return err
		}
		var parsed any
		if err := json.Unmarshal(v.(json.RawMessage), &parsed); err != nil {
			return f.damaged(err)
		}
		info.shape(parsed)
	case f.Type == YAML:
		v, err := f.readYAML()
		if err != nil {
			return err
		}
		info.shape(v)
	case f.Type == XML:
		v, err := f.readXML(ctx)
		if err != nil {
			return err
		}
		root := v.(*Element)
		info.Shape, info.Count = shorten(root.Name, 100), len(root.Children)
		for _, c := range root.Children {
			if name := shorten(c.Name, 100); !slices.Contains(info.Keys, name) && len(info.Keys) < maxListed {
				info.Keys = append(info.Keys, name)
			}
		}
	case f.Type == Excel:
		return f.describeExcel(ctx, info)
	case f.Type == PDF:
		pages, err := f.document(ctx)
		if err != nil {
			return err
		}
		info.Pages = len(pages)
	case f.Type.IsImage():
		info.Width, info.Height, err = f.dimensions()
	case f.Type.isArchive():
		var members []Member
		members, err = f.list(ctx)
		info.Members, info.Count = listed(members), len(members)
	}
	return err
}

func listed[T any](s []T) []T { return s[:min(len(s), maxListed)] }

func (f *File) describeExcel(ctx context.Context, info *Info) error {
	book, err := f.workbook(ctx)
	if err != nil {
		return err
	}
	defer book.Close() //nolint:errcheck // only read
	names := book.GetSheetList()
	info.Count = len(names)
	for _, name := range listed(names) {
		t, err := f.sheet(ctx, book, name, Query{Skip: math.MaxInt})
		if err != nil {
			return fmt.Errorf("sheet %.80q: %w", name, err)
		}
		info.Sheets = append(info.Sheets, Sheet{name, t.seen, listed(t.describe())})
	}
	return nil
}

// shape says what a value is, one level deep.
func (i *Info) shape(v any) {
	i.Shape = kindOfValue(v)
	switch v := v.(type) {
	case map[string]any:
		i.Count = len(v)
		i.keys(v)
	case []any:
		i.Count = len(v)
		if len(v) > 0 {
			i.Shape = "list of " + kindOfValue(v[0])
			if first, ok := v[0].(map[string]any); ok {
				i.keys(first)
			}
		}
	}
}

func (i *Info) keys(m map[string]any) {
	for _, k := range listed(slices.Sorted(maps.Keys(m))) {
		i.Keys = append(i.Keys, shorten(k, 100))
	}
}

func kindOfValue(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "object"
	case []any:
		return "list"
	case string:
		return "text"
	case bool:
		return "boolean"
	}
	return "number"
}
