package mqtt

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/hooks/storage"
	"github.com/mochi-mqtt/server/v2/packets"
	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/daemon/store"
)

const (
	// maxRetained is how many bytes the retained messages of others may have together; new ones above are refused.
	maxRetained = 8 << 20
	// retainedLater is after how long a retained message of QoS 0 is written: its sender was promised nothing, and a sensor that
	// publishes all the time would wear out a memory card.
	retainedLater = 5 * time.Second
	// queueLater is after how long a change of the queue is written that nobody waits for, as an acknowledgement: without it the
	// message comes twice after a power cut.
	queueLater = time.Second
	unlimited  = math.MaxInt32 // documents in a list
	maxKept    = 3 * MaxPacket // bytes of JSON that the largest message becomes, and more
)

// kept keeps the retained messages of others, the sessions that outlive their connections, and what these have not acknowledged,
// through a restart. It also limits what is retained. Our own gateway publishes anew what it retains.
type kept struct {
	mochi.HookBase
	server   *mochi.Server
	log      zerolog.Logger
	messages *store.Bucket[keptMessage] // retained ones by the hash of their topic; nil, like the next ones: nothing is kept
	sessions *store.Bucket[keptSession] // by the hash of the client ID
	queue    *store.Bucket[keptMessage] // unacknowledged ones by their order

	retained *ledger // by topic
	seconds  func(client string) uint32
	left     func(client string, seconds uint32)

	mu        sync.Mutex
	known     map[string]struct{}     // client IDs with a kept session
	late      map[string]struct{}     // topics whose retained message is to be written
	writer    *time.Timer             // writes them; nil while there are none
	unwritten map[string]*keptMessage // changes of queue, by key
	flusher   *time.Timer             // writes them; nil while there are none
	unsettled []func()                // what follows when they are written
	busy      bool                    // changes are being written
	urgent    bool                    // a flush that does not wait for the timer is on its way
	flushes   sync.WaitGroup          // those
	writing   sync.Mutex              // held by flush
	order     sync.Mutex              // held from the look at a retained message to its write: an older one must not follow a newer one
	full      sync.Once
	failed    sync.Once
}

type keptMessage struct {
	storage.Message
	Expiry  int64  `json:"expiry,omitempty"`
	Version byte   `json:"version,omitempty"`
	Order   uint64 `json:"order,omitempty"`
}

type keptSession struct {
	ID            string                 `json:"id"`
	Username      []byte                 `json:"username,omitempty"`
	Version       byte                   `json:"version"`
	Expiry        uint32                 `json:"expiry,omitempty"` // seconds
	Subscriptions []packets.Subscription `json:"subscriptions,omitempty"`
}

func newKept(b *Broker) *kept {
	k := &kept{
		server: b.server, log: b.Log, retained: newLedger(maxRetained), seconds: b.sessions.of, left: b.sessions.restore,
		known: map[string]struct{}{}, late: map[string]struct{}{}, unwritten: map[string]*keptMessage{},
	}
	if b.Store != nil {
		k.messages = store.NewBucket[keptMessage](b.Store, "mqttretained", store.Keep{Value: maxKept})
		k.sessions = store.NewBucket[keptSession](b.Store, "mqttsessions", store.Keep{Value: maxKept})
		k.queue = store.NewBucket[keptMessage](b.Store, "mqttqueue", store.Keep{Value: maxKept})
	}
	return k
}

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func orderKey(order uint64) string { return fmt.Sprintf("%016x", order) }

