package perception

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
)

// Framer gives pictures of the camera, JPEG; *client.Client does.
type Framer interface {
	Frame(ctx context.Context) ([]byte, error)
}

// Camera decodes the camera's pictures for tools.
type Camera struct{ Frames Framer }

// maxPixels is the largest picture that is decoded.
const maxPixels = 16 << 20

// Frame returns the newest picture. It is an error when it is no JPEG or has more than 16 Mi pixels.
func (c Camera) Frame(ctx context.Context) (image.Image, error) {
	data, err := c.Frames.Frame(ctx)
	if err != nil {
		return nil, err
	}
	size, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the camera's picture: %w", err)
	}
	if size.Width*size.Height > maxPixels {
		return nil, fmt.Errorf("the camera's picture has %d×%d pixels; at most %d are allowed", size.Width, size.Height, maxPixels)
	}
	return jpeg.Decode(bytes.NewReader(data))
}
