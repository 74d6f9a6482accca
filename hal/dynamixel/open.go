package dynamixel

import (
	"fmt"
	"path/filepath"
	"strings"
)

// What Open looks for when it is told to look for itself.
const (
	USBVendor      = "1A86" // the USB-serial bridge of the Lite …
	USBProduct     = "55D3" // … a CH343
	WirelessDevice = "/dev/ttyAMA3"
)

// Baud is the speed of the robot's bus.
const Baud = 1_000_000

// Open opens the port that spec names:
//
//	auto                 the one USB bridge 1A86:55D3, else /dev/ttyAMA3 when it exists
//	/dev/ttyACM0         a serial device, 1 Mbit/s 8N1, opened exclusively
//	pty:/path            a pseudo-terminal (or a link to one)
//	unix:/path/bus.sock  a unix stream socket
func Open(spec string) (*Line, error) {
	line, err := open(spec)
	if err != nil {
		return nil, fmt.Errorf("open bus port %q: %w", spec, err)
	}
	return line, nil
}

// SetBaud changes the speed of a serial line, for servos that were never configured: 57 600 baud. Only a serial line has one.
func (l *Line) SetBaud(baud int) error { return l.setBaud(baud) }

func open(spec string) (*Line, error) {
	switch kind, path, _ := strings.Cut(spec, ":"); {
	case spec == "auto":
		path, err := detect()
		if err != nil {
			return nil, err
		}
		return openSerial(path)
	case filepath.IsAbs(spec):
		return openSerial(spec)
	case kind == "pty" && path != "":
		return openPTY(path)
	case kind == "unix" && path != "":
		return openSocket(path)
	}
	return nil, fmt.Errorf("not a port; allowed are auto, /dev/…, pty:/path and unix:/path")
}

// usbPort is a serial port with the USB identity of its bridge.
type usbPort struct{ path, vendor, product string }

// choose picks the robot's device.
func choose(ports []usbPort, wireless bool) (string, error) {
	var found []string
	for _, p := range ports {
		if strings.EqualFold(p.vendor, USBVendor) && strings.EqualFold(p.product, USBProduct) {
			found = append(found, p.path)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("%d USB bridges %s:%s found (%s): name the one to use",
			len(found), USBVendor, USBProduct, strings.Join(found, ", "))
	case wireless:
		return WirelessDevice, nil
	}
	return "", fmt.Errorf("no USB bridge %s:%s and no %s: is the robot plugged in and switched on?",
		USBVendor, USBProduct, WirelessDevice)
}
