package mqtt

import (
	"strings"
	"sync"
	"sync/atomic"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// retained delivers retained messages to subscriptions with wildcards in the library's place. The library looks through its
// tree of topics without the lock under which it changes it (v2.7.9, TopicsIndex.scanMessages): with one client that
// subscribes to # while another retains its first message the race detector reports a torn string, which can end reachyd.
type retained struct {
	mochi.HookBase
	server *mochi.Server
	guard  *guard
	flow   *flow

	mu  sync.Mutex
	due map[*mochi.Client][]packets.Subscription // between the two hooks of one packet
}

// ID implements mochi.Hook.
func (r *retained) ID() string { return "retained" }

// Provides implements mochi.Hook.
func (r *retained) Provides(b byte) bool {
	return b == mochi.OnSubscribe || b == mochi.OnPacketProcessed
}

const neverRetained = 2 // MQTT 5, retain handling: do not send retained messages

// OnSubscribe implements mochi.Hook: it takes the delivery of retained messages away from the library.
func (r *retained) OnSubscribe(cl *mochi.Client, pk packets.Packet) packets.Packet {
	filters := append(packets.Subscriptions(nil), pk.Filters...)
	var due []packets.Subscription
	for i, s := range filters {
		if !strings.ContainsAny(s.Filter, "+#") || mochi.IsSharedFilter(s.Filter) || !mochi.IsValidFilter(s.Filter, false) {
			continue
		}
		_, existed := cl.State.Subscriptions.Get(s.Filter)
		if s.RetainHandling == 0 || (s.RetainHandling == 1 && !existed) {
			due = append(due, s)
		}
		filters[i].RetainHandling = neverRetained
	}
	if due != nil {
		r.mu.Lock()
		r.due[cl] = due
		r.mu.Unlock()
	}
	pk.Filters = filters
	return pk
}

// OnPacketProcessed implements mochi.Hook: the subscription has been acknowledged, and what was retained follows.
func (r *retained) OnPacketProcessed(cl *mochi.Client, pk packets.Packet, err error) {
	if pk.FixedHeader.Type != packets.Subscribe {
		return
	}
	r.mu.Lock()
	due := r.due[cl]
	delete(r.due, cl)
	r.mu.Unlock()
	if err != nil {
		return
	}
	if due == nil {
		return
	}
	all := r.server.Topics.Retained.GetAll()
	for _, s := range due {
		if _, granted := cl.State.Subscriptions.Get(s.Filter); !granted {
			continue
		}
		for topic, kept := range all {
			if matches(s.Filter, topic) && r.guard.OnACLCheck(cl, topic, false) {
				r.deliver(cl, s, kept)
			}
		}
	}
}

// deliver sends one retained message with the lower of its quality of service and the subscription's.
func (r *retained) deliver(cl *mochi.Client, s packets.Subscription, kept packets.Packet) {
	out := kept.Copy(false)
	out.FixedHeader.Retain = true
	out.FixedHeader.Qos = min(out.FixedHeader.Qos, s.Qos)
	if s.Identifier > 0 {
		out.Properties.SubscriptionIdentifier = []int{s.Identifier}
	}
	if out.FixedHeader.Qos > 0 {
		if cl.State.Inflight.Len() >= maxInflight {
			return
		}
		id, err := cl.NextPacketID()
		if err != nil {
			return
		}
		out.PacketID = uint16(id)
		if cl.State.Inflight.Set(out) {
			atomic.AddInt64(&r.server.Info.Inflight, 1)
			r.flow.OnQosPublish(cl, out, out.Created, 0)
		}
	}
	_ = cl.WritePacket(out) // a client that is gone needs nothing
}

var _ mochi.Hook = (*retained)(nil)
