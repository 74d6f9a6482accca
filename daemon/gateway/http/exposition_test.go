package http

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Fifty who ask for metrics at once wait for two answers at most; each format is what was asked for.
func TestMetricsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int32
		e := &exposition{full: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			made.Add(1)
			time.Sleep(time.Second) // of the bubble
			w.Header().Set("X-Encoding", r.Header.Get("Accept-Encoding"))
			_, _ = io.WriteString(w, "reachyd_turns_total 1\n")
		})}
		ask := func(accept, encoding, want string) {
			r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			r.Header.Set("Accept", accept)
			r.Header.Set("Accept-Encoding", encoding)
			w := httptest.NewRecorder()
			e.ServeHTTP(w, r)
			if w.Code != http.StatusOK || w.Header().Get("X-Encoding") != want || !strings.Contains(w.Body.String(), "turns_total") {
				t.Errorf("%q %q: %d %v %s", accept, encoding, w.Code, w.Header(), w.Body)
			}
		}
		began := time.Now()
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { ask("*/*", "gzip, deflate", "gzip") })
		}
		all.Wait()
		if n, took := made.Load(), time.Since(began); n > 2 || took > 2*time.Second {
			t.Errorf("%d answers were made in %v", n, took)
		}
		ask("text/plain", "", "identity")
		ask("application/openmetrics-text", "br", "br")
	})
}
