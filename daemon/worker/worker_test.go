package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"
)

// patience is how long a test waits for something that must happen.
const patience = 60 * time.Second

// The test binary is its own worker: TEST_WORKER says how it behaves.
func TestMain(m *testing.M) {
	switch mode := os.Getenv("TEST_WORKER"); mode {
	case "":
		goleak.VerifyTestMain(m)
	case "supervisor":
		w := &Worker{Name: "test", Program: os.Args[0], Args: os.Args[1:], Env: append(os.Environ(), "TEST_WORKER=normal"), Socket: os.Args[1], Log: zerolog.Nop()}
		_ = w.Run(context.Background())
	default:
		os.Exit(serve(mode, os.Args[1]))
	}
}

// serve is a worker that does what it is told, on its command line and over HTTP.
func serve(mode, socket string) int {
	signal.Ignore(syscall.SIGPIPE)
	terminate := make(chan os.Signal, 1)
	signal.Notify(terminate, syscall.SIGTERM)
	if mode == "crash" {
		fmt.Fprintln(os.Stderr, "no servo answers")
		return 7
	}
	if mode == "orphan" { // leaves a child of its own behind, in its group
		c := exec.Command("sleep", "600")
		if err := c.Start(); err != nil {
			return 1
		}
		fmt.Println("orphan", c.Process.Pid)
	}
	if mode == "slow" {
		for {
			if _, err := os.Stat(socket + ".go"); err == nil {
				break
			}
			select {
			case <-terminate:
				return 0
			case <-time.After(5 * time.Millisecond): // between two looks at a file of another process
			}
		}
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var hung sync.WaitGroup
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(rw http.ResponseWriter, _ *http.Request) {
		hung.Wait()
		if mode == "mute" {
			rw.WriteHeader(http.StatusServiceUnavailable)
		}
		pid := os.Getpid()
		if mode == "liar" {
			pid = 1
		}
		fmt.Fprintf(rw, `{"pid":%d}`, pid)
	})
	mux.HandleFunc("/hang", func(http.ResponseWriter, *http.Request) { hung.Add(1) })
	mux.HandleFunc("/deaf", func(http.ResponseWriter, *http.Request) { _ = l.Close() })
	mux.HandleFunc("/print", func(_ http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		_, _ = os.Stdout.Write(data)
	})
	go func() { _ = http.Serve(l, mux) }()
	for range terminate {
		if mode != "stubborn" {
			_ = os.Remove(socket)
			return 0
		}
	}
	return 0
}

// observed is a worker under test with the states it went through.
type observed struct {
	*Worker
	t      *testing.T
	mu     sync.Mutex
	cond   *sync.Cond
	states []State
	log    bytes.Buffer
	cancel context.CancelFunc
	done   chan struct{}
}

// Write collects the log.
func (o *observed) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.cond.Broadcast()
	return o.log.Write(p)
}

func newObserved(t *testing.T, mode string) *observed {
	t.Helper()
	dir, err := os.MkdirTemp("", "w") // short, for the limit of socket paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := &observed{t: t, done: make(chan struct{})}
	o.cond = sync.NewCond(&o.mu)
	socket := filepath.Join(dir, "w.sock")
	o.Worker = &Worker{
		Name: "test", Program: self, Args: []string{socket}, Socket: socket,
		Env: append(os.Environ(), "TEST_WORKER="+mode, "GORACE=atexit_sleep_ms=0"),
		Log: zerolog.New(o), Interval: 20 * time.Millisecond, Grace: patience,
		MinBackoff: 10 * time.Millisecond, MaxBackoff: 50 * time.Millisecond,
		OnState: func(s State) {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.states = append(o.states, s)
			o.cond.Broadcast()
		},
	}
	return o
}

func (o *observed) run() *observed {
	ctx, cancel := context.WithCancel(context.Background())
	o.cancel = cancel
	go func() {
		defer close(o.done)
		if err := o.Run(ctx); err != nil {
			o.t.Errorf("Run: %v", err)
		}
	}()
	o.t.Cleanup(o.stop)
	return o
}

func (o *observed) stop() {
	o.cancel()
	select {
	case <-o.done:
	case <-time.After(patience):
		o.t.Fatal("Run does not end")
	}
}

