package cv

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const cascade = "/usr/share/opencv4/lbpcascades/lbpcascade_frontalface.xml"

func TestWithoutOpenCV(t *testing.T) {
	if Built {
		return // the other tests are about that
	}
	_, a := OpenCascade(cascade)
	_, b := OpenYuNet("x", 320, 240)
	_, c := OpenNet("x")
	for _, err := range []error{a, b, c} {
		if !errors.Is(err, ErrNotBuilt) {
			t.Errorf("%v", err)
		}
	}
}

func TestSizesOfPictures(t *testing.T) {
	for _, c := range []struct {
		n, w, h int
		ok      bool
	}{
		{16 * 16, 16, 16, true},
		{4096 * 16, 4096, 16, true},
		{0, 0, 0, false},
		{15 * 16, 15, 16, false},
		{16 * 15, 16, 15, false},
		{4097 * 16, 4097, 16, false},
		{255, 16, 16, false},
		{257, 16, 16, false},
		{0, -16, -16, false},
	} {
		if err := checkPixels(make([]byte, c.n), c.w, c.h, 1); (err == nil) != c.ok {
			t.Errorf("%d bytes as %d×%d: %v", c.n, c.w, c.h, err)
		}
	}
}

// What OpenCV throws comes back as an error: a file that is none, and one that breaks its own rules.
func TestFilesThatBreakOpenCV(t *testing.T) {
	if !Built {
		return
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"none": "", "half": "<?xml version=\"1.0\"?>\n<opencv_storage>\n<cascade type_id=",
		"other": "<?xml version=\"1.0\"?>\n<opencv_storage><a>1</a></opencv_storage>\n",
		"text":  strings.Repeat("not a model ", 2000),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, a := OpenCascade(path)
		_, b := OpenYuNet(path, 320, 240)
		_, c := OpenNet(path)
		for i, err := range []error{a, b, c} {
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s by opener %d: %v", name, i, err)
			}
		}
	}
	if n := Live(); n != 0 {
		t.Errorf("%d objects are left", n)
	}
}

func TestCascade(t *testing.T) {
	if !Built {
		return
	}
	c, err := OpenCascade(cascade)
	if err != nil {
		t.Fatal(err)
	}
	if Live() != 1 {
		t.Errorf("%d objects are in use", Live())
	}
	grey := make([]byte, 64*48)
	if hits, err := c.Find(grey, 64, 48, 1.2, 3, 20); err != nil || len(hits) != 0 {
		t.Errorf("in black: %v, %v", hits, err)
	}
	for _, bad := range []struct {
		scale            float64
		neighbours, side int
	}{{1, 3, 20}, {1.2, 0, 20}, {1.2, 3, 0}, {9, 3, 20}} {
		if _, err := c.Find(grey, 64, 48, bad.scale, bad.neighbours, bad.side); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	if _, err := c.Find(grey, 48, 48, 1.2, 3, 20); err == nil {
		t.Error("more bytes than pixels were taken")
	}
	c.Close()
	c.Close()
	if _, err := c.Find(grey, 64, 48, 1.2, 3, 20); err == nil {
		t.Error("it works after Close")
	}
	if Live() != 0 {
		t.Errorf("%d objects are left", Live())
	}
}

// Every cascade of Debian but one passes the check, and whatever passes has all its parts.
func TestCheckCascade(t *testing.T) {
	all, err := filepath.Glob("/usr/share/opencv4/*cascades/*.xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		old := strings.HasSuffix(path, "licence_plate_rus_16stages.xml") // in a form of before 2010
		if err := checkCascade(path); (err == nil) == old {
			t.Errorf("%s: %v", path, err)
		}
	}
	err = readCascade(strings.NewReader("<opencv_storage><cascade><stages/><height>3</height></cascade><width/></opencv_storage>"))
	if err == nil || err.Error() != "it lacks stageType, featureType, width, features" {
		t.Errorf("%v", err)
	}
}

func FuzzReadCascade(f *testing.F) {
	f.Add("<opencv_storage><cascade><stageType/><featureType/><height/><width/><stages/><features/></cascade></opencv_storage>")
	f.Add("</a>")
	f.Add("<?xml version=\"1.0\"?>")
	f.Fuzz(func(t *testing.T, text string) {
		if readCascade(strings.NewReader(text)) == nil && !strings.Contains(text, "features") {
			t.Fatal("it has no features")
		}
	})
}
