// Package vp8 packs pictures as VP8 (RFC 6386), simply: a key frame predicts from what stands beside, every other frame from the one
// before, without motion. A camera that stands still costs little so, and every decoder understands it.
package vp8

import (
	"fmt"
	"image"
)

// Limits of pictures, pixels a side.
const minSide, maxSide = 16, 4096

// Limits of the quantiser's index: from fine to coarse.
const minIndex, maxIndex = 8, 100

// Encoder packs one stream of pictures of one size.
type Encoder struct {
	// Target is how many bytes a frame shall have in the mean.
	Target int

	width, height int
	columns, rows int // macroblocks
	index         int // of the quantiser
	frames        int

	source, shown planes // the picture, and what decoders see
	head, rest    boolEncoder
	modes         []mode
	above         []edge // what the macroblocks above had
	luma          *[256]uint8
	chroma        *[256]uint8
	lumaQ, meansQ steps
	chromaQ       steps
	levels        [25]block // of a macroblock: 16 of luma, 4 and 4 of chroma, and the means of luma
	ends          [25]int
	predicted     [384]uint8
	skipped       int
}

// planes are the samples of a picture, of whole macroblocks.
type planes struct {
	y, cb, cr []uint8
}

// mode is how a macroblock was packed.
type mode struct {
	kind, chroma uint8
	skip         bool
}

// Ways to predict a macroblock in a key frame.
const (
	flat, vertical, horizontal, plane = 0, 1, 2, 3
)

// edge says of the blocks at an edge of a macroblock whether they had coefficients: 4 of luma, 2 and 2 of chroma, 1 of means.
type edge [9]uint8

// New returns an encoder for pictures of this size.
func New(width, height int) (*Encoder, error) {
	if width < minSide || height < minSide || width > maxSide || height > maxSide {
		return nil, fmt.Errorf("the picture has %d × %d pixels; allowed are %d to %d a side", width, height, minSide, maxSide)
	}
	e := &Encoder{width: width, height: height, columns: (width + 15) / 16, rows: (height + 15) / 16, index: 40}
	n := e.columns * e.rows
	fresh := func() planes {
		return planes{make([]uint8, 256*n), make([]uint8, 64*n), make([]uint8, 64*n)}
	}
	e.source, e.shown = fresh(), fresh()
	e.modes, e.above = make([]mode, n), make([]edge, e.columns)
	e.luma, e.chroma = new([256]uint8), new([256]uint8)
	for i := range 256 { // JPEG uses all values, video a part of them
		e.luma[i] = uint8(16 + (i*219+127)/255)
		e.chroma[i] = uint8(128 + ((i-128)*224)/255)
	}
	return e, nil
}

// Size returns the size of the pictures.
func (e *Encoder) Size() (width, height int) { return e.width, e.height }

// Encode packs a picture, in the colours of JPEG. A key frame is understood without those before it. What is returned is valid until the
// next call.
func (e *Encoder) Encode(img *image.YCbCr, key bool) ([]byte, error) {
	if size := img.Bounds().Size(); size.X != e.width || size.Y != e.height {
		return nil, fmt.Errorf("the picture has %d × %d pixels, not %d × %d", size.X, size.Y, e.width, e.height)
	}
	key = key || e.frames == 0
	e.frames++
	e.load(img)
	e.lumaQ = newSteps(dcSteps[e.index], acSteps[e.index])
	e.meansQ = newSteps(2*dcSteps[e.index], max(8, acSteps[e.index]*155/100))
	e.chromaQ = newSteps(min(132, dcSteps[e.index]), acSteps[e.index])
	e.rest.reset()
	clear(e.above)
	e.skipped = 0
	for row := range e.rows {
		var left edge
		for column := range e.columns {
			e.macroblock(column, row, key, &left)
		}
	}
	frame := e.frame(key)
	e.adapt(len(frame), key)
	return frame, nil
}

// adapt chooses the quantiser for the next frame.
func (e *Encoder) adapt(size int, key bool) {
	target := e.Target
	if key {
		target *= 4 // they are rare
	}
	switch {
	case e.Target == 0:
	case size > 2*target:
		e.index += 8
	case size > target*5/4:
		e.index += 2
	case size < target/2 && !key:
		e.index--
	}
	e.index = max(minIndex, min(maxIndex, e.index))
}

// load takes a picture; what lies beyond its edges repeats them.
func (e *Encoder) load(img *image.YCbCr) {
	b, stride := img.Bounds(), 16*e.columns
	for y := range 16 * e.rows {
		at := img.YOffset(b.Min.X, b.Min.Y+min(y, e.height-1))
		convert(e.source.y[y*stride:(y+1)*stride], img.Y[at:at+e.width], 2, e.luma)
	}
	halves := 2 // of a sample of chroma, from one pixel to the next but one
	switch img.SubsampleRatio {
	case image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio440:
		halves = 4
	case image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410:
		halves = 1
	case image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio422:
	}
	for y := range 8 * e.rows {
		row := b.Min.Y + min(2*y, e.height-1)
		at, end := img.COffset(b.Min.X, row), img.COffset(b.Max.X-1, row)+1
		to := y * stride / 2
		convert(e.source.cb[to:to+stride/2], img.Cb[at:end], halves, e.chroma)
		convert(e.source.cr[to:to+stride/2], img.Cr[at:end], halves, e.chroma)
	}
}

