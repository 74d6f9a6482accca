package models

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// content is what a server has, in two files.
var content = map[string][]byte{"model.bin": random(700_000, 1), "model.bin.json": random(900, 2)}

func random(n int, seed byte) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// server serves content, and misbehaves as its fields say.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	cutAfter int    // bytes of each answer; 0 is all
	ignore   bool   // the range that is asked for
	status   int    // instead of 200
	extra    []byte // after the end
	wrong    bool   // an answer to another range
	ranges   []string
}

func serve(t *testing.T) *server {
	t.Helper()
	s := new(server)
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ranges = append(s.ranges, r.Header.Get("Range"))
	if s.status != 0 {
		w.WriteHeader(s.status)
		return
	}
	body := content[filepath.Base(r.URL.Path)]
	from := 0
	if text := strings.TrimSuffix(strings.TrimPrefix(r.Header.Get("Range"), "bytes="), "-"); text != "" && !s.ignore {
		from, _ = strconv.Atoi(text)
		at := from
		if s.wrong {
			at++
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", at, len(body)-1, len(body)))
		w.Header().Set("Content-Length", strconv.Itoa(len(body)-from+len(s.extra)))
		w.WriteHeader(http.StatusPartialContent)
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)+len(s.extra)))
	}
	rest := append(bytes.Clone(body[from:]), s.extra...)
	if s.cutAfter > 0 && len(rest) > s.cutAfter {
		_, _ = w.Write(rest[:s.cutAfter])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler) // the connection breaks
	}
	_, _ = w.Write(rest)
}

// store is a catalogue of one model on that server.
func store(url string, dirs ...string) *Store {
	m := Model{Name: "test", Kind: Speech}
	for _, name := range []string{"model.bin", "model.bin.json"} {
		sum := sha256.Sum256(content[name])
		m.Files = append(m.Files, File{Name: name, Size: int64(len(content[name])), SHA256: hex.EncodeToString(sum[:]), URL: url + "/" + name})
	}
	// Connections of its own, closed at once, so that nothing is left of a test.
	return &Store{Dirs: dirs, Models: []Model{m}, Fetch: Fetch{Client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}}
}

func whole(t *testing.T, dir string) {
	t.Helper()
	for name, want := range content {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*"+partSuffix)); left != nil {
		t.Errorf("left over: %v", left)
	}
}
