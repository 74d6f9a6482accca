package models

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
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

func TestPullAndFind(t *testing.T) {
	srv := serve(t)
	dir := filepath.Join(t.TempDir(), "new", "models")
	s := store(srv.URL, t.TempDir(), dir)
	if _, err := s.Find("test"); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "reachyctl models pull test") {
		t.Errorf("before: %v", err)
	}
	var seen []Progress
	if err := s.Pull(t.Context(), "test", dir, func(p Progress) { seen = append(seen, p) }); err != nil {
		t.Fatal(err)
	}
	whole(t, dir)
	if path, err := s.Find("test"); err != nil || path != filepath.Join(dir, "model.bin") {
		t.Errorf("%s, %v", path, err)
	}
	last := Progress{}
	for _, p := range seen {
		if p.File == last.File && p.Done < last.Done || p.Done > p.Total || p.Resumed != 0 {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
	}
	if last != (Progress{File: "model.bin.json", Done: 900, Total: 900}) {
		t.Errorf("in the end %+v", last)
	}
	// What is there is not fetched again, but looked at.
	asked := len(srv.ranges)
	if err := s.Pull(t.Context(), "test", dir, nil); err != nil || len(srv.ranges) != asked {
		t.Errorf("%v, %d requests", err, len(srv.ranges)-asked)
	}
	damaged := bytes.Clone(content["model.bin"])
	damaged[1000] ^= 1
	if err := os.WriteFile(filepath.Join(dir, "model.bin"), damaged, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Pull(t.Context(), "test", dir, nil); err != nil {
		t.Error(err)
	}
	whole(t, dir)
}

func TestABrokenConnectionIsTakenUpAgain(t *testing.T) {
	srv := serve(t)
	srv.cutAfter = 300_000
	dir := t.TempDir()
	if err := store(srv.URL).Pull(t.Context(), "test", dir, nil); err != nil {
		t.Fatal(err)
	}
	whole(t, dir)
	if got := strings.Join(srv.ranges, " "); got != " bytes=300000- bytes=600000- " {
		t.Errorf("asked for %q", got)
	}
}

func TestALaterPullGoesOn(t *testing.T) {
	srv := serve(t)
	dir := t.TempDir()
	s := store(srv.URL, dir)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Pull(ctx, "test", dir, func(p Progress) {
		if p.Done > 200_000 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if l := s.List(); l[0].Path != "" || l[0].Partial < 200_000 || l[0].Partial >= 700_000 {
		t.Errorf("%+v", l[0])
	}
	var first Progress
	if err := s.Pull(t.Context(), "test", dir, func(p Progress) {
		if first.File == "" {
			first = p
		}
	}); err != nil {
		t.Fatal(err)
	}
	whole(t, dir)
	if first.Resumed < 200_000 || first.Done != first.Resumed || srv.ranges[1] != "bytes="+strconv.FormatInt(first.Resumed, 10)+"-" {
		t.Errorf("it began at %+v and asked for %q", first, srv.ranges[1])
	}
	if l := s.List(); l[0].Path != filepath.Join(dir, "model.bin") || l[0].Partial != 0 {
		t.Errorf("%+v", l[0])
	}
}

func TestServersThatDoNotResume(t *testing.T) {
	part := func(t *testing.T, b []byte) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "model.bin"+partSuffix), b, 0o644); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	t.Run("but send everything", func(t *testing.T) {
		srv := serve(t)
		srv.ignore = true
		dir := part(t, []byte("what was there before"))
		if err := store(srv.URL).Pull(t.Context(), "test", dir, nil); err != nil {
			t.Fatal(err)
		}
		whole(t, dir)
	})
	t.Run("but send something else", func(t *testing.T) {
		srv := serve(t)
		srv.wrong = true
		if err := store(srv.URL).Pull(t.Context(), "test", part(t, content["model.bin"][:100]), nil); err == nil ||
			!strings.Contains(err.Error(), "byte 100 was asked for") {
			t.Error(err)
		}
	})
	t.Run("and the part is longer than the file", func(t *testing.T) {
		srv := serve(t)
		dir := part(t, random(800_000, 9))
		if err := store(srv.URL).Pull(t.Context(), "test", dir, nil); err != nil {
			t.Fatal(err)
		}
		whole(t, dir)
	})
	t.Run("and the part is complete", func(t *testing.T) {
		srv := serve(t)
		dir := part(t, content["model.bin"])
		if err := store(srv.URL).Pull(t.Context(), "test", dir, nil); err != nil || len(srv.ranges) != 1 {
			t.Errorf("%v, %d requests", err, len(srv.ranges))
		}
		whole(t, dir)
	})
	t.Run("and the part is of another file", func(t *testing.T) {
		srv := serve(t)
		dir := part(t, random(100_000, 9))
		if err := store(srv.URL).Pull(t.Context(), "test", dir, nil); !errors.Is(err, ErrChecksum) || !strings.Contains(err.Error(), "thrown away") {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "model.bin"+partSuffix)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it is still there: %v", err)
		}
		if err := store(srv.URL).Pull(t.Context(), "test", dir, nil); err != nil {
			t.Error(err)
		}
		whole(t, dir)
	})
}

