package apps

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// limits are what an app may use.
type limits struct {
	Memory    int64         // resident, of all its processes together, bytes
	Processes int           // at the same time
	Processor int           // of all its processes together, % of a processor
	Grace     time.Duration // from the request to end until it is ended by force
}

const (
	// watchPeriod is how often the supervisor looks at the app's processes, and stopPeriod at the emergency stop.
	watchPeriod, stopPeriod = 200 * time.Millisecond, 500 * time.Millisecond
	// politeness is the app's nice value: the robot's own programs come first.
	politeness = 10
	// expendable is the kernel's score of what goes first when memory runs out.
	expendable = "500"
	// maxLog is the size at which a log becomes log.1 and a new one begins, bytes.
	maxLog = 5 << 20
)

// Running is the app that runs.
type Running struct {
	Name  string    `json:"name"`
	PID   int       `json:"pid"` // of its supervisor
	App   int       `json:"app"` // of the app
	Since time.Time `json:"since"`
}

// supervisor runs one app.
type supervisor struct {
	store  *store
	limits limits
	robot  string    // address of reachyd's web server
	out    io.Writer // what the app prints goes there, too
}

const (
	lockFile    = "running.lock"
	runningFile = "running.json"
)

var errBusy = errors.New("another app runs")

// lock takes the place of the one app that may run, until the file is closed or the process ends.
func (s *store) lock() (*os.File, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	const flags = os.O_RDWR | os.O_CREATE
	f, err := os.OpenFile(filepath.Join(s.dir, lockFile), flags, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close() // nothing was written
		return nil, errBusy
	}
	return f, nil
}

// running returns the app that runs; nil when none does.
func (s *store) running() *Running {
	f, err := s.lock()
	if err == nil {
		_ = f.Close() // nobody has it
		return nil
	}
	r := &Running{}
	if text, err := os.ReadFile(filepath.Join(s.dir, runningFile)); err == nil {
		_ = json.Unmarshal(text, r) // an app that begins just now has no name yet
	}
	return r
}

// run runs an app until it ends or ctx does. Nothing of it is left when run returns.
func (v *supervisor) run(ctx context.Context, a *App, args []string) error {
	lock, err := v.store.lock()
	if r := v.store.running(); errors.Is(err, errBusy) && r != nil {
		return fmt.Errorf("%w: %s; `reachyctl app stop` ends it", errBusy, r.Name)
	}
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // it is only a lock
	// Of a supervisor that was killed: two apps would move one robot.
	if err := killAll(func() []process { return leftovers(v.store.dir) }); err != nil {
		return fmt.Errorf("%s was not started: %w", a.Name, err)
	}
	if why := v.stopped(ctx); why != "" {
		return fmt.Errorf("the emergency stop is %s; `reachyctl reset` releases it", why)
	}
	if _, err := v.store.media(); err != nil { // it may be of an older reachyctl
		return err
	}
	log, err := openLog(a.logFile())
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // every line was written
	// Processes that the app leaves behind become children of this one, and are found.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("supervise: %w", err)
	}
	runtime.LockOSThread() // the app is killed when the thread that began it ends
	defer runtime.UnlockOSThread()
	for again := true; again; {
		v.tell(ctx, a, "starting", nil)
		again, err = v.once(ctx, a, args, log)
	}
	if err != nil {
		v.tell(ctx, a, "error", err)
	} else {
		v.tell(ctx, a, "done", nil)
	}
	return err
}

