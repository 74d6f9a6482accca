package motion

import (
	"fmt"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// ticker measures the loop itself.
type ticker struct {
	start      time.Duration
	last       time.Duration // when the tick before woke
	missed     uint64
	lateness   histogram // of this second
	life       histogram // lateness since start
	period     linear    // time between two wake-ups since start
	work       histogram // time a tick took since start
	second     time.Duration
	ticksAt    uint64
	missedAt   uint64
	out        hal.Telemetry
	fresh      bool
	late       *hal.Fault
	goodSecond int
}

func (t *ticker) woke(now, lateness time.Duration) {
	t.lateness.add(lateness)
	t.life.add(lateness)
	if t.last != 0 {
		t.period.add(now - t.last)
	}
	t.last = now
}

// turn closes a second of measurements when it is over.
func (t *ticker) turn(now time.Duration, l *Loop) {
	t.work.add(l.clock.Now() - now)
	if t.second == 0 {
		t.second = now
	}
	span := now - t.second
	if span < time.Second {
		return
	}
	ticks, missed := l.tickNo-t.ticksAt, t.missed-t.missedAt
	t.second, t.ticksAt, t.missedAt = now, l.tickNo, t.missed
	t.out = hal.Telemetry{
		TS:        time.Now(),
		LoopHz:    float64(ticks) / span.Seconds(),
		JitterP50: micros(t.lateness.quantile(0.5)),
		JitterP99: micros(t.lateness.quantile(0.99)),
		JitterMax: micros(t.lateness.max),
		Ticks:     l.tickNo,
		Missed:    t.missed,
		UptimeS:   (now - t.start).Seconds(),
	}
	t.fresh = true
	t.lateness.reset()
	t.judge(ticks, missed)
}

// judge raises the deadline fault when more than a tenth of the ticks of a second were missed, and ends it after two
// seconds that were good.
func (t *ticker) judge(ticks, missed uint64) {
	if missed*10 > ticks+missed {
		t.goodSecond = 0
		if t.late == nil {
			t.late = newLateFault(fmt.Sprintf("%d of %d ticks missed within a second", missed, ticks+missed))
		}
		return
	}
	if t.goodSecond++; t.goodSecond >= 2 {
		t.late = nil
	}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// Telemetry returns the health of the loop as of its last full second. What concerns the process (memory, processor
// time) is left to the caller.
func (l *Loop) Telemetry() hal.Telemetry {
	l.pub.mu.Lock()
	t, h := l.pub.tele, l.pub.health
	l.pub.mu.Unlock()
	t.Realtime = l.cfg.Realtime
	t.Bus = h.Bus
	t.Servos = h.Servos[:]
	return t
}

// Timing is how the loop kept its time since it was started.
type Timing struct {
	Ticks, Missed                   uint64
	LateP50, LateP99, LateMax       time.Duration // of the wake-up
	PeriodP50, PeriodP99, PeriodMax time.Duration // between two wake-ups
	WorkP50, WorkP99, WorkMax       time.Duration // of a whole tick, bus included
}

// Timing may be called when Run has returned.
func (l *Loop) Timing() Timing {
	t := &l.tele
	return Timing{
		Ticks: l.tickNo, Missed: t.missed,
		LateP50: t.life.quantile(0.5), LateP99: t.life.quantile(0.99), LateMax: t.life.max,
		PeriodP50: t.period.quantile(0.5), PeriodP99: t.period.quantile(0.99), PeriodMax: t.period.max,
		WorkP50: t.work.quantile(0.5), WorkP99: t.work.quantile(0.99), WorkMax: t.work.max,
	}
}
