package vision

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/perception/vision/cv"
	"github.com/reachyd/reachyd/perception/vision/visiontest"
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
	visiontest.Oval(c.RGBA, cx, cy, rx, ry, col)
}

func (c canvas) face(cx, cy, w float64) { visiontest.Face(c.RGBA, cx, cy, w) }

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
