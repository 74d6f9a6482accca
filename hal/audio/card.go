package audio

import (
	"context"
	"sync"
)

// Options choose a sound device.
type Options struct {
	// Device is Auto (also when empty), Default, or the name of a device or a part of it.
	Device string
	// Rate of a sink's device in samples per second, 48000.
	Rate  int
	Clock Clock // nil: the real time
	// Backend is the system's sound interface: "pulseaudio", "alsa", "jack", or "null", which plays in real time to
	// nobody and hears silence. Empty: the first that works, without null.
	Backend string
}

// cards is a library of sound devices.
type cards interface {
	capture(device string, data func(in []float32, channels, keep int), lost func()) (stream, error)
	playback(device string, rate int, data func(out []float32), lost func()) (stream, error)
	close()
}

// Microphone is a Source that records from a sound device and waits for it to come back when it is unplugged.
type Microphone struct {
	*intake
	keeper *keeper
	once   sync.Once
	free   func()
}

// OpenMicrophone opens a microphone. When it is not there, Read waits for it and Status tells why; only wrong options,
// a host without any sound system and a program without cgo are errors.
func OpenMicrophone(ctx context.Context, o Options) (*Microphone, error) {
	lib, err := openLibrary(o.Backend)
	if err != nil {
		return nil, err
	}
	return openMicrophone(ctx, lib, o)
}

func openMicrophone(ctx context.Context, lib cards, o Options) (*Microphone, error) {
	t := newIntake(orSystem(o.Clock))
	m := &Microphone{intake: t}
	m.free = lib.close
	ready := make(chan struct{})
	m.keeper = newKeeper(t.clock, func(lost func()) (stream, error) {
		<-ready
		return lib.capture(o.Device, func(in []float32, channels, keep int) {
			now := t.clock.Now()
			m.keeper.beat(now)
			t.push(in, channels, keep, now)
		}, lost)
	}, t.gap)
	close(ready)
	if err := m.keeper.await(ctx); err != nil {
		_ = m.Close()
		return nil, err
	}
	return m, nil
}

// Status tells how the microphone does.
func (m *Microphone) Status() Status {
	s := m.keeper.get()
	m.mu.Lock()
	defer m.mu.Unlock()
	s.Lost = m.total
	return s
}

// Close implements Source.
func (m *Microphone) Close() error {
	m.once.Do(func() {
		m.shut()
		m.keeper.close()
		m.free()
	})
	return nil
}

// OpenLoudspeaker opens a loudspeaker. While it is not there Write fails with ErrNoDevice, and it is tried again; only wrong options, a
// host without any sound system and a program without cgo are errors.
func OpenLoudspeaker(ctx context.Context, o Options) (*Player, error) {
	set(&o.Rate, defaultSinkRate)
	if err := checkRate(o.Rate); err != nil {
		return nil, err
	}
	lib, err := openLibrary(o.Backend)
	if err != nil {
		return nil, err
	}
	return openLoudspeaker(ctx, lib, o)
}

func openLoudspeaker(ctx context.Context, lib cards, o Options) (*Player, error) {
	p := newPlayout(orSystem(o.Clock), o.Rate)
	var k *keeper
	ready := make(chan struct{})
	k = newKeeper(p.clock, func(lost func()) (stream, error) {
		<-ready
		return lib.playback(o.Device, o.Rate, func(out []float32) {
			now := p.clock.Now()
			k.beat(now)
			// The periods that the device has already come before this one.
			p.pull(out, now.Add(lengthOf(int64(len(out))*(periods-1), o.Rate)))
		}, func() { lost(); p.wake() })
	}, p.drop)
	p.device, p.slack = k.away, (periods-1)*period
	close(ready)
	l := &Player{playout: p, status: k.get, close: func() error {
		k.close()
		lib.close()
		return nil
	}}
	if err := k.await(ctx); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// periods is how many periods the device's own buffer has.
const periods = 3

var (
	_ Source = (*Microphone)(nil)
	_ cards  = (*library)(nil)
)
