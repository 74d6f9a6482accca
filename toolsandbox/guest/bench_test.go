package guest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

var trivial = Request{Source: "def add(a: int, b: int) -> int:\n    return a + b\n", Function: "add", Args: json.RawMessage(`{"a":2,"b":3}`)}

func BenchmarkImageCall(b *testing.B) {
	img := openTestImage(b)
	for b.Loop() {
		if r, err := img.Call(b.Context(), &trivial); err != nil || r.Reason != ReasonOK {
			b.Fatal(r, err)
		}
	}
}

func BenchmarkImageInstantiate(b *testing.B) {
	img := openTestImage(b)
	for b.Loop() {
		in, err := img.ready(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		in.close()
	}
}

// percentiles reports how long the calls of a benchmark took.
func percentiles(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(took[0].Microseconds()), "min-µs")
}

func BenchmarkSandboxCall(b *testing.B) {
	s := openTestSandbox(b, Config{Workers: 1})
	benchmarkCalls(b, s, &trivial)
}

// BenchmarkNumpyCall is a pristine call with the real numpy.
func BenchmarkNumpyCall(b *testing.B) {
	install(b, Numpy)
	s := openLanguage(b, ImageConfig{Language: Numpy, Modules: map[string]string{"preload": "import numpy, numpy.random, pandas, PIL.Image"}})
	distance := Request{
		Source: "import numpy as np\ndef f(a: list, b: list) -> float:\n    return float(np.linalg.norm(np.array(a) - np.array(b)))\n", Function: "f",
		Args: json.RawMessage(`{"a":[1,2,3],"b":[4,6,3]}`), Limits: Limits{Memory: numpyMemory},
	}
	benchmarkCalls(b, s, &distance)
}

func BenchmarkJavaScriptCall(b *testing.B) {
	s := openLanguage(b, ImageConfig{Language: JavaScript})
	benchmarkCalls(b, s, &Request{Source: "export function f(a, b) { return a + b; }", Function: "f", Args: json.RawMessage(`{"a":2,"b":3}`)})
}

func BenchmarkWASICall(b *testing.B) {
	s := openLanguage(b, ImageConfig{Language: WASI, Module: buildWASI(b, "testdata/wasitool"), Cache: b.TempDir()})
	benchmarkCalls(b, s, &Request{Function: "look"})
}

func benchmarkCalls(b *testing.B, s *Sandbox, req *Request) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if r, err := s.Call(b.Context(), req); err != nil || r.Reason != ReasonOK {
			b.Fatal(r, r.Error, err)
		}
		took = append(took, time.Since(began))
	}
	percentiles(b, took)
	for _, pid := range childrenOf(b, os.Getpid()) {
		private, all := memoryOf(b, pid)
		b.Logf("worker %d: %.1f MB resident, %.1f MB of it its own", pid, float64(all)/(1<<20), float64(private)/(1<<20))
	}
}

// BenchmarkSandboxCallNowAndThen leaves a worker the time to prepare the next interpreter, as tools of a robot do.
func BenchmarkSandboxCallNowAndThen(b *testing.B) {
	s := openTestSandbox(b, Config{Workers: 1})
	var took []time.Duration
	for b.Loop() {
		time.Sleep(10 * time.Millisecond)
		began := time.Now()
		if r, err := s.Call(b.Context(), &trivial); err != nil || r.Reason != ReasonOK {
			b.Fatal(r, err)
		}
		took = append(took, time.Since(began))
	}
	percentiles(b, took)
}

func BenchmarkHostCall(b *testing.B) {
	s := openTestSandbox(b, Config{Workers: 1})
	r, err := s.Call(b.Context(), &Request{
		Source: source(
			"import reachy, time",
			"def f(n: int) -> list:",
			"    took = []",
			"    for i in range(n):",
			"        t = time.perf_counter()",
			"        reachy.move_head(yaw=i, duration=0.5)",
			"        took.append(time.perf_counter() - t)",
			"    took.sort()",
			"    return [took[n // 2] * 1e6, took[n * 99 // 100] * 1e6, took[0] * 1e6]",
		),
		Function: "f",
		Args:     json.RawMessage(`{"n":3000}`),
		Grants:   []string{"move_head"},
		Host: func(context.Context, HostCall) (json.RawMessage, error) {
			return json.RawMessage(`{"status":"success","message":"done"}`), nil
		},
		Limits: Limits{Calls: 10000, CallsPerSecond: 1 << 20},
	})
	if err != nil || r.Reason != ReasonOK {
		b.Fatal(r, r.Error, err)
	}
	b.Logf("3000 robot calls, p50, p99 and least in µs: %s", r.Value)
	for b.Loop() {
	}
}

// BenchmarkStart is a worker from nothing to the first result. The processor time is that of this worker alone.
func BenchmarkStart(b *testing.B) {
	c := testConfig(b)
	if err := c.Prepare(b.Context()); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	var cpu time.Duration
	for b.Loop() {
		began := time.Now()
		s, err := Open(b.Context(), Config{Workers: 1, Image: c})
		if err != nil {
			b.Fatal(err)
		}
		if r, err := s.Call(b.Context(), &trivial); err != nil || r.Reason != ReasonOK {
			b.Fatal(r, err)
		}
		took = append(took, time.Since(began))
		s.work.Wait() // for the spare
		s.mu.Lock()
		for _, p := range s.idle[:1] { // the spare came after it
			cpu += p.cpu()
		}
		s.mu.Unlock()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	percentiles(b, took)
	b.ReportMetric(float64(cpu.Milliseconds())/float64(len(took)), "cpu-ms/op")
}

// BenchmarkKill is how much later than its deadline a call ends that does not end by itself.
func BenchmarkKill(b *testing.B) {
	s := openTestSandbox(b, Config{Workers: 1})
	const wall = 100 * time.Millisecond
	var late []time.Duration
	for b.Loop() {
		r, err := s.Call(b.Context(), &Request{Source: "def f():\n    while True: pass\n", Function: "f", Limits: Limits{Wall: wall}})
		if err != nil || r.Reason != ReasonTimeout {
			b.Fatal(r, err)
		}
		late = append(late, r.Usage.Wall-wall)
	}
	percentiles(b, late)
}

func memoryOf(b testing.TB, pid int) (private, all int64) {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var kb int64
		name, rest, _ := strings.Cut(line, ":")
		if _, err := fmt.Sscanf(rest, "%d kB", &kb); err != nil {
			continue
		}
		switch name {
		case "Rss":
			all = kb << 10
		case "Private_Dirty", "Private_Clean":
			private += kb << 10
		}
	}
	return private, all
}
