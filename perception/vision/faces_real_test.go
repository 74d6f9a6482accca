package vision

import (
	"bytes"
	"encoding/xml"
	"image"
	"image/draw"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/perception/scene"
	"github.com/reachyd/reachyd/perception/vision/cv"
)

// labelled are pictures of people with the boxes of their faces, in the form of dlib's examples/faces.
type labelled struct {
	Images []struct {
		File  string `xml:"file,attr"`
		Boxes []struct {
			Top    float64 `xml:"top,attr"`
			Left   float64 `xml:"left,attr"`
			Width  float64 `xml:"width,attr"`
			Height float64 `xml:"height,attr"`
		} `xml:"box"`
	} `xml:"images>image"`
}

// held shows a picture at an angle and a size on a grey wall of 640×480, and says where its points come to lie.
func held(src image.Image, angle, size float64) (canvas, func(x, y float64) (float64, float64)) {
	const w, h = 640, 480
	c := newCanvas(w, h, wall)
	b := src.Bounds()
	sin, cos := math.Sincos(angle / degrees)
	mx, my := float64(b.Dx())/2, float64(b.Dy())/2
	n := int(math.Ceil(1 / size)) // samples a pixel, each way
	for y := range h {
		for x := range w {
			var sum [3]int
			for i := range n * n {
				dx, dy := (float64(x)+(float64(i%n)+0.5)/float64(n)-w/2)/size, (float64(y)+(float64(i/n)+0.5)/float64(n)-h/2)/size
				at := image.Pt(int(math.Floor(cos*dx-sin*dy+mx)), int(math.Floor(sin*dx+cos*dy+my)))
				col := wall
				if at.In(b) {
					col = src.(*image.RGBA).RGBAAt(at.X, at.Y)
				}
				sum[0], sum[1], sum[2] = sum[0]+int(col.R), sum[1]+int(col.G), sum[2]+int(col.B)
			}
			o := c.PixOffset(x, y)
			for k := range sum {
				c.Pix[o+k] = byte(sum[k] / (n * n))
			}
		}
	}
	return c, func(x, y float64) (float64, float64) {
		dx, dy := (x-mx)*size, (y-my)*size
		return cos*dx + sin*dy + w/2, -sin*dx + cos*dy + h/2
	}
}

func readPicture(t testing.TB, path string) *image.RGBA {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	img, err := camera.Decode(data)
	if err != nil {
		t.Fatal(path, err)
	}
	flat := image.NewRGBA(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	draw.Draw(flat, flat.Bounds(), img, img.Bounds().Min, draw.Src)
	return flat
}

func readLabels(t testing.TB, path string) (set labelled) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // ISO-8859-1, of which only ASCII is used
	if err := d.Decode(&set); err != nil {
		t.Fatal(path, err)
	}
	return set
}

// Faces of labelled photographs, small, tilted, and none where nobody is. REACHYD_FACES is a directory with dlib's examples/faces
// (photographs of PASCAL VOC, which are not ours to give away), and photographs without people in none/.
func TestFacesInPhotographs(t *testing.T) {
	dir := os.Getenv("REACHYD_FACES")
	if dir == "" || !cv.Built {
		t.Log("NOT TESTED: REACHYD_FACES names no directory with dlib's examples/faces, or this is built without OpenCV")
		return
	}
	e := openEyes(t, &Eyes{}, "nothing.jpg")
	for _, v := range []struct {
		face, angle float64 // the median of a picture's faces is made so many pixels wide
		least       float64 // of them that are to be found
	}{{60, 0, 0.7}, {30, 0, 0.6}, {60, 20, 0.6}, {60, 40, 0.6}} {
		all, found, wrong := 0, 0, 0
		for _, name := range []string{"training.xml", "testing.xml"} {
			for _, p := range readLabels(t, filepath.Join(dir, name)).Images {
				var sum float64
				for _, b := range p.Boxes {
					sum += b.Width / float64(len(p.Boxes))
				}
				c, at := held(readPicture(t, filepath.Join(dir, p.File)), v.angle, v.face/sum)
				view, err := e.Inspect(t.Context(), encodePNG(t, c))
				if err != nil {
					t.Fatal(err)
				}
				hits := view.Named(scene.Face)
				used := make([]bool, len(hits))
				for _, b := range p.Boxes {
					x, y := at(b.Left+b.Width/2, b.Top+b.Height/2)
					if x < 0 || y < 0 || x >= 640 || y >= 480 {
						continue
					}
					all++
					for i, d := range hits {
						hx, hy := d.Box.Center()
						if !used[i] && math.Hypot(hx-x, hy-y) < b.Width*v.face/sum/2 {
							used[i] = true
							found++
							break
						}
					}
				}
				for i := range used {
					if !used[i] {
						wrong++
					}
				}
			}
		}
		t.Logf("faces of %2.0f pixels held at %3.0f°: %2d of %2d found, %d where no face is labelled", v.face, v.angle, found, all, wrong)
		if float64(found) < v.least*float64(all) {
			t.Errorf("fewer than %.0f %%", 100*v.least)
		}
	}
	none, err := filepath.Glob(filepath.Join(dir, "none", "*"))
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for _, path := range none {
		for _, angle := range []float64{0, 30} {
			src := readPicture(t, path)
			c, _ := held(src, angle, 640/float64(src.Bounds().Dx()))
			view, err := e.Inspect(t.Context(), encodePNG(t, c))
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range view.Named(scene.Face) {
				t.Logf("%s at %.0f°: %+v", filepath.Base(path), angle, d.Box)
				wrong++
			}
		}
	}
	t.Logf("%d faces in %d photographs without people, each shown twice", wrong, len(none))
}
