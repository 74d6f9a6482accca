package mqtt

import (
	"slices"
	"strings"
	"unicode"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// Limits of what a client of the embedded broker may say.
const (
	maxTopic         = 4 << 10 // bytes of a topic or filter
	maxLevels        = 128     // of it
	maxFilters       = 1024    // of one SUBSCRIBE or UNSUBSCRIBE
	maxProperties    = 64 << 10
	maxAliases       = 16       // topic aliases of a client
	maxSubscriptions = 16 << 20 // bytes of memory for all subscriptions
	perLevel         = 512      // bytes that a level of a topic takes in the library's tree, about
	perMessage       = 1 << 10  // bytes that a message takes besides its content, about
	perProperty      = 64
)

// strict refuses what the library (v2.7.9) takes and what would hurt others: a topic that their clients take for a malformed
// packet ends their connections, at each subscription again if it is retained; levels, properties and subscriptions take much
// more memory than bytes.
type strict struct {
	mochi.HookBase
	server        *mochi.Server
	subscriptions *ledger // by client ID
}

func newStrict(s *mochi.Server) *strict {
	return &strict{server: s, subscriptions: newLedger(maxSubscriptions)}
}

// ID implements mochi.Hook.
func (s *strict) ID() string { return "strict" }

// Provides implements mochi.Hook.
func (s *strict) Provides(b byte) bool {
	return slices.Contains([]byte{
		mochi.OnConnect, mochi.OnPacketRead, mochi.OnPacketEncode, mochi.OnPublish, mochi.OnWill, mochi.OnSubscribe, mochi.OnSubscribed, mochi.OnUnsubscribed,
	}, b)
}

// OnConnect implements mochi.Hook: the library looks at no last will before it publishes it.
func (s *strict) OnConnect(cl *mochi.Client, pk packets.Packet) error {
	if cl.Net.Listener == inProcess || !pk.Connect.WillFlag {
		return nil
	}
	will := packets.Packet{TopicName: pk.Connect.WillTopic, Properties: pk.Connect.WillProperties}
	code := wrong(will)
	if code == packets.CodeSuccess && (!mochi.IsValidFilter(will.TopicName, true) || strings.HasPrefix(will.TopicName, "$")) {
		code = packets.ErrTopicNameInvalid
	}
	if code == packets.CodeSuccess {
		return nil
	}
	_ = s.server.SendConnack(cl, code, false, nil) // it is refused in any case
	return code
}

// wrong returns why a message is not passed on, CodeSuccess if it is.
func wrong(pk packets.Packet) packets.Code {
	p := pk.Properties
	switch {
	case !decent(pk.TopicName):
		return packets.ErrTopicNameInvalid
	case weight(pk)-len(pk.Payload) > maxProperties:
		return packets.ErrQuotaExceeded
	case !passable(p.ContentType), !passable(p.ResponseTopic), strings.ContainsAny(p.ResponseTopic, "+#"):
		return packets.ErrMalformedPacket
	}
	for _, u := range p.User {
		if !passable(u.Key) || !passable(u.Val) {
			return packets.ErrMalformedPacket
		}
	}
	return packets.CodeSuccess
}

// decent says whether a topic or filter is within the limits.
func decent(topic string) bool {
	return topic != "" && len(topic) <= maxTopic && strings.Count(topic, "/") < maxLevels && passable(topic)
}

// passable says whether clients take a text: they may end the connection over control characters and non-characters (1.5.4).
func passable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Noncharacter_Code_Point, r) })
}

// weight is how many bytes of memory a message takes, about.
func weight(pk packets.Packet) int {
	p := pk.Properties
	n := perMessage + len(pk.Payload) + len(pk.TopicName) + len(p.ContentType) + len(p.ResponseTopic) + len(p.CorrelationData)
	for _, u := range p.User {
		n += perProperty + len(u.Key) + len(u.Val)
	}
	return n
}

