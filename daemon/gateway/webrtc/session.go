package webrtc

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/pion/interceptor"
	pion "github.com/pion/webrtc/v4"

	"github.com/reachyd/reachyd/daemon/gateway/sdk"
)

const (
	// connectPatience is how long a session may take to come about.
	connectPatience = 20 * time.Second
	// A peer that is silent for silence is doubted, and after givenUp more it is gone.
	silence, givenUp, keepAlive = 3 * time.Second, 4 * time.Second, time.Second
	// maxCandidates is how many ways to it a peer may name.
	maxCandidates = 64
	// maxInbox is how many messages of a client wait for their turn, maxBuffered how many bytes for a client that does not read,
	// and maxPose how many of its pose.
	maxInbox, maxBuffered, maxPose = 64, 4 << 20, 16 << 10
	// maxText is the longest message of a client, bytes.
	maxText = 256 << 10
)

var errBusy = fmt.Errorf("%d sessions are open, which is all that may", maxSessions)

// Payload types of the codecs that are offered; what is received is whatever the answer names.
const (
	payloadVP8, payloadOpus, payloadG722, payloadPCMU = 96, 111, 9, 0
)

// newEngine makes what sessions are made of; here says that the clients are programs of this host.
func (g *Gateway) newEngine(here bool) (*pion.API, error) {
	var m pion.MediaEngine
	feedback := []pion.RTCPFeedback{{Type: "nack"}, {Type: "nack", Parameter: "pli"}, {Type: "ccm", Parameter: "fir"}}
	err := errors.Join(
		m.RegisterCodec(pion.RTPCodecParameters{
			RTPCodecCapability: pion.RTPCodecCapability{MimeType: pion.MimeTypeVP8, ClockRate: 90000, RTCPFeedback: feedback}, PayloadType: payloadVP8,
		}, pion.RTPCodecTypeVideo),
		m.RegisterCodec(pion.RTPCodecParameters{
			RTPCodecCapability: pion.RTPCodecCapability{MimeType: pion.MimeTypeOpus, ClockRate: 48000, Channels: 2, SDPFmtpLine: "minptime=10;useinbandfec=1"},
			PayloadType:        payloadOpus,
		}, pion.RTPCodecTypeAudio),
		m.RegisterCodec(pion.RTPCodecParameters{
			RTPCodecCapability: pion.RTPCodecCapability{MimeType: pion.MimeTypeG722, ClockRate: 8000}, PayloadType: payloadG722,
		}, pion.RTPCodecTypeAudio),
		m.RegisterCodec(pion.RTPCodecParameters{
			RTPCodecCapability: pion.RTPCodecCapability{MimeType: pion.MimeTypePCMU, ClockRate: 8000}, PayloadType: payloadPCMU,
		}, pion.RTPCodecTypeAudio),
	)
	var i interceptor.Registry
	err = errors.Join(err, pion.ConfigureNack(&m, &i), pion.ConfigureRTCPReports(&i))
	if err != nil {
		return nil, fmt.Errorf("the codecs of WebRTC: %w", err)
	}
	var s pion.SettingEngine
	switch {
	case here: // GStreamer's nice has no candidates at 127.0.0.1, and what it sends there from elsewhere does not come
		lo, err := newLoopback()
		if err != nil {
			return nil, err
		}
		s.SetNet(lo)
	case g.Allows != nil:
		s.SetIPFilter(g.Allows)
	default:
		s.SetIPFilter(net.IP.IsLoopback)
	}
	s.SetIncludeLoopbackCandidate(true)
	s.SetNetworkTypes([]pion.NetworkType{pion.NetworkTypeUDP4, pion.NetworkTypeUDP6})
	s.SetICETimeouts(silence, givenUp, keepAlive)
	s.SetSCTPMaxReceiveBufferSize(1 << 20)
	s.SetSCTPMaxMessageSize(maxText)
	s.SetHandleUndeclaredSSRCWithoutAnswer(true) // GStreamer does not say in its answer what sound it will send
	return pion.NewAPI(pion.WithMediaEngine(&m), pion.WithInterceptorRegistry(&i), pion.WithSettingEngine(s)), nil
}

