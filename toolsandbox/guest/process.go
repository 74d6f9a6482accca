package guest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// process is a worker process, seen from its parent. It runs one call at a time.
type process struct {
	cmd      *exec.Cmd
	client   *http.Client
	dir      string // of its socket
	lifeline io.Closer
	stderr   *tail
	exited   chan struct{} // closed when the process is gone and stderr is whole
	walls    Confinement
}

// startProcess starts a worker and waits until it can be called.
func startProcess(ctx context.Context, command []string, imageDir, runDir string, unconfined bool) (*process, error) {
	dir, listener, err := listenWorker(runDir)
	if err != nil {
		return nil, err
	}
	p := &process{dir: dir, stderr: &tail{}, exited: make(chan struct{})}
	socket := filepath.Join(dir, socketName)
	p.client = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		},
		DisableCompression: true,
		MaxIdleConns:       1,
	}}
	err = p.spawn(command, imageDir, listener, unconfined)
	err = errors.Join(err, listener.Close()) // the worker's copy stays; when it dies, connecting fails
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := p.health(ctx); err != nil {
		p.kill()
		<-p.exited
		return nil, fmt.Errorf("worker process: %w: %s", err, p.stderr)
	}
	return p, nil
}

func (p *process) spawn(command []string, imageDir string, listener *net.UnixListener, unconfined bool) error {
	file, err := listener.File()
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // a copy
	walls := sealed
	if unconfined {
		walls = unsealed
	}
	args := append(slices.Clone(command[1:]), stepRestrict, imageDir, walls)
	p.cmd = exec.Command(command[0], args...) //nolint:noctx // its end is a SIGKILL at a moment of our choice
	p.cmd.Env = workerEnv
	p.cmd.Dir = "/"
	p.cmd.Stderr = p.stderr
	p.cmd.ExtraFiles = []*os.File{file}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	lifeline, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	p.lifeline = lifeline
	started := make(chan error)
	go func() {
		// Pdeathsig comes when the thread that started the process ends, so that thread stays.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		_ = p.cmd.Wait() // how it ended is of no interest; what it said is in stderr
		p.client.CloseIdleConnections()
		_ = os.RemoveAll(p.dir)
		close(p.exited)
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("starting %s: %w", command[0], errors.Join(err, lifeline.Close()))
	}
	return nil
}

