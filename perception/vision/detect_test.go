package vision

import (
	"context"
	"errors"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/camera"
	"github.com/reachyd/reachyd/perception/scene"
	"github.com/reachyd/reachyd/perception/vision/cv"
)

// openEyes opens eyes that look at a file.
func openEyes(t testing.TB, e *Eyes, path string) *Eyes {
	t.Helper()
	e.Camera = &camera.Camera{Source: camera.File{Path: path, FPS: 100, Of: camera.SimIntrinsics}, Patience: time.Minute}
	if err := e.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(p, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// ask answers a question about what is in view.
func ask(t testing.TB, e *Eyes, question string) (string, error) {
	v, err := e.View(t.Context())
	return v.Answer(question), err
}

// In a photograph that somebody shows, a red and round thing is no apple of the simulated table.
func TestTableIsNotLookedForInPhotographs(t *testing.T) {
	c := newCanvas(640, 480, wall)
	for y := range 80 {
		for x := range 80 {
			if dx, dy := x-40, y-40; dx*dx+dy*dy < 1600 {
				c.SetRGBA(280+x, 300+y, color.RGBA{200, 20, 20, 255})
			}
		}
	}
	e := openEyes(t, &Eyes{Table: true}, write(t, "x.png", encodePNG(t, c)))
	live, err := e.View(t.Context())
	if err != nil || len(live.Named("apple")) != 1 {
		t.Fatalf("the camera of the simulation shows no apple: %+v, %v", live.Detections, err)
	}
	v, err := e.Inspect(t.Context(), encodePNG(t, c))
	if err != nil || len(v.Named("apple")) != 0 {
		t.Errorf("in a photograph: %+v, %v", v.Detections, err)
	}
}

func TestMotionIsWhatChangesWhileTheHeadIsStill(t *testing.T) {
	var m motion
	var p picture
	at := time.Unix(0, 0)
	s := sight{lens: camera.SimIntrinsics(640, 480), head: hal.IdentityPose, measured: true}
	show := func(draw func(canvas)) []scene.Detection {
		c := newCanvas(640, 480, wall)
		draw(c)
		p.take(c.RGBA)
		at = at.Add(200 * time.Millisecond)
		return m.detect(&p, &s, at)
	}
	box := func(x int) func(canvas) { return func(c canvas) { c.rect(x, 200, 80, 80, black) } }
	if got := show(box(100)); len(got) != 0 {
		t.Errorf("in the first picture: %v", got)
	}
	if got := show(box(100)); len(got) != 0 {
		t.Errorf("nothing has changed: %v", got)
	}
	got := show(box(180))
	if len(got) != 1 || got[0].Box.Overlap(scene.Box{X: 100, Y: 200, W: 160, H: 80}) < 0.7 {
		t.Fatalf("a box that moved: %+v", got)
	}
	if got[0].Yaw < 20 || got[0].Yaw > 35 {
		t.Errorf("it is at yaw %.1f", got[0].Yaw)
	}
	if got := show(func(c canvas) { c.rect(0, 0, 640, 480, white) }); len(got) != 0 {
		t.Errorf("the light: %v", got)
	}
	show(box(100))
	s.head = hal.Head{Yaw: 0.05}.Pose()
	if got := show(box(140)); len(got) != 0 {
		t.Errorf("the head turned: %v", got)
	}
	show(box(100))
	at = at.Add(time.Minute)
	if got := show(box(140)); len(got) != 0 {
		t.Errorf("a minute later: %v", got)
	}
}

func TestColourWords(t *testing.T) {
	for _, c := range []struct {
		r, g, b int
		want    string
	}{
		{200, 20, 20, "red"},
		{250, 210, 20, "yellow"},
		{20, 120, 30, "green"},
		{30, 60, 200, "blue"},
		{10, 10, 10, "black"},
		{250, 250, 245, "white"},
		{128, 130, 126, "grey"},
		{250, 140, 20, "orange"},
		{120, 70, 30, "brown"},
		{250, 150, 170, "pink"},
		{130, 40, 190, "purple"},
		{30, 190, 180, "turquoise"},
		{0, 0, 0, "black"},
	} {
		if got := colourWord(c.r, c.g, c.b); got != c.want {
			t.Errorf("(%d, %d, %d) is called %s, not %s", c.r, c.g, c.b, got, c.want)
		}
	}
	for r := range 26 { // no colour is without a word
		for g := range 26 {
			for b := range 26 {
				if colourWord(10*r, 10*g, 10*b) == "" {
					t.Fatal(r, g, b)
				}
			}
		}
	}
}

func TestMainColours(t *testing.T) {
	c := newCanvas(640, 480, color.RGBA{30, 60, 200, 255})
	c.rect(0, 0, 640, 160, white)
	c.rect(0, 0, 20, 20, color.RGBA{200, 20, 20, 255}) // too small to be one
	e := openEyes(t, &Eyes{}, write(t, "x.jpg", c.jpeg(t)))
	v, err := e.View(t.Context())
	if err != nil || !slices.Equal(v.Colours, []string{"blue", "white"}) {
		t.Errorf("%v, %v", v.Colours, err)
	}
	if text := v.Answer("what colours do you see"); text != "Mostly blue and white." {
		t.Error(text)
	}
}

func TestDarkness(t *testing.T) {
	e := openEyes(t, &Eyes{Table: true}, write(t, "x.jpg", newCanvas(640, 480, color.RGBA{5, 5, 5, 255}).jpeg(t)))
	if text, err := ask(t, e, "where is the duck"); err != nil || text != "It is too dark for me to see anything." {
		t.Errorf("%q, %v", text, err)
	}
}

// pictures of every kind that one can think of.
func kinds(t testing.TB) map[string]image.Image {
	noise := image.NewRGBA(image.Rect(0, 0, 321, 203))
	for i := range noise.Pix {
		noise.Pix[i] = byte(i * i >> 3)
	}
	cmyk := image.NewCMYK(image.Rect(0, 0, 50, 40))
	shifted := newCanvas(400, 300, wall).SubImage(image.Rect(13, 17, 333, 257))
	return map[string]image.Image{
		"one pixel": image.NewRGBA(image.Rect(0, 0, 1, 1)), "a row": image.NewRGBA(image.Rect(0, 0, 700, 1)),
		"a column": image.NewGray(image.Rect(0, 0, 1, 700)), "narrow": image.NewRGBA(image.Rect(0, 0, 3, 900)),
		"wide": image.NewRGBA(image.Rect(0, 0, 8192, 20)), "high": image.NewGray(image.Rect(0, 0, 20, 8192)),
		"15": image.NewRGBA(image.Rect(0, 0, 15, 15)), "41×39": image.NewRGBA(image.Rect(0, 0, 41, 39)),
		"16 bit": image.NewRGBA64(image.Rect(0, 0, 99, 77)), "16 bit grey": image.NewGray16(image.Rect(0, 0, 99, 77)),
		"transparent": image.NewNRGBA(image.Rect(0, 0, 99, 77)), "cmyk": cmyk, "noise": noise, "shifted": shifted,
		"4:1:0":   image.NewYCbCr(image.Rect(0, 0, 37, 31), image.YCbCrSubsampleRatio410),
		"4:4:4":   image.NewYCbCr(image.Rect(5, 7, 642, 487), image.YCbCrSubsampleRatio444),
		"palette": image.NewPaletted(image.Rect(0, 0, 64, 64), color.Palette{color.White, color.Black}),
	}
}

func TestPicturesOfEveryKind(t *testing.T) {
	e := openEyes(t, &Eyes{Table: true}, "nothing.jpg")
	for name, img := range kinds(t) {
		e.mu.Lock()
		b := img.Bounds()
		s := sight{lens: e.Camera.Source.Intrinsics(b.Dx(), b.Dy()), head: hal.IdentityPose, measured: true}
		v, err := e.detect(t.Context(), img, &s, time.Now(), everything)
		e.mu.Unlock()
		if err != nil || v.Width != b.Dx() || v.Height != b.Dy() {
			t.Errorf("%s: %d×%d, %v", name, v.Width, v.Height, err)
		}
		for _, d := range v.Detections {
			if d.Box.X < 0 || d.Box.Y < 0 || d.Box.X+d.Box.W > v.Width || d.Box.Y+d.Box.H > v.Height {
				t.Errorf("%s: a box out of the picture: %+v", name, d)
			}
		}
		if _, ok := img.(*image.YCbCr); ok {
			continue // no file format has these
		}
		if _, err := e.Inspect(t.Context(), encodePNG(t, img)); err != nil {
			t.Errorf("%s as a file: %v", name, err)
		}
	}
}

func TestPicturesThatAreNone(t *testing.T) {
	e := openEyes(t, &Eyes{Table: true}, "nothing.jpg")
	whole := newCanvas(640, 480, wall).jpeg(t)
	broken := slices.Clone(whole)
	for i := 700; i < len(broken); i += 7 {
		broken[i] ^= 0x5a
	}
	for name, data := range map[string][]byte{
		"nothing": nil, "text": []byte("I am a picture."), "half": whole[:len(whole)/2], "header": whole[:200],
		"gif header": []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00"),
	} {
		if _, err := e.Inspect(t.Context(), data); !errors.Is(err, camera.ErrPicture) {
			t.Errorf("%s: %v", name, err)
		}
	}
	e.Inspect(t.Context(), broken) // may be an error or not; it must come back
}

// Whatever bytes come in, there is a view or an error that says that they are no picture.
func FuzzInspect(f *testing.F) {
	c := newCanvas(64, 48, wall)
	c.face(32, 24, 30)
	f.Add(c.jpeg(f))
	f.Add(encodePNG(f, c))
	f.Add([]byte("\xff\xd8\xff\xd9"))
	e := openEyes(f, &Eyes{Table: true}, "nothing.jpg")
	f.Fuzz(func(t *testing.T, data []byte) {
		if w, h, err := camera.Size(data); err == nil && w*h > 1<<20 {
			return // allowed, but slow
		}
		if _, err := e.Inspect(t.Context(), data); err != nil && !errors.Is(err, camera.ErrPicture) {
			t.Fatal(err)
		}
	})
}

func TestModelsThatAreNone(t *testing.T) {
	dir := t.TempDir()
	pointer := []byte("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n")
	for _, name := range []string{yoloxFiles[0], yuNetFiles[0]} {
		if err := os.WriteFile(filepath.Join(dir, name), pointer, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := checkModel(filepath.Join(dir, yoloxFiles[0])); err == nil || !strings.Contains(err.Error(), "not downloaded") {
		t.Errorf("a pointer is taken for a network: %v", err)
	}
	if err := checkModel(dir); err == nil {
		t.Error("a directory is taken for a network")
	}
	rubbish := make([]byte, leastModel)
	for i := range rubbish {
		rubbish[i] = byte(i * 7)
	}
	for _, name := range []string{yoloxFiles[0], yuNetFiles[0]} {
		if err := os.WriteFile(filepath.Join(dir, name), rubbish, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := openEyes(t, &Eyes{Models: dir}, "nothing.jpg")
	said := strings.Join(e.Missing(), "\n")
	if !strings.Contains(said, "YOLOX") || cv.Built && !strings.Contains(said, "YuNet") {
		t.Errorf("missing is %q", said)
	}
	if cv.Built && e.faces == nil {
		t.Error("a broken YuNet took the cascade away")
	}
	broken := t.TempDir()
	if err := os.MkdirAll(filepath.Join(broken, "lbpcascades"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "<?xml version=\"1.0\"?><opencv_storage><cascade>", "<xml", string(rubbish)} {
		if err := os.WriteFile(filepath.Join(broken, faceCascade), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if f, err := openFaces("", broken); err == nil {
			f.close()
			t.Errorf("%q is a cascade", text[:min(20, len(text))])
		}
	}
}

func TestUnknownThings(t *testing.T) {
	e := openEyes(t, &Eyes{Table: true}, "nothing.jpg")
	for _, name := range []string{"banana", "the unicorns"} {
		if _, err := e.Detect(t.Context(), name); !errors.Is(err, ErrUnknownThing) || !strings.Contains(err.Error(), "apple") {
			t.Errorf("%v", err)
		}
		if _, err := e.LookAt(t.Context(), name); !errors.Is(err, ErrUnknownThing) {
			t.Errorf("%v", err)
		}
	}
	if _, err := e.LookAt(t.Context(), "apple"); err == nil || !strings.Contains(err.Error(), "no body") {
		t.Errorf("%v", err)
	}
	if err := e.Track(t.Context(), true); err == nil {
		t.Error("a face is followed without a body")
	}
}

func TestEyesOpenAndClose(t *testing.T) {
	if err := (&Eyes{}).Open(); err == nil {
		t.Error("eyes without a camera")
	}
	before := cv.Live()
	e := openEyes(t, &Eyes{Table: true}, "nothing.jpg")
	if err := e.Open(); err == nil {
		t.Error("opened twice")
	}
	for range 3 {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := cv.Live(); n != before {
		t.Errorf("%d objects of OpenCV before, %d after", before, n)
	}
	if _, err := e.Inspect(t.Context(), newCanvas(64, 64, wall).jpeg(t)); !errors.Is(err, errNotOpen) {
		t.Errorf("%v", err)
	}
	if _, err := e.Camera.Frame(context.Background()); !errors.Is(err, camera.ErrClosed) {
		t.Errorf("%v", err)
	}
}
