package host

import (
	"image"
	"math"
	"slices"

	"golang.org/x/image/draw"
)

// operations make a new picture of an old one.
var operations = map[string]func(s *images, p *picture, a *imageArgs) (*picture, error){
	"copy":      copyOf,
	"crop":      crop,
	"resize":    resize,
	"flip":      flip,
	"rotate":    rotate,
	"convert":   convert,
	"in_range":  inRange,
	"blur":      blur,
	"absdiff":   absdiff,
	"threshold": threshold,
	"bitwise":   bitwise,
	"blend":     blend,
}

func copyOf(s *images, p *picture, _ *imageArgs) (*picture, error) {
	q, err := s.make(p.w, p.h, p.c)
	if err != nil {
		return nil, err
	}
	copy(q.pix, p.pix)
	return q, nil
}

func crop(s *images, p *picture, a *imageArgs) (*picture, error) {
	if a.X < 0 || a.Y < 0 || a.W < 1 || a.H < 1 || a.W > p.w || a.H > p.h || a.X > p.w-a.W || a.Y > p.h-a.H {
		return nil, invalid("crop of %d x %d at %d, %d: allowed within %d x %d", a.W, a.H, a.X, a.Y, p.w, p.h)
	}
	q, err := s.make(a.W, a.H, p.c)
	if err != nil {
		return nil, err
	}
	for y := range a.H {
		i := ((a.Y+y)*p.w + a.X) * p.c
		copy(q.pix[y*a.W*p.c:(y+1)*a.W*p.c], p.pix[i:])
	}
	return q, nil
}

// interpolators are the ways to resize, by name. Area is what shrinking without aliasing takes.
var interpolators = map[string]draw.Interpolator{
	"nearest": draw.NearestNeighbor,
	"linear":  draw.BiLinear,
	"area":    draw.BiLinear,
	"cubic":   draw.CatmullRom,
}

func resize(s *images, p *picture, a *imageArgs) (*picture, error) {
	how, ok := interpolators[a.Kind]
	if !ok {
		return nil, invalid("kind: %.40q, allowed nearest, linear, area and cubic", a.Kind)
	}
	q, err := s.make(a.W, a.H, p.c)
	if err != nil {
		return nil, err
	}
	if err := s.charge(4 * (int64(p.w)*int64(p.h) + int64(q.w)*int64(p.h))); err != nil {
		return nil, err
	}
	target, source := image.Rect(0, 0, q.w, q.h), image.Rect(0, 0, p.w, p.h)
	if p.c == 1 {
		how.Scale(&grey{q}, target, &image.Gray{Pix: p.pix, Stride: p.w, Rect: source}, source, draw.Src, nil)
		return q, nil
	}
	// Colours are resized without regard to transparency, as OpenCV does.
	out := image.NewRGBA(target)
	in := image.NewRGBA(source)
	for i, j := 0, 0; i < len(p.pix); i, j = i+p.c, j+4 {
		copy(in.Pix[j:j+3], p.pix[i:i+3])
		in.Pix[j+3] = 255
	}
	how.Scale(out, target, in, source, draw.Src, nil)
	for i, j := 0, 0; i < len(q.pix); i, j = i+q.c, j+4 {
		copy(q.pix[i:i+3], out.Pix[j:j+3])
	}
	if p.c == 4 {
		resizeAlpha(q, p, how)
	}
	return q, nil
}

func resizeAlpha(q, p *picture, how draw.Interpolator) {
	in := &picture{p.w, p.h, 1, make([]byte, p.w*p.h)}
	for i := range in.pix {
		in.pix[i] = p.pix[4*i+3]
	}
	out := &picture{q.w, q.h, 1, make([]byte, q.w*q.h)}
	how.Scale(&grey{out}, image.Rect(0, 0, q.w, q.h), &image.Gray{Pix: in.pix, Stride: p.w, Rect: image.Rect(0, 0, p.w, p.h)}, image.Rect(0, 0, p.w, p.h),
		draw.Src, nil)
	for i, v := range out.pix {
		q.pix[4*i+3] = v
	}
}

