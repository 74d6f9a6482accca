package guest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hostileTool is a case of testdata/hostile.
type hostileTool struct {
	name   string
	want   []Reason
	numpy  Reason // instead of want, in the interpreter with the real numpy
	limits Limits
	clock  Clock
	source string
}

func readHostile(t *testing.T, path string) (tools []hostileTool) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split("\n"+string(text), "\n### ")[1:] {
		head, source, _ := strings.Cut(block, "\n")
		name, rest, ok := strings.Cut(head, ": ")
		if !ok {
			t.Fatalf("%s: %q", path, head)
		}
		h := hostileTool{name: name, source: source + "\n", limits: Limits{Wall: 20 * time.Second, CPU: time.Second, Memory: 48 << 20, Log: 16 << 10}}
		reasons, settings, _ := strings.Cut(rest, " ")
		for _, r := range strings.Split(reasons, ",") {
			h.want = append(h.want, Reason(r))
		}
		switch filepath.Base(path) { // those that are meant to last until the end; others need more than that on a busy host now and then
		case "loops.py", "tools.js":
			if slices.Contains(h.want, ReasonCPU) {
				h.limits.CPU = 100 * time.Millisecond
			}
		case "time.py":
			h.limits.Wall = 300 * time.Millisecond
		}
		for _, s := range strings.Fields(strings.Trim(settings, "[]")) {
			switch k, v, _ := strings.Cut(s, "="); k {
			case "virtual":
				h.clock.Virtual = true
			case "numpy":
				h.numpy = Reason(v)
			case "wall":
				if h.limits.Wall, err = time.ParseDuration(v); err != nil {
					t.Fatal(err)
				}
			case "cpu":
				if h.limits.CPU, err = time.ParseDuration(v); err != nil {
					t.Fatal(err)
				}
			default:
				t.Fatalf("%s: setting %q", path, s)
			}
		}
		tools = append(tools, h)
	}
	return tools
}

// fingerprint is a tool that says what an interpreter looks like from inside: every name of every module and where in
// memory its value is.
const fingerprint = `
import sys, hashlib, decimal, json, re, statistics
def f() -> list:
    h = hashlib.sha256()
    for name in sorted(sys.modules):
        if name != "tool":
            for key, value in sorted(vars(sys.modules[name]).items()):
                h.update(f"{name} {key} {id(value)} {type(value).__name__}\n".encode())
    return [h.hexdigest(), len("four"), sys.getrecursionlimit(), decimal.getcontext().prec, json.dumps({"a": 1}), str(json.loads('[1]')),
            re.sub("a", "b", "aaa"), statistics.mean([1, 2]), sys.get_int_max_str_digits(), sum(bytearray(1 << 16))]
`

// leastHostile is how many hostile tools there must be.
const leastHostile = 400

// oneIn is which part of the hostile tools runs: all of them with REACHYD_TEST_ALL_HOSTILE=1. The race detector multiplies
// the time that starting a worker takes and sees nothing of the guests.
func oneIn(t *testing.T, plain, race int) uint32 {
	t.Helper()
	every := plain
	if raceEnabled {
		every = race
	}
	if os.Getenv("REACHYD_TEST_ALL_HOSTILE") != "" {
		every = 1
	}
	if every > 1 {
		t.Logf("ONLY ONE HOSTILE TOOL IN %d RUNS; REACHYD_TEST_ALL_HOSTILE=1 runs all", every)
	}
	return uint32(every)
}

// sample is a number that follows from a name, so that a part of the tools is always the same part.
func sample(name string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash does not fail
	return h.Sum32()
}

func TestHostileTools(t *testing.T) {
	hostileTools(t, testConfig(t), 0, oneIn(t, 1, 10))
}

// The interpreter with the real numpy takes half a second to start.
func TestHostileToolsWithRealNumpy(t *testing.T) {
	install(t, Numpy)
	every := oneIn(t, 15, 50)
	hostileTools(t, ImageConfig{Language: Numpy, Modules: map[string]string{"preload": "import numpy, numpy.random, pandas, PIL.Image"}}, 96<<20, every)
}

const secret = "swordfish-4711"

// canary is what hostile tools try to reach on the host: a folder with a secret and a port that counts who comes.
type canary struct {
	folder      string
	listener    net.Listener
	connections atomic.Int64
	done        chan struct{}
}

