package webrtc

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pion/opus"
	"github.com/pion/rtp"
	pion "github.com/pion/webrtc/v4"

	sense "github.com/reachyd/reachyd/perception/client"
)

const (
	// frameTime is how much sound a packet has.
	frameTime = 20 * time.Millisecond
	// frameLength is that at the microphone's rate, samples.
	frameLength = sense.MicrophoneRate * int(frameTime) / int(time.Second)
	// micPause is the time between two tries to open the microphone.
	micPause = time.Second
	// micPatience is how long the answer may take that says whether there is sound in Opus.
	micPatience = 2 * time.Second
)

// microphone lets all sessions hear what the robot hears. Each of its streams is open only while somebody hears it.
type microphone struct {
	g            *Gateway
	opus, others stream
}

func (m *microphone) init(g *Gateway) {
	m.g = g
	m.opus = stream{g: g, listen: m.packets, pause: opusSilence}
	m.others = stream{g: g, listen: m.samples, pause: make([]byte, 2*frameLength)}
}

// offer adds sound both ways to a session.
func (m *microphone) offer(s *session) error {
	ctx, cancel := context.WithTimeout(s.ctx, micPatience)
	defer cancel()
	state, err := m.g.Media.State(ctx)
	v := &voice{packs: err != nil || state.Hearing.NoOpus != ""}
	v.bound = func(opus bool) {
		if opus {
			m.opus.join(s, v)
		} else {
			m.others.join(s, v)
		}
	}
	if err == nil && state.Hearing.NoOpus != "" {
		m.g.Log.Warn().Str("reason", state.Hearing.NoOpus).Msg("clients over WebRTC hear the robot in G.722 or G.711, not in Opus")
	}
	_, err = s.pc.AddTransceiverFromTrack(v, pion.RTPTransceiverInit{Direction: pion.RTPTransceiverDirectionSendrecv})
	if err != nil {
		return err
	}
	s.ear = newEar(m.g)
	s.pc.OnTrack(func(t *pion.TrackRemote, _ *pion.RTPReceiver) {
		if t.Kind() == pion.RTPCodecTypeAudio && strings.EqualFold(t.Codec().MimeType, pion.MimeTypeOpus) {
			m.g.run(func() { s.ear.listen(t) })
			m.g.run(func() { s.ear.play(s.ctx) })
		}
	})
	return nil
}

func (m *microphone) leave(s *session) {
	m.opus.leave(s)
	m.others.leave(s)
}

// packets passes on what the microphone hears as Opus until it ends.
func (m *microphone) packets(ctx context.Context, say func([]byte)) error {
	in, err := m.g.Media.MicrophoneOpus(ctx)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read
	for {
		packet, err := in.Next()
		if err != nil {
			return err
		}
		say(packet)
	}
}

// samples passes it on in pieces of a packet.
func (m *microphone) samples(ctx context.Context, say func([]byte)) error {
	in, err := m.g.Media.Microphone(ctx)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read
	raw := make([]byte, 2*frameLength)
	for {
		if _, err := io.ReadFull(in, raw); err != nil {
			return err
		}
		say(raw)
	}
}

// stream is the microphone's sound of one kind.
type stream struct {
	g      *Gateway
	listen func(ctx context.Context, say func([]byte)) error
	pause  []byte // what is said while there is no sound

	mu        sync.Mutex
	listeners map[*session]*voice
	end       context.CancelFunc
}

func (h *stream) join(s *session, v *voice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listeners == nil {
		h.listeners = map[*session]*voice{}
	}
	h.listeners[s] = v
	if h.end == nil {
		var ctx context.Context
		ctx, h.end = context.WithCancel(h.g.ctx)
		h.g.run(func() { h.hear(ctx) })
	}
}

func (h *stream) leave(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listeners, s)
	if len(h.listeners) == 0 && h.end != nil {
		h.end()
		h.end = nil
	}
}

