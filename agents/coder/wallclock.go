package coder

import (
	"time"

	"github.com/reachyd/reachyd/agents/wallclock"
)

// The clock of a robot may be set at any time: one without a battery begins in 1970, until the network tells it better. What was
// asked for "in 20 minutes" comes after 20 minutes all the same; "at 8 o'clock" goes by the clock.
const (
	// aSetting is by how much the clock must differ from what has passed to have been set.
	aSetting = time.Second
	// otherDay is a setting after which the date that was reckoned with was none.
	otherDay = 12 * time.Hour
	// lookEvery is how soon it is noticed that the clock was set, where something goes by it.
	lookEvery = 10 * time.Second
)

// now is what the clock shows. When it was set meanwhile, all goes on as it was meant. The caller holds mu.
func (s *scheduler) now() time.Time {
	now := s.c.o.Now().Round(0) // the clock that people see
	zero := now.Add(-s.c.o.Up())
	if s.zero.IsZero() {
		s.zero = zero
	}
	by := zero.Sub(s.zero)
	if by.Abs() < aSetting {
		return now
	}
	s.zero = zero
	for i := range s.all {
		s.all[i].shift(by, now, s.c.o.Up())
	}
	if len(s.all) > 0 {
		_ = s.keep() // told as a failure; a restart goes by what was kept before
	}
	return now
}

// shift makes up for a clock that was set by so much, to now.
func (k *Schedule) shift(by time.Duration, now time.Time, up time.Duration) {
	switch {
	case k.loaded && !k.Clock && by < 0: // it does not take longer for that
		k.Next = earlier(k.Next, now.Add(k.late-up))
		return
	case k.loaded, k.Clock && by.Abs() < otherDay: // its time stands
		return
	case k.Clock:
		k.Next = onDay(sameTimeOfDay(k.Next, now.Add(-by), now), k.Days)
	default:
		k.Next = k.Next.Add(by)
	}
	k.Created = k.Created.Add(by)
	if !k.Until.IsZero() {
		k.Until = k.Until.Add(by)
	}
}

// sameTimeOfDay is the time of day of next, as many days ahead of now as it was of a wrong clock; when that is not clear, the earlier.
func sameTimeOfDay(next, wrong, now time.Time) time.Time {
	next, wrong = next.In(now.Location()), wrong.In(now.Location())
	hour, minute, _ := next.Clock()
	days := max(0, int(day(next).Sub(day(wrong)).Hours()/24))
	byDate := time.Date(now.Year(), now.Month(), now.Day()+days, hour, minute, 0, 0, now.Location())
	if !byDate.After(now) {
		byDate = byDate.AddDate(0, 0, 1)
	}
	return earlier(byDate, nextAt(now, hour, minute).AddDate(0, 0, max(0, int(next.Sub(wrong)/dayLong))))
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// wait is how long it is until the next round.
func (k *Schedule) wait(now time.Time, up time.Duration) time.Duration {
	if k.loaded && !k.Clock {
		return min(k.Next.Sub(now), k.late-up)
	}
	return k.Next.Sub(now)
}

// takeUp goes on with what a former run has kept, whose clock may have been another.
func (k *Schedule) takeUp(now time.Time, up time.Duration) {
	switch {
	case k.Every == 0 && k.Clock && k.Created.After(now.Add(otherDay)) && wallclock.IsSet(now): // the clock was ahead then
		k.Next = sameTimeOfDay(k.Next, k.Created, now)
		k.Created = now
		return
	case k.Every == 0:
		k.loaded, k.late = true, up+k.Next.Sub(k.Created)
		return
	}
	if !k.Until.IsZero() {
		k.Until = earlier(k.Until, now.Add(k.Until.Sub(k.Created)))
	}
	k.loaded = k.Clock
	switch ahead := k.Next.Sub(now); {
	case ahead < 0: // rounds that were missed are not made up for
		k.skip(now)
	case ahead <= k.Every, k.Clock && !wallclock.IsSet(now): // its day is known when the clock is set
	case k.Clock:
		k.Next = onDay(k.Next.In(now.Location()).AddDate(0, 0, -int((ahead-1)/k.Every)*int(k.Every/dayLong)), k.Days)
	default:
		k.Next = now.Add(k.Every)
	}
}

// plan sets the time of the next round, after one.
func (k *Schedule) plan(now time.Time) {
	k.loaded = false
	if k.Clock {
		k.skip(now)
		return
	}
	if k.Next = k.Next.Add(k.Every); k.Next.Before(now) {
		k.Next = now.Add(k.Every)
	}
}

// skip goes to the first round after now that keeps the beat; a time of day stays one when summer time begins.
func (k *Schedule) skip(now time.Time) {
	switch rounds := int(max(0, now.Sub(k.Next))/max(k.Every, 1)) + 1; {
	case k.Every == 0:
	case k.Clock:
		k.Next = onDay(k.Next.In(now.Location()).AddDate(0, 0, rounds*int(k.Every/dayLong)), k.Days)
	default:
		k.Next = k.Next.Add(time.Duration(rounds) * k.Every)
	}
}