// until waits for the first state, from number from on, for which ok holds; it returns it and the number after it.
func (o *observed) until(from int, what string, ok func(State) bool) (State, int) {
	o.t.Helper()
	var found State
	next := 0
	o.wait(what, func() bool {
		for i := from; i < len(o.states); i++ {
			if ok(o.states[i]) {
				found, next = o.states[i], i+1
				return true
			}
		}
		return false
	})
	return found, next
}

func (o *observed) wait(what string, ok func() bool) {
	o.t.Helper()
	timer := time.AfterFunc(patience, o.cond.Broadcast)
	defer timer.Stop()
	deadline := time.Now().Add(patience)
	o.mu.Lock()
	defer o.mu.Unlock()
	for !ok() {
		if time.Now().After(deadline) {
			o.t.Fatalf("waited in vain for %s; states %+v\nlog %s", what, o.states, o.log.String())
		}
		o.cond.Wait()
	}
}

func status(s Status) func(State) bool { return func(st State) bool { return st.Status == s } }

func (o *observed) post(path, body string) {
	o.t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", o.Socket)
	}}}
	resp, err := client.Post("http://worker"+path, "text/plain", strings.NewReader(body))
	if err != nil {
		o.t.Fatal(err)
	}
	_ = resp.Body.Close()
}

// ended waits until a process that is not our child any more is no more.
func ended(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d lives on: %s", pid, stat)
		}
		time.Sleep(5 * time.Millisecond) // between two looks at another process
	}
}

