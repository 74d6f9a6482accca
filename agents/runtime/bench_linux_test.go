package runtime

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/llm/llmtest"
)

// BenchmarkTurn is what the agents add to a turn beside the model's time: guard, route, one hand-off, two model calls, one
// tool. It tells the processor's time beside the clock's, which on a busy machine is mostly the wait for a processor.
func BenchmarkTurn(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := newStage(b, nil, nil)
	var wall, cpu []time.Duration
	for b.Loop() {
		s.o.Model = llmtest.New(llmtest.Use("analyze_scene", `{}`), llmtest.Say("There is a duck."))
		begin, used := time.Now(), threadTime(b)
		if a := s.ask(b.Context(), "what is in front of you"); a.Outcome != coordinator.OutcomeAnswered {
			b.Fatal(a)
		}
		wall, cpu = append(wall, time.Since(begin)), append(cpu, threadTime(b)-used)
		s.history = s.history[:0]
	}
	for name, took := range map[string][]time.Duration{"wall": wall, "cpu": cpu} {
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, name+"-p50-ms")
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, name+"-p95-ms")
	}
}

// threadTime is how long the thread has had a processor.
func threadTime(b *testing.B) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}
