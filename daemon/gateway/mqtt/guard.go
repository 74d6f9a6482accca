package mqtt

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"maps"
	"slices"
	"strings"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"

	"github.com/reachyd/reachyd/daemon/config"
)

// guard decides who may use the embedded broker, for which topics, and what may be retained.
type guard struct {
	mochi.HookBase
	broker *Broker
	users  map[string]config.User
}

func newGuard(b *Broker) *guard {
	g := &guard{broker: b, users: make(map[string]config.User, len(b.Users))}
	for _, u := range b.Users {
		g.users[u.Name] = u
	}
	return g
}

// ID implements mochi.Hook.
func (g *guard) ID() string { return "guard" }

// Provides implements mochi.Hook.
func (g *guard) Provides(b byte) bool {
	return slices.Contains([]byte{mochi.OnConnectAuthenticate, mochi.OnACLCheck, mochi.OnPublish, mochi.OnWill, mochi.OnPacketEncode, mochi.OnSelectSubscribers},
		b)
}

// OnConnectAuthenticate implements mochi.Hook. Without users everybody who reaches the port may come in, but nobody may
// take our own gateway's client ID and so throw it out.
func (g *guard) OnConnectAuthenticate(cl *mochi.Client, pk packets.Packet) bool {
	if cl.Net.Listener == inProcess {
		return true
	}
	if pk.Connect.ClientIdentifier == g.broker.Gateway && g.broker.Gateway != "" {
		return false
	}
	if len(g.users) > 0 {
		u, known := g.users[string(pk.Connect.Username)]
		given, want := sha256.Sum256(pk.Connect.Password), sha256.Sum256([]byte(u.Password.Reveal()))
		if subtle.ConstantTimeCompare(given[:], want[:]) != 1 || !known {
			return false
		}
		// The library hands the session and its messages to whoever comes with the same client ID.
		if other, there := g.broker.server.Clients.Get(pk.Connect.ClientIdentifier); there && !bytes.Equal(other.Properties.Username, pk.Connect.Username) {
			return false
		}
	}
	// The library publishes a last will without asking: who may not publish it must not leave it.
	return !pk.Connect.WillFlag || g.may(cl, pk.Connect.WillTopic, true)
}

// OnACLCheck implements mochi.Hook. A client that speaks a version before 5 cannot be told that it may not publish something; it
// would send it again over every new connection. OnPublish drops it.
func (g *guard) OnACLCheck(cl *mochi.Client, topic string, write bool) bool {
	return write && cl.Properties.ProtocolVersion < 5 || g.may(cl, topic, write)
}

// may is asked for every topic that is published, for every filter that is subscribed to, and again for every topic that is
// delivered; so a filter with wildcards may pass, and delivers what the user may see.
func (g *guard) may(cl *mochi.Client, topic string, write bool) bool {
	if cl.Net.Listener == inProcess {
		return true
	}
	if write && strings.HasPrefix(topic, "$") {
		return false
	}
	if len(g.users) == 0 {
		return true
	}
	u, known := g.users[string(cl.Properties.Username)]
	if !known {
		return false
	}
	if group, filter, ok := sharedFilter(topic); ok && !write && group != "" {
		topic = filter
	}
	allowed := u.Subscribe
	if write {
		allowed = u.Publish
	} else if strings.ContainsAny(topic, "+#") {
		return true
	}
	if allowed == nil {
		return true
	}
	return slices.ContainsFunc(allowed, func(filter string) bool { return matches(filter, topic) })
}

// sharedFilter takes $share/group/filter apart.
func sharedFilter(topic string) (group, filter string, ok bool) {
	if !mochi.IsSharedFilter(topic) {
		return "", "", false
	}
	_, rest, _ := strings.Cut(topic, "/")
	return strings.Cut(rest, "/")
}

// OnSelectSubscribers implements mochi.Hook: a message for a group goes to a member who may have it. The library would choose
// among all, and drop it if the chosen one may not.
func (g *guard) OnSelectSubscribers(subs *mochi.Subscribers, pk packets.Packet) *mochi.Subscribers {
	for _, members := range subs.Shared {
		for id := range members {
			if cl, there := g.broker.server.Clients.Get(id); !there || !g.OnACLCheck(cl, pk.TopicName, false) {
				delete(members, id)
			}
		}
	}
	maps.DeleteFunc(subs.Shared, func(_ string, members map[string]packets.Subscription) bool { return len(members) == 0 })
	return subs
}

// OnPacketEncode implements mochi.Hook: the library knows the largest packet, but does not tell it.
func (g *guard) OnPacketEncode(_ *mochi.Client, pk packets.Packet) packets.Packet {
	if pk.FixedHeader.Type == packets.Connack && pk.ReasonCode == packets.CodeSuccess.Code {
		pk.Properties.MaximumPacketSize = MaxPacket
	}
	if pk.FixedHeader.Type == packets.Puback {
		pk.Properties.ReasonString = "" // Paho's suite does not expect it
	}
	return pk
}

// OnPublish implements mochi.Hook.
func (g *guard) OnPublish(cl *mochi.Client, pk packets.Packet) (packets.Packet, error) {
	if !g.may(cl, pk.TopicName, true) {
		return pk, packets.CodeSuccessIgnore // acknowledged, and without effect
	}
	if g.broker.Command != nil && g.broker.Command(pk.TopicName) && !g.served() {
		_ = g.broker.server.DisconnectClient(cl, packets.ErrServerBusy) // unacknowledged, it comes again
		return pk, packets.ErrRejectPacket
	}
	if !pk.FixedHeader.Retain || g.broker.Retained == nil || cl.Net.Listener == inProcess {
		return pk, nil
	}
	switch g.broker.Retained(pk.TopicName, pk.Payload) {
	case Strip:
		pk.FixedHeader.Retain = false
	case Drop:
		return pk, packets.CodeSuccessIgnore // acknowledged, and without effect
	}
	return pk, nil
}

// served says whether our own gateway is there to take commands.
func (g *guard) served() bool {
	own, there := g.broker.server.Clients.Get(g.broker.Gateway)
	return there && !own.Closed() && own.State.Subscriptions.Len() > 0
}

// OnWill implements mochi.Hook. A last will is not refused, since nobody would hear that, but it is not kept either.
func (g *guard) OnWill(_ *mochi.Client, will mochi.Will) (mochi.Will, error) {
	if will.Retain && g.broker.Retained != nil && g.broker.Retained(will.TopicName, will.Payload) != Keep {
		will.Retain = false
	}
	return will, nil
}

// matches reports whether a topic is covered by a filter. Wildcards do not cover a first level that begins with $.
func matches(filter, topic string) bool {
	if strings.HasPrefix(topic, "$") && !strings.HasPrefix(filter, "$") {
		return false
	}
	for {
		f, fRest, fMore := strings.Cut(filter, "/")
		if f == "#" {
			return true
		}
		t, tRest, tMore := strings.Cut(topic, "/")
		if f != "+" && f != t {
			return false
		}
		if !tMore {
			return !fMore || fRest == "#" // a/# covers a
		}
		if !fMore {
			return false
		}
		filter, topic = fRest, tRest
	}
}

var _ mochi.Hook = (*guard)(nil)
