package powerkey

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// machine is a host with input devices, which are pipes, and what they can tell.
func machine(t *testing.T, capabilities map[string]string) Keys {
	t.Helper()
	k := Keys{Class: t.TempDir(), Devices: t.TempDir(), Log: zerolog.Nop()}
	for name, bitmap := range capabilities {
		dir := filepath.Join(k.Class, name, "device", "capabilities")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "key"), []byte(bitmap+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mkfifo(filepath.Join(k.Devices, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

// What the kernel says of a power button, of a keyboard, and of a mouse.
const (
	button   = "10000000000000 0"
	keyboard = "1000000000007 ff9f207ac14057ff febeffdfffefffff fffffffffffffffe"
	mouse    = "1f0000 0 0 0 0"
)

func TestFind(t *testing.T) {
	k := machine(t, map[string]string{"event0": mouse, "event1": button, "event2": keyboard, "event3": "", "event4": "no number"})
	if got, want := k.Find(), []string{"event1", "event2"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if got := (Keys{Class: t.TempDir()}).Find(); got != nil {
		t.Errorf("a host without input devices has %q", got)
	}
}

// event is a struct input_event.
func event(kind, code uint16, value uint32) []byte {
	b := make([]byte, timeSize, timeSize+eventSize)
	b = binary.NativeEndian.AppendUint16(b, kind)
	b = binary.NativeEndian.AppendUint16(b, code)
	return binary.NativeEndian.AppendUint32(b, value)
}

func TestPresses(t *testing.T) {
	k := machine(t, map[string]string{"event1": button, "event2": keyboard})
	// Open for both, so that opening waits for nobody and the pipe has no end.
	hand, err := os.OpenFile(filepath.Join(k.Devices, "event1"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer hand.Close()
	ctx, cancel := context.WithCancel(t.Context())
	pressed, ended := make(chan struct{}), make(chan error)
	go func() { ended <- k.Run(ctx, func() { pressed <- struct{}{} }) }()
	const other, held = 30, 2
	send := slices.Concat(
		event(evKey, other, 1), event(0, 0, 0), event(evKey, keyPower, 1), event(evKey, keyPower, held), event(evKey, keyPower, 0),
		event(2, keyPower, 1), event(evKey, keyPower, 1),
	)
	if _, err := hand.Write(send); err != nil {
		t.Fatal(err)
	}
	<-pressed
	<-pressed
	cancel()
	select {
	case <-pressed:
		t.Error("a third press")
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

func TestHalfAnEventIsNone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.Write(event(evKey, keyPower, 1)[:timeSize+3]); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if err := read(r, func() { t.Error("pressed") }); err == nil {
		t.Error("no error")
	}
}
