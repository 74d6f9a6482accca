package guest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/sys"
)

// call is the host's side of one call.
type call struct {
	ctx    context.Context
	req    *Request
	limits Limits
	clock  *guestClock
	log    *limitedLog
	meter  meter

	in    []byte // what the guest has yet to read
	out   []byte // the beginning of its next line
	final *guestLine
}

// read gives the guest what waits for it.
func (c *call) read(p []byte) (int, error) {
	if len(c.in) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.in)
	c.in = c.in[n:]
	return n, nil
}

// write takes a piece of the guest's lines. It leaves the guest by a panic with a stop.
func (c *call) write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		piece, rest, whole := bytes.Cut(p, []byte{'\n'})
		if len(c.out)+len(piece) > c.limits.Output {
			panic(&stop{ReasonOutput, fmt.Sprintf("a line of more than %d bytes", c.limits.Output)})
		}
		if !whole {
			c.out = append(c.out, piece...)
			break
		}
		line := piece
		if len(c.out) > 0 {
			c.out = append(c.out, piece...)
			line = c.out
		}
		c.line(line)
		c.out = c.out[:0]
		p = rest
	}
	return n, nil
}

func (c *call) line(line []byte) {
	l, err := parseGuestLine(line)
	switch {
	case err != nil:
		panic(&stop{ReasonProtocol, err.Error()})
	case c.final != nil:
		panic(&stop{ReasonProtocol, "a line after the result"})
	case l.Call == nil:
		c.final = l
		return
	case len(c.in) > 0:
		panic(&stop{ReasonProtocol, "a host call before the last one's answer was read"})
	}
	h := HostCall{Name: *l.Call, Args: bytes.Clone(l.Args), At: c.clock.elapsed()}
	a := c.answer(h)
	if c.clock.virtual {
		c.clock.sleep(c.ctx, a.Pass)
	}
	a.Pass = 0
	c.in, err = appendLine(c.in[:0], a)
	if err != nil {
		panic(&stop{ReasonError, fmt.Sprintf("the host's answer to %s: %s", h.Name, err)})
	}
}

func (c *call) answer(h HostCall) answer {
	if s := c.meter.admit(h.At); s != nil {
		panic(s)
	}
	return hostAnswer(c.ctx, c.req, h)
}

// hostAnswer asks the host what the guest wants to know, if that was granted.
func hostAnswer(ctx context.Context, req *Request, h HostCall) answer {
	if req.Host == nil || !req.granted(h.Name) {
		return answer{Error: &HostError{"denied", fmt.Sprintf("%s was not granted to this tool", h.Name)}}
	}
	var passed time.Duration
	h.passed = &passed
	value, err := req.Host(ctx, h)
	if err == nil && len(value) > 0 {
		err = checkPlain(value)
	}
	if err != nil {
		coded := &HostError{"failed", err.Error()}
		errors.As(err, &coded)
		return answer{Error: coded, Pass: passed}
	}
	if len(value) == 0 {
		value = []byte("null")
	}
	return answer{Value: value, Pass: passed}
}

// meter counts host calls.
type meter struct {
	limits Limits
	total  int
	credit float64 // calls that may be made at once
	last   time.Duration
}

func newMeter(l Limits) meter { return meter{limits: l, credit: float64(l.CallsPerSecond)} }

// admit counts a call at a time on the guest's clock, and says why it is one too many.
func (m *meter) admit(at time.Duration) *stop {
	if m.total++; m.total > m.limits.Calls {
		return &stop{ReasonCalls, fmt.Sprintf("more than %d host calls", m.limits.Calls)}
	}
	perSecond := float64(m.limits.CallsPerSecond)
	m.credit = min(perSecond, m.credit+max(0, at-m.last).Seconds()*perSecond)
	m.last = max(m.last, at)
	if m.credit--; m.credit < 0 {
		return &stop{ReasonRate, fmt.Sprintf("more than %d host calls per second", m.limits.CallsPerSecond)}
	}
	return nil
}

// limitedLog keeps what a guest prints.
type limitedLog struct {
	limit int
	text  []byte
	sink  func([]byte) // told about every piece; may be nil
}

// Write leaves the guest by a panic with a stop when the log is full.
func (l *limitedLog) Write(p []byte) (int, error) {
	keep := p[:min(len(p), l.limit-len(l.text))]
	l.text = append(l.text, keep...)
	if l.sink != nil && len(keep) > 0 {
		l.sink(keep)
	}
	if len(keep) < len(p) {
		panic(&stop{ReasonLog, fmt.Sprintf("more than %d bytes printed", l.limit)})
	}
	return len(p), nil
}

// result is how a call ends that was stopped.
func (s *stop) result() Result { return ended(s.reason, s.message) }