func newCanary(t *testing.T) *canary {
	t.Helper()
	t.Setenv("REACHYD_TEST_SECRET", secret)
	c := &canary{folder: t.TempDir(), done: make(chan struct{})}
	if err := os.WriteFile(filepath.Join(c.folder, "secret"), []byte(secret), 0o666); err != nil {
		t.Fatal(err)
	}
	var err error
	if c.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(c.done)
		for {
			conn, err := c.listener.Accept()
			if err != nil {
				return
			}
			c.connections.Add(1)
			conn.Close()
		}
	}()
	return c
}

// args tell a tool where the canary is.
func (c *canary) args(t *testing.T) json.RawMessage {
	t.Helper()
	args, err := json.Marshal(map[string]any{"canary": map[string]any{"folder": c.folder, "port": c.listener.Addr().(*net.TCPAddr).Port, "secret": secret}})
	if err != nil {
		t.Fatal(err)
	}
	return args
}

// untouched says that nobody reached it.
func (c *canary) untouched(t *testing.T) {
	t.Helper()
	c.listener.Close()
	<-c.done
	if n := c.connections.Load(); n > 0 {
		t.Errorf("%d connections to the host", n)
	}
	entries, err := os.ReadDir(c.folder)
	if text, _ := os.ReadFile(filepath.Join(c.folder, "secret")); err != nil || len(entries) != 1 || string(text) != secret {
		t.Errorf("the host's folder was changed: %v %v", entries, err)
	}
}

// hostileTools runs one in every hostile tool on an image, with that much more memory than the lean interpreter's.
func hostileTools(t *testing.T, image ImageConfig, moreMemory int64, every uint32) {
	paths, err := filepath.Glob("testdata/hostile/*.py")
	if err != nil {
		t.Fatal(err)
	}
	c := newCanary(t)
	g := &gauntlet{args: c.args(t), moreMemory: moreMemory, every: every, another: image.Language == Numpy, waits: watchScheduler(t), ended: map[Reason]int{}}
	if g.s, err = Open(t.Context(), Config{Workers: 2, Image: image}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.s.Close(); err != nil {
			t.Error(err)
		}
	}()
	t.Run("families", func(t *testing.T) {
		for _, path := range paths {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".py"), func(t *testing.T) {
				t.Parallel()
				g.family(t, path)
			})
		}
	})
	c.untouched(t)
	if g.total.Load() < leastHostile {
		t.Errorf("%d hostile tools, want %d", g.total.Load(), leastHostile)
	}
	t.Logf("%d of %d hostile tools in %d families; ended %v; %s", g.ran.Load(), g.total.Load(), len(paths), g.ended, &g.late)
}

// gauntlet is a sandbox that hostile tools run in.
type gauntlet struct {
	s          *Sandbox
	args       json.RawMessage
	moreMemory int64
	every      uint32
	another    bool // another version of Python, where the same does no harm in another way
	total, ran atomic.Int64
	late       lateness
	waits      *waiting

	mu    sync.Mutex
	ended map[Reason]int
}

// family runs the tools of one file, and after each looks whether the next call finds everything as before.
func (g *gauntlet) family(t *testing.T, path string) {
	pristine := func() string {
		r, err := g.s.Call(t.Context(), &Request{Source: fingerprint, Function: "f", Clock: Clock{Virtual: true}})
		if err != nil || r.Reason != ReasonOK {
			t.Fatalf("the next call: %+v %+v %v", r, r.Error, err)
		}
		return string(r.Value)
	}
	before := pristine()
	for _, h := range readHostile(t, path) {
		if g.total.Add(1); sample(h.name)%g.every != 0 {
			continue
		}
		g.ran.Add(1)
		h.limits.Memory += g.moreMemory
		if g.another && h.numpy != "" {
			h.want = []Reason{h.numpy}
		}
		// The host may be late itself. A sandbox that ends tools late does so every time.
		r, late, err := Result{}, maxLate+1, error(nil)
		for try := 0; try < 3 && late > maxLate && err == nil; try++ {
			r, err = g.s.Call(t.Context(), &Request{
				Source: h.source, Function: "attack", Args: g.args, Limits: h.limits, Clock: h.clock,
				Files: map[string][]byte{"data.txt": []byte("given")}, Grants: []string{"speak"}, Host: answerNull,
			})
			late = g.lateness(&h, &r)
		}
		if err != nil {
			t.Errorf("%s: %v", h.name, err)
			continue
		}
		if late > maxLate {
			t.Errorf("%s: ended %s after its limit not because the host is busy, three times; allowed %s", h.name, late, maxLate)
		}
		g.held(t, &h, &r)
		if after := pristine(); after != before {
			t.Errorf("%s: the next call is not as before:\n%s\n%s", h.name, before, after)
		}
	}
}

