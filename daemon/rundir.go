package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// lockName is the file in the run directory that the one reachyd which uses it has locked, with its process number.
const lockName = "lock"

// openRunDir makes the directories and takes the run directory: two reachyd that share one would share a body.
func (d *Daemon) openRunDir(context.Context) error {
	if err := d.Config.MakeDirs(); err != nil {
		return err
	}
	unlock, err := lockDir(d.Config.RunDir)
	if err != nil {
		return err
	}
	d.parts.push("run directory", unlock)
	return nil
}

// lockDir locks a directory until unlock is called or the process ends, in whatever way. The workers do not inherit the lock.
func lockDir(dir string) (unlock func() error, err error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("run_dir: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = fmt.Errorf("run_dir %s is used by another reachyd%s; allowed is one for each robot: end that one, or give this one a run_dir of its own "+
			"(and another robot)", dir, ownerOf(f))
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil // gives the lock back; the file stays, since another process may wait for its lock
}

// ownerOf names the process that wrote its number into the file.
func ownerOf(f *os.File) string {
	const most = 20
	text := make([]byte, most)
	n, _ := f.ReadAt(text, 0) // shorter than most: io.EOF
	if pid := strings.TrimSpace(string(text[:n])); pid != "" {
		return " (pid " + pid + ")"
	}
	return ""
}
