// Package recognize tells faces apart by what their skin, eyes and mouths look like at a small scale: by histograms of local binary
// patterns in the cells of a grid over the face (T. Ojala, M. Pietikäinen, T. Mäenpää: Multiresolution gray-scale and rotation invariant
// texture classification with local binary patterns, 2002; T. Ahonen, A. Hadid, M. Pietikäinen: Face description with local binary
// patterns, 2006). It needs no model file, and a picture cannot be made of a descriptor.
package recognize

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/reachyd/reachyd/perception/scene"
)

const (
	cells   = 7  // of the grid, each way
	cell    = 12 // pixels of a cell, each way
	side    = cells * cell
	radius  = 2  // pixels from a point to the neighbours with which it is compared
	labels  = 59 // 58 uniform patterns, and one for all others
	perFace = cells * cells * labels
)

// Size is the length of a descriptor, bytes: what it was cut out by, and the histograms.
const Size = 1 + perFace

// Descriptor is what is kept of a face.
type Descriptor []byte

// How a face was cut out: descriptors of different kinds do not compare.
const (
	byBox  = 'b'
	byEyes = 'e'
)

// ErrDescriptor is wrapped by the error for what is no descriptor.
var ErrDescriptor = errors.New("this is no descriptor of a face")

// Check says whether a descriptor that came from elsewhere is one.
func (d Descriptor) Check() error {
	if len(d) != Size || d[0] != byBox && d[0] != byEyes {
		return fmt.Errorf("%w: %d bytes, want %d", ErrDescriptor, len(d), Size)
	}
	return nil
}

// Grey is a grey picture, a byte a pixel.
type Grey struct {
	Pix  []byte
	W, H int
}

// Region is where a face is in a picture, pixels: the box of a detector, or, which is better, both eyes.
type Region struct {
	X, Y, W, H float64
	Eyes       *[2][2]float64 // the one on the left of the picture first
}

// Where the eyes are in the piece that is cut out, parts of its side.
const (
	eyeLeft  = 0.28
	eyeLevel = 0.35
)

// Describe returns the descriptor of a face.
func Describe(g Grey, r Region) (Descriptor, error) {
	if g.W < 2 || g.H < 2 || len(g.Pix) < g.W*g.H {
		return nil, fmt.Errorf("a picture of %d×%d in %d bytes", g.W, g.H, len(g.Pix))
	}
	d := make(Descriptor, Size)
	// a point (x, y) of the piece is at (x0+ax·x−ay·y, y0+ay·x+ax·y) of the picture
	x0, y0, ax, ay := r.X, r.Y, r.W/side, 0.0
	d[0] = byBox
	if e := r.Eyes; e != nil {
		d[0] = byEyes
		const apart = (1 - 2*eyeLeft) * side
		ax, ay = (e[1][0]-e[0][0])/apart, (e[1][1]-e[0][1])/apart
		const ex, ey = eyeLeft * side, eyeLevel * side
		x0, y0 = e[0][0]-ax*ex+ay*ey, e[0][1]-ay*ex-ax*ey
	}
	scale := math.Hypot(ax, ay)
	if !(scale*side >= MinSide && scale*side <= float64(2*max(g.W, g.H))) {
		return nil, fmt.Errorf("a face %.0f pixels wide; at least %d are needed", scale*side, MinSide)
	}
	const n = side + 2*radius // with a border in which the neighbours are
	var piece [n * n]float64
	for y := range n {
		for x := range n {
			px, py := float64(x-radius)+0.5, float64(y-radius)+0.5
			piece[y*n+x] = g.mean(x0+ax*px-ay*py-0.5, y0+ay*px+ax*py-0.5, scale)
		}
	}
	for y := range side {
		for x := range side {
			d[1+(y/cell*cells+x/cell)*labels+int(uniform[pattern(piece[:], n, x+radius, y+radius)])]++ // at most 144
		}
	}
	return d, nil
}

// MinSide is the width of the smallest face that is described, pixels: below it there is nothing to tell faces apart by.
const MinSide = 40

