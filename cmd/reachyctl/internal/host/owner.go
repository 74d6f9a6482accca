package host

import (
	"os"
	"path/filepath"
	"syscall"
)

// Owner tells whose a directory is, or the one above it where that is not there yet: root gives to them what is written there. -1, which
// changes nothing, where this is not root or nobody knows.
func Owner(dir string) (uid, gid int) {
	info, err := os.Stat(dir)
	if err != nil {
		info, err = os.Stat(filepath.Dir(dir))
	}
	if err != nil || os.Getuid() != 0 {
		return -1, -1
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, -1
	}
	return int(stat.Uid), int(stat.Gid)
}
