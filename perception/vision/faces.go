package vision

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/reachyd/reachyd/perception/scene"
	"github.com/reachyd/reachyd/perception/vision/cv"
)

// Where Debian's opencv-data has its cascades, and which of them is used.
const (
	cascadesDir = "/usr/share/opencv4"
	faceCascade = "lbpcascades/lbpcascade_frontalface.xml"
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

	yuNetFile string
	yuNet     *cv.YuNet // for pictures of one size
	w, h      int

	half, bgr []byte
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
	return &faces{cascade: c}, worse
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
	if f.cascade != nil {
		f.cascade.Close() //nolint:errcheck // always nil
	}
	if f.yuNet != nil {
		f.yuNet.Close() //nolint:errcheck // always nil
	}
}

func (f *faces) detect(p *picture, s *sight) ([]scene.Detection, error) {
	var hits []cv.Hit
	var err error
	by, k := scene.ByCascade, p.GreyFactor
	switch {
	case p.W < 2*faceSmallest || p.H < 2*faceSmallest:
		return nil, nil // no face can be in so small a picture
	case f.cascade != nil:
		grey, w, h := p.Grey, p.GreyW, p.GreyH
		if w > greyWidth*3/4 {
			f.half = sized(f.half, (w/2)*(h/2))
			average(f.half, w/2, h/2, 2, grey, w, 1, w, h)
			grey, w, h, k = f.half, w/2, h/2, 2*k
		}
		hits, err = f.cascade.Find(grey, w, h, faceStep, faceNeighbours, faceSmallest)
	default:
		by, k = scene.ByYuNet, p.Factor
		if err = f.sized(p.W, p.H); err == nil {
			f.bgr = sized(f.bgr, len(p.RGB))
			for i := 0; i < len(p.RGB); i += 3 {
				f.bgr[i], f.bgr[i+1], f.bgr[i+2] = p.RGB[i+2], p.RGB[i+1], p.RGB[i]
			}
			hits, err = f.yuNet.Find(f.bgr, p.W, p.H)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("look for faces: %w", err)
	}
	found := make([]scene.Detection, 0, len(hits))
	for _, hit := range hits {
		d := scene.Detection{Name: scene.Face, By: by, Score: hit.Score, Box: clip(hit.Box, k, p)}
		if by == scene.ByCascade {
			d.Score = certainty(hit.Score)
		}
		if d.Score >= leastSure && s.direct(&d) {
			found = append(found, d)
		}
	}
	return found, nil
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
