package vision

import (
	"math"
	"slices"

	"github.com/reachyd/reachyd/perception/recognize"
	"github.com/reachyd/reachyd/perception/scene"
	"github.com/reachyd/reachyd/perception/vision/cv"
)

// tilts are the angles at which a close look holds the picture, degrees: the cascade knows upright faces, up to 15° to either side.
var tilts = []float64{-25, 25, -45, 45}

// How the cascade looks closely: with less certainty, for the second one has a say. On the photographs of TestFacesInPhotographs steps of 1.2
// found 24 of 43 faces of 30 pixels and 18 of 41 held at 40°, steps of 1.1 31 and 29; three hits instead of two lost 5 of 43.
const (
	closeStep = 1.1
	closeHits = 2
)

// The second cascade is asked about the surroundings of a hit, brought to one size.
const (
	aroundFace   = 0.35 // of the hit's side, on each side
	confirmSide  = 72   // pixels
	confirmStep  = 1.1
	confirmAgree = 2
	// sameFace is the overlap from which two hits are one.
	sameFace = 0.2
)

// grey is a grey picture; factor is how many pixels of the photograph one of its pixels is wide.
type grey struct {
	pix    []byte
	w, h   int
	factor int
}

// more adds the faces that are seen when the picture is held at an angle, degrees, and which both cascades take for one.
func (f *faces) more(hits []cv.Hit, g grey, angle float64) ([]cv.Hit, error) {
	held := g
	if angle != 0 {
		f.turned = sized(f.turned, len(g.pix))
		held.pix = f.turned
		turn(held.pix, g.pix, g.w, g.h, angle)
	}
	found, err := f.cascade.Find(held.pix, g.w, g.h, closeStep, closeHits, faceSmallest)
	if err != nil {
		return nil, err
	}
	for _, hit := range found {
		sure, err := f.confirm(held, hit.Box)
		if err != nil {
			return nil, err
		}
		x, y := hit.Box.Center()
		x, y = turnPoint(x, y, g.w, g.h, angle)
		hit.Box.X, hit.Box.Y = int(x)-hit.Box.W/2, int(y)-hit.Box.H/2
		hit = enlarged([]cv.Hit{hit}, g.factor)[0]
		if sure && !slices.ContainsFunc(hits, func(o cv.Hit) bool { return o.Box.Overlap(hit.Box) > sameFace }) {
			hits = append(hits, hit)
		}
	}
	return hits, nil
}

// confirm asks the second cascade.
func (f *faces) confirm(g grey, b scene.Box) (bool, error) {
	side := float64(b.W) * (1 + 2*aroundFace)
	x0, y0 := float64(b.X)-aroundFace*float64(b.W), float64(b.Y)-aroundFace*float64(b.H)
	f.crop = sized(f.crop, confirmSide*confirmSide)
	step := side / confirmSide
	for y := range confirmSide {
		for x := range confirmSide {
			f.crop[y*confirmSide+x] = g.at(x0+(float64(x)+0.5)*step-0.5, y0+(float64(y)+0.5)*step-0.5)
		}
	}
	hits, err := f.second.Find(f.crop, confirmSide, confirmSide, confirmStep, confirmAgree, confirmSide/3)
	return len(hits) > 0, err
}

// at is the brightness between four pixels; beyond the edge it is that of the edge.
func (g grey) at(x, y float64) byte { return recognize.Grey{W: g.w, H: g.h, Pix: g.pix}.At(x, y) }

// turn holds a picture at an angle about its middle. What was outside of it is as its edge.
func turn(dst, src []byte, w, h int, angle float64) {
	g := grey{src, w, h, 1}
	for y := range h {
		for x := range w {
			sx, sy := turnPoint(float64(x), float64(y), w, h, angle)
			dst[y*w+x] = g.at(sx, sy)
		}
	}
}

// turnPoint is where a point of the turned picture is in the one that was turned.
func turnPoint(x, y float64, w, h int, angle float64) (float64, float64) {
	sin, cos := math.Sincos(angle / degrees)
	dx, dy := x-float64(w)/2, y-float64(h)/2
	return float64(w)/2 + cos*dx - sin*dy, float64(h)/2 + sin*dx + cos*dy
}
