package vision

import (
	"cmp"
	"slices"

	"github.com/reachyd/reachyd/perception/scene"
)

// colourWord names a colour.
func colourWord(r, g, b int) string {
	high, low := max(r, g, b), min(r, g, b)
	switch spread := high - low; {
	case high < 50:
		return "black"
	case 5*spread < high || spread < 18: // hardly any hue
		if high > 200 {
			return "white"
		}
		return "grey"
	}
	h := hue(r, g, b)
	switch {
	case h < 16 || h >= 335:
		if high > 180 && low > 100 {
			return "pink"
		}
		return "red"
	case h < 42:
		if high < 190 {
			return "brown"
		}
		return "orange"
	case h < 70:
		if high < 110 {
			return "brown"
		}
		return "yellow"
	case h < 165:
		return "green"
	case h < 195:
		return "turquoise"
	case h < 260:
		return "blue"
	case h < 300:
		return "purple"
	}
	return "pink"
}

// hue is the angle of a colour on the circle, 0…359: red is 0, green 120, blue 240.
func hue(r, g, b int) int {
	high, low := max(r, g, b), min(r, g, b)
	d := high - low
	if d == 0 {
		return 0
	}
	var h int
	switch high {
	case r:
		h = 60 * (g - b) / d
	case g:
		h = 120 + 60*(b-r)/d
	default:
		h = 240 + 60*(r-g)/d
	}
	return (h + 360) % 360
}

// count counts the colour words in a part of the small picture, every stepth pixel each way.
func (p *picture) count(x0, y0, x1, y1, step int) (words map[string]int, all int) {
	words = map[string]int{}
	for y := max(0, y0); y < min(p.H, y1); y += step {
		for x := max(0, x0); x < min(p.W, x1); x += step {
			o := 3 * (y*p.W + x)
			words[colourWord(int(p.RGB[o]), int(p.RGB[o+1]), int(p.RGB[o+2]))]++
			all++
		}
	}
	return words, all
}

// mainColours are the words for at most three colours that each fill an eighth of the picture.
func (p *picture) mainColours() []string {
	words, all := p.count(0, 0, p.W, p.H, 4)
	var names []string
	for w, n := range words {
		if 8*n >= all {
			names = append(names, w)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(words[b], words[a]), cmp.Compare(a, b))
	})
	return names[:min(3, len(names))]
}

// colourIn is the most frequent colour in the middle of a box.
func (p *picture) colourIn(b scene.Box) string {
	x0, y0, x1, y1 := b.X/p.Factor, b.Y/p.Factor, (b.X+b.W)/p.Factor, (b.Y+b.H)/p.Factor
	dx, dy := (x1-x0)/5, (y1-y0)/5
	words, _ := p.count(x0+dx, y0+dy, max(x0+dx+1, x1-dx), max(y0+dy+1, y1-dy), 1)
	best, most := "", 0
	for w, n := range words {
		if n > most || n == most && w < best {
			best, most = w, n
		}
	}
	return best
}
