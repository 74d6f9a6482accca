package camera

import (
	"bytes"
	"errors"
	"image/color"
	"io"
	"testing"
	"testing/iotest"
)

// thumbnailed is a picture with another one in its header, as photo cameras write them.
func thumbnailed() []byte {
	outer, inner := pictureOf(32, 16, color.White), pictureOf(8, 8, color.Black)
	n := len(inner) + 2
	out := append([]byte{0xff, soi, 0xff, 0xe1, byte(n >> 8), byte(n)}, inner...)
	return append(out, outer[2:]...)
}

func split(t testing.TB, r io.Reader) (all [][]byte, err error) {
	t.Helper()
	s := NewSplitter(r)
	for {
		p, err := s.Next()
		if err != nil {
			return all, err
		}
		all = append(all, p)
	}
}

func TestSplitter(t *testing.T) {
	a, b := pictureOf(64, 48, color.White), pictureOf(48, 64, color.Black)
	join := func(parts ...any) []byte {
		var out []byte
		for _, p := range parts {
			switch p := p.(type) {
			case []byte:
				out = append(out, p...)
			case string:
				out = append(out, p...)
			}
		}
		return out
	}
	filled := join(a[:2], "\xff\xff\xff", a[2:]) // fill bytes before a marker
	for name, c := range map[string]struct {
		in   []byte
		want [][]byte
		end  error
	}{
		"nothing":            {nil, nil, io.EOF},
		"one":                {a, [][]byte{a}, io.EOF},
		"two":                {join(a, b), [][]byte{a, b}, io.EOF},
		"multipart":          {join("--frame\r\nContent-Type: image/jpeg\r\n\r\n", a, "\r\n--frame\r\n\r\n", b, "\r\n"), [][]byte{a, b}, io.EOF},
		"ff before":          {join("\xff\xff", a), [][]byte{a}, io.EOF},
		"thumbnail":          {join(thumbnailed(), b), [][]byte{thumbnailed(), b}, io.EOF},
		"cut off":            {join(a, b[:len(b)-1]), [][]byte{a}, io.ErrUnexpectedEOF},
		"cut off, then more": {join(a[:20], b, b), [][]byte{b}, io.EOF}, // the first b is lost with a
		"bad length":         {join("\xff\xd8\xff\xe0\x00\x01", a), [][]byte{a}, io.EOF},
		"fill bytes":         {filled, [][]byte{a}, io.EOF},
		"noise":              {bytes.Repeat([]byte{0xff, 0xd8, 0x00}, 1000), nil, io.EOF},
	} {
		for how, r := range map[string]io.Reader{
			"at once": bytes.NewReader(c.in), "by bytes": iotest.OneByteReader(bytes.NewReader(c.in)),
		} {
			got, err := split(t, r)
			if !errors.Is(err, c.end) || len(got) != len(c.want) {
				t.Errorf("%s, %s: %d pictures, %v; want %d, %v", name, how, len(got), err, len(c.want), c.end)
				continue
			}
			for i := range got {
				if !bytes.Equal(got[i], c.want[i]) {
					t.Errorf("%s, %s: picture %d differs", name, how, i)
				}
			}
		}
	}
}

// Nobody can make the splitter keep more than its limit, nor wait for what is longer.
func TestSplitterLimit(t *testing.T) {
	good := pictureOf(8, 8, color.White)
	if s := NewSplitter(nil); s.most != MaxJPEG {
		t.Errorf("the limit is %d", s.most)
	}
	const most = 100_000
	cut := bytes.Clone(good[:len(good)-2])
	segments := append(bytes.Clone(good[:2]), bytes.Repeat(append([]byte{0xff, 0xe0, 0xff, 0xff}, make([]byte, 0xfffd)...), 3)...)
	for name, endless := range map[string][]byte{"scan": append(cut, make([]byte, most)...), "header": segments} {
		// The picture behind it may be lost with it, the one after that not.
		s := NewSplitter(io.MultiReader(bytes.NewReader(endless), bytes.NewReader(good), bytes.NewReader(good)))
		s.most = most
		got, err := s.Next()
		if err != nil || !bytes.Equal(got, good) || cap(s.buf) > 3*most {
			t.Errorf("%s: %d bytes, %v; %d bytes are kept", name, len(got), err, cap(s.buf))
		}
	}
}

func TestTablesThatAreLeftOut(t *testing.T) {
	whole := pictureOf(64, 48, color.RGBA{200, 30, 30, 255})
	at, _ := tablesOf(whole)
	n := 2 + int(whole[at+2])<<8 + int(whole[at+3])
	bare := append(bytes.Clone(whole[:at]), whole[at+n:]...)
	if _, has := tablesOf(bare); has {
		t.Fatal("the tables are still there")
	}
	img, err := Decode(bare)
	if err != nil {
		t.Fatal(err)
	}
	if r, g, _, _ := img.At(30, 20).RGBA(); r>>8 < 180 || g>>8 > 60 {
		t.Errorf("got colour %d, %d", r>>8, g>>8)
	}
	if &withTables(whole)[0] != &whole[0] {
		t.Error("a picture with tables was copied")
	}
}

func FuzzSplitter(f *testing.F) {
	a := pictureOf(16, 16, color.White)
	f.Add(a)
	f.Add(append(bytes.Clone(a[:30]), a...))
	f.Add(thumbnailed())
	f.Add([]byte("\xff\xd8\xff\xda\x00\x02\xff\x00\xff\xd0\xff\xd9"))
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := split(t, bytes.NewReader(in))
		if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatal(err)
		}
		total := 0
		for _, p := range got {
			if !bytes.HasPrefix(p, []byte{0xff, soi, 0xff}) || !bytes.HasSuffix(p, []byte{0xff, eoi}) {
				t.Fatalf("% x is no picture", p)
			}
			again, _ := split(t, bytes.NewReader(p))
			if len(again) != 1 || !bytes.Equal(again[0], p) {
				t.Fatalf("% x does not split into itself", p)
			}
			total += len(p)
		}
		if total > len(in) {
			t.Fatalf("%d bytes out of %d", total, len(in))
		}
	})
}
