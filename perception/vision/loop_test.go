//go:build mujoco

package vision

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/hal/mujoco"
	"github.com/reachyd/reachyd/perception/scene"
	"github.com/reachyd/reachyd/perception/vision/cv"
)

// inRig runs f with open eyes in the head of a robot, in virtual time.
func inRig(t *testing.T, paint func(canvas, *hal.Pose), f func(t *testing.T, r *rig, e *Eyes)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		st := openStage(t, mujoco.Light{}, hal.Head{})
		ctx, cancel := context.WithCancel(t.Context())
		r := openRig(ctx, t, st)
		e := &Eyes{Camera: &camera.Camera{Source: rigEye{r, paint}, Idle: 200 * time.Millisecond}, Body: r, Table: true}
		if err := e.Open(); err != nil {
			t.Fatal(err)
		}
		f(t, r, e)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		cancel()
		synctest.Wait()
		st.Close()
	})
}

// looks counts how looking at things ended.
type looks struct {
	seconds, off []float64
	moves        int
	centred      int
	wanted       int
}

// lookAround looks at the apple, the duck and the croissant of n arrangements, each time beginning straight ahead.
func lookAround(t *testing.T, seed uint64, n int) (l looks) {
	inRig(t, nil, func(t *testing.T, r *rig, e *Eyes) {
		rng := rand.New(rand.NewPCG(seed, 3))
		names := []string{scene.Apple, scene.Duck, scene.Croissant}
		for i := range n {
			all := r.arrange(t, rng)
			name := names[i%3]
			at := slices.IndexFunc(all, func(o mujoco.Object) bool { return o.Name == name })
			place := all[at].Position
			if _, err := r.Do(t.Context(), hal.Request{Verb: hal.VerbGoto, Head: hal.Head{}.Goal(), Duration: 0.5}); err != nil {
				t.Fatal(err)
			}
			r.Wait(t.Context(), "m")
			time.Sleep(time.Second)
			head := r.Truth().Head.Pose()
			lens := camera.SimIntrinsics(640, 480)
			whole, _ := expected(all[at], all, &head, &lens)
			look, err := e.LookAt(t.Context(), name)
			if err != nil {
				if whole {
					t.Errorf("arrangement %d: the %s at %.2f: %v", i, name, place, err)
				}
				continue
			}
			if !whole {
				continue // half hidden or out of view: it found it all the same
			}
			l.wanted++
			time.Sleep(300 * time.Millisecond)
			off := r.trueOff(hal.Vec3{place[0], place[1], place[2] + 0.005})
			l.seconds, l.off = append(l.seconds, look.Duration.Seconds()), append(l.off, look.Error)
			l.moves += look.Moves
			if look.Centred && look.Duration < 2*time.Second && off < 5 {
				l.centred++
			} else {
				t.Logf("arrangement %d: the %s at %.2f: %+v; really %.1f° off", i, name, place, look, off)
			}
		}
	})
	slices.Sort(l.seconds)
	slices.Sort(l.off)
	return l
}

func (l *looks) log(t *testing.T) {
	t.Helper()
	p := func(list []float64, q float64) float64 { return list[int(q*float64(len(list)-1))] }
	t.Logf("%d of %d centred within 2° in less than 2 s; seconds p50 %.2f p95 %.2f max %.2f; degrees off p50 %.2f p95 %.2f max %.2f; %.1f movements each",
		l.centred, l.wanted, p(l.seconds, 0.5), p(l.seconds, 0.95), p(l.seconds, 1), p(l.off, 0.5), p(l.off, 0.95), p(l.off, 1), float64(l.moves)/float64(l.wanted))
}

func TestLookAtCentres(t *testing.T) {
	n := 12
	if slow {
		n = 3
	}
	l := lookAround(t, 7, n)
	l.log(t)
	if l.wanted < n/2 || l.centred < l.wanted {
		t.Errorf("%d of %d were centred within 2° in 2 s", l.centred, l.wanted)
	}
}

