package daemon

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/api"
)

const (
	// gcPercent is how much may be allocated between two garbage collections, in percent of the live heap. A memory limit is
	// not set: once the live heap comes near it, the collector works all the time.
	gcPercent = 30
	// returnEvery is how often memory that is no longer used is returned to the system.
	returnEvery = 10 * time.Minute
	// returnCalm is for how long nobody must have said anything before that is done in between.
	returnCalm = 30 * time.Second
)

func collectSparingly() { debug.SetGCPercent(gcPercent) }

// returnMemory returns unused memory at once, which is that of the start, and then regularly and after every conversation, until
// ctx ends.
func (d *Daemon) returnMemory(ctx context.Context) error {
	tick := time.NewTicker(returnEvery)
	defer tick.Stop()
	talk := d.events.Subscribe("memory", 1, api.TypeReply)
	defer talk.Close()
	calm := time.NewTimer(returnCalm)
	defer calm.Stop()
	for {
		if err := returnUnused(); err != nil {
			d.Log.Debug().Err(err).Msg("unused memory is not returned")
		}
		for talked := true; talked; {
			select {
			case <-ctx.Done():
				return nil
			case <-tick.C:
				talked = false
			case <-calm.C:
				talked = false
			case <-talk.Events():
				calm.Reset(returnCalm)
			}
		}
	}
}

// returnUnused returns garbage, and the pages of the program's file, of which those that are still used (without tables and
// initialisers) come back from the page cache one at a time.
func returnUnused() error {
	debug.FreeOSMemory()
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var from, to uintptr
		var mode string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &mode); err != nil {
			continue
		}
		// Only what cannot have been changed: pages of a private mapping that were written would be lost.
		if strings.HasSuffix(lines.Text(), exe) && mode[1] == '-' {
			if _, _, errno := unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED); errno != 0 {
				return fmt.Errorf("madvise: %w", errno)
			}
		}
	}
	return lines.Err()
}
