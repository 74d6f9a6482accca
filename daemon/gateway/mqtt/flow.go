package mqtt

import (
	"slices"
	"sync"
	"time"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// flow mends how the library (v2.7.9) sends to clients that take only so many unacknowledged messages (receive maximum). What
// exceeds that waits until the client has acknowledged something; then the library sends it, but forgets it at once, so that
// its acknowledgement makes no room for another one, and no message ever follows. It also sorts what waits by whole seconds.
type flow struct {
	mochi.HookBase

	mu      sync.Mutex
	held    map[*mochi.Client][]packets.Packet // sent after waiting, to be remembered until they are acknowledged
	created int64                              // of the newest message
}

// waits marks a message that waits for room, instead of the time at which it expires.
const waits = -1

// ID implements mochi.Hook.
func (f *flow) ID() string { return "flow" }

// Provides implements mochi.Hook.
func (f *flow) Provides(b byte) bool {
	return slices.Contains([]byte{mochi.OnPublish, mochi.OnPacketEncode, mochi.OnPacketRead, mochi.OnDisconnect}, b)
}

// OnPublish implements mochi.Hook: every message has a time of its own, by which the library sorts. A burst is thereby dated
// into the future, a second a message, which only lets it be kept for so much longer.
func (f *flow) OnPublish(_ *mochi.Client, pk packets.Packet) (packets.Packet, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.created = max(f.created+1, time.Now().Unix())
	pk.Created = f.created
	return pk, nil
}

// OnPacketEncode implements mochi.Hook.
func (f *flow) OnPacketEncode(cl *mochi.Client, pk packets.Packet) packets.Packet {
	if pk.FixedHeader.Type == packets.Publish && pk.FixedHeader.Qos > 0 && pk.Expiry == waits {
		sent := pk
		sent.Expiry = 0
		f.mu.Lock()
		f.held[cl] = append(f.held[cl], sent)
		f.mu.Unlock()
	}
	return pk
}

// OnPacketRead implements mochi.Hook. The library has forgotten what it sent when it reads the next packet.
func (f *flow) OnPacketRead(cl *mochi.Client, pk packets.Packet) (packets.Packet, error) {
	f.remember(cl)
	return pk, nil
}

// OnDisconnect implements mochi.Hook: what was not acknowledged is sent again in the next session.
func (f *flow) OnDisconnect(cl *mochi.Client, _ error, _ bool) { f.remember(cl) }

func (f *flow) remember(cl *mochi.Client) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, pk := range f.held[cl] {
		cl.State.Inflight.Set(pk)
	}
	delete(f.held, cl)
}

var _ mochi.Hook = (*flow)(nil)
