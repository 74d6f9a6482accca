package dynamixel

import (
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	bridge := usbPort{"/dev/ttyACM0", "1a86", "55d3"}
	second := usbPort{"/dev/ttyACM1", "1A86", "55D3"}
	other := usbPort{"/dev/ttyUSB0", "0403", "6001"}
	for _, c := range []struct {
		name     string
		ports    []usbPort
		wireless bool
		want     string // path, or a part of the error
	}{
		{"one bridge", []usbPort{other, bridge}, false, "/dev/ttyACM0"},
		{"the bridge wins over the UART", []usbPort{bridge}, true, "/dev/ttyACM0"},
		{"two bridges", []usbPort{bridge, second}, true, "2 USB bridges 1A86:55D3 found (/dev/ttyACM0, /dev/ttyACM1)"},
		{"wireless", []usbPort{other}, true, WirelessDevice},
		{"nothing", []usbPort{other}, false, "no USB bridge 1A86:55D3"},
	} {
		got, err := choose(c.ports, c.wireless)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
