//go:build cgo && linux

package audio

import (
	"testing"

	"github.com/gen2brain/malgo"
)

func TestTheDeviceNullIsNone(t *testing.T) {
	id := make([]byte, 256)
	copy(id, "null")
	if !isNothing(id) {
		t.Error("ALSA's null was taken for a device")
	}
	for _, other := range []string{"", "hw:0,0", "nullmodem", "default"} {
		id := make([]byte, 256)
		copy(id, other)
		if isNothing(id) {
			t.Errorf("%q was taken for nothing", other)
		}
	}
	all, err := Devices("alsa")
	if err != nil {
		return // a host without ALSA has no such device either
	}
	for _, d := range all {
		if id := d.id.(malgo.DeviceID); isNothing(id[:]) {
			t.Errorf("listed: %q", d.Name)
		}
	}
}