func encodeMessage(client string, order uint64, pk packets.Packet) keptMessage {
	p := pk.Properties
	return keptMessage{
		Message: storage.Message{
			Properties: storage.MessageProperties{
				CorrelationData: p.CorrelationData, SubscriptionIdentifier: p.SubscriptionIdentifier, User: p.User, ContentType: p.ContentType,
				ResponseTopic: p.ResponseTopic, MessageExpiryInterval: p.MessageExpiryInterval,
				PayloadFormat: p.PayloadFormat, PayloadFormatFlag: p.PayloadFormatFlag,
			},
			Payload: pk.Payload, Client: client, Origin: pk.Origin, TopicName: pk.TopicName, FixedHeader: pk.FixedHeader,
			Created: pk.Created, PacketID: pk.PacketID,
		},
		Expiry: pk.Expiry, Version: pk.ProtocolVersion, Order: order,
	}
}

func (m *keptMessage) packet() packets.Packet {
	pk := m.ToPacket()
	pk.Expiry, pk.ProtocolVersion = m.Expiry, m.Version
	return pk
}

// restore gives the library what was kept, before it serves anybody.
func (k *kept) restore(f *flow) error {
	if k.messages == nil {
		return nil
	}
	messages, err := k.messages.List("", unlimited)
	if err != nil {
		return err
	}
	for _, m := range messages {
		pk := m.packet()
		k.server.Topics.RetainMessage(pk)
		k.size(pk)
	}
	atomic.StoreInt64(&k.server.Info.Retained, int64(len(messages)))
	sessions, err := k.sessions.List("", unlimited)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		k.restoreSession(s)
	}
	queue, err := k.queue.List("", unlimited)
	if err != nil {
		return err
	}
	for _, m := range queue {
		cl, there := k.server.Clients.Get(m.Client)
		if !there {
			k.drop(m.Order)
			continue
		}
		pk := m.packet()
		cl.State.Inflight.Set(pk)
		f.restore(m.Client, pending{m.Order, pk})
	}
	f.count()
	return nil
}

func (k *kept) restoreSession(s keptSession) {
	cl := k.server.NewClient(nil, networkListen, s.ID, false)
	cl.Properties.Username, cl.Properties.ProtocolVersion = s.Username, s.Version
	if s.Version == 5 {
		cl.Properties.Props.SessionExpiryInterval, cl.Properties.Props.SessionExpiryIntervalFlag = never, true
	}
	cl.Stop(packets.ErrServerShuttingDown)
	k.server.Clients.Add(cl)
	for _, sub := range s.Subscriptions {
		if k.server.Topics.Subscribe(s.ID, sub) {
			atomic.AddInt64(&k.server.Info.Subscriptions, 1)
		}
		cl.State.Subscriptions.Add(sub.Filter, sub)
	}
	k.known[s.ID] = struct{}{}
	k.left(s.ID, cmp.Or(s.Expiry, maxSession))
}

// ID implements mochi.Hook.
func (k *kept) ID() string { return "kept" }

// Provides implements mochi.Hook.
func (k *kept) Provides(b byte) bool {
	return slices.Contains([]byte{
		mochi.OnPublish, mochi.OnWill, mochi.OnRetainMessage, mochi.OnRetainedExpired, mochi.OnPacketEncode, mochi.OnSubscribed,
		mochi.OnUnsubscribed, mochi.OnDisconnect,
	}, b)
}

// OnPublish implements mochi.Hook: what exceeds the limit is not retained, and refused where the protocol can say that.
func (k *kept) OnPublish(cl *mochi.Client, pk packets.Packet) (packets.Packet, error) {
	if !pk.FixedHeader.Retain || cl.Net.Listener == inProcess || k.fits(pk) {
		return pk, nil
	}
	if cl.Properties.ProtocolVersion == 5 && pk.FixedHeader.Qos > 0 {
		refuse(cl, pk, packets.ErrQuotaExceeded)
		return pk, packets.ErrRejectPacket // the library would log every other error
	}
	pk.FixedHeader.Retain = false
	return pk, nil
}

// OnWill implements mochi.Hook.
func (k *kept) OnWill(_ *mochi.Client, will mochi.Will) (mochi.Will, error) {
	will.Retain = will.Retain && k.fits(packets.Packet{TopicName: will.TopicName, Payload: will.Payload, Properties: packets.Properties{User: will.User}})
	return will, nil
}

