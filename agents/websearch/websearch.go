// Package websearch searches the web through a SearXNG instance of the owner's choice and reads pages as plain text.
//
// Everything that comes from the web is somebody else's text: it is bounded, stripped of what cannot be read, and never
// more than data to whoever asks.
package websearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/toolsandbox/host"
)

// What went wrong, for callers that tell it apart.
var (
	ErrOff     = errors.New("no search engine is configured: set web.searxng to the address of a SearXNG instance")
	ErrOffline = errors.New("the search engine cannot be reached")
	ErrRefused = errors.New("this page may not be read")
	ErrPage    = errors.New("this page cannot be read")
)

// Config says where to search and how much to read. Zero values take their defaults.
type Config struct {
	// SearXNG is the address of the instance, such as http://searx.lan:8888; it may be in the home. Empty: no search.
	SearXNG string
	// Language of the results, such as en; empty leaves it to the engine.
	Language string
	// SafeSearch is 0 (off), 1 (moderate) or 2 (strict).
	SafeSearch int
	// AllowPrivate are hosts with private addresses whose pages may be read; all others may not.
	AllowPrivate []string

	Results    int           // of one search; 5
	MaxPage    int64         // bytes of a page; 2 MiB
	MaxText    int           // characters of a page's text; 20 000
	SearchTime time.Duration // of one search; 10 s
	PageTime   time.Duration // of one page; 15 s
	MaxQuery   int           // characters; 400

	web host.WebConfig // of tests
}

// maxAnswer is the most bytes that a search engine's answer may have.
const maxAnswer = 4 << 20

// Result is one hit.
type Result struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
	Site    string `json:"site"` // host of the URL, for a person
}

// Found is what a search came to.
type Found struct {
	Query   string   `json:"query"`
	Answers []string `json:"answers,omitempty"` // that the engine gives itself: calculations, definitions
	Results []Result `json:"results"`
}

// Web searches and reads. It may be used by many goroutines at once.
type Web struct {
	c      Config
	engine *url.URL
	client *host.Web
}

// Open checks the settings; nothing is contacted yet.
func Open(c Config) (*Web, error) {
	for _, d := range []struct {
		v     *int
		usual int
	}{{&c.Results, 5}, {&c.MaxText, 20000}, {&c.MaxQuery, 400}} {
		if *d.v == 0 {
			*d.v = d.usual
		}
	}
	if c.MaxPage == 0 {
		c.MaxPage = 2 << 20
	}
	if c.SearchTime == 0 {
		c.SearchTime = 10 * time.Second
	}
	if c.PageTime == 0 {
		c.PageTime = 15 * time.Second
	}
	if c.SafeSearch < 0 || c.SafeSearch > 2 {
		return nil, fmt.Errorf("safe search: %d, allowed are 0, 1 and 2", c.SafeSearch)
	}
	w := &Web{c: c}
	allowed := c.web
	allowed.AllowPublic = true
	allowed.AllowPrivate = append(allowed.AllowPrivate, c.AllowPrivate...)
	allowed.Allow = append(allowed.Allow, c.AllowPrivate...)
	if c.SearXNG != "" {
		u, err := url.Parse(strings.TrimSuffix(c.SearXNG, "/"))
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" {
			return nil, fmt.Errorf("searxng: %q is not the address of an instance, such as http://searx.lan:8888", c.SearXNG)
		}
		w.engine = u
		at := strings.ToLower(u.Host) // the owner named it, so it may be in the home
		allowed.Allow = append(allowed.Allow, at)
		allowed.AllowPrivate = append(allowed.AllowPrivate, at)
	}
	client, err := host.NewWeb(allowed)
	if err != nil {
		return nil, fmt.Errorf("allow private: %w", err)
	}
	w.client = client
	return w, nil
}

// Close ends idle connections.
func (w *Web) Close() { w.client.Close() }

// Configured reports whether there is a search engine.
func (w *Web) Configured() bool { return w.engine != nil }

