//go:build opencv

package main

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"

	"github.com/reachyd/reachyd/daemon/worker"
	"github.com/reachyd/reachyd/perception/client"
)

// seeing are arguments for a host that only sees, through a camera that is a picture.
func seeing(dir string) []string {
	return []string{
		"--socket", filepath.Join(dir, "sock"), "--models", dir, "--photos", filepath.Join(dir, "photos"), "--speech", off,
		"--microphone", off, "--speaker", off, "--camera", filepath.Join(dir, "eye.jpg"),
	}
}

// drawing is a small picture of a red ball on a grey table.
func drawing(t testing.TB) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 160, 120))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.Gray{140}), image.Point{}, draw.Src)
	for y := range 30 {
		for x := range 30 {
			if (x-15)*(x-15)+(y-15)*(y-15) < 200 {
				img.Set(65+x, 45+y, color.RGBA{200, 20, 30, 255})
			}
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// eyed is the real program with eyes.
func eyed(t testing.TB) *client.Client {
	t.Helper()
	dir := shortDir(t)
	if err := os.WriteFile(filepath.Join(dir, "eye.jpg"), drawing(t), 0o600); err != nil {
		t.Fatal(err)
	}
	s := supervise(t, seeing(dir))
	s.until(t, worker.Running)
	c := client.New(s.Socket)
	t.Cleanup(c.Close)
	return c
}

func TestTheProgramSees(t *testing.T) {
	t.Parallel()
	c := eyed(t)
	st, err := c.State(t.Context())
	if err != nil || st.Sight.Off != "" || len(st.Sight.Detectors) == 0 {
		t.Fatalf("%+v, %v", st.Sight, err)
	}
	if data, err := c.Frame(t.Context()); err != nil || !bytes.Equal(data, drawing(t)) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	p, err := c.TakePhoto(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if data, err := c.Photo(t.Context(), p.Name); err != nil || !bytes.Equal(data, drawing(t)) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if text, err := c.Describe(t.Context(), p.Name, "What do you see?"); err != nil || text == "" {
		t.Errorf("%q, %v", text, err)
	}
	if v, err := c.Detect(t.Context(), ""); err != nil || v.Width != 160 {
		t.Errorf("%+v, %v", v, err)
	}
	_, err = c.Detect(t.Context(), "unicorn")
	if refused, ok := err.(*client.Error); !ok || refused.Status != 404 { //nolint:errorlint // the client returns it as it is
		t.Errorf("%v", err)
	}
}

func TestMemoryIsFlatOverPictures(t *testing.T) { t.Parallel(); pictures(t, 70) }

// BenchmarkPictures is the long run: go test -tags opencv -run xxx -bench Pictures -benchtime 10000x ./cmd/reachy-sense
func BenchmarkPictures(b *testing.B) { pictures(b, b.N) }

// pictures has the real program look at pictures, and fails when its memory grows.
func pictures(t testing.TB, n int) {
	c := eyed(t)
	picture := drawing(t)
	see := func(n int) {
		for range n {
			if s, err := c.See(context.Background(), bytes.NewReader(picture), ""); err != nil || s.View.Width != 160 {
				t.Fatalf("%+v, %v", s, err)
			}
		}
	}
	see(30) // what is loaded once is loaded now
	before := residentMB(t, c)
	see(n)
	after := residentMB(t, c)
	if b, ok := t.(*testing.B); ok {
		b.ReportMetric(before, "MB-before")
		b.ReportMetric(after, "MB-after")
	}
	t.Logf("%.1f MB after 30 pictures, %.1f MB after %d more", before, after, n)
	if after > before+16+before/10 {
		t.Errorf("from %.1f MB to %.1f MB", before, after)
	}
}
