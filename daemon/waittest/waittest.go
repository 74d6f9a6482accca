// Package waittest waits in tests for what tells nobody that it happens, such as the end of another process.
package waittest

import "time"

// pause is the time between two looks.
const pause = 5 * time.Millisecond

// Within looks until it is so, for no longer than patience, and returns whether it is.
func Within(patience time.Duration, so func() bool) bool {
	for end := time.Now().Add(patience); !so(); time.Sleep(pause) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
