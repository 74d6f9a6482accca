package guest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Config says how a Sandbox works. The zero value is good for a robot.
type Config struct {
	Image ImageConfig
	// Command starts a worker: a program and the arguments with which it calls WorkerMain. Empty means this program
	// with WorkerArg.
	Command []string
	// RunDir is where the sockets of workers are. Empty means the system's temporary folder.
	RunDir string
	// Workers is how many calls run at a time; further ones wait in line. 0: one per processor, 2 to 4.
	Workers int
	// Extra is how many more may run once a call has stood in line for Patience: a call that only waits must not keep the others
	// from running. A call that has stood in line for Refuse gets ErrBusy. 0: none, and nobody is refused.
	Extra            int
	Patience, Refuse time.Duration
	// Idle is how long after the last call the workers are given back. 0: a minute.
	Idle time.Duration
	// Modules makes Image.Modules and NumpyModules before the first call; nil: they are as they are.
	Modules func() (lean, numpy map[string]string, err error)
	// NumpyModules are the Modules of the image with the real numpy. Where they are given and the interpreter with numpy
	// is installed (cross/numpy-pack.sh), Python tools that import numpy, PIL or pandas run in that.
	NumpyModules map[string]string
	// Unconfined lets workers run without the kernel's confinement, which emulators do not have.
	Unconfined bool

	lone bool // no spare stands by
}

// MaxNesting is how deep calls may go on from a host call of another call.
const MaxNesting = 3

// Sandbox runs calls in worker processes. It costs nothing before its first call, and gives its workers back when there was
// none for a while. A call that passes its time is ended by ending its worker; another one stands by, warm.
type Sandbox struct {
	opening  chan struct{} // of one place: held while the image is prepared; a channel, so that waiting for it ends with a context
	prepared atomic.Bool   // what follows is set
	config   Config
	imageDir string
	inUse    []*os.File                    // of folders of the cache; see use
	slots    [MaxNesting + 1]chan struct{} // per depth, so that a nested call never waits for its own caller
	extra    chan struct{}                 // for outermost calls that have stood in line too long
	ctx      context.Context
	cancel   context.CancelFunc
	work     sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	idle     []*process
	starting int           // workers that will stand by
	waiting  int           // calls that wait for one of those
	changed  chan struct{} // closed when one of those is there, or failed
	reaper   *time.Timer
	runtimes map[string]*languageRuntime // for other languages than the image's
	stats    Stats
}

// Stats counts what a sandbox has done.
type Stats struct {
	Calls   uint64            `json:"calls"`
	Started uint64            `json:"started"` // worker processes
	Waiting int               `json:"waiting"` // calls that stand in line now, first come, first served
	Ended   map[Reason]uint64 `json:"ended"`   // calls by reason
}

