package audio

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

// wavFile makes a WAV file whose channels carry the given values.
func wavFile(tag, channels, rate, bits int, extensible bool, sound []byte) []byte {
	le := binary.LittleEndian
	format := le.AppendUint16(nil, uint16(tag))
	if extensible {
		format = le.AppendUint16(nil, wavExtensible)
	}
	format = le.AppendUint16(format, uint16(channels))
	format = le.AppendUint32(format, uint32(rate))
	format = le.AppendUint32(format, uint32(rate*channels*bits/8))
	format = le.AppendUint16(format, uint16(channels*bits/8))
	format = le.AppendUint16(format, uint16(bits))
	if extensible {
		format = le.AppendUint16(format, 22)
		format = le.AppendUint16(format, uint16(bits))
		format = le.AppendUint32(format, 0)
		format = le.AppendUint16(format, uint16(tag))
		format = append(format, "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"...)
	}
	b := append(le.AppendUint32([]byte("RIFF"), uint32(36+len(sound))), "WAVE"...)
	b = append(b, "LIST\x03\x00\x00\x00abc\x00"...) // an odd chunk is filled up
	b = append(le.AppendUint32(append(b, "fmt "...), uint32(len(format))), format...)
	return append(le.AppendUint32(append(b, "data"...), uint32(len(sound))), sound...)
}

func TestWAVEncodings(t *testing.T) {
	le := binary.LittleEndian
	value := []float64{0, 0.5, -0.5, 0.25, -1, 0.75}
	for _, c := range []struct {
		name      string
		tag, bits int
		add       func([]byte, float64) []byte
		within    float64
	}{
		{"pcm8", wavPCM, 8, func(b []byte, v float64) []byte { return append(b, byte(v*127+128)) }, 0.02},
		{"pcm16", wavPCM, 16, func(b []byte, v float64) []byte { return le.AppendUint16(b, uint16(int16(v*32767))) }, 1e-4},
		{"pcm24", wavPCM, 24, func(b []byte, v float64) []byte {
			x := int32(v * 8388607)
			return append(b, byte(x), byte(x>>8), byte(x>>16))
		}, 1e-6},
		{"pcm32", wavPCM, 32, func(b []byte, v float64) []byte { return le.AppendUint32(b, uint32(int32(v*math.MaxInt32))) }, 1e-6},
		{"float32", wavFloat, 32, func(b []byte, v float64) []byte { return le.AppendUint32(b, math.Float32bits(float32(v))) }, 0},
		{"float64", wavFloat, 64, func(b []byte, v float64) []byte { return le.AppendUint64(b, math.Float64bits(v)) }, 0},
	} {
		for _, extensible := range []bool{false, true} {
			for _, channels := range []int{1, 2, 6} {
				var sound []byte
				for _, v := range value {
					for ch := range channels { // the mean of all channels is v
						d := 0.0
						if channels > 1 && v != -1 {
							d = 0.1 * (float64(ch) - float64(channels-1)/2)
						}
						sound = c.add(sound, v+d)
					}
				}
				w, err := NewWAVReader(bytes.NewReader(wavFile(c.tag, channels, 22050, c.bits, extensible, sound)))
				if err != nil {
					t.Fatalf("%s, %d channels: %v", c.name, channels, err)
				}
				got := make([]float32, 10)
				n, err := w.Read(got)
				if n != len(value) || !errors.Is(err, io.EOF) {
					t.Fatalf("%s, %d channels: %d samples, %v", c.name, channels, n, err)
				}
				for i, v := range value {
					if math.Abs(float64(got[i])-v) > c.within+1e-6 {
						t.Errorf("%s, %d channels, sample %d: %v, want %v", c.name, channels, i, got[i], v)
					}
				}
			}
		}
	}
}

func TestWAVBroken(t *testing.T) {
	good := wavFile(wavPCM, 1, 16000, 16, false, make([]byte, 200))
	change := func(at int, b ...byte) []byte {
		c := bytes.Clone(good)
		copy(c[at:], b)
		return c
	}
	format := bytes.Index(good, []byte("fmt ")) + 8
	data := bytes.Index(good, []byte("data"))
	hour := change(data+4, 0xff, 0xff, 0xfe, 0x7f)
	for _, c := range []struct {
		name string
		file []byte
		err  error
		says string
	}{
		{"nothing", nil, ErrNotWAV, "file is empty"},
		{"text", []byte("this is a letter"), ErrNotWAV, "this is a le"},
		{"short", good[:10], ErrNotWAV, "12 bytes"},
		{"only the head", good[:12], ErrBadWAV, "data chunk"},
		{"cut in the format", good[:format+4], ErrBadWAV, "fmt chunk"},
		{"no format", append(bytes.Clone(good[:12]), good[data:]...), ErrBadWAV, "before its format"},
		{"µ-law", change(format, 7), ErrBadWAV, "encoding 0x7"},
		{"no channels", change(format+2, 0), ErrBadWAV, "0 channels"},
		{"1000 channels", change(format+2, 0xe8, 3), ErrBadWAV, "1000 channels"},
		{"1 sample per second", change(format+4, 1, 0, 0, 0), ErrBadWAV, "1 samples per second"},
		{"17 bits", change(format+14, 17), ErrBadWAV, "17 bits"},
		{"wrong block", change(format+12, 9), ErrBadWAV, "block of 9 bytes"},
		{"huge format", change(format-4, 0xff, 0xff, 0xff, 0x7f), ErrBadWAV, "allowed 16…4096"},
		{"no sound", wavFile(wavPCM, 1, 16000, 16, false, nil), ErrEmpty, "no sound"},
		{"18 hours", hour, ErrTooLong, "longer than 1h"},
		{"many chunks", append(bytes.Clone(good[:12]), bytes.Repeat([]byte("none\x00\x00\x00\x00"), maxChunks+1)...), ErrBadWAV, "within 1000 chunks"},
	} {
		_, err := NewWAVReader(bytes.NewReader(c.file))
		if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v with %q", c.name, err, c.err, c.says)
		}
	}
}

