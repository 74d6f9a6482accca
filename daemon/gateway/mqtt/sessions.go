package mqtt

import (
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

const maxSessions = 128 // of clients that are not there; for one more the oldest ends

// sessions gives a client ID to one connection at a time, and ends the sessions of clients that do not come back. The library
// (v2.7.9) does neither under a lock: of two connections with the same ID at the same time, or of one that comes as the session
// expires, one stays connected and never gets a message.
type sessions struct {
	mochi.HookBase
	broker *Broker
	ends   sync.Mutex // of one session at a time

	mu      sync.Mutex
	holders map[string]*trackedConn // by client ID
	expiry  map[string]uint32       // seconds, as the client asked, no more than maxSession
	absent  map[string]*absence
	closed  bool
}

type absence struct {
	since  time.Time
	timer  *time.Timer
	ending bool // for one more, as soon as it comes to that
}

func newSessions(b *Broker) *sessions {
	return &sessions{broker: b, holders: map[string]*trackedConn{}, expiry: map[string]uint32{}, absent: map[string]*absence{}}
}

// ID implements mochi.Hook.
func (s *sessions) ID() string { return "sessions" }

// Provides implements mochi.Hook.
func (s *sessions) Provides(b byte) bool {
	return slices.Contains([]byte{mochi.OnConnect, mochi.OnSessionEstablish, mochi.OnSessionEstablished, mochi.OnPacketRead, mochi.OnPacketEncode}, b)
}

const never = math.MaxUint32 // an expiry at which the library does nothing

var errTooMany = errors.New("as many clients are connected as may be")

// OnConnect implements mochi.Hook. One place is left for our own gateway, whoever else comes.
func (s *sessions) OnConnect(cl *mochi.Client, _ packets.Packet) error {
	if c, ok := cl.Net.Conn.(*trackedConn); ok {
		c.asked, c.old = cl.Properties.Props.SessionExpiryInterval, cl.Properties.ProtocolVersion < 5
		if cl.Net.Listener != inProcess {
			c.take()
		}
	}
	if cl.Net.Listener != inProcess && atomic.LoadInt64(&s.broker.server.Info.ClientsConnected) >= MaxClients {
		code := packets.ErrServerUnavailable
		if cl.Properties.ProtocolVersion == 5 {
			code = packets.ErrServerBusy
		}
		_ = s.broker.server.SendConnack(cl, code, false, nil) // it is refused in any case
		return errTooMany
	}
	return nil
}

// OnSessionEstablish implements mochi.Hook: whoever had the ID is gone before the library hands the session over.
func (s *sessions) OnSessionEstablish(cl *mochi.Client, _ packets.Packet) {
	c, ok := cl.Net.Conn.(*trackedConn)
	if !ok {
		return
	}
	for {
		s.mu.Lock()
		holder := s.holders[cl.ID]
		if holder == nil {
			s.holders[cl.ID], c.client = c, cl
			s.begin(cl)
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		_ = s.broker.server.DisconnectClient(holder.client, packets.ErrSessionTakenOver) // it may be leaving already
		<-holder.served
	}
}

// OnSessionEstablished implements mochi.Hook.
func (s *sessions) OnSessionEstablished(cl *mochi.Client, _ packets.Packet) {
	if s.broker.OnClient != nil && cl.Net.Listener != inProcess {
		s.broker.OnClient()
	}
}

// begin notes how long the session may last without its client; s.mu is held.
func (s *sessions) begin(cl *mochi.Client) {
	if a := s.absent[cl.ID]; a != nil {
		a.timer.Stop()
		delete(s.absent, cl.ID)
	}
	delete(s.expiry, cl.ID)
	if props := &cl.Properties.Props; cl.Properties.ProtocolVersion < 5 && !cl.Properties.Clean {
		s.expiry[cl.ID] = maxSession
	} else if props.SessionExpiryInterval > 0 {
		s.expiry[cl.ID] = min(props.SessionExpiryInterval, maxSession)
		props.SessionExpiryInterval = never
	}
}

// of returns how many seconds the session of a client may last without it.
func (s *sessions) of(client string) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.expiry[client]
}

// OnPacketRead implements mochi.Hook: with its goodbye a client may say how long its session lasts.
func (s *sessions) OnPacketRead(cl *mochi.Client, pk packets.Packet) (packets.Packet, error) {
	if c, ok := cl.Net.Conn.(*trackedConn); ok && pk.FixedHeader.Type == packets.Subscribe && cl.Net.Listener != inProcess {
		c.take()
	}
	if pk.FixedHeader.Type == packets.Disconnect && pk.Properties.SessionExpiryIntervalFlag && pk.Properties.SessionExpiryInterval > 0 {
		s.mu.Lock()
		if _, lasts := s.expiry[cl.ID]; lasts {
			s.expiry[cl.ID] = min(pk.Properties.SessionExpiryInterval, maxSession)
		}
		s.mu.Unlock()
		pk.Properties.SessionExpiryInterval = never
		s.broker.kept.save(cl)
	}
	return pk, nil
}

// OnPacketEncode implements mochi.Hook: a client is told when its session lasts shorter than it asked.
func (s *sessions) OnPacketEncode(cl *mochi.Client, pk packets.Packet) packets.Packet {
	if c, ok := cl.Net.Conn.(*trackedConn); ok && pk.FixedHeader.Type == packets.Connack && c.asked > maxSession {
		pk.Properties.SessionExpiryInterval, pk.Properties.SessionExpiryIntervalFlag = maxSession, true
	}
	return pk
}

// restore notes a session of a former run.
func (s *sessions) restore(client string, seconds uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expiry[client] = min(seconds, maxSession)
	s.leave(client)
}

// leave begins the time for which the session of an absent client is kept; s.mu is held.
func (s *sessions) leave(client string) {
	if s.closed {
		return
	}
	after := time.Duration(s.expiry[client]) * time.Second
	s.absent[client] = &absence{since: time.Now(), timer: time.AfterFunc(after, func() { s.end(client) })}
	stay, oldest := 0, client
	for id, a := range s.absent {
		if a.ending { // another one has to go for this client
			continue
		}
		stay++
		if a.since.Before(s.absent[oldest].since) {
			oldest = id
		}
	}
	if stay > maxSessions {
		s.absent[oldest].ending = true
		s.absent[oldest].timer.Reset(0)
	}
}

// end forgets the session of an absent client, which has to wait meanwhile if it comes.
func (s *sessions) end(client string) {
	cl, there := s.broker.server.Clients.Get(client)
	ending := &trackedConn{client: cl, served: make(chan struct{})}
	s.ends.Lock()
	defer s.ends.Unlock()
	s.mu.Lock()
	if s.absent[client] == nil || s.closed || !there { // it came back
		s.mu.Unlock()
		return
	}
	delete(s.absent, client)
	delete(s.expiry, client)
	s.holders[client] = ending
	s.mu.Unlock()
	s.broker.server.UnsubscribeClient(cl)
	cl.ClearInflights()
	s.broker.server.Clients.Delete(client)
	s.broker.kept.end(client)
	s.mu.Lock()
	delete(s.holders, client)
	s.mu.Unlock()
	close(ending.served)
}

// release lets the next client have the ID of one that has left.
func (s *sessions) release(c *trackedConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cl := c.client
	if cl == nil || s.holders[cl.ID] != c {
		return
	}
	delete(s.holders, cl.ID)
	if left, there := s.broker.server.Clients.Get(cl.ID); there && left == cl {
		s.leave(cl.ID)
	} else {
		delete(s.expiry, cl.ID)
	}
}

// close stops the clocks.
func (s *sessions) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, a := range s.absent {
		a.timer.Stop()
	}
}

var _ mochi.Hook = (*sessions)(nil)