func flip(s *images, p *picture, a *imageArgs) (*picture, error) {
	horizontal, vertical := a.Kind == "horizontal" || a.Kind == "both", a.Kind == "vertical" || a.Kind == "both"
	if !horizontal && !vertical {
		return nil, invalid("kind: %.40q, allowed horizontal, vertical and both", a.Kind)
	}
	q, err := s.make(p.w, p.h, p.c)
	if err != nil {
		return nil, err
	}
	for y := range p.h {
		for x := range p.w {
			fx, fy := x, y
			if horizontal {
				fx = p.w - 1 - x
			}
			if vertical {
				fy = p.h - 1 - y
			}
			copy(q.at(fx, fy), p.at(x, y))
		}
	}
	return q, nil
}

// rotate turns counterclockwise by quarter turns, Values[0] of them.
func rotate(s *images, p *picture, a *imageArgs) (*picture, error) {
	if len(a.Values) != 1 || a.Values[0] != 1 && a.Values[0] != 2 && a.Values[0] != 3 {
		return nil, invalid("values: %v, allowed 1, 2 or 3 quarter turns", a.Values)
	}
	turns := int(a.Values[0])
	w, h := p.w, p.h
	if turns != 2 {
		w, h = h, w
	}
	q, err := s.make(w, h, p.c)
	if err != nil {
		return nil, err
	}
	for y := range p.h {
		for x := range p.w {
			switch turns {
			case 1:
				copy(q.at(y, p.w-1-x), p.at(x, y))
			case 2:
				copy(q.at(p.w-1-x, p.h-1-y), p.at(x, y))
			case 3:
				copy(q.at(p.h-1-y, x), p.at(x, y))
			}
		}
	}
	return q, nil
}

// convert changes the meaning of pixels: Kind is the target, Order that of the source.
func convert(s *images, p *picture, a *imageArgs) (*picture, error) {
	if err := checkOrder(a.Order); err != nil {
		return nil, err
	}
	from := map[int]string{1: "gray", 3: "rgb", 4: "rgba"}[p.c]
	if a.Text == "hsv" {
		from = "hsv"
	}
	c := 3
	var per func(in, out []byte)
	red, blue := 0, 2
	if a.Order == orderBGR {
		red, blue = 2, 0
	}
	switch {
	case a.Kind == "swap" && p.c >= 3:
		c, per = p.c, func(in, out []byte) { copy(out, in); out[0], out[2] = in[2], in[0] }
	case a.Kind == "gray" && p.c >= 3 && from != "hsv":
		c, per = 1, func(in, out []byte) {
			out[0] = byte((4899*uint32(in[red]) + 9617*uint32(in[1]) + 1868*uint32(in[blue]) + 8192) >> 14)
		}
	case a.Kind == "rgb" && from == "gray":
		per = func(in, out []byte) { out[0], out[1], out[2] = in[0], in[0], in[0] }
	case a.Kind == "rgb" && from == "rgba":
		per = func(in, out []byte) { copy(out, in[:3]) }
	case a.Kind == "rgba" && from == "rgb":
		c, per = 4, func(in, out []byte) { copy(out, in); out[3] = 255 }
	case a.Kind == "hsv" && from == "rgb":
		per = func(in, out []byte) { out[0], out[1], out[2] = toHSV(in[red], in[1], in[blue]) }
	case a.Kind == "rgb" && from == "hsv" && p.c == 3:
		per = func(in, out []byte) { out[red], out[1], out[blue] = fromHSV(in[0], in[1], in[2]) }
	default:
		return nil, invalid("kind: %.40q cannot be made of %s; allowed are swap, gray, rgb, rgba and hsv", a.Kind, from)
	}
	q, err := s.make(p.w, p.h, c)
	if err != nil {
		return nil, err
	}
	for i, j := 0, 0; i < len(p.pix); i, j = i+p.c, j+c {
		per(p.pix[i:i+p.c:i+p.c], q.pix[j:j+c:j+c])
	}
	return q, nil
}

// toHSV gives hue in 0…179 (units of 2°), saturation and value in 0…255, as OpenCV does for bytes.
func toHSV(r, g, b byte) (h, s, v byte) {
	hi, lo := max(r, g, b), min(r, g, b)
	if hi == 0 || hi == lo {
		return 0, 0, hi
	}
	d := float64(hi) - float64(lo)
	var deg float64
	switch hi {
	case r:
		deg = 60 * (float64(g) - float64(b)) / d
	case g:
		deg = 120 + 60*(float64(b)-float64(r))/d
	default:
		deg = 240 + 60*(float64(r)-float64(g))/d
	}
	if deg < 0 {
		deg += 360
	}
	return byte(int(math.Round(deg/2)) % 180), clampByte(255 * d / float64(hi)), hi
}