// check fills in defaults and refuses what needs no interpreter to be refused.
func (r *Request) check() (Limits, *stop, error) {
	limits, err := r.Limits.withDefaults()
	switch {
	case err != nil:
		return limits, nil, err
	case r.Function == "":
		return limits, nil, errors.New("function: empty, allowed the name of a Python function")
	case r.Source != "" && r.Module != "":
		return limits, nil, errors.New("source and module: at most one must be given")
	case len(r.Source) > limits.Source:
		return limits, &stop{ReasonSource, fmt.Sprintf("%d bytes of source, allowed %d", len(r.Source), limits.Source)}, nil
	case len(r.Args) > limits.Args:
		return limits, &stop{ReasonArgs, fmt.Sprintf("%d bytes of arguments, allowed %d", len(r.Args), limits.Args)}, nil
	}
	if args := bytes.TrimSpace(r.Args); len(args) > 0 {
		if err := checkPlain(args); err != nil {
			return limits, &stop{ReasonArgs, "arguments: " + err.Error()}, nil
		}
		if args[0] != '{' {
			return limits, &stop{ReasonArgs, "arguments: not a JSON object"}, nil
		}
	}
	for _, name := range r.Grants {
		if err := checkCallName(name); err != nil {
			return limits, nil, fmt.Errorf("grants: %w", err)
		}
	}
	for name := range r.Files {
		if name == "" || strings.ContainsAny(name, "/\\\x00") || name == "." || name == ".." {
			return limits, nil, fmt.Errorf("files: name %q, allowed a plain file name", name)
		}
	}
	return limits, nil, nil
}

// Call runs one request in this process, in an interpreter as it was when the image was taken. It enforces every limit
// but Wall and CPU: WebAssembly cannot be interrupted, so those take a process that can be killed. Use a Sandbox.
func (i *Image) Call(ctx context.Context, req *Request) (Result, error) {
	in, err := i.ready(ctx)
	if err != nil {
		return Result{}, err
	}
	defer in.close()
	return in.run(ctx, req, nil)
}

// ready makes an instance for one call.
func (i *Image) ready(ctx context.Context) (*instance, error) {
	var in *instance
	files := callFiles{content: func() map[string][]byte { return in.call.files() }}
	in, err := i.instantiate(ctx, wazero.NewFSConfig().WithFSMount(noFiles{}, i.language.library()).WithFSMount(files, filesMount))
	return in, err // in is what files looks into
}

func (c *call) files() map[string][]byte {
	if c == nil || c.req == nil {
		return nil
	}
	return c.req.Files
}

// run is the only thing an instance is good for, once. log is told what the guest prints, while it prints.
func (in *instance) run(ctx context.Context, req *Request, log func([]byte)) (Result, error) {
	limits, refused, err := req.check()
	switch {
	case err != nil:
		return Result{}, err
	case refused != nil:
		return refused.result(), nil
	}
	began := time.Now()
	c := &call{ctx: ctx, req: req, limits: limits, clock: newGuestClock(req.Clock, began), log: &limitedLog{limit: limits.Log, sink: log}, meter: newMeter(limits)}
	t := task{Source: req.Source, Module: req.Module, Function: req.Function, Args: req.Args, Grants: req.Grants, Recursion: limits.Recursion}
	if len(t.Args) == 0 {
		t.Args = []byte("{}")
	}
	if t.Grants == nil {
		t.Grants = []string{}
	}
	if c.in, err = appendLine(nil, t); err != nil {
		return Result{}, fmt.Errorf("request: %w", err)
	}
	in.call = c
	in.memory.limit = uint64(limits.Memory)
	err = in.language.step(context.WithValue(ctx, instanceKey{}, in), in)
	res := c.outcome(err, in.memory.full)
	res.Log = string(c.log.text)
	res.Usage = Usage{Wall: time.Since(began), Clock: c.clock.elapsed(), Memory: int64(in.memory.size), Calls: c.meter.total}
	return res, nil
}

func (c *call) outcome(err error, memoryFull bool) Result {
	var s *stop
	var exit *sys.ExitError
	var failed bool // in its own way, not by a trap
	if errors.As(err, new(*stepError)) {
		failed, err = true, nil
	}
	switch {
	case errors.As(err, &s):
		return ended(s.reason, s.message)
	case err != nil && memoryFull:
		return ended(ReasonMemory, fmt.Sprintf("more than %d bytes of memory", c.limits.Memory))
	case errors.As(err, &exit):
		return ended(ReasonExit, fmt.Sprintf("the tool left the interpreter with exit code %d", exit.ExitCode()))
	case err != nil:
		first, _, _ := strings.Cut(err.Error(), "\n")
		return ended(ReasonCrash, "the interpreter trapped: "+first)
	case memoryFull && (c.final == nil || c.final.Error != nil && c.final.Error.Type == "SystemError"):
		// Short of memory, CPython may fail to say so.
		return ended(ReasonMemory, fmt.Sprintf("more than %d bytes of memory", c.limits.Memory))
	case c.final == nil || len(c.out) > 0 || failed:
		return ended(ReasonProtocol, "the tool ended without a result")
	case c.final.Error != nil:
		return Result{Reason: c.final.Reason, Error: c.final.Error}
	}
	return Result{Reason: ReasonOK, Value: c.final.Value}
}

func ended(r Reason, message string) Result {
	return Result{Reason: r, Error: &Error{Message: message}}
}