// session is a client with its data channel, and what it sees and hears.
type session struct {
	g    *Gateway
	id   string
	peer *peer
	pc   *pion.PeerConnection
	data *pion.DataChannel

	ctx    context.Context //nolint:containedctx // of everything that belongs to the session
	cancel context.CancelCauseFunc
	inbox  chan []byte

	mu         sync.Mutex
	candidates []pion.ICECandidateInit // that came before the answer
	named      int
	connected  bool
	pose       *pion.DataChannel

	// What it sees and hears, and what is heard of it; nil without. They are set before the peer hears of the session.
	picture *pion.RTPSender
	ear     *ear
}

// newSession makes an offer to a peer.
func (g *Gateway) newSession(p *peer) (*session, error) {
	api, err := g.engine()
	if p.here {
		api, err = g.engineHere()
	}
	if err != nil {
		return nil, err
	}
	s := &session{g: g, id: rand.Text(), peer: p, inbox: make(chan []byte, maxInbox)}
	s.ctx, s.cancel = context.WithCancelCause(g.ctx)
	g.mu.Lock()
	if g.closed || len(g.sessions) >= maxSessions {
		g.mu.Unlock()
		return nil, errBusy
	}
	g.sessions[s.id] = s
	g.mu.Unlock()
	if s.pc, err = api.NewPeerConnection(pion.Configuration{}); err == nil {
		err = s.offer()
	}
	if err != nil {
		s.end(err.Error())
	}
	if !g.run(s.wait) {
		s.close()
	}
	return s, err
}

// offer tells the peer what there is.
func (s *session) offer() error {
	var err error
	if s.g.Media != nil {
		err = s.g.video.offer(s)
	}
	if err == nil && s.g.Media != nil && s.peer.hears {
		err = s.g.audio.offer(s)
	}
	if err != nil {
		return err
	}
	if s.data, err = s.pc.CreateDataChannel("data", nil); err != nil {
		return err
	}
	s.data.OnOpen(func() { s.g.run(s.serve) })
	s.data.OnClose(func() { s.end("the data channel has been closed") })
	s.data.OnMessage(func(m pion.DataChannelMessage) {
		if len(m.Data) > maxText {
			s.end(fmt.Sprintf("a message has %d bytes; allowed are %d", len(m.Data), maxText))
			return
		}
		select {
		case s.inbox <- m.Data:
		case <-s.ctx.Done():
		}
	})
	s.pc.OnConnectionStateChange(func(state pion.PeerConnectionState) {
		switch state {
		case pion.PeerConnectionStateConnected:
			s.begin()
		case pion.PeerConnectionStateFailed, pion.PeerConnectionStateClosed:
			s.end("the connection is " + state.String())
		}
	})
	o, err := s.pc.CreateOffer(nil)
	if err != nil {
		return err
	}
	gathered := pion.GatheringCompletePromise(s.pc)
	if err := s.pc.SetLocalDescription(o); err != nil {
		return err
	}
	select {
	case <-gathered: // addresses of this host only: at once
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
	late := time.AfterFunc(connectPatience, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.connected {
			s.end(fmt.Sprintf("it has not come about within %v", connectPatience))
		}
	})
	context.AfterFunc(s.ctx, func() { late.Stop() })
	s.peer.tell(answer{Type: "sessionStarted", PeerID: s.g.id, SessionID: s.id})
	s.peer.tell(answer{Type: "peer", SessionID: s.id, SDP: &description{"offer", s.pc.LocalDescription().SDP}})
	return nil
}

// begin notes that the peer has been reached.
func (s *session) begin() {
	s.mu.Lock()
	first := !s.connected && s.ctx.Err() == nil
	s.connected = true
	s.mu.Unlock()
	if first {
		s.g.video.join(s)
		s.g.Log.Info().Str("session", s.id).Str("client", s.about()).Str("address", s.peer.from).Msg("a session over WebRTC has begun")
	}
}

