package guest

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// folderPrefix begins the name of a worker's folder in RunDir.
const folderPrefix = "sandbox-"

// RemoveLeftovers removes the folders of workers that a killed process left in runDir, and returns how many. A folder on whose
// socket a living worker listens stays. Nobody may start workers in runDir meanwhile.
func RemoveLeftovers(runDir string) (removed int, err error) {
	folders, err := filepath.Glob(filepath.Join(runDir, folderPrefix+"*"))
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, folder := range folders {
		if inUse(filepath.Join(folder, socketName)) {
			continue
		}
		// Not RemoveAll: of what we have not made, nothing is removed.
		if err := os.Remove(filepath.Join(folder, socketName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("leftover of a sandbox: %w", err))
			continue
		}
		if err := os.Remove(folder); err != nil {
			errs = append(errs, fmt.Errorf("leftover of a sandbox: %w", err))
			continue
		}
		removed++
	}
	return removed, errors.Join(errs...)
}

// inUse reports whether somebody listens on a socket, or may.
func inUse(socket string) bool {
	conn, err := net.DialTimeout("unix", socket, time.Second) //nolint:noctx // bounded by its timeout
	if err == nil {
		_ = conn.Close()
	}
	return err == nil || !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, fs.ErrNotExist)
}
