package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/cmd/internal/program"
	"github.com/reachyd/reachyd/daemon/worker"
	"github.com/reachyd/reachyd/perception/client"
)

// childEnv makes the test program be reachy-sense, so that a real process can be killed.
const childEnv = "REACHY_SENSE_CHILD"

// patience is how long a test waits for what will surely come.
const patience = 60 * time.Second

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		signal.Ignore(syscall.SIGPIPE)
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop)
		os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}

// log collects what a process writes.
type log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// shortDir is a directory whose path leaves room for the name of a socket.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// bare are arguments for a host on which nothing is.
func bare(dir string) []string {
	return []string{
		"--socket", filepath.Join(dir, "sock"), "--models", filepath.Join(dir, "models"), "--speech", off,
		"--microphone", off, "--speaker", off, "--camera", off,
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--help", program.ExitOK, "-microphone"},
		{"--volume 101", program.ExitUsage, "0…100"},
		{"--volume loud", program.ExitUsage, "volume"},
		{"--threads -1", program.ExitUsage, "0…64"},
		{"--linger -1s", program.ExitUsage, "negative"},
		{"--log-level chatty", program.ExitUsage, "chatty"},
		{"--wake-phrase " + strings.Repeat("x", 61), program.ExitUsage, "60"},
		{"--wake-phrase " + strings.Repeat("ö", 60) + " now", program.ExitUsage, `"now"`}, // as long as the settings allow
		{"now", program.ExitUsage, `"now"`},
		{"--nonsense", program.ExitUsage, "nonsense"},
		{"--socket /nowhere/at/all", program.ExitError, "/nowhere/at/all"},
	} {
		var out log
		if code := run(t.Context(), strings.Fields(c.args), nil, io.Discard, &out); code != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %d, want %d and %q in %s", c.args, code, c.code, c.want, out.String())
		}
	}
}

// start runs the program within the test and returns a client of it.
func start(t testing.TB, args []string) (*client.Client, *log) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, done := &log{}, make(chan int, 1)
	go func() { done <- run(ctx, args, os.Environ(), io.Discard, out) }()
	c := client.New(args[1])
	t.Cleanup(func() {
		c.Close()
		cancel()
		select {
		case code := <-done:
			if code != program.ExitOK {
				t.Errorf("exit code %d: %s", code, out)
			}
		case <-time.After(patience):
			t.Error("it does not end")
		}
	})
	for deadline := time.Now().Add(patience); ; {
		if _, err := c.State(context.Background()); err == nil {
			return c, out
		} else if time.Now().After(deadline) {
			t.Fatalf("it does not answer: %v\n%s", err, out)
		}
	}
}

func TestAHostOnWhichNothingIs(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	c, out := start(t, bare(dir))
	st, err := c.State(t.Context())
	if err != nil || st.Hearing.Off == "" || st.Speech.Off == "" || st.Sight.Off == "" {
		t.Errorf("%+v, %v", st, err)
	}
	for _, part := range []string{"hearing is off", "speech is off", "camera is off"} {
		if n := strings.Count(out.String(), part); n != 1 {
			t.Errorf("%q is said %d times: %s", part, n, out)
		}
	}
	var second log
	if code := run(t.Context(), bare(dir), nil, io.Discard, &second); code != program.ExitError || !strings.Contains(second.String(), "another reachy-sense") {
		t.Errorf("a second one: %d %s", code, second.String())
	}
}

// supervised is the real program under daemon/worker.
type supervised struct {
	*worker.Worker
	states chan worker.State
	out    *log
}

func supervise(t testing.TB, args []string) *supervised {
	t.Helper()
	s := &supervised{states: make(chan worker.State, 100), out: &log{}}
	s.Worker = &worker.Worker{
		Name: "sense", Program: os.Args[0], Args: args, Env: append(os.Environ(), childEnv+"=1"), Socket: args[1],
		Log: zerolog.New(s.out), OnState: func(st worker.State) { s.states <- st },
		Interval: 100 * time.Millisecond, HealthTimeout: 500 * time.Millisecond, Misses: 2, Grace: time.Second,
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return s
}

// until waits for a status and returns when it was seen.
func (s *supervised) until(t testing.TB, status worker.Status) (worker.State, time.Time) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case st := <-s.states:
			if st.Status == status {
				return st, time.Now()
			}
		case <-deadline:
			t.Fatalf("never %s: %s", status, s.out)
		}
	}
}

func TestTheWorkerComesBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		sign   worker.Status // by which it is noticed
	}{
		{"kill", syscall.SIGKILL, worker.Restarting},
		{"abort", syscall.SIGABRT, worker.Restarting},
		{"crash", syscall.SIGSEGV, worker.Restarting},
		{"hang", syscall.SIGSTOP, worker.Unhealthy},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := supervise(t, bare(shortDir(t)))
			before, _ := s.until(t, worker.Running)
			own := client.New(s.Socket)
			defer own.Close()
			broken := make(chan error, 1)
			go func() { broken <- own.Own(context.Background(), func(client.Message) {}) }()
			began := time.Now()
			if err := syscall.Kill(before.PID, c.signal); err != nil {
				t.Fatal(err)
			}
			_, noticed := s.until(t, c.sign)
			after, back := s.until(t, worker.Running)
			if after.PID == before.PID {
				t.Errorf("the same process %d", after.PID)
			}
			if err := <-broken; !errors.Is(err, client.ErrUnavailable) {
				t.Errorf("the watch ended with %v", err)
			}
			if _, err := own.State(t.Context()); err != nil {
				t.Error("the same client afterwards:", err)
			}
			t.Logf("noticed after %v, back %v later", noticed.Sub(began).Round(time.Millisecond), back.Sub(noticed).Round(time.Millisecond))
		})
	}
}

func TestAnAbandonedProcessEnds(t *testing.T) {
	var out log
	args := append(bare(shortDir(t)), "--linger", "100ms")
	if code := run(t.Context(), args, nil, io.Discard, &out); code != program.ExitOK || !strings.Contains(out.String(), "leaving") {
		t.Errorf("%d %s", code, out.String())
	}
}

func TestListeningWithoutAModelIsRefused(t *testing.T) {
	c, _ := start(t, bare(shortDir(t)))
	_, err := c.Listen(t.Context(), strings.NewReader("x"), nil)
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusNotImplemented {
		t.Errorf("%v", err)
	}
}
