package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

// document opens a PDF and collects its pages. The library would follow a tree of pages in circles, and goes through
// all of it for every page.
func (f *File) document(ctx context.Context) ([]pdf.Page, error) {
	r, err := pdf.NewReader(bytes.NewReader(f.Data), int64(len(f.Data)))
	if err != nil {
		return nil, f.damaged(err)
	}
	root := r.Trailer().Key("Root").Key("Pages")
	if n := root.Key("Count").Int64(); n > MaxPages {
		return nil, f.limit("pages", n, MaxPages)
	}
	tree := pageTree{ctx: ctx, f: f}
	if err := tree.walk(root, 1); err != nil {
		return nil, err
	}
	if len(tree.pages) == 0 {
		return nil, f.damaged(errors.New("it has no pages"))
	}
	return tree.pages, nil
}

type pageTree struct {
	ctx   context.Context
	f     *File
	pages []pdf.Page
	nodes int
}

func (t *pageTree) walk(v pdf.Value, depth int) error {
	t.nodes++
	switch {
	case t.ctx.Err() != nil:
		return context.Cause(t.ctx)
	case depth > MaxDepth:
		return t.f.damaged(errors.New("its pages are nested in a circle, or too deep"))
	case t.nodes > 2*MaxPages:
		return t.f.limit("pages and groups of pages or more", int64(t.nodes), 2*MaxPages)
	}
	if kind := v.Key("Type").Name(); kind == "Page" || kind == "" && v.Key("Kids").IsNull() && !v.IsNull() {
		up := v
		for n := 0; !up.IsNull(); n++ {
			if up = up.Key("Parent"); n > MaxDepth {
				return t.f.damaged(errors.New("a page has its parents in a circle, or too many"))
			}
		}
		if t.pages = append(t.pages, pdf.Page{V: v}); len(t.pages) > MaxPages {
			return t.f.limit("pages or more", int64(len(t.pages)), MaxPages)
		}
		return nil
	}
	kids := v.Key("Kids")
	for i := range kids.Len() {
		if err := t.walk(kids.Index(i), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// readPDF takes out the text of the pages. A page that is a picture has none.
func (f *File) readPDF(ctx context.Context, q Query) (any, error) {
	pages, err := f.document(ctx)
	if err != nil {
		return nil, err
	}
	if q.Skip >= len(pages) {
		return nil, f.errorf(CodeQuery, "it has %d pages, there is none after %d", len(pages), q.Skip)
	}
	out := &Pages{Pages: []string{}}
	size := 0
	for i, page := range pages {
		if !q.wants(i) {
			continue
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
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