// once runs an app until it has ended. again: it was asked to begin anew.
func (v *supervisor) once(ctx context.Context, a *App, args []string, log io.Writer) (again bool, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return false, err
	}
	defer read.Close()                                                                  //nolint:errcheck // only read
	cmd := exec.Command(a.python(), append([]string{"-u", "-m", a.Module}, args...)...) //nolint:noctx // it is ended below, politely first
	cmd.Dir = a.dir
	cmd.Env = append(cleanEnv(os.Environ()), marker+a.dir+string(filepath.Separator), "PYTHONUNBUFFERED=1")
	cmd.Stdout, cmd.Stderr = write, write
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
	err = cmd.Start()
	_ = write.Close() // the app has it
	if err != nil {
		return false, fmt.Errorf("start %s: %w", a.Name, err)
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, cmd.Process.Pid, politeness) // it may have ended
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", cmd.Process.Pid), []byte(expendable), 0)
	v.note(&Running{Name: a.Name, PID: os.Getpid(), App: cmd.Process.Pid, Since: time.Now().UTC().Truncate(time.Second)})
	defer os.Remove(filepath.Join(v.store.dir, runningFile)) //nolint:errcheck // the lock says that nobody runs
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(io.MultiWriter(log, v.out), read)
	}()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	why, again, err := v.watch(ctx, a, cmd.Process.Pid, ended, log)
	left := killAll(func() []process { return family(os.Getpid()) })
	if left != nil {
		_ = read.Close() // they hold the other end
	}
	<-copied
	switch {
	case left != nil:
		fmt.Fprintf(log, "reachyd: %v\n", left) //nolint:errcheck // nowhere left to say so
		return false, left
	case why != "":
		fmt.Fprintf(log, "reachyd: ended: %s\n", why) //nolint:errcheck // nowhere left to say so
		return false, fmt.Errorf("%s was ended: %s", a.Name, why)
	case again, ctx.Err() != nil:
		return again && ctx.Err() == nil, nil
	case err != nil:
		return false, fmt.Errorf("%s failed: %w; `reachyctl app log %s` has its last words", a.Name, err, a.Name)
	}
	return false, nil
}

func (v *supervisor) note(r *Running) {
	text, err := json.Marshal(r)
	if err != nil {
		return
	}
	_ = os.WriteFile(filepath.Join(v.store.dir, runningFile), text, 0o600) // a full disk keeps no app from running
}

// watch waits until the app has ended, and ends it when it must. why is empty when it ended by itself or was asked to; again says that it
// was asked to begin anew.
func (v *supervisor) watch(ctx context.Context, a *App, pid int, ended <-chan error, log io.Writer) (why string, again bool, err error) {
	slow := throttle{share: float64(v.limits.Processor) / 100, send: unix.Kill}
	look, stop := time.NewTicker(watchPeriod), time.NewTicker(stopPeriod)
	defer look.Stop()
	defer stop.Stop()
	var force <-chan time.Time
	asked, state, gone := ctx.Done(), "running", false
	end := func(reason string) {
		if force != nil {
			return
		}
		why, asked, state = reason, nil, "stopping"
		_ = unix.Kill(pid, unix.SIGINT) // as the official daemon does: Python raises KeyboardInterrupt
		slow.release(family(os.Getpid()))
		force = time.After(v.limits.Grace)
	}
	for {
		select {
		case err = <-ended:
			if gone {
				err = nil // how it ended does not matter: it was told to
			}
			return why, again, err
		case <-force:
			_ = unix.Kill(pid, unix.SIGKILL) // it may have ended
			if why == "" {
				why = fmt.Sprintf("it did not end within %s", v.limits.Grace)
			}
			return why, false, <-ended
		case <-asked:
			end("")
		case <-stop.C:
			if reason := v.stopped(ctx); reason != "" {
				end("the emergency stop is " + reason)
				again = false
			}
			switch what := v.tell(ctx, a, state, nil); {
			case force != nil:
			case what == "stop", what == "restart":
				gone, again = true, what == "restart"
				end("")
				v.tell(ctx, a, state, nil)
			}
		case <-look.C:
			list := family(os.Getpid())
			if reason := v.exceeded(list); reason != "" {
				_ = unix.Kill(pid, unix.SIGKILL) // at once: it may take what the robot needs
				return reason, false, <-ended
			}
			if force == nil && slow.look(list, time.Now()) {
				fmt.Fprintf(log, "reachyd: slowed down: it takes more than %d %% of a processor\n", v.limits.Processor) //nolint:errcheck // nowhere left to say so
			}
		}
	}
}