func TestBadServers(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*server)
		is   error
		says string
	}{
		"not found":   {func(s *server) { s.status = http.StatusNotFound }, nil, "404 Not Found"},
		"unavailable": {func(s *server) { s.status = http.StatusServiceUnavailable }, nil, "503"},
		"no range":    {func(s *server) { s.status = http.StatusRequestedRangeNotSatisfiable }, nil, "416"},
		"more":        {func(s *server) { s.extra = []byte{1} }, ErrTooBig, "allowed are 700000 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := serve(t)
			c.set(srv)
			s := store(srv.URL)
			dir := t.TempDir()
			err := s.Pull(t.Context(), "test", dir, nil)
			if err == nil || !strings.Contains(err.Error(), c.says) || c.is != nil && !errors.Is(err, c.is) {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(dir, "model.bin")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("half a file has the name of a whole one: %v", err)
			}
		})
	}
}

func TestAServerThatSendsNoMoreIsGivenUp(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") == "" {
			_, _ = w.Write(content["model.bin"][:1000])
		} else {
			w.Header().Set("Content-Range", "bytes 1000-699999/700000")
			w.WriteHeader(http.StatusPartialContent)
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(srv.Close)
	s := store(srv.URL)
	s.Fetch.Stall = 100 * time.Millisecond
	dir := t.TempDir()
	// The first attempt brought something, so there is a second; that one brings nothing.
	if err := s.Pull(t.Context(), "test", dir, nil); err == nil || !strings.Contains(err.Error(), "sent nothing for 100ms, 1000 of 700000 bytes") {
		t.Error(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "model.bin"+partSuffix)); err != nil || info.Size() != 1000 {
		t.Errorf("what came is not kept: %v", err)
	}
}

func TestOfflineSaysWhatToDo(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close() // nobody listens there any more
	for _, base := range []string{"http://" + address, "http://host.invalid"} {
		s := store(base)
		s.Fetch.Stall = 2 * time.Second // where names are asked for in vain
		err = s.Pull(t.Context(), "test", t.TempDir(), nil)
		if !errors.Is(err, ErrOffline) {
			t.Fatal(err)
		}
		for _, part := range []string{
			strings.TrimPrefix(base, "http://") + " cannot be reached", base + "/model.bin", "700 kB", s.Models[0].Files[0].SHA256,
			"copy it to",
		} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q is not in: %v", part, err)
			}
		}
	}
	// A server that takes the connection and never answers.
	hang, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer hang.Close()
	s := store("http://" + hang.Addr().String())
	s.Fetch.Stall = 50 * time.Millisecond
	if err := s.Pull(t.Context(), "test", t.TempDir(), nil); !errors.Is(err, ErrOffline) {
		t.Error(err)
	}
}

