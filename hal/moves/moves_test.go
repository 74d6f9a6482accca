package moves

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/hal/request"
)

// joints are those of every frame; a frame that the robot cannot take as it is fails the test.
func joints(t *testing.T, m *Move) []hal.Joints {
	t.Helper()
	var list []hal.Joints
	for i, f := range m.Recording.Frames {
		p := hal.Pose{R: request.Rotation(&f), T: hal.Vec3{f.Head[0][3], f.Head[1][3], f.Head[2][3]}}
		got, err := kinematics.NearestHead(p.Head(), *f.BodyYaw, hal.Antennas{Right: f.Antennas[0], Left: f.Antennas[1]})
		if err != nil || len(got.Changed()) > 0 {
			t.Fatalf("%s leaves the envelope at %.2f s: %v %+v", m.Name, m.Recording.Time[i], err, got.HalChanges())
		}
		list = append(list, got.Joints)
	}
	return list
}

// Our own moves are as many as promised, stay in the envelope, need no more than the joints give, and are smooth.
func TestOwnMoves(t *testing.T) {
	kinds, names := map[string]int{}, map[string]bool{}
	worst := struct{ speed, accel, jerk float64 }{}
	for _, m := range Own() {
		if names[m.Name] || m.About == "" {
			t.Errorf("%s stands there twice, or nobody says what it looks like", m.Name)
		}
		names[m.Name] = true
		kinds[m.Kind]++
		if bad := request.Check(&hal.Request{Verb: hal.VerbPlay, Name: m.Name, Recording: m.Recording}); bad != nil {
			t.Fatalf("%s: %s", m.Name, bad.Reason)
		}
		q := joints(t, &m)
		var speed, accel, jerk, way float64
		dt := m.Recording.Time[1]
		for i := 3; i < len(q); i++ {
			for j := range q[i] {
				lim := motion.DefaultLimits[j]
				v := math.Abs(q[i][j]-q[i-1][j]) / dt
				a := math.Abs(q[i][j]-2*q[i-1][j]+q[i-2][j]) / (dt * dt)
				speed, accel = max(speed, v/lim.Speed), max(accel, a/lim.Accel)
				if j < int(hal.RightAntenna) {
					jerk = max(jerk, math.Abs(q[i][j]-3*q[i-1][j]+3*q[i-2][j]-q[i-3][j])/(dt*dt*dt))
				}
				way = max(way, math.Abs(q[i][j]-q[0][j]))
			}
		}
		if speed > 0.9 || accel > 0.9 || jerk > 1500 {
			t.Errorf("%s needs %.0f %% of the speed, %.0f %% of the acceleration, jerk %.0f rad/s³", m.Name, 100*speed, 100*accel, jerk)
		}
		if way < 0.2 {
			t.Errorf("%s moves no joint by more than %.2f rad", m.Name, way)
		}
		for j := range q[0] { // it begins and ends awake, looking straight ahead
			if d := math.Abs(q[len(q)-1][j] - q[0][j]); d > 0.02 {
				t.Errorf("%s ends with %v %.2f rad from where it began", m.Name, hal.Joint(j), d)
			}
		}
		worst.speed, worst.accel, worst.jerk = max(worst.speed, speed), max(worst.accel, accel), max(worst.jerk, jerk)
	}
	if kinds[Emotion] < 20 || kinds[Dance] < 12 || kinds[Idle] < 8 {
		t.Errorf("%v", kinds)
	}
	t.Logf("%v; at most %.0f %% of the speed, %.0f %% of the acceleration, jerk %.0f rad/s³", kinds, 100*worst.speed, 100*worst.accel, worst.jerk)
}

