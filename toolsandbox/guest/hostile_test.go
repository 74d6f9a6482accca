package guest

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// hostileTool is a case of testdata/hostile.
type hostileTool struct {
	name   string
	want   []Reason
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
		switch filepath.Base(path) { // those that are meant to last until the end
		case "loops.py", "tools.js":
			h.limits.CPU = 100 * time.Millisecond
		case "time.py":
			h.limits.Wall = 300 * time.Millisecond
		}
		reasons, settings, _ := strings.Cut(rest, " ")
		for _, r := range strings.Split(reasons, ",") {
			h.want = append(h.want, Reason(r))
		}
		for _, s := range strings.Fields(strings.Trim(settings, "[]")) {
			switch k, v, _ := strings.Cut(s, "="); k {
			case "virtual":
				h.clock.Virtual = true
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

func TestHostileTools(t *testing.T) {
	every := 1
	if raceEnabled {
		// The race detector multiplies the time that starting a worker takes and sees nothing of the guests: it gets a part.
		every = 8
		t.Logf("with the race detector only one hostile tool in %d runs", every)
	}
	hostileTools(t, testConfig(t), 0, every)
}

// The interpreter with the real numpy takes half a second to start: of those that end a worker it gets a part.
func TestHostileToolsWithRealNumpy(t *testing.T) {
	install(t, Numpy)
	every := 15
	if raceEnabled {
		every = 40
	}
	if os.Getenv("REACHYD_TEST_ALL_HOSTILE") != "" {
		every = 1
	}
	t.Logf("one hostile tool in %d runs; REACHYD_TEST_ALL_HOSTILE=1 runs all", every)
	hostileTools(t, ImageConfig{Language: Numpy, Modules: map[string]string{"preload": "import numpy, numpy.random, pandas, PIL.Image"}}, 96<<20, every)
}

// hostileTools runs one in every hostile tool on an image, with that much more memory than the lean interpreter's.
func hostileTools(t *testing.T, image ImageConfig, moreMemory int64, every int) {
	paths, err := filepath.Glob("testdata/hostile/*.py")
	if err != nil {
		t.Fatal(err)
	}
	const secret = "swordfish-4711"
	t.Setenv("REACHYD_TEST_SECRET", secret)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "secret"), []byte(secret), 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var connections atomic.Int64
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			c.Close()
		}
	}()
	args, err := json.Marshal(map[string]any{"canary": map[string]any{"folder": folder, "port": l.Addr().(*net.TCPAddr).Port, "secret": secret}})
	if err != nil {
		t.Fatal(err)
	}

	another := image.Language == Numpy // of another version of Python, where the same does no harm in another way
	var total, ran, late atomic.Int64
	starved := watchScheduler(t)
	ended := make([]map[Reason]int, len(paths))
	t.Run("families", func(t *testing.T) {
		for i, path := range paths {
			ended[i] = map[Reason]int{}
			t.Run(strings.TrimSuffix(filepath.Base(path), ".py"), func(t *testing.T) {
				t.Parallel()
				s := openLanguage(t, image)
				pristine := func() string {
					r, err := s.Call(t.Context(), &Request{Source: fingerprint, Function: "f", Clock: Clock{Virtual: true}})
					if err != nil || r.Reason != ReasonOK {
						t.Fatalf("the next call: %+v %+v %v", r, r.Error, err)
					}
					return string(r.Value)
				}
				before := pristine()
				for n, h := range readHostile(t, path) {
					if total.Add(1); n%every != 0 {
						continue
					}
					ran.Add(1)
					h.limits.Memory += moreMemory
					r, err := s.Call(t.Context(), &Request{
						Source: h.source, Function: "attack", Args: args, Limits: h.limits, Clock: h.clock,
						Files: map[string][]byte{"data.txt": []byte("given")}, Grants: []string{"speak"}, Host: answerNull,
					})
					if err != nil {
						t.Errorf("%s: %v", h.name, err)
						continue
					}
					ended[i][r.Reason]++
					alike := another && isHarmless(r.Reason) && slices.ContainsFunc(h.want, isHarmless)
					if !alike && !slices.Contains(h.want, r.Reason) {
						t.Errorf("%s: ended with %q, want one of %q: %s %+v %.300s", h.name, r.Reason, h.want, r.Value, r.Error, r.Log)
					}
					if strings.Contains(string(r.Value), "ESCAPED") || strings.Contains(string(r.Value)+r.Log+fmt.Sprint(r.Error), secret) {
						t.Errorf("%s: ESCAPED: %.300s %.300s", h.name, r.Value, r.Log)
					}
					if r.Reason == ReasonTimeout && !h.clock.Virtual {
						by := r.Usage.Wall - h.limits.Wall
						late.Store(max(late.Load(), int64(by)))
						if slack := 2 * starved(); by > maxLate+slack {
							t.Errorf("%s: ended %s after its limit, allowed %s, and %s because the host is busy", h.name, by, maxLate, slack)
						}
					}
					if after := pristine(); after != before {
						t.Errorf("%s: the next call is not as before:\n%s\n%s", h.name, before, after)
					}
				}
			})
		}
	})
	l.Close()
	<-accepting
	if n := connections.Load(); n > 0 {
		t.Errorf("%d connections to the host", n)
	}
	entries, err := os.ReadDir(folder)
	if text, _ := os.ReadFile(filepath.Join(folder, "secret")); err != nil || len(entries) != 1 || string(text) != secret {
		t.Errorf("the host's folder was changed: %v %v", entries, err)
	}
	sum := map[Reason]int{}
	for _, m := range ended {
		for r, n := range m {
			sum[r] += n
		}
	}
	if total.Load() < leastHostile {
		t.Errorf("%d hostile tools, want %d", total.Load(), leastHostile)
	}
	t.Logf("%d of %d hostile tools in %d families; ended %v; latest end %s after its limit, while the host let a timer wait for up to %s",
		ran.Load(), total.Load(), len(paths), sum, time.Duration(late.Load()), starved())
}

// harmless is how attacks end that come to nothing before any limit: which of these it is changes with the version of
// Python.
var harmless = []Reason{ReasonOK, ReasonError, ReasonRecursion, ReasonCrash, ReasonMemory, ReasonResult}

func isHarmless(r Reason) bool { return slices.Contains(harmless, r) }

// maxLate is how long after its limit a call may end on a host that is not busy.
const maxLate = 50 * time.Millisecond

// watchScheduler measures how late timers of this process come, which is no fault of the sandbox. The function that it
// returns says how late the latest was.
func watchScheduler(t *testing.T) func() time.Duration {
	const period = 5 * time.Millisecond
	var worst atomic.Int64
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(period)
		defer ticker.Stop()
		last := time.Now()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				now := time.Now()
				worst.Store(max(worst.Load(), int64(now.Sub(last)-period)))
				last = now
			}
		}
	}()
	t.Cleanup(func() { close(done); <-ended })
	return func() time.Duration { return time.Duration(worst.Load()) }
}
