package vision

import (
	"time"

	"github.com/reachyd/reachyd/perception/scene"
)

// The picture is judged in squares of so many small pixels.
const cell = 10

const (
	changedBy    = 20                      // a pixel has changed by at least so much
	changedPart  = 15                      // percent of a square's pixels that make it moving
	leastMoving  = 2                       // squares
	mostMoving   = 60                      // percent of all squares: more is the light, or the head
	motionPause  = 1500 * time.Millisecond // pictures farther apart do not compare
	stillDegrees = 0.15                    // that the head may have turned between them
)

// motion compares a picture with the one before it. While the head moves everything moves: that is not told.
type motion struct {
	grey    []byte
	w, h    int
	at      time.Time
	s       sight
	moving  []bool
	visited []bool
}

func (m *motion) detect(p *picture, s *sight, at time.Time) []scene.Detection {
	var found []scene.Detection
	gap := at.Sub(m.at)
	turned := angleBetween(m.s.head.R.Apply(axis), s.head.R.Apply(axis))
	if m.w == p.GreyW && m.h == p.GreyH && gap > 0 && gap < motionPause && turned < stillDegrees {
		if d, ok := m.compare(p); ok && s.direct(&d) {
			found = append(found, d)
		}
	}
	m.grey = append(m.grey[:0], p.Grey...)
	m.w, m.h, m.at, m.s = p.GreyW, p.GreyH, at, *s
	return found
}

// axis is where the eye looks in the head's frame.
var axis = [3]float64{1, 0, 0}

// compare finds the largest connected area of squares that have changed.
func (m *motion) compare(p *picture) (scene.Detection, bool) {
	size := max(2, cell*p.Factor/p.GreyFactor)
	cw, ch := p.GreyW/size, p.GreyH/size
	m.moving, m.visited = make([]bool, cw*ch), make([]bool, cw*ch)
	total := 0
	for cy := range ch {
		for cx := range cw {
			n := 0
			for y := cy * size; y < (cy+1)*size; y++ {
				row := y * p.GreyW
				for x := cx * size; x < (cx+1)*size; x++ {
					if d := int(p.Grey[row+x]) - int(m.grey[row+x]); d > changedBy || d < -changedBy {
						n++
					}
				}
			}
			if 100*n >= changedPart*size*size {
				m.moving[cy*cw+cx] = true
				total++
			}
		}
	}
	if total < leastMoving || 100*total > mostMoving*cw*ch {
		return scene.Detection{}, false
	}
	best, most := scene.Box{}, 0
	for i := range m.moving {
		if b, n := m.area(i, cw, ch); n > most {
			best, most = b, n
		}
	}
	if most < leastMoving {
		return scene.Detection{}, false
	}
	k := size * p.GreyFactor
	return scene.Detection{
		Name: scene.Motion, By: scene.ByMotion, Score: min(0.99, 0.5+0.05*float64(most)),
		Box: scene.Box{X: best.X * k, Y: best.Y * k, W: best.W * k, H: best.H * k},
	}, true
}

// area follows the moving squares that are connected with one, and returns their box and number.
func (m *motion) area(start, cw, ch int) (scene.Box, int) {
	if !m.moving[start] || m.visited[start] {
		return scene.Box{}, 0
	}
	x0, y0, x1, y1 := cw, ch, 0, 0
	todo := []int{start}
	m.visited[start] = true
	n := 0
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		x, y := i%cw, i/cw
		x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x+1), max(y1, y+1)
		n++
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				nx, ny := x+dx, y+dy
				if nx < 0 || ny < 0 || nx >= cw || ny >= ch {
					continue
				}
				if j := ny*cw + nx; m.moving[j] && !m.visited[j] {
					m.visited[j] = true
					todo = append(todo, j)
				}
			}
		}
	}
	return scene.Box{X: x0, Y: y0, W: x1 - x0, H: y1 - y0}, n
}
