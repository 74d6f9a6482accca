package vision

import (
	"image"
	"image/color"
	"image/draw"
	"math"
)

// The widths to which pictures are brought, roughly: factors are whole numbers.
const (
	smallWidth = 320 // for colours, motion and shapes
	greyWidth  = 640 // for faces and codes
)

// picture is a photograph in the forms in which detectors look at it. Its buffers are used again by the next one.
type picture struct {
	Width, Height int // of the photograph

	Factor int // pixels of the photograph per pixel of RGB, each way
	W, H   int
	RGB    []byte // three bytes a pixel

	GreyFactor   int
	GreyW, GreyH int
	Grey         []byte
}

// factor is the whole number that brings a width nearest to another one.
func factor(width, want int) int { return max(1, int(math.Round(float64(width)/float64(want)))) }

// take fills the picture from an image of any kind.
func (p *picture) take(img image.Image) {
	b := img.Bounds()
	p.Width, p.Height = b.Dx(), b.Dy()
	p.Factor, p.GreyFactor = factor(p.Width, smallWidth), factor(p.Width, greyWidth)
	p.W, p.H = max(1, p.Width/p.Factor), max(1, p.Height/p.Factor)
	p.GreyW, p.GreyH = max(1, p.Width/p.GreyFactor), max(1, p.Height/p.GreyFactor)
	p.RGB = sized(p.RGB, 3*p.W*p.H)
	p.Grey = sized(p.Grey, p.GreyW*p.GreyH)
	switch img := img.(type) {
	case *image.YCbCr:
		p.takeYCbCr(img)
	case *image.RGBA:
		p.takeRGBA(img)
	default:
		flat := image.NewRGBA(image.Rect(0, 0, p.Width, p.Height))
		draw.Draw(flat, flat.Bounds(), image.White, image.Point{}, draw.Src) // behind what is transparent
		draw.Draw(flat, flat.Bounds(), img, b.Min, draw.Over)
		p.takeRGBA(flat)
	}
}

func sized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// takeYCbCr needs no conversion for the grey picture, and one a small pixel for the coloured one.
func (p *picture) takeYCbCr(img *image.YCbCr) {
	b := img.Bounds()
	average(p.Grey, p.GreyW, p.GreyH, p.GreyFactor, img.Y[img.YOffset(b.Min.X, b.Min.Y):], img.YStride, 1, p.Width, p.Height)
	for y := range p.H {
		for x := range p.W {
			sum, n := 0, 0
			for dy := range p.Factor {
				for dx := range p.Factor {
					px, py := x*p.Factor+dx, y*p.Factor+dy
					if px < p.Width && py < p.Height {
						sum += int(img.Y[img.YOffset(b.Min.X+px, b.Min.Y+py)])
						n++
					}
				}
			}
			c := img.COffset(b.Min.X+min(p.Width-1, x*p.Factor+p.Factor/2), b.Min.Y+min(p.Height-1, y*p.Factor+p.Factor/2))
			o := 3 * (y*p.W + x)
			p.RGB[o], p.RGB[o+1], p.RGB[o+2] = color.YCbCrToRGB(uint8(sum/n), img.Cb[c], img.Cr[c])
		}
	}
}

func (p *picture) takeRGBA(img *image.RGBA) {
	b := img.Bounds()
	pix := img.Pix[img.PixOffset(b.Min.X, b.Min.Y):]
	plane := make([]byte, p.W*p.H)
	for c := range 3 {
		average(plane, p.W, p.H, p.Factor, pix[c:], img.Stride, 4, p.Width, p.Height)
		for i, v := range plane {
			p.RGB[3*i+c] = v
		}
	}
	for y := range p.GreyH {
		for x := range p.GreyW {
			o := min(p.Height-1, y*p.GreyFactor)*img.Stride + 4*min(p.Width-1, x*p.GreyFactor)
			p.Grey[y*p.GreyW+x] = uint8((19595*int(pix[o]) + 38470*int(pix[o+1]) + 7471*int(pix[o+2])) >> 16)
		}
	}
}

// average shrinks one channel by a whole factor; step is the distance of two pixels in src.
func average(dst []byte, w, h, k int, src []byte, stride, step, width, height int) {
	if k == 1 && step == 1 {
		for y := range h {
			copy(dst[y*w:(y+1)*w], src[y*stride:])
		}
		return
	}
	for y := range h {
		for x := range w {
			sum, n := 0, 0
			for dy := range k {
				for dx := range k {
					if px, py := x*k+dx, y*k+dy; px < width && py < height {
						sum += int(src[py*stride+px*step])
						n++
					}
				}
			}
			dst[y*w+x] = uint8(sum / n)
		}
	}
}

// dark says whether nothing can be seen: hardly a pixel is brighter than almost black.
func (p *picture) dark() bool {
	bright := 0
	for _, v := range p.Grey {
		if v > 24 {
			bright++
		}
	}
	return 100*bright < len(p.Grey)
}
