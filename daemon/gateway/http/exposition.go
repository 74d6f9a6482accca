package http

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"strings"

	"github.com/reachyd/reachyd/daemon/batch"
)

// exposition answers Prometheus. Those who ask for text at once share an answer, packed or not; the other formats are each made anew.
type exposition struct {
	full          http.Handler
	plain, packed batch.Batch[*recorded]
}

// ServeHTTP implements http.Handler.
func (e *exposition) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if accept := r.Header.Get("Accept"); strings.Contains(accept, "openmetrics") || strings.Contains(accept, "protobuf") {
		e.full.ServeHTTP(w, r)
		return
	}
	answers, encoding := &e.plain, "identity"
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		answers, encoding = &e.packed, "gzip"
	}
	a, err := answers.Do(r.Context(), func(ctx context.Context) (*recorded, error) {
		q := r.Clone(ctx)
		q.Header = http.Header{"Accept-Encoding": {encoding}}
		a := &recorded{header: http.Header{}, status: http.StatusOK}
		e.full.ServeHTTP(a, q)
		return a, nil
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes()) // a client that is gone has no use for the error
}

// recorded is an answer that is kept.
type recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *recorded) Header() http.Header         { return a.header }
func (a *recorded) WriteHeader(status int)      { a.status = status }
func (a *recorded) Write(b []byte) (int, error) { return a.body.Write(b) }
