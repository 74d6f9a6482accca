package sdk

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"

	"github.com/reachyd/reachyd/hal/kinematics"
)

// Pictures that scripts get: this size, and the lens of the robot's own camera, whose calibration the SDK has under this name.
const (
	eyeWidth, eyeHeight = 1280, 720
	eyeName             = "wireless"
	// sensorWidth and sensorHeight are of the calibration.
	sensorWidth, sensorHeight = 3840, 2592
	// maxPixels is the largest picture that is unpacked.
	maxPixels = 16 << 20
)

// eyeCamera is how pixels and directions belong together in those pictures: the whole sensor, fit to their size.
func eyeCamera() kinematics.Camera {
	return kinematics.EyeCamera.Scaled(float64(eyeWidth)/sensorWidth, float64(eyeHeight)/sensorHeight, 1)
}

// lens makes pictures for scripts from those of the camera.
type lens struct {
	simulated bool // the camera is a pinhole, else the robot's own

	from image.Point // the size for which index is
	// index tells for each pixel which one of the camera's it is; −1 for none.
	index []int32
	bgr   []byte // of the camera's picture
}

// look unpacks a picture (JPEG) into out, eyeWidth × eyeHeight pixels of blue, green and red.
func (l *lens) look(data, out []byte) error {
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("the camera's picture: %w", err)
	}
	if config.Width*config.Height > maxPixels {
		return fmt.Errorf("the camera's picture has %d × %d pixels; allowed are %d together", config.Width, config.Height, maxPixels)
	}
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("the camera's picture: %w", err)
	}
	size := img.Bounds().Size()
	if size != l.from {
		l.from = size
		l.bgr = make([]byte, 3*size.X*size.Y)
		l.index = l.map32(size.X, size.Y)
	}
	unpack(img, l.bgr)
	for i, at := range l.index {
		if at < 0 {
			out[3*i], out[3*i+1], out[3*i+2] = 0, 0, 0
			continue
		}
		copy(out[3*i:3*i+3], l.bgr[3*at:3*at+3])
	}
	return nil
}

// unpack writes a picture as blue, green and red.
func unpack(img image.Image, out []byte) {
	b := img.Bounds()
	i := 0
	if y, ok := img.(*image.YCbCr); ok {
		for v := b.Min.Y; v < b.Max.Y; v++ {
			for u := b.Min.X; u < b.Max.X; u++ {
				c := y.COffset(u, v)
				out[i+2], out[i+1], out[i] = color.YCbCrToRGB(y.Y[y.YOffset(u, v)], y.Cb[c], y.Cr[c])
				i += 3
			}
		}
		return
	}
	for v := b.Min.Y; v < b.Max.Y; v++ {
		for u := b.Min.X; u < b.Max.X; u++ {
			r, g, bl, _ := img.At(u, v).RGBA()
			out[i], out[i+1], out[i+2] = byte(bl>>8), byte(g>>8), byte(r>>8)
			i += 3
		}
	}
}

// grid is the distance of the pixels for which the way of light is calculated; between them it is straight.
const grid = 16

// map32 tells which pixel of a picture of the camera each pixel of ours is.
func (l *lens) map32(width, height int) []int32 {
	source := l.source(width, height)
	const columns, rows = eyeWidth/grid + 1, eyeHeight/grid + 1
	var at [rows][columns][2]float64
	for r := range rows {
		for c := range columns {
			at[r][c] = source(float64(c*grid), float64(r*grid))
		}
	}
	index := make([]int32, eyeWidth*eyeHeight)
	for v := range eyeHeight {
		r, y := v/grid, (float64(v%grid)+0.5)/grid
		for u := range eyeWidth {
			c, x := u/grid, (float64(u%grid)+0.5)/grid
			mix := func(i int) float64 {
				return (at[r][c][i]*(1-x)+at[r][c+1][i]*x)*(1-y) + (at[r+1][c][i]*(1-x)+at[r+1][c+1][i]*x)*y
			}
			px, py := math.Floor(mix(0)), math.Floor(mix(1))
			index[v*eyeWidth+u] = -1
			if px >= 0 && py >= 0 && px < float64(width) && py < float64(height) { // not what is no number
				index[v*eyeWidth+u] = int32(py)*int32(width) + int32(px)
			}
		}
	}
	return index
}

// source returns the point of the camera's picture that is seen at a point of ours.
func (l *lens) source(width, height int) func(u, v float64) [2]float64 {
	if !l.simulated { // the same lens
		return func(u, v float64) [2]float64 {
			return [2]float64{u * float64(width) / eyeWidth, v * float64(height) / eyeHeight}
		}
	}
	ours, f := eyeCamera(), kinematics.SimEyeFocal(height)
	pinhole := kinematics.Camera{FocalX: f, FocalY: f, CenterX: float64(width) / 2, CenterY: float64(height) / 2}
	return func(u, v float64) [2]float64 {
		ray, err := kinematics.PixelRay(u, v, &ours)
		if err != nil {
			return [2]float64{math.NaN(), math.NaN()}
		}
		x, y, err := pinhole.Pixel(ray)
		if err != nil {
			return [2]float64{math.NaN(), math.NaN()}
		}
		return [2]float64{x, y}
	}
}
