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
	// dropEvery is how often pages of files are dropped. For each page that is used the kernel maps its fifteen neighbours, and
	// those of a store that is read stay for ever: most of what was resident had not been used for minutes.
	dropEvery = 30 * time.Second
)

func collectSparingly() { debug.SetGCPercent(gcPercent) }

// returnMemory returns unused memory at once, which is that of the start, and then regularly and after every conversation, until
// ctx ends. Pages of files go more often: that takes no garbage collection.
func (d *Daemon) returnMemory(ctx context.Context) error {
	tick := time.NewTicker(returnEvery)
	defer tick.Stop()
	talk := d.events.Subscribe("memory", 1, api.TypeReply)
	defer talk.Close()
	drop := time.NewTicker(dropEvery)
	defer drop.Stop()
	calm := time.NewTimer(returnCalm)
	defer calm.Stop()
	unused := returnUnused
	for {
		if err := unused(); err != nil {
			d.Log.Debug().Err(err).Msg("unused memory is not returned")
		}
		for unused = nil; unused == nil; {
			select {
			case <-ctx.Done():
				return nil
			case <-drop.C:
				unused = dropPages
			case <-tick.C:
				unused = returnUnused
			case <-calm.C:
				unused = returnUnused
			case <-talk.Events():
				calm.Reset(returnCalm)
			}
		}
	}
}

// returnUnused returns garbage and the pages of files.
func returnUnused() error {
	debug.FreeOSMemory()
	return dropPages()
}

// dropPages drops the pages of the program and of the store's files. Those that are still used (without tables and
// initialisers) come back from the page cache, where what was written stays, too.
func dropPages() error {
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
		from, to, ok := droppable(lines.Text(), exe)
		if !ok {
			continue
		}
		if _, _, errno := unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED); errno != 0 {
			return fmt.Errorf("madvise: %w", errno)
		}
	}
	return lines.Err()
}

// droppable takes a line of /proc/self/maps apart. Of a private mapping written pages would be lost, so those of the program must not
// be writable; a shared mapping of a file is the page cache itself.
func droppable(line, exe string) (from, to uintptr, ok bool) {
	_, path, named := strings.Cut(line, " /")
	if !named || strings.HasPrefix(path, "dev/") {
		return 0, 0, false
	}
	var mode string
	if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &mode); err != nil || len(mode) != len("rwxp") {
		return 0, 0, false
	}
	return from, to, mode[3] == 's' || mode[1] == '-' && "/"+strings.TrimSuffix(path, " (deleted)") == exe
}
