package audio

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// flaky is a library whose devices can be unplugged.
type flaky struct {
	cards
	mu     sync.Mutex
	absent int    // so many times it has no device
	last   stream // opened last
	opened int    // devices
}

func (f *flaky) missing() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.absent > 0 {
		f.absent--
		return errors.New("unplugged")
	}
	return nil
}

func (f *flaky) keep(s stream, err error) (stream, error) {
	if err == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.last = s
		f.opened++
	}
	return s, err
}

func (f *flaky) capture(device string, data func([]float32, int, int), lost func()) (stream, error) {
	if err := f.missing(); err != nil {
		return nil, err
	}
	return f.keep(f.cards.capture(device, data, lost))
}

func (f *flaky) playback(device string, rate int, data func([]float32), lost func()) (stream, error) {
	if err := f.missing(); err != nil {
		return nil, err
	}
	return f.keep(f.cards.playback(device, rate, data, lost))
}

// until waits for something that the device's own threads bring about.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not come about", what)
		}
	}
}

func TestOptions(t *testing.T) {
	if _, err := OpenMicrophone(t.Context(), Options{Backend: "gramophone"}); Built && (err == nil || !strings.Contains(err.Error(), "gramophone")) {
		t.Error(err)
	}
	if _, err := OpenLoudspeaker(t.Context(), Options{Backend: "gramophone"}); Built && (err == nil || !strings.Contains(err.Error(), "gramophone")) {
		t.Error(err)
	}
	if _, err := OpenLoudspeaker(t.Context(), Options{Rate: 1}); err == nil || !strings.Contains(err.Error(), "rate 1 ") {
		t.Error(err)
	}
}

func TestChoose(t *testing.T) {
	list := []Device{
		{Name: "HDA Intel, ALC257 Analog"},
		{Name: "USB Headset", Default: true},
		{Name: "reSpeaker XVF3800 4-Mic Array"},
		{Name: "Reachy Mini Audio, USB Audio"},
		{Name: "Reachy Mini Audio, USB Audio Mono"},
	}
	for _, c := range []struct{ want, got string }{
		{"", "Reachy Mini Audio, USB Audio"},
		{Auto, "Reachy Mini Audio, USB Audio"},
		{Default, "USB Headset"},
		{"usb headset", "USB Headset"},
		{"Reachy Mini Audio, USB Audio Mono", "Reachy Mini Audio, USB Audio Mono"},
		{"hda", "HDA Intel, ALC257 Analog"},
		{"webcam", ""},
	} {
		got := ""
		if d := choose(list, c.want); d != nil {
			got = d.Name
		}
		if got != c.got {
			t.Errorf("%q gives %q, want %q", c.want, got, c.got)
		}
	}
	if d := choose(list[:2], Auto); d.Name != "USB Headset" {
		t.Errorf("without the robot %q", d.Name)
	}
	if d := choose(list[:1], Auto); d == nil {
		t.Error("without a default nothing")
	}
	if d := choose(nil, Auto); d != nil {
		t.Errorf("of nothing %v", d)
	}
}

func TestKeeperBringsTheDeviceBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opens, away := 0, []time.Duration{}
		var unplug func()
		var k *keeper
		began := time.Now()
		ready := make(chan struct{})
		k = newKeeper(systemClock{}, func(lost func()) (stream, error) {
			<-ready
			if opens++; opens%3 != 1 { // each loss is followed by two failures
				return nil, errors.New("unplugged")
			}
			unplug = lost
			return fake{}, nil
		}, func(d time.Duration) { away = append(away, d) })
		defer k.close()
		close(ready)
		if err := k.await(t.Context()); err != nil || k.away() != nil {
			t.Fatal(err, k.away())
		}
		unplug()
		synctest.Wait()
		if err := k.away(); !errors.Is(err, ErrNoDevice) || k.get().Losses != 1 || k.get().Device != "" {
			t.Errorf("unplugged: %v, %+v", err, k.get())
		}
		time.Sleep(minRetry + time.Millisecond)
		if err := k.away(); err == nil || !strings.Contains(err.Error(), "unplugged") {
			t.Errorf("first try: %v", err)
		}
		time.Sleep(6 * minRetry)
		if err := k.away(); err != nil || opens != 4 || len(away) != 1 || away[0] != 7*minRetry { // 1+2+4
			t.Errorf("came back: %v, %d tries, away for %v", err, opens, away)
		}
		// It does not call for a while: it is gone, although it says nothing.
		time.Sleep(silence + time.Millisecond)
		if s := k.get(); s.Losses != 2 || s.Connected || s.Opened != 2 {
			t.Errorf("after %v of silence %+v", time.Since(began), s)
		}
		if d := retry(1000); d != maxRetry {
			t.Errorf("longest pause %v", d)
		}
	})
}

