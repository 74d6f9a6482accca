package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Query says which part of a file is wanted. The zero value is all of it.
type Query struct {
	Sheet  string `json:"sheet,omitempty"`  // of a workbook; empty: the first
	Member string `json:"member,omitempty"` // of an archive; empty: the list of members
	// Skip and Count choose rows of a table or pages of a PDF. Count 0: all of them.
	Skip  int `json:"skip,omitempty"`
	Count int `json:"count,omitempty"`
	// Side is the most pixels that an image has in width and height; it is made smaller if need be. 0: 1024.
	Side int `json:"side,omitempty"`
}

func (f *File) checkQuery(q Query) error {
	if q.Skip < 0 || q.Count < 0 || q.Side < 0 || q.Side > maxSide {
		return f.errorf(CodeQuery, "skip %d, count %d, side %d: allowed are 0 and more, and a side of at most %d", q.Skip, q.Count, q.Side, maxSide)
	}
	return nil
}

// wants says whether item i is chosen by Skip and Count.
func (q Query) wants(i int) bool { return i >= q.Skip && (q.Count == 0 || i-q.Skip < q.Count) }

// The plain data that Read returns.
type (
	// Table is what is read of CSV, TSV and a sheet. Cells are null, booleans, numbers or strings.
	Table struct {
		Columns []string `json:"columns"`
		Rows    [][]any  `json:"rows"`
	}
	// Pages is what is read of a PDF.
	Pages struct {
		Pages []string `json:"pages"`
	}
	// Image is what is read of an image: rows from the top, three bytes red, green, blue for each pixel.
	Image struct {
		Width  int    `json:"width"`
		Height int    `json:"height"`
		Pixels []byte `json:"pixels"` // base64 in JSON
	}
	// Element is what is read of XML.
	Element struct {
		Name       string            `json:"name"` // without the name space
		Attributes map[string]string `json:"attributes,omitempty"`
		Text       string            `json:"text,omitempty"`
		Children   []*Element        `json:"children,omitempty"`
	}
	// Member is what is listed of an archive.
	Member struct {
		Name string `json:"name"`
		Size int64  `json:"size"`
		Type Type   `json:"type,omitempty"` // what its name says
	}
)

// Read returns what is in a file as JSON: text as a string, JSON and YAML as the value that they stand for, and else a
// Table, Pages, an Image, an Element, or a list of Member. A member of an archive is read like a file. The error is an
// *Error, or ctx's.
func Read(ctx context.Context, f *File, q Query) (json.RawMessage, error) {
	if err := f.checkQuery(q); err != nil {
		return nil, err
	}
	if f.Type.isArchive() && q.Member != "" {
		m, err := f.member(ctx, q.Member)
		if err != nil {
			return nil, err
		}
		q.Member = ""
		return Read(ctx, m, q)
	}
	v, err := f.value(ctx, q)
	if err != nil {
		return nil, err
	}
	out, err := json.Marshal(v)
	if err != nil {
		return nil, f.damaged(err)
	}
	if len(out) > MaxOutput {
		return nil, f.limit("bytes of data (ask for a part of it)", int64(len(out)), MaxOutput)
	}
	return out, nil
}

func (f *File) value(ctx context.Context, q Query) (v any, err error) {
	defer f.guard(&err)
	switch {
	case f.Type == Text:
		return string(f.wholeText()), nil
	case f.Type == CSV || f.Type == TSV:
		return f.readCSV(ctx, q)
	case f.Type == JSON:
		return f.readJSON(ctx)
	case f.Type == XML:
		return f.readXML(ctx)
	case f.Type == YAML:
		return f.readYAML()
	case f.Type == Excel:
		return f.readExcel(ctx, q)
	case f.Type == PDF:
		return f.readPDF(ctx, q)
	case f.Type.IsImage():
		return f.readImage(q)
	case f.Type.isArchive():
		return f.list(ctx)
	}
	return nil, f.errorf(CodeType, "type %q cannot be read", f.Type)
}

// guard makes an error of the panic of a library that met something unexpected.
func (f *File) guard(err *error) {
	if p := recover(); p != nil {
		*err = f.damaged(fmt.Errorf("%v", p))
	}
}

// own reports whether err is about the file already, or the caller gave up.
func own(err error) bool {
	return errors.As(err, new(*Error)) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// wrap makes an error about the file of any other.
func (f *File) wrap(err error) error {
	if err == nil || own(err) {
		return err
	}
	return f.damaged(err)
}