// A program that writes to a pipe does not know the length.
func TestWAVUnknownLength(t *testing.T) {
	file := wavFile(wavPCM, 1, 16000, 16, false, make([]byte, 2000))
	data := bytes.Index(file, []byte("data"))
	for _, size := range []uint32{0xffffffff, 0x7ffff000} {
		binary.LittleEndian.PutUint32(file[data+4:], size)
		w, err := NewWAVReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := w.Read(make([]float32, 5000)); n != 1000 || !errors.Is(err, io.EOF) {
			t.Errorf("size %#x: %d samples, %v", size, n, err)
		}
	}
	// It may also promise sound that never comes, or more than an hour of it.
	w, err := NewWAVReader(bytes.NewReader(file[:data+8]))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Read(make([]float32, 10)); !errors.Is(err, ErrEmpty) {
		t.Errorf("no sound: %v", err)
	}
	w, err = NewWAVReader(io.MultiReader(bytes.NewReader(file), zeros{}))
	if err != nil {
		t.Fatal(err)
	}
	if w.most != 3600*16000 {
		t.Errorf("%d samples may come", w.most)
	}
	w.most = 5000 // 57 million zeros take a while
	buf := make([]float32, 1000)
	for err == nil {
		_, err = w.Read(buf)
	}
	if !errors.Is(err, ErrTooLong) {
		t.Errorf("endless sound: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestWAVWriterRoundTrip(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "a.wav"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := NewWAVWriter(f, 22050)
	if err != nil {
		t.Fatal(err)
	}
	want := sine(5000, 22050, 440, 0.9)
	want[7], want[8] = 2, float32(math.NaN())
	if err := errors.Join(w.Write(want[:1234]), w.Write(want[1234:]), w.Close()); err != nil {
		t.Fatal(err)
	}
	want[7], want[8] = 1, 0
	r, err := os.Open(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	wav, err := NewWAVReader(r)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float32, 6000)
	n, err := wav.Read(got)
	if n != len(want) || wav.Rate != 22050 || !errors.Is(err, io.EOF) {
		t.Fatalf("%d samples of %d Hz, %v", n, wav.Rate, err)
	}
	for i, v := range want {
		if math.Abs(float64(got[i]-v)) > 1e-4 {
			t.Fatalf("sample %d: %v, want %v", i, got[i], v)
		}
	}
}

func TestWAVWriterLimit(t *testing.T) {
	w := &WAVWriter{rate: 16000, n: 2 * 3600 * 16000}
	if err := w.Write(make([]float32, 1)); !errors.Is(err, ErrTooLong) {
		t.Errorf("an hour and a sample: %v", err)
	}
}

func FuzzWAV(f *testing.F) {
	f.Add(wavFile(wavPCM, 1, 16000, 16, false, make([]byte, 64)))
	f.Add(wavFile(wavPCM, 2, 44100, 24, true, make([]byte, 66)))
	f.Add(wavFile(wavFloat, 1, 48000, 32, false, []byte("\xff\xff\xff\xff\x00\x00\x80\x7f\x00\x00\xc0\x7f")))
	f.Add(wavFile(wavPCM, 1, 8000, 8, false, []byte("abc")))
	f.Add([]byte("RIFF\x00\x00\x00\x00WAVEdata\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := NewFile(bytes.NewReader(file), FileOptions{})
		if err != nil {
			for _, kind := range []error{ErrNotWAV, ErrBadWAV, ErrEmpty, ErrTooLong} {
				if errors.Is(err, kind) {
					return
				}
			}
			t.Fatalf("an error of no kind: %v", err)
		}
		defer s.Close()
		var frame Frame
		for {
			if err := s.Read(t.Context(), &frame); err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, ErrEmpty) {
					t.Fatal(err)
				}
				return
			}
			for i, v := range frame.Samples {
				if !(v >= -1.01 && v <= 1.01) && s.wav.Rate == Rate { // a filter may overshoot
					t.Fatalf("sample %d is %v", i, v)
				}
			}
		}
	})
}
