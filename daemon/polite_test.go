package daemon

import (
	"testing"

	"golang.org/x/sys/unix"
)

// What is run politely has a niceness of its own, and leaves that of everybody else as it was.
func TestPolitely(t *testing.T) {
	nice := func() int { // the system call returns 20 less the niceness
		raw, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
		if err != nil {
			t.Fatal(err)
		}
		return 20 - raw
	}
	before, within := nice(), 0
	politely(func() { within = nice() })
	if within < politeness {
		t.Errorf("niceness %d, want at least %d", within, politeness)
	}
	if after := nice(); after != before {
		t.Errorf("niceness %d afterwards, was %d", after, before)
	}
}