func TestLookAtSearches(t *testing.T) {
	inRig(t, nil, func(t *testing.T, r *rig, e *Eyes) {
		for _, o := range []struct {
			name string
			at   hal.Vec3
		}{{scene.Apple, hal.Vec3{0.22, 0.33, 0.03}}, {scene.Duck, hal.Vec3{0.6, 0, 0.03}}, {scene.Croissant, hal.Vec3{-1, -1, 0.02}}} {
			if err := r.MoveObject(o.name, o.at, nil); err != nil {
				t.Fatal(err)
			}
		}
		if found, err := e.Detect(t.Context(), scene.Apple); err != nil || len(found) > 0 {
			t.Fatalf("the apple beside the robot is in view: %v, %v", found, err)
		}
		look, err := e.LookAt(t.Context(), "the apple")
		if err != nil || !look.Centred || look.Moves < 2 {
			t.Errorf("%+v, %v", look, err)
		}
		if _, err := e.LookAt(t.Context(), scene.Croissant); !errors.Is(err, ErrNotSeen) {
			t.Errorf("looking for what is not there: %v", err)
		}
	})
}

func TestQuestionsAboutTheTable(t *testing.T) {
	inRig(t, nil, func(t *testing.T, r *rig, e *Eyes) {
		for _, o := range []struct {
			name string
			at   hal.Vec3
		}{{scene.Apple, hal.Vec3{0.5, 0.25, 0.03}}, {scene.Duck, hal.Vec3{0.55, 0, 0.03}}, {scene.Croissant, hal.Vec3{0.5, -0.25, 0.02}}} {
			if err := r.MoveObject(o.name, o.at, nil); err != nil {
				t.Fatal(err)
			}
		}
		for question, want := range map[string]string{
			"What do you see?":          "I see an apple on the left, a duck in front of me and a croissant on the right.",
			"How many apples are there": "I see one apple.",
			"Is there a croissant?":     "Yes, I see a croissant on the right.",
			"what colour is the duck":   "The duck is yellow.",
			"where is the apple":        "The apple is on the left, 56 centimetres away.",
		} {
			got, err := ask(t, e, question)
			if strings.HasPrefix(question, "where") && strings.HasPrefix(got, "The apple is on the left, 5") {
				continue // to the centimetre is luck
			}
			if err != nil || got != want {
				t.Errorf("%s %q, %v", question, got, err)
			}
		}
		found, err := e.Detect(t.Context(), "the duck")
		if err != nil || len(found) != 1 || found[0].Place == nil || math.Hypot(found[0].Place[0]-0.55, found[0].Place[1]) > 0.05 {
			t.Errorf("the duck is at %+v, %v", found, err)
		}
	})
}

// A face that somebody paints into the picture, at a place in the world.
func paintFace(at func() (yaw, pitch float64, there bool)) func(canvas, *hal.Pose) {
	l := camera.SimIntrinsics(paintedWidth, paintedHeight)
	return func(c canvas, head *hal.Pose) {
		yaw, pitch, there := at()
		if !there {
			return
		}
		u, v, err := l.Pixel(head.R.T().Apply(rayTo(yaw, pitch)))
		if err == nil && u > -50 && u < paintedWidth+50 && v > -50 && v < paintedHeight+50 {
			c.face(u, v, paintedWidth/6)
		}
	}
}

// toldGone fails unless it tells that it has lost the face.
func toldGone(t *testing.T, e *Eyes) {
	t.Helper()
	if f := e.Followed(); f == nil || f.Seen || f.X != 0 {
		t.Errorf("the face has gone, and %+v is told", f)
	}
}

// toldInTheMiddle fails unless it tells of a face in the middle of the picture; the cascade misses one in one picture or another.
func toldInTheMiddle(t *testing.T, e *Eyes) {
	t.Helper()
	for i := 0; i < 10 && (e.Followed() == nil || !e.Followed().Seen); i++ {
		time.Sleep(followFrames)
	}
	if f := e.Followed(); f == nil || !f.Seen || math.Abs(f.X) > 0.15 || math.Abs(f.Y) > 0.15 || time.Since(f.TS) > time.Second {
		t.Errorf("the face is in the middle of the picture, and %+v is told", f)
	}
}

