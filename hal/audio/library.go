//go:build cgo && linux

package audio

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/gen2brain/malgo"
)

// Built reports whether this program can use sound cards.
const Built = true

// library is miniaudio, bound to one of the system's sound interfaces. It loads ALSA, PulseAudio or JACK at run time.
type library struct {
	ctx *malgo.AllocatedContext
}

// backendNull is miniaudio's null device; malgo.BackendNull is one too small since miniaudio got custom backends.
const backendNull malgo.Backend = 14

var backends = map[string][]malgo.Backend{
	"":           {malgo.BackendPulseaudio, malgo.BackendAlsa, malgo.BackendJack},
	"pulseaudio": {malgo.BackendPulseaudio},
	"alsa":       {malgo.BackendAlsa},
	"jack":       {malgo.BackendJack},
	"null":       {backendNull},
}

func openLibrary(backend string) (*library, error) {
	list, ok := backends[backend]
	if !ok {
		return nil, fmt.Errorf("audio backend %q is not one of pulseaudio, alsa, jack, null", backend)
	}
	ctx, err := malgo.InitContext(list, malgo.ContextConfig{ThreadPriority: malgo.ThreadPriorityHighest}, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: no sound system (PulseAudio, ALSA or JACK) on this host: %w", ErrNoDevice, err)
	}
	return &library{ctx: ctx}, nil
}

func (l *library) close() {
	_ = l.ctx.Uninit()
	l.ctx.Free()
}

func (l *library) devices(kind malgo.DeviceType) ([]Device, error) {
	infos, err := l.ctx.Devices(kind)
	if err != nil {
		return nil, fmt.Errorf("list sound devices: %w", err)
	}
	list := make([]Device, 0, len(infos))
	for i := range infos {
		if isNothing(infos[i].ID[:]) {
			continue
		}
		name := infos[i].Name()
		list = append(list, Device{
			Name: name, Capture: kind == malgo.Capture, Default: infos[i].IsDefault != 0, Robot: robotRank(name) >= 0, id: infos[i].ID,
		})
	}
	return list, nil
}

// isNothing tells ALSA's device "null", which is there without any sound card: it takes and gives silence as fast as the
// processor can, and would be the default of a host that has nothing else.
func isNothing(id []byte) bool { return bytes.HasPrefix(id, []byte("null\x00")) }

// capture opens a microphone; data gets interleaved samples at Rate and which channel to keep.
func (l *library) capture(want string, data func(in []float32, channels, keep int), lost func()) (stream, error) {
	d, err := l.find(malgo.Capture, want)
	if err != nil {
		return nil, err
	}
	// The device's own channels, since those of the robot's array are not two sides of one sound: the first is the
	// voice with echo and noise taken out, and the mean of both would not be.
	config := malgo.DefaultDeviceConfig(malgo.Capture)
	config.Capture.Format = malgo.FormatF32
	config.SampleRate = Rate
	keep := -1
	if d.Robot {
		keep = 0
	}
	return l.start(d, &config, &config.Capture, malgo.DeviceCallbacks{
		Data: func(_, in []byte, frames uint32) {
			if samples := floats(in); frames > 0 && len(samples) > 0 {
				data(samples, len(samples)/int(frames), keep)
			}
		},
		Stop: lost,
	})
}

// playback opens a loudspeaker; data fills mono samples.
func (l *library) playback(want string, rate int, data func(out []float32), lost func()) (stream, error) {
	d, err := l.find(malgo.Playback, want)
	if err != nil {
		return nil, err
	}
	config := malgo.DefaultDeviceConfig(malgo.Playback)
	config.Playback.Format = malgo.FormatF32
	config.Playback.Channels = 1
	config.SampleRate = uint32(rate)
	config.NoPreSilencedOutputBuffer = 1
	return l.start(d, &config, &config.Playback, malgo.DeviceCallbacks{
		Data: func(out, _ []byte, _ uint32) { data(floats(out)) },
		Stop: lost,
	})
}

func (l *library) find(kind malgo.DeviceType, want string) (*Device, error) {
	list, err := l.devices(kind)
	if err != nil {
		return nil, err
	}
	if d := choose(list, want); d != nil {
		return d, nil
	}
	what := "loudspeaker"
	if kind == malgo.Capture {
		what = "microphone"
	}
	names := make([]string, len(list))
	for i := range list {
		names[i] = fmt.Sprintf("%q", list[i].Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("this host has no %s", what)
	}
	return nil, fmt.Errorf("no %s is called %q; there are %s", what, want, strings.Join(names, ", "))
}

// sound is a device that runs.
type sound struct {
	name string

	mu     sync.Mutex // miniaudio does not want a device to be stopped and freed at once
	device *malgo.Device
}

func (l *library) start(d *Device, config *malgo.DeviceConfig, side *malgo.SubConfig, callbacks malgo.DeviceCallbacks) (stream, error) {
	id := d.id.(malgo.DeviceID)
	var pin runtime.Pinner // C reads the ID during the call
	pin.Pin(&id)
	defer pin.Unpin()
	side.DeviceID = unsafe.Pointer(&id)
	config.PeriodSizeInMilliseconds = uint32(period.Milliseconds())
	config.Periods = periods
	device, err := malgo.InitDevice(l.ctx.Context, *config, callbacks)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", d.Name, err)
	}
	s := &sound{name: d.Name, device: device}
	if err := device.Start(); err != nil {
		s.Close()
		return nil, fmt.Errorf("start %q: %w", d.Name, err)
	}
	return s, nil
}

func (s *sound) Name() string { return s.name }

func (s *sound) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.device != nil {
		s.device.Uninit()
		s.device = nil
	}
}

// Stop stops the device as a pulled cable does: its thread tells so.
func (s *sound) Stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.device == nil {
		return ErrClosed
	}
	return s.device.Stop()
}

// floats looks at the device's buffer as what it is.
func floats(b []byte) []float32 {
	if len(b) < 4 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&b[0])), len(b)/4)
}
