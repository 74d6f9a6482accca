package reward

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
)

// layerVersion is that of the file and of how a layer is fitted: whoever changes either raises it, and layers are fitted anew.
const layerVersion = 1

// Limits of a layer's file.
const (
	maxPoints = 100_000
	maxNumber = 1e6
)

// ErrLayer is wrapped by the error for a file that is no layer for this program.
var ErrLayer = errors.New("no layer of the reward model")

// LayerFile is where the layer of a model of sentences is kept: beside it, by a name that says what it was fitted to.
func LayerFile(model string) (string, error) {
	h := sha256.New()
	_, _ = fmt.Fprintln(h, layerVersion, filepath.Base(model), ridge, outputs) // a hash takes everything
	names, err := sentences.ReadDir("sentences")
	if err != nil {
		return "", err
	}
	for _, f := range names {
		b, err := sentences.ReadFile("sentences/" + f.Name())
		if err != nil {
			return "", err
		}
		h.Write(b)
	}
	return filepath.Join(filepath.Dir(model), "reward-"+hex.EncodeToString(h.Sum(nil)[:6])+".layer"), nil
}

// layerHead is the beginning of a file; the numbers follow in the order of parts, then the points.
type layerHead struct {
	Magic                            [8]byte
	Version, Size, Points, NumOutput uint32
}

var layerMagic = [8]byte{'r', 'e', 'w', 'a', 'r', 'd', 'l', '\n'}

// parts are the numbers of a layer of a size, as they lie in a file.
func (l *Layer) parts(size, points int) []struct {
	to *[]float32
	n  int
} {
	return []struct {
		to *[]float32
		n  int
	}{{&l.mean, size}, {&l.scale, size}, {&l.steps, points}, {&l.squares, points}, {&l.weights, points * outputs}, {&l.base, outputs}}
}

// bytes is the layer as a file.
func (l *Layer) bytes() []byte {
	size, points := len(l.mean), len(l.steps)
	var b bytes.Buffer
	put := func(v any) { _ = binary.Write(&b, binary.LittleEndian, v) } // memory does not fail
	put(layerHead{layerMagic, layerVersion, uint32(size), uint32(points), uint32(outputs)})
	put(l.width)
	for _, p := range l.parts(size, points) {
		put(*p.to)
	}
	put(l.points)
	return b.Bytes()
}

// readLayer reads what bytes writes. The error wraps ErrLayer.
func readLayer(data []byte) (*Layer, error) {
	r := bytes.NewReader(data)
	var head layerHead
	l := &Layer{}
	if err := errors.Join(binary.Read(r, binary.LittleEndian, &head), binary.Read(r, binary.LittleEndian, &l.width)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLayer, err)
	}
	size, points := int(head.Size), int(head.Points)
	switch {
	case head.Magic != layerMagic || head.Version != layerVersion:
		return nil, fmt.Errorf("%w: it begins with %q and has version %d; allowed is %d", ErrLayer, head.Magic, head.Version, layerVersion)
	case size < 1 || size > maxPoints || points < 1 || points > maxPoints || int(head.NumOutput) != outputs:
		return nil, fmt.Errorf("%w: it has %d points of %d numbers for %d outputs; allowed are up to %d for %d",
			ErrLayer, points, size, head.NumOutput, maxPoints, outputs)
	}
	want := size * points
	for _, p := range l.parts(size, points) {
		want += 4 * p.n
	}
	if r.Len() != want {
		return nil, fmt.Errorf("%w: %d bytes follow its head; %d are wanted", ErrLayer, r.Len(), want)
	}
	rest := data[len(data)-want:]
	for _, p := range l.parts(size, points) {
		x := make([]float32, p.n)
		for i := range x {
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32(rest[4*i:]))
			if !(math.Abs(float64(x[i])) < maxNumber) {
				return nil, fmt.Errorf("%w: it has the number %g; allowed are those below %g", ErrLayer, x[i], maxNumber)
			}
		}
		*p.to, rest = x, rest[4*p.n:]
	}
	if !(l.width > 0 && l.width < maxNumber) {
		return nil, fmt.Errorf("%w: its width is %g; allowed are those above 0", ErrLayer, l.width)
	}
	l.points = make([]int8, len(rest))
	for i, v := range rest {
		l.points[i] = int8(v)
	}
	return l, nil
}

// write writes the layer's file, whole or not at all.
func (l *Layer) write(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(l.bytes())
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
