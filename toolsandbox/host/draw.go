package host

import (
	"image"
	"image/color"
	"math"

	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// grey lets the scalers of x/image write into a picture of one channel.
type grey struct{ p *picture }

func (g *grey) ColorModel() color.Model { return color.GrayModel }
func (g *grey) Bounds() image.Rectangle { return image.Rect(0, 0, g.p.w, g.p.h) }
func (g *grey) At(x, y int) color.Color { return color.Gray{g.p.pix[y*g.p.w+x]} }
func (g *grey) Set(x, y int, c color.Color) {
	if image.Pt(x, y).In(g.Bounds()) {
		g.p.pix[y*g.p.w+x] = color.GrayModel.Convert(c).(color.Gray).Y
	}
}

var _ xdraw.Image = (*grey)(nil)

// The bounds of what is drawn.
const (
	maxCoordinate = 1 << 15
	maxLineWidth  = 255
	maxDrawnText  = 200
	maxTextScale  = 10
)

// draw puts a shape on a picture: a line or rectangle between two Points, a circle around the first with radius
// Values[0], or Text whose lower left corner is the first point, Values[0] times its usual size.
func (s *images) draw(p *picture, a *imageArgs) error {
	if len(a.Points) != 2 && len(a.Points) != 4 {
		return invalid("points: %d numbers, allowed 2 or 4", len(a.Points))
	}
	for _, v := range a.Points {
		if v < -maxCoordinate || v > maxCoordinate {
			return invalid("points: %d, allowed %d to %d", v, -maxCoordinate, maxCoordinate)
		}
	}
	if a.Width != -1 && (a.Width < 1 || a.Width > maxLineWidth) {
		return invalid("width: %d, allowed 1 to %d, or -1 to fill", a.Width, maxLineWidth)
	}
	if err := s.charge(int64(p.w) * int64(p.h)); err != nil {
		return err
	}
	value := 0.0
	if len(a.Values) > 0 {
		value = a.Values[0]
	}
	colour := colourOf(a.Colour, p.c)
	set := func(x, y int) {
		if x >= 0 && y >= 0 && x < p.w && y < p.h {
			copy(p.at(x, y), colour[:p.c])
		}
	}
	x0, y0 := a.Points[0], a.Points[1]
	half := float64(a.Width) / 2
	switch {
	case a.Kind == "line" && len(a.Points) == 4 && a.Width > 0:
		area(p, min(x0, a.Points[2])-a.Width, min(y0, a.Points[3])-a.Width, max(x0, a.Points[2])+a.Width, max(y0, a.Points[3])+a.Width, func(x, y int) {
			if toSegment(x, y, a.Points) <= max(half, 0.5) {
				set(x, y)
			}
		})
	case a.Kind == "rectangle" && len(a.Points) == 4:
		x1, y1 := max(x0, a.Points[2]), max(y0, a.Points[3])
		x0, y0 = min(x0, a.Points[2]), min(y0, a.Points[3])
		out, in := a.Width/2, (a.Width-1)/2
		if a.Width == -1 {
			out, in = 0, maxCoordinate
		}
		area(p, x0-out, y0-out, x1+out, y1+out, func(x, y int) {
			if a.Width == -1 || x <= x0+in || x >= x1-in || y <= y0+in || y >= y1-in {
				set(x, y)
			}
		})
	case a.Kind == "circle" && value >= 0 && value <= maxCoordinate:
		r := int(value) + a.Width + 1
		area(p, x0-r, y0-r, x0+r, y0+r, func(x, y int) {
			d := math.Hypot(float64(x-x0), float64(y-y0))
			if a.Width == -1 && d <= value+0.3 || a.Width > 0 && math.Abs(d-value) <= max(half, 0.5) {
				set(x, y)
			}
		})
	case a.Kind == "text" && len(a.Text) <= maxDrawnText && value > 0 && value <= maxTextScale:
		drawText(a.Text, value, func(x, y int) { set(x0+x, y0+y) })
	case a.Kind == "text":
		return invalid("text of %d bytes, %g times its size: allowed %d bytes, and more than 0 to %d times", len(a.Text), value, maxDrawnText, maxTextScale)
	default:
		return invalid("kind: %.40q of %d points, width %d and radius %g: allowed line, rectangle, circle and text", a.Kind, len(a.Points)/2, a.Width, value)
	}
	return nil
}

// area visits the pixels of a rectangle that are on the picture.
func area(p *picture, x0, y0, x1, y1 int, visit func(x, y int)) {
	for y := max(y0, 0); y <= min(y1, p.h-1); y++ {
		for x := max(x0, 0); x <= min(x1, p.w-1); x++ {
			visit(x, y)
		}
	}
}

// toSegment is the distance from a pixel to a line between two points.
func toSegment(x, y int, points []int) float64 {
	px, py := float64(x-points[0]), float64(y-points[1])
	dx, dy := float64(points[2]-points[0]), float64(points[3]-points[1])
	t := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		t = max(0, min(1, (px*dx+py*dy)/length))
	}
	return math.Hypot(px-t*dx, py-t*dy)
}

// usualHeight is how high letters of OpenCV's font are at scale 1; ours are 13 pixels.
const usualHeight = 22.0 / 13

// drawText visits the pixels of a text, relative to its lower left corner.
func drawText(text string, scale float64, visit func(x, y int)) {
	face := basicfont.Face7x13
	w, h := face.Width*len([]rune(text)), face.Height
	mask := image.NewGray(image.Rect(0, 0, w, h))
	d := font.Drawer{Dst: mask, Src: image.White, Face: face, Dot: fixed.P(0, face.Ascent)}
	d.DrawString(text)
	scale *= usualHeight
	for y := range int(float64(h) * scale) {
		for x := range int(float64(w) * scale) {
			if mask.GrayAt(int(float64(x)/scale), int(float64(y)/scale)).Y > 127 {
				visit(x, y-int(float64(face.Ascent)*scale))
			}
		}
	}
}