func (p *process) health(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://sandbox/healthz", nil)
	if err != nil {
		return err
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // read-only
	var h struct {
		Walls Confinement `json:"walls"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&h); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	p.walls = h.Walls
	return nil
}

// kill ends the process at once. Nothing is lost with it.
func (p *process) kill() { _ = p.cmd.Process.Kill() } // an error says that it is gone already

// close ends an idle process and waits for it.
func (p *process) close() {
	p.kill()
	<-p.exited
}

func (p *process) alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// cpu is the processor time that the process has used.
func (p *process) cpu() time.Duration {
	const processClock = 2 // CPUCLOCK_SCHED of the whole process, as clock_getcpuclockid makes it
	var t unix.Timespec
	if err := unix.ClockGettime(^int32(p.cmd.Process.Pid)<<3|processClock, &t); err != nil {
		return 0 // it is gone
	}
	return time.Duration(t.Nano())
}

// watch kills the process when a call lasts too long. It returns a function that ends the watch and says what it did.
func (p *process) watch(ctx context.Context, l Limits, cpu0 time.Duration) (end func() *stop) {
	var verdict atomic.Pointer[stop]
	done, quit := make(chan struct{}), make(chan struct{})
	deadline := time.Now().Add(l.Wall)
	go func() {
		defer close(done)
		timer := time.NewTimer(0)
		defer timer.Stop()
		for {
			select {
			case <-quit:
				return
			case <-ctx.Done():
				p.kill()
				return
			case <-timer.C:
			}
			wall, cpu := time.Until(deadline), l.CPU-(p.cpu()-cpu0)
			switch {
			case cpu <= 0:
				verdict.Store(&stop{ReasonCPU, fmt.Sprintf("more than %s of processor time", l.CPU)})
				p.kill()
				return
			case wall <= 0:
				verdict.Store(&stop{ReasonTimeout, fmt.Sprintf("not done within %s", l.Wall)})
				p.kill()
				return
			}
			// Two processors can use the rest in half the time.
			timer.Reset(min(wall, max(cpu/2, time.Millisecond)))
		}
	}()
	return func() *stop {
		close(quit)
		<-done
		return verdict.Load()
	}
}

// call runs a request in the process. reusable says whether the process can run another one.
func (p *process) call(ctx context.Context, req *Request, limits Limits) (res Result, reusable bool, err error) {
	began, cpu0 := time.Now(), p.cpu()
	end := p.watch(ctx, limits, cpu0)
	t := &conversation{ctx: ctx, req: req, limits: limits, meter: newMeter(limits)}
	err = t.run(p)
	cpu := p.cpu() - cpu0
	verdict := end()
	if err == nil && t.res != nil {
		res, reusable = *t.res, verdict == nil
	} else {
		p.kill()
		switch {
		case ctx.Err() != nil:
			return Result{}, false, ctx.Err()
		case verdict != nil:
			res = ended(verdict.reason, verdict.message)
		case errors.As(err, new(*stop)):
			var s *stop
			errors.As(err, &s)
			res = ended(s.reason, s.message)
		case t.refused != nil:
			return Result{}, false, t.refused
		default:
			<-p.exited
			res = ended(ReasonCrash, strings.TrimSpace(fmt.Sprintf("the worker process ended: %s", p.stderr)))
		}
		cpu = max(cpu, 0)
		res.Usage.Calls = t.meter.total
		if verdict != nil && verdict.reason == ReasonCPU {
			cpu = limits.CPU
		}
	}
	res.Log = strings.ToValidUTF8(string(t.log), "\uFFFD")
	res.Usage.Wall, res.Usage.CPU = time.Since(began), cpu
	return res, reusable, nil
}

var errWorkerGone = errors.New("the worker process is gone")

// conversation is the parent's side of POST /call. The worker is not believed more than the guest in it.
type conversation struct {
	ctx    context.Context
	req    *Request
	limits Limits
	meter  meter

	log     []byte
	res     *Result
	refused error
}

func (c *conversation) run(p *process) error {
	header, err := appendLine(nil, c.req)
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	body, answers := io.Pipe()
	defer answers.Close() //nolint:errcheck // a pipe's Close does not fail
	// The HTTP client waits for the end of the request's body even after the connection broke.
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-p.exited:
			answers.CloseWithError(errWorkerGone)
		case <-over:
		}
	}()
	post, err := http.NewRequestWithContext(c.ctx, http.MethodPost, "http://sandbox/call", requestBody{io.MultiReader(bytes.NewReader(header), body), body})
	if err != nil {
		return err
	}
	resp, err := p.client.Do(post)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // read-only
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		return fmt.Errorf("worker: %s: %s", resp.Status, text)
	}
	in := lineReader{bufio.NewReaderSize(resp.Body, 16<<10), 8*(c.limits.Output+c.limits.Log) + 64<<10}
	for c.res == nil {
		line, err := in.read()
		if err != nil {
			return err
		}
		if err := c.line(line, answers); err != nil {
			return err
		}
	}
	if err := answers.Close(); err != nil {
		return err
	}
	if n, err := io.Copy(io.Discard, io.LimitReader(resp.Body, 1)); n != 0 || err != nil {
		return errors.Join(&stop{ReasonProtocol, "the worker went on after the result"}, err)
	}
	return nil
}

func (c *conversation) line(line []byte, answers io.Writer) error {
	var l workerLine
	if err := json.Unmarshal(line, &l); err != nil {
		return &stop{ReasonProtocol, "the worker's line: " + err.Error()}
	}
	switch {
	case l.Log != nil:
		c.log = append(c.log, l.Log[:min(len(l.Log), c.limits.Log-len(c.log))]...)
	case l.Call != "":
		if err := checkCallName(l.Call); err != nil {
			return &stop{ReasonProtocol, err.Error()}
		}
		if s := c.meter.admit(l.At); s != nil {
			return s
		}
		reply, err := appendLine(nil, hostAnswer(c.ctx, c.req, HostCall{Name: l.Call, Args: l.Args, At: l.At}))
		if err != nil {
			return &stop{ReasonError, fmt.Sprintf("the host's answer to %s: %s", l.Call, err)}
		}
		if _, err := answers.Write(reply); err != nil {
			return err
		}
	case l.Done != nil:
		if err := l.Done.check(c.limits); err != nil {
			return &stop{ReasonProtocol, "the worker's result: " + err.Error()}
		}
		c.res = l.Done
	case l.Fail != "":
		c.refused = errors.New(l.Fail)
		return c.refused
	default:
		return &stop{ReasonProtocol, "the worker's line says nothing"}
	}
	return nil
}

// requestBody ends a write to its pipe when the connection is lost.
type requestBody struct {
	io.Reader
	io.Closer
}

// check says whether a result can be what it says it is.
func (r *Result) check(l Limits) error {
	if len(r.Value) > l.Output {
		return fmt.Errorf("%d bytes, allowed %d", len(r.Value), l.Output)
	}
	if (r.Reason == ReasonOK) != (len(r.Value) > 0) || (r.Reason == ReasonOK) != (r.Error == nil) {
		return fmt.Errorf("reason %q does not go with what else it says", r.Reason)
	}
	if r.Reason == ReasonOK {
		return checkPlain(r.Value)
	}
	return nil
}
