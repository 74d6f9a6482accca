package audio

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
)

// Control is a control transfer on endpoint 0 of a USB device: USB in real life, audiotest.Array in tests.
type Control interface {
	// Transfer sends the eight bytes of a set-up packet and then reads data from the device (bit 7 of setup[0] is set)
	// or writes it. It returns how many bytes of data were transferred.
	Transfer(setup [8]byte, data []byte) (int, error)
}

// The protocol of the audio board: a parameter is a command of a resource.
const (
	usbRead  = 0xc0 // vendor request to the device, device to host
	readFlag = 0x80 // in wValue, beside the command

	statusOK    = 0
	statusRetry = 64

	retryPause = 10 * time.Millisecond
	maxRetries = 100
)

type parameter struct {
	resource, command byte
	size              int // bytes of its value
}

var (
	paramVersion   = parameter{48, 0, 3}
	paramDirection = parameter{20, 19, 8} // angle in rad, 1 when there is speech: two float32
)

// ErrFirmware means that the board's firmware is too old to tell directions.
var ErrFirmware = errors.New("the audio board's firmware is too old, 2.1.0 is needed")

// minFirmware is the oldest that can tell the direction of a voice.
var minFirmware = [3]byte{2, 1, 0}

// Direction is where a sound comes from.
type Direction struct {
	// Yaw is the way to turn to face the sound, in rad in the frame of the head: 0 is straight ahead, π/2 the robot's left.
	// The microphones lie in a line from left to right and cannot tell front from back, so it is always in front.
	Yaw float64
	// Speech says that the board takes it for a voice.
	Speech bool
}

// Array asks the robot's audio board. It is not for use by two goroutines at once.
type Array struct {
	control Control
	clock   Clock
}

// NewArray asks the board for its version, and returns ErrFirmware when it is too old. A nil clock is the real time.
func NewArray(ctx context.Context, control Control, clock Clock) (*Array, error) {
	a := &Array{control: control, clock: orSystem(clock)}
	var version [3]byte
	if err := a.read(ctx, paramVersion, version[:]); err != nil {
		return nil, err
	}
	for i, v := range version {
		if v < minFirmware[i] {
			return nil, fmt.Errorf("%w: it is %d.%d.%d", ErrFirmware, version[0], version[1], version[2])
		}
		if v > minFirmware[i] {
			break
		}
	}
	return a, nil
}

// Direction asks where the sound comes from now. The board needs 10 ms or so to answer; ten questions a second are enough.
func (a *Array) Direction(ctx context.Context) (Direction, error) {
	var b [8]byte
	if err := a.read(ctx, paramDirection, b[:]); err != nil {
		return Direction{}, err
	}
	// 0 is left, π/2 front or back, π right.
	angle := float64(math.Float32frombits(binary.LittleEndian.Uint32(b[:])))
	speech := math.Float32frombits(binary.LittleEndian.Uint32(b[4:]))
	if !(angle >= -1e-3 && angle <= math.Pi+1e-3) { // also what is no number
		return Direction{}, fmt.Errorf("direction of sound: the board says %v rad, allowed 0…π", angle)
	}
	angle = max(0, min(math.Pi, angle))
	return Direction{Yaw: math.Pi/2 - angle, Speech: speech >= 0.5}, nil
}

// read asks for a parameter until the board has it ready.
func (a *Array) read(ctx context.Context, p parameter, value []byte) error {
	buf := make([]byte, 1+p.size)
	setup := [8]byte{usbRead, 0, readFlag | p.command, 0, p.resource, 0, byte(len(buf)), 0}
	for range maxRetries {
		n, err := a.control.Transfer(setup, buf)
		if err != nil {
			return fmt.Errorf("audio board, parameter %d.%d: %w", p.resource, p.command, err)
		}
		switch {
		case n >= 1 && buf[0] == statusRetry:
			if err := a.clock.Sleep(ctx, a.clock.Now().Add(retryPause)); err != nil {
				return err
			}
		case n >= 1 && buf[0] != statusOK:
			return fmt.Errorf("audio board, parameter %d.%d: status %d", p.resource, p.command, buf[0])
		case n != len(buf):
			return fmt.Errorf("audio board, parameter %d.%d: answer of %d bytes, not %d", p.resource, p.command, n, len(buf))
		default:
			copy(value, buf[1:])
			return nil
		}
	}
	return fmt.Errorf("audio board, parameter %d.%d: not ready after %d tries", p.resource, p.command, maxRetries)
}
