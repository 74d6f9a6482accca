package vision

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/scene"
)

// A thing that is followed and not seen for three seconds is told once, and again only when it was seen meanwhile; a face never is.
func TestALossIsToldOnce(t *testing.T) {
	for name, want := range map[string]int{"duck": 2, "": 0} {
		told := 0
		l := loss{name: name, tell: func(string) { told++ }}
		at := time.Unix(100, 0)
		for i := range 400 { // ten pictures a second, in view for the first five seconds and from 20 s to 25 s
			at = at.Add(followFrames)
			l.look(i < 50 || i >= 200 && i < 250, at)
			if i == 75 && told > 0 {
				t.Errorf("%q: told after 2.5 s", name)
			}
		}
		if told != want {
			t.Errorf("%q: told %d times, want %d", name, told, want)
		}
	}
}

// headModel is a head that follows goals as a mass on a damped spring does: 12 rad/s, damping 0.7.
type headModel struct{ at, speed float64 }

func (h *headModel) step(goal, dt float64) {
	const w, z = 12.0, 0.7
	h.speed += (w*w*(goal-h.at) - 2*z*w*h.speed) * dt
	h.at += h.speed * dt
}

// pursuit is a follower, a head and a face in virtual time: pictures 10 a second, each seen so late, with noise, and
// with the head's pose of a moment that is wrong by a skew.
type pursuit struct {
	latency, skew time.Duration
	noise         float64 // degrees
	face          func(t float64) (yaw, pitch float64, there bool)
	seed          uint64

	yaw, pitch []float64 // of the head, every millisecond
	ended      []bool    // whether the follower had ended
	first      int       // ms of the first sighting
}

func (p *pursuit) run(seconds float64) {
	rng := rand.New(rand.NewPCG(p.seed, 1))
	var f Follower
	var hy, hp headModel
	var goalY, goalP float64
	base := time.Unix(1000, 0)
	active := false
	p.first = -1
	at := func(list []float64, ms int) float64 {
		if ms < 0 || len(list) == 0 {
			return 0
		}
		return list[min(ms, len(list)-1)]
	}
	for ms := range int(seconds * 1000) {
		now := base.Add(time.Duration(ms) * time.Millisecond)
		if taken := ms - int(p.latency.Milliseconds()); taken >= 0 && taken%100 == 0 {
			if fy, fp, there := p.face(float64(taken) / 1000); there {
				// What the picture shows is relative to the head as it was; the pose that is added is a little off.
				wrong := taken + int(p.skew.Milliseconds())
				sy := fy - at(p.yaw, taken) + at(p.yaw, wrong) + p.noise*rng.NormFloat64()
				sp := fp - at(p.pitch, taken) + at(p.pitch, wrong) + p.noise*rng.NormFloat64()
				if !active {
					f.Start(hy.at, hp.at, now)
					active = true
					if p.first < 0 {
						p.first = ms
					}
				}
				f.See(sy, sp, now)
			}
		}
		if active && ms%40 == 0 {
			if y, pi, ok := f.Step(now); ok {
				goalY, goalP = y, pi
			} else {
				active = false
			}
		}
		hy.step(goalY, 0.001)
		hp.step(goalP, 0.001)
		p.yaw, p.pitch = append(p.yaw, hy.at), append(p.pitch, hp.at)
		p.ended = append(p.ended, !active)
	}
}

// settled returns the seconds after the first sighting from which on the head stays within a band, and the most by
// which it went past the goal.
func (p *pursuit) settled(yaw, band float64) (seconds, over float64) {
	last := 0
	for ms, y := range p.yaw {
		if math.Abs(y-yaw) > band {
			last = ms
		}
		over = max(over, (y-yaw)*math.Copysign(1, yaw))
	}
	return float64(last-p.first) / 1000, over
}