// hear takes the peer's answer, or a way to it.
func (s *session) hear(m *message) error {
	if m.SDP != nil {
		if err := s.pc.SetRemoteDescription(pion.SessionDescription{Type: pion.SDPTypeAnswer, SDP: m.SDP.SDP}); err != nil {
			return fmt.Errorf("sdp: %w", err)
		}
		s.mu.Lock()
		early := s.candidates
		s.candidates = nil
		s.mu.Unlock()
		for _, c := range early {
			if err := s.pc.AddICECandidate(c); err != nil {
				return fmt.Errorf("ice: %w", err)
			}
		}
		return nil
	}
	if m.ICE.Candidate == "" { // there are no more
		return nil
	}
	c := pion.ICECandidateInit{Candidate: m.ICE.Candidate, SDPMLineIndex: m.ICE.Line, SDPMid: m.ICE.Mid}
	s.mu.Lock()
	s.named++
	over, early := s.named > maxCandidates, s.pc.RemoteDescription() == nil
	if early && !over {
		s.candidates = append(s.candidates, c)
	}
	s.mu.Unlock()
	switch {
	case over:
		return fmt.Errorf("ice: more than %d ways to the client", maxCandidates)
	case early:
		return nil
	}
	if err := s.pc.AddICECandidate(c); err != nil {
		return fmt.Errorf("ice: %w", err)
	}
	return nil
}

// about is what the client calls itself.
func (s *session) about() string {
	s.g.mu.Lock()
	defer s.g.mu.Unlock()
	return cmp.Or(s.peer.name, "WebRTC")
}

// serve carries out what the client says until it has gone.
func (s *session) serve() {
	err := s.g.Commands.Serve(s.ctx, (*link)(s), s.about(), s.peer.from)
	if err != nil {
		s.end(err.Error())
		return
	}
	s.end("the client has gone")
}

// end lets the session end; it may be called again.
func (s *session) end(why string) { s.cancel(errors.New(why)) }

// wait closes the session when it has ended.
func (s *session) wait() {
	<-s.ctx.Done()
	s.close()
}

func (s *session) close() {
	why := context.Cause(s.ctx)
	if s.pc != nil {
		if err := s.pc.GracefulClose(); err != nil {
			s.g.Log.Debug().Err(err).Str("session", s.id).Msg("a session did not end as it should")
		}
	}
	s.g.video.leave(s) // now nothing joins any more
	s.g.audio.leave(s)
	s.g.mu.Lock()
	delete(s.g.sessions, s.id)
	s.g.mu.Unlock()
	s.peer.tell(answer{Type: "endSession", SessionID: s.id})
	s.g.Log.Info().Str("session", s.id).AnErr("why", why).Msg("a session over WebRTC has ended")
}

// link is a session as the SDK's gateway sees it.
type link session

var _ sdk.Link = (*link)(nil)

// Read returns the next message of the client.
func (l *link) Read(ctx context.Context) ([]byte, error) {
	select {
	case data := <-l.inbox:
		return data, nil
	case <-ctx.Done():
		return nil, context.Cause(l.ctx)
	}
}

// Write sends the client a message.
func (l *link) Write(_ context.Context, data []byte) error {
	if l.data.BufferedAmount() > maxBuffered {
		return errors.New("the client does not read")
	}
	return l.data.SendText(string(data))
}

// OpenPose opens the channel for where the robot is.
func (l *link) OpenPose() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pose != nil {
		return nil
	}
	ordered, again := false, uint16(0)
	pose, err := l.pc.CreateDataChannel("pose", &pion.DataChannelInit{Ordered: &ordered, MaxRetransmits: &again})
	l.pose = pose
	return err
}

// PushPose sends where the robot is, unless the client is behind.
func (l *link) PushPose(data []byte) {
	l.mu.Lock()
	pose := l.pose
	l.mu.Unlock()
	if pose != nil && pose.ReadyState() == pion.DataChannelStateOpen && pose.BufferedAmount() < maxPose {
		_ = pose.SendText(string(data)) // the next one comes soon
	}
}

// ForgetAudio drops what the client has said and nobody has heard yet.
func (l *link) ForgetAudio() {
	if l.ear != nil {
		l.ear.forget()
	}
}
