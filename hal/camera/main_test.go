package camera

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// childVar makes this test program a stand-in for rpicam-vid; its value says how it behaves.
const childVar = "REACHYD_TEST_CAMERA"

func TestMain(m *testing.M) {
	if kind := os.Getenv(childVar); kind != "" {
		standIn(kind)
		return
	}
	goleak.VerifyTestMain(m)
}

// standIn writes pictures to standard output as rpicam-vid does.
func standIn(kind string) {
	if f := os.Getenv(childVar + "_PID"); f != "" {
		if err := os.WriteFile(f, fmt.Append(nil, os.Getpid()), 0o600); err != nil {
			panic(err)
		}
	}
	switch kind {
	case "silent":
		fmt.Fprintln(os.Stderr, "no cameras available!")
		select {}
	case "ends":
		os.Stdout.Write(pictureOf(64, 48, color.White))
		fmt.Fprintln(os.Stderr, "the ribbon cable came off")
		os.Exit(1)
	}
	for i := 0; ; i++ {
		if _, err := os.Stdout.Write(pictureOf(64, 48, color.Gray{uint8(i)})); err != nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// pictureOf is a JPEG of one colour.
func pictureOf(w, h int, c color.Color) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.Set(i%w, i/w, c)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		panic(err)
	}
	return b.Bytes()
}
