package mqtt

import (
	"bytes"
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
		mochi.OnConnect, mochi.OnSessionEstablish, mochi.OnSessionEstablished, mochi.OnPacketRead, mochi.OnPublish, mochi.OnPacketProcessed,
		mochi.OnQosPublish, mochi.OnQosDropped, mochi.OnSysInfoTick,
	}, b)
}

// longestKeepAlive is in seconds: the library takes it one and a half times, in 16 bits.
const longestKeepAlive = math.MaxUint16 / 3 * 2

// OnConnect implements mochi.Hook. There are no topic aliases to clients: messages pass each other, are dropped, and are sent
// again over another connection, where an alias means nothing.
func (f *flow) OnConnect(cl *mochi.Client, _ packets.Packet) error {
	cl.Properties.Props.TopicAliasMaximum = 0
	if cl.State.Keepalive > longestKeepAlive {
		cl.State.Keepalive, cl.State.ServerKeepalive = longestKeepAlive, true
	}
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

// OnSessionEstablish implements mochi.Hook: what the client does not take any more must not be sent again. The library would end
// every new connection over it.
func (f *flow) OnSessionEstablish(cl *mochi.Client, _ packets.Packet) {
	former, there := f.server.Clients.Get(cl.ID)
	if !there || cl.Properties.Props.MaximumPacketSize == 0 {
		return
	}
	for _, pk := range former.State.Inflight.GetAll(false) {
		if pk.FixedHeader.Type == packets.Publish && tooLarge(cl, pk) && former.State.Inflight.Delete(pk.PacketID) {
			f.forget(cl.ID, pk.PacketID)
		}
	}
}

// tooLarge says whether a message is larger than the packets that a client takes.
func tooLarge(cl *mochi.Client, pk packets.Packet) bool {
	most := cl.Properties.Props.MaximumPacketSize
	if most == 0 {
		return false
	}
	if pk.Expiry > 0 {
		pk.Properties.MessageExpiryInterval = 1
	}
	pk.ProtocolVersion, pk.Mods.MaxSize = cl.Properties.ProtocolVersion, most
	var text bytes.Buffer
	return pk.PublishEncode(&text) != nil || text.Len() > int(most)
}

// OnSessionEstablished implements mochi.Hook: the library has sent again what was not acknowledged, but for the messages whose ID is
// also that of one from the client.
func (f *flow) OnSessionEstablished(cl *mochi.Client, _ packets.Packet) {
	f.count()
	c, ok := cl.Net.Conn.(*trackedConn)
	if !ok {
		return
	}
	var hidden []packets.Packet
	f.mu.Lock()
	order := make(map[uint16]uint64, len(f.sessions[cl.ID]))
	for id, p := range f.sessions[cl.ID] {
		order[id] = p.order
		if shown, there := cl.State.Inflight.Get(id); there && shown.FixedHeader.Type == packets.Pubrec {
			hidden = append(hidden, p.pk)
		}
	}
	f.mu.Unlock()
	for _, pk := range hidden {
		pk.FixedHeader.Dup = pk.FixedHeader.Type == packets.Publish
		_ = cl.WritePacket(pk) // a client that is gone gets it the next time
	}
	c.out.resume(func(id uint16) uint64 { return order[id] })
}

// OnPacketRead implements mochi.Hook.
func (f *flow) OnPacketRead(cl *mochi.Client, pk packets.Packet) (packets.Packet, error) {
	if c, ok := cl.Net.Conn.(*trackedConn); ok {
		switch pk.FixedHeader.Type {
		case packets.Puback, packets.Pubrec, packets.Pubcomp:
			f.distinguish(cl, c, pk.PacketID)
		}
	}
	if pk.FixedHeader.Type == packets.Pubcomp {
		cl.State.Inflight.DecreaseReceiveQuota() // the library increases it, though this is about a message to the client
	}
	return pk, nil
}

// distinguish shows the library the message to the client with an ID, while that from the client with the same ID is put aside.
func (f *flow) distinguish(cl *mochi.Client, c *trackedConn, id uint16) {
	shown, there := cl.State.Inflight.Get(id)
	if !there || shown.FixedHeader.Type != packets.Pubrec {
		return
	}
	c.aside = &shown
	cl.State.Inflight.Delete(id)
	f.mu.Lock()
	defer f.mu.Unlock()
	if p, there := f.sessions[cl.ID][id]; there {
		cl.State.Inflight.Set(p.pk)
	}
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
			f.settle(c)
			if err == nil && !mochi.IsValidFilter(pk.TopicName, true) {
				refuse(cl, pk, packets.ErrNotAuthorized)
			}
		}
	case packets.Subscribe:
		f.kept.flush() // whoever subscribes waits for what the subscription brings: others publish meanwhile
	case packets.Pubrel:
		f.remember(cl, pk.PacketID)
	case packets.Pubrec:
		if pk.ReasonCode >= packets.ErrUnspecifiedError.Code {
			f.forget(cl.ID, pk.PacketID)
			c.out.acknowledged(pk.PacketID)
		} else {
			f.received(cl, pk.PacketID)
		}
	case packets.Puback, packets.Pubcomp:
		f.forget(cl.ID, pk.PacketID)
		c.out.acknowledged(pk.PacketID)
	}
	if c.aside != nil {
		cl.State.Inflight.Set(*c.aside)
		c.aside = nil
	}
}

// settle lets the acknowledgement go when what it promises is kept for those who are not there. The next message does not wait for
// that: it may be a stop, or what answers one. Only a client that is far ahead of the disk waits.
func (f *flow) settle(c *trackedConn) {
	acks := c.out.release()
	if len(acks) == 0 {
		return
	}
	c.unsettled <- struct{}{}
	f.kept.settle(func() {
		c.out.acknowledge(acks)
		<-c.unsettled
	})
}

// received notes that a client has a message of QoS 2: from now on the release of the message is sent again.
func (f *flow) received(cl *mochi.Client, id uint16) {
	shown, there := cl.State.Inflight.Get(id)
	if !there || shown.FixedHeader.Type != packets.Pubrel {
		return
	}
	cl.State.Inflight.IncreaseReceiveQuota() // the library has decreased it, though this is about a message to the client
	f.mu.Lock()
	defer f.mu.Unlock()
	if p, there := f.sessions[cl.ID][id]; there {
		f.grow(cl.ID, weight(shown)-weight(p.pk))
		p.pk = shown
		f.sessions[cl.ID][id] = p
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
	if n := weight(pk); f.sizes[cl.ID]+n > maxSessionBytes || f.sum+n > maxAllSessionsBytes || tooLarge(cl, pk) {
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

// add notes a message; f.mu is held.
func (f *flow) add(client string, p pending) {
	s := f.sessions[client]
	if s == nil {
		s = map[uint16]pending{}
		f.sessions[client] = s
	}
	s[p.pk.PacketID] = p
	f.grow(client, weight(p.pk))
}

// grow notes that the messages of a session have become larger by n bytes; f.mu is held.
func (f *flow) grow(client string, n int) {
	f.sizes[client] += n
	f.sum += n
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
		f.grow(client, -weight(p.pk))
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
