package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// The movement of a servo's test: so far to one side, back, and as far to the other.
const (
	testTicks = 34 // 3°
	testStep  = 2  // ticks a cycle: 9°/s
	testRest  = 30 // cycles at each end
	testCycle = 20 * time.Millisecond
)

// Judgement is how one servo did in the test.
type Judgement struct {
	Joint   string  `json:"joint"`
	Moved   float64 `json:"moved_deg"` // between the ends, of 6
	Play    float64 `json:"play_deg"`  // how far the middle differs by the side it was come from
	Current float64 `json:"current_ma"`
	Celsius float64 `json:"c"`
	Verdict string  `json:"verdict"` // ok, or what is wrong
}

// What a healthy servo does, generously: the head's weight hangs on the arms.
const (
	leastMoved  = 4.5 // °
	mostPlay    = 1.5 // °
	mostCurrent = 900 // mA
	mostCelsius = 60
)

func (j *Judgement) judge() {
	switch {
	case j.Moved < leastMoved/3:
		j.Verdict = "does not move: blocked, or the horn is loose"
	case j.Moved < leastMoved:
		j.Verdict = "moves too little: friction, or too little power"
	case math.Abs(j.Play) > mostPlay:
		j.Verdict = "much play: horn, screw or gears"
	case j.Current > mostCurrent:
		j.Verdict = "much current: friction, or something is in the way"
	case j.Celsius > mostCelsius:
		j.Verdict = "hot: let it rest"
	default:
		j.Verdict = "ok"
	}
}

// test moves each joint a little, one after the other, and lets go of it again. The robot must be asleep.
func (s *servos) test([]string) error {
	line, bus, err := s.open()
	if err != nil {
		return err
	}
	defer line.Close() //nolint:errcheck // the torque is off
	bad := 0
	for j := range hal.Joint(hal.NumJoints) {
		var on [2]byte
		if err := s.read(bus, j.ServoID(), dxl.AddrTorque, on[:]); err == nil && on[0] != 0 {
			return fmt.Errorf("%v holds torque; send the robot to sleep first", j)
		}
	}
	for j := range hal.Joint(hal.NumJoints) {
		t := jointTest{servos: s, bus: bus, id: j.ServoID(), out: Judgement{Joint: j.String()}}
		if err := t.run(); err != nil {
			t.out.Verdict = strings.ReplaceAll(err.Error(), "\n", "; ")
		}
		if t.out.Verdict != "ok" {
			bad++
		}
		if err := s.print(t.out, fmt.Sprintf("%-14s moved %.1f° of 6, play %+.1f°, %4.0f mA, %.0f °C: %s",
			t.out.Joint, t.out.Moved, t.out.Play, t.out.Current, t.out.Celsius, t.out.Verdict)); err != nil {
			return err
		}
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d servos are not as they should be", bad, hal.NumJoints)
	}
	return nil
}

// jointTest is the test of one servo.
type jointTest struct {
	*servos
	bus  *dxl.Bus
	id   byte
	goal int32
	out  Judgement
}

func (t *jointTest) run() (err error) {
	first, _, err := t.measure()
	if err != nil {
		return err
	}
	t.goal = first
	// Whatever happens, it is let go of: also when the answer to torque on was lost.
	defer func() { err = errors.Join(err, t.put(dxl.AddrTorque, 0, 1)) }()
	if err := t.put(dxl.AddrGoalPosition, uint32(t.goal), 4); err != nil {
		return err
	}
	if err := t.put(dxl.AddrTorque, 1, 1); err != nil {
		return err
	}
	var at [4]int32 // up, middle from above, down, middle from below
	for i, to := range [...]int32{first + testTicks, first, first - testTicks, first} {
		if at[i], err = t.moveTo(to); err != nil {
			return err
		}
	}
	const perTick = 360.0 / 4096
	t.out.Moved = float64(at[0]-at[2]) * perTick
	t.out.Play = float64(at[1]-at[3]) * perTick
	var heat [1]byte
	if err := t.read(t.bus, t.id, dxl.AddrPresentTemp, heat[:]); err != nil {
		return err
	}
	t.out.Celsius = float64(heat[0])
	t.out.judge()
	return nil
}

// moveTo goes there slowly, rests, and returns where the servo is.
func (t *jointTest) moveTo(to int32) (int32, error) {
	beat := time.NewTicker(testCycle)
	defer beat.Stop()
	var at int32
	for rest := 0; rest < testRest; {
		if t.goal != to {
			t.goal += max(-testStep, min(testStep, to-t.goal))
			if err := t.put(dxl.AddrGoalPosition, uint32(t.goal), 4); err != nil {
				return 0, err
			}
		} else {
			rest++
		}
		select {
		case <-t.ctx.Done():
			return 0, t.ctx.Err()
		case <-beat.C:
		}
		var current float64
		var err error
		if at, current, err = t.measure(); err != nil {
			return 0, err
		}
		t.out.Current = max(t.out.Current, math.Abs(current))
	}
	return at, nil
}

// measure reads position (ticks) and current (mA).
func (t *jointTest) measure() (position int32, current float64, err error) {
	var b [10]byte
	if err := t.read(t.bus, t.id, dxl.AddrPresentCurrent, b[:]); err != nil {
		return 0, 0, err
	}
	return int32(binary.LittleEndian.Uint32(b[6:])), float64(int16(binary.LittleEndian.Uint16(b[:]))), nil
}

func (t *jointTest) put(addr int, v uint32, size int) error {
	b := binary.LittleEndian.AppendUint32(nil, v)
	return t.write(t.bus, t.id, addr, b[:size]...)
}