// tell says to reachyd what the app does, and returns what its pages and scripts ask of it: stop, restart, or nothing. A reachyd that does
// not answer asks nothing.
func (v *supervisor) tell(ctx context.Context, a *App, state string, why error) (asked string) {
	const most = 1000 // bytes of a text
	said := map[string]string{"id": fmt.Sprint(os.Getpid()), "name": a.Name, "description": cut(a.About, most), "state": state}
	if why != nil {
		said["error"] = cut(why.Error(), most)
	}
	body, err := json.Marshal(said)
	if err != nil {
		return ""
	}
	var answer struct{ Asked string }
	v.ask(ctx, http.MethodPut, "/api/apps/supervised", body, &answer)
	return answer.Asked
}

// cut is the beginning of a text, n bytes at most.
func cut(text string, n int) string { return strings.ToValidUTF8(text[:min(n, len(text))], "") }

// exceeded says which limit the app's processes exceed.
func (v *supervisor) exceeded(list []process) string {
	memory := int64(0)
	for _, p := range list {
		memory += p.memory
	}
	switch {
	case memory > v.limits.Memory:
		return fmt.Sprintf("it used %d MB of memory; allowed are %d", memory>>20, v.limits.Memory>>20)
	case len(list) > v.limits.Processes:
		return fmt.Sprintf("it had %d processes; allowed are %d", len(list), v.limits.Processes)
	}
	return ""
}

// stopped says why the emergency stop is latched. It is empty when it is not, and when reachyd does not answer.
func (v *supervisor) stopped(ctx context.Context) string {
	var status struct {
		Ours struct {
			Stop string `json:"emergency_stop"`
		} `json:"reachyd"`
	}
	v.ask(ctx, http.MethodGet, "/api/daemon/status", nil, &status)
	return status.Ours.Stop
}

// ask makes a request of reachyd, also after ctx. The answer stays as it is when there is none.
func (v *supervisor) ask(ctx context.Context, method, path string, body []byte, answer any) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPeriod)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, v.robot+path, bytes.NewReader(body))
	if err != nil {
		return
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	const most = 1 << 20
	if resp.StatusCode == http.StatusOK {
		_ = json.NewDecoder(io.LimitReader(resp.Body, most)).Decode(answer) // one that is not understood is none
	}
}

// stop asks the app that runs to end, and waits until it has.
func (s *store) stop(ctx context.Context, patience time.Duration) (*Running, error) {
	r := s.running()
	if r == nil {
		return nil, errors.Join(errors.New("no app runs"), killAll(func() []process { return leftovers(s.dir) }))
	}
	if r.PID == 0 {
		return nil, errors.New("an app is just being started; try again")
	}
	if err := unix.Kill(r.PID, unix.SIGINT); err != nil {
		return nil, fmt.Errorf("stop %s: %w", r.Name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for s.running() != nil {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("stop %s: it has not ended after %s", r.Name, patience)
		case <-time.After(watchPeriod / 4):
		}
	}
	return r, nil
}

// logWriter is a log that does not grow without end.
type logWriter struct {
	path string
	f    *os.File
	size int64
}

// openLog begins a new log; the one before is kept as log.1.
func openLog(path string) (*logWriter, error) {
	w := &logWriter{path: path}
	return w, w.turn()
}

func (w *logWriter) turn() error {
	if w.f != nil {
		_ = w.f.Close() // what it holds was written
	}
	if err := os.Rename(w.path, w.path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	const flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	f, err := os.OpenFile(w.path, flags, 0o600)
	w.f, w.size = f, 0
	return err
}

func (w *logWriter) Write(p []byte) (int, error) {
	if w.size+int64(len(p)) > maxLog {
		if err := w.turn(); err != nil {
			return 0, err
		}
	}
	n, err := w.f.Write(p)
	w.size += int64(n)
	return n, err
}

func (w *logWriter) Close() error { return w.f.Close() }

// tail returns the last lines of a text.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
