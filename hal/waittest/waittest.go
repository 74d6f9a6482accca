// Package waittest waits in tests for what tells nobody that it happens, such as the end of another process.
package waittest

import (
	"testing"
	"time"
)

const (
	// Patience is how long Until waits: much longer than it takes on a busy machine.
	Patience = time.Minute
	// pause is the time between two looks.
	pause = 5 * time.Millisecond
)

// Within looks until it is so, for no longer than patience, and returns whether it is.
func Within(patience time.Duration, so func() bool) bool {
	for end := time.Now().Add(patience); !so(); time.Sleep(pause) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// Until looks until it is so, and ends the test when that takes longer than Patience.
func Until(t testing.TB, what string, so func() bool) {
	t.Helper()
	if !Within(Patience, so) {
		t.Fatalf("waited %v in vain for %s", Patience, what)
	}
}