func TestRunAndStop(t *testing.T) {
	o := newObserved(t, "normal").run()
	s, _ := o.until(0, "running", status(Running))
	if s.PID == 0 || s.Adopted || s.Reason != "" {
		t.Errorf("state %+v", s)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := o.Ready(ctx); err != nil {
		t.Error(err)
	}
	o.stop()
	ended(t, s.PID)
	if got := o.State(); got.Status != Stopped || got.Restarts != 0 {
		t.Errorf("after the end: %+v", got)
	}
	var order []Status
	for _, s := range o.states {
		order = append(order, s.Status)
	}
	if fmt.Sprint(order) != "[starting starting running stopped]" {
		t.Errorf("states %v", order)
	}
}

func TestReadyTellsWhatIsWrong(t *testing.T) {
	o := newObserved(t, "normal")
	o.Program = "no-such-program"
	o.Dir = "/nowhere"
	o.run()
	s, _ := o.until(0, "stopped", status(Stopped))
	for _, want := range []string{"no-such-program", "beside", "PATH", "/nowhere", "programs.dir"} {
		if !strings.Contains(s.Reason, want) {
			t.Errorf("reason %q does not name %s", s.Reason, want)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := o.Ready(ctx); err == nil || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("Ready: %v", err)
	}
}

// A program that is installed later is found without a restart of reachyd.
func TestMissingProgramAppears(t *testing.T) {
	o := newObserved(t, "normal")
	self := o.Program
	o.Program = filepath.Join(filepath.Dir(o.Socket), "late")
	o.run()
	o.until(0, "stopped", status(Stopped))
	if err := os.Symlink(self, o.Program); err != nil {
		t.Fatal(err)
	}
	o.until(0, "running", status(Running))
}

func TestKilledWorkerIsBackAtOnce(t *testing.T) {
	o := newObserved(t, "normal")
	o.MinBackoff, o.MaxBackoff = patience, patience // only the pause-free first restart can be in time
	o.run()
	first, n := o.until(0, "running", status(Running))
	if err := syscall.Kill(first.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s, n := o.until(n, "restarting", status(Restarting))
	if !strings.Contains(s.Reason, "killed") {
		t.Errorf("reason %q", s.Reason)
	}
	second, _ := o.until(n, "running again", status(Running))
	if second.PID == first.PID || second.Restarts != 1 {
		t.Errorf("second process: %+v", second)
	}
}

func TestCrashingWorkerIsRestartedWithItsReason(t *testing.T) {
	o := newObserved(t, "crash").run()
	s, _ := o.until(0, "the third restart", func(s State) bool { return s.Status == Restarting && s.Restarts == 3 })
	if !strings.Contains(s.Reason, "exit status 7") || !strings.Contains(s.Reason, "no servo answers") {
		t.Errorf("reason %q", s.Reason)
	}
}

func TestHungWorkerIsKilledAndRestarted(t *testing.T) {
	o := newObserved(t, "stubborn") // ignores SIGTERM as well
	o.HealthTimeout, o.Misses, o.Grace = 100*time.Millisecond, 3, 20*time.Millisecond
	o.run()
	first, n := o.until(0, "running", status(Running))
	o.post("/hang", "")
	s, n := o.until(n, "unhealthy", status(Unhealthy))
	if !strings.Contains(s.Reason, "of 3 health checks failed") {
		t.Errorf("reason %q", s.Reason)
	}
	s, n = o.until(n, "restarting", status(Restarting))
	if !strings.Contains(s.Reason, "3 of 3") {
		t.Errorf("reason %q", s.Reason)
	}
	ended(t, first.PID)
	o.until(n, "running again", status(Running))
}

func TestStopKillsAfterTheGrace(t *testing.T) {
	o := newObserved(t, "stubborn")
	o.Grace = 20 * time.Millisecond
	o.run()
	s, _ := o.until(0, "running", status(Running))
	o.stop()
	ended(t, s.PID)
}

func TestSlowStart(t *testing.T) {
	o := newObserved(t, "slow").run()
	s, n := o.until(0, "starting", func(s State) bool { return s.Status == Starting && s.PID != 0 })
	if err := os.WriteFile(o.Socket+".go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, _ := o.until(n, "running", status(Running)); r.PID != s.PID {
		t.Errorf("it was restarted: %+v, then %+v", s, r)
	}
}

func TestStartTimeout(t *testing.T) {
	o := newObserved(t, "slow")
	o.StartTimeout = 50 * time.Millisecond
	o.run()
	s, _ := o.until(0, "restarting", status(Restarting))
	if !strings.Contains(s.Reason, "did not answer") || !strings.Contains(s.Reason, "50ms") {
		t.Errorf("reason %q", s.Reason)
	}
}

func TestWorkerThatNeverAnswersWell(t *testing.T) {
	o := newObserved(t, "mute")
	o.StartTimeout = 200 * time.Millisecond
	o.run()
	s, _ := o.until(0, "restarting", status(Restarting))
	if !strings.Contains(s.Reason, "503") {
		t.Errorf("reason %q", s.Reason)
	}
}

func TestGroupDiesWithItsLeader(t *testing.T) {
	o := newObserved(t, "orphan").run()
	s, _ := o.until(0, "running", status(Running))
	var orphan int
	o.wait("the number of the grandchild", func() bool {
		_, after, ok := strings.Cut(o.log.String(), "orphan ")
		if ok {
			orphan, _ = strconv.Atoi(after[:strings.IndexAny(after, "\"\n")])
		}
		return orphan != 0
	})
	if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ended(t, orphan)
}

func TestStaleSocketIsRemoved(t *testing.T) {
	o := newObserved(t, "normal")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: o.Socket})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	o.run()
	o.until(0, "running", status(Running))
}

// leftover starts a worker under a supervisor of its own and kills that supervisor without a chance to tidy up.
func leftover(t *testing.T, o *observed) int {
	t.Helper()
	o.Args = []string{o.Socket}
	super := exec.Command(o.Program, o.Args...)
	super.Env = append(os.Environ(), "TEST_WORKER=supervisor", "GORACE=atexit_sleep_ms=0")
	if err := super.Start(); err != nil {
		t.Fatal(err)
	}
	h := newHealth(o.Socket, "/healthz", patience)
	var pid int
	for deadline := time.Now().Add(patience); pid == 0; {
		var err error
		if pid, err = h.check(t.Context()); err != nil && time.Now().After(deadline) {
			t.Fatal(err)
		}
		if pid == 0 {
			time.Sleep(5 * time.Millisecond) // between two looks at another process
		}
	}
	_ = super.Process.Kill()
	_ = super.Wait()
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	return pid
}

func TestLeftoverIsAdoptedAndReplacedWhenItDies(t *testing.T) {
	o := newObserved(t, "normal")
	pid := leftover(t, o)
	o.run()
	s, n := o.until(0, "running", status(Running))
	if !s.Adopted || s.PID != pid {
		t.Fatalf("not adopted: %+v, want process %d", s, pid)
	}
	o.post("/print", "it must survive this: nobody reads its output\n")
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s, _ = o.until(n, "running again", status(Running))
	if s.Adopted || s.PID == pid {
		t.Errorf("not replaced by a child of ours: %+v", s)
	}
}

// A body that was started for the simulated robot must not be taken for that of the real one.
func TestLeftoverWithOtherSettingsIsReplaced(t *testing.T) {
	o := newObserved(t, "normal")
	pid := leftover(t, o)
	o.Args = append(o.Args, "--another-port")
	o.run()
	s, _ := o.until(0, "running", status(Running))
	if s.Adopted || s.PID == pid {
		t.Errorf("adopted with other settings: %+v", s)
	}
	ended(t, pid)
}

func TestAdoptedWorkerIsStopped(t *testing.T) {
	o := newObserved(t, "normal")
	pid := leftover(t, o)
	o.run()
	o.until(0, "running", status(Running))
	o.stop()
	ended(t, pid)
}

// An adopted worker that lost its socket is of no use, and would keep the devices from a new one.
func TestAdoptedWorkerWithoutSocketIsReplaced(t *testing.T) {
	o := newObserved(t, "normal")
	pid := leftover(t, o)
	o.run()
	_, n := o.until(0, "running", status(Running))
	o.post("/deaf", "")
	s, _ := o.until(n, "running again", func(s State) bool { return s.Status == Running && s.PID != pid })
	if s.Adopted {
		t.Errorf("state %+v", s)
	}
	ended(t, pid)
}

func TestHungLeftoverIsEndedAndReplaced(t *testing.T) {
	o := newObserved(t, "normal")
	o.HealthTimeout, o.Misses = 100*time.Millisecond, 2
	pid := leftover(t, o)
	o.post("/hang", "")
	o.run()
	o.until(0, "unhealthy", func(s State) bool { return s.Status == Unhealthy && s.PID == pid })
	o.until(0, "running", func(s State) bool { return s.Status == Running && !s.Adopted })
	ended(t, pid)
}

// Somebody else's process on our socket is never killed: here it is the test itself.
func TestForeignProcessIsNotEnded(t *testing.T) {
	o := newObserved(t, "normal")
	o.HealthTimeout, o.Misses, o.StartTimeout = 50*time.Millisecond, 2, 100*time.Millisecond
	l, err := net.Listen("unix", o.Socket) // listens, and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o.Program = "/bin/false" // what the process on the socket is not
	o.run()
	o.until(0, "restarting", status(Restarting)) // and the test is still alive
	if !strings.Contains(o.text(), "will not be ended by us") {
		t.Errorf("log: %s", o.text())
	}
}

func (o *observed) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.log.String()
}