func TestFollowerSettlesQuicklyWithoutOvershoot(t *testing.T) {
	worstTime, worstOver := 0.0, 0.0
	for _, latency := range []int{100, 125, 150} {
		for _, yaw := range []float64{10, 20, 30, -40} {
			for _, skew := range []int{0, 20, -20} {
				for seed := range uint64(5) {
					p := pursuit{
						latency: time.Duration(latency) * time.Millisecond, skew: time.Duration(skew) * time.Millisecond, noise: 0.5, seed: seed,
						face: func(float64) (float64, float64, bool) { return yaw, -10, true },
					}
					p.run(4)
					seconds, over := p.settled(yaw, 2)
					worstTime, worstOver = max(worstTime, seconds), max(worstOver, over)
					if seconds > 1 || over > 3 {
						t.Errorf("to %v°, latency %d ms, skew %d ms, seed %d: settled after %.2f s, overshoot %.1f°", yaw, latency, skew, seed, seconds, over)
					}
				}
			}
		}
	}
	t.Logf("worst of 180: within 2° after %.2f s, overshoot %.1f°", worstTime, worstOver)
}

// A face that sits still is not stared at with a trembling head.
func TestFollowerIsCalm(t *testing.T) {
	p := pursuit{latency: 120 * time.Millisecond, noise: 0.5, face: func(float64) (float64, float64, bool) { return 5, 0, true }}
	p.run(20)
	way := 0.0
	for ms := 2001; ms < len(p.yaw); ms++ {
		way += math.Abs(p.yaw[ms] - p.yaw[ms-1])
	}
	if way > 15 {
		t.Errorf("the head went %.1f° in 18 s in front of a face that was still", way)
	}
}

func TestFollowerFollows(t *testing.T) {
	p := pursuit{latency: 120 * time.Millisecond, noise: 0.5, face: func(t float64) (float64, float64, bool) {
		return 20 * math.Sin(2*math.Pi*0.2*t), 5 * math.Sin(2*math.Pi*0.15*t), true
	}}
	p.run(20)
	worst := 0.0
	for ms := 3000; ms < len(p.yaw); ms++ {
		fy, _, _ := p.face(float64(ms) / 1000)
		worst = max(worst, math.Abs(p.yaw[ms]-fy))
	}
	t.Logf("a face that swings ±20° in 5 s is followed within %.1f°", worst)
	if worst > 14 {
		t.Errorf("worst lag %.1f°", worst)
	}
}

// When the face is gone the head stays where it was and the follower ends; nothing runs away, and a single false
// sighting far away does not last.
func TestFollowerWithoutAFace(t *testing.T) {
	p := pursuit{latency: 120 * time.Millisecond, noise: 0.5, face: func(t float64) (float64, float64, bool) {
		return 30 * t, 0, t < 1 // it runs to the side and leaves
	}}
	p.run(6)
	for ms := 2500; ms < len(p.yaw); ms++ {
		if math.Abs(p.yaw[ms]) > 34 || math.Abs(p.yaw[ms]-p.yaw[len(p.yaw)-1]) > 0.5 {
			t.Fatalf("at %d ms the head is at %v, in the end at %v", ms, p.yaw[ms], p.yaw[len(p.yaw)-1])
		}
	}
	if !p.ended[2500] {
		t.Error("it has not ended 1.5 s after the last sighting")
	}
	var f Follower
	now := time.Unix(0, 0)
	f.Start(0, 0, now)
	f.See(math.NaN(), 3, now)
	if _, _, ok := f.Step(now); ok {
		t.Error("NaN was believed")
	}
	f.See(1000, -1000, now)
	for range 100 {
		now = now.Add(followTick)
		f.See(1000, -1000, now)
		f.Step(now)
	}
	if y, p, _ := f.Step(now); math.Abs(y) > maxTurn+0.1 || math.Abs(p) > maxFollow+0.1 {
		t.Errorf("the head is sent to %v, %v", y, p)
	}
}

// sightings for the tracker: name, yaw, size.
func faceAt(yaw, pitch, size float64) (scene.Detection, float64) {
	return scene.Detection{Name: scene.Face, Yaw: yaw, Pitch: pitch, Box: scene.Box{W: int(size * 5), H: int(size * 5)}}, size
}

func TestTrackerKeepsFacesApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var tr tracker
	at := time.Unix(0, 0)
	ids := map[string]int{}
	// Two people who pass by each other at a distance of 15°, now and then not seen, and a false hit now and then.
	for i := range 100 {
		at = at.Add(100 * time.Millisecond)
		a, b := -30+0.6*float64(i), 30-0.6*float64(i)
		var found []scene.Detection
		var sizes []float64
		add := func(yaw, pitch, size float64) {
			d, s := faceAt(yaw+0.5*rng.NormFloat64(), pitch+0.5*rng.NormFloat64(), size)
			found, sizes = append(found, d), append(sizes, s)
		}
		if rng.Float64() < 0.9 {
			add(a, 0, 10)
		}
		if rng.Float64() < 0.9 {
			add(b, 15, 9)
		}
		if rng.Float64() < 0.1 {
			add(120*rng.Float64()-60, -30, 6)
		}
		for _, d := range tr.update(found, sizes, at) {
			name := "false"
			switch {
			case math.Hypot(d.Yaw-a, d.Pitch) < 4:
				name = "a"
			case math.Hypot(d.Yaw-b, d.Pitch-15) < 4:
				name = "b"
			}
			if name == "false" {
				t.Errorf("step %d: a false hit was believed: %+v", i, d)
			} else if ids[name] == 0 {
				ids[name] = d.ID
			} else if ids[name] != d.ID {
				t.Errorf("step %d: %s had number %d, now %d", i, name, ids[name], d.ID)
				ids[name] = d.ID
			}
		}
	}
	if ids["a"] == 0 || ids["b"] == 0 || ids["a"] == ids["b"] {
		t.Errorf("numbers %v", ids)
	}
}

func TestTrackerFindsAFaceAgain(t *testing.T) {
	var tr tracker
	at := time.Unix(0, 0)
	show := func(yaw float64, n int) (id int) {
		for range n {
			at = at.Add(100 * time.Millisecond)
			d, s := faceAt(yaw, 0, 10)
			if got := tr.update([]scene.Detection{d}, []float64{s}, at); len(got) > 0 {
				id = got[0].ID
			}
		}
		return id
	}
	hide := func(d time.Duration) { at = at.Add(d); tr.update(nil, nil, at) }
	if id := show(0, 1); id != 0 {
		t.Error("one sighting was believed")
	}
	hide(time.Second)
	if id := show(0, 1); id != 0 {
		t.Error("two sightings a second apart were believed")
	}
	first := show(0, 3)
	hide(3 * time.Second)
	if id := show(8, 3); id != first || first == 0 {
		t.Errorf("number %d, and %d when it came back nearby", first, id)
	}
	hide(3 * time.Second)
	if id := show(60, 3); id == first {
		t.Error("a face elsewhere got the number of the one that left")
	}
	hide(forgetAfter + time.Second)
	if id := show(8, 3); id == first {
		t.Error("a face that was long gone kept its number")
	}
}

func TestTrackerChoosesAndKeeps(t *testing.T) {
	var tr tracker
	at := time.Unix(0, 0)
	see := func(sizes ...float64) []scene.Detection {
		at = at.Add(100 * time.Millisecond)
		var found []scene.Detection
		for i, s := range sizes {
			d, _ := faceAt(float64(40*i), 0, s)
			found = append(found, d)
		}
		return tr.update(found, sizes, at)
	}
	see(8, 12)
	found := see(8, 12)
	d, ok := tr.choose(0, found, at)
	if !ok || d.Yaw != 40 {
		t.Fatalf("chose %+v, not the larger one", d)
	}
	target := d.ID
	if d, ok = tr.choose(target, see(20, 12), at); !ok || d.ID != target {
		t.Errorf("changed to %+v because it came nearer", d)
	}
	if d, ok = tr.choose(target, see(20), at); ok {
		t.Errorf("changed to %+v because the other was not seen once", d)
	}
	for range 10 {
		found = see(20)
	}
	if d, ok = tr.choose(target, found, at); !ok || d.ID == target {
		t.Errorf("stays with one who is gone: %+v", d)
	}
}
