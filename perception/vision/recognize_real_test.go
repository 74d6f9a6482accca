package vision

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"testing"

	"github.com/reachyd/reachyd/perception/recognize"
	"github.com/reachyd/reachyd/perception/vision/cv"
)

// readPGM reads a binary PGM.
func readPGM(t testing.TB, path string) *image.Gray {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var w, h, most int
	r := bytes.NewReader(data)
	if _, err := fmt.Fscanf(r, "P5\n%d %d\n%d\n", &w, &h, &most); err != nil || r.Len() < w*h {
		t.Fatal(path, err)
	}
	return &image.Gray{Pix: data[len(data)-w*h:], Stride: w, Rect: image.Rect(0, 0, w, h)}
}

// inView shows a picture, twice as large, in the middle of one of 640×480.
func inView(src *image.Gray) *image.RGBA {
	c := newCanvas(640, 480, wall)
	b := src.Bounds()
	for y := range 2 * b.Dy() {
		for x := range 2 * b.Dx() {
			g := recognize.Grey{Pix: src.Pix, W: b.Dx(), H: b.Dy()}
			v := g.At(float64(x)/2, float64(y)/2)
			o := c.PixOffset(640/2-b.Dx()+x, 480/2-b.Dy()+y)
			c.Pix[o], c.Pix[o+1], c.Pix[o+2] = v, v, v
		}
	}
	return c.RGBA
}

// figures of one half of the people.
type figures struct{ named, unsure, unknown, wrong, strangers, strangersUnsure, strangersNamed int }

// Faces of real people: AT&T's (Olivetti's) 40, ten pictures of each, where REACHYD_ORL names the directory with s1…s40. Of each half ten
// people are learned from five pictures, and asked about with the other five; ten are strangers. The limits of package recognize were
// chosen on the first half: nobody may be taken for another there, and in the second no more than one in a hundred.
func TestRealFacesAreToldApart(t *testing.T) {
	dir := os.Getenv("REACHYD_ORL")
	if dir == "" || !cv.Built {
		t.Skip("NOT TESTED: REACHYD_ORL names no directory of AT&T's faces, or this is built without OpenCV")
	}
	e := &Eyes{}
	var err error
	if e.faces, err = openFaces(os.Getenv("REACHYD_VISION_MODELS"), ""); e.faces == nil {
		t.Fatal(err)
	}
	e.opened = true
	defer func() { e.faces.close() }()
	missed := 0
	var all [41][]recognize.Descriptor
	for i := 1; i <= 40; i++ {
		for k := 1; k <= 10; k++ {
			found, err := e.portraits(inView(readPGM(t, filepath.Join(dir, fmt.Sprintf("s%d", i), fmt.Sprintf("%d.pgm", k)))))
			if err != nil {
				t.Fatal(err)
			}
			var d recognize.Descriptor
			if len(found) == 1 {
				d = found[0].Descriptor
			}
			if d == nil {
				missed++
			}
			all[i] = append(all[i], d)
		}
	}
	t.Logf("in %d of 400 pictures not exactly one face was found", missed)
	for half := range 2 {
		var n figures
		var people []recognize.Person
		for i := range 10 {
			p := recognize.Person{Name: fmt.Sprint(1 + 20*half + i)}
			for _, d := range all[1+20*half+i][:5] {
				if d != nil {
					p.Samples = append(p.Samples, d)
				}
			}
			people = append(people, p)
		}
		for i := range 20 {
			name := fmt.Sprint(1 + 20*half + i)
			for k, d := range all[1+20*half+i] {
				if d == nil || i < 10 && k < 5 {
					continue
				}
				v := recognize.Who(d, people)
				switch {
				case i < 10 && v.Sure && v.Name == name:
					n.named++
				case i < 10 && v.Sure:
					n.wrong++
				case i < 10 && v.Name != "":
					n.unsure++
				case i < 10:
					n.unknown++
				case v.Sure:
					n.strangersNamed++
				case v.Name != "":
					n.strangersUnsure++
				default:
					n.strangers++
				}
			}
		}
		if most := half; n.wrong+n.strangersNamed > most || n.named < 30 {
			t.Errorf("%+v", n)
		}
		t.Logf("people %d to %d: known ones: %d named, %d unsure, %d not known, %d taken for another; strangers: %d not known, %d unsure, %d taken for a person",
			1+20*half, 20+20*half, n.named, n.unsure, n.unknown, n.wrong, n.strangers, n.strangersUnsure, n.strangersNamed)
	}
}