// lateness is how long after its limit a tool was ended, but for the time for which the host let others run.
func (g *gauntlet) lateness(h *hostileTool, r *Result) time.Duration {
	by := r.Usage.Wall - h.limits.Wall
	if r.Reason != ReasonTimeout || by <= 0 { // by the virtual clock
		return 0
	}
	return g.late.add(by, g.waits.since(time.Now().Add(-by)))
}

// held says what a tool did that it must not.
func (g *gauntlet) held(t *testing.T, h *hostileTool, r *Result) {
	g.mu.Lock()
	g.ended[r.Reason]++
	g.mu.Unlock()
	alike := g.another && isHarmless(r.Reason) && slices.ContainsFunc(h.want, isHarmless)
	if !alike && !slices.Contains(h.want, r.Reason) {
		t.Errorf("%s: ended with %q, want one of %q: %s %+v %.300s", h.name, r.Reason, h.want, r.Value, r.Error, r.Log)
	}
	if strings.Contains(string(r.Value), "ESCAPED") || strings.Contains(string(r.Value)+r.Log+fmt.Sprint(r.Error), secret) {
		t.Errorf("%s: ESCAPED: %.300s %.300s", h.name, r.Value, r.Log)
	}
	if testing.Verbose() {
		t.Logf("%s: %s %+v", h.name, r.Reason, r.Error)
	}
}

// harmless is how attacks end that come to nothing before any limit: which of these it is changes with the version of
// Python.
var harmless = []Reason{ReasonOK, ReasonError, ReasonRecursion, ReasonCrash, ReasonMemory, ReasonResult}

func isHarmless(r Reason) bool { return slices.Contains(harmless, r) }

// maxLate is how long after its limit a call may end, not counting the time for which the host let others run.
const maxLate = 50 * time.Millisecond

// lateness collects how long after their limits calls ended.
type lateness struct {
	mu       sync.Mutex
	all, net []time.Duration
}

// add notes one, and for how long threads waited meanwhile: first our timer's, then our reader's. It returns the rest.
func (l *lateness) add(by, waited time.Duration) time.Duration {
	net := max(0, by-2*waited)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all, l.net = append(l.all, by), append(l.net, net)
	return net
}

func (l *lateness) String() string {
	if len(l.all) == 0 {
		return "none by its wall clock"
	}
	slices.Sort(l.all)
	slices.Sort(l.net)
	n := len(l.all)
	return fmt.Sprintf("%d by the wall clock, p50 and p99 %s and %s after their limit, %s and %s net of what the host let wait",
		n, l.all[n/2], l.all[n*99/100], l.net[n/2], l.net[n*99/100])
}

// waiting is when two threads that wanted to run had to wait: one like this process's, one like a worker's.
type waiting struct {
	mu    sync.Mutex
	spans [2][]span
	next  [2]time.Time // when they want to run again
}

type span struct{ from, to time.Time }

// since is for how long they waited since a moment, together: the end of a call needs one after the other.
func (w *waiting) since(from time.Time) (sum time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	for i, spans := range w.spans {
		if late := now.Sub(w.next[i]); late > 0 { // and waits still
			spans = append(spans[:len(spans):len(spans)], span{w.next[i], now})
		}
		for i := len(spans) - 1; i >= 0 && spans[i].to.After(from); i-- {
			if spans[i].from.After(from) {
				sum += spans[i].to.Sub(spans[i].from)
			} else {
				sum += spans[i].to.Sub(from)
			}
		}
	}
	return sum
}

// watchScheduler measures how late the host wakes threads until the test ends.
func watchScheduler(t *testing.T) *waiting {
	t.Helper()
	const period = 2 * time.Millisecond
	w := &waiting{}
	done := make(chan struct{})
	var threads sync.WaitGroup
	for i, nice := range [...]int{0, workerNice} {
		threads.Go(func() {
			runtime.LockOSThread() // for good, since it is nicer than others
			if nice > 0 {
				if err := unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), nice); err != nil {
					t.Error(err)
				}
			}
			pause := unix.NsecToTimespec(int64(period))
			for {
				select {
				case <-done:
					return
				default:
				}
				wanted := time.Now().Add(period)
				w.mu.Lock()
				w.next[i] = wanted
				w.mu.Unlock()
				_ = unix.Nanosleep(&pause, nil) // if it is interrupted, nothing waited
				w.mu.Lock()
				w.spans[i] = append(w.spans[i], span{wanted, time.Now()})
				w.mu.Unlock()
			}
		})
	}
	t.Cleanup(func() { close(done); threads.Wait() })
	return w
}
