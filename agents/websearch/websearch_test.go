package websearch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/toolsandbox/host"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open returns a Web for which every name but those of home lies in the public internet; all connections go to h.
func open(t *testing.T, c Config, h http.HandlerFunc) *Web {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c.web = host.WebConfig{
		Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
			switch {
			case strings.HasSuffix(name, ".lan"):
				return []netip.Addr{netip.MustParseAddr("192.168.1.5")}, nil
			case strings.HasSuffix(name, ".gone"):
				return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
			}
			return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
		},
		Dial: func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", server.Listener.Addr().String())
		},
	}
	w, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func reply(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

const hits = `{"query":"q","answers":["42", {"answer":"forty-two","url":"x"}],"infoboxes":[],"results":[
	{"title":"Ducks \u202e of\nthe world","url":"https://www.ducks.example.org/a?b=c","content":"Ducks  are  birds","engine":"x"},
	{"title":"no page","url":"javascript:alert(1)","content":"bad"},
	{"title":"no page","url":"//nowhere","content":"bad"},
	{"title":"Second","url":"http://two.example.org/","content":""},
	{"title":"Third","url":"http://three.example.org/","content":"c"},
	{"title":"Fourth","url":"http://four.example.org/","content":"d"}]}`

func TestFind(t *testing.T) {
	var asked string
	w := open(t, Config{SearXNG: "http://searx.lan:8888/", Language: "en", SafeSearch: 2, Results: 3}, func(rw http.ResponseWriter, r *http.Request) {
		asked = r.Host + r.URL.String()
		reply(200, "application/json", hits)(rw, r)
	})
	found, err := w.Find(t.Context(), "  what is\n a duck ")
	if err != nil {
		t.Fatal(err)
	}
	if want := "searx.lan:8888/search?format=json&language=en&q=what+is+a+duck&safesearch=2"; asked != want {
		t.Errorf("asked %s, want %s", asked, want)
	}
	want := `{what is a duck [42 forty-two] [{Ducks of the world https://www.ducks.example.org/a?b=c Ducks are birds ducks.example.org} ` +
		`{Second http://two.example.org/  two.example.org} {Third http://three.example.org/ c three.example.org}]}`
	if got := fmt.Sprint(found); got != want {
		t.Errorf("found\n%s, want\n%s", got, want)
	}
	text, err := w.Search(t.Context(), "what is a duck")
	if want := "42. (https://www.ducks.example.org/a?b=c)"; text != want || err != nil {
		t.Errorf("answer %q, %v; want %q", text, err, want)
	}
}

func TestAnswersInWords(t *testing.T) {
	for _, c := range []struct {
		f    Found
		want string
	}{
		{Found{Query: "x"}, `I found nothing about "x".`},
		{Found{Results: []Result{{Title: "T", URL: "http://a/"}}}, `I found "T". (http://a/)`},
		{
			Found{Results: []Result{{URL: "http://a/", Site: "a"}, {Snippet: "It is so", Site: "b", URL: "http://b/"}, {URL: "http://c/"}, {URL: "http://d/"}}},
			"b says: It is so. (http://a/, http://b/, http://c/)",
		},
	} {
		if got := c.f.Text(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.f, got, c.want)
		}
	}
}

