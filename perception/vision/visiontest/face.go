// Package visiontest paints what tests show to the robot's eyes.
package visiontest

import (
	"image"
	"image/color"
	"image/draw"
	"math"
)

// Oval paints an oval around a middle.
func Oval(img draw.Image, cx, cy, rx, ry float64, c color.RGBA) {
	for y := int(cy - ry); y <= int(cy+ry); y++ {
		dy := (float64(y) - cy) / ry
		if half := rx * math.Sqrt(max(0, 1-dy*dy)); half > 0 {
			left := int(math.Ceil(cx - half))
			draw.Draw(img, image.Rect(left, y, int(cx+half)+1, y+1), image.NewUniform(c), image.Point{}, draw.Src)
		}
	}
}

// Face paints a face of a width around a middle: light forehead, cheeks and nose, dark brows, eyes and mouth.
func Face(img draw.Image, cx, cy, w float64) {
	at := func(x, y, rx, ry float64, r, g, b uint8) {
		Oval(img, cx+x*w, cy+y*w, rx*w, ry*w, color.RGBA{r, g, b, 255})
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
