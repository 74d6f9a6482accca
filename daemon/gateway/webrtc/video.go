package webrtc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/rtcp"
	pion "github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"

	"github.com/reachyd/reachyd/daemon/gateway/webrtc/vp8"
)

const (
	// videoRate is how many pictures a second there are, and videoBits how many bits a second they may have in the mean.
	videoRate, videoBits = 15, 2_000_000
	// wide is how many pixels a row may have; wider pictures are halved.
	wide = 960
	// narrow is how many pixels a row has at least that is halved because it costs too much.
	narrow = 320
	// maxPixels is the largest picture that is unpacked.
	maxPixels = 16 << 20
	// keyPause is the least time between two key frames: whoever has lost one asks until it comes.
	keyPause = 300 * time.Millisecond
)

// camera shows what the robot sees to all sessions at once: it is packed once. It is open only while there is one.
type camera struct {
	g   *Gateway
	key atomic.Bool // a key frame is wanted

	mu       sync.Mutex
	track    *pion.TrackLocalStaticSample
	watchers map[*session]context.CancelFunc
	end      context.CancelFunc
}

func (c *camera) init(g *Gateway) { c.g, c.watchers = g, map[*session]context.CancelFunc{} }

// offer adds the picture to a session.
func (c *camera) offer(s *session) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.track == nil {
		track, err := pion.NewTrackLocalStaticSample(pion.RTPCodecCapability{MimeType: pion.MimeTypeVP8, ClockRate: 90000}, "video", producerName)
		if err != nil {
			return err
		}
		c.track = track
	}
	t, err := s.pc.AddTransceiverFromTrack(picture{c.track}, pion.RTPTransceiverInit{Direction: pion.RTPTransceiverDirectionSendonly})
	if err != nil {
		return err
	}
	s.picture = t.Sender()
	return nil
}

// picture is the track for a session. A client that does not understand it sees nothing, and has the rest.
type picture struct{ *pion.TrackLocalStaticSample }

// Bind implements pion.TrackLocal.
func (p picture) Bind(to pion.TrackLocalContext) (pion.RTPCodecParameters, error) {
	c, err := p.TrackLocalStaticSample.Bind(to)
	if errors.Is(err, pion.ErrUnsupportedCodec) {
		return first(to), nil
	}
	return c, err
}

// Unbind implements pion.TrackLocal.
func (p picture) Unbind(from pion.TrackLocalContext) error {
	if err := p.TrackLocalStaticSample.Unbind(from); !errors.Is(err, pion.ErrUnbindFailed) { // that one was never bound
		return err
	}
	return nil
}

// first is any codec that a client understands.
func first(to pion.TrackLocalContext) (c pion.RTPCodecParameters) {
	if known := to.CodecParameters(); len(known) > 0 {
		return known[0]
	}
	return c
}

