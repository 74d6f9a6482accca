//go:build cgo && linux

package audio

import (
	"strings"
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
	all, err := listed("alsa")
	if err != nil {
		return // a host without ALSA has no such device either
	}
	for _, d := range all {
		if id := d.id.(malgo.DeviceID); isNothing(id[:]) {
			t.Errorf("listed: %q", d.Name)
		}
	}
}

// listed are the microphones and loudspeakers of a sound system.
func listed(backend string) ([]Device, error) {
	l, err := openLibrary(backend)
	if err != nil {
		return nil, err
	}
	defer l.close()
	in, err := l.devices(malgo.Capture)
	if err != nil {
		return nil, err
	}
	out, err := l.devices(malgo.Playback)
	return append(in, out...), err
}

func TestDevices(t *testing.T) {
	null(t).close()
	list, err := listed("null")
	if err != nil || len(list) != 2 || !list[0].Capture || list[1].Capture || list[0].Name == "" {
		t.Errorf("%+v, %v", list, err)
	}
	m, err := OpenMicrophone(t.Context(), Options{Backend: "null", Device: "no such thing"})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if s := m.Status(); s.Connected || !strings.Contains(s.Err, "no such thing") || !strings.Contains(s.Err, list[0].Name) {
		t.Errorf("%+v", s)
	}
}