func TestSearchThatCannotBe(t *testing.T) {
	engine := Config{SearXNG: "http://searx.lan:8888"}
	hasty := Config{SearXNG: "http://searx.lan:8888", SearchTime: 200 * time.Millisecond}
	for name, c := range map[string]struct {
		config Config
		h      http.HandlerFunc
		query  string
		is     error
		says   string
	}{
		"no engine":    {Config{}, reply(200, "", ""), "x", ErrOff, "set web.searxng"},
		"no query":     {engine, reply(200, "", ""), " \n ", nil, "query: it is empty"},
		"long query":   {engine, reply(200, "", ""), strings.Repeat("x", 401), nil, "query: it has 401 characters; at most 400"},
		"no JSON":      {engine, reply(403, "text/html", ""), "x", ErrOffline, "add json to search.formats"},
		"too often":    {engine, reply(429, "text/html", ""), "x", ErrOffline, "try again later"},
		"broken":       {engine, reply(200, "application/json", `{"results":`), "x", ErrOffline, "not what SearXNG answers"},
		"other status": {engine, reply(500, "", ""), "x", ErrOffline, "answers 500"},
		"offline":      {Config{SearXNG: "http://searx.gone"}, reply(200, "", ""), "x", ErrOffline, "is this machine online?"},
		"stalled":      {hasty, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "x", ErrOffline, "did not answer in time"},
		"huge":         {engine, reply(200, "application/json", strings.Repeat(" ", maxAnswer+1)), "x", ErrOffline, "more than 4194304 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := open(t, c.config, c.h).Find(t.Context(), c.query)
			if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
}

func article(paragraphs int) string {
	var b strings.Builder
	b.WriteString(`<html><head><title>On ducks</title></head><body><nav><a href=/a>Home</a><a href=/b>Login</a></nav><article><h1>On ducks</h1>`)
	for i := range paragraphs {
		fmt.Fprintf(&b, "<p>Paragraph %d: the duck is a bird, and as such it swims, it flies, and it walks, which few animals do equally badly.</p>", i)
	}
	b.WriteString(`<script>alert("x")</script></article><footer>Cookies, imprint</footer></body></html>`)
	return b.String()
}

func TestRead(t *testing.T) {
	w := open(t, Config{}, reply(200, "text/html; charset=utf-8", article(20)))
	p, err := w.Read(t.Context(), "http://www.ducks.example.org/on")
	if err != nil {
		t.Fatal(err)
	}
	if p.Title != "On ducks" || p.Site != "ducks.example.org" || p.Cut ||
		!strings.HasPrefix(strings.TrimPrefix(p.Text, "On ducks\n"), "Paragraph 0: the duck is a bird,") ||
		strings.Contains(p.Text, "alert") || strings.Contains(p.Text, "imprint") || strings.Contains(p.Text, "Login") {
		t.Errorf("read: %+v", p)
	}
	w = open(t, Config{MaxText: 100}, reply(200, "text/html", article(20)))
	if p, err = w.Read(t.Context(), "http://ducks.example.org/on"); err != nil || !p.Cut || utf8.RuneCountInString(p.Text) > 100 ||
		strings.HasSuffix(p.Text, " ") {
		t.Errorf("cut: %+v, %v", p, err)
	}
	w = open(t, Config{}, reply(200, "text/plain", "plain\x1b[2J \u202etext\n\n\nmore"))
	if p, err = w.Read(t.Context(), "http://ducks.example.org/on.txt"); err != nil || p.Text != "plain[2J text\nmore" {
		t.Errorf("plain text: %+v, %v", p, err)
	}
	// Latin-1, said only in the page itself.
	w = open(t, Config{}, reply(200, "text/html", "<meta charset=iso-8859-1><title>K\xe4se</title><p>"+strings.Repeat("K\xe4se schmeckt, sagt die Ente. ", 30)))
	if p, err = w.Read(t.Context(), "http://ducks.example.org/"); err != nil || p.Title != "Käse" || !strings.HasPrefix(p.Text, "Käse schmeckt") {
		t.Errorf("Latin-1: %+v, %v", p, err)
	}
}

func TestPagesThatAreNotRead(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(bytes.Repeat([]byte("duck "), 1<<20))
	_ = z.Close()
	html := func(body string) http.HandlerFunc { return reply(200, "text/html", body) }
	for name, c := range map[string]struct {
		address string
		h       http.HandlerFunc
		is      error
		says    string
	}{
		"this machine":     {"http://127.0.0.1/", html("x"), ErrRefused, "private address 127.0.0.1"},
		"the home":         {"http://router.lan/", html("x"), ErrRefused, "private address 192.168.1.5"},
		"another port":     {"http://ducks.example.org:22/", html("x"), ErrRefused, "port 22"},
		"a file":           {"file:///etc/passwd", html("x"), ErrPage, "scheme"},
		"not an address":   {"http://[::1", html("x"), ErrRefused, "no address"},
		"redirected home":  {"http://ducks.example.org/", http.RedirectHandler("http://router.lan/admin", http.StatusFound).ServeHTTP, ErrRefused, "192.168.1.5"},
		"redirected round": {"http://ducks.example.org/", http.RedirectHandler("http://ducks.example.org/", http.StatusFound).ServeHTTP, ErrPage, "redirects"},
		"a picture":        {"http://ducks.example.org/", reply(200, "image/png", "x"), ErrPage, `it is "image/png"`},
		"missing":          {"http://ducks.example.org/", reply(404, "text/html", "x"), ErrPage, "404 Not Found"},
		"empty":            {"http://ducks.example.org/", html("<html></html>"), ErrPage, "no text"},
		"too large":        {"http://ducks.example.org/", html(strings.Repeat("x", 2<<20+1)), ErrPage, "more than 2097152 bytes"},
		"a bomb": {"http://ducks.example.org/", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write(zipped.Bytes())
		}, ErrPage, "more than 2097152 bytes"},
		"too many elements": {"http://ducks.example.org/", html(strings.Repeat("<b>x</b>", maxElements+1)), ErrPage, "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := open(t, Config{}, c.h).Read(t.Context(), c.address)
			if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.says) {
				t.Errorf("page %+v, error %v, want %v with %q", p, err, c.is, c.says)
			}
		})
	}
}

func TestHomePagesMayBeAllowed(t *testing.T) {
	w := open(t, Config{AllowPrivate: []string{"wiki.lan"}}, reply(200, "text/html", article(9)))
	if _, err := w.Read(t.Context(), "http://wiki.lan/ducks"); err != nil {
		t.Error(err)
	}
}

func TestSettingsAreChecked(t *testing.T) {
	for _, c := range []struct {
		config Config
		says   string
	}{
		{Config{SearXNG: "searx.lan"}, `searxng: "searx.lan" is not the address`},
		{Config{SearXNG: "ftp://searx.lan"}, "is not the address"},
		{Config{SearXNG: "http://u:p@searx.lan"}, "is not the address"},
		{Config{SafeSearch: 3}, "safe search: 3, allowed are 0, 1 and 2"},
		{Config{AllowPrivate: []string{"http://x"}}, "allow private"},
	} {
		if _, err := Open(c.config); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.config, err, c.says)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(hits))
	f.Add([]byte(`{"answers":[null,{},[]],"results":[{"url":"http://x"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		found, err := decode(body, 5)
		if err != nil {
			return
		}
		text := found.Text()
		if len(found.Results) > 5 || !utf8.ValidString(text) || strings.ContainsAny(text, "\x1b\u202e\n") {
			t.Errorf("%q", text)
		}
	})
}

func FuzzReadable(f *testing.F) {
	f.Add([]byte(article(3)))
	f.Add([]byte("<table><p><svg><![CDATA[<math>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, text, err := readable(body, "text/html", nil)
		if err != nil {
			return
		}
		if out, _ := paragraphs(text, 100); utf8.RuneCountInString(out) > 100 || !utf8.ValidString(out) {
			t.Errorf("%q", out)
		}
	})
}
