package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/reachyd/reachyd/daemon/access"
)

// Every file is the same for a client that takes gzip and for one that does not, whichever of the two lies in the program.
func TestFilesAreSentZippedAndPlain(t *testing.T) {
	mux := http.NewServeMux()
	Page{}.Mount(mux)
	get := func(path, encoding string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(access.With(t.Context(), access.Everything("test")), http.MethodGet, path, http.NoBody)
		r.Header.Set("Accept-Encoding", encoding)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return w
	}
	for name, a := range assets() {
		switch name {
		case "/index.html":
			name = "/"
		case "/docs.html":
			name = "/docs"
		default:
			if a.packed || name == "/vendor/README" {
				break
			}
			name = "/page" + name
		}
		plain, zipped := get(name, ""), get(name, "gzip")
		if plain.Code != http.StatusOK || plain.Header().Get("Content-Type") == "" || zipped.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: %d, %v, %v", name, plain.Code, plain.Header(), zipped.Header())
			continue
		}
		z, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		data, err := io.ReadAll(z)
		if err != nil || len(data) == 0 || !bytes.Equal(data, plain.Body.Bytes()) {
			t.Errorf("%s: %d bytes zipped, %d plain, %v", name, len(data), plain.Body.Len(), err)
		}
	}
}
