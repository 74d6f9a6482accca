package worker

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/hal/waittest"
)

// patience is how long a test waits for something that must happen.
const patience = 60 * time.Second

// The test binary is its own worker: TEST_WORKER says how it behaves.
func TestMain(m *testing.M) {
	switch mode := os.Getenv("TEST_WORKER"); mode {
	case "":
		goleak.VerifyTestMain(m)
	case "unit":
		_ = os.Setenv("TEST_WORKER", "normal") // what it becomes
		w := &Worker{Program: os.Args[0], Socket: os.Args[1]}
		ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer cancel()
		if err := w.Exec(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
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
	if mode == "busy" { // before it listens
		for len(terminate) == 0 {
		}
		return 0
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
	var rest atomic.Bool
	mux.HandleFunc("/work", func(http.ResponseWriter, *http.Request) {
		go func() {
			for !rest.Load() { // it has much to do
			}
		}()
	})
	mux.HandleFunc("/rest", func(http.ResponseWriter, *http.Request) { rest.Store(true) })
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
	var stat []byte
	if !waittest.Within(patience, func() (gone bool) {
		var err error
		stat, err = os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	}) {
		t.Fatalf("process %d lives on: %s", pid, stat)
	}
}

func (o *observed) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.log.String()
}