// OnPacketRead implements mochi.Hook. It takes the ID off a subscription, which the library refuses if it is that of a message to
// the client, and puts the topic in the place of its alias, which the library does only after it has asked whether the client may
// publish it.
func (s *strict) OnPacketRead(cl *mochi.Client, pk packets.Packet) (packets.Packet, error) {
	c, ok := cl.Net.Conn.(*trackedConn)
	if !ok {
		return pk, nil
	}
	bad := packets.CodeSuccess
	switch pk.FixedHeader.Type {
	case packets.Connect: // the library takes neither an empty password nor an empty will, which are none of its business
		pk.Connect.PasswordFlag = len(pk.Connect.Password) > 0
		if c.empty = pk.Connect.WillFlag && len(pk.Connect.WillPayload) == 0; c.empty {
			pk.Connect.WillPayload = []byte("empty")
		}
	case packets.Subscribe, packets.Unsubscribe:
		if pk.PacketID == 0 {
			bad = packets.ErrProtocolViolationNoPacketID
		} else if len(pk.Filters) > maxFilters {
			bad = packets.ErrQuotaExceeded
		}
		c.packet, pk.PacketID, pk.FixedHeader.Qos = pk.PacketID, 0, 0
	case packets.Publish:
		if alias := pk.Properties.TopicAlias; alias > 0 && alias <= maxAliases {
			if pk.TopicName = cl.State.TopicAliases.Inbound.Set(alias, pk.TopicName); pk.TopicName == "" {
				bad = packets.ErrTopicAliasInvalid
			}
			pk.Properties.TopicAlias, pk.Properties.TopicAliasFlag = 0, false
		}
	}
	if bad != packets.CodeSuccess {
		_ = s.server.DisconnectClient(cl, bad)
		return pk, packets.ErrRejectPacket
	}
	return pk, nil
}

// OnPacketEncode implements mochi.Hook.
func (s *strict) OnPacketEncode(cl *mochi.Client, pk packets.Packet) packets.Packet {
	switch pk.FixedHeader.Type {
	case packets.Suback, packets.Unsuback:
		if c, ok := cl.Net.Conn.(*trackedConn); ok {
			pk.PacketID = c.packet
		}
	case packets.Pubrec:
		if pk.ReasonCode == packets.ErrPacketIdentifierInUse.Code { // a message that comes again is no failure (MQTT-4.3.3-10)
			pk.ReasonCode = packets.CodeSuccess.Code
		}
	}
	return pk
}

// OnWill implements mochi.Hook.
func (s *strict) OnWill(cl *mochi.Client, will mochi.Will) (mochi.Will, error) {
	if c, ok := cl.Net.Conn.(*trackedConn); ok && c.empty {
		will.Payload = nil
	}
	return will, nil
}

// OnPublish implements mochi.Hook: a client that can hear it is told why its message is not passed on.
func (s *strict) OnPublish(cl *mochi.Client, pk packets.Packet) (packets.Packet, error) {
	if cl.Net.Listener == inProcess {
		return pk, nil
	}
	code := wrong(pk)
	switch {
	case code == packets.CodeSuccess:
		return pk, nil
	case cl.Properties.ProtocolVersion == 5 && pk.FixedHeader.Qos > 0:
		refuse(cl, pk, code)
	default:
		_ = s.server.DisconnectClient(cl, code)
	}
	return pk, packets.ErrRejectPacket
}

// OnSubscribe implements mochi.Hook: what may not be subscribed to loses its filter, which the library then refuses.
func (s *strict) OnSubscribe(cl *mochi.Client, pk packets.Packet) packets.Packet {
	filters := slices.Clone(pk.Filters)
	size := s.subscriptions.size(cl.ID)
	for i, f := range filters {
		if _, there := cl.State.Subscriptions.Get(f.Filter); there {
			continue
		}
		n := weightFilter(f.Filter)
		if !validFilter(f.Filter) || !s.subscriptions.fits(cl.ID, size+n) {
			filters[i].Filter = ""
			continue
		}
		size += n
	}
	pk.Filters = filters
	return pk
}

// validFilter says whether a filter is within the limits, and every wildcard a level of its own, # the last.
func validFilter(filter string) bool {
	if !decent(filter) {
		return false
	}
	for level, rest, more := strings.Cut(filter, "/"); ; level, rest, more = strings.Cut(rest, "/") {
		if strings.ContainsAny(level, "+#") && len(level) > 1 || level == "#" && more {
			return false
		}
		if !more {
			return true
		}
	}
}

func weightFilter(filter string) int {
	return perMessage + len(filter) + (1+strings.Count(filter, "/"))*perLevel
}

// OnSubscribed implements mochi.Hook.
func (s *strict) OnSubscribed(cl *mochi.Client, _ packets.Packet, _ []byte) { s.count(cl) }

// OnUnsubscribed implements mochi.Hook.
func (s *strict) OnUnsubscribed(cl *mochi.Client, _ packets.Packet) { s.count(cl) }

func (s *strict) count(cl *mochi.Client) {
	n := 0
	for filter := range cl.State.Subscriptions.GetAll() {
		n += weightFilter(filter)
	}
	s.subscriptions.set(cl.ID, n)
}

var _ mochi.Hook = (*strict)(nil)
