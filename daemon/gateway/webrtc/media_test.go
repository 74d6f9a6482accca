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
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pion/opus"
	"github.com/pion/opus/pkg/oggreader"
	"github.com/pion/rtp"
	"github.com/pion/rtp/codecs"
	pion "github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"
	"golang.org/x/image/vp8"

	sense "github.com/reachyd/reachyd/perception/client"
)

// seen is the colour that the camera sees, and heardTone what the microphone hears, Hz.
var seen = color.RGBA{200, 100, 50, 255}

const heardTone = 500

// studio has a camera that sees one colour, a microphone that hears a tone, and a loudspeaker that keeps what it plays.
type studio struct {
	jpeg []byte
	deaf bool // it has no microphone

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
	return &studio{jpeg: b.Bytes()}
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

func TestClientsSee(t *testing.T) {
	s := newStudio(t)
	r := newRig(t, s.in)
	if s.asked > 0 || s.open > 0 {
		t.Error("nobody is connected, and camera or microphone are in use")
	}
	pictures := make(chan image.Image, 100)
	c := r.connect(r.dial(), func(pc *pion.PeerConnection) {
		pc.OnTrack(func(track *pion.TrackRemote, _ *pion.RTPReceiver) {
			if track.Kind() != pion.RTPCodecTypeVideo {
				return
			}
			var frame []byte
			for {
				p, _, err := track.ReadRTP()
				if err != nil {
					return
				}
				var v codecs.VP8Packet
				data, err := v.Unmarshal(p.Payload)
				if err != nil {
					t.Error(err)
					return
				}
				if v.S == 1 && v.PID == 0 {
					frame = nil
				}
				frame = append(frame, data...)
				if !p.Marker || frame[0]&1 == 1 { // not the end, or no key frame
					continue
				}
				d := vp8.NewDecoder()
				d.Init(bytes.NewReader(frame), len(frame))
				if _, err := d.DecodeFrameHeader(); err != nil {
					t.Error(err)
					return
				}
				img, err := d.DecodeFrame()
				if err != nil {
					t.Error(err)
					return
				}
				pictures <- img
			}
		})
	})
	select {
	case img := <-pictures:
		y := img.(*image.YCbCr)
		// Video uses a part of the values of JPEG.
		wantY, wantCb, wantCr := color.RGBToYCbCr(seen.R, seen.G, seen.B)
		got := y.YCbCrAt(32, 24)
		for _, pair := range [][2]float64{
			{float64(got.Y), 16 + float64(wantY)*219/255},
			{float64(got.Cb), 128 + (float64(wantCb)-128)*224/255},
			{float64(got.Cr), 128 + (float64(wantCr)-128)*224/255},
		} {
			if math.Abs(pair[0]-pair[1]) > 4 {
				t.Errorf("%v, wanted about %v", got, pair)
			}
		}
	case <-time.After(wait):
		t.Fatal("no picture comes")
	}
	c.pc.GracefulClose()
	r.soon("the session has ended, and the camera rests", func() bool { return r.sessions() == 0 && s.resting() })
}

// A client that knows G.711 alone hears the tone; it is unpacked here as G.711 says.
func TestClientsHear(t *testing.T) {
	s := newStudio(t)
	r := newRig(t, s.in)
	r.codecs = func(m *pion.MediaEngine) error {
		return m.RegisterCodec(pion.RTPCodecParameters{
			RTPCodecCapability: pion.RTPCodecCapability{MimeType: pion.MimeTypePCMU, ClockRate: 8000}, PayloadType: payloadPCMU,
		}, pion.RTPCodecTypeAudio)
	}
	heard := make(chan []int16, 1)
	c := r.connect(r.dial(), func(pc *pion.PeerConnection) {
		pc.OnTrack(func(track *pion.TrackRemote, _ *pion.RTPReceiver) {
			var pcm []int16
			for len(pcm) < 8000 {
				p, _, err := track.ReadRTP()
				if err != nil {
					return
				}
				for _, b := range p.Payload {
					pcm = append(pcm, fromMulaw(b))
				}
			}
			heard <- pcm
		})
	})
	select {
	case pcm := <-heard:
		if hz := pitch(pcm, 8000); math.Abs(hz-heardTone) > 25 {
			t.Errorf("a tone of %.0f Hz is heard, wanted %d", hz, heardTone)
		}
	case <-time.After(wait):
		t.Fatal("no sound comes")
	}
	c.pc.GracefulClose()
	r.soon("the microphone rests", s.resting)
}

// A client that knows Opus alone, as GStreamer's webrtcsrc, does not speak before sound comes: packets come, of silence, also when there is
// no microphone.
func TestOpusAloneHearsSilence(t *testing.T) {
	for name, deaf := range map[string]bool{"with a microphone": false, "without": true} {
		t.Run(name, func(t *testing.T) {
			s := newStudio(t)
			s.deaf = deaf
			r := newRig(t, s.in)
			r.codecs = func(m *pion.MediaEngine) error {
				return m.RegisterCodec(pion.RTPCodecParameters{
					RTPCodecCapability: pion.RTPCodecCapability{MimeType: pion.MimeTypeOpus, ClockRate: 48000, Channels: 2}, PayloadType: payloadOpus,
				}, pion.RTPCodecTypeAudio)
			}
			packets := make(chan *rtp.Packet, 2)
			c := r.connect(r.dial(), func(pc *pion.PeerConnection) {
				pc.OnTrack(func(track *pion.TrackRemote, _ *pion.RTPReceiver) {
					for range cap(packets) {
						p, _, err := track.ReadRTP()
						if err != nil {
							return
						}
						packets <- p
					}
				})
			})
			decoder, err := opus.NewDecoderWithOutput(heardRate, 1)
			if err != nil {
				t.Fatal(err)
			}
			var last uint32
			for i := range cap(packets) {
				select {
				case p := <-packets:
					pcm := make([]int16, longest)
					n, err := decoder.DecodeToInt16(p.Payload, pcm)
					if err != nil || n != 960 || slices.Max(pcm) > 1 || p.PayloadType != payloadOpus {
						t.Errorf("%d samples up to %d, %v, in a packet of type %d", n, slices.Max(pcm), err, p.PayloadType)
					}
					if i > 0 && p.Timestamp-last != 960 {
						t.Errorf("the packets are %d samples apart", p.Timestamp-last)
					}
					last = p.Timestamp
				case <-time.After(wait):
					t.Fatal("no sound comes")
				}
			}
			c.pc.GracefulClose()
			r.soon("the session has ended", func() bool { return r.sessions() == 0 })
		})
	}
}

// What G.722's lower band restores, as decoders do, is the tone.
func TestG722FollowsATone(t *testing.T) {
	var g g722
	var restored []int16
	for i := range sense.MicrophoneRate / 2 {
		at := func(n int) int16 {
			return int16(8000 * math.Sin(2*math.Pi*heardTone*float64(n)/sense.MicrophoneRate))
		}
		if code := g.encode([]int16{at(2 * i), at(2*i + 1)}); len(code) != 1 {
			t.Fatal(code)
		}
		restored = append(restored, int16(g.low.restored[0]))
	}
	sum := 0.0
	for _, v := range restored[1000:] {
		sum += float64(v) * float64(v)
	}
	size := math.Sqrt(2 * sum / float64(len(restored)-1000))
	if hz := pitch(restored, sense.MicrophoneRate/2); math.Abs(hz-heardTone) > 10 || math.Abs(size-4000) > 400 {
		t.Errorf("a tone of %.0f Hz at %.0f is restored, wanted %d Hz at half of 8000", hz, size, heardTone)
	}
}

func TestClientsAreHeard(t *testing.T) {
	t.Run("as they say", func(t *testing.T) { clientIsHeard(t, false) })
	t.Run("undeclared", func(t *testing.T) { clientIsHeard(t, true) })
}

func clientIsHeard(t *testing.T, silent bool) {
	t.Helper()
	s := newStudio(t)
	r := newRig(t, s.in)
	r.silent = silent
	track, err := pion.NewTrackLocalStaticSample(pion.RTPCodecCapability{MimeType: pion.MimeTypeOpus, ClockRate: 48000, Channels: 2}, "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	c := r.connect(r.dial(), func(pc *pion.PeerConnection) {
		if _, err := pc.AddTrack(track); err != nil {
			t.Fatal(err)
		}
	})
	file, err := os.ReadFile("../../recording/testdata/tone.opus")
	if err != nil {
		t.Fatal(err)
	}
	ogg, _, err := oggreader.NewWith(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(frameTime)
	defer tick.Stop()
	sent := 0
	for {
		packet, _, err := ogg.ParseNextPacket()
		if err != nil {
			break
		}
		if bytes.HasPrefix(packet, []byte("Opus")) {
			continue
		}
		<-tick.C
		if err := track.WriteSample(media.Sample{Data: packet, Duration: frameTime}); err != nil {
			t.Fatal(err)
		}
		sent++
	}
	r.soon("what was said is heard", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.poured) > sent*960/2
	})
	s.mu.Lock()
	loudest := 0
	for _, v := range s.poured {
		loudest = max(loudest, int(v))
	}
	t.Logf("%d packets, %d samples, %.0f Hz, %d at most", sent, len(s.poured), pitch(s.poured, heardRate), loudest)
	if loudest < 1000 {
		t.Errorf("it is heard at %d of 32767", loudest)
	}
	s.mu.Unlock()
	c.pc.GracefulClose()
	r.soon("the session has ended", func() bool { return r.sessions() == 0 })
}

