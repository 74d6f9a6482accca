package vision

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/scene"
	"github.com/reachyd/reachyd/perception/vision/cv"
)

func TestFaces(t *testing.T) {
	e := openEyes(t, &Eyes{}, "nothing.jpg")
	if !cv.Built {
		if len(e.Missing()) == 0 || !strings.Contains(e.Missing()[0], "-tags opencv") {
			t.Errorf("without OpenCV nothing is said to be missing: %q", e.Missing())
		}
		if _, err := e.Detect(t.Context(), "face"); !errors.Is(err, ErrUnknownThing) {
			t.Errorf("%v", err)
		}
		return
	}
	c := newCanvas(640, 480, wall)
	c.face(170, 220, 120)
	c.face(480, 260, 90)
	v, err := e.Inspect(t.Context(), c.jpeg(t))
	if err != nil {
		t.Fatal(err)
	}
	found := v.Named("people")
	if len(found) != 2 {
		t.Fatalf("%d faces: %+v", len(found), found)
	}
	for _, want := range []struct {
		x, y, w, yaw float64
	}{{170, 220, 120, 27.6}, {480, 260, 90, -29.2}} {
		near := slices.ContainsFunc(found, func(d scene.Detection) bool {
			x, y := d.Box.Center()
			return math.Hypot(x-want.x, y-want.y) < want.w/4 && math.Abs(d.Yaw-want.yaw) < 4 && d.Score > 0.5
		})
		if !near {
			t.Errorf("no face at (%v, %v): %+v", want.x, want.y, found)
		}
	}
	if text := v.Describe(); text != "I see a face on the left and a face on the right." {
		t.Error(text)
	}
	v, err = e.Inspect(t.Context(), newCanvas(640, 480, wall).jpeg(t))
	if err != nil || len(v.Named(scene.Face)) != 0 {
		t.Errorf("faces in an empty picture: %+v, %v", v.Detections, err)
	}
}

// A face is found in a picture that was taken small, or with the head on one side; while a face is followed there is no time for that.
func TestSmallAndTiltedFaces(t *testing.T) {
	e := openEyes(t, &Eyes{}, "nothing.jpg")
	if !cv.Built {
		return // TestFaces is about that
	}
	big := newCanvas(640, 480, wall)
	big.face(320, 240, 200)
	for _, v := range []struct{ width, angle float64 }{{30, 0}, {40, 0}, {80, 25}, {80, -25}, {80, 40}, {80, -40}} {
		c, at := held(big.RGBA, v.angle, v.width/200)
		view, err := e.Inspect(t.Context(), encodePNG(t, c))
		if err != nil {
			t.Fatal(err)
		}
		found := view.Named(scene.Face)
		if len(found) != 1 {
			t.Errorf("a face of %v pixels held at %v°: %d are found", v.width, v.angle, len(found))
			continue
		}
		x, y := found[0].Box.Center()
		if wx, wy := at(320, 240); math.Hypot(x-wx, y-wy) > v.width/3 {
			t.Errorf("a face of %v pixels held at %v° is found at (%.0f, %.0f), not (%.0f, %.0f)", v.width, v.angle, x, y, wx, wy)
		}
	}
}
