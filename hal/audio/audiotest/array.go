// Package audiotest stands in for the robot's audio board: it speaks the same bytes.
package audiotest

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"
)

// Array is an audio board that hears what it is told. Its zero value has firmware 0.0.0.
type Array struct {
	mu      sync.Mutex
	version [3]byte
	angle   float64
	speech  bool
	retries int
	asked   int
}

// NewArray makes a board with the given firmware.
func NewArray(major, minor, patch byte) *Array { return &Array{version: [3]byte{major, minor, patch}} }

// Hear sets what the board says: the angle in rad (0 left, π/2 front, π right), and whether it is a voice.
func (a *Array) Hear(angle float64, speech bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.angle, a.speech = angle, speech
}

// Busy makes the board answer "not yet" so many times before each answer.
func (a *Array) Busy(times int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.retries, a.asked = times, 0
}

// errStall is what a USB device does with a request that it does not know.
var errStall = errors.New("broken pipe")

// Transfer implements audio.Control.
func (a *Array) Transfer(setup [8]byte, data []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	le := binary.LittleEndian
	value, index, length := le.Uint16(setup[2:]), le.Uint16(setup[4:]), int(le.Uint16(setup[6:]))
	if setup[0] != 0xc0 || setup[1] != 0 || value&0x80 == 0 || length != len(data) || length == 0 {
		return 0, errStall
	}
	var answer []byte
	switch [2]uint16{index, value &^ 0x80} {
	case [2]uint16{48, 0}:
		answer = a.version[:]
	case [2]uint16{20, 18}:
		answer = le.AppendUint16(answer, uint16(math.Round(a.angle*180/math.Pi)))
		answer = le.AppendUint16(answer, uint16(flag(a.speech)))
	case [2]uint16{20, 19}:
		answer = le.AppendUint32(answer, math.Float32bits(float32(a.angle)))
		answer = le.AppendUint32(answer, math.Float32bits(float32(flag(a.speech))))
	default:
		return 0, errStall
	}
	if a.asked++; a.asked <= a.retries {
		data[0] = 64
		return length, nil
	}
	a.asked = 0
	data[0] = 0
	return 1 + copy(data[1:], answer), nil
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
