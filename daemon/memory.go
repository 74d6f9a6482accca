package daemon

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/unix"
)

// forgetStart gives back the memory that only the start needed: garbage, and the pages of the program's file that nobody
// will read again (tables, initialisers). What is still used comes back from the page cache by itself, a page at a time.
func forgetStart() error {
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
