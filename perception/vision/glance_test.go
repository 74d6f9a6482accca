package vision

import (
	"testing"

	"github.com/reachyd/reachyd/perception/vision/cv"
)

// A face counts as one that looks where it is near; what is not frontal the cascade does not see at all.
func TestAGlance(t *testing.T) {
	if !cv.Built {
		t.Skip("without OpenCV there are no faces")
	}
	for name, c := range map[string]struct {
		sizes         []float64 // of faces, pixels
		faces, facing int
	}{
		"nobody": {nil, 0, 0}, "one near": {[]float64{120}, 1, 1}, "two near": {[]float64{120, 110}, 2, 2},
	} {
		picture := newCanvas(640, 480, wall)
		for i, size := range c.sizes {
			picture.face(170+float64(i)*310, 220, size)
		}
		e := openEyes(t, &Eyes{}, write(t, "faces.jpg", picture.jpeg(t)))
		if faces, facing, err := e.Glance(t.Context()); err != nil || faces != c.faces || facing != c.facing {
			t.Errorf("%s: %d faces, %d of them look, %v", name, faces, facing, err)
		}
	}
	for off, want := range map[float64]bool{0: true, 10: true, 20: false, -30: false} { // of 100 pixels
		h := cv.Hit{Point: [2]float64{(150 + off) / 2, 80}}
		h.Box.X, h.Box.W = 100, 100
		if frontal(&h, 2) != want {
			t.Errorf("a nose %v pixels beside the middle looks at the robot: %v", off, !want)
		}
	}
}
