package motion

import "time"

// Clock tells the loop the time and wakes it. The real one is NewClock; tests bring their own.
type Clock interface {
	// Now is the time since some fixed moment; it never goes back.
	Now() time.Duration
	// SleepUntil returns at or after t, or at once when t is over; sooner when it is hurried.
	SleepUntil(t time.Duration)
	// Hurry lets the sleep that is under way, or the next one, end at t. Anybody may call it; a clock may ignore it.
	Hurry(t time.Duration)
}