func TestTrackTurnsTheHeadToAFace(t *testing.T) { //nolint:funlen // one face, from its first sight to the end
	if !cv.Built {
		return // there are no faces, which TestFaces sees
	}
	var mu sync.Mutex
	yaw, there := 25.0, true
	const pitch = -8.0
	face := func() (float64, float64, bool) {
		mu.Lock()
		defer mu.Unlock()
		return yaw, pitch, there
	}
	move := func(y float64, seen bool) {
		mu.Lock()
		defer mu.Unlock()
		yaw, there = y, seen
	}
	inRig(t, paintFace(face), func(t *testing.T, r *rig, e *Eyes) {
		seen := 0
		e.Seen = func(scene.View) { seen++ }
		off := func() float64 {
			h := r.Truth().Head
			return angleBetween(rayTo(h.Yaw*degrees, h.Pitch*degrees), rayTo(yaw, pitch))
		}
		if err := e.Track(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if err := e.Track(t.Context(), true); err != nil || !e.Tracking() {
			t.Errorf("asked twice: %v", err)
		}
		over := 0.0
		settled := time.Duration(0)
		began := time.Now()
		for time.Since(began) < 1800*time.Millisecond {
			time.Sleep(rigTick)
			over = max(over, r.Truth().Head.Yaw*degrees-yaw)
			if off() > 2.5 {
				settled = time.Since(began)
			}
		}
		t.Logf("a face at 25°: within 2.5° for good after %v, overshoot %.1f°", settled, over)
		if settled > 1500*time.Millisecond || over > 3 {
			t.Errorf("settled after %v, overshoot %.1f°", settled, over)
		}
		toldInTheMiddle(t, e)
		move(-10, true)
		time.Sleep(1500 * time.Millisecond)
		if o := off(); o > 2.5 {
			t.Errorf("the face moved: %.1f° off", o)
		}
		move(-10, false)
		time.Sleep(1300 * time.Millisecond)
		toldGone(t, e)
		r.mu.Lock()
		sent, at := r.targets, r.goal
		r.mu.Unlock()
		time.Sleep(time.Second)
		r.mu.Lock()
		if r.targets != sent || r.goal != at {
			t.Errorf("without a face %d targets were sent; the head went from %+v to %+v", r.targets-sent, at, r.goal)
		}
		r.refuse = "somebody else moves the robot"
		r.mu.Unlock()
		move(15, true)
		time.Sleep(time.Second)
		r.mu.Lock()
		r.refuse = ""
		r.mu.Unlock()
		time.Sleep(1500 * time.Millisecond)
		if o := off(); o > 2.5 {
			t.Errorf("after a refusal it does not follow again: %.1f° off", o)
		}
		// Looking at something ends following only for as long as it takes, and a moment.
		look, err := e.LookAt(t.Context(), scene.Face)
		if err != nil || !look.Centred || !e.Tracking() {
			t.Errorf("%+v, %v, tracking %v", look, err, e.Tracking())
		}
		r.mu.Lock()
		sent = r.targets
		r.mu.Unlock()
		move(-5, true)
		time.Sleep(lookStays - 100*time.Millisecond)
		r.mu.Lock()
		if r.targets != sent {
			t.Error("what it was told to look at is looked at for no moment")
		}
		r.mu.Unlock()
		time.Sleep(1600 * time.Millisecond)
		if o := off(); o > 2.5 {
			t.Errorf("after a look it does not follow again: %.1f° off", o)
		}
		if err := e.Track(t.Context(), false); err != nil || e.Tracking() || e.Followed() != nil {
			t.Errorf("%v", err)
		}
		r.mu.Lock()
		sent = r.targets
		r.mu.Unlock()
		move(-20, true)
		time.Sleep(500 * time.Millisecond)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.targets != sent {
			t.Error("it goes on after it was told to stop")
		}
		if seen < 3 {
			t.Errorf("%d reports of faces that came or went", seen)
		}
	})
}
