package sdnotify

import "golang.org/x/sys/unix"

// waiting returns how many bytes can be read from a socket at once.
func waiting(fd int) (int, error) { return unix.IoctlGetInt(fd, unix.TIOCINQ) }