// hear passes on what the microphone hears until ctx ends.
func (h *stream) hear(ctx context.Context) {
	for failing := false; ctx.Err() == nil; {
		err := h.listen(ctx, h.say)
		if err != nil && !failing && ctx.Err() == nil {
			h.g.Log.Warn().Err(err).Msg("clients over WebRTC hear nothing")
		}
		failing = err != nil
		h.say(h.pause) // a client may wait for sound before it speaks
		select {
		case <-ctx.Done():
		case <-time.After(micPause):
		}
	}
}

// say passes a packet's sound on to all who hear.
func (h *stream) say(sound []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, v := range h.listeners {
		v.say(sound)
	}
}

// voice is the robot's sound in one session: a track that is packed as the client understands it.
type voice struct {
	packs bool            // there are no packets of Opus: sound is packed here
	bound func(opus bool) // is told what the client takes

	mu     sync.Mutex
	out    pion.TrackLocalWriter
	header rtp.Header
	pack   func(pcm []byte) []byte // nil: what comes is packed
	ticks  uint32                  // of a packet
}

// Bind implements pion.TrackLocal.
func (v *voice) Bind(to pion.TrackLocalContext) (pion.RTPCodecParameters, error) {
	c, ok := v.choose(to)
	if !ok {
		return first(to), nil // the client hears nothing, but is heard
	}
	v.bound(strings.EqualFold(c.MimeType, pion.MimeTypeOpus) && !v.packs)
	return c, nil
}

// choose takes the best that the client knows.
func (v *voice) choose(to pion.TrackLocalContext) (c pion.RTPCodecParameters, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	known := to.CodecParameters()
	order := []string{pion.MimeTypeOpus, pion.MimeTypeG722, pion.MimeTypePCMU}
	if v.packs {
		order = []string{pion.MimeTypeG722, pion.MimeTypePCMU, pion.MimeTypeOpus}
	}
	for _, mime := range order {
		at := slices.IndexFunc(known, func(c pion.RTPCodecParameters) bool { return strings.EqualFold(c.MimeType, mime) })
		if at < 0 {
			continue
		}
		c = known[at]
		v.out, v.ticks = to.WriteStream(), c.ClockRate*uint32(frameTime/time.Millisecond)/1000 // G.722 says half of its rate, and counts so
		switch {
		case mime == pion.MimeTypeG722:
			v.pack = packWith(new(g722).encode)
		case mime == pion.MimeTypePCMU:
			v.pack = packWith(packPCMU)
		case v.packs:
			v.pack = func([]byte) []byte { return opusSilence }
		default:
			v.pack = nil
		}
		v.header = rtp.Header{
			Version: 2, PayloadType: uint8(c.PayloadType), SSRC: uint32(to.SSRC()), SequenceNumber: uint16(rand.Uint32()), Timestamp: rand.Uint32(),
		}
		return c, true
	}
	return c, false
}

// packWith packs samples that come as bytes.
func packWith(pack func([]int16) []byte) func([]byte) []byte {
	pcm := make([]int16, frameLength)
	return func(raw []byte) []byte {
		for i := range pcm {
			pcm[i] = int16(binary.LittleEndian.Uint16(raw[2*i:]))
		}
		return pack(pcm)
	}
}

// Unbind implements pion.TrackLocal.
func (v *voice) Unbind(pion.TrackLocalContext) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.out = nil
	return nil
}

// ID implements pion.TrackLocal.
func (v *voice) ID() string { return "audio" }

// RID implements pion.TrackLocal.
func (v *voice) RID() string { return "" }

// StreamID implements pion.TrackLocal.
func (v *voice) StreamID() string { return producerName }

// Kind implements pion.TrackLocal.
func (v *voice) Kind() pion.RTPCodecType { return pion.RTPCodecTypeAudio }

func (v *voice) say(sound []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.out == nil {
		return
	}
	if v.pack != nil {
		sound = v.pack(sound)
	}
	header := v.header
	v.header.SequenceNumber++
	v.header.Timestamp += v.ticks
	_, _ = v.out.WriteRTP(&header, sound) // a packet that is lost is not heard
}

