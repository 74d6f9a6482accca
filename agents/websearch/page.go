package websearch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"codeberg.org/readeck/go-readability"
	"codeberg.org/readeck/go-readability/render"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
)

// Page is the readable part of a web page.
type Page struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	Site  string `json:"site"`
	Text  string `json:"text"`
	Cut   bool   `json:"cut,omitempty"` // there was more
}

// maxElements is how many elements a page may have: more would take long to understand.
const maxElements = 50_000

// Read fetches a page and returns what a person would read of it. The error wraps ErrRefused or ErrPage.
func (w *Web) Read(ctx context.Context, address string) (page Page, err error) {
	ctx, span := trace.Start(ctx, trace.Search, "page", address)
	defer func() { span.End(err) }()
	u, err := url.Parse(address)
	if err != nil || len(address) > maxAddress {
		return page, fmt.Errorf("%w: %.100q is no address of a web page", ErrRefused, address)
	}
	ctx, cancel := context.WithTimeout(ctx, w.c.PageTime)
	defer cancel()
	body, kind, err := w.get(ctx, address, "text/html, text/plain;q=0.9, application/xhtml+xml;q=0.9", w.c.MaxPage)
	var refused *guest.HostError
	switch {
	case errors.As(err, &refused) && refused.Code == host.CodeForbidden:
		return page, fmt.Errorf("%w: %s", ErrRefused, refused.Message)
	case err != nil:
		return page, fmt.Errorf("%w: %w", ErrPage, err)
	}
	page = Page{URL: address, Site: strings.TrimPrefix(u.Hostname(), "www.")}
	var text string
	switch kind {
	case "text/html", "application/xhtml+xml", "":
		page.Title, text, err = readable(body, kind, u)
	case "text/plain", "text/markdown", "application/json":
		text = string(body)
	default:
		return page, fmt.Errorf("%w: it is %.60q; read are HTML and plain text", ErrPage, kind)
	}
	if err != nil {
		return page, fmt.Errorf("%w: %w", ErrPage, err)
	}
	page.Title = clean(page.Title, maxTitle)
	page.Text, page.Cut = paragraphs(text, w.c.MaxText)
	if page.Text == "" {
		return page, fmt.Errorf("%w: there is no text on it", ErrPage)
	}
	return page, nil
}

// readable returns the title and the main text of an HTML page; all its text when no part of it is the main one.
func readable(body []byte, kind string, u *url.URL) (title, text string, err error) {
	defer func() { // pages are hostile, and the parser is large
		if v := recover(); v != nil {
			err = fmt.Errorf("its HTML is broken: %v", v)
		}
	}()
	decoded, err := charset.NewReader(bytes.NewReader(body), kind)
	if err != nil {
		return "", "", err
	}
	doc, err := html.Parse(decoded)
	if err != nil {
		return "", "", err
	}
	p := readability.NewParser()
	p.MaxElemsToParse = maxElements
	a, err := p.ParseDocument(doc, u)
	switch {
	case err != nil:
		return "", "", err
	case a.Node == nil:
		return a.Title, render.InnerText(doc), nil
	}
	return a.Title, render.InnerText(a.Node), nil
}

// paragraphs cleans a text line by line and cuts it at most characters, between words.
func paragraphs(text string, most int) (out string, cut bool) {
	var b strings.Builder
	room := most
	for line := range strings.Lines(text) {
		line = clean(line, most)
		if line == "" {
			continue
		}
		r := []rune(line)
		if len(r) > room {
			part := string(r[:room])
			if space := strings.LastIndexByte(part, ' '); space > 0 {
				part = part[:space]
			}
			b.WriteString(part)
			return strings.TrimSpace(b.String()), true
		}
		b.WriteString(line)
		b.WriteByte('\n')
		room -= len(r) + 1
		if room <= 0 {
			return strings.TrimSpace(b.String()), true
		}
	}
	return strings.TrimSpace(b.String()), false
}
