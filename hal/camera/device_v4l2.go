//go:build linux && (amd64 || arm64)

package camera

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The requests of V4L2 that are used; each carries the size of its argument.
const (
	vidQueryCap  = 0x80685600
	vidSetFormat = 0xc0d05605
	vidReqBufs   = 0xc0145608
	vidQueryBuf  = 0xc0585609
	vidQBuf      = 0xc058560f
	vidDQBuf     = 0xc0585611
	vidStreamOn  = 0x40045612
	vidStreamOff = 0x40045613
	vidSetParm   = 0xc0cc5616
)

const (
	typeCapture    = 1
	memoryMap      = 1
	capCapture     = 0x1
	capStreaming   = 0x04000000
	capDeviceCaps  = 0x80000000
	fourccMJPEG    = 0x47504a4d
	flagError      = 0x40
	flagClockMask  = 0xe000
	flagClockMono  = 0x2000
	fieldAny       = 0
	deviceBuffers  = 4
	pollPeriod     = 500 * time.Millisecond // how soon a Close is noticed even if the wake-up fails
	maxBufferBytes = 64 << 20
)

type v4l2Capability struct {
	Driver                    [16]byte
	Card, Bus                 [32]byte
	Version, Caps, DeviceCaps uint32
	_                         [3]uint32
}

type v4l2Format struct {
	Type uint32
	_    uint32
	Pix  v4l2Pix
	_    [200 - unsafe.Sizeof(v4l2Pix{})]byte
}

type v4l2Pix struct {
	Width, Height, PixelFormat, Field, BytesPerLine, SizeImage, Colorspace, Priv uint32
}

type v4l2Parm struct {
	Type, Capability, Mode uint32
	Numerator, Denominator uint32 // of the time between two pictures, s
	_                      [184]byte
}

type v4l2Requests struct {
	Count, Type, Memory uint32
	_                   [2]uint32
}

type v4l2Buffer struct {
	Index, Type, BytesUsed, Flags, Field uint32
	_                                    uint32
	Sec, Usec                            int64
	_                                    [16]byte
	Sequence, Memory                     uint32
	Offset                               uint64 // of a union: the low half counts
	Length                               uint32
	_                                    [3]uint32
}

// kernel is what a device file does; a test has one without a camera.
type kernel interface {
	ioctl(request uintptr, arg unsafe.Pointer) error
	mmap(offset int64, length int) ([]byte, error)
	munmap([]byte) error
	// wait returns when there is a picture, with an error after a time or when wake was called.
	wait() error
	wake()
	close() error
}

// errWoken is returned by wait when the stream is being closed.
var errWoken = errors.New("closed")

// Open implements Source.
func (d Device) Open(context.Context) (Stream, error) {
	k, err := openDevice(d.Path)
	if err != nil {
		return nil, err
	}
	c, err := d.begin(k)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", d.Path, err), k.close())
	}
	return c, nil
}

// begin sets the format, maps the buffers and starts the camera.
func (d Device) begin(k kernel) (*capture, error) {
	var ability v4l2Capability
	if err := k.ioctl(vidQueryCap, unsafe.Pointer(&ability)); err != nil {
		return nil, fmt.Errorf("it is no V4L2 device: %w", err)
	}
	caps := ability.Caps
	if caps&capDeviceCaps != 0 {
		caps = ability.DeviceCaps
	}
	if caps&capCapture == 0 || caps&capStreaming == 0 {
		return nil, fmt.Errorf("%s takes no pictures; a camera often has several device files, try the next one", text(ability.Card[:]))
	}
	format := v4l2Format{Type: typeCapture, Pix: v4l2Pix{
		Width:       uint32(orNumber(d.Width, DefaultWidth)),
		Height:      uint32(orNumber(d.Height, DefaultHeight)),
		PixelFormat: fourccMJPEG, Field: fieldAny,
	}}
	if err := k.ioctl(vidSetFormat, unsafe.Pointer(&format)); err != nil {
		return nil, fmt.Errorf("set the format: %w", err)
	}
	if format.Pix.PixelFormat != fourccMJPEG {
		return nil, fmt.Errorf("%s gives no JPEG pictures", text(ability.Card[:]))
	}
	parm := v4l2Parm{Type: typeCapture, Numerator: 1, Denominator: uint32(orNumber(d.FPS, DefaultFPS))}
	if err := k.ioctl(vidSetParm, unsafe.Pointer(&parm)); err != nil && !errors.Is(err, unix.ENOTTY) && !errors.Is(err, unix.EINVAL) {
		return nil, fmt.Errorf("set the rate: %w", err)
	}
	c := &capture{kernel: k}
	if err := c.start(); err != nil {
		c.unmap()
		return nil, err
	}
	return c, nil
}

// text is a string of C.
func text(b []byte) string {
	s, _, _ := bytes.Cut(b, []byte{0})
	return string(s)
}

// capture is a running camera.
type capture struct {
	kernel  kernel
	buffers [][]byte
	mu      sync.Mutex // held by Next, so that Close takes nothing away from it
	closed  bool
}

