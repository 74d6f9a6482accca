package audio

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// Limits of WAV files.
const (
	MaxWAVChannels = 64
	MaxWAVLength   = time.Hour
	maxChunks      = 1000 // before the sound
)

// Errors of WAV files.
var (
	ErrNotWAV  = errors.New("not a WAV file")
	ErrBadWAV  = errors.New("broken WAV file")
	ErrEmpty   = errors.New("the WAV file has no sound in it")
	ErrTooLong = fmt.Errorf("the WAV file is longer than %v", MaxWAVLength)
)

// Encodings of a WAV file.
const (
	wavPCM        = 1
	wavFloat      = 3
	wavExtensible = 0xfffe
)

// wavUnknown is from where on the length of the sound is taken for "until the end": programs that write to a pipe
// do not know it and put in something huge.
const wavUnknown = 0x7fff0000

// WAVReader reads the sound of a WAV file and mixes its channels to one.
type WAVReader struct {
	Channels int
	Rate     int // samples per second
	Bits     int // per sample
	Float    bool

	r      *bufio.Reader
	left   int64 // bytes of sound, -1 until the end
	most   int64 // samples that may still come
	read   int64 // samples
	frame  []byte
	mix    float64 // 1/Channels
	sample func([]byte) float64
}

// NewWAVReader reads the head of a WAV file. Its errors say what is wrong with the file and wrap ErrNotWAV, ErrBadWAV,
// ErrEmpty or ErrTooLong.
func NewWAVReader(r io.Reader) (*WAVReader, error) {
	w := &WAVReader{r: bufio.NewReaderSize(r, 16<<10)}
	var head [12]byte
	if n, err := io.ReadFull(w.r, head[:]); err != nil {
		if n == 0 && errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%w: the file is empty", ErrNotWAV)
		}
		return nil, ended(err, ErrNotWAV, "the first 12 bytes")
	}
	if string(head[:4]) != "RIFF" || string(head[8:]) != "WAVE" {
		return nil, fmt.Errorf("%w: it begins with %q, not with RIFF…WAVE", ErrNotWAV, head[:])
	}
	for range maxChunks {
		name, size, err := w.chunk()
		if err != nil {
			return nil, err
		}
		switch name {
		case "fmt ":
			if err := w.format(size); err != nil {
				return nil, err
			}
		case "data":
			return w, w.begin(size)
		default:
			if err := w.skip(int64(size) + int64(size&1)); err != nil {
				return nil, err
			}
		}
	}
	return nil, fmt.Errorf("%w: no sound within %d chunks", ErrBadWAV, maxChunks)
}

func (w *WAVReader) chunk() (name string, size uint32, err error) {
	var head [8]byte
	if _, err := io.ReadFull(w.r, head[:]); err != nil {
		return "", 0, ended(err, ErrBadWAV, "a data chunk")
	}
	return string(head[:4]), binary.LittleEndian.Uint32(head[4:]), nil
}

func (w *WAVReader) skip(n int64) error {
	if _, err := io.CopyN(io.Discard, w.r, n); err != nil {
		return ended(err, ErrBadWAV, "a data chunk")
	}
	return nil
}

