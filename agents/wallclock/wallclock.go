// Package wallclock knows of the clock of a robot what all rely on.
package wallclock

import "time"

// IsSet reports whether a clock that shows t was ever set: without a battery it begins in 1970, before there was a robot.
func IsSet(t time.Time) bool { return t.Year() >= 2024 }
