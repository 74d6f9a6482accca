package websearch

import (
	"context"
	"fmt"
	"strings"
)

// Search returns a short text that answers the query, with its sources: what the engine answers itself, else what the
// first results say. It is the search_web of a robot without a language model.
func (w *Web) Search(ctx context.Context, query string) (string, error) {
	found, err := w.Find(ctx, query)
	if err != nil {
		return "", err
	}
	return found.Text(), nil
}

// Text puts what was found into words, with the sources.
func (f Found) Text() string {
	if len(f.Answers) > 0 {
		return sentence(f.Answers[0]) + f.sources(1)
	}
	for i, r := range f.Results {
		if r.Snippet != "" {
			return fmt.Sprintf("%s says: %s", r.Site, sentence(r.Snippet)) + f.sources(i+2)
		}
	}
	if len(f.Results) > 0 {
		return fmt.Sprintf("I found %q.", f.Results[0].Title) + f.sources(1)
	}
	return fmt.Sprintf("I found nothing about %q.", f.Query)
}

// sources names the sites of the first results, at most three.
func (f Found) sources(most int) string {
	most = min(len(f.Results), max(1, min(most, 3)))
	if most == 0 {
		return ""
	}
	sites := make([]string, most)
	for i, r := range f.Results[:most] {
		sites[i] = r.URL
	}
	return " (" + strings.Join(sites, ", ") + ")"
}

func sentence(s string) string {
	if s == "" || strings.ContainsRune(".!?…", []rune(s)[len([]rune(s))-1]) {
		return s
	}
	return s + "."
}
