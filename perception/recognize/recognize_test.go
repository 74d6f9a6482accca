package recognize

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// someone is a picture of blotches that are another for every seed: a face as the descriptor sees one.
func someone(seed uint64, size int) Grey {
	r := rand.New(rand.NewPCG(seed, 1))
	const coarse = 24
	var blotches [coarse * coarse]byte
	for i := range blotches {
		blotches[i] = byte(60 + r.IntN(120))
	}
	b := Grey{blotches[:], coarse, coarse}
	g := Grey{make([]byte, size*size), size, size}
	for y := range size {
		for x := range size {
			g.Pix[y*size+x] = b.At(float64(x)*(coarse-1)/float64(size), float64(y)*(coarse-1)/float64(size))
		}
	}
	return g
}

func whole(g Grey) Region { return Region{W: float64(g.W), H: float64(g.H)} }

func describe(t *testing.T, g Grey, r Region) Descriptor {
	t.Helper()
	d, err := Describe(g, r)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDescriptorIsThatOfThePersonNotOfTheLight(t *testing.T) {
	g := someone(1, 200)
	d := describe(t, g, whole(g))
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
	if own := Distance(d, d); own != 0 {
		t.Errorf("a face is %v from itself", own)
	}
	dim := Grey{slices.Clone(g.Pix), g.W, g.H}
	for i, v := range dim.Pix {
		dim.Pix[i] = v/2 + 20
	}
	small := someone(1, 100)
	other := someone(2, 200)
	stranger := Distance(d, describe(t, other, whole(other)))
	for what, same := range map[string]Descriptor{"dim": describe(t, dim, whole(dim)), "half as large": describe(t, small, whole(small))} {
		if off := Distance(d, same); off > stranger/2 {
			t.Errorf("the same face, %s, is %.3f away, another one %.3f", what, off, stranger)
		}
	}
}

// With the eyes known a face may be held at an angle, anywhere in the picture.
func TestEyesLevelTheFace(t *testing.T) {
	g := someone(3, 240)
	upright := [2][2]float64{{90, 90}, {150, 90}}
	turned := Grey{make([]byte, len(g.Pix)), g.W, g.H} // a quarter to the right: (x, y) comes to lie at (239−y, x)
	for y := range g.H {
		for x := range g.W {
			turned.Pix[x*g.W+g.W-1-y] = g.Pix[y*g.W+x]
		}
	}
	held := [2][2]float64{{239 - 90, 90}, {239 - 90, 150}}
	a := describe(t, g, Region{Eyes: &upright})
	if off := Distance(a, describe(t, turned, Region{Eyes: &held})); off > 0.1 {
		t.Errorf("the same face on its side is %.3f away", off)
	}
	if off := Distance(a, describe(t, g, whole(g))); off != 1 {
		t.Errorf("descriptors that were cut out in other ways compare: %v", off)
	}
}

func TestWhatIsNoFace(t *testing.T) {
	g := someone(1, 200)
	same := [2][2]float64{{50, 50}, {50, 50}}
	for what, r := range map[string]Region{
		"too small": {W: MinSide - 1, H: MinSide - 1}, "nothing": {}, "one eye": {Eyes: &same}, "endless": {W: 1e12, H: 1e12},
	} {
		if _, err := Describe(g, r); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := Describe(Grey{W: 100, H: 100}, Region{W: 100, H: 100}); err == nil {
		t.Error("a picture without pixels: no error")
	}
	describe(t, g, Region{X: 150, Y: 150, W: 100, H: 100}) // partly out of view
	for _, d := range []Descriptor{nil, make(Descriptor, Size), append(Descriptor{byBox}, 1, 2)} {
		if err := d.Check(); !errors.Is(err, ErrDescriptor) {
			t.Errorf("%d bytes: %v", len(d), err)
		}
	}
}

func TestWho(t *testing.T) {
	of := func(seed uint64) Descriptor {
		g := someone(seed, 200)
		return describe(t, g, whole(g))
	}
	anna, tom := Person{"Anna", []Descriptor{of(9), of(1)}}, Person{"Tom", []Descriptor{of(2)}}
	if v := Who(of(1), []Person{tom, anna}); v.Name != "Anna" || !v.Sure || v.Distance != 0 {
		t.Errorf("%+v", v)
	}
	if v := Who(of(1), []Person{anna, {"Twin", []Descriptor{of(1)}}}); v.Sure || v.Name == "" {
		t.Errorf("one of two that are the same: %+v", v)
	}
	if v := Who(of(5), []Person{anna, tom}); v.Name != "" || v.Sure || v.Distance <= near {
		t.Errorf("a stranger: %+v", v)
	}
	if v := Who(of(1), nil); v.Name != "" || v.Sure {
		t.Errorf("of nobody: %+v", v)
	}
}

func BenchmarkWho(b *testing.B) {
	g := someone(1, 200)
	d, err := Describe(g, whole(g))
	if err != nil {
		b.Fatal(err)
	}
	people := make([]Person, 100)
	for i := range people {
		people[i].Samples = slices.Repeat([]Descriptor{d}, 20)
	}
	for b.Loop() {
		Who(d, people)
	}
}
