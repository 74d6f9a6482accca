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
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/modules"
)

func openTestSandbox(tb testing.TB, c Config) *Sandbox {
	tb.Helper()
	c.Image = testConfig(tb)
	return openConfig(tb, c)
}

// openConfig opens a sandbox that is closed with the test.
func openConfig(tb testing.TB, c Config) *Sandbox {
	tb.Helper()
	s, err := Open(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// sharedSandbox is for tests that look at calls, not at workers: starting one takes a while under the race detector.
func sharedSandbox(tb testing.TB) *Sandbox {
	tb.Helper()
	shared.once.Do(func() {
		shared.sandbox, shared.err = Open(context.Background(), Config{Workers: 1, Image: testConfig(tb)})
	})
	if shared.err != nil {
		tb.Fatal(shared.err)
	}
	return shared.sandbox
}

var shared struct {
	once    sync.Once
	sandbox *Sandbox
	err     error
}

// withShared closes the shared sandbox after the last test and before the search for leaks.
type withShared struct{ m *testing.M }

func (w withShared) Run() int {
	code := w.m.Run()
	if shared.sandbox != nil {
		_ = shared.sandbox.Close()
	}
	return code
}

func TestSandboxCall(t *testing.T) {
	s := openTestSandbox(t, Config{})
	if w := s.Confinement(); !w.Seccomp {
		t.Errorf("confinement: %+v", w)
	}
	t.Logf("%+v", s.Confinement())
	for range 3 {
		r, err := s.Call(t.Context(), &trivial)
		t.Logf("%+v %v", r, err)
		if err != nil || r.Reason != ReasonOK || string(r.Value) != "5" {
			t.Fatal("want 5")
		}
	}
}

func TestHostCall(t *testing.T) {
	s := sharedSandbox(t)
	r, err := s.Call(t.Context(), &Request{
		Source:   source("import reachy", "async def f() -> dict:", "    print('hi')", "    return reachy.move_head(yaw=30)"),
		Function: "f", Grants: []string{"move_head"},
		Host: func(_ context.Context, c HostCall) (json.RawMessage, error) { return c.Args, nil },
	})
	if err != nil || string(r.Value) != `{"yaw":30}` || r.Log != "hi\n" || r.Usage.Calls != 1 {
		t.Fatalf("%+v %v", r, err)
	}
}

const sleeper = "import time\ndef f(n: float = 60):\n    print('sleeping')\n    time.sleep(n)\n    return n\n"

func TestCancelEndsACall(t *testing.T) {
	s := sharedSandbox(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Call(ctx, &Request{
		Source: "import reachy\n" + sleeper + "def g():\n    reachy.speak(text='x')\n    f()\n", Function: "g", Grants: []string{"speak"},
		Host: func(context.Context, HostCall) (json.RawMessage, error) { cancel(); return nil, nil },
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if r, err := s.Call(t.Context(), &trivial); err != nil || r.Reason != ReasonOK {
		t.Errorf("the next call: %+v %v", r, err)
	}
}

func TestCloseEndsCalls(t *testing.T) {
	s := openTestSandbox(t, Config{Workers: 1})
	running, ended := make(chan struct{}), make(chan error)
	go func() {
		_, err := s.Call(t.Context(), &Request{
			Source: "import reachy\n" + sleeper + "def g():\n    reachy.speak(text='x')\n    f()\n", Function: "g", Grants: []string{"speak"},
			Host: func(context.Context, HostCall) (json.RawMessage, error) { close(running); return nil, nil },
		})
		ended <- err
	}()
	<-running
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("the running call: %v", err)
	}
	if _, err := s.Call(t.Context(), &trivial); !errors.Is(err, ErrClosed) {
		t.Errorf("the next call: %v", err)
	}
}

func TestWorkerThatDies(t *testing.T) {
	s := openTestSandbox(t, Config{Workers: 1})
	pid := s.idle[0].cmd.Process.Pid
	r, err := s.Call(t.Context(), &Request{
		Source: "import reachy\ndef f():\n    reachy.speak(text='x')\n", Function: "f", Grants: []string{"speak"},
		Host: func(ctx context.Context, _ HostCall) (json.RawMessage, error) {
			return nil, syscall.Kill(pid, syscall.SIGKILL)
		},
	})
	if err != nil || r.Reason != ReasonCrash {
		t.Errorf("%+v %v, want %s", r, err, ReasonCrash)
	}
	if r, err := s.Call(t.Context(), &trivial); err != nil || r.Reason != ReasonOK {
		t.Errorf("the next call: %+v %v", r, err)
	}
}

// childrenOf lists the sandbox workers that a process has.
func childrenOf(t testing.TB, pid int) (children []int) {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			continue // a thread that ended
		}
		for _, field := range strings.Fields(string(text)) {
			child, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			children = append(children, child)
		}
	}
	return children
}

// A hundred calls that come at once are served in the order of their coming, by as many workers as there may be, in
// memory that does not grow with their number.
func TestHundredCallsAtOnce(t *testing.T) {
	const workers, calls = 2, 100
	s := openTestSandbox(t, Config{Workers: workers})
	var all, warm sync.WaitGroup // all workers are there before anybody is served
	all.Add(workers)
	for range workers {
		warm.Go(func() {
			_, err := s.Call(t.Context(), &Request{
				Source: "import reachy\ndef f():\n    reachy.look()\n", Function: "f", Grants: []string{"look"},
				Host: func(context.Context, HostCall) (json.RawMessage, error) { all.Done(); all.Wait(); return nil, nil },
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	warm.Wait()
	var mu sync.Mutex
	var order []int
	var served atomic.Int32
	release := make(chan struct{})
	host := func(_ context.Context, c HostCall) (json.RawMessage, error) {
		var a struct{ N int }
		if err := json.Unmarshal(c.Args, &a); err != nil {
			return nil, err
		}
		served.Add(1)
		<-release
		mu.Lock()
		defer mu.Unlock()
		order = append(order, a.N)
		return nil, nil
	}
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			r, err := s.Call(t.Context(), &Request{
				Source: "import reachy\ndef f(n: int) -> int:\n    reachy.call('note', n=n)\n    return len(bytearray(8 << 20)) + n\n", Function: "f",
				Args: fmt.Appendf(nil, `{"n":%d}`, i), Grants: []string{"note"}, Host: host,
			})
			if err != nil || string(r.Value) != strconv.Itoa(8<<20+i) {
				t.Errorf("%d: %+v %v", i, r, err)
			}
		})
		// Until it is served or stands in line. A call counts as waiting a moment before it does: another could get there first.
		for int(served.Load()) < min(i+1, workers) || s.Stats().Waiting < i+1-workers || standing() < i+1-workers {
			time.Sleep(time.Millisecond)
		}
	}
	close(release)
	wg.Wait()
	// The line is kept however slow a worker is: when a call is served, all before it have been handed out, so that at
	// most one for each of the other workers is still to be served.
	for at, n := range order {
		overtaken := 0
		for _, later := range order[at+1:] {
			if later < n {
				overtaken++
			}
		}
		if overtaken >= workers {
			t.Errorf("call %d was served before %d earlier ones: %v", n, overtaken, order)
		}
	}
	if n := s.Stats().Started; n > workers+2 {
		t.Errorf("%d workers were started for %d at a time", n, workers)
	}
	if raceEnabled {
		return // the race detector's own memory is many times that of a worker
	}
	for _, pid := range childrenOf(t, os.Getpid()) {
		if private, _ := memoryOf(t, pid); private > 64<<20 {
			t.Errorf("worker %d has %d MB for itself", pid, private>>20)
		}
	}
}

// standing is how many goroutines are blocked in the line for a worker.
func standing() (n int) {
	stacks := make([]byte, 8<<20)
	for _, g := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		head, rest, _ := strings.Cut(g, "\n")
		if at, _, _ := strings.Cut(rest, "(0x"); strings.Contains(head, "[select") && strings.HasSuffix(at, "(*Sandbox).stand") {
			n++
		}
	}
	return n
}

func TestToolsThatCallTools(t *testing.T) {
	s := sharedSandbox(t)
	var host HostFunc
	call := func(ctx context.Context, n int) (Result, error) {
		return s.Call(ctx, &Request{
			Source: "import reachy\ndef f(n: int):\n    return n and 1 + reachy.down(n=n - 1)\n", Function: "f",
			Args: fmt.Appendf(nil, `{"n":%d}`, n), Grants: []string{"down"}, Host: host,
		})
	}
	host = func(ctx context.Context, c HostCall) (json.RawMessage, error) {
		var args struct{ N int }
		if err := json.Unmarshal(c.Args, &args); err != nil {
			return nil, err
		}
		r, err := call(ctx, args.N)
		if err != nil {
			return nil, err
		}
		if r.Reason != ReasonOK {
			return nil, &HostError{string(r.Reason), r.Error.Message}
		}
		return r.Value, nil
	}
	if r, err := call(t.Context(), MaxNesting); err != nil || string(r.Value) != strconv.Itoa(MaxNesting) {
		t.Errorf("%+v %+v %v", r, r.Error, err)
	}
	if r, err := call(t.Context(), MaxNesting+1); err != nil || r.Reason != ReasonError || !strings.Contains(r.Error.Message, "depth") {
		t.Errorf("too deep: %+v %+v %v", r, r.Error, err)
	}
}

func TestIdleWorkersAreGivenBack(t *testing.T) {
	s := openTestSandbox(t, Config{Workers: 2, Idle: 10 * time.Millisecond})
	if r, err := s.Call(t.Context(), &trivial); err != nil || r.Reason != ReasonOK {
		t.Fatalf("%+v %v", r, err)
	}
	s.work.Wait() // the spare is there
	for n := -1; n != 0; {
		s.mu.Lock()
		idle := slices.Clone(s.idle)
		s.mu.Unlock()
		for _, p := range idle {
			<-p.exited
		}
		n = len(idle)
	}
	if r, err := s.Call(t.Context(), &trivial); err != nil || r.Reason != ReasonOK {
		t.Fatalf("after the rest: %+v %v", r, err)
	}
}

// A sandbox that nobody calls starts nothing; a call of it brings what is missing, and a long one is not given back.
func TestNothingBeforeTheFirstCall(t *testing.T) {
	image, made := testConfig(t), 0
	s := New(
		Config{
			Workers: 1,
			Idle:    20 * time.Millisecond,
			Image:   ImageConfig{Language: image.Language, Python: image.Python, Cache: image.Cache},
			Modules: func() (lean, numpy map[string]string, err error) {
				made++
				return image.Modules, nil, nil
			},
		},
	)
	if made != 0 || len(s.Workers()) != 0 || s.Stats().Started != 0 {
		t.Errorf("%d modules made, %d workers before the first call", made, s.Stats().Started)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Call(gone, &trivial); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for range 2 {
		slow := Request{Source: "import time\ndef f(): time.sleep(0.1); return 1\n", Function: "f"}
		if r, err := s.Call(t.Context(), &slow); err != nil || r.Reason != ReasonOK {
			t.Fatalf("%+v %v", r, err)
		}
	}
	if made != 1 {
		t.Errorf("its modules were made %d times", made)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Call(t.Context(), &trivial); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	never := New(Config{})
	if err := never.Close(); err != nil || never.Stats().Started != 0 {
		t.Errorf("closed without a call: %v", err)
	}
}

func TestModuleSize(t *testing.T) {
	s := sharedSandbox(t)
	_, err := s.Call(t.Context(), &Request{Language: WASI, Wasm: make([]byte, modules.MaxSize+1), Function: "f"})
	if want := fmt.Sprintf("wasm: %d bytes, allowed %d", modules.MaxSize+1, modules.MaxSize); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestNoInterpreter(t *testing.T) {
	_, err := Open(t.Context(), Config{Image: ImageConfig{Python: t.TempDir()}})
	if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "cross/python-wasm.sh") {
		t.Errorf("%v", err)
	}
}

func TestRequestsThatAreWrong(t *testing.T) {
	s := sharedSandbox(t)
	for _, r := range []Request{
		{},
		{Function: "f"},
		{Function: "f", Source: "x", Module: "y"},
		{Function: "f", Source: "x", Grants: []string{"../x"}},
		{Function: "f", Source: "x", Files: map[string][]byte{"../x": nil}},
		{Function: "f", Source: "x", Limits: Limits{Memory: 1}},
	} {
		if res, err := s.Call(t.Context(), &r); err == nil {
			t.Errorf("%+v: %+v", r, res)
		}
	}
	for _, args := range []string{"[]", "{", `{"a":1e999}`, strings.Repeat("[", 100)} {
		if res, err := s.Call(t.Context(), &Request{Source: "x", Function: "f", Args: json.RawMessage(args)}); err != nil || res.Reason != ReasonArgs {
			t.Errorf("args %s: %+v %v", args, res, err)
		}
	}
}

func TestFiles(t *testing.T) {
	s := sharedSandbox(t)
	big := bytes.Repeat([]byte("0123456789"), 500_000)
	r, err := s.Call(t.Context(), &Request{
		Source: "import csv, os\ndef f():\n    with open('/files/a.csv', newline='') as f: rows = list(csv.reader(f))\n    return [rows, " +
			"sorted(os.listdir('/files')), len(open('/files/big', 'rb').read())]\n",
		Function: "f",
		Files:    map[string][]byte{"a.csv": []byte("a,b\n1,2\n"), "big": big},
	})
	if want := `[[["a","b"],["1","2"]],["a.csv","big"],5000000]`; err != nil || string(r.Value) != want {
		t.Errorf("%s %+v %v, want %s", r.Value, r.Error, err, want)
	}
}

// The confinement holds even for the worker itself, not only for what runs inside of WebAssembly in it.
func TestConfinementOfAWorker(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, probeArg)
	cmd.Env = []string{}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if name, result, _ := strings.Cut(line, ": "); result != "operation not permitted" {
			t.Errorf("%s: %s", name, result)
		}
	}
	if n := strings.Count(string(out), "\n"); n < 8 {
		t.Errorf("%d probes: %s", n, out)
	}
}

const probeArg = "confinement-probe"

// probeConfinement seals this process and tries to get out.
func probeConfinement() int {
	if err := seal(); err != nil {
		fmt.Println("seal:", err)
		return 1
	}
	time.Sleep(time.Millisecond) // Go's timers work inside: with its epoll not open yet, this ends the process
	say := func(name string, err error) {
		var errno syscall.Errno
		if errors.As(err, &errno) {
			fmt.Printf("%s: %s\n", name, errno)
		} else {
			fmt.Printf("%s: %v\n", name, err)
		}
	}
	_, err := os.ReadFile("/etc/passwd")
	say("open", err)
	say("create", os.WriteFile(filepath.Join(os.TempDir(), "x"), nil, 0o600))
	_, err = os.ReadDir("/")
	say("list", err)
	_, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	say("socket", err)
	_, err = syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	say("unix socket", err)
	say("exec", syscall.Exec("/bin/true", []string{"true"}, nil))
	_, err = syscall.ForkExec("/bin/true", []string{"true"}, nil)
	say("fork", err)
	say("kill", syscall.Kill(os.Getppid(), syscall.Signal(0)))
	_, err = syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	say("executable memory", err)
	say("remove", os.Remove("/nothing"))
	say("mount", syscall.Mount("none", "/mnt", "tmpfs", 0, ""))
	return 0
}
