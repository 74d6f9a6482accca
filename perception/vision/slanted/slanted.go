// Package slanted reads a QR code that is seen so much from the side that a reader who takes it for a parallelogram fails.
//
// Three corners of a code are marked, the fourth is not. It is searched for here: of all places where it could be, and of all sizes that the
// code could have, those are tried under which the parts that every code has (corner marks, their edges, the two dotted lines, the small mark
// near the fourth corner) lie where the picture has them.
package slanted

import (
	"cmp"
	"math"
	"slices"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/common"
	"github.com/makiuchi-d/gozxing/qrcode/decoder"
	"github.com/makiuchi-d/gozxing/qrcode/detector"
)

// Limits of the search.
const (
	farthest   = 0.6  // of the fourth corner from that of a parallelogram, in sides
	coarse     = 0.06 // steps of the search, in sides
	fine       = 0.01
	largest    = 57 // modules of a side, version 10
	leastRight = 0.8
	attempts   = 12 // candidates that are decoded

	mostMarks     = 6   // of two codes
	flattest      = 0.3 // sine of the angle between rows and columns
	mostStretched = 3.5
)

// Read reads one code in a picture of black and white. The points are the middles of its three corner marks.
func Read(bits *gozxing.BitMatrix) (text string, points []gozxing.ResultPoint, ok bool) {
	for _, c := range candidates(bits) {
		var all []guess
		for side := 21; side <= largest; side += 4 {
			if c.fits(side) {
				all = append(all, c.search(bits, fixed[side], side)...)
			}
		}
		slices.SortStableFunc(all, func(a, b guess) int { return cmp.Compare(b.right, a.right) })
		for _, g := range all[:min(len(all), attempts)] {
			modules, err := common.GridSampler_GetInstance().SampleGridWithTransform(bits, g.side, g.side, g.transform(g.side, g.a, g.b))
			if err != nil {
				continue
			}
			if found, err := decoder.NewDecoder().Decode(modules, nil); err == nil {
				return found.GetText(), []gozxing.ResultPoint{c.at[0], c.at[1], c.at[2]}, true
			}
		}
	}
	return "", nil, false
}

