package vision

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/perception/vision/cv"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if n := cv.Live(); code == 0 && n != 0 {
		fmt.Fprintf(os.Stderr, "%d objects of OpenCV were not closed\n", n)
		code = 1
	}
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// canvas is a picture to draw on.
type canvas struct{ *image.RGBA }

func newCanvas(w, h int, c color.RGBA) canvas {
	img := canvas{image.NewRGBA(image.Rect(0, 0, w, h))}
	img.rect(0, 0, w, h, c)
	return img
}

func (c canvas) rect(x, y, w, h int, col color.RGBA) {
	for yy := max(0, y); yy < min(c.Rect.Dy(), y+h); yy++ {
		for xx := max(0, x); xx < min(c.Rect.Dx(), x+w); xx++ {
			c.SetRGBA(xx, yy, col)
		}
	}
}

func (c canvas) oval(cx, cy, rx, ry float64, col color.RGBA) {
	for y := int(cy - ry); y <= int(cy+ry); y++ {
		for x := int(cx - rx); x <= int(cx+rx); x++ {
			dx, dy := (float64(x)-cx)/rx, (float64(y)-cy)/ry
			if dx*dx+dy*dy <= 1 && image.Pt(x, y).In(c.Rect) {
				c.SetRGBA(x, y, col)
			}
		}
	}
}

// face draws a face of a width around a middle: light forehead, cheeks and nose, dark brows, eyes and mouth.
func (c canvas) face(cx, cy, w float64) {
	at := func(x, y, rx, ry float64, r, g, b uint8) {
		c.oval(cx+x*w, cy+y*w, rx*w, ry*w, color.RGBA{r, g, b, 255})
	}
	at(0, -0.12, 0.56, 0.70, 58, 44, 36) // hair
	at(0, 0, 0.49, 0.65, 206, 166, 142)
	at(0, -0.37, 0.37, 0.17, 224, 186, 160)
	for _, side := range []float64{-1, 1} {
		at(side*0.21, -0.245, 0.13, 0.030, 60, 42, 32)
		at(side*0.21, -0.12, 0.15, 0.085, 142, 102, 84)
		at(side*0.21, -0.10, 0.10, 0.045, 234, 230, 226)
		at(side*0.21, -0.10, 0.045, 0.045, 40, 26, 20)
		at(side*0.25, 0.14, 0.12, 0.10, 222, 180, 156)
	}
	at(0, 0, 0.05, 0.17, 228, 190, 166)
	at(0, 0.19, 0.09, 0.035, 150, 106, 88)
	at(0, 0.36, 0.18, 0.05, 150, 76, 70)
	at(0, 0.47, 0.12, 0.025, 176, 136, 112)
}

func (c canvas) jpeg(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, c.RGBA, &jpeg.Options{Quality: 88}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encodePNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var (
	wall  = color.RGBA{150, 160, 165, 255}
	white = color.RGBA{255, 255, 255, 255}
	black = color.RGBA{0, 0, 0, 255}
)