// mean is the brightness about a point, over as many pixels as one of the piece is wide; beyond the edge it is that of the edge.
func (g Grey) mean(x, y, scale float64) float64 {
	n := max(1, int(scale+0.5))
	sum := 0.0
	for i := range n * n {
		dx, dy := (float64(i%n)+0.5)/float64(n)-0.5, (float64(i/n)+0.5)/float64(n)-0.5
		sum += g.at(x+dx*scale, y+dy*scale)
	}
	return sum / float64(n*n)
}

// At is the brightness between four pixels; beyond the edge it is that of the edge.
func (g Grey) At(x, y float64) byte { return byte(g.at(x, y) + 0.5) }

func (g Grey) at(x, y float64) float64 {
	x, y = max(0, min(float64(g.W-1), x)), max(0, min(float64(g.H-1), y))
	ix, iy := min(int(x), g.W-2), min(int(y), g.H-2)
	fx, fy := x-float64(ix), y-float64(iy)
	o := iy*g.W + ix
	top := float64(g.Pix[o])*(1-fx) + float64(g.Pix[o+1])*fx
	bottom := float64(g.Pix[o+g.W])*(1-fx) + float64(g.Pix[o+g.W+1])*fx
	return top*(1-fy) + bottom*fy
}

// around are the eight neighbours, on a square in place of the circle of the paper: nothing need be interpolated.
var around = [8][2]int{{-radius, -radius}, {0, -radius}, {radius, -radius}, {radius, 0}, {radius, radius}, {0, radius}, {-radius, radius}, {-radius, 0}}

// pattern has a bit for each neighbour that is at least as bright as the point.
func pattern(piece []float64, n, x, y int) (p byte) {
	middle := piece[y*n+x]
	for i, a := range around {
		if piece[(y+a[1])*n+x+a[0]] >= middle {
			p |= 1 << i
		}
	}
	return p
}

// uniform is the label of a pattern: those that change at most twice on the way round have their own.
var uniform = func() (all [256]byte) {
	next := byte(0)
	for p := range all {
		if bits.OnesCount8(byte(p)^bits.RotateLeft8(byte(p), 1)) <= 2 {
			all[p] = next
			next++
		} else {
			all[p] = labels - 1
		}
	}
	return all
}()

// Distance is how much two faces differ, 0…1: chi-square of the histograms, a mean over the cells. It is 1 for what does not compare.
func Distance(a, b Descriptor) float64 {
	if a.Check() != nil || b.Check() != nil || a[0] != b[0] {
		return 1
	}
	sum := 0.0
	for i := 1; i < Size; i++ {
		if both := int(a[i]) + int(b[i]); both > 0 {
			off := int(a[i]) - int(b[i])
			sum += float64(off*off) / float64(both)
		}
	}
	return sum / (2 * side * side)
}

// Portrait is a face in a picture; Descriptor is empty for one too small to be told from others.
type Portrait struct {
	Box        scene.Box  `json:"box"`
	Descriptor Descriptor `json:"descriptor,omitempty"`
}

// Person is somebody with the samples of their face.
type Person struct {
	Name    string
	Samples []Descriptor
}

// How sure a name is. The limits were chosen on one half of the people of TestRealFacesAreToldApart, and tried on the other.
const (
	near    = 0.28 // a face that is further away from all samples is a stranger's
	certain = 0.25 // up to here it is the person's,
	apartBy = 1.12 // where the next best person is more than so many times as far away
	nobody  = 1.0  // the distance of nobody
)

// Verdict says whose a face is.
type Verdict struct {
	Name     string  `json:"name,omitempty"` // of the nearest; empty: nobody is near
	Sure     bool    `json:"sure"`
	Distance float64 `json:"distance"` // 0…1 from the nearest sample
}

// Who says whose a face is: that of the nearest sample, for certain only where it is near and everybody else is clearly further away.
func Who(d Descriptor, people []Person) Verdict {
	v, second := Verdict{Distance: nobody}, nobody
	for _, p := range people {
		best := nobody
		for _, s := range p.Samples {
			best = min(best, Distance(d, s))
		}
		if best < v.Distance {
			v.Name, v.Distance, second = p.Name, best, v.Distance
		} else {
			second = min(second, best)
		}
	}
	if v.Distance > near {
		v.Name = ""
		return v
	}
	v.Sure = v.Distance <= certain && second > apartBy*v.Distance
	return v
}
