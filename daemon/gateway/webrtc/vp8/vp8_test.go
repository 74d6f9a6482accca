package vp8

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/vp8"
)

// scene is a picture with flat and rough parts, of which something moves with t.
func scene(width, height, t int) *image.YCbCr {
	img := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	for y := range height {
		for x := range width {
			c := color.RGBA{uint8(x * 255 / width), uint8(y * 255 / height), uint8(128 + 100*math.Sin(float64(x*y)/900)), 255}
			if dx, dy := x-width/4-3*t, y-height/2; dx*dx+dy*dy < height*height/25 {
				c = color.RGBA{220, 40, 30, 255}
			}
			yy, cb, cr := color.RGBToYCbCr(c.R, c.G, c.B)
			img.Y[img.YOffset(x, y)] = yy
			img.Cb[img.COffset(x, y)], img.Cr[img.COffset(x, y)] = cb, cr
		}
	}
	return img
}

// decode unpacks a key frame with the decoder of golang.org/x/image.
func decode(t *testing.T, frame []byte) *image.YCbCr {
	t.Helper()
	d := vp8.NewDecoder()
	d.Init(bytes.NewReader(frame), len(frame))
	if _, err := d.DecodeFrameHeader(); err != nil {
		t.Fatal(err)
	}
	img, err := d.DecodeFrame()
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// sameAs fails unless a decoder sees what the encoder believes that it does, to the bit.
func (e *Encoder) sameAs(t *testing.T, img *image.YCbCr) {
	t.Helper()
	for y := range e.height {
		if a, b := img.Y[y*img.YStride:][:e.width], e.shown.y[y*16*e.columns:][:e.width]; !bytes.Equal(a, b) {
			t.Fatalf("luma differs in row %d", y)
		}
	}
	for y := range e.height / 2 {
		at := y * 8 * e.columns
		cb, cr := img.Cb[y*img.CStride:][:e.width/2], img.Cr[y*img.CStride:][:e.width/2]
		if !bytes.Equal(cb, e.shown.cb[at:][:e.width/2]) || !bytes.Equal(cr, e.shown.cr[at:][:e.width/2]) {
			t.Fatalf("chroma differs in row %d", y)
		}
	}
}

// quality is the ratio of signal to noise of luma, dB.
func (e *Encoder) quality() float64 {
	sum := 0.0
	for i, v := range e.source.y {
		d := float64(v) - float64(e.shown.y[i])
		sum += d * d
	}
	return 10 * math.Log10(255*255*float64(len(e.source.y))/max(sum, 1))
}

func TestDecoderSeesWhatTheEncoderBelieves(t *testing.T) {
	for _, size := range []image.Point{{16, 16}, {100, 50}, {17, 31}, {321, 241}} {
		for _, index := range []int{8, 40, 100} {
			t.Run(fmt.Sprintf("%v at %d", size, index), func(t *testing.T) {
				e, err := New(size.X, size.Y)
				if err != nil {
					t.Fatal(err)
				}
				e.index = index
				frame, err := e.Encode(scene(size.X, size.Y, 0), true)
				if err != nil {
					t.Fatal(err)
				}
				img := decode(t, frame)
				if img.Bounds().Size() != size {
					t.Fatalf("%v", img.Bounds())
				}
				e.sameAs(t, img)
				if q := e.quality(); q < 24 || index == 8 && q < 36 {
					t.Errorf("%.1f dB", q)
				}
			})
		}
	}
}

// Any picture is packed so that it can be unpacked: noise has the largest coefficients.
func TestNoiseSurvives(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		e, err := New(96, 80)
		if err != nil {
			t.Fatal(err)
		}
		e.index = random.IntN(128)
		img := image.NewYCbCr(image.Rect(0, 0, 96, 80), image.YCbCrSubsampleRatio444)
		for _, plane := range [][]uint8{img.Y, img.Cb, img.Cr} {
			for i := range plane {
				plane[i] = uint8(random.IntN(2) * 255)
			}
		}
		frame, err := e.Encode(img, true)
		if err != nil {
			t.Fatal(err)
		}
		e.sameAs(t, decode(t, frame))
	}
}

func TestFramesFollowThePicture(t *testing.T) {
	e, err := New(160, 128)
	if err != nil {
		t.Fatal(err)
	}
	e.Target = 1500
	first, _ := e.Encode(scene(160, 128, 0), true)
	still, _ := e.Encode(scene(160, 128, 0), false)
	if len(still)*10 > len(first) {
		t.Errorf("a picture that stays costs %d bytes, the first one %d", len(still), len(first))
	}
	total := 0
	for i := range 20 {
		frame, err := e.Encode(scene(160, 128, i), false)
		if err != nil {
			t.Fatal(err)
		}
		total += len(frame)
		if q := e.quality(); q < 24 {
			t.Fatalf("frame %d: %.1f dB", i, q)
		}
	}
	if total > 20*2*e.Target {
		t.Errorf("%d bytes a frame, wanted %d", total/20, e.Target)
	}
}

// Pictures of cameras have their chroma in fewer columns or rows, or in all: the encoder sees the same.
func TestAnyChroma(t *testing.T) {
	for _, ratio := range []image.YCbCrSubsampleRatio{
		image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio422,
		image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410,
	} {
		e, err := New(70, 38)
		if err != nil {
			t.Fatal(err)
		}
		img := image.NewYCbCr(image.Rect(0, 0, 70, 38), ratio)
		for i := range img.Cb {
			img.Cb[i], img.Cr[i] = uint8(7*i), uint8(11*i)
		}
		if _, err := e.Encode(img, true); err != nil {
			t.Fatal(err)
		}
		for y := range 19 {
			for x := range 35 {
				at, i := img.COffset(2*x, 2*y), 40*y+x
				if e.source.cb[i] != e.chroma[img.Cb[at]] || e.source.cr[i] != e.chroma[img.Cr[at]] {
					t.Fatalf("%v: the sample at %d, %d is another one", ratio, x, y)
				}
			}
		}
	}
}

func TestSizesAreRefused(t *testing.T) {
	for _, size := range []image.Point{{0, 0}, {15, 16}, {16, 4097}} {
		if _, err := New(size.X, size.Y); err == nil {
			t.Errorf("%v is allowed", size)
		}
	}
	e, err := New(32, 32)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Encode(scene(32, 48, 0), true); err == nil {
		t.Error("a picture of another size is packed")
	}
}

func BenchmarkEncode(b *testing.B) {
	e, _ := New(640, 480)
	e.Target = 12000
	pictures := make([]*image.YCbCr, 16)
	for i := range pictures {
		pictures[i] = scene(640, 480, i)
	}
	size := 0
	for i := 0; b.Loop(); i++ {
		frame, err := e.Encode(pictures[i%16], false)
		if err != nil {
			b.Fatal(err)
		}
		size += len(frame)
	}
	b.ReportMetric(float64(size)/float64(b.N), "bytes/frame")
}
