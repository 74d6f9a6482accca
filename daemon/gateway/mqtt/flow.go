package mqtt

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
	"github.com/mochi-mqtt/server/v2/system"
)

// flow takes the flow of messages to clients out of the library's hands (v2.7.9). What exceeds the receive maximum the library
// sends past newer messages, and forgets at once, so that its acknowledgement makes no room for another one; it resends in no
// order, without regard to the receive maximum; and it forgets a message when the client publishes one with the same packet ID.
// Here the library believes that there is no receive maximum; outgoing keeps to it. flow knows what every session has not yet
// acknowledged, and its order.
type flow struct {
	mochi.HookBase
	server *mochi.Server
	kept   *kept

	mu       sync.Mutex
	next     uint64
	sessions map[string]map[uint16]pending // by client ID
	sizes    map[string]int                // bytes of sessions
	sum      int                           // of sizes
}

// pending is a message that a session has not acknowledged.
type pending struct {
	order uint64
	pk    packets.Packet
}

func newFlow(s *mochi.Server, k *kept) *flow {
	return &flow{server: s, kept: k, sizes: map[string]int{}, sessions: map[string]map[uint16]pending{}}
}

// ID implements mochi.Hook.
func (f *flow) ID() string { return "flow" }

// Provides implements mochi.Hook.
func (f *flow) Provides(b byte) bool {
	return slices.Contains([]byte{
		mochi.OnConnect, mochi.OnSessionEstablished, mochi.OnPublish, mochi.OnPacketProcessed, mochi.OnQosPublish,
		mochi.OnQosDropped, mochi.OnClientExpired, mochi.OnSysInfoTick,
	}, b)
}

// OnConnect implements mochi.Hook.
func (f *flow) OnConnect(cl *mochi.Client, _ packets.Packet) error {
	most := int(cl.Properties.Props.ReceiveMaximum)
	if most == 0 {
		most = math.MaxUint16
	}
	cl.Properties.Props.ReceiveMaximum = 0
	cl.State.Inflight.ResetSendQuota(0)
	if c, ok := cl.Net.Conn.(*trackedConn); ok {
		c.out.limit(most)
	}
	return nil
}

// OnSessionEstablished implements mochi.Hook: the library has sent again what was not acknowledged.
func (f *flow) OnSessionEstablished(cl *mochi.Client, _ packets.Packet) {
	f.count()
	c, ok := cl.Net.Conn.(*trackedConn)
	if !ok {
		return
	}
	f.mu.Lock()
	order := make(map[uint16]uint64, len(f.sessions[cl.ID]))
	for id, p := range f.sessions[cl.ID] {
		order[id] = p.order
	}
	f.mu.Unlock()
	c.out.resume(func(id uint16) uint64 { return order[id] })
}

// OnPublish implements mochi.Hook: the library acknowledges a message before it passes it on.
func (f *flow) OnPublish(cl *mochi.Client, pk packets.Packet) (packets.Packet, error) {
	if c, ok := cl.Net.Conn.(*trackedConn); ok && pk.FixedHeader.Qos > 0 {
		c.out.hold()
	}
	return pk, nil
}

// OnPacketProcessed implements mochi.Hook.
func (f *flow) OnPacketProcessed(cl *mochi.Client, pk packets.Packet, err error) {
	c, ok := cl.Net.Conn.(*trackedConn)
	if !ok {
		return
	}
	switch pk.FixedHeader.Type {
	case packets.Publish:
		if pk.FixedHeader.Qos > 0 {
			f.remember(cl, pk.PacketID)
			c.out.release()
			if err == nil && !mochi.IsValidFilter(pk.TopicName, true) {
				refuse(cl, pk, packets.ErrNotAuthorized)
			}
		}
	case packets.Pubrel:
		f.remember(cl, pk.PacketID)
	case packets.Pubrec:
		if pk.ReasonCode >= packets.ErrUnspecifiedError.Code {
			f.forget(cl.ID, pk.PacketID)
			c.out.acknowledged(pk.PacketID)
		}
	case packets.Puback, packets.Pubcomp:
		f.forget(cl.ID, pk.PacketID)
		c.out.acknowledged(pk.PacketID)
	}
}

