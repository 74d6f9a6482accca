package vision

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/scene"
	"github.com/reachyd/reachyd/perception/vision/cv"
)

// yoloxFiles are the names under which a network of the YOLOX family is looked for in the directory of models.
var yoloxFiles = []string{"yolox_nano.onnx", "yolox_tiny.onnx"}

// How YOLOX is used.
const (
	yoloxSide    = 416 // pixels of its square input
	yoloxSure    = 0.35
	yoloxOverlap = 0.45
	yoloxPad     = 114 // the grey around the picture
	yoloxColumns = 5   // before the classes: middle, size, whether there is anything
)

// yolox finds things of the 80 classes of COCO by a network that was trained by others.
type yolox struct {
	net *cv.Net
	in  []byte
}

// openYOLOX opens the network, if its file is in the directory of models.
func openYOLOX(models string) (*yolox, error) {
	for _, name := range yoloxFiles {
		path := filepath.Join(models, name)
		if models == "" || checkModel(path) != nil {
			continue
		}
		net, err := cv.OpenNet(path)
		if err != nil {
			return nil, fmt.Errorf("things by YOLOX: %w", err)
		}
		return &yolox{net: net, in: make([]byte, 3*yoloxSide*yoloxSide)}, nil
	}
	return nil, fmt.Errorf("things of everyday life: there is no %s in the directory of models", yoloxFiles[0])
}

func (y *yolox) close() { y.net.Close() } //nolint:errcheck // always nil

func (y *yolox) detect(img image.Image, p *picture, s *sight) ([]scene.Detection, error) {
	scale := letterbox(y.in, img)
	out, rows, columns, err := y.net.Run(y.in, yoloxSide, yoloxSide)
	if err != nil {
		return nil, fmt.Errorf("look for things: %w", err)
	}
	hits, err := decodeYOLOX(out, rows, columns)
	if err != nil {
		return nil, err
	}
	var found []scene.Detection
	for _, h := range hits {
		b := scene.Box{X: int(float64(h.Box.X) / scale), Y: int(float64(h.Box.Y) / scale), W: int(float64(h.Box.W) / scale), H: int(float64(h.Box.H) / scale)}
		d := scene.Detection{Name: cocoNames[h.Class], By: scene.ByYOLOX, Score: h.Score, Box: clip(b, 1, p)}
		if d.Box.W > 0 && d.Box.H > 0 && s.direct(&d) {
			found = append(found, d)
		}
	}
	return found, nil
}

// letterbox brings a picture into the upper left of a grey square, blue first, and returns the factor.
func letterbox(square []byte, img image.Image) float64 {
	b := img.Bounds()
	scale := yoloxSide / float64(max(b.Dx(), b.Dy()))
	w, h := max(1, int(float64(b.Dx())*scale)), max(1, int(float64(b.Dy())*scale))
	for i := range square {
		square[i] = yoloxPad
	}
	ycc, _ := img.(*image.YCbCr)
	for y := range h {
		py := min(b.Max.Y-1, b.Min.Y+int((float64(y)+0.5)/scale))
		for x := range w {
			px := min(b.Max.X-1, b.Min.X+int((float64(x)+0.5)/scale))
			o := 3 * (y*yoloxSide + x)
			if ycc != nil {
				c := ycc.COffset(px, py)
				square[o+2], square[o+1], square[o] = color.YCbCrToRGB(ycc.Y[ycc.YOffset(px, py)], ycc.Cb[c], ycc.Cr[c])
				continue
			}
			red, green, blue, _ := img.At(px, py).RGBA()
			square[o], square[o+1], square[o+2] = uint8(blue>>8), uint8(green>>8), uint8(red>>8)
		}
	}
	return scale
}

// decodeYOLOX reads the network's answer: a row per cell of three grids, of cells of 8, 16 and 32 pixels. Middles are
// relative to the cell, sizes logarithmic, both in cells.
func decodeYOLOX(out []float32, rows, columns int) ([]cv.Hit, error) {
	cells := 0
	strides := [...]int{8, 16, 32}
	for _, s := range strides {
		cells += (yoloxSide / s) * (yoloxSide / s)
	}
	if rows != cells || columns != yoloxColumns+len(cocoNames) || len(out) != rows*columns {
		return nil, fmt.Errorf("the network answers %d×%d numbers; YOLOX for %d×%d pixels and %d classes answers %d×%d",
			rows, columns, yoloxSide, yoloxSide, len(cocoNames), cells, yoloxColumns+len(cocoNames))
	}
	var hits []cv.Hit
	for _, s := range strides {
		n := yoloxSide / s
		for i := range n * n {
			r := out[:columns:columns]
			out = out[columns:]
			class := 0
			for c := range cocoNames {
				if r[yoloxColumns+c] > r[yoloxColumns+class] {
					class = c
				}
			}
			score := float64(r[4] * r[yoloxColumns+class])
			if !(score >= yoloxSure && score <= 1.001) { // NaN too
				continue
			}
			f := float64(s)
			cx, cy := (float64(r[0])+float64(i%n))*f, (float64(r[1])+float64(i/n))*f
			w, h := math.Exp(float64(r[2]))*f, math.Exp(float64(r[3]))*f
			if !(math.Abs(cx) < 2*yoloxSide && math.Abs(cy) < 2*yoloxSide && w < 4*yoloxSide && h < 4*yoloxSide) {
				continue
			}
			hits = append(hits, cv.Hit{Box: scene.Box{X: int(cx - w/2), Y: int(cy - h/2), W: int(w), H: int(h)}, Score: score, Class: class})
		}
	}
	return suppress(hits), nil
}

// suppress leaves the surest of several hits of one class in one place.
func suppress(hits []cv.Hit) []cv.Hit {
	slices.SortFunc(hits, func(a, b cv.Hit) int { return cmp.Compare(b.Score, a.Score) })
	var kept []cv.Hit
	for _, h := range hits {
		if !slices.ContainsFunc(kept, func(k cv.Hit) bool { return k.Class == h.Class && k.Box.Overlap(h.Box) > yoloxOverlap }) {
			kept = append(kept, h)
		}
		if len(kept) == 50 {
			break
		}
	}
	return kept
}

// cocoNames are the classes of COCO in their order.
var cocoNames = strings.Split(strings.NewReplacer(" ", ",", "_", " ").Replace("person bicycle car motorcycle airplane bus train truck boat "+
	"traffic_light fire_hydrant "+
	"stop_sign parking_meter bench bird cat dog horse sheep cow elephant bear zebra giraffe backpack umbrella handbag tie "+
	"suitcase frisbee skis snowboard sports_ball kite baseball_bat baseball_glove skateboard surfboard tennis_racket bottle "+
	"wine_glass cup fork knife spoon bowl banana apple sandwich orange broccoli carrot hot_dog pizza donut cake chair couch "+
	"potted_plant bed dining_table toilet tv laptop mouse remote keyboard cell_phone microwave oven toaster sink "+
	"refrigerator book clock vase scissors teddy_bear hair_drier toothbrush"), ",")