type fake struct{}

func (fake) Name() string { return "fake" }
func (fake) Close()       {}

// All that follows runs miniaudio itself, its threads and callbacks, on its null device.
func null(t *testing.T) *flaky {
	t.Helper()
	if !Built {
		t.Skip("NOT TESTED: sound cards, since this program was built without cgo")
	}
	lib, err := openLibrary("null")
	if err != nil {
		t.Fatal(err)
	}
	return &flaky{cards: lib}
}

func TestMicrophone(t *testing.T) {
	f := null(t)
	m, err := openMicrophone(t.Context(), f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var frame Frame
	for i := range 8 {
		if err := m.Read(t.Context(), &frame); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(frame.At); d < 0 || d > 20*time.Second {
			t.Errorf("frame %d was recorded %v ago", i, d)
		}
	}
	// Unplugged and missing for two tries, it comes back by itself and says how much was lost.
	f.mu.Lock()
	f.absent = 2
	gone := f.last.(interface{ Stop() error })
	f.mu.Unlock()
	if err := gone.Stop(); err != nil {
		t.Fatal(err)
	}
	until(t, "the loss", func() bool { return m.Status().Losses == 1 })
	for frame.Lost == 0 {
		if err := m.Read(t.Context(), &frame); err != nil {
			t.Fatal(err)
		}
	}
	if want := samplesIn(minRetry); frame.Lost < want {
		t.Errorf("%d samples lost, want %d at least", frame.Lost, want)
	}
	if s := m.Status(); s.Losses != 1 || s.Opened != 2 || !s.Connected {
		t.Errorf("%+v", s)
	}
	ended := make(chan error)
	go func() {
		for {
			if err := m.Read(context.Background(), &frame); err != nil {
				ended <- err
				return
			}
		}
	}()
	if err := errors.Join(m.Close(), m.Close()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestLoudspeaker(t *testing.T) {
	f := null(t)
	l, err := openLoudspeaker(t.Context(), f, Options{Rate: 48000})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	start := time.Now()
	write(t, l, 22050, make([]float32, 22050/2))
	if err := l.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d < 500*time.Millisecond {
		t.Errorf("500 ms of sound were heard after %v", d)
	}
	if heard, pending := l.Progress(); heard != 500*time.Millisecond || pending != 0 {
		t.Errorf("%v, %v", heard, pending)
	}
	// A flush ends a sound of a minute at once.
	go func() {
		until(t, "sound", func() bool { return heardOf(l) > 600*time.Millisecond })
		l.Flush()
	}()
	if err := l.Write(t.Context(), 48000, make([]float32, 60*48000)); !errors.Is(err, ErrFlushed) {
		t.Errorf("flushed: %v", err)
	}
	until(t, "silence", func() bool { return pendingOf(l) == 0 })
	// Unplugged in the middle of a sound: an error, not a hang. Then it comes back.
	f.mu.Lock()
	f.absent = 1
	gone := f.last.(interface{ Stop() error })
	f.mu.Unlock()
	go func() {
		until(t, "sound", func() bool { return pendingOf(l) > 0 })
		gone.Stop()
	}()
	if err := l.Write(t.Context(), 48000, make([]float32, 60*48000)); !errors.Is(err, ErrNoDevice) {
		t.Errorf("unplugged: %v", err)
	}
	if err := l.Drain(t.Context()); !errors.Is(err, ErrNoDevice) && err != nil {
		t.Errorf("unplugged: %v", err)
	}
	until(t, "the return", func() bool { return l.Status().Connected && l.Status().Opened == 2 })
	// What was meant for the device that was unplugged is not played on its return.
	until(t, "silence", func() bool { return pendingOf(l) == 0 })
	write(t, l, 16000, make([]float32, 160))
	if err := l.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := l.Status(); s.Losses != 1 || s.Device == "" {
		t.Errorf("%+v", s)
	}
}

func TestOpenGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := null(t)
	switch m, err := openMicrophone(ctx, f, Options{}); {
	case err == nil: // it was there before anybody looked whether it is still wanted
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	case !errors.Is(err, context.Canceled):
		t.Error(err)
	}
}
