package audio

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

const wavHead = 44

// WAVWriter writes a mono WAV file of 16 bits. Close writes the length into the head.
type WAVWriter struct {
	w    io.WriteSeeker
	rate int
	n    uint32 // bytes of sound
	buf  []byte
}

// NewWAVWriter writes the head of a file of rate samples per second.
func NewWAVWriter(w io.WriteSeeker, rate int) (*WAVWriter, error) {
	ww := &WAVWriter{w: w, rate: rate}
	return ww, ww.head()
}

func (w *WAVWriter) head() error {
	if _, err := w.w.Write(wavHeader(w.rate, w.n)); err != nil {
		return fmt.Errorf("write WAV: %w", err)
	}
	return nil
}

// wavHeader is the head of a file of n bytes of sound.
func wavHeader(rate int, n uint32) []byte {
	le := binary.LittleEndian
	b := append(make([]byte, 0, wavHead), "RIFF"...)
	b = le.AppendUint32(b, wavHead-8+n)
	b = append(b, "WAVEfmt "...)
	b = le.AppendUint32(b, 16)
	b = le.AppendUint16(b, wavPCM)
	b = le.AppendUint16(b, 1)
	b = le.AppendUint32(b, uint32(rate))
	b = le.AppendUint32(b, uint32(2*rate))
	b = le.AppendUint16(b, 2)
	b = le.AppendUint16(b, 16)
	b = append(b, "data"...)
	return le.AppendUint32(b, n)
}

// appendPCM appends samples as 16 bits.
func appendPCM(b []byte, samples []float32) []byte {
	for _, v := range samples {
		b = binary.LittleEndian.AppendUint16(b, uint16(int16(math.RoundToEven(float64(clip(float64(v)))*math.MaxInt16))))
	}
	return b
}

// EncodeWAV returns a whole mono WAV file of 16 bits.
func EncodeWAV(rate int, samples []float32) []byte {
	return appendPCM(wavHeader(rate, uint32(2*len(samples))), samples)
}

// Write appends samples. The file may become MaxWAVLength long.
func (w *WAVWriter) Write(samples []float32) error {
	if int64(w.n)/2+int64(len(samples)) > int64(MaxWAVLength.Seconds())*int64(w.rate) {
		return ErrTooLong
	}
	w.buf = appendPCM(w.buf[:0], samples)
	n, err := w.w.Write(w.buf)
	w.n += uint32(n)
	if err != nil {
		return fmt.Errorf("write WAV: %w", err)
	}
	return nil
}

// Close completes the head. It does not close the file.
func (w *WAVWriter) Close() error {
	if _, err := w.w.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("write WAV: %w", err)
	}
	return w.head()
}
