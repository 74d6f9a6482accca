package models

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

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
		err := store(srv.URL).Pull(t.Context(), "test", part(t, content["model.bin"][:100]), nil)
		if err == nil || !strings.Contains(err.Error(), "byte 100 was asked for") {
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
			strings.TrimPrefix(base, "http://") + " cannot be reached", base + "/model.bin", "700 kB",
			s.Models[0].Files[0].SHA256, "copy it to",
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
