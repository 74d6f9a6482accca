// Package recording reads what people send as sound: WAV, FLAC, Ogg Opus and MP3 become one channel of 16 bits. It decodes while it
// is read, so that a long recording takes no memory.
package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// Longest is how long a recording may be.
const Longest = 15 * time.Minute

// Formats are those that are decoded, in words.
const Formats = "WAV, FLAC, Ogg Opus and MP3"

// ErrFormat is the reason why a recording cannot be read. Its text is for a person.
var ErrFormat = errors.New("audio")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrFormat}, args...)...)
}

// decoder gives the samples of a recording. next returns at least one frame of as many samples as there are channels, or an error;
// io.EOF is the end. What it returns is valid until the next call.
type decoder interface {
	rate() int // samples a second
	next() (samples []int32, channels, bits int, err error)
}

// kinds are the formats by how they begin; open is nil for those that are known and not decoded.
var kinds = []struct {
	magic, name string
	open        func(data []byte) (decoder, error)
}{
	{"fLaC", "FLAC", openFLAC},
	{"OggS", "Ogg", openOgg},
	{"ID3", "MP3", openMP3},
	{"\xff\xfb", "MP3", openMP3},
	{"\xff\xfa", "MP3", openMP3},
	{"\xff\xf3", "MP3", openMP3},
	{"\xff\xf2", "MP3", openMP3},
	{"\xff\xe3", "MP3", openMP3},
	{"\xff\xe2", "MP3", openMP3},
	{"\x1a\x45\xdf\xa3", "WebM", nil},
	{"\xff\xf1", "AAC", nil},
	{"\xff\xf9", "AAC", nil},
	{"FORM", "AIFF", nil},
	{"#!AMR", "AMR", nil},
}

// WAV returns a recording as a WAV file. What is WAV already is returned as it is. An error, here or of Read, is an ErrFormat.
func WAV(data []byte) (io.Reader, error) {
	if len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WAVE" {
		return bytes.NewReader(data), nil
	}
	for _, k := range kinds {
		if !bytes.HasPrefix(data, []byte(k.magic)) {
			continue
		}
		if k.open == nil {
			return nil, refuse("is %s, which this robot does not decode; allowed are %s", k.name, Formats)
		}
		return read(k.name, data, k.open)
	}
	if len(data) >= 12 && string(data[4:8]) == "ftyp" {
		return nil, refuse("is MPEG-4, which this robot does not decode; allowed are %s", Formats)
	}
	return nil, refuse("is no sound that this robot knows; allowed are %s", Formats)
}

// wave reads a recording as WAV.
type wave struct {
	name string
	from decoder
	out  []byte // that was decoded and not read yet
	left int    // samples that there may still be
	err  error
}

func read(name string, data []byte, open func([]byte) (decoder, error)) (_ io.Reader, err error) {
	w := &wave{name: name}
	defer func() {
		if caught := recover(); caught != nil {
			err = w.damaged(caught)
		}
	}()
	if w.from, err = open(data); err != nil {
		if !errors.Is(err, ErrFormat) {
			err = w.damaged(err)
		}
		return nil, err
	}
	rate := w.from.rate()
	if rate < 4000 || rate > 192000 {
		return nil, refuse("has %d samples a second; allowed are 4000 to 192000", rate)
	}
	w.left = int(Longest/time.Second) * rate
	w.out = Head(rate)
	return w, nil
}

func (w *wave) damaged(why any) error { return refuse("is %s that is damaged: %.100v", w.name, why) }

// Read implements io.Reader. A decoder that panics has found damage.
func (w *wave) Read(p []byte) (n int, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			w.err = w.damaged(caught)
			n, err = 0, w.err
		}
	}()
	for len(w.out) == 0 {
		if w.err != nil {
			return 0, w.err
		}
		w.err = w.decode()
	}
	n = copy(p, w.out)
	w.out = w.out[n:]
	return n, nil
}

// decode puts the next samples into out.
func (w *wave) decode() error {
	samples, channels, bits, err := w.from.next()
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case err != nil:
		return w.damaged(err)
	}
	if w.left -= len(samples) / channels; w.left < 0 {
		return refuse("is longer than %v", Longest)
	}
	w.out = w.out[:0]
	for ; len(samples) >= channels; samples = samples[channels:] {
		sum := int64(0)
		for _, v := range samples[:channels] {
			sum += int64(v)
		}
		sum /= int64(channels)
		if bits > 16 {
			sum >>= bits - 16
		} else {
			sum <<= 16 - bits
		}
		w.out = binary.LittleEndian.AppendUint16(w.out, uint16(int16(max(-1<<15, min(1<<15-1, sum)))))
	}
	return nil
}

// Head begins a WAV file of 16 bits and one channel whose length is not known.
func Head(rate int) []byte {
	const unknown = 0xffffffff
	le := binary.LittleEndian
	b := le.AppendUint32([]byte("RIFF"), unknown)
	b = le.AppendUint32(append(b, "WAVEfmt "...), 16)
	b = le.AppendUint16(b, 1)
	b = le.AppendUint16(b, 1)
	b = le.AppendUint32(b, uint32(rate))
	b = le.AppendUint32(b, uint32(2*rate))
	b = le.AppendUint16(b, 2)
	b = le.AppendUint16(b, 16)
	return le.AppendUint32(append(b, "data"...), unknown)
}
