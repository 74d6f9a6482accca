package audio

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/fstest"
)

func TestFindBoard(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s + "\n")} }
	bus := fstest.MapFS{
		"usb1/idVendor": file("1d6b"), "usb1/idProduct": file("0002"), "usb1/busnum": file("1"), "usb1/devnum": file("1"),
		"1-1:1.0/bInterfaceClass": file("01"),
		"1-1/idVendor":            file("38fb"), "1-1/idProduct": file("1002"), "1-1/busnum": file("1"), "1-1/devnum": file("3"),
		"1-2/idVendor": file("38fb"), "1-2/idProduct": file("1001"), "1-2/busnum": file("1"), "1-2/devnum": file("12"),
	}
	if node, err := findBoard(bus); err != nil || node != "/dev/bus/usb/001/012" {
		t.Errorf("%q, %v", node, err)
	}
	delete(bus, "1-2/busnum")
	if _, err := findBoard(bus); err == nil || errors.Is(err, ErrNoBoard) {
		t.Errorf("without its bus number: %v", err)
	}
	delete(bus, "1-2/idVendor")
	if _, err := findBoard(bus); !errors.Is(err, ErrNoBoard) {
		t.Errorf("without the board: %v", err)
	}
	if _, err := findBoard(os.DirFS(filepath.Join(t.TempDir(), "none"))); !errors.Is(err, ErrNoBoard) {
		t.Errorf("without USB: %v", err)
	}
}

// The kernel takes the request for what it is: a file that is no USB device refuses it by name.
func TestTransferAsksTheKernel(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: usbfs, which only Linux has")
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "device"))
	if err != nil {
		t.Fatal(err)
	}
	u := &USB{file: f}
	_, err = u.Transfer([8]byte{usbRead, 0, readFlag, 0, 48, 0, 4, 0}, make([]byte, 4))
	if err == nil || err.Error() != "USB control transfer: inappropriate ioctl for device" {
		t.Error(err)
	}
	if err := errors.Join(u.Close(), u.Close()); err != nil {
		t.Error(err)
	}
	if _, err := u.Transfer([8]byte{}, nil); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if usbControl != 0xc0185500 {
		t.Errorf("ioctl %#x", usbControl)
	}
}
