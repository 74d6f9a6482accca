//go:build opencv

package vision

import (
	"encoding/binary"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/perception/scene"
)

// message is a protocol buffer being written.
type message []byte

func (m message) number(field int, v uint64) message {
	return binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3), v)
}

func (m message) bytes(field int, b []byte) message {
	return append(binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3|2), uint64(len(b))), b...)
}

func (m message) text(field int, s string) message { return m.bytes(field, []byte(s)) }

// graph is a network in ONNX being written, by the few rules of the format that are needed here.
type graph struct {
	message
	n int
}

func (g *graph) name() string {
	g.n++
	return "x" + string(rune('a'+g.n/26)) + string(rune('a'+g.n%26))
}

// node adds an operation and returns the name of its output. Attributes are integers, or lists of them.
func (g *graph) node(op string, in []string, attributes map[string]any) string {
	out := g.name()
	var m message
	for _, i := range in {
		m = m.text(1, i)
	}
	m = m.text(2, out).text(3, "n"+out).text(4, op)
	for k, v := range attributes {
		a := message{}.text(1, k)
		switch v := v.(type) {
		case int:
			a = a.number(3, uint64(v)).number(20, 2)
		case []int:
			for _, i := range v {
				a = a.number(8, uint64(i))
			}
			a = a.number(20, 7)
		}
		m = m.bytes(5, a)
	}
	g.message = g.bytes(1, m)
	return out
}

// tensor adds a constant: floats, or integers for shapes.
func (g *graph) tensor(dims []int, floats []float32, integers []int64) string {
	name := g.name()
	var m message
	for _, d := range dims {
		m = m.number(1, uint64(d))
	}
	var raw []byte
	kind := uint64(1)
	for _, f := range floats {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(f))
	}
	for _, i := range integers {
		raw, kind = binary.LittleEndian.AppendUint64(raw, uint64(i)), 7
	}
	g.message = g.bytes(5, m.number(2, kind).text(8, name).bytes(9, raw))
	return name
}

// shape is a named value of some size.
func shape(name string, dims ...int) message {
	var m message
	for _, d := range dims {
		m = m.bytes(1, message{}.number(1, uint64(d)))
	}
	return message{}.text(1, name).bytes(2, message{}.bytes(1, message{}.number(1, 1).bytes(2, m)))
}

// file is the whole model.
func (g *graph) file(input, output message) []byte {
	g.message = g.text(2, "g").bytes(11, input).bytes(12, output)
	return message{}.number(1, 6).text(2, "test").bytes(7, g.message).bytes(8, message{}.text(1, "").number(2, 11))
}

// redYOLOX writes a network with the input and output of YOLOX and one idea: where a cell of 32 pixels is red, there is
// a thing of a class, two cells wide. Its other weights are random and small.
func redYOLOX(class int, rng *rand.Rand) []byte {
	g := &graph{}
	var grids []string
	rows := 0
	for _, s := range []int{8, 16, 32} {
		n := yoloxSide / s
		rows += n * n
		conv := func(outputs int, weight func(out, channel int) float32, bias func(out int) float32) string {
			w, b := make([]float32, 0, outputs*3*s*s), make([]float32, 0, outputs)
			for o := range outputs {
				for c := range 3 {
					for range s * s {
						w = append(w, weight(o, c)/float32(s*s))
					}
				}
				b = append(b, bias(o))
			}
			return g.node("Conv", []string{"images", g.tensor([]int{outputs, 3, s, s}, w, nil), g.tensor([]int{outputs}, b, nil)},
				map[string]any{"kernel_shape": []int{s, s}, "strides": []int{s, s}, "pads": []int{0, 0, 0, 0}, "group": 1, "dilations": []int{1, 1}})
		}
		small := func() float32 { return 1e-4 * float32(rng.NormFloat64()) }
		boxes := conv(4, func(int, int) float32 { return 0 }, func(o int) float32 { return []float32{0.5, 0.5, 0.6931, 0.6931}[o] })
		sure := g.node("Sigmoid", []string{conv(1+len(cocoNames), func(o, c int) float32 {
			switch {
			case s != 32 || o != 0 && o != 1+class:
				return small()
			case c == 2: // blue, green, red
				return 0.2
			}
			return -0.2
		}, func(int) float32 { return -12 })}, nil)
		all := g.node("Concat", []string{boxes, sure}, map[string]any{"axis": 1})
		grids = append(grids, g.node("Reshape", []string{all, g.tensor([]int{3}, nil, []int64{1, int64(yoloxColumns + len(cocoNames)), -1})}, nil))
	}
	out := g.node("Transpose", []string{g.node("Concat", grids, map[string]any{"axis": 2})}, map[string]any{"perm": []int{0, 2, 1}})
	return g.file(shape("images", 1, 3, yoloxSide, yoloxSide), shape(out, 1, rows, yoloxColumns+len(cocoNames)))
}

