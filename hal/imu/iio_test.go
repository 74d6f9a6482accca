package imu

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree is a directory of IIO devices, as Linux shows them.
type tree struct {
	t   *testing.T
	dir string
}

func (tr tree) file(device, name, text string) {
	tr.t.Helper()
	dir := filepath.Join(tr.dir, device)
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600)); err != nil {
		tr.t.Fatal(err)
	}
}

func (tr tree) part(device, name, prefix, scale string, raw ...string) {
	tr.file(device, "name", name)
	tr.file(device, prefix+"_scale", scale)
	for i, axis := range axes {
		tr.file(device, prefix+"_"+axis+"_raw", raw[i])
	}
}

// wireless is the sensor of the wireless unit as the drivers bmi088-accel and bmg160 show it: 3 g and 2000°/s to 16 bits.
func wireless(t *testing.T) tree {
	tr := tree{t, t.TempDir()}
	tr.part("iio:device0", "bmi088-accel", "in_accel", "0.000897", "10", "-20", "10933")
	tr.part("iio:device1", "bmi088_gyro", "in_anglvel", "0.001065", "100", "0", "-100")
	return tr
}

func near(a, b Vector) bool { return a.minus(b).norm() < 1e-3 }

func TestReadsTheSensorOfTheWirelessUnit(t *testing.T) {
	tr := wireless(t)
	d, err := Open(tr.dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s, err := d.Read()
	if err != nil || !near(s.Accel, Vector{0.00897, -0.01794, 9.8069}) || !near(s.Turn, Vector{0.1065, 0, -0.1065}) {
		t.Errorf("%+v, %v", s, err)
	}
	if d.Name != "bmi088-accel and bmi088_gyro" {
		t.Error(d.Name)
	}
	tr.file("iio:device0", "in_accel_z_raw", "-10933")
	if s, err = d.Read(); err != nil || s.Accel[2] > -9 {
		t.Errorf("a second reading is %+v, %v", s, err)
	}
	tr.file("iio:device1", "in_anglvel_y_raw", "busy")
	if _, err = d.Read(); err == nil || !strings.Contains(err.Error(), `bmi088_gyro: in_anglvel_y_raw: "busy`) {
		t.Error(err)
	}
}

func TestScaleOffsetAndMountOfEachAxis(t *testing.T) {
	tr := wireless(t)
	tr.file("iio:device0", "in_accel_x_scale", "0.5")
	tr.file("iio:device0", "in_accel_x_offset", "-8")
	tr.file("iio:device0", "in_mount_matrix", "0, 0, 1; 1, 0, 0; 0, 1, 0")
	d, err := Open(tr.dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if s, err := d.Read(); err != nil || !near(s.Accel, Vector{9.8069, 1, -0.01794}) {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestWhichSensorIsTheRobots(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none"), false); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	tr := tree{t, t.TempDir()}
	tr.part("iio:device0", "lis3lv02d", "in_accel", "0.01", "1", "2", "3")
	tr.part("iio:device0", "lis3lv02d", "in_anglvel", "0.01", "1", "2", "3")
	tr.file("iio:device1", "name", "ads1015")
	if _, err := Open(tr.dir, false); !errors.Is(err, ErrNone) {
		t.Errorf("the sensor of a laptop is taken for the robot's: %v", err)
	}
	d, err := Open(tr.dir, true)
	if err != nil || d.Name != "lis3lv02d" {
		t.Fatal(d, err)
	}
	d.Close()
}

func TestWhatIsWrongWithASensorIsSaid(t *testing.T) {
	for want, spoil := range map[string]func(tree){
		"no gyroscope beside it":                               func(tr tree) { tr.file("iio:device1", "name", "other") },
		"no accelerometer beside it":                           func(tr tree) { tr.file("iio:device0", "name", "other") },
		`bmi088-accel, accelerometer: in_accel_scale: "heavy"`: func(tr tree) { tr.file("iio:device0", "in_accel_scale", "heavy") },
		"in_accel_scale is 0, allowed":                         func(tr tree) { tr.file("iio:device0", "in_accel_scale", "0") },
		`in_anglvel_offset: "?"`:                               func(tr tree) { tr.file("iio:device1", "in_anglvel_offset", "?") },
		"bmi088_gyro, gyroscope: open":                         func(tr tree) { _ = os.Remove(filepath.Join(tr.dir, "iio:device1", "in_anglvel_z_raw")) },
		"in_anglvel_scale: no such file":                       func(tr tree) { _ = os.Remove(filepath.Join(tr.dir, "iio:device1", "in_anglvel_scale")) },
		"allowed are three rows":                               func(tr tree) { tr.file("iio:device0", "in_mount_matrix", "1, 0, 0; 0, 1, 0") },
		"that are a rotation":                                  func(tr tree) { tr.file("iio:device0", "in_mount_matrix", "2, 0, 0; 0, 1, 0; 0, 0, 1") },
	} {
		tr := wireless(t)
		spoil(tr)
		d, err := Open(tr.dir, false)
		if err == nil {
			d.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("wanted %q, have %v", want, err)
		}
	}
}

func FuzzMountMatrix(f *testing.F) {
	for _, s := range []string{"1, 0, 0; 0, 1, 0; 0, 0, 1", "", ";;", "nan,0,0;0,1,0;0,0,1", "1e308,1e308,0;0,1,0;0,0,1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rows, err := parseMount(s)
		if err != nil {
			return
		}
		v := Vector{1, 2, 3}
		turned := Vector{rows[0].dot(v), rows[1].dot(v), rows[2].dot(v)}
		if n := turned.norm(); math.Abs(n-v.norm()) > 0.1 {
			t.Errorf("%q stretches %v to %v", s, v.norm(), n)
		}
	})
}