// refuse acknowledges a message that the library ignores: unanswered, its sender would send it again for ever.
func refuse(cl *mochi.Client, pk packets.Packet, code packets.Code) {
	ack := packets.Packet{FixedHeader: packets.FixedHeader{Type: packets.Puback}, PacketID: pk.PacketID, ReasonCode: code.Code}
	if pk.FixedHeader.Qos == 2 {
		ack.FixedHeader.Type = packets.Pubrec
	}
	_ = cl.WritePacket(ack) // a client that is gone needs nothing
}

// Limits of the messages that sessions have not acknowledged; what exceeds them is not kept for the session.
const (
	maxSessionBytes     = 8 << 20  // of one session
	maxAllSessionsBytes = 16 << 20 // of all sessions
)

// OnQosPublish implements mochi.Hook.
func (f *flow) OnQosPublish(cl *mochi.Client, pk packets.Packet, _ int64, _ int) {
	if pk.FixedHeader.Type != packets.Publish {
		return
	}
	f.mu.Lock()
	_, again := f.sessions[cl.ID][pk.PacketID]
	if again {
		f.mu.Unlock()
		return
	}
	if n := weight(pk); f.sizes[cl.ID]+n > maxSessionBytes || f.sum+n > maxAllSessionsBytes {
		f.mu.Unlock()
		if cl.State.Inflight.Delete(pk.PacketID) {
			atomic.AddInt64(&f.server.Info.Inflight, -1)
			atomic.AddInt64(&f.server.Info.InflightDropped, 1)
		}
		return
	}
	f.next++
	p := pending{f.next, pk}
	f.add(cl.ID, p)
	f.mu.Unlock()
	f.kept.enqueue(cl, p)
}

func weight(pk packets.Packet) int { return len(pk.Payload) + len(pk.TopicName) }

// add notes a message; f.mu is held.
func (f *flow) add(client string, p pending) {
	s := f.sessions[client]
	if s == nil {
		s = map[uint16]pending{}
		f.sessions[client] = s
	}
	s[p.pk.PacketID] = p
	f.sizes[client] += weight(p.pk)
	f.sum += weight(p.pk)
}

// restore notes a message of a former run.
func (f *flow) restore(client string, p pending) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next = max(f.next, p.order)
	f.add(client, p)
}

// OnQosDropped implements mochi.Hook: a message is too old, or its session is ended. The messages of a session that was taken
// over are still wanted.
func (f *flow) OnQosDropped(cl *mochi.Client, pk packets.Packet) {
	if !cl.IsTakenOver() {
		f.forget(cl.ID, pk.PacketID)
	}
}

// OnClientExpired implements mochi.Hook: the library forgets the client, but neither its subscriptions nor its messages.
func (f *flow) OnClientExpired(cl *mochi.Client) {
	f.server.UnsubscribeClient(cl)
	cl.ClearInflights()
}

// OnSysInfoTick implements mochi.Hook.
func (f *flow) OnSysInfoTick(*system.Info) { f.count() }

// count counts the unacknowledged messages, which the library gets wrong when a session goes on.
func (f *flow) count() {
	n := 0
	for _, cl := range f.server.Clients.GetAll() {
		n += cl.State.Inflight.Len()
	}
	atomic.StoreInt64(&f.server.Info.Inflight, int64(n))
}

// remember gives the library back a message to cl that it took for the one from cl with the same ID.
func (f *flow) remember(cl *mochi.Client, id uint16) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, there := f.sessions[cl.ID][id]
	if !there {
		return
	}
	if _, known := cl.State.Inflight.Get(id); !known && cl.State.Inflight.Set(p.pk) {
		atomic.AddInt64(&f.server.Info.Inflight, 1)
	}
}

func (f *flow) forget(client string, id uint16) {
	f.mu.Lock()
	p, there := f.sessions[client][id]
	if there {
		delete(f.sessions[client], id)
		f.sizes[client] -= weight(p.pk)
		f.sum -= weight(p.pk)
	}
	if len(f.sessions[client]) == 0 {
		delete(f.sessions, client)
		delete(f.sizes, client)
	}
	f.mu.Unlock()
	if there {
		f.kept.dequeue(client, p.order)
	}
}

var _ mochi.Hook = (*flow)(nil)
