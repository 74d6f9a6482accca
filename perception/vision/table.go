package vision

import (
	"cmp"
	"math"
	"slices"

	"github.com/reachyd/reachyd/perception/scene"
)

// table finds the three things of the simulated table by their colour, and believes it when their shape and, where the
// head's pose is known, their size on the table fit. It is made for that table and for nothing else: a tomato is an
// apple to it. It needs no file and some 2 ms.
type table struct {
	kind   []kind
	label  []int32
	parent []int32
}

// kind is what a pixel's colour may belong to.
type kind uint8

const (
	nothing kind = iota
	red
	brown
	yellow
)

// colourOf tells kinds apart by ratios of the channels, which shadow does not change and a lamp's light not much. On the
// line green − 1.5·blue, wood is below 0.16 of red, the crust between 0.29 and 0.39, the duck above 0.6.
func colourOf(r, g, b int) kind {
	const least = 26 // darker pixels have no colour to speak of
	if r < least || g > r+r/16 || b > r {
		return nothing
	}
	line := 100*g - 150*b
	switch {
	case 100*g < 34*r && 100*b < 42*r:
		return red
	case line > 48*r:
		return yellow
	case line > 22*r && 100*g > 36*r:
		return brown
	}
	return nothing
}

// thing is what is known about one of the three.
type thing struct {
	name    string
	colour  kind
	word    string     // for its colour
	middle  float64    // height of what is seen over the table, m
	width   [2]float64 // as seen from any side, m
	aspect  [2]float64 // width over height of the box
	fill    float64    // least part of the box that has the colour
	absorbs kind       // parts of it that look like another one
}

var things = [...]thing{
	{name: scene.Apple, colour: red, word: "red", middle: 0.033, width: [2]float64{0.062, 0.088}, aspect: [2]float64{0.85, 1.35}, fill: 0.62},
	{
		name: scene.Croissant, colour: brown, word: "brown", middle: 0.022, width: [2]float64{0.045, 0.135}, aspect: [2]float64{0.8, 3.2}, fill: 0.38,
		absorbs: yellow,
	},
	{name: scene.Duck, colour: yellow, word: "yellow", middle: 0.040, width: [2]float64{0.060, 0.125}, aspect: [2]float64{0.55, 1.75}, fill: 0.42, absorbs: brown},
}

// blob is an area of one kind; the box is in pixels of the small picture, its ends are outside.
type blob struct {
	kind           kind
	x0, y0, x1, y1 int
	area           int
	sx, sy         int // sums of coordinates
}

const (
	leastArea = 16   // pixels of the small picture
	leastSure = 0.45 // what is less sure is not told
)

func (t *table) detect(p *picture, s *sight) []scene.Detection {
	blobs := join(t.blobs(p))
	var found []scene.Detection
	for _, b := range blobs {
		for i := range things {
			if things[i].colour == b.kind {
				if d, ok := judge(&things[i], &b, p, s); ok {
					found = append(found, d)
				}
			}
		}
	}
	return found
}

// blobs returns the connected areas of each kind.
func (t *table) blobs(p *picture) []blob {
	n := p.W * p.H
	if cap(t.kind) < n {
		t.kind, t.label = make([]kind, n), make([]int32, n)
	}
	t.kind, t.label = t.kind[:n], t.label[:n]
	t.parent = append(t.parent[:0], 0)
	for i := range n {
		c := p.RGB[3*i : 3*i+3 : 3*i+3]
		t.kind[i] = colourOf(int(c[0]), int(c[1]), int(c[2]))
	}
	for y := range p.H {
		for x := range p.W {
			t.join(x, y, p.W)
		}
	}
	var all []blob
	index := make([]int32, len(t.parent)) // of a root's blob, plus one
	for y := range p.H {
		for x := range p.W {
			i := y*p.W + x
			if t.kind[i] == nothing {
				continue
			}
			root := t.root(t.label[i])
			if index[root] == 0 {
				all = append(all, blob{kind: t.kind[i], x0: x, y0: y, x1: x + 1, y1: y + 1})
				index[root] = int32(len(all))
			}
			b := &all[index[root]-1]
			b.x0, b.x1, b.y1 = min(b.x0, x), max(b.x1, x+1), y+1
			b.area++
			b.sx += x
			b.sy += y
		}
	}
	return slices.DeleteFunc(all, func(b blob) bool { return b.area < leastArea/2 })
}

