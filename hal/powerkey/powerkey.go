// Package powerkey follows the power keys of this host, as Linux shows them by its input devices: a button at the robot's case
// (gpio-keys, gpio-shutdown), that of a computer, of a keyboard.
package powerkey

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"
)

const (
	// keyPower and evKey are codes of linux/input-event-codes.h.
	keyPower = 116
	evKey    = 1
	// again is the pause before keys are looked for that were not there, or went away.
	again = 10 * time.Second
	// eventSize is that of struct input_event behind its time, which is two words of the machine.
	eventSize = 2 + 2 + 4
	timeSize  = 2 * strconv.IntSize / 8
)

// Keys are where Linux shows input devices; tests have their own.
type Keys struct {
	Class   string // which there are and what they can tell: /sys/class/input
	Devices string // where they are opened: /dev/input
	Log     zerolog.Logger
}

// Host returns those of this machine.
func Host(log zerolog.Logger) Keys {
	return Keys{Class: "/sys/class/input", Devices: "/dev/input", Log: log}
}

// Find names the devices that have a power key, in order: "event0".
func (k Keys) Find() []string {
	files, err := filepath.Glob(filepath.Join(k.Class, "event*", "device", "capabilities", "key"))
	if err != nil {
		return nil // the pattern is a good one
	}
	var names []string
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err == nil && has(string(text), keyPower) {
			names = append(names, filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(path)))))
		}
	}
	slices.Sort(names)
	return names
}

// has says whether a bit is set in a bitmap as the kernel writes it: words of the machine in hexadecimal, the highest first.
func has(bitmap string, bit int) bool {
	words := strings.Fields(bitmap)
	at := len(words) - 1 - bit/strconv.IntSize
	if at < 0 {
		return false
	}
	word, err := strconv.ParseUint(words[at], 16, strconv.IntSize)
	return err == nil && word>>(bit%strconv.IntSize)&1 == 1
}

// Run calls pressed, one at a time, whenever one of the keys is, until ctx ends. Keys that come later are found, too.
func (k Keys) Run(ctx context.Context, pressed func()) error {
	presses := make(chan string)
	open := map[string]bool{}
	ended := make(chan string)
	defer func() {
		for range open { // each of them has seen that ctx has ended
			<-ended
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	look := time.NewTicker(again)
	defer look.Stop()
	for {
		for _, name := range k.Find() {
			if !open[name] {
				open[name] = true
				go func() {
					k.follow(ctx, name, presses)
					ended <- name
				}()
			}
		}
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case name := <-presses:
				k.Log.Info().Str("device", name).Msg("the power key was pressed")
				pressed()
			case name := <-ended:
				delete(open, name)
			case <-look.C:
				waiting = false
			}
		}
	}
}

// follow tells of presses of a device's key until ctx ends or the device is gone.
func (k Keys) follow(ctx context.Context, name string, presses chan<- string) {
	f, err := os.OpenFile(filepath.Join(k.Devices, name), os.O_RDONLY|unix.O_NONBLOCK, 0) // so that closing it ends a read
	if err == nil {
		stop := context.AfterFunc(ctx, func() { f.Close() }) //nolint:errcheck // it ends the read
		err = read(f, func() {
			select {
			case presses <- name:
			case <-ctx.Done():
			}
		})
		if stop() {
			f.Close() //nolint:errcheck // only read
		}
	}
	if ctx.Err() == nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) {
		k.Log.Info().Err(err).Str("device", name).Msg("a power key is not read")
	}
}

// read calls pressed at each press of the power key, until the device is gone.
func read(f *os.File, pressed func()) error {
	const down = 1 // 0 is up, 2 is held
	buf := make([]byte, 64*(timeSize+eventSize))
	for {
		n, err := f.Read(buf)
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		for event := range slices.Chunk(buf[:n], timeSize+eventSize) {
			if len(event) < timeSize+eventSize {
				return fmt.Errorf("an event of %d bytes; they have %d", len(event), timeSize+eventSize)
			}
			e := event[timeSize:]
			kind, code, value := binary.NativeEndian.Uint16(e), binary.NativeEndian.Uint16(e[2:]), binary.NativeEndian.Uint32(e[4:])
			if kind == evKey && code == keyPower && value == down {
				pressed()
			}
		}
	}
}
