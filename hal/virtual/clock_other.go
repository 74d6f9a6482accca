//go:build !linux

package virtual

import "time"

type systemClock struct{ start time.Time }

// SystemClock is the machine's monotonic clock.
func SystemClock() Clock { return systemClock{time.Now()} }

func (c systemClock) Now() time.Duration         { return time.Since(c.start) }
func (c systemClock) SleepUntil(t time.Duration) { time.Sleep(t - c.Now()) }