// join begins to show a session what the robot sees.
func (c *camera) join(s *session) {
	if s.picture == nil {
		return
	}
	c.g.run(func() { c.listen(s.picture) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.key.Store(true)
	c.watchers[s] = nil
	if c.end == nil {
		var ctx context.Context
		ctx, c.end = context.WithCancel(c.g.ctx)
		c.g.run(func() { c.show(ctx) })
	}
}

// leave ends that; with the last session the camera is closed.
func (c *camera) leave(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watchers, s)
	if len(c.watchers) == 0 && c.end != nil {
		c.end()
		c.end = nil
	}
}

// listen hears a client ask for key frames, until its session ends.
func (c *camera) listen(sender *pion.RTPSender) {
	for {
		packets, _, err := sender.ReadRTCP()
		if err != nil {
			return
		}
		for _, p := range packets {
			switch p.(type) {
			case *rtcp.PictureLossIndication, *rtcp.FullIntraRequest:
				c.key.Store(true)
			}
		}
	}
}

// show packs pictures until ctx ends.
func (c *camera) show(ctx context.Context) {
	next := time.NewTimer(0)
	defer next.Stop()
	var k packer
	var last, keyed time.Time
	for failing := false; ; {
		select {
		case <-next.C:
		case <-ctx.Done():
			return
		}
		began := time.Now()
		data, err := c.g.Media.Frame(ctx)
		now := time.Now()
		if err == nil {
			key := c.key.Load() && now.Sub(keyed) > keyPause
			if key {
				c.key.Store(false)
				keyed = now
			}
			if data, err = k.pack(data, key); err == nil {
				length := time.Second / videoRate
				if !last.IsZero() {
					length = now.Sub(last)
				}
				last = now
				err = c.track.WriteSample(media.Sample{Data: data, Duration: length})
			}
		}
		if err != nil && !failing && ctx.Err() == nil {
			c.g.Log.Warn().Err(err).Msg("a client over WebRTC gets no picture")
		}
		failing = err != nil
		next.Reset(max(0, k.pace.interval()-time.Since(began)))
	}
}

// packer makes frames of video of pictures.
type packer struct {
	encoder *vp8.Encoder
	pace    pace
}

// pack makes a frame of a picture (JPEG). Another size begins anew.
func (k *packer) pack(data []byte, key bool) ([]byte, error) {
	began := time.Now()
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the camera's picture: %w", err)
	}
	if config.Width*config.Height > maxPixels {
		return nil, fmt.Errorf("the camera's picture has %d × %d pixels; allowed are %d together", config.Width, config.Height, maxPixels)
	}
	decoded, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the camera's picture: %w", err)
	}
	img, err := asVideo(decoded)
	if err != nil {
		return nil, err
	}
	for img.Bounds().Dx() > wide {
		img = halved(img)
	}
	for n := 0; n < k.pace.halvings && img.Bounds().Dx() > narrow; n++ {
		img = halved(img)
	}
	unpacked := time.Now()
	if e := k.encoder; e == nil || !fits(e, img) {
		if k.encoder, err = vp8.New(img.Bounds().Dx(), img.Bounds().Dy()); err != nil {
			return nil, err
		}
		k.encoder.Target = videoBits / 8 / videoRate
	}
	frame, err := k.encoder.Encode(img, key)
	k.pace.took(unpacked.Sub(began), time.Since(unpacked))
	return frame, err
}

func fits(e *vp8.Encoder, img image.Image) bool {
	width, height := e.Size()
	return img.Bounds().Size() == image.Pt(width, height)
}

// asVideo is a picture as luma and chroma, which it is but for a grey one.
func asVideo(img image.Image) (*image.YCbCr, error) {
	switch p := img.(type) {
	case *image.YCbCr:
		return p, nil
	case *image.Gray:
		b := p.Bounds()
		out := image.NewYCbCr(b, image.YCbCrSubsampleRatio420)
		for y := range b.Dy() {
			copy(out.Y[y*out.YStride:], p.Pix[y*p.Stride:y*p.Stride+b.Dx()])
		}
		for i := range out.Cb {
			out.Cb[i], out.Cr[i] = 128, 128
		}
		return out, nil
	}
	return nil, errors.New("the camera's picture has colours of print")
}

// halved is a picture of half the size.
func halved(img *image.YCbCr) *image.YCbCr {
	b := img.Bounds()
	out := image.NewYCbCr(image.Rect(0, 0, b.Dx()/2, b.Dy()/2), image.YCbCrSubsampleRatio420)
	for y := range out.Rect.Dy() {
		p, q := img.Y[img.YOffset(b.Min.X, b.Min.Y+2*y):], img.Y[img.YOffset(b.Min.X, b.Min.Y+2*y+1):]
		to := out.Y[y*out.YStride : y*out.YStride+out.Rect.Dx()]
		for x := range to {
			to[x] = uint8((int(p[2*x]) + int(p[2*x+1]) + int(q[2*x]) + int(q[2*x+1]) + 2) / 4)
		}
	}
	for y := range (out.Rect.Dy() + 1) / 2 {
		for x := range (out.Rect.Dx() + 1) / 2 {
			at := img.COffset(b.Min.X+min(4*x+1, b.Dx()-1), b.Min.Y+min(4*y+1, b.Dy()-1))
			out.Cb[y*out.CStride+x], out.Cr[y*out.CStride+x] = img.Cb[at], img.Cr[at]
		}
	}
	return out
}