func TestWrongScores(t *testing.T) {
	for text, why := range map[string]string{
		"key 0 0 0 0 0 0 0 0 0 0":                "before the first move",
		"move a":                                 "name and a kind",
		"move a idle":                            "neither",
		"move a dance 100":                       "beats a minute",
		"move a dance 1000 8":                    "30 to 240",
		"move a idle\njump":                      "not known",
		"move a idle\nkey 1":                     "1 numbers instead of 10",
		"move a idle\nkey 0 0 0 0 NaN 0 0 0 0 0": "no number",
		"move a idle\nkey 1 0 0 0 0 0 0 0 0 0\nkey 1 0 0 0 0 0 0 0 0 0": "behind",
		"move a dance 100 8\nswing nose 1 1 0":                          "channel",
		"move a dance 100 8\nswing z 1 0 0":                             "quarter",
		"move a idle\nswing z 1 1 0":                                    "quarter",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", text, err, why)
		}
	}
}

const official = `{"description":"nods","time":[0,0.1],"set_target_data":[
 {"head":[[1,0,0,0],[0,1,0,0.01],[0,0,1,0],[0,0,0,1]],"antennas":[-0.1,0.2],"body_yaw":0.3,"check_collision":false},
 {"head":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],"antennas":[0,0]}]}`

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Moves are found in a directory, in a dataset of it, in the cache of Hugging Face's programs, and among our own.
func TestLibrary(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "mine.json"), official)
	write(t, filepath.Join(dir, "someone", "few", "data", "two.json"), official)
	repo := filepath.Join(cache, "hub", "datasets--pollen-robotics--reachy-mini-emotions-library")
	write(t, filepath.Join(repo, "refs", "main"), "abc\n")
	write(t, filepath.Join(repo, "snapshots", "abc", "cheerful1.json"), official)
	l := Library{Dir: dir, Cache: cache}
	for dataset, want := range map[string]string{
		OwnDataset: "mine", "": "metronome", "someone/few": "two", "pollen-robotics/reachy-mini-emotions-library": "cheerful1",
	} {
		names, err := l.List(dataset)
		if err != nil || !strings.Contains(" "+strings.Join(names, " ")+" ", " "+want+" ") {
			t.Errorf("%s: %v %v", dataset, names, err)
		}
		if m, err := l.Get(dataset, strings.ToUpper(want)); err != nil || m.Name != want || len(m.Recording.Frames) < 2 {
			t.Errorf("%s/%s: %v", dataset, want, err)
		}
	}
	m, err := l.Get("", "mine")
	if err != nil {
		t.Fatal(err)
	}
	rec := m.Recording
	if rec.Frames[0].Head[1][3] != 0.01 || rec.Frames[1].Head[0][0] != 1 || *rec.Frames[0].BodyYaw != 0.3 || rec.Frames[1].BodyYaw != nil {
		t.Errorf("%+v", rec)
	}
	for _, dataset := range []string{"nobody/nothing", "../..", "/etc", `..\x`, "a/../../b"} {
		if _, err := l.List(dataset); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", dataset, err)
		}
	}
	for _, name := range []string{"no_such", "../mine", ""} {
		if _, err := l.Get("", name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", name, err)
		}
	}
	write(t, filepath.Join(dir, "bad.json"), `{"time":[0],"set_target_data":[]}`)
	if _, err := l.Get("", "bad"); err == nil || !strings.Contains(err.Error(), "1 times and 0 frames") {
		t.Error(err)
	}
	write(t, filepath.Join(dir, "big.json"), strings.Repeat(" ", MaxFile+1))
	if _, err := l.Get("", "big"); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Error(err)
	}
}

