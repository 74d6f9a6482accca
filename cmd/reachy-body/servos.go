package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/reachyd/reachyd/cmd/internal/program"
	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
	"github.com/reachyd/reachyd/hal/servo"
)

// servos is `reachy-body servo`: what a technician does with the servos while no body runs. reachyctl servo calls it.
type servos struct {
	port   string
	baud   int
	json   bool
	answer time.Duration // that a servo may take
	out    io.Writer
	ctx    context.Context
}

// servoActions are the actions and how many arguments each takes.
var servoActions = map[string]struct {
	arguments int
	do        func(s *servos, args []string) error
}{
	"scan": {0, (*servos).scan}, "id": {2, (*servos).id}, "config": {0, (*servos).config}, "flash-check": {0, (*servos).check},
	"test": {0, (*servos).test},
}

func runServos(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s := servos{ctx: ctx, out: stdout}
	f := program.Flags("reachy-body servo", stderr)
	f.StringVar(&s.port, "port", "auto", "servo bus: auto, /dev/…, unix:PATH or pty:PATH")
	f.IntVar(&s.baud, "baud", dxl.Baud, "speed of the line; a servo as the factory sends it listens at 57600")
	f.BoolVar(&s.json, "json", false, "print JSON")
	f.DurationVar(&s.answer, "answer", 15*time.Millisecond, "how long a servo may take to answer")
	err := f.Parse(args)
	if err == nil {
		action, known := servoActions[f.Arg(0)]
		switch {
		case !known:
			err = fmt.Errorf("action %q: allowed are scan, id OLD NEW, config, flash-check and test", f.Arg(0))
		case f.NArg() != 1+action.arguments:
			err = fmt.Errorf("%s takes %d arguments, not %d", f.Arg(0), action.arguments, f.NArg()-1)
		default:
			if err = action.do(&s, f.Args()[1:]); err != nil {
				fmt.Fprintln(stderr, "reachy-body servo:", err) //nolint:errcheck // nowhere left to say so
				return program.ExitError
			}
			return program.ExitOK
		}
	}
	code, _ := program.Refused("reachy-body servo", err, stderr)
	return code
}

// open opens the line, which fails while a body has it.
func (s *servos) open() (*dxl.Line, *dxl.Bus, error) {
	line, err := dxl.Open(s.port)
	if err != nil {
		return nil, nil, err
	}
	if s.baud != dxl.Baud {
		if err := line.SetBaud(s.baud); err != nil {
			return nil, nil, errors.Join(err, line.Close())
		}
	}
	return line, dxl.NewBus(line), nil
}

// soon is when an answer must have come.
func (s *servos) soon() time.Time { return time.Now().Add(s.answer) }

// persist repeats a question to a servo that should be there while no answer comes: on a busy host one may be late.
func (s *servos) persist(what func(deadline time.Time) error) (err error) {
	const attempts = 8
	for range attempts {
		if err = what(s.soon()); !errors.Is(err, dxl.ErrTimeout) {
			break
		}
	}
	return err
}

func (s *servos) read(bus *dxl.Bus, id byte, addr int, b []byte) error {
	return s.persist(func(deadline time.Time) error {
		_, err := bus.Read(id, addr, b, deadline)
		return err
	})
}

func (s *servos) write(bus *dxl.Bus, id byte, addr int, b ...byte) error {
	return s.persist(func(deadline time.Time) error { return bus.Write(id, addr, b, deadline) })
}

func (s *servos) ping(bus *dxl.Bus, id byte) (model uint16, firmware byte, err error) {
	err = s.persist(func(deadline time.Time) error {
		var err error
		model, firmware, err = bus.Ping(id, deadline)
		return err
	})
	return model, firmware, err
}

// print prints v as JSON, or as text.
func (s *servos) print(v any, text string) error {
	if s.json {
		return json.NewEncoder(s.out).Encode(v)
	}
	_, err := fmt.Fprintln(s.out, text)
	return err
}

// Seen is a servo that answered a scan.
type Seen struct {
	ID       byte    `json:"id"`
	Joint    string  `json:"joint,omitempty"` // whose identifier that is
	Model    uint16  `json:"model"`
	Firmware byte    `json:"firmware"`
	Voltage  float64 `json:"v"`
	Celsius  float64 `json:"c"`
	Error    byte    `json:"hw_error"`
	Degrees  float64 `json:"degrees"`
}

// jointOf names the joint of an identifier, "" for one that is none of the robot's.
func jointOf(id byte) string {
	if id < hal.FirstServoID || id >= hal.FirstServoID+hal.NumJoints {
		return ""
	}
	return hal.Joint(id - hal.FirstServoID).String()
}

