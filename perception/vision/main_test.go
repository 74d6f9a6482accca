package vision

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
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
	draw.Draw(c.RGBA, image.Rect(x, y, x+w, y+h), image.NewUniform(col), image.Point{}, draw.Src)
}

func (c canvas) oval(cx, cy, rx, ry float64, col color.RGBA) {
	for y := int(cy - ry); y <= int(cy+ry); y++ {
		dy := (float64(y) - cy) / ry
		if half := rx * math.Sqrt(max(0, 1-dy*dy)); half > 0 {
			left := int(math.Ceil(cx - half))
			c.rect(left, y, int(cx+half)-left+1, 1, col)
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