// Datasets may be archives; the cache of Hugging Face's programs is made of links, which lead nowhere else; a sound lies beside.
func TestArchivesLinksAndSounds(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, text := range map[string]string{"few/data/three.json": official, "few/data/three.wav": "RIFF", "few/../../etc/x.json": official} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	z.Close()
	write(t, filepath.Join(dir, "someone", "few.zip"), packed.String())
	write(t, filepath.Join(dir, "someone", "broken.zip"), "no archive")
	l := Library{Dir: dir, Cache: cache}
	m, err := l.Get("someone/few", "three")
	if err != nil || string(m.Sound()) != "RIFF" {
		t.Errorf("%+v %v", m, err)
	}
	if names, err := l.List("someone/few"); err != nil || len(names) != 1 {
		t.Errorf("%v %v", names, err)
	}
	if _, err := l.List("someone/broken"); err == nil || !strings.Contains(err.Error(), "broken.zip") {
		t.Error(err)
	}
	repo := filepath.Join(cache, "hub", "datasets--a--b")
	write(t, filepath.Join(repo, "refs", "main"), "abc")
	write(t, filepath.Join(repo, "blobs", "1"), official)
	write(t, filepath.Join(cache, "secret.json"), official)
	write(t, filepath.Join(repo, "snapshots", "abc", "README.md"), "")
	for name, to := range map[string]string{"good.json": "../../blobs/1", "evil.json": "../../../../secret.json"} {
		if err := os.Symlink(to, filepath.Join(repo, "snapshots", "abc", name)); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := l.Get("a/b", "good"); err != nil || len(m.Recording.Frames) != 2 || m.Sound() != nil {
		t.Errorf("%+v %v", m, err)
	}
	if _, err := l.Get("a/b", "evil"); err == nil || !strings.Contains(err.Error(), "evil.json") {
		t.Errorf("a link out of the dataset is followed: %v", err)
	}
}

// Mirrored twice is the move itself, and mirrored once it goes to the other side.
func TestSpeedAndMirror(t *testing.T) {
	m, err := (&Library{}).Get("", "thinking")
	if err != nil {
		t.Fatal(err)
	}
	rec := m.Recording
	once, err := At(rec, 2, true)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := once.Time[len(once.Time)-1], rec.Time[len(rec.Time)-1]/2; math.Abs(got-want) > 1e-9 {
		t.Errorf("it takes %g s, want %g", got, want)
	}
	mid := len(rec.Frames) / 6
	headAt := func(r *hal.Recording) hal.Head {
		f := r.Frames[mid]
		return hal.Pose{R: request.Rotation(&f), T: hal.Vec3{f.Head[0][3], f.Head[1][3], f.Head[2][3]}}.Head()
	}
	a, b := headAt(rec), headAt(once)
	if math.Abs(a.Yaw) < 0.1 || math.Abs(a.Yaw+b.Yaw) > 1e-9 || math.Abs(a.Roll+b.Roll) > 1e-9 || math.Abs(a.Pitch-b.Pitch) > 1e-9 {
		t.Errorf("%+v became %+v", a, b)
	}
	twice, _ := At(once, 0.5, true)
	x, _ := json.Marshal(rec.Frames[mid])
	y, _ := json.Marshal(twice.Frames[mid])
	if string(x) != strings.ReplaceAll(string(y), "-0,", "0,") && string(x) != string(y) {
		t.Errorf("%s became %s", x, y)
	}
	for _, speed := range []float64{0, -1, 5, math.NaN()} {
		if _, err := At(rec, speed, false); err == nil {
			t.Errorf("speed %g is taken", speed)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(official))
	f.Add([]byte(`{"time":[0],"set_target_data":[{"head":[[1]],"antennas":[0,0]}]}`))
	f.Add([]byte(`{"time":[0],"set_target_data":[{"head":[[1]],"antennas":[1,2,3]}]}`))
	f.Add([]byte(`{"time":[1e999]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if rec, err := Parse(text); err == nil && (len(rec.Time) == 0 || len(rec.Time) != len(rec.Frames)) {
			t.Errorf("%d times, %d frames", len(rec.Time), len(rec.Frames))
		}
	})
}

func FuzzScore(f *testing.F) {
	f.Add("move a idle\nkey 0 0 0 0 0 0 0 0 0 0\nkey 1 0 0 0 0 0 0 0 0 0")
	f.Add("move a dance 100 8\nswing z 1 1 0")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parse(text)
		if err != nil {
			return
		}
		for i := range list {
			if len(list[i].keys) > 0 && list[i].keys[len(list[i].keys)-1].T > 100 {
				continue
			}
			list[i].play()
		}
	})
}
