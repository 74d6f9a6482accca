// Package webrtc is the way in for the official daemon's clients in browsers and for its Python SDK's stream: commands on a data channel,
// the camera's picture, and sound both ways. Nothing of it runs while nobody is connected.
package webrtc

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	pion "github.com/pion/webrtc/v4"
	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/daemon/gateway/sdk"
	sense "github.com/reachyd/reachyd/perception/client"
)

const (
	// maxPeers is how many may be connected to signal, and maxSessions how many may have a session, at the same time.
	maxPeers, maxSessions = 16, 4
	// maxWaiting is how many messages wait for a peer that is slow to read; then it is ended.
	maxWaiting = 256
	// producerName is what the official Python SDK looks for.
	producerName = "reachymini"
)

// Commands carries out what a client says on its data channel. *sdk.Gateway is one.
type Commands interface {
	Serve(ctx context.Context, link sdk.Link, about, from string) error
}

// Media are camera, microphone and loudspeaker. *client.Client of package perception/client is one.
type Media interface {
	sdk.Media
	// MicrophoneOpus is Microphone as packets of Opus.
	MicrophoneOpus(ctx context.Context) (*sense.Packets, error)
	// State says whether there are such packets.
	State(ctx context.Context) (sense.State, error)
}

// Gateway is open to clients over WebRTC. Fill in the exported fields, Open it, let a web
// server Mount it, and Close it again.
type Gateway struct {
	Commands Commands
	Media    Media  // nil when there are no camera and no sound
	Name     string // what people call the robot
	// Listen is where the Python SDK signals, an address of this host alone; empty for nowhere.
	Listen string
	// Allows says at which addresses of this host sessions may be reached; nil: at 127.0.0.1 and ::1 only.
	Allows func(net.IP) bool
	Log    zerolog.Logger

	ctx    context.Context //nolint:containedctx // of everything that the gateway began; it ends with Close
	end    context.CancelFunc
	work   sync.WaitGroup
	server *http.Server
	id     string // of the robot
	engine func() (*pion.API, error)
	// engineHere makes sessions with programs of this host, at all of its addresses.
	engineHere func() (*pion.API, error)
	video      camera
	audio      microphone

	mu       sync.Mutex
	closed   bool
	peers    map[string]*peer
	sessions map[string]*session
}

// peer is one that signals.
type peer struct {
	id   string
	key  string // who it is; there may be several of it
	name string // how it calls itself
	from string // its address
	// joined is when it came.
	joined time.Time
	// hears says that it may listen to the robot's microphone and speak by its loudspeaker.
	hears bool
	// here says that it is a program of this host.
	here bool
	out  chan []byte
	gone context.CancelFunc
}

// Open makes the gateway ready. Without a place to listen it serves browsers alone.
func (g *Gateway) Open(ctx context.Context) error {
	g.ctx, g.end = context.WithCancel(ctx)
	g.peers, g.sessions, g.id = map[string]*peer{}, map[string]*session{}, rand.Text()
	g.engine = sync.OnceValues(func() (*pion.API, error) { return g.newEngine(false) }) // not before somebody comes
	g.engineHere = sync.OnceValues(func() (*pion.API, error) { return g.newEngine(true) })
	g.video.init(g)
	g.audio.init(g)
	if g.Listen == "" {
		return nil
	}
	return g.listen()
}

// Close ends all sessions and waits for them. It may be called again.
func (g *Gateway) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.end()
	if g.server != nil {
		_ = g.server.Close() // its listener is closed in any case
		g.server = nil
	}
	g.work.Wait()
}

// run does something beside the caller, and Close waits for it.
func (g *Gateway) run(do func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.work.Go(do)
	return true
}

var errFull = fmt.Errorf("%d clients signal already, which is all that may", maxPeers)

// join lets a peer signal; leave must be called when it has gone.
func (g *Gateway) join(p *peer) error {
	p.id, p.out, p.joined = rand.Text(), make(chan []byte, maxWaiting), time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.closed:
		return errors.New("reachyd is ending")
	case len(g.peers) >= maxPeers:
		return errFull
	}
	g.peers[p.id] = p
	p.tell(answer{Type: "welcome", PeerID: p.id})
	return nil
}

// leave ends the sessions of a peer that has gone.
func (g *Gateway) leave(p *peer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.peers, p.id)
	for _, s := range g.sessions {
		if s.peer == p {
			s.end("its client no longer signals")
		}
	}
}

// tell sends a peer a message; one that does not read is ended.
func (p *peer) tell(a answer) {
	select {
	case p.out <- encode(a):
	default:
		p.gone()
	}
}

// handle carries out a message of a peer and returns what is answered; nil for nothing.
func (g *Gateway) handle(p *peer, m *message) (*answer, error) {
	switch m.Type {
	case "setPeerStatus":
		g.mu.Lock()
		p.name = m.name()
		g.mu.Unlock()
		return nil, nil //nolint:nilnil // nothing is answered
	case "list":
		return g.list(producerName), nil
	case "startSession":
		return g.start(p, m)
	}
	g.mu.Lock()
	s := g.sessions[m.SessionID]
	g.mu.Unlock()
	if s == nil || s.peer.key != p.key {
		if m.Type == "endSession" {
			return nil, nil //nolint:nilnil // it has ended already
		}
		return nil, fmt.Errorf("sessionId is %.40q, which is no session of this client", m.SessionID)
	}
	if m.Type == "endSession" {
		s.end("its client ended it")
		return nil, nil //nolint:nilnil // nothing is answered
	}
	err := s.hear(m)
	if err != nil {
		g.Log.Warn().Err(err).Str("session", s.id).Msg("what a client answers to the offer is refused")
	}
	return nil, err
}

// list is the one robot that there is.
func (g *Gateway) list(name string) *answer {
	return &answer{Type: "list", Producers: []producer{{ID: g.id, Meta: map[string]string{"name": name}}}}
}

// start begins a session.
func (g *Gateway) start(p *peer, m *message) (*answer, error) {
	if m.PeerID != g.id {
		return nil, fmt.Errorf("peerId is %.40q; allowed is that of the robot, which the list has", m.PeerID)
	}
	s, err := g.newSession(p)
	switch {
	case errors.Is(err, errBusy):
		g.Log.Warn().Str("address", p.from).Msg("a session over WebRTC was refused: there are too many")
		return &answer{Type: "sessionRejected", Reason: "robot_busy", ActiveApp: fmt.Sprintf("%d other clients", maxSessions)}, nil
	case err != nil:
		return nil, err
	}
	return &answer{Type: "sessionStarted", PeerID: g.id, SessionID: s.id}, nil
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil { // messages are made of texts
		panic(err)
	}
	return data
}
