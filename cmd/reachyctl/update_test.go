package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

func TestUpdateCheck(t *testing.T) {
	page := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.UserAgent() != "reachyctl" || r.URL.RawQuery != "" {
				t.Errorf("it tells more than its question: %v %v", r.UserAgent(), r.URL)
			}
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	was := buildVersion
	t.Cleanup(func() { buildVersion = was })
	for _, c := range []struct {
		version, from string
		code          int
		want          string
	}{
		{"0.1", page(200, `{"tag_name": "v0.2", "html_url": "https://example.org/v0.2"}`), cli.ExitDone, "v0.2 is there (this is 0.1): https://example.org/v0.2"},
		{"0.2", page(200, `{"tag_name": "v0.2"}`), cli.ExitDone, "0.2 is up to date"},
		{"0.3+git4.abc", page(200, `{"tag_name": "v0.3"}`), cli.ExitDone, "is up to date"},
		{"d4d1826", page(200, `{"tag_name": "v0.2"}`), cli.ExitDone, "no number to compare; the newest release is v0.2"},
		{"0.1", page(404, `{}`), cli.ExitFailed, "no release yet"},
		{"0.1", page(500, ``), cli.ExitFailed, "answers 500"},
		{"0.1", page(200, `{}`), cli.ExitFailed, "is no release"},
		{"0.1", page(200, `<html>`), cli.ExitFailed, "is no release"},
		{"0.1", page(200, `{"tag_name": "`+strings.Repeat("9", 300)+`"}`), cli.ExitFailed, "is no release"},
		{"0.1", page(200, strings.Repeat(" ", 1<<20)+`{"tag_name": "1"}`), cli.ExitFailed, "more than 1048576 bytes"},
		{"0.1", gone.URL, cli.ExitFailed, "offline"},
		{"0.1", "nowhere", cli.ExitUsage, "is no URL"},
	} {
		buildVersion = c.version
		got := ctl(t, []string{"update", "check", "--from", c.from})
		if got.code != c.code || !strings.Contains(got.out+got.err, c.want) {
			t.Errorf("%s against %s: %+v, want %d and %q", c.version, c.from, got, c.code, c.want)
		}
	}
	buildVersion = "0.1"
	if got := ctl(t, []string{"--json", "update", "check", "--from", page(200, `{"tag_name": "v0.2"}`)}); !strings.Contains(got.out, `"newer":true`) {
		t.Errorf("%+v", got)
	}
}