func TestDisksThatFail(t *testing.T) {
	srv := serve(t)
	s := store(srv.URL)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Pull(t.Context(), "test", file, nil); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("the directory is a file: %v", err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "model.bin"+partSuffix), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.Pull(t.Context(), "test", dir, nil); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("the part is a directory: %v", err)
	}
	dir = t.TempDir()
	part := filepath.Join(dir, "model.bin"+partSuffix)
	if err := os.Symlink("/dev/full", part); err != nil {
		t.Fatal(err)
	}
	if err := s.Pull(t.Context(), "test", dir, nil); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk: %v", err)
	}
	if _, err := os.Lstat(part); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what filled the disk is still there: %v", err)
	}
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "model.bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.Pull(t.Context(), "test", dir, nil); err == nil || !strings.Contains(err.Error(), "fetching model.bin") {
		t.Errorf("a directory has the file's name: %v", err)
	}
}

func TestTwoProcessesDoNotFetchTheSame(t *testing.T) {
	srv := serve(t)
	dir := t.TempDir()
	other, err := os.OpenFile(filepath.Join(dir, "model.bin"+partSuffix), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := unix.Flock(int(other.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if err := store(srv.URL).Pull(t.Context(), "test", dir, nil); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
}

func TestFind(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	s := store("", a, b, "/nowhere")
	put := func(dir, name string, n int) {
		if err := os.WriteFile(filepath.Join(dir, name), content["model.bin"][:n], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	missing := func(why string) {
		t.Helper()
		if p, err := s.Find("test"); !errors.Is(err, ErrMissing) {
			t.Errorf("%s: %q, %v", why, p, err)
		}
	}
	put(a, "model.bin", 700_000)
	missing("its other file is not there")
	put(b, "model.bin.json", 900)
	missing("its other file is elsewhere")
	put(a, "model.bin.json", 899)
	missing("its other file is too short")
	put(a, "model.bin.json", 900)
	if p, err := s.Find("test"); err != nil || p != filepath.Join(a, "model.bin") {
		t.Errorf("%q, %v", p, err)
	}
	if name, p, err := s.First("test"); err != nil || name != "test" || p == "" {
		t.Errorf("%q, %q, %v", name, p, err)
	}
	if _, _, err := s.First("/none", "/neither"); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "/none, /neither") {
		t.Error(err)
	}
	if _, _, err := s.First("/none"); !errors.Is(err, ErrMissing) || !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, _, err := s.First("/none", "tset", "test"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	if _, err := s.Find("tset"); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "known are test") {
		t.Error(err)
	}
	if err := s.Pull(t.Context(), "tset", a, nil); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	// A path is a model of the user's own.
	own := filepath.Join(b, "own.bin")
	if _, err := s.Find(own); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
	put(b, "own.bin", 10)
	if p, err := s.Find(own); p != own || err != nil {
		t.Errorf("%q, %v", p, err)
	}
	if _, err := s.Find(b); !errors.Is(err, ErrMissing) {
		t.Errorf("a directory: %v", err)
	}
	s.Models[0].Files = s.Models[0].Files[:1]
	s.Models[0].Files[0].Alias = "other.bin"
	s.Dirs = []string{b}
	missing("only the alias could be there")
	put(b, "other.bin", 700_000)
	if p, err := s.Find("test"); err != nil || p != filepath.Join(b, "other.bin") {
		t.Errorf("%q, %v", p, err)
	}
}

func TestDirs(t *testing.T) {
	env := map[string]string{"REACHYD_MODELS": "/a::/b", "HOME": "/home/x"}
	dirs := Dirs("/data", func(k string) string { return env[k] })
	want := []string{"/a", "/b", "/data/models", "/home/x/.cache/reachyd/models"}
	if len(dirs) < 4 || strings.Join(dirs[:4], " ") != strings.Join(want, " ") {
		t.Errorf("%v", dirs)
	}
	env["XDG_CACHE_HOME"] = "/xdg"
	if d := Dirs("", func(k string) string { return env[k] }); d[2] != "/xdg/reachyd/models" {
		t.Errorf("%v", d)
	}
	env["REACHYD_CACHE"] = "/cache"
	if d := Dirs("", func(k string) string { return env[k] }); d[2] != "/cache/models" {
		t.Errorf("%v", d)
	}
	t.Chdir(t.TempDir())
	if d := Dirs("", func(string) string { return "" }); len(d) != 0 {
		t.Errorf("with nothing set, outside of the checkout: %v", d)
	}
	root := t.TempDir()
	shared := filepath.Join(root, "shared", "data")
	deep := filepath.Join(root, "checkout", "a", "b")
	for _, d := range []string{shared, deep} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "checkout", "go.mod"), []byte("module github.com/reachyd/reachyd\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(deep)
	if d := Dirs("", func(string) string { return "" }); len(d) != 1 || !sameFile(t, d[0], shared) {
		t.Errorf("beside the checkout: %v", d)
	}
}

func sameFile(t *testing.T, a, b string) bool {
	t.Helper()
	x, err := os.Stat(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.Stat(b)
	if err != nil {
		t.Fatal(err)
	}
	return os.SameFile(x, y)
}

func TestTheCatalogueIsWellFormed(t *testing.T) {
	names, files := map[string]bool{}, map[string]bool{}
	for _, m := range Catalogue() {
		if m.Name == "" || names[m.Name] || m.Kind == "" || m.About == "" || m.Licence == "" || len(m.Files) == 0 {
			t.Errorf("%+v", m)
		}
		names[m.Name] = true
		for _, f := range m.Files {
			u, err := url.Parse(f.URL)
			if err != nil || u.Scheme != "https" || filepath.Base(u.Path) != f.Name {
				t.Errorf("%s: %q, %v", f.Name, f.URL, err)
			}
			if sum, err := hex.DecodeString(f.SHA256); err != nil || len(sum) != sha256.Size || f.Size <= 0 {
				t.Errorf("%s: checksum %q, %d bytes", f.Name, f.SHA256, f.Size)
			}
			if filepath.Base(f.Name) != f.Name || files[f.Name] || strings.HasSuffix(f.Name, partSuffix) {
				t.Errorf("file name %q", f.Name)
			}
			files[f.Name] = true
		}
	}
	if m, err := byName(catalogue, "silero-v6.2.0"); err != nil || m.Size() != 885098 {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := byName(catalogue, "whisper-9000"); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "tiny.en-q8_0") {
		t.Error(err)
	}
	if l := new(Store).List(); len(l) != len(Catalogue()) {
		t.Errorf("%d of %d", len(l), len(Catalogue()))
	}
}

func TestTheChecksumOfSileroIsRight(t *testing.T) {
	s := NewStore("", os.Getenv)
	path, err := s.Find("silero-v6.2.0")
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	m, err := byName(catalogue, "silero-v6.2.0")
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(t.Context(), path, &m.Files[0]); err != nil {
		t.Error(err)
	}
	if err := verify(t.Context(), path, &File{SHA256: strings.Repeat("0", 64)}); !errors.Is(err, ErrChecksum) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := verify(ctx, path, &m.Files[0]); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestChecksumTellsReadErrors(t *testing.T) {
	if _, err := checksum(t.Context(), io.MultiReader(strings.NewReader("x"), failing{})); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, syscall.EIO }

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 999: "999 bytes", 1000: "1 kB", 885098: "885 kB", 43550795: "43.6 MB", 1 << 31: "2147.5 MB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %q instead of %q", n, got, want)
		}
	}
}