// convert fills a row with values of a table, halves of a sample on for each; what is beyond the end of from repeats the last one.
func convert(to, from []uint8, halves int, table *[256]uint8) {
	n := min(len(to), (2*len(from)+halves-1)/halves)
	if halves == 2 {
		for i, v := range from[:n] {
			to[i] = table[v]
		}
	} else {
		for i := range n {
			to[i] = table[from[i*halves/2]]
		}
	}
	for i := n; i < len(to); i++ {
		to[i] = to[n-1]
	}
}

// macroblock packs the coefficients of one and keeps what decoders will see of it.
func (e *Encoder) macroblock(column, row int, key bool, left *edge) {
	m := &e.modes[row*e.columns+column]
	*m = mode{}
	stride := 16 * e.columns
	y, c := 16*row*stride+16*column, 8*row*stride/2+8*column
	if key {
		m.kind = predict(e.predicted[:256], e.source.y, e.shown.y, y, stride, 16, column > 0, row > 0, nil, nil)
		m.chroma = predict(e.predicted[256:320], e.source.cb, e.shown.cb, c, stride/2, 8, column > 0, row > 0, e.source.cr, e.shown.cr)
		fill(e.predicted[320:], e.shown.cr, c, stride/2, 8, column > 0, row > 0, m.chroma)
	} else {
		for i := range 16 {
			copy(e.predicted[16*i:16*i+16], e.shown.y[y+i*stride:])
		}
		for i := range 8 {
			copy(e.predicted[256+8*i:256+8*i+8], e.shown.cb[c+i*stride/2:])
			copy(e.predicted[320+8*i:320+8*i+8], e.shown.cr[c+i*stride/2:])
		}
	}
	m.skip = !key && e.same(y, c, stride) || !e.transform(y, c, stride)
	above := &e.above[column]
	if m.skip {
		e.skipped++
		*above, *left = edge{}, edge{}
		if key {
			e.show(y, c, stride)
		}
		return
	}
	e.write(above, left)
	e.restore()
	e.show(y, c, stride)
}

// same says that a macroblock is the one of the frame before but for noise.
func (e *Encoder) same(y, c, stride int) bool {
	limit := 256 * int(e.lumaQ.ac) * int(e.lumaQ.ac) / 64
	if unlike(e.source.y[y:], stride, e.predicted[:256], 16, limit) > limit {
		return false
	}
	limit /= 4
	sum := unlike(e.source.cb[c:], stride/2, e.predicted[256:320], 8, limit)
	return sum <= limit && sum+unlike(e.source.cr[c:], stride/2, e.predicted[320:], 8, limit) <= limit
}

// unlike is the sum of the squares by which a square differs from what was foreseen of it; beyond limit it is not counted to the end.
func unlike(source []uint8, stride int, predicted []uint8, side, limit int) (sum int) {
	for i := range side {
		a, b := source[i*stride:][:side], predicted[i*side:][:side]
		for j, v := range a {
			d := int(v) - int(b[j])
			sum += d * d
		}
		if sum > limit {
			return sum
		}
	}
	return sum
}

// transform fills levels with what is to be sent of a macroblock; false: nothing.
func (e *Encoder) transform(y, c, stride int) (any bool) {
	means := &e.levels[24]
	for i := range 24 {
		b := &e.levels[i]
		source, at, wide, predicted, width := e.place(i, y, c, stride)
		for r := range 4 {
			p, q, to := (*[4]uint8)(source[at+r*wide:]), (*[4]uint8)(e.predicted[predicted+r*width:]), (*[4]int32)(b[4*r:])
			to[0], to[1], to[2], to[3] = int32(p[0])-int32(q[0]), int32(p[1])-int32(q[1]), int32(p[2])-int32(q[2]), int32(p[3])-int32(q[3])
		}
		b.forward()
		if i < 16 {
			means[i] = b[0]
			b[0] = 0
			e.ends[i] = e.lumaQ.quantise(b, 1)
		} else {
			e.ends[i] = e.chromaQ.quantise(b, 0)
		}
		any = any || e.ends[i] > 0
	}
	means.forwardWalsh()
	e.ends[24] = e.meansQ.quantise(means, 0)
	return any || e.ends[24] > 0
}

