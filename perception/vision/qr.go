package vision

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"

	"github.com/makiuchi-d/gozxing"
	multi "github.com/makiuchi-d/gozxing/multi/qrcode"
	"github.com/makiuchi-d/gozxing/qrcode"

	"github.com/reachyd/reachyd/perception/scene"
	"github.com/reachyd/reachyd/perception/vision/slanted"
)

// maxText bounds what is believed of a code: the largest holds some 4300 characters.
const maxText = 2000

// codes reads all QR codes, dark on light or light on dark. OpenCV 4.6 finds them but cannot read them.
func codes(p *picture, s *sight) []scene.Detection {
	found := read(p, s, p.Grey)
	inverse := make([]byte, len(p.Grey))
	for i, v := range p.Grey {
		inverse[i] = ^v
	}
	for _, d := range read(p, s, inverse) {
		if !slices.ContainsFunc(found, func(o scene.Detection) bool { return o.Text == d.Text && o.Box.Overlap(d.Box) > 0 }) {
			found = append(found, d)
		}
	}
	return found
}

// maxCodes bounds how many codes of a picture are read.
const maxCodes = 8

// read reads the codes of a grey picture. What was read is covered, and the rest looked at again: the reader of many codes leaves
// out what is seen from the side, and the others read one.
func read(p *picture, s *sight, grey []byte) (found []scene.Detection) {
	defer func() { // what is no code must not end the worker; what was read before counts
		_ = recover()
	}()
	img := &image.Gray{Pix: slices.Clone(grey), Stride: p.GreyW, Rect: image.Rect(0, 0, p.GreyW, p.GreyH)}
	for len(found) < maxCodes {
		results := decode(img)
		if len(results) == 0 {
			return found
		}
		for _, r := range results {
			d := scene.Detection{Name: scene.QRCode, By: scene.ByQR, Score: 1, Text: r.GetText(), Box: around(r.GetResultPoints(), p)}
			if len(d.Text) > maxText {
				d.Text = d.Text[:maxText]
			}
			cover(img, r.GetResultPoints())
			if s.direct(&d) {
				found = append(found, d)
			}
		}
	}
	return found
}

// decode reads as many codes as one look finds.
func decode(img *image.Gray) []*gozxing.Result {
	bits, err := gozxing.NewBinaryBitmapFromImage(img)
	if err != nil {
		return nil
	}
	if all, err := multi.NewQRCodeMultiReader().DecodeMultiple(bits, nil); err == nil && len(all) > 0 {
		return all
	}
	one, err := qrcode.NewQRCodeReader().Decode(bits, nil) // the reader of many wants more than this one
	if err != nil {
		if one = fromTheSide(bits); one == nil {
			return nil
		}
	}
	return []*gozxing.Result{one}
}

// cover paints over the corner marks of a code, without which it is none.
func cover(img *image.Gray, points []gozxing.ResultPoint) {
	side := 0.0
	for _, a := range points {
		for _, b := range points {
			side = max(side, math.Hypot(a.GetX()-b.GetX(), a.GetY()-b.GetY()))
		}
	}
	const mark = 10 // a mark reaches a sixth of the least code's diagonal from its middle, and less of others
	r := int(side/mark) + 1
	for _, q := range points {
		x, y := int(q.GetX()), int(q.GetY())
		draw.Draw(img, image.Rect(x-r, y-r, x+r+1, y+r+1), image.NewUniform(color.Gray{128}), image.Point{}, draw.Src)
	}
}

// fromTheSide reads a code that is seen too much from the side for a reader that takes it for a parallelogram.
func fromTheSide(bitmap *gozxing.BinaryBitmap) *gozxing.Result {
	bits, err := bitmap.GetBlackMatrix()
	if err != nil {
		return nil
	}
	text, marks, ok := slanted.Read(bits)
	if !ok {
		return nil
	}
	return gozxing.NewResult(text, nil, marks, gozxing.BarcodeFormat_QR_CODE)
}

// around is the box of the middles of a code's three corner marks, a little larger.
func around(points []gozxing.ResultPoint, p *picture) scene.Box {
	if len(points) == 0 {
		return scene.Box{}
	}
	x0, y0, x1, y1 := p.GreyW, p.GreyH, 0, 0
	for _, q := range points {
		x, y := int(q.GetX()), int(q.GetY())
		x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
	}
	const edge = 6 // a mark is a sixth or less of the code
	dx, dy := (x1-x0)/edge, (y1-y0)/edge
	return clip(scene.Box{X: x0 - dx, Y: y0 - dy, W: x1 - x0 + 2*dx, H: y1 - y0 + 2*dy}, p.GreyFactor, p)
}
