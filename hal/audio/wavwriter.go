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
	le := binary.LittleEndian
	b := append(make([]byte, 0, wavHead), "RIFF"...)
	b = le.AppendUint32(b, wavHead-8+w.n)
	b = append(b, "WAVEfmt "...)
	b = le.AppendUint32(b, 16)
	b = le.AppendUint16(b, wavPCM)
	b = le.AppendUint16(b, 1)
	b = le.AppendUint32(b, uint32(w.rate))
	b = le.AppendUint32(b, uint32(2*w.rate))
	b = le.AppendUint16(b, 2)
	b = le.AppendUint16(b, 16)
	b = append(b, "data"...)
	b = le.AppendUint32(b, w.n)
	if _, err := w.w.Write(b); err != nil {
		return fmt.Errorf("write WAV: %w", err)
	}
	return nil
}

// Write appends samples. The file may become MaxWAVLength long.
func (w *WAVWriter) Write(samples []float32) error {
	if int64(w.n)/2+int64(len(samples)) > int64(MaxWAVLength.Seconds())*int64(w.rate) {
		return ErrTooLong
	}
	w.buf = w.buf[:0]
	for _, v := range samples {
		w.buf = binary.LittleEndian.AppendUint16(w.buf, uint16(int16(math.RoundToEven(float64(clip(float64(v)))*math.MaxInt16))))
	}
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
