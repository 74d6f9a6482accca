package guest

import (
	"bufio"
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
	cmd         *exec.Cmd
	conn        *os.File   // lines of calls, after the upgrade
	in          lineReader // from conn
	dir         string     // of its socket
	lifeline    io.Closer
	stderr      *tail
	exited      chan struct{} // closed when the process is gone and stderr is whole
	confinement Confinement
}

// startProcess starts a worker and waits until it can be called.
func startProcess(ctx context.Context, command []string, imageDir, runDir string, unconfined bool) (*process, error) {
	dir, listener, err := listenWorker(runDir)
	if err != nil {
		return nil, err
	}
	p := &process{dir: dir, stderr: &tail{}, exited: make(chan struct{})}
	err = p.spawn(command, imageDir, listener, unconfined)
	err = errors.Join(err, listener.Close()) // the worker's copy stays; when it dies, connecting fails
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := p.connect(ctx); err != nil {
		p.close()
		if p.cmd.ProcessState.ExitCode() == exitImage {
			return nil, &imageError{errors.New(p.stderr.String())}
		}
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
	confinement := sealed
	if unconfined {
		confinement = unsealed
	}
	args := append(slices.Clone(command[1:]), stepRestrict, imageDir, confinement)
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
		// When memory runs out, tools go first; if it cannot be said, they go as everybody else.
		_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", p.cmd.Process.Pid), []byte("300"), 0)
		_ = p.cmd.Wait() // how it ended is of no interest; what it said is in stderr
		_ = os.RemoveAll(p.dir)
		close(p.exited)
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("starting %s: %w", command[0], errors.Join(err, lifeline.Close()))
	}
	return nil
}

// connect waits until the worker is ready, asks it what it is, and turns the connection into the stream of its calls.
func (p *process) connect(ctx context.Context) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(p.dir, socketName))
	if err != nil {
		return err
	}
	defer conn.Close()                                          //nolint:errcheck // p.conn is a copy
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // the worker is given up
	if _, err := io.WriteString(conn, upgradeRequest); err != nil {
		return err
	}
	in := bufio.NewReaderSize(conn, 16<<10)
	resp, err := http.ReadResponse(in, nil) //nolint:bodyclose // an upgrade has no body
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		return fmt.Errorf("worker: %s", resp.Status)
	}
	if err := json.Unmarshal([]byte(resp.Header.Get(confinementHeader)), &p.confinement); err != nil {
		return fmt.Errorf("worker: its confinement: %w", err)
	}
	if p.conn, err = blockingFile(conn.(*net.UnixConn)); err != nil {
		return err
	}
	in.Reset(p.conn)
	p.in = lineReader{r: in}
	return nil
}

// kill ends the process at once. Nothing is lost with it.
func (p *process) kill() { _ = p.cmd.Process.Kill() } // an error says that it is gone already

// cut ends the process in the middle of a call, which learns of it at once: the kernel would say so only after it has
// taken the process's memory apart.
func (p *process) cut() {
	p.kill()
	_ = unix.Shutdown(int(p.conn.Fd()), unix.SHUT_RDWR) // an error says that the other end is gone already
}

// close ends an idle process and waits for it.
func (p *process) close() {
	p.kill()
	<-p.exited
	if p.conn != nil {
		_ = p.conn.Close() // whatever was on its way is of no interest
	}
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
				p.cut()
				return
			case <-timer.C:
			}
			wall, cpu := time.Until(deadline), l.CPU-(p.cpu()-cpu0)
			switch {
			case cpu <= 0:
				verdict.Store(&stop{ReasonCPU, fmt.Sprintf("more than %s of processor time", l.CPU)})
				p.cut()
				return
			case wall <= 0:
				verdict.Store(&stop{ReasonTimeout, fmt.Sprintf("not done within %s", l.Wall)})
				p.cut()
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

// conversation is the parent's side of one call. The worker is not believed more than the guest in it.
type conversation struct {
	ctx    context.Context
	req    *Request
	limits Limits
	meter  meter

	buf     []byte
	log     []byte
	res     *Result
	refused error
}

// run sends the request and answers the worker until the result is there. Only the end of the process interrupts it.
func (c *conversation) run(p *process) (err error) {
	if p.in.r.Buffered() > 0 {
		return &stop{ReasonProtocol, "the worker speaks unasked"}
	}
	if c.buf, err = appendLine(c.buf[:0], c.req); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if _, err := p.conn.Write(c.buf); err != nil {
		return err
	}
	p.in.limit = 8*(c.limits.Output+c.limits.Log) + 64<<10
	for c.res == nil {
		line, err := p.in.read()
		if err != nil {
			return err
		}
		if err := c.line(line, p.conn); err != nil {
			return err
		}
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
		var err error
		if c.buf, err = appendLine(c.buf[:0], hostAnswer(c.ctx, c.req, HostCall{Name: l.Call, Args: l.Args, At: l.At})); err != nil {
			return &stop{ReasonError, fmt.Sprintf("the host's answer to %s: %s", l.Call, err)}
		}
		if _, err := answers.Write(c.buf); err != nil {
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
