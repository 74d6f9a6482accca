package dynamixel

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
	"unsafe"

	"go.bug.st/serial/enumerator"
	"golang.org/x/sys/unix"
)

// Line is the Port of this system: a serial device, a pseudo-terminal or a unix socket.
//
// It keeps a bare descriptor and waits with ppoll: no *os.File whose finalizer could close it, no detour through
// the runtime's poller on the real-time path, no allocation.
type Line struct {
	path    string
	warning string

	mu sync.Mutex
	fd int // -1 when closed
}

// Path returns the device or socket that was opened.
func (l *Line) Path() string { return l.path }

// Warning says what could not be set up without making the line useless; it is empty when all is well.
func (l *Line) Warning() string { return l.warning }

// Read implements Port.
func (l *Line) Read(b []byte, deadline time.Time) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		if l.fd < 0 {
			return 0, os.ErrClosed
		}
		n, err := transfer(unix.SYS_READ, l.fd, b)
		switch {
		case err == 0 && n > 0:
			return n, nil
		case err == 0:
			return 0, io.EOF
		case err == unix.EINTR: // plain errno values
			continue
		case err != unix.EAGAIN:
			return 0, err
		}
		if err := l.wait(unix.POLLIN, deadline); err != nil {
			return 0, err
		}
	}
}

// Write implements Port.
func (l *Line) Write(b []byte, deadline time.Time) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sent := 0
	for sent < len(b) {
		if l.fd < 0 {
			return sent, os.ErrClosed
		}
		n, err := transfer(unix.SYS_WRITE, l.fd, b[sent:])
		sent += n
		switch err {
		case 0, unix.EINTR:
			continue
		case unix.EAGAIN:
			if err := l.wait(unix.POLLOUT, deadline); err != nil {
				return sent, err
			}
		default:
			return sent, err
		}
	}
	return sent, nil
}

// transfer reads or writes without telling the scheduler: the descriptor does not block, and each system call that the scheduler
// is told of wakes the runtime's monitor thread, which then polls every 20 µs for a while, a hundred times a second.
func transfer(call uintptr, fd int, b []byte) (int, unix.Errno) {
	if len(b) == 0 {
		return 0, 0
	}
	n, _, errno := unix.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

// shortWait is for how long a wait may hold one of the scheduler's processors: a servo answers within it.
const shortWait = 2 * time.Millisecond

// wait returns nil when the descriptor is ready for events, or has an error that the next call will tell.
func (l *Line) wait(events int16, deadline time.Time) error {
	for short := true; ; short = false {
		left := time.Until(deadline)
		if deadline.IsZero() || left <= 0 {
			return os.ErrDeadlineExceeded
		}
		if short {
			left = min(left, shortWait)
		}
		switch n, err := l.poll(events, left, short); {
		case errors.Is(err, unix.EINTR): // the runtime preempts with signals
			continue
		case err != nil:
			return err
		case n > 0:
			return nil
		}
	}
}

// poll waits for events; of a short wait the scheduler is not told, as in transfer.
func (l *Line) poll(events int16, wait time.Duration, short bool) (int, error) {
	fds := [1]unix.PollFd{{Fd: int32(l.fd), Events: events}}
	timeout := unix.NsecToTimespec(int64(wait))
	if !short {
		return unix.Ppoll(fds[:], &timeout, nil)
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), 1, uintptr(unsafe.Pointer(&timeout)), 0, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// Close implements Port.
func (l *Line) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fd < 0 {
		return nil
	}
	fd := l.fd
	l.fd = -1
	return unix.Close(fd)
}

// detect lists the serial ports and picks the robot's.
func detect() (string, error) {
	list, err := enumerator.GetDetailedPortsList()
	if err != nil {
		return "", fmt.Errorf("list serial ports: %w", err)
	}
	ports := make([]usbPort, 0, len(list))
	for _, p := range list {
		ports = append(ports, usbPort{p.Name, p.VID, p.PID})
	}
	_, err = os.Stat(WirelessDevice)
	return choose(ports, err == nil)
}

func openSerial(path string) (*Line, error) {
	l, err := openTTY(path)
	if err != nil {
		return nil, err
	}
	if err := setLowLatency(l.fd); err != nil {
		l.warning = fmt.Sprintf("low latency could not be set on %s: %v", path, err)
	}
	return l, nil
}

func openPTY(path string) (*Line, error) { return openTTY(path) }

// openTTY opens a terminal device as a transparent line.
func openTTY(path string) (_ *Line, err error) {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, hint(err)
	}
	defer func() {
		if err != nil {
			_ = unix.Close(fd)
		}
	}()
	if err := unix.IoctlSetInt(fd, unix.TIOCEXCL, 0); err != nil {
		return nil, fmt.Errorf("take exclusively: %w", err)
	}
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, fmt.Errorf("get line settings: %w", err)
	}
	t.Iflag, t.Oflag, t.Lflag = 0, 0, 0
	t.Cflag = unix.CS8 | unix.CREAD | unix.CLOCAL | unix.B1000000
	t.Ispeed, t.Ospeed = unix.B1000000, unix.B1000000
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0 // an empty line is EAGAIN, not the end
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, t); err != nil {
		return nil, fmt.Errorf("set %d baud 8N1: %w", Baud, err)
	}
	if err := unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIOFLUSH); err != nil {
		return nil, fmt.Errorf("flush: %w", err)
	}
	return &Line{path: path, fd: fd}, nil
}

