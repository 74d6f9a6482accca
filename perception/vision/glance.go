package vision

import (
	"context"
	"math"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/perception/vision/cv"
)

// How a face looks at the robot: so large, as of somebody at 1.5 m, and with its nose so near to the middle, in widths of its box.
const (
	facingSize = 5.0 // degrees across
	facingNose = 0.12
)

// Glance takes a picture and counts the faces in it, and those that are near and turned to the robot. A cascade knows only faces that
// are; of YuNet's the nose tells.
func (e *Eyes) Glance(ctx context.Context) (faces, facing int, err error) {
	f, err := e.Camera.Frame(ctx)
	if err != nil {
		return 0, 0, err
	}
	img, err := camera.Decode(f.JPEG)
	if err != nil {
		return 0, 0, err
	}
	b := img.Bounds()
	s := sight{lens: e.Camera.Source.Intrinsics(b.Dx(), b.Dy()), head: hal.IdentityPose}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.opened || e.faces == nil {
		return 0, 0, errNotOpen
	}
	e.pic.take(img)
	if e.pic.dark() {
		return 0, 0, nil
	}
	p := &e.pic
	if p.W < 2*faceSmallest || p.H < 2*faceSmallest {
		return 0, 0, nil
	}
	cascade := e.faces.cascade != nil
	find := e.faces.byYuNet
	if cascade {
		find = func(p *picture) ([]cv.Hit, error) { return e.faces.byCascade(p, false) }
	}
	hits, err := find(p)
	for _, h := range hits {
		if cascade {
			h.Score = certainty(h.Score)
		}
		across, _, ok := s.extent(clip(h.Box, 1, p))
		if !ok || h.Score < leastSure {
			continue
		}
		faces++
		if across*degrees >= facingSize && (cascade || frontal(&h, p.Factor)) {
			facing++
		}
	}
	return faces, facing, err
}

// frontal reports whether the nose of a face of YuNet, in pixels of the smaller picture, is in the middle of its box.
func frontal(h *cv.Hit, factor int) bool {
	x, _ := h.Box.Center()
	return math.Abs(h.Point[0]*float64(factor)-x) <= facingNose*float64(h.Box.W)
}
