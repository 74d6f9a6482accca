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
	d := drawing{p: p, width: a.Width, points: a.Points}
	if len(a.Values) > 0 {
		d.value = a.Values[0]
	}
	shape, known := shapes[a.Kind]
	switch {
	case a.Kind == "text" && (len(a.Text) > maxDrawnText || d.value <= 0 || d.value > maxTextScale):
		return invalid("text of %d bytes, %g times its size: allowed %d bytes, and more than 0 to %d times", len(a.Text), d.value, maxDrawnText, maxTextScale)
	case !known || !shape.allows(&d):
		return invalid("kind: %.40q of %d points, width %d and radius %g: allowed line, rectangle, circle and text", a.Kind, len(a.Points)/2, a.Width, d.value)
	}
	if err := s.charge(int64(p.w) * int64(p.h)); err != nil {
		return err
	}
	d.text, d.colour = a.Text, colourOf(a.Colour, p.c)
	shape.draw(&d)
	return nil
}

// drawing is one shape on its way onto a picture.
type drawing struct {
	p      *picture
	points []int // x and y of one or two
	width  int   // of the line; -1: filled
	value  float64
	text   string
	colour [4]byte
}

var shapes = map[string]struct {
	allows func(*drawing) bool
	draw   func(*drawing)
}{
	"line":      {func(d *drawing) bool { return len(d.points) == 4 && d.width > 0 }, (*drawing).line},
	"rectangle": {func(d *drawing) bool { return len(d.points) == 4 }, (*drawing).rectangle},
	"circle":    {func(d *drawing) bool { return d.value >= 0 && d.value <= maxCoordinate }, (*drawing).circle},
	"text":      {func(*drawing) bool { return true }, (*drawing).letters},
}

func (d *drawing) set(x, y int) {
	if x >= 0 && y >= 0 && x < d.p.w && y < d.p.h {
		copy(d.p.at(x, y), d.colour[:d.p.c])
	}
}

// half is the distance from the middle of a line to its edge.
func (d *drawing) half() float64 { return max(float64(d.width)/2, 0.5) }

// corners are the upper left and the lower right one.
func (d *drawing) corners() (x0, y0, x1, y1 int) {
	x0, y0, x1, y1 = d.points[0], d.points[1], d.points[2], d.points[3]
	return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
}

func (d *drawing) line() {
	x0, y0, x1, y1 := d.corners()
	area(d.p, x0-d.width, y0-d.width, x1+d.width, y1+d.width, func(x, y int) {
		if toSegment(x, y, d.points) <= d.half() {
			d.set(x, y)
		}
	})
}

func (d *drawing) rectangle() {
	x0, y0, x1, y1 := d.corners()
	out, in := d.width/2, (d.width-1)/2
	if d.width == -1 {
		out, in = 0, maxCoordinate
	}
	area(d.p, x0-out, y0-out, x1+out, y1+out, func(x, y int) {
		if d.width == -1 || x <= x0+in || x >= x1-in || y <= y0+in || y >= y1-in {
			d.set(x, y)
		}
	})
}

func (d *drawing) circle() {
	x0, y0, r := d.points[0], d.points[1], int(d.value)+d.width+1
	area(d.p, x0-r, y0-r, x0+r, y0+r, func(x, y int) {
		away := math.Hypot(float64(x-x0), float64(y-y0))
		if d.width == -1 && away <= d.value+0.3 || d.width > 0 && math.Abs(away-d.value) <= d.half() {
			d.set(x, y)
		}
	})
}

func (d *drawing) letters() {
	drawText(d.text, d.value, func(x, y int) { d.set(d.points[0]+x, d.points[1]+y) })
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