func fromHSV(h, s, v byte) (r, g, b byte) {
	sector := float64(h) / 30
	f := sector - math.Floor(sector)
	top, sat := float64(v), float64(s)/255
	lo, down, up := clampByte(top*(1-sat)), clampByte(top*(1-sat*f)), clampByte(top*(1-sat*(1-f)))
	switch int(sector) % 6 {
	case 0:
		return v, up, lo
	case 1:
		return down, v, lo
	case 2:
		return lo, v, up
	case 3:
		return lo, down, v
	case 4:
		return up, lo, v
	default:
		return v, lo, down
	}
}

func inRange(s *images, p *picture, a *imageArgs) (*picture, error) {
	if len(a.Low) < p.c || len(a.High) < p.c {
		return nil, invalid("low and high: %d and %d values, allowed %d each", len(a.Low), len(a.High), p.c)
	}
	q, err := s.make(p.w, p.h, 1)
	if err != nil {
		return nil, err
	}
	for i := range q.pix {
		inside := true
		for j, v := range p.pix[i*p.c : (i+1)*p.c] {
			inside = inside && float64(v) >= a.Low[j] && float64(v) <= a.High[j]
		}
		if inside {
			q.pix[i] = 255
		}
	}
	return q, nil
}

// maxKernel is the widest blur, in pixels.
const maxKernel = 99

// blur is a Gaussian blur of W x H pixels with the standard deviation Values[0], 0 for the one that fits W and H.
func blur(s *images, p *picture, a *imageArgs) (*picture, error) {
	for _, n := range []int{a.W, a.H} {
		if n < 1 || n > maxKernel || n%2 == 0 {
			return nil, invalid("size of the blur: %d, allowed odd numbers from 1 to %d", n, maxKernel)
		}
	}
	if len(a.Values) != 1 || !(a.Values[0] >= 0 && a.Values[0] <= maxKernel) {
		return nil, invalid("values: %v, allowed one standard deviation from 0 to %d", a.Values, maxKernel)
	}
	if err := s.charge(int64(p.w) * int64(p.h) * int64(a.W+a.H)); err != nil {
		return nil, err
	}
	q, err := s.make(p.w, p.h, p.c)
	if err != nil {
		return nil, err
	}
	half := make([]float32, len(p.pix))
	k := gauss(a.W, a.Values[0])
	for y := range p.h {
		for x := range p.w {
			for i, weight := range k {
				from := (y*p.w + mirror(x+i-a.W/2, p.w)) * p.c
				to := (y*p.w + x) * p.c
				for c := range p.c {
					half[to+c] += weight * float32(p.pix[from+c])
				}
			}
		}
	}
	k = gauss(a.H, a.Values[0])
	line := make([]float32, p.w*p.c)
	for y := range p.h {
		clear(line)
		for i, weight := range k {
			from := mirror(y+i-a.H/2, p.h) * p.w * p.c
			for j := range line {
				line[j] += weight * half[from+j]
			}
		}
		for j, v := range line {
			q.pix[y*p.w*p.c+j] = byte(min(255, v+0.5))
		}
	}
	return q, nil
}

func gauss(n int, sigma float64) []float32 {
	if sigma == 0 {
		sigma = 0.3*(float64(n-1)*0.5-1) + 0.8
	}
	k, sum := make([]float64, n), 0.0
	for i := range k {
		d := float64(i - n/2)
		k[i] = math.Exp(-d * d / (2 * sigma * sigma))
		sum += k[i]
	}
	out := make([]float32, n)
	for i := range k {
		out[i] = float32(k[i] / sum)
	}
	return out
}

// mirror reflects an index that left 0…n-1 without repeating the border.
func mirror(i, n int) int {
	for i < 0 || i >= n {
		if n == 1 {
			return 0
		}
		if i < 0 {
			i = -i
		} else {
			i = 2*(n-1) - i
		}
	}
	return i
}

func (s *images) alike(p *picture, id int) (*picture, error) {
	o, err := s.get(id)
	if err != nil {
		return nil, err
	}
	if o.w != p.w || o.h != p.h || o.c != p.c {
		return nil, invalid("pictures of %d x %d x %d and %d x %d x %d: allowed are two of one size", p.w, p.h, p.c, o.w, o.h, o.c)
	}
	return o, nil
}

func absdiff(s *images, p *picture, a *imageArgs) (*picture, error) {
	return pairwise(s, p, a, func(x, y byte) byte { return max(x, y) - min(x, y) })
}

