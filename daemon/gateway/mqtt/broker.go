package mqtt

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/daemon/descriptors"
	"github.com/reachyd/reachyd/daemon/store"
)

// Limits of the embedded broker.
const (
	MaxClients    = 128               // connected at the same time, besides our own gateway
	maxOneHost    = 64                // connections from one other host
	MaxPacket     = 2 << 20           // bytes
	maxMessage    = MaxPacket - 1<<10 // bytes of topic and payload of a message of ours
	maxInflight   = 1024              // unacknowledged messages per client
	maxWrites     = 1024              // messages that wait for a slow client; what is above is dropped
	maxSession    = 3600              // seconds for which the session of an absent client is kept
	portsToTry    = 20
	sysInterval   = 10 // seconds between two publications of $SYS
	inProcess     = "in-process"
	networkListen = "network"
)

func init() { packets.TPacketData = nil } //nolint:gochecknoinits // the broker's own test data: 0.4 MB that nobody reads

// Broker is the MQTT broker inside reachyd. Fill in the exported fields, then Open it and Close it again.
type Broker struct {
	Listen string      // address and port; a taken port of the loopback interface is replaced by the next free one
	TLS    *tls.Config // nil: none
	Users  []config.User
	Log    zerolog.Logger
	// Gateway is the client ID that only a connection from inside this process may use.
	Gateway string
	// Store keeps retained messages and sessions of others through a restart; nil for none. It is closed after the broker.
	Store *store.Store
	// Command tells commands by their topics: they are not taken while our own gateway does not hear them. nil: there are none.
	Command func(topic string) bool
	// Retained judges messages that a client wants retained; nil keeps them all.
	Retained func(topic string, payload []byte) Retention
	// OnClient is called, from its goroutine, when a client of the network has come. It must not wait. It may be nil.
	OnClient func()

	server   *mochi.Server
	inside   *pipeListener
	doors    []*door // the network's, ours
	backlog  *backlog
	room     *room
	turns    chan struct{} // see trackedConn.take
	sessions *sessions
	strict   *strict
	kept     *kept
	addr     string
	closing  sync.Once
}

// Retention is what becomes of a message that a client wants retained.
type Retention int

// The values of Retention.
const (
	Keep  Retention = iota // retained and delivered
	Strip                  // delivered, not retained
	Drop                   // neither
)

// Open takes the port. Clients are kept waiting until Admit; our own gateway comes in at once.
func (b *Broker) Open(ctx context.Context) error {
	l, err := b.listen(ctx)
	if err != nil {
		return err
	}
	b.addr = l.Addr().String()
	if b.TLS != nil {
		l = tls.NewListener(l, b.TLS)
	}
	caps := mochi.NewDefaultServerCapabilities()
	caps.MaximumClients = math.MaxInt64 // sessions sees to it
	caps.MaximumPacketSize = MaxPacket
	caps.MaximumInflight = maxInflight
	caps.ReceiveMaximum = maxInflight
	caps.MaximumClientWritesPending = maxWrites
	caps.MaximumSessionExpiryInterval = never // sessions sees to it
	caps.TopicAliasMaximum = maxAliases
	caps.MaximumMessageExpiryInterval = 0                  // a message is as old as its sender lets it become
	caps.Compatibilities.NoInheritedPropertiesOnAck = true // user properties would make a client take the PUBACK for a failure
	b.server = mochi.New(&mochi.Options{
		Capabilities: caps, Logger: slog.New(zerolog.NewSlogHandler(b.Log.Level(brokerLevel(b.Log)))), SysTopicResendInterval: sysInterval,
		ClientNetWriteBufferSize: 1, // every packet is a write of its own: outgoing is the buffer
	})
	b.inside = newPipeListener()
	b.turns = make(chan struct{}, maxTurns)
	b.backlog = &backlog{sizes: map[*outgoing]int{}}
	b.room, b.sessions = newRoom(), newSessions(b)
	most := descriptors.Share(MaxClients+maxStrangers, 1, 2)
	b.doors = []*door{b.newDoor(networkListen, l, most, maxOneHost), b.newDoor(inProcess, b.inside, MaxClients, 0)}
	open := func() error {
		g := newGuard(b)
		b.kept, b.strict = newKept(b), newStrict(b.server)
		f := newFlow(b.server, b.kept)
		for _, h := range []mochi.Hook{
			b.sessions, b.strict, g, &retained{server: b.server, guard: g, flow: f, due: map[*mochi.Client][]packets.Subscription{}}, f, b.kept,
		} {
			if err := b.server.AddHook(h, nil); err != nil {
				return err
			}
		}
		if err := b.kept.restore(f); err != nil {
			return fmt.Errorf("what MQTT clients left: %w", err)
		}
		for _, d := range b.doors {
			if err := b.server.AddListener(d); err != nil {
				return err
			}
		}
		b.doors[1].admit()
		return b.server.Serve()
	}
	if err := open(); err != nil {
		return errors.Join(fmt.Errorf("start the broker: %w", err), l.Close())
	}
	return nil
}