// fromMulaw unpacks a byte of G.711.
func fromMulaw(b byte) int16 {
	b = ^b
	v := (int(b&15)<<3+132)<<(b>>4&7) - 132
	if b&0x80 != 0 {
		v = -v
	}
	return int16(v)
}

func TestPCMU(t *testing.T) {
	for _, v := range []int{0, 1, -1, 100, -100, 1000, -5000, 20000, -32000, 32767, -32768} {
		if back := int(fromMulaw(mulaw(v))); math.Abs(float64(back-v)) > 8+math.Abs(float64(v))/16 {
			t.Errorf("%d becomes %d", v, back)
		}
	}
}

// BenchmarkPack is what a picture costs, from the camera's JPEG to what is sent.
func BenchmarkPack(b *testing.B) {
	for _, size := range []image.Point{{640, 480}, {1280, 720}} {
		b.Run(size.String(), func(b *testing.B) {
			pictures := make([][]byte, 8)
			for i := range pictures {
				img := image.NewRGBA(image.Rectangle{Max: size})
				for p := range img.Pix { // a slope with the noise of a camera, and a square that moves
					x, y := p/4%size.X, p/4/size.X
					img.Pix[p] = uint8(x*200/size.X + int(rand.Uint32()&7))
					if d := x - 40*i; d > 0 && d < 80 && y > 100 && y < 180 {
						img.Pix[p] = 220
					}
				}
				var file bytes.Buffer
				if err := jpeg.Encode(&file, img, &jpeg.Options{Quality: 85}); err != nil {
					b.Fatal(err)
				}
				pictures[i] = file.Bytes()
			}
			var k packer
			for i := 0; b.Loop(); i++ {
				if _, err := k.pack(pictures[i%len(pictures)], false); err != nil {
					b.Fatal(err)
				}
				k.pace = pace{} // as on a quick processor
			}
		})
	}
}
