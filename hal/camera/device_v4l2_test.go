//go:build linux && (amd64 || arm64)

package camera

import (
	"context"
	"errors"
	"image/color"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The size of an argument is part of its request's number: the kernel's headers were asked for these.
func TestSizesOfArguments(t *testing.T) {
	for request, size := range map[uintptr]uintptr{
		vidQueryCap: unsafe.Sizeof(v4l2Capability{}), vidSetFormat: unsafe.Sizeof(v4l2Format{}), vidReqBufs: unsafe.Sizeof(v4l2Requests{}),
		vidQueryBuf: unsafe.Sizeof(v4l2Buffer{}), vidQBuf: unsafe.Sizeof(v4l2Buffer{}), vidDQBuf: unsafe.Sizeof(v4l2Buffer{}), vidSetParm: unsafe.Sizeof(v4l2Parm{}),
	} {
		if request>>16&0x3fff != size {
			t.Errorf("request %#x takes %d bytes, ours has %d", request, request>>16&0x3fff, size)
		}
	}
	var b v4l2Buffer
	if a, o, l := unsafe.Offsetof(b.Sec), unsafe.Offsetof(b.Offset), unsafe.Offsetof(b.Length); a != 24 || o != 64 || l != 72 {
		t.Errorf("v4l2_buffer: %d, %d, %d", a, o, l)
	}
	var c v4l2Capability
	if a, d := unsafe.Offsetof(c.Caps), unsafe.Offsetof(c.DeviceCaps); a != 84 || d != 88 {
		t.Errorf("v4l2_capability: %d, %d", a, d)
	}
	var f v4l2Format
	var p v4l2Parm
	if a, n := unsafe.Offsetof(f.Pix), unsafe.Offsetof(p.Numerator); a != 8 || n != 12 {
		t.Errorf("v4l2_format: %d, v4l2_streamparm: %d", a, n)
	}
}

// driver is a kernel with a camera: it fills the buffers that it has with pictures, one at each wait.
type driver struct {
	caps, devCaps uint32
	fourcc        uint32
	fail          map[uintptr]error
	content       [][]byte // of the pictures, over and over
	flags         uint32
	overfull      bool

	mu       sync.Mutex
	queued   []uint32
	maps     map[*byte]bool
	buffers  [][]byte
	on       bool
	closed   bool
	taken    int
	woken    chan struct{}
	wakeOnce sync.Once
}

func newDriver() *driver {
	return &driver{
		caps: capCapture | capStreaming, fourcc: fourccMJPEG, content: [][]byte{pictureOf(64, 48, color.White)},
		fail: map[uintptr]error{}, maps: map[*byte]bool{}, woken: make(chan struct{}), flags: flagClockMono,
	}
}

func (d *driver) ioctl(request uintptr, arg unsafe.Pointer) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fail[request]; err != nil {
		return err
	}
	switch request {
	case vidQueryCap:
		c := (*v4l2Capability)(arg)
		copy(c.Card[:], "Test Camera")
		c.Caps, c.DeviceCaps = d.caps, d.devCaps
	case vidSetFormat:
		(*v4l2Format)(arg).Pix.PixelFormat = d.fourcc
	case vidReqBufs:
		(*v4l2Requests)(arg).Count = 3
	case vidQueryBuf:
		b := (*v4l2Buffer)(arg)
		b.Length, b.Offset = 1<<16, uint64(b.Index)<<16
	case vidQBuf:
		d.queued = append(d.queued, (*v4l2Buffer)(arg).Index)
	case vidDQBuf:
		if len(d.queued) == 0 {
			return unix.EAGAIN
		}
		b := (*v4l2Buffer)(arg)
		b.Index, d.queued = d.queued[0], d.queued[1:]
		b.BytesUsed = uint32(copy(d.buffers[b.Index], d.content[d.taken%len(d.content)]))
		if d.overfull {
			b.BytesUsed = 1 << 20
		}
		b.Flags = d.flags
		d.taken++
		var now unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
			return err
		}
		ago := now.Nano() - int64(40*time.Millisecond)
		b.Sec, b.Usec = ago/1e9, ago%1e9/1e3
	case vidStreamOn:
		d.on = true
	case vidStreamOff:
		d.on = false
	}
	return nil
}

func (d *driver) mmap(_ int64, length int) ([]byte, error) {
	b := make([]byte, length)
	d.maps[&b[0]] = true
	d.buffers = append(d.buffers, b)
	return b, nil
}