func (k *kept) fits(pk packets.Packet) bool {
	if len(pk.Payload) == 0 || k.retained.fits(pk.TopicName, weightRetained(pk)) {
		return true
	}
	k.full.Do(func() {
		k.log.Warn().Str("topic", pk.TopicName).Int("limit", maxRetained).
			Msg("the retained messages of MQTT clients have reached their limit in bytes; new ones are not retained")
	})
	return false
}

// size notes how much a retained message takes.
func (k *kept) size(pk packets.Packet) {
	n := 0
	if len(pk.Payload) > 0 {
		n = weightRetained(pk)
	}
	k.retained.set(pk.TopicName, n)
}

// weightRetained is how many bytes of memory a retained message takes, with its levels in the library's tree.
func weightRetained(pk packets.Packet) int {
	return weight(pk) + (1+strings.Count(pk.TopicName, "/"))*perLevel
}

// OnRetainMessage implements mochi.Hook; the library has not acknowledged the message yet.
func (k *kept) OnRetainMessage(cl *mochi.Client, pk packets.Packet, _ int64) {
	if cl.Net.Listener == inProcess {
		return
	}
	k.size(pk)
	switch {
	case k.messages == nil:
	case pk.FixedHeader.Qos == 0:
		k.writeLater(pk.TopicName)
	default:
		k.order.Lock()
		k.write(pk.TopicName, pk)
		k.order.Unlock()
	}
}

// write keeps a retained message, or forgets the one of an empty payload.
func (k *kept) write(topic string, pk packets.Packet) {
	if len(pk.Payload) == 0 {
		k.check(k.messages.Delete(hashed(topic)))
		return
	}
	k.check(k.messages.Put(hashed(topic), encodeMessage("", 0, pk)))
}

func (k *kept) writeLater(topic string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.late[topic] = struct{}{}
	if k.writer == nil {
		k.writer = time.AfterFunc(retainedLater, k.writeLate)
	}
}

// writeLate writes the retained messages of QoS 0 as they are now.
func (k *kept) writeLate() {
	k.mu.Lock()
	late := k.late
	k.late, k.writer = map[string]struct{}{}, nil
	k.mu.Unlock()
	for topic := range late {
		k.order.Lock()
		pk, _ := k.server.Topics.Retained.Get(topic)
		k.write(topic, pk)
		k.order.Unlock()
	}
}

// close writes what was to be written later.
func (k *kept) close() {
	k.flush()
	k.flushes.Wait()
	k.mu.Lock()
	writer := k.writer
	k.mu.Unlock()
	if writer != nil && writer.Stop() {
		k.writeLate()
	}
}

// OnRetainedExpired implements mochi.Hook.
func (k *kept) OnRetainedExpired(topic string) {
	k.retained.set(topic, 0)
	if k.messages != nil {
		k.check(k.messages.Delete(hashed(topic)))
	}
}

// lasting reports whether the session of a client outlives its connection.
func lasting(cl *mochi.Client) bool {
	if cl.Net.Listener == inProcess {
		return false
	}
	if cl.Properties.ProtocolVersion == 5 {
		return cl.Properties.Props.SessionExpiryInterval > 0
	}
	return !cl.Properties.Clean
}

// OnPacketEncode implements mochi.Hook: a session is kept before the client is told that it has one, unless it is still empty.
func (k *kept) OnPacketEncode(cl *mochi.Client, pk packets.Packet) packets.Packet {
	if pk.FixedHeader.Type == packets.Connack && pk.ReasonCode == packets.CodeSuccess.Code {
		if !lasting(cl) {
			k.end(cl.ID)
		} else if cl.State.Subscriptions.Len() > 0 {
			k.save(cl)
		}
	}
	return pk
}

