package files

import (
	"bytes"
	"cmp"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

const (
	maxSide     = 2000 // pixels that Read returns in width and height: 16 MB of JSON
	defaultSide = 1024
)

// codec reads one type of images. The registry of package image is not used: it would read a type that Check did not see.
type codec struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

var codecs = map[Type]codec{
	PNG:  {png.DecodeConfig, png.Decode},
	JPEG: {jpeg.DecodeConfig, jpeg.Decode},
	GIF:  {gif.DecodeConfig, gif.Decode},
	WebP: {webp.DecodeConfig, webp.Decode},
	BMP:  {bmp.DecodeConfig, bmp.Decode},
	TIFF: {tiff.DecodeConfig, tiff.Decode},
}

// dimensions reads the head of an image, before anything is allocated for its pixels.
func (f *File) dimensions() (width, height int, err error) {
	c, err := codecs[f.Type].config(bytes.NewReader(f.Data))
	if err != nil {
		return 0, 0, f.damaged(err)
	}
	if c.Width < 1 || c.Height < 1 || c.Width > MaxPixels || c.Height > MaxPixels || c.Width*c.Height > MaxPixels {
		return 0, 0, f.errorf(CodeLimit, "%d × %d pixels, allowed are 1 to %d", c.Width, c.Height, MaxPixels)
	}
	return c.Width, c.Height, nil
}

func (f *File) readImage(q Query) (any, error) {
	width, height, err := f.dimensions()
	if err != nil {
		return nil, err
	}
	img, err := codecs[f.Type].decode(bytes.NewReader(f.Data))
	if err != nil {
		return nil, f.damaged(err)
	}
	if side := cmp.Or(q.Side, defaultSide); width > side || height > side {
		long := max(width, height)
		width, height = max(1, width*side/long), max(1, height*side/long)
	}
	canvas := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(canvas, canvas.Bounds(), image.White, image.Point{}, draw.Src) // behind what is transparent
	draw.ApproxBiLinear.Scale(canvas, canvas.Bounds(), img, img.Bounds(), draw.Over, nil)
	pixels := make([]byte, 0, 3*width*height)
	for i := 0; i < len(canvas.Pix); i += 4 {
		pixels = append(pixels, canvas.Pix[i:i+3]...)
	}
	return &Image{width, height, pixels}, nil
}
