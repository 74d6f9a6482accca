package virtual

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ptyPoll is how often a pseudo-terminal that nobody has open is looked at.
const ptyPoll = 5 * time.Millisecond

// ServePTY offers the line as a pseudo-terminal in raw mode with a symbolic link to it at link, until ctx ends, and
// removes the link then. While the line is unplugged there is no link, and a client that has the terminal open gets
// EIO. ready is called when the link is there the first time.
func (c *Chain) ServePTY(ctx context.Context, link string, ready func()) error {
	return c.whilePlugged(ctx, func(unplugged <-chan struct{}) error {
		return c.ptyOnce(ctx, link, unplugged, &ready)
	})
}

// ptyOnce serves one pseudo-terminal until ctx ends or the line is unplugged.
func (c *Chain) ptyOnce(ctx context.Context, link string, unplugged <-chan struct{}, ready *func()) (err error) {
	master, name, err := openRaw()
	if err != nil {
		return fmt.Errorf("open a pseudo-terminal: %w", err)
	}
	if err := relink(name, link); err != nil {
		return errors.Join(err, master.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-ctx.Done():
		case <-unplugged:
			cancel()
		}
		master.Close() //nolint:errcheck // it only wakes the reader up
	}()
	defer func() {
		cancel()
		<-watched
		err = errors.Join(err, os.Remove(link))
	}()
	if *ready != nil {
		(*ready)()
		*ready = nil
	}
	for ctx.Err() == nil {
		if !waitOpened(ctx, master) {
			return nil
		}
		c.clientCame()
		l := line{c: c, rw: master, rate: func() byte { return baudOf(master) }}
		err := l.run()
		c.clientLeft()
		if err != nil && !errors.Is(err, syscall.EIO) && ctx.Err() == nil { // EIO: the client has closed it
			return fmt.Errorf("pseudo-terminal %s: %w", name, err)
		}
	}
	return nil
}

// openRaw opens a pseudo-terminal without line editing and returns its master side and the name of the other. The
// master is non-blocking, so that closing it wakes a reader up.
func openRaw() (master *os.File, name string, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, "", err
	}
	master = os.NewFile(uintptr(fd), "/dev/ptmx")
	n, err := setUp(fd)
	name = fmt.Sprintf("/dev/pts/%d", n)
	if err == nil {
		// Opened and closed once, the terminal is in the hang-up state by which waitOpened knows that nobody has it.
		err = touch(name)
	}
	if err != nil {
		return nil, "", errors.Join(err, master.Close())
	}
	return master, name, nil
}

// setUp makes the terminal raw, unlocks it and returns its number.
func setUp(fd int) (n uint32, err error) {
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return 0, err
	}
	makeRaw(t)
	t.Cflag = t.Cflag&^unix.CBAUD | unix.B1000000
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, t); err != nil {
		return 0, err
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return 0, err
	}
	return unix.IoctlGetUint32(fd, unix.TIOCGPTN)
}

func touch(name string) error {
	fd, err := unix.Open(name, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// makeRaw lets every byte through as it is.
func makeRaw(t *unix.Termios) {
	t.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	t.Oflag &^= unix.OPOST
	t.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	t.Cflag = t.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
}

// relink makes link point to name, replacing an old link but nothing else.
func relink(name, link string) error {
	if info, err := os.Lstat(link); err == nil {
		if info.Mode().Type() != os.ModeSymlink {
			return fmt.Errorf("link %s: there is something that is not a symbolic link", link)
		}
		if err := os.Remove(link); err != nil {
			return err
		}
	}
	return os.Symlink(name, link)
}

// waitOpened returns true when somebody has the terminal open, false when ctx ended before. The kernel has no event
// for that, only the hang-up state.
func waitOpened(ctx context.Context, master *os.File) bool {
	raw, err := master.SyscallConn()
	if err != nil {
		return false
	}
	t := time.NewTicker(ptyPoll)
	defer t.Stop()
	for {
		fds := [1]unix.PollFd{{}}
		if raw.Control(func(fd uintptr) {
			fds[0].Fd = int32(fd)
			_, err = unix.Poll(fds[:], 0)
		}) != nil {
			return false
		}
		if err == nil && fds[0].Revents&unix.POLLHUP == 0 {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-t.C:
		}
	}
}

// bauds are the values of the servos' register of baud rates, by bits/s.
var bauds = map[uint32]byte{9600: 0, 57600: 1, 115200: 2, 1_000_000: 3, 2_000_000: 4, 3_000_000: 5, 4_000_000: 6}

// noBaud is the rate of no servo.
const noBaud = 255

// baudOf is the rate that the client has set on the terminal: at the master's end the settings are those of the other.
func baudOf(master *os.File) byte {
	raw, err := master.SyscallConn()
	if err != nil {
		return noBaud
	}
	baud := byte(noBaud)
	_ = raw.Control(func(fd uintptr) { // a terminal that is closed has no rate
		t, err := unix.IoctlGetTermios(int(fd), unix.TCGETS2) // in figures, also where the client gave a figure
		if err != nil {
			return
		}
		if b, known := bauds[t.Ospeed]; known {
			baud = b
		}
	})
	return baud
}
