package camera

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"strings"
	"testing"
)

func encodePNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// promising is a PNG of one pixel whose header promises another size.
func promising(t testing.TB, w, h uint32) []byte {
	data := encodePNG(t, image.NewGray(image.Rect(0, 0, 1, 1)))
	binary.BigEndian.PutUint32(data[16:], w)
	binary.BigEndian.PutUint32(data[20:], h)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

func TestDecodeTakesEveryUsualPicture(t *testing.T) {
	var anim bytes.Buffer
	frame := image.NewPaletted(image.Rect(0, 0, 7, 5), color.Palette{color.Black, color.White})
	if err := gif.Encode(&anim, frame, nil); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		w, h int
	}{
		"jpeg":        {pictureOf(33, 17, color.White), 33, 17},
		"one pixel":   {encodePNG(t, image.NewRGBA(image.Rect(0, 0, 1, 1))), 1, 1},
		"a column":    {encodePNG(t, image.NewRGBA(image.Rect(0, 0, 1, 500))), 1, 500},
		"16 bit":      {encodePNG(t, image.NewRGBA64(image.Rect(0, 0, 9, 9))), 9, 9},
		"16 bit grey": {encodePNG(t, image.NewGray16(image.Rect(0, 0, 9, 9))), 9, 9},
		"transparent": {encodePNG(t, image.NewNRGBA(image.Rect(0, 0, 9, 9))), 9, 9},
		"gif":         {anim.Bytes(), 7, 5},
	} {
		img, err := Decode(c.data)
		if err != nil || img.Bounds().Dx() != c.w || img.Bounds().Dy() != c.h {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f, err := asFrame(c.data)
		if err != nil || f.Width != c.w || f.Height != c.h {
			t.Errorf("%s as a frame: %d×%d, %v", name, f.Width, f.Height, err)
		}
		if w, h, err := Size(f.JPEG); err != nil || w != c.w || h != c.h {
			t.Errorf("%s as a frame is %d×%d, %v", name, w, h, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	whole := pictureOf(64, 48, color.White)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":        {nil, "empty"},
		"text":           {[]byte("hello, I am a picture"), "unknown format"},
		"a header only":  {whole[:20], ""},
		"truncated":      {whole[:len(whole)/2], ""},
		"too wide":       {promising(t, MaxSide+1, 1), "8193×1"},
		"too high":       {promising(t, 1, MaxSide+1), "1×8193"},
		"too many":       {promising(t, MaxSide, MaxSide), "67108864 pixels"},
		"hostile":        {promising(t, 0x7fffffff, 0x7fffffff), ""},
		"less than said": {promising(t, 4000, 4000), ""},
		"no pixels":      {promising(t, 0, 0), ""},
		"too long":       {make([]byte, MaxFile+1), "bytes"},
	} {
		if _, err := Decode(c.data); !errors.Is(err, ErrPicture) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := asFrame(c.data); err == nil && name != "truncated" && name != "less than said" {
			t.Errorf("%s became a frame", name)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(pictureOf(8, 8, color.White))
	f.Add(encodePNG(f, image.NewGray16(image.Rect(0, 0, 3, 3))))
	f.Add(promising(f, 5000, 3))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00,"))
	f.Add([]byte("II*\x00\x08\x00\x00\x00"))
	f.Add([]byte("BM\x00\x00\x00\x00\x00\x00\x00\x006\x00\x00\x00(\x00\x00\x00"))
	f.Add([]byte("RIFF\x1a\x00\x00\x00WEBPVP8L"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if w, h, err := Size(data); err == nil && w*h > 1<<20 {
			return // allowed, but slow in a fuzzer
		}
		img, err := Decode(data)
		if (img == nil) == (err == nil) || err != nil && !errors.Is(err, ErrPicture) {
			t.Fatalf("%v, %v", img, err)
		}
	})
}
