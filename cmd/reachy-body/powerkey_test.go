package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/hal"
)

// button gives the child's host a power button, and returns what presses it.
func (b *testbed) button() (press func()) {
	b.t.Helper()
	dir := filepath.Join(b.dir, "input")
	// A directory of what the device can tell, and the device, stand beside each other here.
	capabilities := filepath.Join(dir, "event0", "device", "capabilities")
	if err := os.MkdirAll(capabilities, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(capabilities, "key"), []byte("10000000000000 0\n"), 0o600); err != nil {
		b.t.Fatal(err)
	}
	device := filepath.Join(dir, "devices")
	if err := os.Mkdir(device, 0o755); err != nil {
		b.t.Fatal(err)
	}
	device = filepath.Join(device, "event0")
	if err := unix.Mkfifo(device, 0o600); err != nil {
		b.t.Fatal(err)
	}
	hand, err := os.OpenFile(device, os.O_RDWR, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { hand.Close() })
	return func() {
		event := make([]byte, 16) // its time
		for _, part := range []uint16{1, 116} {
			event = binary.NativeEndian.AppendUint16(event, part)
		}
		if _, err := hand.Write(binary.NativeEndian.AppendUint32(event, 1)); err != nil {
			b.t.Fatal(err)
		}
	}
}

func TestThePowerKeyLaysTheRobotDown(t *testing.T) {
	for key, off := range map[string]bool{keySleep: false, keyPowerOff: true} {
		t.Run(key, func(t *testing.T) {
			b := newTestbed(t, true)
			press := b.button()
			file := filepath.Join(b.dir, "power-off")
			c := b.awake("-power-key", key, "-power-off", file)
			press()
			c.until(t, "asleep", func(s *hal.State) bool { return s.Mode == hal.ModeDisabled })
			exists := func() bool { _, err := os.Stat(file); return err == nil }
			if off {
				b.until("the file that has the host powered off", exists)
			}
			// It lives on, and can be woken and laid down again.
			c.act(t, hal.Request{Verb: hal.VerbWake})
			press()
			c.until(t, "asleep again", func(s *hal.State) bool { return s.Mode == hal.ModeDisabled })
			if !off && exists() {
				t.Error("the host was to be powered off")
			}
			checkJumps(t, b.since(time.Time{}))
		})
	}
}

func TestThePowerKeyDoesNothingWhenItIsOff(t *testing.T) {
	b := newTestbed(t, true)
	press := b.button()
	c := b.awake("-power-key", keyOff)
	press()
	c.act(t, lookAway()) // which a robot that lies down would not end
	if s := c.until(t, "still", func(s *hal.State) bool { return !s.Moving }); s.Mode != hal.ModeEnabled {
		t.Errorf("mode %s", s.Mode)
	}
}
