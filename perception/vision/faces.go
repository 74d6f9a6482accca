package vision

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/reachyd/reachyd/perception/scene"
	"github.com/reachyd/reachyd/perception/vision/cv"
)

// Where Debian's opencv-data has its cascades, and which of them is used.
const (
	cascadesDir = "/usr/share/opencv4"
	faceCascade = "lbpcascades/lbpcascade_frontalface.xml"
	// faceSecond is another kind of cascade, which says whether what only a close look has found is a face.
	faceSecond = "haarcascades/haarcascade_frontalface_alt2.xml"
)

// The cascade was chosen by measuring, on 320 columns: LBP costs 7 ms of CPU a picture, the Haar ones 14 to 18, LBP
// "improved" 8. All but the last, which missed one, found the faces of the three photographs at hand, and none found
// one in 30 scenes of the table and 20 pictures of coloured clutter.

// yuNetFiles are the names under which YuNet is looked for in the directory of models.
var yuNetFiles = []string{"face_detection_yunet_2023mar.onnx", "face_detection_yunet_2022mar.onnx", "yunet.onnx"}

// How the cascade looks: the step between sizes, how many hits make a face, its least width in pixels of a picture of
// some 320 columns, and the certainty below which a hit is none.
const (
	faceStep       = 1.2
	faceNeighbours = 3
	faceSmallest   = 20
)

// faces finds faces: by YuNet where its file is, else by a cascade.
type faces struct {
	cascade *cv.Cascade
	second  *cv.Cascade // nil: there is no close look

	yuNetFile string
	yuNet     *cv.YuNet // for pictures of one size
	w, h      int

	half, bgr, turned, crop []byte
}

// openFaces opens the best detector that there is. The error says why there is none, or why there is no better one; the
// detector is nil in the first case.
func openFaces(models, cascades string) (*faces, error) {
	if cascades == "" {
		cascades = cascadesDir
	}
	var worse error
	for _, name := range yuNetFiles {
		path := filepath.Join(models, name)
		if models == "" || checkModel(path) != nil {
			continue
		}
		f := &faces{yuNetFile: path}
		err := f.sized(smallWidth, smallWidth*3/4)
		if err == nil {
			return f, nil
		}
		worse = errors.Join(worse, fmt.Errorf("faces by YuNet: %w", err))
	}
	c, err := cv.OpenCascade(filepath.Join(cascades, faceCascade))
	switch {
	case errors.Is(err, cv.ErrNotBuilt):
		return nil, fmt.Errorf("faces: %w", err)
	case err != nil:
		return nil, errors.Join(worse, fmt.Errorf("faces: %w (Debian: apt install opencv-data)", err))
	}
	second, err := cv.OpenCascade(filepath.Join(cascades, faceSecond))
	if err != nil {
		worse = errors.Join(worse, fmt.Errorf("small and tilted faces: %w", err))
	}
	return &faces{cascade: c, second: second}, worse
}

// leastModel is less than any network has: what is smaller is the pointer that git leaves in the place of a large file.
const leastModel = 10 << 10

// checkModel says whether a file can be a network.
func checkModel(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file", path)
	case info.Size() < leastModel:
		return fmt.Errorf("%s has %d bytes: it is a pointer to a file that was not downloaded", path, info.Size())
	}
	return nil
}

// sized makes YuNet ready for pictures of a size.
func (f *faces) sized(w, h int) error {
	if f.yuNet != nil {
		if f.w == w && f.h == h {
			return nil
		}
		f.yuNet.Close() //nolint:errcheck // always nil
		f.yuNet = nil
	}
	y, err := cv.OpenYuNet(f.yuNetFile, w, h)
	if err != nil {
		return err
	}
	f.yuNet, f.w, f.h = y, w, h
	return nil
}

func (f *faces) close() {
	for _, c := range []*cv.Cascade{f.cascade, f.second} {
		if c != nil {
			c.Close() //nolint:errcheck // always nil
		}
	}
	if f.yuNet != nil {
		f.yuNet.Close() //nolint:errcheck // always nil
	}
}

