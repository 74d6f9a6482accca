package motion

import (
	"math"
	"time"
)

// Whoever asks a standing robot for something need not wait for the next tick: it begins at once, and the ticks after it keep
// their distance to it. The goals were the same for long, so that the servos see what they see of any first tick.
const (
	// earlyAfter is the part of a period that lies between two ticks at least: the wire has been quiet since the one before by then.
	earlyAfter = 0.4
	// earlyEvery is how many periods lie between two ticks that begin before their time, so that asking often makes no faster loop.
	earlyEvery = 5
	// slow is the speed of a goal up to which it stands: in what an early tick leaves out it goes less than half a count, rad/s.
	slow = 0.1
	// slowShift is the same for the place of the head, m/s.
	slowShift = 0.01
)

// mayHurryFrom says from when on the tick that is due at a time may begin before that, and begins it when something waits already.
func (l *Loop) mayHurryFrom(due time.Duration) {
	from := max(l.now+time.Duration(earlyAfter*float64(l.period)), l.hurried+earlyEvery*l.period)
	if from >= due || !l.stands() {
		from = 0
	}
	l.early.Store(int64(from))
	if from != 0 && l.asked() {
		l.hurry()
	}
}

// stands reports whether nothing but breathing moves the goals, and no stream is about to.
func (l *Loop) stands() bool {
	switch {
	case !l.control.Online, l.mode == moving, l.mode == braking:
		return false
	case l.mode == streaming && (l.now-l.stream.last).Seconds() <= gap:
		return false
	}
	for _, v := range l.lim.v {
		if math.Abs(v) > slow {
			return false
		}
	}
	return true
}

// mayHurry reports whether a tick may begin now although it is not due.
func (l *Loop) mayHurry(now time.Duration) bool {
	from := time.Duration(l.early.Load())
	return from != 0 && now >= from && l.asked()
}

// asked reports whether somebody waits for the next tick. A streamer that is just handing over its target hurries once it has.
func (l *Loop) asked() bool {
	if len(l.jobs) > 0 {
		return true
	}
	sl := &l.slot
	if !sl.mu.TryLock() {
		return false
	}
	defer sl.mu.Unlock()
	return sl.fresh && sl.by == sl.owner.Load()
}

// hurry lets the next tick begin as soon as it may. Anybody may call it, after what is asked for is where the tick finds it.
func (l *Loop) hurry() {
	if from := time.Duration(l.early.Load()); from != 0 {
		l.clock.Hurry(max(from, l.clock.Now()))
	}
}