// scarlet is what the network of redYOLOX takes for its thing.
var scarlet = color.RGBA{230, 20, 20, 255}

// A network that was written here goes the whole way: file, OpenCV, grids, boxes, names, directions.
func TestYOLOX(t *testing.T) {
	class := slices.Index(cocoNames, "fire hydrant")
	if len(cocoNames) != 80 || class != 10 {
		t.Fatalf("%d classes, the hydrant is %d", len(cocoNames), class)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, yoloxFiles[0]), redYOLOX(class, rand.New(rand.NewPCG(1, 2))), 0o600); err != nil {
		t.Fatal(err)
	}
	e := openEyes(t, &Eyes{Models: dir}, "nothing.jpg")
	if e.yolox == nil {
		t.Fatal(e.Missing())
	}
	c := newCanvas(832, 624, wall) // twice the network's input, with a bar below
	c.rect(128, 192, 64, 64, scarlet)
	c.rect(640, 448, 64, 64, scarlet)
	v, err := e.Inspect(t.Context(), c.jpeg(t))
	if err != nil {
		t.Fatal(err)
	}
	found := v.Named("the fire hydrants")
	if len(found) != 2 || found[0].By != scene.ByYOLOX || found[0].Colour != "red" && found[0].Colour != "grey" {
		t.Fatalf("%+v", v.Detections)
	}
	for _, d := range found {
		x, y := d.Box.Center()
		left := math.Hypot(x-160, y-224) < 8 && d.Yaw > 20
		right := math.Hypot(x-672, y-480) < 8 && d.Yaw < -20 && d.Pitch > 10
		if !left && !right || d.Box.W < 110 || d.Box.W > 140 || d.Score < yoloxSure {
			t.Errorf("%+v", d)
		}
	}
	if !strings.Contains(strings.Join(e.Known(), " "), "teddy bear") {
		t.Error("its classes are not known")
	}
	if _, err := e.Detect(t.Context(), "unicorn"); err == nil {
		t.Error("a unicorn")
	}
}

// Networks that are none, or others, are told and end nothing.
func TestNetworksThatDoNotFit(t *testing.T) {
	g := &graph{}
	out := g.node("Sigmoid", []string{"images"}, nil)
	other := g.file(shape("images", 1, 3, yoloxSide, yoloxSide), shape(out, 1, 3, yoloxSide, yoloxSide))
	other = append(other, message{}.text(6, strings.Repeat(" ", leastModel))...) // its documentation
	g = &graph{}
	out = g.node("NoSuchOperation", []string{"images"}, nil)
	unknown := append([]byte(nil), g.file(shape("images", 1, 3, 4, 4), shape(out, 1, 3, 4, 4))...)
	unknown = append(unknown, message{}.text(6, strings.Repeat(" ", leastModel))...)
	for name, data := range map[string][]byte{
		"another network": other, "an unknown operation": unknown, "cut off": redYOLOX(1, rand.New(rand.NewPCG(1, 2)))[:leastModel+9],
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, yoloxFiles[0]), data, 0o600); err != nil {
			t.Fatal(err)
		}
		y, err := openYOLOX(dir)
		if err == nil {
			var p picture
			img := newCanvas(640, 480, wall)
			p.take(img.RGBA)
			s := sight{lens: camera.SimIntrinsics(640, 480), head: hal.IdentityPose}
			_, err = y.detect(img.RGBA, &p, &s)
			y.close()
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}