// detect finds faces. A close look finds small and tilted ones, too, and takes several times as long.
func (f *faces) detect(p *picture, s *sight, closely bool) ([]scene.Detection, error) {
	hits, by, err := f.find(p, closely)
	if err != nil {
		return nil, err
	}
	found := make([]scene.Detection, 0, len(hits))
	for _, hit := range hits {
		d := scene.Detection{Name: scene.Face, By: by, Score: hit.Score, Box: clip(hit.Box, 1, p)}
		if s.direct(&d) {
			found = append(found, d)
		}
	}
	return found, nil
}

// find returns the hits that are sure enough, in pixels of the photograph, and the detector that made them.
func (f *faces) find(p *picture, closely bool) ([]cv.Hit, string, error) {
	if p.W < 2*faceSmallest || p.H < 2*faceSmallest {
		return nil, "", nil // no face can be in so small a picture
	}
	by := scene.ByYuNet
	var hits []cv.Hit
	var err error
	if f.cascade != nil {
		by = scene.ByCascade
		hits, err = f.byCascade(p, closely && f.second != nil)
	} else {
		hits, err = f.byYuNet(p)
	}
	if err != nil {
		return nil, by, fmt.Errorf("look for faces: %w", err)
	}
	for i := range hits {
		if by == scene.ByCascade {
			hits[i].Score = certainty(hits[i].Score)
		}
	}
	return slices.DeleteFunc(hits, func(h cv.Hit) bool { return h.Score < leastSure }), by, nil
}

// byYuNet returns the network's hits in pixels of the photograph.
func (f *faces) byYuNet(p *picture) ([]cv.Hit, error) {
	if err := f.sized(p.W, p.H); err != nil {
		return nil, err
	}
	f.bgr = sized(f.bgr, len(p.RGB))
	for i := 0; i < len(p.RGB); i += 3 {
		f.bgr[i], f.bgr[i+1], f.bgr[i+2] = p.RGB[i+2], p.RGB[i+1], p.RGB[i]
	}
	hits, err := f.yuNet.Find(f.bgr, p.W, p.H)
	return enlarged(hits, p.Factor), err
}

// byCascade returns the cascade's hits in pixels of the photograph.
func (f *faces) byCascade(p *picture, closely bool) ([]cv.Hit, error) {
	g := grey{p.Grey, p.GreyW, p.GreyH, p.GreyFactor}
	if g.w > greyWidth*3/4 {
		f.half = sized(f.half, (g.w/2)*(g.h/2))
		average(f.half, g.w/2, g.h/2, 2, g.pix, g.w, 1, g.w, g.h)
		g = grey{f.half, g.w / 2, g.h / 2, 2 * g.factor}
	}
	hits, err := f.cascade.Find(g.pix, g.w, g.h, faceStep, faceNeighbours, faceSmallest)
	hits = enlarged(hits, g.factor)
	if err != nil || !closely {
		return hits, err
	}
	if g.factor != p.GreyFactor {
		if hits, err = f.more(hits, grey{p.Grey, p.GreyW, p.GreyH, p.GreyFactor}, 0); err != nil {
			return nil, err
		}
	}
	for _, angle := range tilts {
		if hits, err = f.more(hits, g, angle); err != nil {
			return nil, err
		}
	}
	return hits, nil
}

func enlarged(hits []cv.Hit, k int) []cv.Hit {
	for i := range hits {
		b := &hits[i].Box
		b.X, b.Y, b.W, b.H = b.X*k, b.Y*k, b.W*k, b.H*k
		for j := range hits[i].Eyes {
			hits[i].Eyes[j][0] *= float64(k)
			hits[i].Eyes[j][1] *= float64(k)
		}
	}
	return hits
}

// certainty turns what a cascade says of its last stage into a number of 0…1.
func certainty(weight float64) float64 { return 1 - math.Exp(-max(0, weight)/faceWeight) }

// faceWeight is the weight at which a hit is 63 % sure.
const faceWeight = 2.0

// clip brings a box from a smaller picture to the photograph.
func clip(b scene.Box, k int, p *picture) scene.Box {
	x0, y0 := max(0, b.X*k), max(0, b.Y*k)
	x1, y1 := min(p.Width, (b.X+b.W)*k), min(p.Height, (b.Y+b.H)*k)
	return scene.Box{X: x0, Y: y0, W: max(0, x1-x0), H: max(0, y1-y0)}
}
