package vision

import (
	"cmp"
	"context"
	"image"
	"slices"
	"time"

	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/perception/recognize"
	"github.com/reachyd/reachyd/perception/vision/cv"
)

// portraitGap is the time between two pictures of a face: long enough for it to have moved a little.
const portraitGap = 300 * time.Millisecond

// Portraits takes so many pictures and returns the faces in each, from left to right, as they are told apart. The error wraps
// ErrUnknownThing where nothing here finds faces.
func (e *Eyes) Portraits(ctx context.Context, pictures int) ([][]recognize.Portrait, error) {
	all := make([][]recognize.Portrait, 0, pictures)
	var after time.Time
	for range pictures {
		f, err := e.Camera.Since(ctx, after)
		if err != nil {
			return nil, err
		}
		img, err := camera.Decode(f.JPEG)
		if err != nil {
			return nil, err
		}
		found, err := e.portraits(img)
		if err != nil {
			return nil, err
		}
		all, after = append(all, found), f.Time.Add(portraitGap)
	}
	return all, nil
}

// portraits are the faces in one picture.
func (e *Eyes) portraits(img image.Image) ([]recognize.Portrait, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case !e.opened:
		return nil, errNotOpen
	case e.faces == nil:
		return nil, ErrUnknownThing
	}
	p := &e.pic
	p.take(img)
	if p.dark() {
		return []recognize.Portrait{}, nil
	}
	hits, _, err := e.faces.find(p, false)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(hits, func(a, b cv.Hit) int { return cmp.Compare(a.Box.X, b.Box.X) })
	all := make([]recognize.Portrait, len(hits))
	for i, h := range hits {
		k := 1 / float64(p.GreyFactor)
		r := recognize.Region{X: float64(h.Box.X) * k, Y: float64(h.Box.Y) * k, W: float64(h.Box.W) * k, H: float64(h.Box.H) * k}
		if h.Eyes != ([2][2]float64{}) {
			r.Eyes = &[2][2]float64{{h.Eyes[0][0] * k, h.Eyes[0][1] * k}, {h.Eyes[1][0] * k, h.Eyes[1][1] * k}}
		}
		all[i] = recognize.Portrait{Box: h.Box}
		if d, err := recognize.Describe(recognize.Grey{Pix: p.Grey, W: p.GreyW, H: p.GreyH}, r); err == nil { // else it is too far away
			all[i].Descriptor = d
		}
	}
	return all, nil
}
