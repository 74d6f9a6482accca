package vision

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"github.com/reachyd/reachyd/perception/scene"
)

// qr draws a code of a text.
func qr(t testing.TB, c canvas, x, y, size int, text string) {
	t.Helper()
	m, err := qrcode.NewQRCodeWriter().Encode(text, gozxing.BarcodeFormat_QR_CODE, size, size, nil)
	if err != nil {
		t.Fatal(err)
	}
	for dy := range size {
		for dx := range size {
			if m.Get(dx, dy) {
				c.SetRGBA(x+dx, y+dy, black)
			} else {
				c.SetRGBA(x+dx, y+dy, white)
			}
		}
	}
}

func TestCodes(t *testing.T) {
	c := newCanvas(640, 480, wall)
	qr(t, c, 400, 100, 150, "https://example.org/reachy?x=ü")
	e := openEyes(t, &Eyes{}, write(t, "x.png", encodePNG(t, c)))
	found, err := e.Detect(t.Context(), "the qr code")
	if err != nil || len(found) != 1 || found[0].Text != "https://example.org/reachy?x=ü" {
		t.Fatalf("%+v, %v", found, err)
	}
	if o := found[0].Box.Overlap(scene.Box{X: 415, Y: 115, W: 120, H: 120}); o < 0.5 {
		t.Errorf("the box %+v overlaps by %v", found[0].Box, o)
	}
	if d := found[0]; math.Abs(d.Yaw+28.2) > 2 || math.Abs(d.Pitch+10) > 2 { // right of the middle, and above it
		t.Errorf("it is at yaw %.1f, pitch %.1f", d.Yaw, d.Pitch)
	}
	if text, err := ask(t, e, "what does the code say?"); err != nil || !strings.Contains(text, "example.org") {
		t.Errorf("%q, %v", text, err)
	}
}

// A code on a wall that leads away, its far edge less than two thirds of the near one, is read.
func TestACodeSeenFromTheSide(t *testing.T) {
	c := newCanvas(640, 480, white)
	slant(t, c, 180, 240, 280, 260, "from the side")
	v, err := openEyes(t, &Eyes{}, "nothing.jpg").Inspect(t.Context(), encodePNG(t, c))
	if err != nil {
		t.Fatal(err)
	}
	found := v.Named(scene.QRCode)
	if len(found) != 1 || found[0].Text != "from the side" || found[0].Box.Overlap(scene.Box{X: 239, Y: 154, W: 196, H: 172}) < 0.6 {
		t.Errorf("read %+v", found)
	}
}

// slant draws a code on a wall that leads away to the right, its far edge less than two thirds of the near one; x is its left edge, h the
// height of the near one.
func slant(t testing.TB, c canvas, x0, mid, w, h int, text string) {
	m, err := qrcode.NewQRCodeWriter().Encode(text, gozxing.BarcodeFormat_QR_CODE, 0, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for y := mid - h/2; y <= mid+h/2; y++ {
		for x := x0; x < x0+w; x++ {
			away := 1 - 0.4*float64(x-x0)/float64(w) // 1 at the near edge, 0.6 at the far one
			u, v := (1/away-1)/(1/0.6-1), (float64(y-mid)/away+float64(h)/2)/float64(h)
			if u >= 0 && u < 1 && v >= 0 && v < 1 && m.Get(int(u*float64(m.GetWidth())), int(v*float64(m.GetHeight()))) {
				c.SetRGBA(x, y, black)
			}
		}
	}
}

// codesIn returns what the codes of a view say, sorted.
func codesIn(v *scene.View) (texts []string) {
	for _, d := range v.Named(scene.QRCode) {
		texts = append(texts, d.Text)
	}
	slices.Sort(texts)
	return texts
}

// Two codes on a wall that leads away are read beside one that does not.
func TestSeveralCodesSeenFromTheSide(t *testing.T) {
	c := newCanvas(640, 480, white)
	slant(t, c, 20, 140, 280, 260, "near the door")
	slant(t, c, 340, 330, 280, 260, "near the window")
	qr(t, c, 30, 300, 160, "straight")
	v, err := openEyes(t, &Eyes{}, "nothing.jpg").Inspect(t.Context(), encodePNG(t, c))
	if err != nil {
		t.Fatal(err)
	}
	texts := codesIn(&v)
	if want := []string{"near the door", "near the window", "straight"}; !slices.Equal(texts, want) {
		t.Errorf("read %q, want %q", texts, want)
	}
}

// Two codes are read, one of them light on dark.
func TestSeveralCodes(t *testing.T) {
	c := newCanvas(640, 480, wall)
	qr(t, c, 30, 40, 160, "the first")
	qr(t, c, 250, 280, 160, "the second")
	for y := 60; y < 220; y++ { // inverted
		for x := 440; x < 600; x++ {
			c.SetRGBA(x, y, black)
		}
	}
	m, err := qrcode.NewQRCodeWriter().Encode("inverted", gozxing.BarcodeFormat_QR_CODE, 160, 160, nil)
	if err != nil {
		t.Fatal(err)
	}
	for y := range 160 {
		for x := range 160 {
			if m.Get(x, y) {
				c.SetRGBA(440+x, 60+y, white)
			}
		}
	}
	e := openEyes(t, &Eyes{}, "nothing.jpg")
	v, err := e.Inspect(t.Context(), encodePNG(t, c))
	if err != nil {
		t.Fatal(err)
	}
	texts := codesIn(&v)
	if want := []string{"inverted", "the first", "the second"}; !slices.Equal(texts, want) {
		t.Errorf("read %q, want %q", texts, want)
	}
}