// New returns a sandbox. Nothing is prepared and no worker started before the first call.
func New(c Config) *Sandbox {
	if c.Workers <= 0 {
		c.Workers = min(max(runtime.NumCPU(), 2), 4)
	}
	if c.Idle <= 0 {
		c.Idle = time.Minute
	}
	if c.RunDir == "" {
		c.RunDir = os.TempDir()
	}
	s := &Sandbox{
		opening: make(chan struct{}, 1), config: c, changed: make(chan struct{}), runtimes: map[string]*languageRuntime{}, stats: Stats{Ended: map[Reason]uint64{}},
	}
	s.extra = make(chan struct{}, c.Extra)
	for i := range s.slots {
		s.slots[i] = make(chan struct{}, c.Workers)
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.reaper = time.AfterFunc(c.Idle, s.reap)
	return s
}

// Open is New, and starts a worker at once, so that it fails when this machine has no sandbox (ErrUnavailable).
func Open(ctx context.Context, c Config) (*Sandbox, error) {
	s := New(c)
	err := s.ready(ctx)
	if err == nil {
		var p *process
		if p, err = s.start(ctx); err == nil {
			s.put(p)
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// ready prepares Python when that was not done yet, which takes seconds.
func (s *Sandbox) ready(ctx context.Context) error {
	if s.prepared.Load() {
		return nil
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.work.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	select {
	case s.opening <- struct{}{}:
		defer func() { <-s.opening }()
	case <-ctx.Done():
		return s.ended(ctx)
	}
	switch {
	case s.prepared.Load():
		return nil
	case ctx.Err() != nil:
		return s.ended(ctx)
	}
	if err := s.open(ctx); err != nil {
		if ctx.Err() != nil {
			err = s.ended(ctx)
		}
		return err
	}
	s.prepared.Store(true)
	return nil
}

// open completes the configuration and prepares the image. The caller holds opening.
func (s *Sandbox) open(ctx context.Context) (err error) {
	c := &s.config
	if c.Modules != nil {
		if c.Image.Modules, c.NumpyModules, err = c.Modules(); err != nil {
			return err
		}
	}
	if c.Image.Language == "" && c.Image.Python == "" && !Installed(Python) && Installed(Numpy) {
		c.Image.Language = Numpy // larger, but to be had where the lean one cannot be built
		if c.NumpyModules != nil {
			c.Image.Modules = c.NumpyModules
		}
	}
	c.Image = c.Image.withDefaults()
	if len(c.Command) == 0 {
		exe, err := os.Executable()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		c.Command = []string{exe, WorkerArg}
	}
	if s.imageDir, err = c.Image.dir(); err != nil {
		return err
	}
	if done, err := c.Image.Prepared(); err != nil {
		return err
	} else if !done {
		if err := s.prepare(ctx, stepPrepare); err != nil {
			return err
		}
	}
	for _, dir := range []string{s.imageDir, codeDir(s.imageDir)} {
		f, err := use(dir)
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.inUse = append(s.inUse, f)
		s.mu.Unlock()
	}
	return nil
}

// prepare makes the image in a process of its own: compiling takes memory that this one need not keep.
func (s *Sandbox) prepare(ctx context.Context, step string) error {
	config, err := json.Marshal(s.config.Image)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, s.config.Command[0], append(s.config.Command[1:len(s.config.Command):len(s.config.Command)], step)...)
	cmd.Stdin = bytes.NewReader(config)
	cmd.Env = []string{"GOGC=50"}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: preparing Python: %w: %s", ErrUnavailable, err, bytes.TrimSpace(out))
	}
	return nil
}

func (s *Sandbox) start(ctx context.Context) (*process, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	p, err := startProcess(ctx, s.config.Command, s.imageDir, s.config.RunDir, s.config.Unconfined)
	if errors.As(err, new(*imageError)) {
		if err = s.prepare(ctx, stepRepair); err == nil {
			p, err = startProcess(ctx, s.config.Command, s.imageDir, s.config.RunDir, s.config.Unconfined)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s.mu.Lock()
	s.stats.Started++
	s.mu.Unlock()
	return p, nil
}

// startTimeout is generous: a worker takes a tenth of a second where nothing else runs, and with the race detector a second.
const startTimeout = 60 * time.Second * startSlowdown

type nestingKey struct{}

// RequestError is what is wrong with a request: a mistake of the caller.
type RequestError struct{ error }

// Unwrap returns the mistake.
func (e *RequestError) Unwrap() error { return e.error }

// Call runs a request. What goes wrong in the tool is told in the Result; an error means that the request is wrong (RequestError),
// that ctx ended, or that there is no sandbox (ErrUnavailable, ErrClosed).
func (s *Sandbox) Call(ctx context.Context, req *Request) (Result, error) {
	if err := s.ready(ctx); err != nil {
		return Result{}, err
	}
	if other, err := s.runtime(ctx, req); err != nil {
		return Result{}, err
	} else if other != nil {
		its := *req
		its.Language, its.Wasm = "", nil
		r, err := other.Call(ctx, &its)
		if err != nil {
			return r, err
		}
		return s.count(r), nil
	}
	if req.Limits.Memory == 0 && s.config.Image.Language == Numpy {
		its := *req
		its.Limits.Memory = numpyMemory
		req = &its
	}
	limits, refused, err := req.check()
	switch {
	case err != nil:
		return Result{}, &RequestError{err}
	case req.Source == "" && req.Module == "" && s.config.Image.Language != WASI:
		return Result{}, &RequestError{errors.New("source and module: both empty, allowed exactly one")}
	case refused != nil:
		return s.count(ended(refused.reason, refused.message)), nil
	}
	depth, _ := ctx.Value(nestingKey{}).(int)
	if depth > MaxNesting {
		return Result{}, fmt.Errorf("tools call tools to a depth of %d, allowed %d", depth, MaxNesting)
	}
	if err := s.enter(); err != nil {
		return Result{}, err
	}
	defer s.work.Done()
	ctx, cancel := context.WithCancel(context.WithValue(ctx, nestingKey{}, depth+1))
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()

	leave, err := s.stand(ctx, depth)
	if err != nil {
		return Result{}, err
	}
	defer leave()
	p, err := s.get(ctx)
	if err != nil {
		return Result{}, err
	}
	res, reusable, err := p.call(ctx, req, limits)
	if reusable {
		s.put(p)
	} else {
		s.discard(p)
		s.warm()
	}
	if err != nil {
		if ctx.Err() != nil {
			err = s.ended(ctx)
		}
		return Result{}, err
	}
	return s.count(res), nil
}

// stand waits in line for a slot, which leave gives back. Channels serve those who wait in the order of their coming.
func (s *Sandbox) stand(ctx context.Context, depth int) (leave func(), err error) {
	slots := s.slots[depth]
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	default:
	}
	s.inLine(1)
	defer s.inLine(-1)
	var extra chan struct{} // nil: not yet
	var patient, refused <-chan time.Time
	if s.config.Extra > 0 && depth == 0 {
		p, r := time.NewTimer(s.config.Patience), time.NewTimer(s.config.Refuse)
		defer p.Stop()
		defer r.Stop()
		patient, refused = p.C, r.C
	}
	for {
		select {
		case slots <- struct{}{}:
			return func() { <-slots }, nil
		case extra <- struct{}{}:
			return func() { <-extra }, nil
		case <-patient:
			extra = s.extra
		case <-refused:
			return nil, ErrBusy
		case <-ctx.Done():
			return nil, s.ended(ctx)
		}
	}
}

func (s *Sandbox) inLine(n int) {
	s.mu.Lock()
	s.stats.Waiting += n
	s.mu.Unlock()
}

// enter counts a piece of work that Close waits for.
func (s *Sandbox) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.work.Add(1)
	return nil
}

func (s *Sandbox) ended(ctx context.Context) error {
	if s.ctx.Err() != nil {
		return ErrClosed
	}
	return ctx.Err()
}

func (s *Sandbox) count(r Result) Result {
	s.mu.Lock()
	s.stats.Calls++
	s.stats.Ended[r.Reason]++
	s.mu.Unlock()
	return r
}

// Stats returns the counts so far.
func (s *Sandbox) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.stats
	c.Ended = map[Reason]uint64{}
	for r, n := range s.stats.Ended {
		c.Ended[r] = n
	}
	return c
}

// busy says whether a call is running.
func (s *Sandbox) busy() bool {
	for _, slots := range s.slots {
		if len(slots) > 0 {
			return true
		}
	}
	return len(s.extra) > 0
}

// Confinement says what confines a worker that stands by.
func (s *Sandbox) Confinement() Confinement {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) == 0 {
		return Confinement{}
	}
	return s.idle[0].confinement
}

// Workers are the sockets of the workers that stand by, for curl --unix-socket.
func (s *Sandbox) Workers() (sockets []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.idle {
		sockets = append(sockets, filepath.Join(p.dir, socketName))
	}
	return sockets
}

// Close ends all calls and workers and waits for them. Further calls get ErrClosed.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	s.closed = true
	s.reaper.Stop()
	s.mu.Unlock()
	s.cancel()
	s.work.Wait()
	s.mu.Lock()
	idle, runtimes, inUse := s.idle, s.runtimes, s.inUse
	s.idle, s.runtimes, s.inUse = nil, nil, nil
	s.mu.Unlock()
	for _, p := range idle {
		p.close()
	}
	var err error
	for _, f := range inUse {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	for _, b := range runtimes {
		if b.box != nil {
			err = errors.Join(err, b.box.Close())
		}
	}
	return err
}