// candidates are the threes of marks that could be those of a code, each with each of them as the corner between the others: seen from
// the side, the longest distance need not be the diagonal.
func candidates(bits *gozxing.BitMatrix) (all []corners) {
	finder := detector.NewFinderPatternFinder(bits, nil)
	// Its choice of three goes wrong where noise looks like marks, so that only its finds count.
	_, _ = finder.Find(map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true})
	marks := slices.Clone(finder.GetPossibleCenters())
	marks = slices.DeleteFunc(marks, func(m *detector.FinderPattern) bool { return m.GetCount() < 2 })
	// A real mark is found in as many rows as its middle is high.
	slices.SortStableFunc(marks, func(a, b *detector.FinderPattern) int { return cmp.Compare(b.GetCount(), a.GetCount()) })
	marks = marks[:min(len(marks), mostMarks)]
	for i := range marks {
		for j := range i {
			for k := range j {
				three := [3]*detector.FinderPattern{marks[i], marks[j], marks[k]}
				for first := range three {
					c := corners{at: [3]*detector.FinderPattern{three[first], three[(first+1)%3], three[(first+2)%3]}}
					if c.turn() < 0 {
						c.at[1], c.at[2] = c.at[2], c.at[1]
					}
					if c.plausible() {
						all = append(all, c)
					}
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b corners) int { return cmp.Compare(b.count(), a.count()) })
	return all
}

// corners are marks: the corner between the other two, then along the rows, then along the columns.
type corners struct{ at [3]*detector.FinderPattern }

// sides are the vectors along the rows and the columns.
func (c *corners) sides() (ux, uy, vx, vy float64) {
	return c.at[1].GetX() - c.at[0].GetX(), c.at[1].GetY() - c.at[0].GetY(), c.at[2].GetX() - c.at[0].GetX(), c.at[2].GetY() - c.at[0].GetY()
}

// turn is the sine of the angle between rows and columns, below 0 when they are exchanged.
func (c *corners) turn() float64 {
	ux, uy, vx, vy := c.sides()
	return (ux*vy - uy*vx) / (math.Hypot(ux, uy) * math.Hypot(vx, vy))
}

func (c *corners) count() int { return c.at[0].GetCount() + c.at[1].GetCount() + c.at[2].GetCount() }

// plausible says whether a square can look so.
func (c *corners) plausible() bool {
	ux, uy, vx, vy := c.sides()
	a, b := math.Hypot(ux, uy), math.Hypot(vx, vy)
	small, big := math.Inf(1), 0.0
	for _, m := range c.at {
		small, big = min(small, m.GetEstimatedModuleSize()), max(big, m.GetEstimatedModuleSize())
	}
	return c.turn() > flattest && max(a, b) < mostStretched*min(a, b) && big < mostStretched*small
}

// fits says whether the marks can be those of a code with so many modules in a side.
func (c *corners) fits(side int) bool {
	ux, uy, vx, vy := c.sides()
	size := (c.at[0].GetEstimatedModuleSize() + c.at[1].GetEstimatedModuleSize() + c.at[2].GetEstimatedModuleSize()) / 3
	modules := max(math.Hypot(ux, uy), math.Hypot(vx, vy)) / size
	ratio := float64(side-7) / modules
	return ratio > 0.6 && ratio < 1.8
}

// transform maps modules to pixels when the fourth corner is so many sides beside that of a parallelogram.
func (c *corners) transform(side int, a, b float64) *common.PerspectiveTransform {
	const near = 3.5
	far := float64(side) - near
	ux, uy, vx, vy := c.sides()
	x0, y0 := c.at[0].GetX(), c.at[0].GetY()
	return common.PerspectiveTransform_QuadrilateralToQuadrilateral(near, near, far, near, far, far, near, far,
		x0, y0, x0+ux, y0+uy, x0+(1+a)*ux+(1+b)*vx, y0+(1+a)*uy+(1+b)*vy, x0+vx, y0+vy)
}

// guess is a size and a fourth corner, and which part of the fixed modules is right under them.
type guess struct {
	*corners
	side  int
	a, b  float64
	right float64
}

// search returns the best guesses of a size: the best of a coarse search, each improved.
func (c *corners) search(bits *gozxing.BitMatrix, modules []module, side int) []guess {
	points := make([]float64, 2*len(modules))
	try := func(a, b float64) guess {
		for i, m := range modules {
			points[2*i], points[2*i+1] = float64(m.x)+0.5, float64(m.y)+0.5
		}
		c.transform(side, a, b).TransformPoints(points)
		right := 0
		for i, m := range modules {
			x, y := int(points[2*i]), int(points[2*i+1])
			if x >= 0 && y >= 0 && x < bits.GetWidth() && y < bits.GetHeight() && bits.Get(x, y) == m.dark {
				right++
			}
		}
		return guess{c, side, a, b, float64(right) / float64(len(modules))}
	}
	var best []guess
	for a := -farthest; a <= farthest; a += coarse {
		for b := -farthest; b <= farthest; b += coarse {
			if g := try(a, b); g.right >= leastRight {
				best = append(best, g)
			}
		}
	}
	slices.SortStableFunc(best, func(a, b guess) int { return cmp.Compare(b.right, a.right) })
	best = best[:min(len(best), attempts/2)]
	for i, g := range best {
		for a := g.a - coarse; a <= g.a+coarse; a += fine {
			for b := g.b - coarse; b <= g.b+coarse; b += fine {
				if better := try(a, b); better.right > best[i].right {
					best[i] = better
				}
			}
		}
	}
	return best
}

// module is one that every code of a size has.
type module struct {
	x, y int
	dark bool
}

// fixed are these modules by the side of the code.
var fixed = func() map[int][]module {
	all := map[int][]module{}
	for side := 21; side <= largest; side += 4 {
		all[side] = fixedOf(side)
	}
	return all
}()

func fixedOf(side int) (all []module) {
	ring := func(x, y, cx, cy, size int) bool { // the mark around a middle: dark in the middle, then light, then dark, then light
		away := max(abs(x-cx), abs(y-cy))
		return away != size-1 && away != size+1
	}
	for _, at := range [][2]int{{3, 3}, {side - 4, 3}, {3, side - 4}} {
		for y := max(0, at[1]-4); y <= min(side-1, at[1]+4); y++ {
			for x := max(0, at[0]-4); x <= min(side-1, at[0]+4); x++ {
				all = append(all, module{x, y, ring(x, y, at[0], at[1], 3)})
			}
		}
	}
	for i := 8; i < side-8; i++ {
		all = append(all, module{i, 6, i%2 == 0}, module{6, i, i%2 == 0})
	}
	if side > 21 {
		for y := side - 9; y < side-4; y++ {
			for x := side - 9; x < side-4; x++ {
				all = append(all, module{x, y, max(abs(x-side+7), abs(y-side+7)) != 1})
			}
		}
	}
	return all
}

func abs(a int) int { return max(a, -a) }