func pairwise(s *images, p *picture, a *imageArgs, f func(x, y byte) byte) (*picture, error) {
	o, err := s.alike(p, a.Other)
	if err != nil {
		return nil, err
	}
	q, err := s.make(p.w, p.h, p.c)
	if err != nil {
		return nil, err
	}
	for i := range q.pix {
		q.pix[i] = f(p.pix[i], o.pix[i])
	}
	return q, nil
}

// threshold compares with Values[0] and puts Values[1].
func threshold(s *images, p *picture, a *imageArgs) (*picture, error) {
	if len(a.Values) != 2 {
		return nil, invalid("values: %v, allowed threshold and maximum", a.Values)
	}
	t, top := a.Values[0], clampByte(a.Values[1])
	var f func(v byte) byte
	above := func(v byte) bool { return float64(v) > t }
	pick := func(yes, no func(v byte) byte) func(v byte) byte {
		return func(v byte) byte {
			if above(v) {
				return yes(v)
			}
			return no(v)
		}
	}
	zero, same, full := func(byte) byte { return 0 }, func(v byte) byte { return v }, func(byte) byte { return top }
	switch a.Kind {
	case "binary":
		f = pick(full, zero)
	case "binary_inv":
		f = pick(zero, full)
	case "trunc":
		f = pick(func(byte) byte { return clampByte(t) }, same)
	case "to_zero":
		f = pick(same, zero)
	case "to_zero_inv":
		f = pick(zero, same)
	default:
		return nil, invalid("kind: %.40q, allowed binary, binary_inv, trunc, to_zero and to_zero_inv", a.Kind)
	}
	q, err := s.make(p.w, p.h, p.c)
	if err != nil {
		return nil, err
	}
	for i, v := range p.pix {
		q.pix[i] = f(v)
	}
	return q, nil
}

// bitwise is and, or, xor with Other, or not; where Mask is 0 the result is 0.
func bitwise(s *images, p *picture, a *imageArgs) (*picture, error) {
	f := map[string]func(x, y byte) byte{
		"and": func(x, y byte) byte { return x & y },
		"or":  func(x, y byte) byte { return x | y },
		"xor": func(x, y byte) byte { return x ^ y },
		"not": func(x, _ byte) byte { return ^x },
	}[a.Kind]
	if f == nil {
		return nil, invalid("kind: %.40q, allowed and, or, xor and not", a.Kind)
	}
	mask, err := s.mask(a.Mask, p)
	if err != nil {
		return nil, err
	}
	q, err := pairwise(s, p, a, f)
	if err != nil || mask == nil {
		return q, err
	}
	for i, m := range mask.pix {
		if m == 0 {
			clear(q.pix[i*q.c : (i+1)*q.c])
		}
	}
	return q, nil
}

// blend is Values[0] times the one, plus Values[1] times the other, plus Values[2].
func blend(s *images, p *picture, a *imageArgs) (*picture, error) {
	if len(a.Values) != 3 {
		return nil, invalid("values: %v, allowed three", a.Values)
	}
	return pairwise(s, p, a, func(x, y byte) byte {
		return clampByte(float64(x)*a.Values[0] + float64(y)*a.Values[1] + a.Values[2])
	})
}

// stat tells mean, smallest and largest value of every channel, and how many bytes are not 0.
func (s *images) stat(p *picture, a *imageArgs) (any, error) {
	if err := s.charge(int64(p.w) * int64(p.h)); err != nil {
		return nil, err
	}
	mask, err := s.mask(a.Mask, p)
	if err != nil {
		return nil, err
	}
	var sum [4]uint64
	low, high := [4]int{255, 255, 255, 255}, [4]int{}
	n, nonzero := 0, 0
	for i := range p.w * p.h {
		if mask != nil && mask.pix[i] == 0 {
			continue
		}
		n++
		for c, v := range p.pix[i*p.c : (i+1)*p.c] {
			sum[c] += uint64(v)
			low[c], high[c] = min(low[c], int(v)), max(high[c], int(v))
			if v != 0 {
				nonzero++
			}
		}
	}
	mean := make([]float64, p.c)
	for c := range mean {
		mean[c] = float64(sum[c]) / float64(max(n, 1))
	}
	return map[string]any{"mean": mean, "min": slices.Clone(low[:p.c]), "max": slices.Clone(high[:p.c]), "nonzero": nonzero, "pixels": n}, nil
}
