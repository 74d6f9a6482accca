package webrtc

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/pion/opus"
	"github.com/pion/rtp"
	"github.com/pion/rtp/codecs"
	pion "github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"
	"golang.org/x/image/vp8"

	sense "github.com/reachyd/reachyd/perception/client"
)

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

// onlyKnows makes clients that know one codec.
func (r *rig) onlyKnows(mime string, rate uint32, channels uint16, payload pion.PayloadType) {
	r.codecs = func(m *pion.MediaEngine) error {
		return m.RegisterCodec(pion.RTPCodecParameters{
			RTPCodecCapability: pion.RTPCodecCapability{MimeType: mime, ClockRate: rate, Channels: channels}, PayloadType: payload,
		}, pion.RTPCodecTypeAudio)
	}
}

// hears connects a client and returns the next packets of sound that come, with the name of their codec.
func (r *rig) hears(n int) (c *client, mime string, heard []*rtp.Packet) {
	r.t.Helper()
	codec, came := make(chan string, 1), make(chan *rtp.Packet, n)
	c = r.connect(r.dial(), func(pc *pion.PeerConnection) {
		pc.OnTrack(func(track *pion.TrackRemote, _ *pion.RTPReceiver) {
			if track.Kind() != pion.RTPCodecTypeAudio {
				return
			}
			for i := range n {
				p, _, err := track.ReadRTP()
				if err != nil {
					return
				}
				if i == 0 {
					codec <- track.Codec().MimeType
				}
				came <- p
			}
		})
	})
	for range n {
		select {
		case p := <-came:
			heard = append(heard, p)
		case <-time.After(wait):
			r.t.Fatalf("%d packets of sound come, wanted %d", len(heard), n)
		}
	}
	return c, <-codec, heard
}

// unpack makes sound, at heardRate, of packets of Opus, and sees that their times are those of the sound.
func unpack(t *testing.T, heard []*rtp.Packet) (pcm []int16) {
	t.Helper()
	decoder, err := opus.NewDecoderWithOutput(heardRate, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range heard {
		piece := make([]int16, longest)
		n, err := decoder.DecodeToInt16(p.Payload, piece)
		if err != nil || n != 960 || p.PayloadType != payloadOpus {
			t.Fatalf("%d samples, %v, in a packet of type %d", n, err, p.PayloadType)
		}
		if i > 0 && p.Timestamp-heard[i-1].Timestamp != uint32(p.SequenceNumber-heard[i-1].SequenceNumber)*960 {
			t.Errorf("packets %d and %d are %d samples apart", heard[i-1].SequenceNumber, p.SequenceNumber, p.Timestamp-heard[i-1].Timestamp)
		}
		pcm = append(pcm, piece[:n]...)
	}
	return pcm
}

// A client that knows everything hears the tone as Opus; so does one that knows nothing else.
func TestClientsHearOpus(t *testing.T) {
	for name, alone := range map[string]bool{"a client that knows everything": false, "one that knows nothing else": true} {
		t.Run(name, func(t *testing.T) {
			s := newStudio(t)
			r := newRig(t, s.in)
			if alone {
				r.onlyKnows(pion.MimeTypeOpus, 48000, 2, payloadOpus)
			}
			c, mime, heard := r.hears(50)
			pcm := unpack(t, heard)
			if hz := pitch(pcm[9600:], heardRate); mime != pion.MimeTypeOpus || math.Abs(hz-heardTone) > 15 {
				t.Errorf("a tone of %.0f Hz is heard in %s, wanted %d Hz in Opus", hz, mime, heardTone)
			}
			c.pc.GracefulClose()
			r.soon("the microphone rests", s.resting)
		})
	}
}

// Where there is no libopus, a client that knows everything hears the tone in G.722.
func TestWithoutLibopusClientsHearG722(t *testing.T) {
	s := newStudio(t)
	s.bare = true
	r := newRig(t, s.in)
	c, mime, heard := r.hears(5)
	if mime != pion.MimeTypeG722 || heard[0].PayloadType != payloadG722 || len(heard[0].Payload) != 160 {
		t.Errorf("%s: %d bytes in a packet of type %d", mime, len(heard[0].Payload), heard[0].PayloadType)
	}
	c.pc.GracefulClose()
	r.soon("the microphone rests", s.resting)
}

// Two clients of two kinds hear at once, each its own.
func TestClientsOfTwoKindsHear(t *testing.T) {
	s := newStudio(t)
	r := newRig(t, s.in)
	r.onlyKnows(pion.MimeTypePCMU, 8000, 0, payloadPCMU)
	one, _, _ := r.hears(2)
	r.codecs = nil
	other, mime, _ := r.hears(2)
	if mime != pion.MimeTypeOpus {
		t.Error(mime)
	}
	one.pc.GracefulClose()
	r.soon("one of two microphones rests", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.open == 1
	})
	other.pc.GracefulClose()
	r.soon("the other rests, too", s.resting)
}

// A client that knows G.711 alone hears the tone; it is unpacked here as G.711 says.
func TestClientsHear(t *testing.T) {
	s := newStudio(t)
	r := newRig(t, s.in)
	r.onlyKnows(pion.MimeTypePCMU, 8000, 0, payloadPCMU)
	c, _, heard := r.hears(50)
	var pcm []int16
	for _, p := range heard {
		for _, b := range p.Payload {
			pcm = append(pcm, fromMulaw(b))
		}
	}
	if hz := pitch(pcm, 8000); math.Abs(hz-heardTone) > 25 {
		t.Errorf("a tone of %.0f Hz is heard, wanted %d", hz, heardTone)
	}
	c.pc.GracefulClose()
	r.soon("the microphone rests", s.resting)
}

// A client that knows Opus alone, as GStreamer's webrtcsrc, does not speak before sound comes: packets come, of silence, also when there is
// no microphone or no libopus.
func TestOpusAloneHearsSilence(t *testing.T) {
	for name, change := range map[string]func(*studio){
		"without a microphone": func(s *studio) { s.deaf = true }, "without libopus": func(s *studio) { s.bare = true },
		"with neither": func(s *studio) { s.deaf, s.bare = true, true },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStudio(t)
			change(s)
			r := newRig(t, s.in)
			r.onlyKnows(pion.MimeTypeOpus, 48000, 2, payloadOpus)
			c, _, heard := r.hears(2)
			if pcm := unpack(t, heard); slices.Max(pcm) > 1 {
				t.Errorf("samples up to %d", slices.Max(pcm))
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
	tick := time.NewTicker(frameTime)
	defer tick.Stop()
	sent := 0
	for _, packet := range toneOfOpus(t) {
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