const (
	// heardRate is at which rate what a client says is played.
	heardRate = 48000
	// longest is the longest packet of Opus, samples.
	longest = heardRate * 120 / 1000
	// earTime is how much of it may wait, packets of 20 ms; then the oldest goes.
	earTime = 25
	// loud is what is not silence, of 32767, and afterwards how many silent packets belong to it.
	loud, afterwards = 64, 50
)

// ear is what a client says: played by the robot's loudspeaker while it is not silent.
type ear struct {
	g     *Gateway
	heard chan []byte // PCM
	drop  chan struct{}
}

func newEar(g *Gateway) *ear {
	return &ear{g: g, heard: make(chan []byte, earTime), drop: make(chan struct{}, 1)}
}

// forget drops what has not been heard yet.
func (e *ear) forget() {
	for {
		select {
		case <-e.heard:
			continue
		default:
		}
		break
	}
	select {
	case e.drop <- struct{}{}:
	default:
	}
}

// listen unpacks what the client says until its session ends.
func (e *ear) listen(t *pion.TrackRemote) {
	decoder, err := opus.NewDecoderWithOutput(heardRate, 1)
	if err != nil {
		e.g.Log.Warn().Err(err).Msg("clients over WebRTC are not heard")
		return
	}
	pcm, last, any := make([]int16, longest), uint16(0), false
	quiet := afterwards
	for {
		p, _, err := t.ReadRTP()
		if err != nil {
			return
		}
		if any && int16(p.SequenceNumber-last) <= 0 { // too late
			continue
		}
		last, any = p.SequenceNumber, true
		n, err := decoder.DecodeToInt16(p.Payload, pcm)
		if err != nil || n == 0 {
			continue
		}
		quiet++
		raw := make([]byte, 0, 2*n)
		for _, v := range pcm[:n] {
			if v > loud || v < -loud {
				quiet = 0
			}
			raw = binary.LittleEndian.AppendUint16(raw, uint16(v))
		}
		if quiet >= afterwards {
			continue
		}
		for done := false; !done; {
			select {
			case e.heard <- raw:
				done = true
			default:
				select {
				case <-e.heard:
				default:
				}
			}
		}
	}
}

// sayPause is the silence after which what a client says is over: the loudspeaker is free for others then.
const sayPause = 300 * time.Millisecond

// play plays it, one utterance after the other, until ctx ends.
func (e *ear) play(ctx context.Context) {
	refused := ""
	for {
		var first []byte
		select {
		case <-ctx.Done():
			return
		case <-e.drop:
			continue
		case first = <-e.heard:
		}
		r, w := io.Pipe()
		said, stop := context.WithCancel(ctx)
		fed := make(chan struct{})
		go func() {
			defer close(fed)
			e.feed(said, stop, w, first)
		}()
		_, err := e.g.Media.Pour(said, heardRate, r)
		stop()
		_ = r.Close() // it is over
		<-fed
		why := ""
		if err != nil && !errors.Is(err, context.Canceled) {
			why = err.Error()
		}
		if why != "" && why != refused {
			e.g.Log.Warn().Err(err).Msg("what a client over WebRTC says is not heard")
		}
		refused = why
	}
}

// feed passes an utterance on, until a pause.
func (e *ear) feed(ctx context.Context, stop context.CancelFunc, w *io.PipeWriter, data []byte) {
	defer w.Close() //nolint:errcheck // always nil
	defer context.AfterFunc(ctx, func() { _ = w.CloseWithError(ctx.Err()) })()
	pause := time.NewTimer(sayPause)
	defer pause.Stop()
	for {
		if _, err := w.Write(data); err != nil {
			return
		}
		pause.Reset(sayPause)
		select {
		case <-ctx.Done():
			return
		case <-e.drop:
			stop()
			return
		case <-pause.C:
			return
		case data = <-e.heard:
		}
	}
}
