package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/hajimehoshi/go-mp3"
	"github.com/mewkiz/flac"
	"github.com/pion/opus"
	"github.com/pion/opus/pkg/oggreader"
)

// flacFile decodes FLAC.
type flacFile struct {
	stream  *flac.Stream
	samples []int32
}

func openFLAC(data []byte) (decoder, error) {
	s, err := flac.New(bytes.NewReader(data)) // it reads no picture and no comment
	if err != nil {
		return nil, err
	}
	return &flacFile{stream: s}, nil
}

func (f *flacFile) rate() int { return int(f.stream.Info.SampleRate) }

func (f *flacFile) next() (samples []int32, channels, bits int, err error) {
	frame, err := f.stream.ParseNext()
	if err != nil {
		return nil, 0, 0, err
	}
	channels = len(frame.Subframes)
	n := len(frame.Subframes[0].Samples)
	f.samples = f.samples[:0]
	for i := range n {
		for _, sub := range frame.Subframes {
			f.samples = append(f.samples, sub.Samples[i])
		}
	}
	return f.samples, channels, int(f.stream.Info.BitsPerSample), nil
}

// opusFile decodes Opus in Ogg.
type opusFile struct {
	pages   *oggreader.OggReader
	decoder opus.Decoder
	skip    int // samples that the encoder put before the first
	pcm     [opusPacket]int16
	samples [opusPacket]int32
}

// Opus is decoded at the rate that is heard with; a packet is 120 ms at most.
const (
	opusRate   = 16000
	opusPacket = opusRate * 120 / 1000
)

func openOgg(data []byte) (decoder, error) {
	const most = 300 // where the first packet begins
	switch first := data[:min(most, len(data))]; {
	case bytes.Contains(first, []byte("\x01vorbis")):
		return nil, refuse("is Ogg Vorbis, which this robot does not decode; allowed are %s", Formats)
	case !bytes.Contains(first, []byte("OpusHead")):
		return nil, refuse("is Ogg with neither Opus nor anything else that this robot decodes; allowed are %s", Formats)
	}
	pages, head, err := oggreader.NewWith(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if head.Channels > 2 {
		return nil, refuse("has %d channels; allowed are 1 and 2", head.Channels)
	}
	f := &opusFile{pages: pages, skip: int(head.PreSkip) * opusRate / 48000}
	f.decoder, err = opus.NewDecoderWithOutput(opusRate, 1)
	return f, err
}

func (f *opusFile) rate() int { return opusRate }

func (f *opusFile) next() (samples []int32, channels, bits int, err error) {
	for {
		packet, _, err := f.pages.ParseNextPacket()
		if err != nil {
			return nil, 0, 0, err
		}
		if len(packet) == 0 || bytes.HasPrefix(packet, []byte("OpusTags")) || bytes.HasPrefix(packet, []byte("OpusHead")) {
			continue
		}
		n, err := f.decoder.DecodeToInt16(packet, f.pcm[:])
		if err != nil {
			return nil, 0, 0, err
		}
		from := min(f.skip, n)
		f.skip -= from
		if from == n {
			continue
		}
		for i, v := range f.pcm[from:n] {
			f.samples[i] = int32(v)
		}
		return f.samples[:n-from], 1, 16, nil
	}
}

// mp3File decodes MP3, whose decoder always gives two channels of 16 bits.
type mp3File struct {
	decoder *mp3.Decoder
	buffer  [8192]byte
	samples [4096]int32
}

func openMP3(data []byte) (decoder, error) {
	d, err := mp3.NewDecoder(struct{ io.Reader }{bytes.NewReader(data)}) // without Seek it does not look at the whole file first
	if err != nil {
		return nil, err
	}
	return &mp3File{decoder: d}, nil
}

func (f *mp3File) rate() int { return f.decoder.SampleRate() }

func (f *mp3File) next() (samples []int32, channels, bits int, err error) {
	n, err := io.ReadFull(f.decoder, f.buffer[:])
	if n < 4 {
		if err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		return nil, 0, 0, err
	}
	for i := range n / 2 {
		f.samples[i] = int32(int16(binary.LittleEndian.Uint16(f.buffer[2*i:])))
	}
	return f.samples[:n/2&^1], 2, 16, nil
}