func (c *capture) start() error {
	req := v4l2Requests{Count: deviceBuffers, Type: typeCapture, Memory: memoryMap}
	if err := c.kernel.ioctl(vidReqBufs, unsafe.Pointer(&req)); err != nil {
		return fmt.Errorf("ask for buffers: %w", err)
	}
	if req.Count == 0 || req.Count > 32 {
		return fmt.Errorf("the driver has %d buffers", req.Count)
	}
	for i := range req.Count {
		b := v4l2Buffer{Index: i, Type: typeCapture, Memory: memoryMap}
		if err := c.kernel.ioctl(vidQueryBuf, unsafe.Pointer(&b)); err != nil {
			return fmt.Errorf("buffer %d: %w", i, err)
		}
		if b.Length == 0 || b.Length > maxBufferBytes {
			return fmt.Errorf("buffer %d has %d bytes", i, b.Length)
		}
		mem, err := c.kernel.mmap(int64(uint32(b.Offset)), int(b.Length))
		if err != nil {
			return fmt.Errorf("map buffer %d: %w", i, err)
		}
		c.buffers = append(c.buffers, mem)
		if err := c.kernel.ioctl(vidQBuf, unsafe.Pointer(&b)); err != nil {
			return fmt.Errorf("hand over buffer %d: %w", i, err)
		}
	}
	kind := uint32(typeCapture)
	if err := c.kernel.ioctl(vidStreamOn, unsafe.Pointer(&kind)); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	return nil
}

// Next implements Stream. Damaged pictures, of which USB cameras give one or two when they begin, are left out.
func (c *capture) Next() (Frame, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if c.closed {
			return Frame{}, errWoken
		}
		if err := c.kernel.wait(); err != nil {
			return Frame{}, err
		}
		f, err := c.take()
		if !errors.Is(err, ErrPicture) && !errors.Is(err, unix.EAGAIN) {
			return f, err
		}
	}
}

// take copies a picture out of its buffer and gives the buffer back. mu is held.
func (c *capture) take() (Frame, error) {
	b := v4l2Buffer{Type: typeCapture, Memory: memoryMap}
	if err := c.kernel.ioctl(vidDQBuf, unsafe.Pointer(&b)); err != nil {
		return Frame{}, fmt.Errorf("take a picture: %w", err)
	}
	if int(b.Index) >= len(c.buffers) || int(b.BytesUsed) > len(c.buffers[b.Index]) {
		return Frame{}, fmt.Errorf("the driver gave %d bytes in buffer %d, which does not exist", b.BytesUsed, b.Index)
	}
	data := bytes.Clone(c.buffers[b.Index][:b.BytesUsed])
	taken, flags := takenAt(&b), b.Flags
	if err := c.kernel.ioctl(vidQBuf, unsafe.Pointer(&b)); err != nil {
		return Frame{}, fmt.Errorf("give buffer %d back: %w", b.Index, err)
	}
	if flags&flagError != 0 {
		return Frame{}, fmt.Errorf("%w: the driver calls it damaged", ErrPicture)
	}
	f, err := asFrame(data)
	f.Time = taken
	return f, err
}

// takenAt is the time of the wall clock at which the driver says that the picture was taken.
func takenAt(b *v4l2Buffer) time.Time {
	now := time.Now()
	var mono unix.Timespec
	if b.Flags&flagClockMask != flagClockMono || unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono) != nil {
		return now
	}
	age := time.Duration(mono.Nano() - b.Sec*1e9 - b.Usec*1e3)
	if age < 0 || age > time.Second { // a driver that means another clock
		return now
	}
	return now.Add(-age)
}

// Close implements Stream.
func (c *capture) Close() error {
	c.kernel.wake()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	kind := uint32(typeCapture)
	err := c.kernel.ioctl(vidStreamOff, unsafe.Pointer(&kind))
	c.unmap()
	return errors.Join(err, c.kernel.close())
}

func (c *capture) unmap() {
	for _, b := range c.buffers {
		c.kernel.munmap(b) //nolint:errcheck // it was mapped
	}
	c.buffers = nil
}

// deviceFile is a real device.
type deviceFile struct {
	fd   int
	pipe [2]int // written to to wake wait
}

func openDevice(path string) (*deviceFile, error) {
	d := &deviceFile{}
	var err error
	if d.fd, err = unix.Open(path, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	if err := unix.Pipe2(d.pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		unix.Close(d.fd) //nolint:errcheck // nothing was written
		return nil, err
	}
	return d, nil
}

func (d *deviceFile) ioctl(request uintptr, arg unsafe.Pointer) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(d.fd), request, uintptr(arg))
		switch errno {
		case 0:
			return nil
		case unix.EINTR:
			continue
		}
		return errno
	}
}

func (d *deviceFile) mmap(offset int64, length int) ([]byte, error) {
	return unix.Mmap(d.fd, offset, length, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

func (d *deviceFile) munmap(b []byte) error { return unix.Munmap(b) }

func (d *deviceFile) wait() error {
	for {
		fds := []unix.PollFd{{Fd: int32(d.fd), Events: unix.POLLIN}, {Fd: int32(d.pipe[0]), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(pollPeriod.Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR), err == nil && n == 0:
			continue
		case err != nil:
			return err
		case fds[1].Revents != 0:
			return errWoken
		case fds[0].Revents&unix.POLLIN != 0:
			return nil
		default:
			return fmt.Errorf("the device is gone (poll says %#x)", fds[0].Revents)
		}
	}
}

func (d *deviceFile) wake() { unix.Write(d.pipe[1], []byte{0}) } //nolint:errcheck // a full pipe wakes too

func (d *deviceFile) close() error {
	return errors.Join(unix.Close(d.fd), unix.Close(d.pipe[0]), unix.Close(d.pipe[1]))
}
