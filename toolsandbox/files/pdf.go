package files

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

// document opens a PDF and counts its pages.
func (f *File) document() (*pdf.Reader, int, error) {
	r, err := pdf.NewReader(bytes.NewReader(f.Data), int64(len(f.Data)))
	if err != nil {
		return nil, 0, f.damaged(err)
	}
	n := r.NumPage()
	if n < 1 {
		return nil, 0, f.damaged(fmt.Errorf("it has %d pages", n))
	}
	if n > MaxPages {
		return nil, 0, f.limit("pages", int64(n), MaxPages)
	}
	return r, n, nil
}

// readPDF takes out the text of the pages. A page that is a picture has none.
func (f *File) readPDF(ctx context.Context, q Query) (any, error) {
	r, n, err := f.document()
	if err != nil {
		return nil, err
	}
	if q.Skip >= n {
		return nil, f.errorf(CodeQuery, "it has %d pages, there is none after %d", n, q.Skip)
	}
	out := &Pages{Pages: []string{}}
	size := 0
	for i := q.Skip; i < n && !q.done(i); i++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		page := r.Page(i + 1)
		if page.V.IsNull() {
			return nil, f.damaged(fmt.Errorf("page %d is missing", i+1))
		}
		text, err := page.GetPlainText(nil)
		if err != nil {
			return nil, f.damaged(fmt.Errorf("page %d: %w", i+1, err))
		}
		text = strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd"))
		if size += len(text); size > MaxText {
			return nil, f.limit("bytes of text or more", int64(size), MaxText)
		}
		out.Pages = append(out.Pages, text)
	}
	return out, nil
}
