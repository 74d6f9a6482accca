package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// samples reads a recording to its end.
func samples(t *testing.T, data []byte) (rate int, out []float64) {
	t.Helper()
	r, err := WAV(data)
	if err != nil {
		t.Fatal(err)
	}
	wav, err := io.ReadAll(r)
	if err != nil || len(wav) < 44 || string(wav[36:40]) != "data" {
		t.Fatalf("%d bytes, %v", len(wav), err)
	}
	for b := wav[44:]; len(b) > 1; b = b[2:] {
		out = append(out, float64(int16(binary.LittleEndian.Uint16(b)))/32768)
	}
	return int(binary.LittleEndian.Uint32(wav[24:])), out
}

// part is how much of the power of a sound is at a frequency.
func part(x []float64, rate int, hz float64) float64 {
	var re, im, all float64
	for i, v := range x {
		a := 2 * math.Pi * hz * float64(i) / float64(rate)
		re, im, all = re+v*math.Cos(a), im+v*math.Sin(a), all+v*v
	}
	return 2 * (re*re + im*im) / float64(len(x)) / all
}

// Files of libsndfile (testdata/make.py): half a second of 440 Hz at 0.4 of full scale; of two channels the right one is half as loud.
func TestFormatsAreDecoded(t *testing.T) {
	for _, c := range []struct {
		name string
		rate int
		loud float64
	}{
		{"tone.flac", 16000, 0.4},
		{"stereo24.flac", 22050, 0.3},
		{"tone.mp3", 22050, 0.4},
		{"stereo.mp3", 44100, 0.3},
		{"tone.opus", 16000, 0.4},
		{"tone16.opus", 16000, 0.4},
		{"stereo.opus", 16000, 0.3},
	} {
		rate, x := samples(t, file(t, c.name))
		if rate != c.rate {
			t.Errorf("%s has %d samples a second, want %d", c.name, rate, c.rate)
		}
		if s := float64(len(x)) / float64(rate); s < 0.48 || s > 0.62 { // MP3 is filled up
			t.Errorf("%s is %.3f s long, want 0.5", c.name, s)
		}
		most := 0.0
		for _, v := range x {
			most = max(most, math.Abs(v))
		}
		middle := x[len(x)/4 : len(x)*3/4]
		if p := part(middle, rate, 440); p < 0.97 || math.Abs(most-c.loud) > 0.06 {
			t.Errorf("%s: %.3f of it is the tone, %.2f loud; want 1 and %.2f", c.name, p, most, c.loud)
		}
	}
}

func TestWAVIsLeftAsItIs(t *testing.T) {
	wav := append(Head(16000), 1, 2, 3, 4)
	r, err := WAV(wav)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, wav) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhatIsNotDecodedIsNamed(t *testing.T) {
	for want, data := range map[string][]byte{
		"Ogg Vorbis":           file(t, "vorbis.ogg"),
		"WebM":                 []byte("\x1a\x45\xdf\xa3webm"),
		"MPEG-4":               []byte("\x00\x00\x00\x20ftypM4A "),
		"AAC":                  []byte("\xff\xf1\x50\x80"),
		"no sound":             []byte("hello"),
		"is FLAC that is dam":  []byte("fLaC"),
		"is MP3 that is damag": []byte("ID3"),
		"with neither Opus":    []byte("OggS"),
	} {
		if _, err := WAV(data); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "audio: ") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := WAV(nil); !errors.Is(err, ErrFormat) {
		t.Errorf("nothing: %v", err)
	}
}

// endless gives the same samples for ever.
type endless struct{ samples []int32 }

func (endless) rate() int { return 48000 }

func (e endless) next() (samples []int32, channels, bits int, err error) {
	return e.samples, 2, 24, nil
}

// panics is a decoder with a fault.
type panics struct{ endless }

func (panics) next() (samples []int32, channels, bits int, err error) { panic("index out of range") }

// A bomb ends at the limit, and takes no memory until then; a decoder that panics has found damage.
func TestLimits(t *testing.T) {
	r, err := read("FLAC", nil, func([]byte) (decoder, error) { return endless{make([]int32, 1<<15)}, nil })
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r)
	if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "longer than 15m") || n > 15*60*48000*2+1<<16 {
		t.Errorf("%d bytes, %v", n, err)
	}
	r, err = read("FLAC", nil, func([]byte) (decoder, error) { return panics{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "damaged: index") {
		t.Errorf("after a panic: %v", err)
	}
}

// Whatever comes, the answer is sound or a reason.
func FuzzWAV(f *testing.F) {
	for _, name := range []string{"tone.flac", "tone.mp3", "tone16.opus", "stereo.opus", "vorbis.ogg"} {
		data := file(f, name)
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := WAV(data)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		if err != nil && !errors.Is(err, ErrFormat) {
			t.Errorf("%v", err)
		}
	})
}
