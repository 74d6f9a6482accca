package e2e

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/vision/visiontest"
)

// show has a camera, which is a directory of pictures, see a wall with a face of a width before it; none for 0.
func show(t *testing.T, dir string, width float64) {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 640, 480))
	draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{150, 160, 165, 255}), image.Point{}, draw.Src)
	if width > 0 {
		visiontest.Face(img, 320, 240, width)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 90}); err != nil {
		t.Fatal(err)
	}
	next := filepath.Join(dir, "next")
	for _, name := range []string{"1.jpg", "2.jpg"} { // one by itself is read only once
		if err := os.WriteFile(next, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// From the camera's picture to the sentence, by all processes: a face is learned by name, known again, and forgotten.
func TestItKnowsWhoItSees(t *testing.T) {
	t.Parallel() // it mostly waits
	if !senses {
		t.Fatal("the senses are not built here: make setup-test installs what they need")
	}
	pictures := t.TempDir()
	show(t, pictures, 0)
	r := newRobot(t)
	r.setenv("REACHYD_SENSE_RUN=auto")
	r.setenv("REACHYD_SENSE_SPEAKER=null")
	r.setenv("REACHYD_SENSE_CAMERA=" + pictures)
	r.start()
	r.until("the senses", func() bool { return r.pid("sense") > 0 })
	r.until("the eye to be a tool", func() bool {
		out, _ := r.ctl("say", "what do you see")
		return !strings.Contains(out, "not available")
	})
	who := func() string {
		t.Helper()
		out, _ := r.ctl("say", "Who is this?")
		return out
	}
	if out := who(); strings.Contains(out, "Anna") || !strings.Contains(out, "nobody") && !strings.Contains(out, "no face") {
		t.Errorf("a wall: %s", out)
	}
	show(t, pictures, 150)
	r.until("a face that it does not know", func() bool {
		out := who()
		if strings.Contains(out, "Anna") {
			t.Fatal(out)
		}
		return strings.Contains(out, "do not know")
	})
	if out, code := r.ctl("say", "Remember my face, I am Anna."); code != 0 || !strings.Contains(out, "Anna") {
		t.Fatalf("exit %d: %s", code, out)
	}
	show(t, pictures, 130) // she stands further away
	if out := who(); !strings.Contains(out, "This is Anna") {
		t.Errorf("who it is: %s", out)
	}
	show(t, pictures, 0)
	// The newest picture of a busy machine may be one from before.
	r.until("nobody to be there", func() bool { return !strings.Contains(who(), "Anna") })
	if out, code := r.ctl("say", "Forget Anna's face."); code != 0 {
		t.Errorf("exit %d: %s", code, out)
	}
	show(t, pictures, 150)
	if out := who(); strings.Contains(out, "Anna") {
		t.Errorf("forgotten: %s", out)
	}
}
