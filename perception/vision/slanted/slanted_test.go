package slanted

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
)

// seen draws a code on a wall that is turned by so many degrees about an axis in its plane, through a lens of 60 degrees, with a soft edge
// and noise.
func seen(t testing.TB, text string, turn, axis float64, noise uint64) *image.Gray {
	t.Helper()
	const w, h, over = 640, 480, 2
	code, err := qrcode.NewQRCodeWriter().Encode(text, gozxing.BarcodeFormat_QR_CODE, 0, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := float64(code.GetWidth())
	st, ct := math.Sincos(turn * math.Pi / 180)
	sa, ca := math.Sincos(axis * math.Pi / 180)
	const focal, away = 554.0, 2.4 // the code is one wide
	out := image.NewGray(image.Rect(0, 0, w, h))
	random := rand.New(rand.NewPCG(noise, 1))
	for y := range h {
		for x := range w {
			light := 0.0
			for sy := range over {
				for sx := range over {
					u := (float64(x) + (float64(sx)+0.5)/over - w/2) / focal
					v := (float64(y) + (float64(sy)+0.5)/over - h/2) / focal
					// The wall's axes: a, which does not turn, and b, which leads away from the eye.
					along, across := u*ca+v*sa, -u*sa+v*ca
					b := away * across / (ct - across*st)
					a := along * (away + b*st)
					px, py := a*ca-b*sa+0.5, a*sa+b*ca+0.5
					if px < 0 || py < 0 || px >= 1 || py >= 1 || !code.Get(int(px*n), int(py*n)) {
						light++
					}
				}
			}
			grey := 40 + 180*light/(over*over) + 8*random.NormFloat64()
			out.SetGray(x, y, color.Gray{Y: uint8(max(0, min(255, grey)))})
		}
	}
	return out
}

func bitsOf(t testing.TB, img image.Image) *gozxing.BitMatrix {
	t.Helper()
	bitmap, err := gozxing.NewBinaryBitmapFromImage(img)
	if err != nil {
		t.Fatal(err)
	}
	bits, err := bitmap.GetBlackMatrix()
	if err != nil {
		t.Fatal(err)
	}
	return bits
}

func TestCodesSeenFromTheSide(t *testing.T) {
	texts := []string{"reachy", "https://example.org/a/rather/long/address?with=parameters&and=more", "WIFI:T:WPA;S:home;P:not a secret;;"}
	for _, c := range []struct {
		turn  float64
		least float64 // part that is read
	}{{30, 1}, {45, 0.9}} {
		read, plain, tried := 0, 0, 0
		for i, text := range texts {
			for axis := 0.0; axis < 360; axis += 60 {
				img := seen(t, text, c.turn, axis, uint64(i)*1000+uint64(axis))
				tried++
				bitmap, err := gozxing.NewBinaryBitmapFromImage(img)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := qrcode.NewQRCodeReader().Decode(bitmap, nil); err == nil && got.GetText() == text {
					plain++
				}
				got, points, ok := Read(bitsOf(t, img))
				switch {
				case ok && got == text && len(points) == 3:
					read++
				case ok:
					t.Errorf("%q turned by %v about %v: read %q", text, c.turn, axis, got)
				}
			}
		}
		t.Logf("turned by %v degrees: %d of %d read, %d by the plain reader", c.turn, read, tried, plain)
		if float64(read) < c.least*float64(tried) {
			t.Errorf("turned by %v degrees: %d of %d are read", c.turn, read, tried)
		}
	}
}

func TestNothingIsReadWhereThereIsNoCode(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		img := image.NewGray(image.Rect(0, 0, 320, 240))
		for i := range img.Pix {
			img.Pix[i] = uint8(random.Uint32())
		}
		if text, _, ok := Read(bitsOf(t, img)); ok {
			t.Errorf("read %q in noise", text)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	bits := bitsOf(b, seen(b, "reachy", 45, 30, 1))
	for b.Loop() {
		Read(bits)
	}
}
