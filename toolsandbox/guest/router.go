package guest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/modules"
)

// numpyMemory is what a tool with the real numpy may use when it was not said, in bytes: its interpreter begins at 64 MB.
const numpyMemory = 192 << 20

// wantsNumpy finds the imports that the lean Python has at most a subset of. It need not be exact: both run the tool.
var wantsNumpy = regexp.MustCompile(`(?m)^[ \t]*(?:import|from)[ \t]+(?:[\w.]+[ \t]*,[ \t]*)*(?:numpy|PIL|pandas)\b`)

// language is what a request wants to be run by.
func (s *Sandbox) language(req *Request) Language {
	switch {
	case req.Language != "" && req.Language != Python:
		return req.Language
	case req.Language == "" && s.config.Image.Language != Python:
		return s.config.Image.Language
	case s.config.Image.Language == Numpy: // which is Python too
		return Numpy
	case req.Module != "" && s.config.NumpyModules[req.Module] == "":
	case s.config.NumpyModules != nil && (wantsNumpy.MatchString(req.Source) || wantsNumpy.MatchString(req.For)) && Installed(Numpy):
		return Numpy
	}
	return Python
}

// languageRuntime is a sandbox for another language than this one's, opened by the first call that needs it.
type languageRuntime struct {
	ready chan struct{} // closed when the fields below are set
	box   *Sandbox
	err   error
	used  time.Time // guarded by the parent's mu
}

// maxRuntimes is how many other interpreters and modules a sandbox keeps open; more end the one that was not used for
// longest.
const maxRuntimes = 4

// runtime returns the sandbox for a request in another language, or nil when it is this one.
func (s *Sandbox) runtime(ctx context.Context, req *Request) (*Sandbox, error) {
	l := s.language(req)
	if l == s.config.Image.Language && len(req.Wasm) == 0 {
		return nil, nil
	}
	image := ImageConfig{Language: l, Cache: s.config.Image.Cache}
	key := string(l)
	switch l {
	case Numpy:
		image.Modules = s.config.NumpyModules
	case JavaScript:
	case WASI:
		if len(req.Wasm) == 0 {
			return nil, errors.New("wasm: empty, allowed a WebAssembly module")
		}
		if len(req.Wasm) > modules.MaxSize {
			return nil, fmt.Errorf("wasm: %d bytes, allowed %d (modules.MaxSize)", len(req.Wasm), modules.MaxSize)
		}
		key = modules.Sum(req.Wasm)
	default:
		return nil, fmt.Errorf("language: %q, allowed %q", l, []Language{Python, Numpy, JavaScript, WASI})
	}

	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, ErrClosed
	}
	b := s.runtimes[key]
	var old *languageRuntime
	if b == nil {
		b = &languageRuntime{ready: make(chan struct{})}
		s.runtimes[key] = b
		old = s.oldest()
		s.work.Add(1)
		go s.openRuntime(key, b, image, slices.Clone(req.Wasm))
	}
	b.used = time.Now()
	s.mu.Unlock()
	if old != nil {
		_ = old.box.Close() // has no error of its own
	}
	select {
	case <-b.ready:
		return b.box, b.err
	case <-ctx.Done(): // it goes on being prepared for the next call
		return nil, s.ended(ctx)
	}
}

// oldest takes away the runtime that was not used for longest, if there are too many. mu is held.
func (s *Sandbox) oldest() (old *languageRuntime) {
	if len(s.runtimes) <= maxRuntimes {
		return nil
	}
	at := ""
	for key, b := range s.runtimes {
		select {
		case <-b.ready:
			if b.box != nil && !b.box.busy() && (old == nil || b.used.Before(old.used)) {
				old, at = b, key
			}
		default:
		}
	}
	delete(s.runtimes, at)
	return old
}

func (s *Sandbox) openRuntime(key string, b *languageRuntime, image ImageConfig, wasm []byte) {
	defer s.work.Done()
	defer close(b.ready)
	if image.Language == WASI {
		image.Module = filepath.Join(s.config.Image.Cache, "module-"+key+".wasm")
		b.err = errors.Join(os.MkdirAll(s.config.Image.Cache, 0o700), writeSparse(image.Module, wasm))
	}
	if b.err == nil {
		b.box, b.err = Open(s.ctx, Config{
			Image: image, Command: s.config.Command, RunDir: s.config.RunDir, Workers: s.config.Workers, Idle: s.config.Idle,
			Extra: s.config.Extra, Patience: s.config.Patience, Refuse: s.config.Refuse,
			Unconfined: s.config.Unconfined, lone: true,
		})
	}
	if b.err != nil { // the next call tries again
		s.mu.Lock()
		delete(s.runtimes, key)
		s.mu.Unlock()
	}
}