// join gives a pixel the label of a neighbour of its kind that came before it, or a new one.
func (t *table) join(x, y, w int) {
	i := y*w + x
	t.label[i] = 0
	k := t.kind[i]
	if k == nothing {
		return
	}
	for _, n := range [...][2]int{{x - 1, y}, {x - 1, y - 1}, {x, y - 1}, {x + 1, y - 1}} {
		if n[0] < 0 || n[0] >= w || n[1] < 0 || t.kind[n[1]*w+n[0]] != k {
			continue
		}
		other := t.root(t.label[n[1]*w+n[0]])
		if t.label[i] == 0 {
			t.label[i] = other
		} else if mine := t.root(t.label[i]); mine != other {
			t.parent[max(mine, other)] = min(mine, other)
		}
	}
	if t.label[i] == 0 {
		t.label[i] = int32(len(t.parent))
		t.parent = append(t.parent, t.label[i])
	}
}

func (t *table) root(l int32) int32 {
	for t.parent[l] != l {
		t.parent[l] = t.parent[t.parent[l]]
		l = t.parent[l]
	}
	return l
}

// join unites parts of the same thing: of one kind when hardly anything is between them, and small parts of a kind
// that the thing has too (the duck's beak is as brown as the croissant).
func join(all []blob) []blob {
	slices.SortFunc(all, func(a, b blob) int { return cmp.Compare(b.area, a.area) })
	for again := true; again; {
		again = false
		for i := 0; i < len(all); i++ {
			for j := i + 1; j < len(all); j++ {
				if touching(&all[i], &all[j]) && together(&all[i], &all[j]) {
					all[i].add(&all[j])
					all = slices.Delete(all, j, j+1)
					again, j = true, j-1
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(b blob) bool { return b.area < leastArea })
}

func touching(a, b *blob) bool {
	const gap = 2
	return a.x0-gap < b.x1 && b.x0-gap < a.x1 && a.y0-gap < b.y1 && b.y0-gap < a.y1
}

// together says whether a small blob belongs to a larger one.
func together(large, small *blob) bool {
	if large.kind == small.kind {
		return true
	}
	for _, t := range things {
		if t.colour == large.kind && t.absorbs == small.kind {
			in := shared(large, small)
			return 32*small.area < large.area || 10*small.area < large.area && in > 0.3 || 4*small.area < large.area && in > 0.7
		}
	}
	return false
}

// shared is the part of the small one's box that is within the large one's.
func shared(large, small *blob) float64 {
	w := min(large.x1, small.x1) - max(large.x0, small.x0)
	h := min(large.y1, small.y1) - max(large.y0, small.y0)
	return float64(max(0, w)*max(0, h)) / float64((small.x1-small.x0)*(small.y1-small.y0))
}

func (b *blob) add(o *blob) {
	b.x0, b.y0, b.x1, b.y1 = min(b.x0, o.x0), min(b.y0, o.y0), max(b.x1, o.x1), max(b.y1, o.y1)
	b.area += o.area
	b.sx += o.sx
	b.sy += o.sy
}

// judge says how much a blob is like the thing of its colour.
func judge(t *thing, b *blob, p *picture, s *sight) (scene.Detection, bool) {
	w, h := b.x1-b.x0, b.y1-b.y0
	k := p.Factor
	d := scene.Detection{
		Name: t.name, By: scene.ByShape, Colour: t.word,
		Box: scene.Box{X: b.x0 * k, Y: b.y0 * k, W: min(w*k, p.Width-b.x0*k), H: min(h*k, p.Height-b.y0*k)},
	}
	if !s.direct(&d) {
		return d, false
	}
	across, down, ok := s.extent(d.Box)
	if !ok {
		return d, false
	}
	cut := b.x0 == 0 || b.y0 == 0 || b.x1 == p.W || b.y1 == p.H // what is out of the picture has no shape
	sure := 0.97 * (1 - math.Exp(-float64(b.area)/30))
	sure *= within(float64(b.area)/float64(w*h), t.fill, 1)
	if cut {
		sure *= 0.85
	} else {
		sure *= within(across/down, t.aspect[0], t.aspect[1])
	}
	u, v := d.Box.Center()
	if place, distance, ok := s.onTable(u, v, t.middle); ok {
		d.Place = &place
		least := t.width[0]
		if cut {
			least = 0
		}
		sure *= within(2*distance*math.Tan(across/2), least, t.width[1])
	} else if s.measured {
		sure *= 0.4 // in the air, or far away
	}
	d.Score = sure
	return d, sure >= leastSure
}

// within is 1 in a range and falls to 0 at half the lower and one and a half times the upper end.
func within(x, least, most float64) float64 {
	switch {
	case x < least:
		return max(0, 2*x/least-1)
	case x > most:
		return max(0, 3-2*x/most)
	}
	return 1
}