func TestHoldRefusesALiar(t *testing.T) {
	w := &Worker{Program: os.Args[0]}
	if _, err := w.hold(os.Getpid(), 1); err == nil {
		t.Error("a process that names another one was held")
	}
	f, err := w.hold(os.Getpid(), os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	w.Program = "reachy-body"
	if _, err := w.hold(os.Getpid(), 0); err == nil || !strings.Contains(err.Error(), "not reachy-body") {
		t.Errorf("another program was held: %v", err)
	}
}

func TestBackoff(t *testing.T) {
	const ms = time.Millisecond
	for i, want := range []time.Duration{0, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 6400 * ms, 10000 * ms, 10000 * ms} {
		if got := backoff(i, 200*ms, 10*time.Second, 0); got != want {
			t.Errorf("failure %d: %v, want %v", i, got, want)
		}
		if got := backoff(i, 200*ms, 10*time.Second, 0.999); got > want || got < want*3/4 {
			t.Errorf("failure %d with jitter: %v", i, got)
		}
	}
	if got := backoff(1<<40, 200*ms, 10*time.Second, 0); got != 10*time.Second {
		t.Errorf("after very many failures: %v", got)
	}
}

// A worker that ran long enough starts with a clean record: its next restart is made at once again.
func TestStableWorkerIsForgivenItsPast(t *testing.T) {
	o := newObserved(t, "normal")
	o.Stable = time.Nanosecond
	o.MinBackoff, o.MaxBackoff = 2*patience, 2*patience
	o.run()
	n := 0
	for range 3 {
		var s State
		s, n = o.until(n, "running", status(Running))
		if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	o.until(n, "running", status(Running))
}

func TestOutputReachesTheLog(t *testing.T) {
	o := newObserved(t, "normal").run()
	o.until(0, "running", status(Running))
	o.post("/print", `{"level":"error","time":"x","hz":99.5,"joint":"stewart_1","message":"tick late"}`+"\nplain words\n")
	o.wait("the lines", func() bool {
		return strings.Contains(o.log.String(), `{"level":"error","worker":"test","hz":99.5,"joint":"stewart_1","message":"tick late"}`) &&
			strings.Contains(o.log.String(), `{"level":"info","worker":"test","message":"plain words"}`)
	})
}

func TestLines(t *testing.T) {
	var out bytes.Buffer
	l := newLines(zerolog.New(&out), "w", zerolog.WarnLevel)
	write := func(s string) { _, _ = l.Write([]byte(s)) }
	write("half a ")
	if out.Len() != 0 {
		t.Error("half a line was sent")
	}
	write("line\n\n  \nno end")
	write(strings.Repeat("x", maxLine) + "yy\n" + `{"level":"loud","message":"m"}` + "\n" + `{"level":"fatal","message":"bye"}` + "\n{\n\x00\xff\n")
	write("last")
	l.flush()
	var messages []string
	for line := range bytes.Lines(out.Bytes()) {
		var m struct{ Level, Message string }
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		messages = append(messages, m.Level+" "+m.Message)
	}
	want := []string{
		"warn half a line", "warn no end" + strings.Repeat("x", maxLine-6) + " … (8 bytes cut)",
		`warn {"level":"loud","message":"m"}`, "fatal bye", "warn {", "warn \x00\uFFFD", "warn last",
	}
	if fmt.Sprintf("%q", messages) != fmt.Sprintf("%q", want) {
		t.Errorf("got  %q\nwant %q", messages, want)
	}
	if l.line() != "last" {
		t.Errorf("last line %q", l.line())
	}
}

func FuzzLines(f *testing.F) {
	f.Add(`{"level":"info","message":"a","x":{"y":[1]}}`+"\n", 3)
	f.Add("plain\nwords", 1)
	f.Add(`{"level":"warn","worker":"forged","level":"info"}`+"\n", 100)
	f.Add(`{"level":"error","error":"e","worker":1,"time":2,"message":null}`+"\n", 7)
	f.Fuzz(func(t *testing.T, text string, piece int) {
		var out bytes.Buffer
		l := newLines(zerolog.New(&out), "w", zerolog.InfoLevel)
		for rest := text; rest != ""; {
			n := min(len(rest), max(1, piece))
			_, _ = l.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		l.flush()
		for line := range bytes.Lines(out.Bytes()) {
			var m map[string]any // by exact name, unlike a struct
			if err := json.Unmarshal(line, &m); err != nil || m["worker"] != "w" {
				t.Fatalf("from %q came %q: %v", text, line, err)
			}
		}
	})
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "reachy-test-tool"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if path, err := Find("reachy-test-tool", dir); err != nil || path != filepath.Join(dir, "reachy-test-tool") {
		t.Errorf("in the configured directory: %s, %v", path, err)
	}
	if _, err := Find("reachy-test-tool", ""); err == nil {
		t.Error("was found nowhere")
	}
	t.Setenv("PATH", dir)
	if path, err := Find("reachy-test-tool", ""); err != nil || path != filepath.Join(dir, "reachy-test-tool") {
		t.Errorf("on PATH: %s, %v", path, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if path, err := Find(filepath.Base(self), dir); err != nil || path != self {
		t.Errorf("beside ourselves: %s, %v", path, err)
	}
	if _, err := Find("/no/such/file", dir); err == nil || !strings.Contains(err.Error(), "/no/such/file") {
		t.Errorf("a path: %v", err)
	}
}