// place tells where block i of a macroblock lies in the source and in what was predicted.
func (e *Encoder) place(i, y, c, stride int) (source []uint8, at, wide, predicted, width int) {
	switch {
	case i < 16:
		return e.source.y, y + i/4*4*stride + i%4*4, stride, i/4*64 + i%4*4, 16
	case i < 20:
		source, predicted = e.source.cb, 256
	default:
		source, predicted = e.source.cr, 320
	}
	i %= 4
	return source, c + i/2*2*stride + i%2*4, stride / 2, predicted + i/2*32 + i%2*4, 8
}

// write sends the coefficients of a macroblock.
func (e *Encoder) write(above, left *edge) {
	one := func(i, kind, first, a, l int) {
		e.rest.block(&e.levels[i], kind, first, e.ends[i], int(above[a]+left[l]))
		has := uint8(0)
		if e.ends[i] > first {
			has = 1
		}
		above[a], left[l] = has, has
	}
	one(24, 1, 0, 8, 8)
	for i := range 16 {
		one(i, 0, 1, i%4, i/4)
	}
	for i := 16; i < 24; i++ {
		base := 4 + (i-16)/4*2
		one(i, 2, 0, base+i%2, base+i%4/2)
	}
}

// restore adds what was sent to what was predicted.
func (e *Encoder) restore() {
	means := &e.levels[24]
	e.meansQ.restore(means, 0)
	means.inverseWalsh()
	for i := range 24 {
		b, first := &e.levels[i], 0
		at, width := i/4*64+i%4*4, 16
		if i < 16 {
			b[0], first = means[i], 1
			e.lumaQ.restore(b, 1)
		} else {
			e.chromaQ.restore(b, 0)
			at, width = 256+(i-16)/4*64+i%4/2*32+i%2*4, 8
		}
		switch {
		case e.ends[i] > 1: // more than the mean
			b.inverse()
		case first == 0 && e.ends[i] == 0 || b[0] == 0:
			continue
		default:
			b.level()
		}
		for r := range 4 {
			p, v := (*[4]uint8)(e.predicted[at+r*width:]), (*[4]int32)(b[4*r:])
			for k := range p {
				p[k] = uint8(max(0, min(255, int32(p[k])+v[k])))
			}
		}
	}
}

// show keeps a macroblock as decoders see it.
func (e *Encoder) show(y, c, stride int) {
	for i := range 16 {
		copy(e.shown.y[y+i*stride:], e.predicted[16*i:16*i+16])
	}
	for i := range 8 {
		copy(e.shown.cb[c+i*stride/2:], e.predicted[256+8*i:256+8*i+8])
		copy(e.shown.cr[c+i*stride/2:], e.predicted[320+8*i:320+8*i+8])
	}
}

// predict chooses how a square is best foreseen from what stands to the left and above, and foresees it. A second plane may have a say.
func predict(out, source, shown []uint8, at, stride, side int, left, above bool, source2, shown2 []uint8) uint8 {
	best, least := uint8(flat), -1
	for _, kind := range [...]uint8{flat, vertical, horizontal, plane} {
		if (kind == vertical || kind == plane) && !above || (kind == horizontal || kind == plane) && !left {
			continue
		}
		fill(out, shown, at, stride, side, left, above, kind)
		off := distance(out, source, at, stride, side)
		if source2 != nil {
			fill(out, shown2, at, stride, side, left, above, kind)
			off += distance(out, source2, at, stride, side)
		}
		if least < 0 || off < least {
			best, least = kind, off
		}
	}
	fill(out, shown, at, stride, side, left, above, best)
	return best
}

// distance is how far what was foreseen is from what is.
func distance(out, source []uint8, at, stride, side int) (sum int) {
	for r := range side {
		a, b := source[at+r*stride:][:side], out[r*side:][:side]
		for k := range a {
			d := int(a[k]) - int(b[k])
			sum += max(d, -d)
		}
	}
	return sum
}

// fill foresees a square: section 12 of RFC 6386.
func fill(out, shown []uint8, at, stride, side int, left, above bool, kind uint8) {
	switch kind {
	case vertical:
		for r := range side {
			copy(out[r*side:(r+1)*side], shown[at-stride:])
		}
	case horizontal:
		for r := range side {
			for k := range side {
				out[r*side+k] = shown[at+r*stride-1]
			}
		}
	case plane:
		corner := int(shown[at-stride-1])
		for r := range side {
			l := int(shown[at+r*stride-1]) - corner
			for k := range side {
				out[r*side+k] = uint8(max(0, min(255, l+int(shown[at-stride+k]))))
			}
		}
	default:
		sum, n := 0, 0
		for k := range side {
			if above {
				sum, n = sum+int(shown[at-stride+k]), n+1
			}
			if left {
				sum, n = sum+int(shown[at+k*stride-1]), n+1
			}
		}
		mean := uint8(128)
		if n > 0 {
			mean = uint8((sum + n/2) / n)
		}
		for i := range side * side {
			out[i] = mean
		}
	}
}
