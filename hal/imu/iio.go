package imu

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Dir is where Linux shows its sensors.
const Dir = "/sys/bus/iio/devices"

// robots are the beginnings of the names that Linux gives the sensors of the robot. Others are the host's: lifting the laptop that
// drives a robot is not lifting the robot.
var robots = []string{"bmi088", "bmi085"}

// quantity is one of the two things that are measured, as IIO names its files.
type quantity struct{ prefix, people string }

var (
	acceleration = quantity{"in_accel", "accelerometer"}
	rate         = quantity{"in_anglvel", "gyroscope"}
)

var axes = [3]string{"x", "y", "z"}

// most is how long the text of a file may be.
const most = 256

// part measures one quantity in three axes.
type part struct {
	name   string
	files  [3]*os.File
	scale  [3]float64
	offset [3]float64
	mount  [3]Vector // rows: from the sensor's frame to the robot's
}

// Device is a motion sensor. Close it in the end.
type Device struct {
	Name        string // of its parts, as Linux names them
	accel, turn *part
}

// Open finds the robot's sensor among the devices of dir. The error is ErrNone when there is none, and says what is missing or wrong
// when there is half of one. With anyName a sensor of any name is taken.
func Open(dir string, anyName bool) (*Device, error) {
	found, err := filepath.Glob(filepath.Join(dir, "iio:device*"))
	if err != nil {
		return nil, fmt.Errorf("motion sensor: %w", err)
	}
	slices.Sort(found)
	d := &Device{}
	for _, path := range found {
		name, err := text(filepath.Join(path, "name"))
		if err != nil || !anyName && !slices.ContainsFunc(robots, func(r string) bool { return strings.HasPrefix(name, r) }) {
			continue
		}
		for _, q := range []struct {
			quantity
			part **part
		}{{acceleration, &d.accel}, {rate, &d.turn}} {
			if *q.part != nil || !exists(filepath.Join(path, q.prefix+"_x_raw")) {
				continue
			}
			if *q.part, err = openPart(path, name, q.quantity); err != nil {
				d.Close()
				return nil, err
			}
		}
	}
	switch {
	case d.accel == nil && d.turn == nil:
		return nil, ErrNone
	case d.turn == nil:
		d.Close()
		return nil, fmt.Errorf("motion sensor: %s has an accelerometer but no gyroscope beside it: load the driver of both", d.accel.name)
	case d.accel == nil:
		d.Close()
		return nil, fmt.Errorf("motion sensor: %s has a gyroscope but no accelerometer beside it: load the driver of both", d.turn.name)
	}
	d.Name = d.accel.name
	if d.turn.name != d.Name {
		d.Name += " and " + d.turn.name
	}
	return d, nil
}

// Read returns the newest sample.
func (d *Device) Read() (s Sample, err error) {
	if s.Accel, err = d.accel.read(); err != nil {
		return s, err
	}
	s.Turn, err = d.turn.read()
	return s, err
}

// Close closes its files.
func (d *Device) Close() {
	for _, p := range []*part{d.accel, d.turn} {
		p.close()
	}
}

func (p *part) close() {
	if p == nil {
		return
	}
	for _, f := range p.files {
		if f != nil {
			_ = f.Close()
		}
	}
}

func openPart(path, name string, q quantity) (_ *part, err error) {
	p := &part{name: name, mount: [3]Vector{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}
	defer func() {
		if err != nil {
			p.close()
			err = fmt.Errorf("motion sensor %s, %s: %w", name, q.people, err)
		}
	}()
	for i, axis := range axes {
		one := q.prefix + "_" + axis
		if p.scale[i], err = firstNumber(path, one+"_scale", q.prefix+"_scale"); err != nil {
			return nil, err
		}
		if p.scale[i] == 0 {
			return nil, fmt.Errorf("%s_scale is 0, allowed is any other number", q.prefix)
		}
		if p.offset[i], err = firstNumber(path, one+"_offset", q.prefix+"_offset"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if p.files[i], err = os.Open(filepath.Join(path, one+"_raw")); err != nil {
			return nil, err
		}
	}
	for _, file := range []string{q.prefix + "_mount_matrix", "in_mount_matrix", "mount_matrix"} {
		m, err := text(filepath.Join(path, file))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			p.mount, err = parseMount(m)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		break
	}
	return p, nil
}

// read reads the three axes, one after the other.
func (p *part) read() (Vector, error) {
	var raw Vector
	var buf [most]byte
	for i, f := range p.files {
		n, err := f.ReadAt(buf[:], 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return raw, fmt.Errorf("motion sensor %s: %w", p.name, err)
		}
		v, err := parseNumber(string(buf[:n]))
		if err != nil {
			return raw, fmt.Errorf("motion sensor %s: %s: %w", p.name, filepath.Base(f.Name()), err)
		}
		raw[i] = (v + p.offset[i]) * p.scale[i]
	}
	return Vector{p.mount[0].dot(raw), p.mount[1].dot(raw), p.mount[2].dot(raw)}, nil
}

// firstNumber reads the first of the files that is there.
func firstNumber(dir string, files ...string) (float64, error) {
	var missing error
	for _, file := range files {
		s, err := text(filepath.Join(dir, file))
		if errors.Is(err, os.ErrNotExist) {
			missing = err
			continue
		}
		if err != nil {
			return 0, err
		}
		v, err := parseNumber(s)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		return v, nil
	}
	return 0, missing
}

func parseNumber(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("%.40q, allowed is a number", s)
	}
	return v, nil
}

// parseMount reads three rows of three numbers, such as "1, 0, 0; 0, 1, 0; 0, 0, 1", that turn and mirror but do not stretch.
func parseMount(s string) (rows [3]Vector, err error) {
	bad := fmt.Errorf("%.60q, allowed are three rows of three numbers that are a rotation", s)
	lines := strings.Split(s, ";")
	if len(lines) != len(rows) {
		return rows, bad
	}
	for i, line := range lines {
		cells := strings.Split(line, ",")
		if len(cells) != len(rows[i]) {
			return rows, bad
		}
		for j, cell := range cells {
			if rows[i][j], err = parseNumber(cell); err != nil {
				return rows, bad
			}
		}
	}
	const exact = 0.01
	for i := range rows {
		for j := range i + 1 {
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(rows[i].dot(rows[j])-want) > exact {
				return rows, bad
			}
		}
	}
	return rows, nil
}

func text(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, most))
	return strings.TrimSpace(string(data)), err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