// OnSubscribed implements mochi.Hook; the library has not acknowledged the subscription yet.
func (k *kept) OnSubscribed(cl *mochi.Client, _ packets.Packet, _ []byte) { k.save(cl) }

// OnUnsubscribed implements mochi.Hook.
func (k *kept) OnUnsubscribed(cl *mochi.Client, _ packets.Packet) { k.save(cl) }

// OnDisconnect implements mochi.Hook.
func (k *kept) OnDisconnect(cl *mochi.Client, _ error, expire bool) {
	if expire && !cl.IsTakenOver() {
		k.end(cl.ID)
	}
}

func (k *kept) save(cl *mochi.Client) {
	if k.sessions == nil || !lasting(cl) {
		return
	}
	s := keptSession{ID: cl.ID, Username: cl.Properties.Username, Version: cl.Properties.ProtocolVersion, Expiry: k.seconds(cl.ID)}
	for _, sub := range cl.State.Subscriptions.GetAll() {
		s.Subscriptions = append(s.Subscriptions, sub)
	}
	k.mu.Lock()
	k.known[cl.ID] = struct{}{}
	k.mu.Unlock()
	k.check(k.sessions.Put(hashed(cl.ID), s))
}

func (k *kept) end(client string) {
	k.mu.Lock()
	_, there := k.known[client]
	delete(k.known, client)
	k.mu.Unlock()
	if there {
		k.check(k.sessions.Delete(hashed(client)))
	}
}

// enqueue keeps an unacknowledged message to a session that outlives its connection, by the next flush: one for all absent sessions.
func (k *kept) enqueue(cl *mochi.Client, p pending) {
	if k.queue != nil && lasting(cl) {
		m := encodeMessage(cl.ID, p.order, p.pk)
		k.later(p.order, &m)
	}
}

// later notes what becomes of a message in the queue; nil: it is forgotten.
func (k *kept) later(order uint64, m *keptMessage) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := orderKey(order)
	if m == nil && k.unwritten[key] != nil { // it has come and gone, and the disk need not know
		delete(k.unwritten, key)
		return
	}
	k.unwritten[key] = m
	if k.flusher == nil {
		k.flusher = time.AfterFunc(queueLater, k.flush)
	}
}

// settle calls done when what was noted before is on the disk, without waiting for that: at once when it is already, else from
// another goroutine. What is done follows in the order of the calls.
func (k *kept) settle(done func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.unwritten) == 0 && len(k.unsettled) == 0 && !k.busy {
		done()
		return
	}
	k.unsettled = append(k.unsettled, done)
	if !k.urgent {
		k.urgent = true
		k.flushes.Go(k.flush)
	}
}

// flush writes the changes of the queue. When it returns, those that were noted before are on the disk.
func (k *kept) flush() {
	k.writing.Lock()
	defer k.writing.Unlock()
	k.mu.Lock()
	changes, unsettled := k.unwritten, k.unsettled
	if k.flusher != nil {
		k.flusher.Stop()
	}
	k.unwritten, k.flusher, k.unsettled, k.busy, k.urgent = map[string]*keptMessage{}, nil, nil, true, false
	k.mu.Unlock()
	if len(changes) > 0 {
		k.check(k.queue.Change(changes))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.busy = false
	for _, done := range unsettled {
		done()
	}
}

// dequeue forgets it.
func (k *kept) dequeue(client string, order uint64) {
	k.mu.Lock()
	_, there := k.known[client]
	k.mu.Unlock()
	if there {
		k.drop(order)
	}
}

func (k *kept) drop(order uint64) { k.later(order, nil) }

// check tells once that something is kept in memory only, as on a full disk: to refuse it would refuse commands with it.
func (k *kept) check(err error) {
	if err != nil {
		k.failed.Do(func() { k.log.Warn().Err(err).Msg("an MQTT message or session will not survive a restart") })
	}
}

var _ mochi.Hook = (*kept)(nil)
