//go:build !linux

package motion

import "time"

type monotonic struct{ start time.Time }

// NewClock returns the system's monotonic clock.
func NewClock() Clock { return monotonic{time.Now()} }

func (c monotonic) Now() time.Duration { return time.Since(c.start) }

func (c monotonic) SleepUntil(t time.Duration) { time.Sleep(t - c.Now()) }

// Hurry implements Clock: this one cannot be hurried.
func (monotonic) Hurry(time.Duration) {}
