//go:build opencv && matprofile

package cv

import (
	"testing"

	"gocv.io/x/gocv"
)

// gocv counts its matrices when it is built with the tag matprofile (go test -tags "opencv matprofile").
func TestMatricesAreClosed(t *testing.T) {
	c, err := OpenCascade(cascade)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	before := gocv.MatProfile.Count()
	for range 100 {
		if _, err := c.Find(make([]byte, 64*48), 64, 48, 1.2, 3, 20); err != nil {
			t.Fatal(err)
		}
	}
	if n := gocv.MatProfile.Count(); n != before {
		t.Errorf("%d matrices before, %d after", before, n)
	}
}
