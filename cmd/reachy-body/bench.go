package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/hal/motion"
)

// result is what a bench run has measured.
type result struct {
	Seconds       float64 `json:"seconds"`
	Rate          float64 `json:"rate_hz"`
	Realtime      string  `json:"realtime"`
	Ticks         uint64  `json:"ticks"`
	Missed        uint64  `json:"missed_ticks"`
	LateP50       float64 `json:"late_p50_us"`
	LateP99       float64 `json:"late_p99_us"`
	LateMax       float64 `json:"late_max_us"`
	PeriodP50     float64 `json:"period_p50_us"`
	PeriodP99     float64 `json:"period_p99_us"`
	PeriodMax     float64 `json:"period_max_us"`
	WorkP50       float64 `json:"work_p50_us"`
	WorkP99       float64 `json:"work_p99_us"`
	WorkMax       float64 `json:"work_max_us"`
	AllocsPerTick float64 `json:"allocs_per_tick"`
	CPUPercent    float64 `json:"cpu_percent"`
	RSSBytes      int64   `json:"rss_bytes"`
	hal.BusCounters
}

// bench dances for a while and reports how the loop kept its time. The allocations are those of the whole process while
// it moves and nobody asks it for anything.
func bench(ctx context.Context, o *options, out io.Writer) error {
	robot, loop, err := open(o, false)
	if err != nil {
		return err
	}
	defer robot.Close() //nolint:errcheck // the process ends
	loopCtx, stopLoop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stopLoop()
	wg.Go(func() { loop.Run(loopCtx) }) //nolint:errcheck // it ends when it is told to

	began, cpu := time.Now(), cpuTime()
	end := began.Add(o.bench)
	if err := act(ctx, loop, hal.Request{Verb: hal.VerbWake}, nil); err != nil {
		return err
	}
	var allocs, ticks uint64
	names := catalog.GestureNames()
	for i := 0; time.Now().Before(end); i++ {
		req := hal.Request{Verb: hal.VerbGesture, Name: names[i%len(names)]}
		err := act(ctx, loop, req, func(quiet time.Duration) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			time.Sleep(quiet)
			runtime.ReadMemStats(&after)
			allocs += after.Mallocs - before.Mallocs
			ticks += uint64(quiet.Seconds() * o.rate)
		})
		if err != nil {
			return err
		}
	}
	took := time.Since(began)
	load := 100 * float64(cpuTime()-cpu) / float64(took)
	if err := act(ctx, loop, hal.Request{Verb: hal.VerbSleep}, nil); err != nil {
		return err
	}
	t := loop.Telemetry()
	stopLoop()
	wg.Wait()
	tm := loop.Timing()
	r := result{
		Seconds: took.Seconds(), Rate: o.rate, Realtime: t.Realtime, Ticks: tm.Ticks, Missed: tm.Missed,
		LateP50: micros(tm.LateP50), LateP99: micros(tm.LateP99), LateMax: micros(tm.LateMax),
		PeriodP50: micros(tm.PeriodP50), PeriodP99: micros(tm.PeriodP99), PeriodMax: micros(tm.PeriodMax),
		WorkP50: micros(tm.WorkP50), WorkP99: micros(tm.WorkP99), WorkMax: micros(tm.WorkMax),
		AllocsPerTick: float64(allocs) / float64(max(1, ticks)), CPUPercent: load, RSSBytes: local.ResidentBytes(),
		BusCounters: t.Bus,
	}
	return r.print(out, o.json)
}

// act does one thing and waits for its end; meanwhile is told how long nothing else will be asked.
func act(ctx context.Context, loop *motion.Loop, req hal.Request, meanwhile func(quiet time.Duration)) error {
	a := loop.Do(ctx, req)
	if a.Outcome == hal.Rejected {
		return fmt.Errorf("%s %s: %s: %s", req.Verb, req.Name, a.Code, a.Reason)
	}
	if quiet := time.Duration(a.Duration*float64(time.Second)) - 200*time.Millisecond; meanwhile != nil && quiet > 0 {
		meanwhile(quiet)
	}
	e, err := loop.Wait(ctx, a.Move)
	if err == nil && e.End != hal.EndDone {
		err = fmt.Errorf("%s %s %s: %s", req.Verb, req.Name, e.End, e.Reason)
	}
	return err
}

func (r *result) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(r)
	}
	_, err := fmt.Fprintf(out, `%.0f s at %.0f Hz, %s
ticks        %d, missed %d
lateness     p50 %.0f µs  p99 %.0f µs  max %.0f µs
period       p50 %.0f µs  p99 %.0f µs  max %.0f µs
work         p50 %.0f µs  p99 %.0f µs  max %.0f µs (bus included)
allocations  %.3f per tick
bus          %d cycles, %d timeouts, %d corrupt, %d foreign, %d reconnects
process      %.1f %% of a core, %.1f MB resident
`,
		r.Seconds, r.Rate, r.Realtime, r.Ticks, r.Missed, r.LateP50, r.LateP99, r.LateMax, r.PeriodP50, r.PeriodP99, r.PeriodMax,
		r.WorkP50, r.WorkP99, r.WorkMax, r.AllocsPerTick, r.Cycles, r.Timeouts, r.Corrupt, r.Foreign, r.Reconnects,
		r.CPUPercent, float64(r.RSSBytes)/1e6)
	return err
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func cpuTime() time.Duration {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