// Admit lets the network's clients in: whoever publishes a command then must be heard.
func (b *Broker) Admit() { b.doors[0].admit() }

// Watched reports whether a client of the network is connected.
func (b *Broker) Watched() bool { return b.Clients() > 0 }

// Clients returns how many clients of the network are connected.
func (b *Broker) Clients() int {
	return max(0, int(atomic.LoadInt64(&b.server.Info.ClientsConnected))-1) // our own gateway is one
}

// brokerLevel keeps the library's own chatter out of the log unless one debugs.
func brokerLevel(log zerolog.Logger) zerolog.Level {
	if log.GetLevel() <= zerolog.DebugLevel {
		return zerolog.InfoLevel
	}
	return zerolog.ErrorLevel
}

// listen opens the port, or the next free one if this is about the loopback interface only.
func (b *Broker) listen(ctx context.Context) (net.Listener, error) {
	var lc net.ListenConfig
	first, err := lc.Listen(ctx, "tcp", b.Listen)
	if err == nil || !errors.Is(err, syscall.EADDRINUSE) {
		return first, wrap(err)
	}
	host, text, splitErr := net.SplitHostPort(b.Listen)
	port, convErr := strconv.Atoi(text)
	if splitErr != nil || convErr != nil || !loopback(host) {
		return nil, wrap(err)
	}
	for next := port + 1; next <= min(port+portsToTry, 65535); next++ {
		l, nextErr := lc.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(next)))
		if nextErr == nil {
			b.Log.Warn().Int("taken", port).Int("port", next).Msg("the MQTT port is taken; the broker listens on the next free one")
			return l, nil
		}
	}
	return nil, fmt.Errorf("%w; nor is one of the %d ports after it free", wrap(err), portsToTry)
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("mqtt.listen: %w; choose another address, or name the broker that is there in mqtt.broker", err)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// Addr returns the address on which the open broker listens.
func (b *Broker) Addr() string { return b.addr }

// URL returns the address of the open broker as clients on this machine write it.
func (b *Broker) URL() string {
	scheme := "mqtt"
	if b.TLS != nil {
		scheme = "mqtts"
	}
	host, port, err := net.SplitHostPort(b.addr)
	if err == nil {
		if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
			host = "127.0.0.1"
		}
		return scheme + "://" + net.JoinHostPort(host, port)
	}
	return scheme + "://" + b.addr
}

// Endpoint is the way in for our own gateway: the whole protocol, but over a pipe in memory and without a login.
func (b *Broker) Endpoint() Endpoint {
	return Endpoint{Name: "the broker inside reachyd at " + b.addr, open: func(context.Context) (net.Conn, error) { return b.inside.dial() }}
}

// Close disconnects everybody and waits. It may be called again.
func (b *Broker) Close() error {
	if b.server == nil {
		return nil
	}
	var err error
	b.closing.Do(func() {
		b.backlog.closing.Store(true)
		for _, cl := range b.server.Clients.GetAll() {
			_ = b.server.DisconnectClient(cl, packets.ErrServerShuttingDown) // it may be gone already
		}
		// The library must not close while clients leave: its Clients.GetByListener (v2.7.9) takes a read lock twice, and a
		// client that removes itself in between makes it wait for itself.
		for _, d := range b.doors {
			d.closeAll()
		}
		b.backlog.writers.Wait()
		b.sessions.close()
		err = b.server.Close()
		if b.kept != nil {
			b.kept.close()
		}
	})
	return err
}