// Find searches. The error wraps ErrOff or ErrOffline.
func (w *Web) Find(ctx context.Context, query string) (found Found, err error) {
	ctx, span := trace.Start(ctx, trace.Search, "web", query)
	defer func() { span.End(err) }()
	query = strings.Join(strings.Fields(query), " ")
	switch n := len([]rune(query)); {
	case w.engine == nil:
		return found, ErrOff
	case n == 0:
		return found, errors.New("query: it is empty; say what to search for")
	case n > w.c.MaxQuery:
		return found, fmt.Errorf("query: it has %d characters; at most %d are allowed", n, w.c.MaxQuery)
	}
	ctx, cancel := context.WithTimeout(ctx, w.c.SearchTime)
	defer cancel()
	q := url.Values{"q": {query}, "format": {"json"}, "safesearch": {fmt.Sprint(w.c.SafeSearch)}}
	if w.c.Language != "" {
		q.Set("language", w.c.Language)
	}
	body, _, err := w.get(ctx, w.engine.JoinPath("search").String()+"?"+q.Encode(), "application/json", maxAnswer)
	if err != nil {
		return found, offline(err)
	}
	found, err = decode(body, w.c.Results)
	found.Query = query
	return found, err
}

// offline says in words why the engine did not answer.
func offline(err error) error {
	var status *statusError
	var dns *net.DNSError
	switch {
	case errors.As(err, &status) && status.code == http.StatusForbidden:
		return fmt.Errorf("%w: it answers no programs (403): add json to search.formats in its settings.yml", ErrOffline)
	case errors.As(err, &status) && status.code == http.StatusTooManyRequests:
		return fmt.Errorf("%w: it was asked too often (429); try again later", ErrOffline)
	case errors.As(err, &dns):
		return fmt.Errorf("%w: its name %s is not known here; is this machine online?", ErrOffline, dns.Name)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: it did not answer in time", ErrOffline)
	}
	return fmt.Errorf("%w: %w", ErrOffline, err)
}

// answer is what SearXNG's JSON API returns, as far as it is used. Answers were texts until 2024 and are objects since.
type answer struct {
	Results []struct {
		Title, URL, Content string
	}
	Answers []json.RawMessage
}

// decode reads the engine's answer; hits that are no web pages are left out.
func decode(body []byte, most int) (Found, error) {
	found := Found{Results: []Result{}}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return found, fmt.Errorf("%w: its answer is not what SearXNG answers: %w", ErrOffline, err)
	}
	for _, raw := range a.Answers {
		var text string
		var object struct{ Answer string }
		if json.Unmarshal(raw, &text) != nil && json.Unmarshal(raw, &object) == nil {
			text = object.Answer
		}
		if text = clean(text, maxSnippet); text != "" && len(found.Answers) < most {
			found.Answers = append(found.Answers, text)
		}
	}
	for _, r := range a.Results {
		u, err := url.Parse(r.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || len(r.URL) > maxAddress || len(found.Results) == most {
			continue
		}
		found.Results = append(found.Results, Result{
			Title: clean(r.Title, maxTitle), URL: u.String(), Snippet: clean(r.Content, maxSnippet),
			Site: strings.TrimPrefix(u.Hostname(), "www."),
		})
	}
	return found, nil
}

const (
	maxTitle   = 200 // characters
	maxSnippet = 600
	maxAddress = 2000 // bytes
)

// clean makes one line of a text: without what cannot be seen or would steer a terminal, cut at most characters.
func clean(text string, most int) string {
	text = strings.Join(strings.Fields(strings.Map(visible, strings.ToValidUTF8(text, ""))), " ")
	if r := []rune(text); len(r) > most {
		return strings.TrimSpace(string(r[:most-1])) + "…"
	}
	return text
}

// visible drops control, formatting (bidirectional, zero-width), private and tag characters: text can hide in them.
func visible(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r == ' ':
		return r
	case unicode.IsSpace(r):
		return ' '
	case !unicode.IsPrint(r):
		return -1
	}
	return r
}

// statusError is an answer that is none.
type statusError struct {
	code int
	host string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%s answers %d %s", e.host, e.code, http.StatusText(e.code))
}

// get reads one page and its content type.
func (w *Web) get(ctx context.Context, address, accept string, most int64) (body []byte, contentType string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Accept", accept)
	r.Header.Set("User-Agent", "reachyd/1 (a robot at home)")
	res, err := w.client.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close() //nolint:errcheck // nothing is lost
	if res.StatusCode != http.StatusOK {
		return nil, "", &statusError{res.StatusCode, r.URL.Host}
	}
	contentType, _, _ = mime.ParseMediaType(res.Header.Get("Content-Type"))
	if body, err = io.ReadAll(io.LimitReader(res.Body, most+1)); err != nil {
		return nil, "", err
	}
	if int64(len(body)) > most {
		return nil, "", fmt.Errorf("%s sends more than %d bytes, which is all that is read", r.URL.Host, most)
	}
	return body, contentType, nil
}
