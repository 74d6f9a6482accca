package vision

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/reachyd/reachyd/perception/recognize"
	"github.com/reachyd/reachyd/perception/vision/cv"
)

// The camera's pictures give a descriptor for each face that is large enough, from left to right.
func TestPortraits(t *testing.T) {
	c := newCanvas(640, 480, wall)
	c.face(170, 220, 120)
	c.face(480, 260, 90)
	path := filepath.Join(t.TempDir(), "two.jpg")
	if err := os.WriteFile(path, c.jpeg(t), 0o600); err != nil {
		t.Fatal(err)
	}
	e := openEyes(t, &Eyes{}, path)
	all, err := e.Portraits(t.Context(), 2)
	if !cv.Built {
		if !errors.Is(err, ErrUnknownThing) {
			t.Errorf("without OpenCV: %v", err)
		}
		return
	}
	if err != nil || len(all) != 2 || len(all[0]) != 2 || len(all[1]) != 2 {
		t.Fatalf("%d pictures, %v", len(all), err)
	}
	left, right := all[0][0], all[0][1]
	if left.Box.X > right.Box.X || left.Descriptor.Check() != nil || right.Descriptor.Check() != nil {
		t.Errorf("%+v, %+v", left.Box, right.Box)
	}
	if again := recognize.Distance(left.Descriptor, all[1][0].Descriptor); again != 0 {
		t.Errorf("the same picture again is %v away", again)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Portraits(t.Context(), 1); err == nil {
		t.Error("with eyes closed: no error")
	}
}
