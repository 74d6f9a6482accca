package camera

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // what a picture file may be
	"image/jpeg"
	_ "image/png"

	_ "golang.org/x/image/bmp" // also
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// What Decode accepts: the robot's own camera has 3840×2592.
const (
	MinSide   = 1
	MaxSide   = 8192
	MaxPixels = 16 << 20
	MaxFile   = 64 << 20 // bytes
)

// ErrPicture is wrapped by every error that says what is wrong with a picture.
var ErrPicture = errors.New("unusable picture")

// Decode unpacks a picture in any usual format (JPEG, PNG, GIF, BMP, TIFF, WebP). The header is looked at first, so
// that a small file which says it is huge costs nothing. Decoding is done in Go, where a damaged file is an error and
// nothing worse. The error wraps ErrPicture.
func Decode(data []byte) (img image.Image, err error) {
	if _, _, err := Size(data); err != nil {
		return nil, err
	}
	defer func() { // one of the decoders might still panic on a damaged file
		if r := recover(); r != nil {
			img, err = nil, fmt.Errorf("%w: damaged: %v", ErrPicture, r)
		}
	}()
	img, format, err := image.Decode(bytes.NewReader(withTables(data)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPicture, err)
	}
	if b := img.Bounds(); b.Dx() < MinSide || b.Dy() < MinSide || b.Dx() > MaxSide || b.Dy() > MaxSide {
		return nil, fmt.Errorf("%w: its %s header promised another size than %d×%d", ErrPicture, format, b.Dx(), b.Dy())
	}
	return img, nil
}

// Size reads a picture's size from its header and says whether Decode would take it.
func Size(data []byte) (width, height int, err error) {
	defer func() {
		if r := recover(); r != nil {
			width, height, err = 0, 0, fmt.Errorf("%w: damaged header: %v", ErrPicture, r)
		}
	}()
	switch {
	case len(data) == 0:
		return 0, 0, fmt.Errorf("%w: it is empty", ErrPicture)
	case len(data) > MaxFile:
		return 0, 0, fmt.Errorf("%w: %d bytes; allowed are %d", ErrPicture, len(data), MaxFile)
	}
	c, format, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil:
		return 0, 0, fmt.Errorf("%w: %w", ErrPicture, err)
	case c.Width < MinSide || c.Height < MinSide || c.Width > MaxSide || c.Height > MaxSide:
		return 0, 0, fmt.Errorf("%w: %s of %d×%d pixels; each side may have %d…%d", ErrPicture, format, c.Width, c.Height, MinSide, MaxSide)
	case c.Width*c.Height > MaxPixels:
		return 0, 0, fmt.Errorf("%w: %s of %d×%d = %d pixels; allowed are %d", ErrPicture, format, c.Width, c.Height, c.Width*c.Height, MaxPixels)
	}
	return c.Width, c.Height, nil
}

// quality is that of pictures which are compressed here.
const quality = 90

// asFrame makes a frame of a file's content: a JPEG is taken as it is, anything else is compressed.
func asFrame(data []byte) (Frame, error) {
	w, h, err := Size(data)
	if err != nil {
		return Frame{}, err
	}
	if len(data) > 2 && data[0] == 0xff && data[1] == soi {
		return Frame{JPEG: withTables(data), Width: w, Height: h}, nil
	}
	img, err := Decode(data)
	if err != nil {
		return Frame{}, err
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
		return Frame{}, fmt.Errorf("%w: %w", ErrPicture, err)
	}
	return Frame{JPEG: b.Bytes(), Width: w, Height: h}, nil
}