func (d *driver) munmap(b []byte) error {
	delete(d.maps, &b[0])
	return nil
}

func (d *driver) wait() error {
	select {
	case <-d.woken:
		return errWoken
	default:
		return nil
	}
}
func (d *driver) wake()        { d.wakeOnce.Do(func() { close(d.woken) }) }
func (d *driver) close() error { d.closed = true; return nil }

func TestPicturesFromADevice(t *testing.T) {
	d := newDriver()
	d.content = append(d.content, []byte("half a picture"), pictureOf(32, 24, color.White))
	c, err := Device{FPS: 30}.begin(d)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		f, err := c.Next()
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{64, 32}[i%2]; f.Width != want { // the damaged one is left out
			t.Errorf("picture %d is %d wide, want %d", i, f.Width, want)
		}
		if age := time.Since(f.Time); age < 40*time.Millisecond {
			t.Errorf("taken %v ago, the driver said 40 ms", age)
		}
	}
	if len(d.queued) != 3 {
		t.Errorf("%d of 3 buffers are with the driver", len(d.queued))
	}
	if err := c.Close(); err != nil || d.on || !d.closed || len(d.maps) != 0 {
		t.Errorf("after Close: %v, on %v, closed %v, %d maps", err, d.on, d.closed, len(d.maps))
	}
	if _, err := c.Next(); !errors.Is(err, errWoken) {
		t.Errorf("after Close: %v", err)
	}
}

func TestDevicesThatCannot(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		spoil func(*driver)
		want  string
	}{
		"not V4L2":      {func(d *driver) { d.fail[vidQueryCap] = unix.ENOTTY }, "no V4L2 device"},
		"metadata node": {func(d *driver) { d.caps |= capDeviceCaps }, "takes no pictures"},
		"no streaming":  {func(d *driver) { d.caps = capCapture }, "takes no pictures"},
		"raw only":      {func(d *driver) { d.fourcc = 0x56595559 }, "Test Camera gives no JPEG"},
		"busy":          {func(d *driver) { d.fail[vidSetFormat] = unix.EBUSY }, "set the format"},
		"rate":          {func(d *driver) { d.fail[vidSetParm] = broken }, "set the rate"},
		"no buffers":    {func(d *driver) { d.fail[vidReqBufs] = broken }, "ask for buffers"},
		"query":         {func(d *driver) { d.fail[vidQueryBuf] = broken }, "buffer 0"},
		"no bandwidth":  {func(d *driver) { d.fail[vidStreamOn] = unix.ENOSPC }, "start"},
	} {
		d := newDriver()
		c.spoil(d)
		if _, err := (Device{}).begin(d); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if len(d.maps) != 0 {
			t.Errorf("%s: %d maps are left", name, len(d.maps))
		}
	}
	d := newDriver()
	d.fail[vidSetParm] = unix.ENOTTY // many cameras have one rate
	if _, err := (Device{}).begin(d); err != nil {
		t.Error(err)
	}
	d.overfull = true // more bytes than the buffer has must not be read
	c := &capture{kernel: d, buffers: d.buffers}
	if _, err := c.Next(); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("%v", err)
	}
}

func TestDeviceFiles(t *testing.T) {
	for path, want := range map[string]string{"/dev/video-none": "no such file", "/dev/null": "no V4L2 device"} {
		if _, err := (Device{Path: path}).Open(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A pipe in the place of the device: pictures wake the waiter, Close does too, and a device that is pulled out is told.
func TestWaitingForADevice(t *testing.T) {
	var p, w [2]int
	if err := errors.Join(unix.Pipe(p[:]), unix.Pipe2(w[:], unix.O_NONBLOCK)); err != nil {
		t.Fatal(err)
	}
	d := &deviceFile{fd: p[0], pipe: w}
	if _, err := unix.Write(p[1], []byte{1}); err != nil {
		t.Fatal(err)
	}
	if err := d.wait(); err != nil {
		t.Errorf("with a picture: %v", err)
	}
	if _, err := unix.Read(p[0], make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- d.wait() }()
	d.wake()
	if err := <-ended; !errors.Is(err, errWoken) {
		t.Errorf("woken: %v", err)
	}
	if _, err := unix.Read(w[0], make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	unix.Close(p[1])
	if err := d.wait(); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("pulled out: %v", err)
	}
	if err := d.close(); err != nil {
		t.Error(err)
	}
}