// scan asks all identifiers who is there. It writes nothing.
func (s *servos) scan([]string) error {
	line, bus, err := s.open()
	if err != nil {
		return err
	}
	defer line.Close() //nolint:errcheck // only read
	n := 0
	for id := byte(0); id <= dxl.MaxID && s.ctx.Err() == nil; id++ {
		ask := func() (uint16, byte, error) { return bus.Ping(id, s.soon()) }
		if jointOf(id) != "" {
			ask = func() (uint16, byte, error) { return s.ping(bus, id) }
		}
		model, firmware, err := ask()
		if errors.Is(err, dxl.ErrTimeout) {
			continue
		}
		if err != nil {
			return fmt.Errorf("servo %d: %w", id, err)
		}
		n++
		seen := Seen{ID: id, Joint: jointOf(id), Model: model, Firmware: firmware}
		var b [4]byte
		if err := s.read(bus, id, dxl.AddrPresentVoltage, b[:3]); err == nil {
			seen.Voltage, seen.Celsius = float64(binary.LittleEndian.Uint16(b[:]))/10, float64(b[2])
		}
		if err := s.read(bus, id, dxl.AddrHardwareError, b[:1]); err == nil {
			seen.Error = b[0]
		}
		if err := s.read(bus, id, dxl.AddrPresentPosition, b[:]); err == nil {
			seen.Degrees = math.Round(degrees(b[:])*10) / 10
		}
		name := seen.Joint
		if name == "" {
			name = "(no joint of the robot)"
		}
		if err := s.print(seen, fmt.Sprintf("%3d  %-24s model %d  firmware %d  %.1f V  %.0f °C  at %+.1f°  error %#02x",
			id, name, model, firmware, seen.Voltage, seen.Celsius, seen.Degrees, seen.Error)); err != nil {
			return err
		}
	}
	if n == 0 {
		return fmt.Errorf("no servo answers on %s at %d baud: has the robot power? (-baud 57600 finds one as the factory sends it)", line.Path(), s.baud)
	}
	return s.ctx.Err()
}

// degrees is a position register.
func degrees(b []byte) float64 {
	return float64(int32(binary.LittleEndian.Uint32(b))-2048) * 360 / 4096
}

// id gives one servo another identifier, and the robot's speed where it has another.
func (s *servos) id(args []string) error {
	var ids [2]byte
	for i, text := range args {
		n, err := strconv.ParseUint(text, 10, 8)
		if err != nil || n > uint64(dxl.MaxID) {
			return fmt.Errorf("identifier %q: allowed is 0…%d", text, dxl.MaxID)
		}
		ids[i] = byte(n)
	}
	line, bus, err := s.open()
	if err != nil {
		return err
	}
	defer line.Close() //nolint:errcheck // what was written was confirmed
	if _, _, err := s.ping(bus, ids[0]); err != nil {
		return fmt.Errorf("servo %d: %w", ids[0], err)
	}
	if _, _, err := s.ping(bus, ids[1]); err == nil && ids[1] != ids[0] {
		return fmt.Errorf("servo %d is there already: two with one identifier talk at the same time. Unplug one", ids[1])
	}
	var on [2]byte
	if err := s.read(bus, ids[0], dxl.AddrTorque, on[:]); err != nil {
		return fmt.Errorf("servo %d: %w", ids[0], err)
	}
	if on[0] != 0 {
		return fmt.Errorf("servo %d holds torque; send the robot to sleep first", ids[0])
	}
	if err := bus.Write(ids[0], dxl.AddrID, ids[1:], s.soon()); err != nil && !errors.Is(err, dxl.ErrTimeout) { // asked for below
		return fmt.Errorf("servo %d: write the identifier: %w", ids[0], err)
	}
	if s.baud != dxl.Baud {
		const million = 3
		if err := bus.Write(ids[1], dxl.AddrBaud, []byte{million}, s.soon()); err != nil && !errors.Is(err, dxl.ErrTimeout) { // it answers at the new speed
			return fmt.Errorf("servo %d: write the speed: %w", ids[1], err)
		}
		if err := line.SetBaud(dxl.Baud); err != nil {
			return err
		}
	}
	if _, _, err := s.ping(bus, ids[1]); err != nil {
		return fmt.Errorf("servo %d does not answer under its new identifier: %w", ids[1], err)
	}
	return s.print(map[string]any{"was": ids[0], "id": ids[1], "joint": jointOf(ids[1])}, fmt.Sprintf("servo %d is now %d %s", ids[0], ids[1], jointOf(ids[1])))
}

// report opens the robot as the body does, or only looks at it.
func (s *servos) report(inspect bool) (*servo.Report, error) {
	r, err := servo.Open(servo.Options{Port: s.port, PowerWait: time.Second, Inspect: inspect})
	if err != nil {
		return nil, err
	}
	return r.Report(), r.Close()
}

// config writes the robot's configuration to the servos that differ and hold no torque.
func (s *servos) config([]string) error {
	r, err := s.report(false)
	if err != nil {
		return err
	}
	return s.print(r, r.String())
}

// check compares models, firmware and configuration with the robot's, and writes nothing. Anything wrong is an error.
func (s *servos) check([]string) error {
	r, err := s.report(true)
	if err != nil {
		return err
	}
	want := servo.ReachyMini()
	wrong := 0
	for j := range r.Servos {
		f := &r.Servos[j]
		if f.Present && f.Model != want[j].Model {
			f.Wrong = append(f.Wrong, fmt.Sprintf("model is %d instead of %d", f.Model, want[j].Model))
		}
		if f.Present && f.Firmware < dxl.FirmwareFastSyncRead {
			f.Weak = append(f.Weak, fmt.Sprintf("firmware is %d, older than %d: read one by one, which is slower", f.Firmware, dxl.FirmwareFastSyncRead))
		}
		if !f.Present || len(f.Wrong) > 0 {
			wrong++
		}
	}
	if err := s.print(r, r.String()); err != nil {
		return err
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d servos are missing or differ; `reachyctl servo config` mends what can be written", wrong, hal.NumJoints)
	}
	return nil
}