func (w *WAVReader) format(size uint32) error {
	if size < 16 || size > 4096 {
		return fmt.Errorf("%w: fmt chunk of %d bytes, allowed 16…4096", ErrBadWAV, size)
	}
	buf := make([]byte, size+size&1)
	if _, err := io.ReadFull(w.r, buf); err != nil {
		return ended(err, ErrBadWAV, "the fmt chunk")
	}
	le := binary.LittleEndian
	tag, align := le.Uint16(buf), int(le.Uint16(buf[12:]))
	w.Channels, w.Bits = int(le.Uint16(buf[2:])), int(le.Uint16(buf[14:]))
	rate := le.Uint32(buf[4:])
	if tag == wavExtensible {
		if size < 40 {
			return fmt.Errorf("%w: extensible fmt chunk of %d bytes, needs 40", ErrBadWAV, size)
		}
		tag = le.Uint16(buf[24:])
	}
	switch {
	case w.Channels < 1 || w.Channels > MaxWAVChannels:
		return fmt.Errorf("%w: %d channels, allowed 1…%d", ErrBadWAV, w.Channels, MaxWAVChannels)
	case rate < MinRate || rate > MaxRate:
		return fmt.Errorf("%w: %d samples per second, allowed %d…%d", ErrBadWAV, rate, MinRate, MaxRate)
	}
	w.Rate, w.Float = int(rate), tag == wavFloat
	switch {
	case tag == wavPCM && w.Bits == 8:
		w.sample = func(b []byte) float64 { return (float64(b[0]) - 128) / 128 }
	case tag == wavPCM && w.Bits == 16:
		w.sample = func(b []byte) float64 { return float64(int16(le.Uint16(b))) / (1 << 15) }
	case tag == wavPCM && w.Bits == 24:
		w.sample = func(b []byte) float64 {
			return float64(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)) / (1 << 31)
		}
	case tag == wavPCM && w.Bits == 32:
		w.sample = func(b []byte) float64 { return float64(int32(le.Uint32(b))) / (1 << 31) }
	case tag == wavFloat && w.Bits == 32:
		w.sample = func(b []byte) float64 { return float64(math.Float32frombits(le.Uint32(b))) }
	case tag == wavFloat && w.Bits == 64:
		w.sample = func(b []byte) float64 { return math.Float64frombits(le.Uint64(b)) }
	default:
		return fmt.Errorf("%w: encoding %#x with %d bits, allowed PCM of 8, 16, 24, 32 and float of 32, 64 bits", ErrBadWAV, tag, w.Bits)
	}
	if want := w.Channels * w.Bits / 8; align != want {
		return fmt.Errorf("%w: block of %d bytes, %d channels of %d bits need %d", ErrBadWAV, align, w.Channels, w.Bits, want)
	}
	w.frame = make([]byte, w.Channels*w.Bits/8)
	w.mix = 1 / float64(w.Channels)
	return nil
}

func (w *WAVReader) begin(size uint32) error {
	if w.sample == nil {
		return fmt.Errorf("%w: sound before its format", ErrBadWAV)
	}
	w.most = int64(MaxWAVLength/time.Second) * int64(w.Rate)
	if size == 0 {
		return ErrEmpty
	}
	if w.left = int64(size); size >= wavUnknown {
		w.left = -1
	}
	if n := w.left / int64(len(w.frame)); n > w.most {
		return fmt.Errorf("%w: %v", ErrTooLong, lengthOf(n, w.Rate))
	}
	return nil
}

// Read fills samples with the mix of all channels and returns how many it filled, with io.EOF at the end. A file that
// is shorter than it says ends where it ends; values that are not numbers become silence.
func (w *WAVReader) Read(samples []float32) (n int, err error) {
	size := len(w.frame) / w.Channels
	for n < len(samples) {
		if w.left >= 0 {
			if w.left < int64(len(w.frame)) {
				return n, w.end()
			}
			w.left -= int64(len(w.frame))
		}
		if _, err := io.ReadFull(w.r, w.frame); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				w.left = 0
				return n, w.end()
			}
			return n, fmt.Errorf("read WAV: %w", err)
		}
		if w.most--; w.most < 0 {
			return n, ErrTooLong
		}
		sum := 0.0
		for b := w.frame; len(b) > 0; b = b[size:] {
			sum += w.sample(b)
		}
		samples[n] = clip(sum * w.mix)
		n++
		w.read++
	}
	return n, nil
}

func (w *WAVReader) end() error {
	if w.read == 0 {
		return ErrEmpty
	}
	return io.EOF
}

// clip brings a sample into −1…1; what is no number becomes silence.
func clip(v float64) float32 {
	switch {
	case v > 1:
		return 1
	case v < -1:
		return -1
	case v != v:
		return 0
	}
	return float32(v)
}

// ended turns the end of a file where something was expected into what it means.
func ended(err, kind error, what string) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends before %s", kind, what)
	}
	return fmt.Errorf("read WAV: %w", err)
}

// ReadWAV reads all of a WAV file as one channel: samples per second, and the samples.
func ReadWAV(r io.Reader) (rate int, samples []float32, err error) {
	w, err := NewWAVReader(r)
	if err != nil {
		return 0, nil, err
	}
	for buf := make([]float32, 4096); ; {
		n, err := w.Read(buf)
		samples = append(samples, buf[:n]...)
		switch {
		case errors.Is(err, io.EOF):
			return w.Rate, samples, nil
		case err != nil:
			return 0, nil, err
		}
	}
}
