//go:build cgo && linux

package audio

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/pion/opus"
	"github.com/reachyd/reachyd/hal/audio/audiotest"
)

func encoder(t *testing.T) *OpusEncoder {
	t.Helper()
	e, err := NewOpusEncoder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func TestOpusOfATone(t *testing.T) {
	e := encoder(t)
	decoder, err := opus.NewDecoderWithOutput(Rate, 1)
	if err != nil {
		t.Fatal(err)
	}
	tone, decoded, size := make([]float32, 2*Rate), []float32(nil), 0
	for i := range tone {
		tone[i] = float32(0.3 * math.Sin(2*math.Pi*440*float64(i)/Rate))
	}
	for at := 0; at < len(tone); at += OpusFrame {
		packet, err := e.Encode(tone[at : at+OpusFrame])
		if err != nil || len(packet) == 0 {
			t.Fatalf("%d bytes, %v", len(packet), err)
		}
		size += len(packet)
		pcm := make([]float32, OpusFrame)
		if n, err := decoder.DecodeToFloat32(packet, pcm); err != nil || n != OpusFrame {
			t.Fatalf("%d samples, %v", n, err)
		}
		decoded = append(decoded, pcm...)
	}
	got := audiotest.Match(tone, decoded, Rate)
	t.Logf("correlation %.4f at %d bit/s", got, size*8/2)
	if got < 0.99 {
		t.Errorf("the tone comes back with a correlation of %.4f", got)
	}
}

func TestOpusRefuses(t *testing.T) {
	e := encoder(t)
	for _, n := range []int{0, 1, OpusFrame - 1, 2 * OpusFrame} {
		if _, err := e.Encode(make([]float32, n)); err == nil || !strings.Contains(err.Error(), "320") {
			t.Errorf("%d samples: %v", n, err)
		}
	}
	bad := make([]float32, OpusFrame)
	for i := range bad {
		bad[i] = float32(math.NaN())
	}
	if packet, err := e.Encode(bad); err != nil || len(packet) == 0 {
		t.Errorf("what is no number: %d bytes, %v", len(packet), err)
	}
	e.Close()
	e.Close()
	if _, err := e.Encode(make([]float32, OpusFrame)); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestOpusIsMissed(t *testing.T) {
	for name, says := range map[string]string{"libopus-that-nobody-has.so.0": "no such file", "libc.so.6": "lacks functions"} {
		if _, err := loadOpusFrom(name); !errors.Is(err, ErrNoOpus) || !strings.Contains(strings.ToLower(err.Error()), says) ||
			!strings.Contains(err.Error(), "libopus0") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkOpus(b *testing.B) {
	e, err := NewOpusEncoder()
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	pcm := make([]float32, OpusFrame)
	for i := range pcm {
		pcm[i] = float32(0.3 * math.Sin(float64(i*i)/200))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Encode(pcm); err != nil {
			b.Fatal(err)
		}
	}
}
