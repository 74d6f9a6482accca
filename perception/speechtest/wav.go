package speechtest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"
)

// ParseWAV reads a 16-bit mono WAV and returns its samples and rate. A length that is wrong, as in what came through a
// pipe, is taken as "to the end".
func ParseWAV(b []byte) (samples []float32, rate int, err error) {
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WAVE" {
		return nil, 0, errors.New("not a WAV file")
	}
	for at := 12; at+8 <= len(b); {
		id, size := string(b[at:at+4]), int(binary.LittleEndian.Uint32(b[at+4:]))
		body := b[at+8:]
		if size < len(body) {
			body = body[:size]
		}
		switch id {
		case "fmt ":
			if len(body) < 16 {
				return nil, 0, fmt.Errorf("WAV: a format of %d bytes, at least 16 are needed", len(body))
			}
			channels, bits := binary.LittleEndian.Uint16(body[2:]), binary.LittleEndian.Uint16(body[14:])
			if channels != 1 || bits != 16 {
				return nil, 0, fmt.Errorf("WAV: %d channels of %d bits, allowed is 1 of 16", channels, bits)
			}
			rate = int(binary.LittleEndian.Uint32(body[4:]))
		case "data":
			if rate < 1 || rate > 384000 {
				return nil, 0, fmt.Errorf("WAV: %d samples a second, allowed are 1 to 384000", rate)
			}
			samples = make([]float32, len(body)/2)
			for i := range samples {
				samples[i] = float32(int16(binary.LittleEndian.Uint16(body[2*i:]))) / 32768
			}
			return samples, rate, nil
		}
		at += 8 + len(body) + len(body)&1
	}
	return nil, 0, errors.New("WAV: no data")
}

// EncodeWAV makes a 16-bit mono WAV of 16 kHz. What is louder than ±1 is cut.
func EncodeWAV(x []float32) []byte {
	b := make([]byte, 0, 44+2*len(x))
	b = append(b, "RIFF"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(36+2*len(x))) //nolint:gosec // minutes of audio, not hours
	b = append(b, "WAVEfmt "...)
	b = binary.LittleEndian.AppendUint32(b, 16)
	b = binary.LittleEndian.AppendUint16(b, 1) // PCM
	b = binary.LittleEndian.AppendUint16(b, 1)
	b = binary.LittleEndian.AppendUint32(b, Rate)
	b = binary.LittleEndian.AppendUint32(b, 2*Rate)
	b = binary.LittleEndian.AppendUint16(b, 2)
	b = binary.LittleEndian.AppendUint16(b, 16)
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(2*len(x))) //nolint:gosec // as above
	for _, v := range x {
		s := math.Round(float64(v) * 32768)
		b = binary.LittleEndian.AppendUint16(b, uint16(int16(max(-32768, min(32767, s)))))
	}
	return b
}

// WriteWAV writes x to a file.
func WriteWAV(t testing.TB, path string, x []float32) {
	t.Helper()
	if err := os.WriteFile(path, EncodeWAV(x), 0o600); err != nil {
		t.Fatalf("speechtest: %v", err)
	}
}

// Resample changes the rate with a windowed sinc, 16 zero crossings to either side.
func Resample(x []float32, from, to int) []float32 {
	if from == to {
		return append([]float32(nil), x...)
	}
	const crossings = 16
	step := float64(from) / float64(to)
	cut := min(1, 1/step) // of the lower of the two Nyquist rates, as a part of the input's
	reach := crossings / cut
	y := make([]float32, int(float64(len(x))/step))
	for i := range y {
		middle := float64(i) * step
		sum := 0.0
		for j := max(0, int(math.Ceil(middle-reach))); j < len(x) && float64(j) <= middle+reach; j++ {
			d := float64(j) - middle
			w := 0.5 + 0.5*math.Cos(math.Pi*d/reach)
			if a := math.Pi * d * cut; math.Abs(a) > 1e-9 {
				w *= math.Sin(a) / a
			}
			sum += w * float64(x[j])
		}
		y[i] = float32(sum * cut)
	}
	return y
}
