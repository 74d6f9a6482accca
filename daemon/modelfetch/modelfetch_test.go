package modelfetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/perception/models"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a fetcher of two models of a server that sends half of a file and then waits until it is let go.
type rig struct {
	*Fetcher
	told chan api.ModelFetch
	rest chan struct{}
}

func newRig(t *testing.T) *rig {
	t.Helper()
	content := bytes.Repeat([]byte("reachy"), 50_000)
	r := &rig{told: make(chan api.ModelFetch, 100), rest: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.HasSuffix(req.URL.Path, "gone") {
			http.NotFound(w, req)
			return
		}
		if req.Header.Get("Range") != "" {
			w.Header().Set("Content-Range", "bytes "+strings.TrimPrefix(req.Header.Get("Range"), "bytes=")+"/*")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(content[len(content)/2:])
			return
		}
		_, _ = w.Write(content[:len(content)/2])
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.rest:
			_, _ = w.Write(content[len(content)/2:])
		case <-req.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	sum := sha256.Sum256(content)
	file := func(name string) []models.File {
		return []models.File{{Name: name + ".bin", Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), URL: server.URL + "/" + name}}
	}
	dir := t.TempDir()
	client := server.Client()
	r.Fetcher = &Fetcher{
		Store: &models.Store{Dirs: []string{dir}, Fetch: models.Fetch{Client: client}, Models: []models.Model{
			{Name: "one", Files: file("one")}, {Name: "gone", Files: file("gone")}, {Name: "odd", Files: file("odd")},
		}},
		Dir: dir, Publish: func(_ string, p api.Payload) { r.told <- p.(api.ModelFetch) },
		Elsewhere: func(name string) string { return map[string]string{"odd": "it is made elsewhere"}[name] },
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		client.CloseIdleConnections()
	})
	return r
}

// until waits for news of a state.
func (r *rig) until(t *testing.T, state string) api.ModelFetch {
	t.Helper()
	for {
		select {
		case n := <-r.told:
			if n.State == state {
				return n
			}
		case <-t.Context().Done():
			t.Fatal("in vain")
		}
	}
}

// is is what the list says of a model.
func (r *rig) is(name string) api.ModelInfo {
	for _, m := range r.List().Models {
		if m.Name == name {
			return m
		}
	}
	return api.ModelInfo{}
}

// half waits until half of a model has come, of which nobody is told each byte.
func (r *rig) half(t *testing.T) {
	t.Helper()
	for r.is("one").Done == 0 {
		if t.Context().Err() != nil {
			t.Fatal("in vain")
		}
	}
}

func TestAModelIsFetched(t *testing.T) {
	r := newRig(t)
	if m := r.is("one"); m.State != api.ModelMissing || m.Bytes != 300_000 {
		t.Errorf("before: %+v", m)
	}
	first, err := r.Pull("one")
	if err != nil || first.State != api.ModelFetching {
		t.Fatalf("%+v %v", first, err)
	}
	r.half(t)
	if m := r.is("one"); m.State != api.ModelFetching || m.Total != 300_000 || m.File != "one.bin" {
		t.Errorf("meanwhile: %+v", m)
	}
	var busy *command.Error
	if _, err := r.Pull("gone"); !errors.As(err, &busy) || busy.Code != api.CodeBusy {
		t.Errorf("a second one: %v", err)
	}
	if again, err := r.Pull("one"); err != nil || again.State != api.ModelFetching {
		t.Errorf("the same: %+v %v", again, err)
	}
	close(r.rest)
	if end := r.until(t, api.ModelHere); end.Done != end.Total || end.Message == "" {
		t.Errorf("the end: %+v", end)
	}
	if m := r.is("one"); m.State != api.ModelHere || m.Path != filepath.Join(r.Dir, "one.bin") {
		t.Errorf("after: %+v", m)
	}
	if again, err := r.Pull("one"); err != nil || again.State != api.ModelHere {
		t.Errorf("what is here: %+v %v", again, err)
	}
}

func TestFetchingIsCancelledAndGoesOn(t *testing.T) {
	r := newRig(t)
	var unknown *command.Error
	if err := r.Cancel("one"); !errors.As(err, &unknown) || unknown.Code != api.CodeUnknownName {
		t.Errorf("nothing to cancel: %v", err)
	}
	if _, err := r.Pull("one"); err != nil {
		t.Fatal(err)
	}
	r.half(t)
	if err := r.Cancel("one"); err != nil {
		t.Fatal(err)
	}
	r.until(t, api.ModelPartial)
	if m := r.is("one"); m.State != api.ModelPartial || m.Partial == 0 {
		t.Errorf("cancelled: %+v", m)
	}
	if _, err := r.Pull("one"); err != nil {
		t.Fatal(err)
	}
	r.until(t, api.ModelHere)
}

func TestModelsThatCannotBeFetched(t *testing.T) {
	r := newRig(t)
	if _, err := r.Pull("gone"); err != nil {
		t.Fatal(err)
	}
	if end := r.until(t, api.ModelFailed); !strings.Contains(end.Message, "404") {
		t.Errorf("%+v", end)
	}
	if m := r.is("gone"); m.State != api.ModelFailed || m.Message == "" {
		t.Errorf("%+v", m)
	}
	for name, code := range map[string]string{"nothing": api.CodeUnknownName, "odd": api.CodeNotAvailable} {
		var e *command.Error
		if _, err := r.Pull(name); !errors.As(err, &e) || e.Code != code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(filepath.Join(r.Dir, "mine.gguf"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if m := r.is("mine.gguf"); !m.Unlisted || m.State != api.ModelHere {
		t.Errorf("%+v", m)
	}
}

// Whoever ends in the middle waits for what is being fetched, and fetches nothing any more.
func TestCloseInTheMiddle(t *testing.T) {
	r := newRig(t)
	if _, err := r.Pull("one"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Close(), context.Cause(t.Context())); err != nil {
		t.Fatal(err)
	}
	r.until(t, api.ModelPartial)
	var e *command.Error
	if _, err := r.Pull("one"); !errors.As(err, &e) || e.Code != api.CodeUnavailable {
		t.Errorf("after the end: %v", err)
	}
}