// speeds are the baud rates of the X330 series that Linux knows by a constant, and what a servo calls them.
var speeds = map[int]uint32{9600: unix.B9600, 57600: unix.B57600, 115200: unix.B115200, 1_000_000: unix.B1000000, 2_000_000: unix.B2000000, 3_000_000: unix.B3000000, 4_000_000: unix.B4000000}

func (l *Line) setBaud(baud int) error {
	speed, known := speeds[baud]
	if !known {
		return fmt.Errorf("baud = %d: allowed are 9600, 57600, 115200, 1000000, 2000000, 3000000 and 4000000", baud)
	}
	t, err := unix.IoctlGetTermios(l.fd, unix.TCGETS)
	if err != nil {
		return fmt.Errorf("baud: %s is no serial line: %w", l.path, err)
	}
	t.Cflag = t.Cflag&^unix.CBAUD | speed
	t.Ispeed, t.Ospeed = speed, speed
	if err := unix.IoctlSetTermios(l.fd, unix.TCSETS, t); err != nil {
		return fmt.Errorf("set %d baud: %w", baud, err)
	}
	return nil
}

// hint says what the usual errors of opening a device mean.
func hint(err error) error {
	switch {
	case errors.Is(err, unix.EBUSY):
		return fmt.Errorf("%w: another program (the robot's own daemon?) holds the port", err)
	case errors.Is(err, unix.EACCES):
		return fmt.Errorf("%w: the user must be in the group that owns the device (dialout)", err)
	}
	return err
}

func openSocket(path string) (*Line, error) {
	if longest := len(unix.RawSockaddrUnix{}.Path) - 1; len(path) > longest {
		return nil, fmt.Errorf("socket path has %d bytes, at most %d are allowed", len(path), longest)
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("connect: %w", err)
	}
	return &Line{path: path, fd: fd}, nil
}

// serialStruct is the kernel's struct serial_struct; only flags are touched.
type serialStruct struct {
	typ, line     int32
	port          uint32
	irq, flags    int32
	xmitFifoSize  int32
	customDivisor int32
	baudBase      int32
	closeDelay    uint16
	ioType, hub6  uint8
	closingWait   uint16
	closingWait2  uint16
	iomemBase     uintptr
	iomemRegShift uint16
	_             [2]byte
	portHigh      uint32
	iomapBase     uintptr
	_             [8]uint64 // whatever else a kernel may write
}

// asyncLowLatency asks the driver to hand bytes over at once.
const asyncLowLatency = 1 << 13

func setLowLatency(fd int) error {
	var s serialStruct
	if err := ioctl(fd, unix.TIOCGSERIAL, &s); err != nil {
		return err
	}
	s.flags |= asyncLowLatency
	return ioctl(fd, unix.TIOCSSERIAL, &s)
}

func ioctl(fd int, request uint, s *serialStruct) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(request), uintptr(unsafe.Pointer(s))); errno != 0 {
		return errno
	}
	return nil
}

var _ Port = (*Line)(nil)
