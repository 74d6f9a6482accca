package audio

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	usbTimeout = 500 // ms
	// _IOWR('U', 0, struct usbdevfs_ctrltransfer)
	usbControl = 3<<30 | uint(unsafe.Sizeof(controlTransfer{}))<<16 | 'U'<<8
)

// controlTransfer is struct usbdevfs_ctrltransfer.
type controlTransfer struct {
	requestType, request uint8
	value, index, length uint16
	timeout              uint32
	data                 unsafe.Pointer
}

// USB is the audio board on USB, by the kernel's usbfs.
type USB struct {
	mu   sync.Mutex
	file *os.File
}

// OpenUSB finds and opens the robot's audio board. Its errors wrap ErrNoBoard when there is none, and fs.ErrPermission
// when the udev rule is missing.
func OpenUSB() (*USB, error) {
	node, err := findBoard(os.DirFS("/sys/bus/usb/devices"))
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(node, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("audio board: %w", err)
	}
	return &USB{file: f}, nil
}

// Transfer implements Control.
func (u *USB) Transfer(setup [8]byte, data []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.file == nil {
		return 0, os.ErrClosed
	}
	c := controlTransfer{
		requestType: setup[0], request: setup[1],
		value:   uint16(setup[2]) | uint16(setup[3])<<8,
		index:   uint16(setup[4]) | uint16(setup[5])<<8,
		length:  uint16(len(data)),
		timeout: usbTimeout,
	}
	var pin runtime.Pinner // the kernel writes to it
	defer pin.Unpin()
	if len(data) > 0 {
		pin.Pin(&data[0])
		c.data = unsafe.Pointer(&data[0])
	}
	n, _, errno := unix.Syscall(unix.SYS_IOCTL, u.file.Fd(), uintptr(usbControl), uintptr(unsafe.Pointer(&c)))
	if errno != 0 {
		return 0, fmt.Errorf("USB control transfer: %w", errno)
	}
	return int(n), nil
}

// Close lets the board go. It may be called twice.
func (u *USB) Close() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.file == nil {
		return nil
	}
	err := u.file.Close()
	u.file = nil
	return err
}

var _ Control = (*USB)(nil)
