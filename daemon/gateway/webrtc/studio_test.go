package webrtc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/pion/opus/pkg/oggreader"

	sense "github.com/reachyd/reachyd/perception/client"
)

// seen is the colour that the camera sees, and heardTone what the microphone hears, Hz.
var seen = color.RGBA{200, 100, 50, 255}

const heardTone = 440

// studio has a camera that sees one colour, a microphone that hears a tone, and a loudspeaker that keeps what it plays.
type studio struct {
	t    *testing.T
	jpeg []byte
	deaf bool // it has no microphone
	bare bool // it has no libopus

	mu     sync.Mutex
	asked  int
	open   int
	poured []int16
}

func newStudio(t *testing.T) *studio {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 64, 48))
	for i := range 64 * 48 {
		img.Set(i%64, i/64, seen)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return &studio{t: t, jpeg: b.Bytes()}
}

func (s *studio) in(g *Gateway) { g.Media = s }

func (s *studio) Frame(context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return s.jpeg, nil
}

// tone gives sound in real time.
type tone struct {
	of   *studio
	ctx  context.Context
	tick *time.Ticker
	n    int
}

func (s *studio) Microphone(ctx context.Context) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deaf {
		return nil, errors.New("there is no microphone")
	}
	s.open++
	return &tone{of: s, ctx: ctx, tick: time.NewTicker(frameTime)}, nil
}

func (s *studio) State(context.Context) (state sense.State, err error) {
	if s.bare {
		state.Hearing.NoOpus = "libopus is not there"
	}
	return state, nil
}

// packets gives the tone as Opus in real time: a recording of it, over and over.
type packets struct {
	*tone
	of   [][]byte
	rest []byte
}

func (s *studio) MicrophoneOpus(ctx context.Context) (*sense.Packets, error) {
	if s.bare {
		return nil, errors.New("libopus is not there")
	}
	in, err := s.Microphone(ctx)
	if err != nil {
		return nil, err
	}
	all := toneOfOpus(s.t)
	return sense.NewPackets(&packets{tone: in.(*tone), of: all[5 : len(all)-5]}), nil // where the tone is loud
}

func (p *packets) Read(out []byte) (int, error) {
	if len(p.rest) == 0 {
		select {
		case <-p.ctx.Done():
			return 0, p.ctx.Err()
		case <-p.tick.C:
		}
		next := p.of[p.n%len(p.of)]
		p.n++
		p.rest = append([]byte{byte(len(next) >> 8), byte(len(next))}, next...)
	}
	n := copy(out, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// toneOfOpus are the packets of a recording of 440 Hz.
func toneOfOpus(t *testing.T) (all [][]byte) {
	t.Helper()
	file, err := os.ReadFile("../../recording/testdata/tone.opus")
	if err != nil {
		t.Fatal(err)
	}
	ogg, _, err := oggreader.NewWith(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for {
		packet, _, err := ogg.ParseNextPacket()
		if err != nil {
			return all
		}
		if !bytes.HasPrefix(packet, []byte("Opus")) {
			all = append(all, packet)
		}
	}
}

func (o *tone) Read(p []byte) (int, error) {
	select {
	case <-o.ctx.Done():
		return 0, o.ctx.Err()
	case <-o.tick.C:
	}
	out := p[:0]
	for ; len(out) < min(len(p)-1, 2*frameLength); o.n++ {
		out = binary.LittleEndian.AppendUint16(out, uint16(int16(8000*math.Sin(2*math.Pi*heardTone*float64(o.n)/sense.MicrophoneRate))))
	}
	return len(out), nil
}

func (o *tone) Close() error {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	o.of.open--
	o.tick.Stop()
	return nil
}

func (s *studio) Pour(_ context.Context, _ int, pcm io.Reader) (sense.Spoken, error) {
	buf := make([]byte, 1920)
	for {
		n, err := io.ReadAtLeast(pcm, buf, 2)
		s.mu.Lock()
		for i := range n / 2 {
			s.poured = append(s.poured, int16(binary.LittleEndian.Uint16(buf[2*i:])))
		}
		s.mu.Unlock()
		if err != nil {
			return sense.Spoken{}, nil //nolint:nilerr // its end is all
		}
	}
}

// pitch is the tone of a sound, Hz, by how often it rises through 0.
func pitch(pcm []int16, rate int) float64 {
	rises := 0
	for i := 1; i < len(pcm); i++ {
		if pcm[i-1] < 0 && pcm[i] >= 0 {
			rises++
		}
	}
	return float64(rises) * float64(rate) / float64(len(pcm))
}

func (s *studio) resting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open == 0
}
