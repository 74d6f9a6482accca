package mqtt

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync/atomic"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/eclipse/paho.mqtt.golang/packets"

	"github.com/reachyd/reachyd/daemon/beat"
	"github.com/reachyd/reachyd/daemon/gateway/payload"
)

const (
	online  = "online"
	offline = "offline"
)

// session is one connection to the broker. Each has a client of its own: what must survive a connection is in the outbox,
// and the library's own reconnecting, with its unbounded store, is left alone.
type session struct {
	*Gateway
	client   paho.Client
	lost     chan error
	heard    chan struct{} // our own status came back
	announce atomic.Bool   // Home Assistant was born, or somebody said that we are offline
	unfollow func()        // nil: nobody watches
}

// session connects and serves until the connection is lost or ctx ends. It returns for how long it was connected.
func (g *Gateway) session(ctx context.Context) (connected time.Duration, err error) {
	s := &session{Gateway: g, lost: make(chan error, 1), heard: make(chan struct{}, 1)}
	if err := s.connect(ctx); err != nil {
		return 0, err
	}
	defer s.client.Disconnect(uint(leaveTimeout.Milliseconds()))
	defer s.rest()
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	g.set(true, "")
	began := time.Now()
	err = s.serve(ctx)
	return time.Since(began), err
}

func (s *session) connect(ctx context.Context) error {
	opts := paho.NewClientOptions().
		AddBroker("mqtt://broker"). // the endpoint knows better
		SetClientID(ClientID(s.ID)).
		SetProtocolVersion(4). // 3.1.1, and no second try with 3.1
		SetCleanSession(true). // commands that were sent while we were away are old, and must not move the robot
		SetAutoReconnect(false).
		SetConnectRetry(false).
		SetConnectTimeout(connectTimeout).
		SetWriteTimeout(writeTimeout).
		SetKeepAlive(keepAlive).
		SetBinaryWill(s.topic("status"), []byte(offline), 1, true).
		SetConnectionLostHandler(func(_ paho.Client, err error) { s.lost <- err })
	if s.Endpoint.login != nil {
		user, password, err := s.Endpoint.login()
		if err != nil {
			return err
		}
		opts.SetUsername(user).SetPassword(password)
	}
	release := func() bool { return true }
	opts.SetCustomOpenConnectionFn(func(*url.URL, paho.ClientOptions) (net.Conn, error) {
		conn, err := s.Endpoint.open(ctx)
		if err == nil {
			release = context.AfterFunc(ctx, func() { _ = conn.Close() }) // nobody waits for a broker that is silent
		}
		return conn, err
	})
	s.client = paho.NewClient(opts)
	token := s.client.Connect()
	<-token.Done() // bounded by connectTimeout, and by ctx
	release()      // from here on goodbye is said before the connection is closed
	err := token.Error()
	if err == nil {
		return nil
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, packets.ErrorRefusedBadUsernameOrPassword):
		return errors.New("the broker refuses the login; check mqtt.user and mqtt.password or mqtt.password_file")
	case errors.Is(err, packets.ErrorRefusedNotAuthorised):
		return errors.New("the broker does not let us in; it wants a login (mqtt.user, mqtt.password) or does not know this one")
	}
	return fmt.Errorf("connect to %s: %w", s.Endpoint.Name, err)
}

// begin makes the robot known: its state first, then that it is online, so that nobody sees an online robot without one.
func (s *session) begin(ctx context.Context) error {
	if e := s.outbox.restart(); e != nil {
		s.tellGivenUp(e)
	}
	filters := map[string]byte{s.topic("cmd/#"): 1, s.topic("status"): 1}
	if s.DiscoveryPrefix != "" {
		filters[s.DiscoveryPrefix+"/status"] = 1
	}
	token := s.client.SubscribeMultiple(filters, func(_ paho.Client, m paho.Message) { s.receive(m) })
	if err := s.await(ctx, token); err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	if t, ok := token.(*paho.SubscribeToken); ok {
		for filter, code := range t.Result() {
			if code == 0x80 {
				return fmt.Errorf("the broker does not let us subscribe to %s; its access rules must let us read and write %s#", filter, s.base())
			}
		}
	}
	if err := s.introduce(ctx); err != nil {
		return err
	}
	return s.echo(ctx)
}

// echo waits until our own status comes back. Brokers acknowledge what their access rules then make them drop, so nothing
// else shows that we are heard.
func (s *session) echo(ctx context.Context) error {
	timer := time.NewTimer(s.echoTimeout)
	defer timer.Stop()
	select {
	case <-s.heard:
		return nil
	case err := <-s.lost:
		return fmt.Errorf("%w: %w", errLost, err)
	case <-timer.C:
		return fmt.Errorf("the broker takes our messages, but does not pass them on; its access rules must let us read and write %s#", s.base())
	case <-ctx.Done():
		return ctx.Err()
	}
}

// introduce publishes everything that somebody who just arrived needs.
func (s *session) introduce(ctx context.Context) error {
	s.publishState()
	s.publishTelemetry()
	if s.DiscoveryPrefix != "" {
		if err := s.await(ctx, s.client.Publish(s.discoveryTopic(), 1, true, s.discovery())); err != nil {
			return fmt.Errorf("announce the robot: %w", err)
		}
	}
	if err := s.await(ctx, s.client.Publish(s.topic("status"), 1, true, online)); err != nil {
		return fmt.Errorf("say that the robot is online: %w", err)
	}
	return nil
}

func (s *session) await(ctx context.Context, t paho.Token) error {
	timer := time.NewTimer(ackTimeout)
	defer timer.Stop()
	select {
	case <-t.Done():
		return t.Error()
	case err := <-s.lost:
		return fmt.Errorf("%w: %w", errLost, err)
	case <-timer.C:
		return fmt.Errorf("no answer within %v", ackTimeout)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *session) serve(ctx context.Context) error {
	state, telemetry := time.NewTimer(s.StateInterval), time.NewTimer(beat.Until(s.TelemetryInterval))
	defer state.Stop()
	defer telemetry.Stop()
	var oldest ack
	overdue := time.NewTimer(s.outboxTimeout)
	defer overdue.Stop()
	for {
		s.outbox.send(func(topic string, payload []byte) ack { return s.client.Publish(topic, 1, false, payload) })
		first := s.outbox.first()
		var acked <-chan struct{}
		if first != nil {
			acked = first.Done()
		}
		if first != oldest {
			oldest = first
			overdue.Reset(s.outboxTimeout)
		}
		select {
		case <-acked:
			if err := first.Error(); err != nil {
				return fmt.Errorf("%w: %w", errLost, err)
			}
			s.outbox.done(first)
		case <-overdue.C:
			if first != nil {
				return fmt.Errorf("%w: the broker has not acknowledged a message for %v", errLost, s.outboxTimeout)
			}
		case <-s.outbox.ready:
		case <-s.poke:
			state.Reset(s.publishState())
		case <-state.C:
			state.Reset(s.publishState())
			// Not at once: the broker may still be handing out what we answer to, and everybody should hear our answer last.
			if s.announce.Swap(false) {
				if err := s.introduce(ctx); err != nil {
					return err
				}
			}
		case <-telemetry.C:
			s.publishTelemetry()
			telemetry.Reset(beat.Until(s.TelemetryInterval))
		case jpeg := <-s.camera:
			s.client.Publish(s.topic("camera/jpeg"), 0, false, jpeg)
		case err := <-s.lost:
			return fmt.Errorf("%w: %w", errLost, err)
		case <-ctx.Done():
			s.leave()
			return ctx.Err()
		}
	}
}

// publishState returns when the next one is due. Where nobody watches that is late: whoever comes asks for one by StateChanged.
func (s *session) publishState() (next time.Duration) {
	if !s.watched() {
		s.rest()
		return beat.Until(s.TelemetryInterval)
	}
	if s.unfollow == nil {
		s.unfollow = s.Robot.Follow()
	}
	s.client.Publish(s.topic("state"), 0, false, payload.State(s.Robot.State()))
	return s.StateInterval
}

// rest ends that states come for somebody who watched.
func (s *session) rest() {
	if s.unfollow != nil {
		s.unfollow()
		s.unfollow = nil
	}
}

// watched reports whether somebody may hear what is neither retained nor kept.
func (s *session) watched() bool { return s.Watched == nil || s.Watched() }

func (s *session) publishTelemetry() {
	t := s.Robot.Telemetry()
	if t.TS.IsZero() || !s.watched() {
		return
	}
	s.client.Publish(s.topic("telemetry"), 0, false, payload.Telemetry(t, s.meter.Sample(time.Now())))
}

// leave sends what is still in the outbox and says goodbye, as far as the broker takes it within leaveTimeout.
func (s *session) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	for {
		s.outbox.send(func(topic string, payload []byte) ack { return s.client.Publish(topic, 1, false, payload) })
		first := s.outbox.first()
		if first == nil {
			break
		}
		select {
		case <-first.Done():
			s.outbox.done(first)
			continue
		case <-s.lost: //nolint:errcheck // there is nobody left to tell
			return
		case <-ctx.Done():
		}
		break
	}
	_ = s.await(ctx, s.client.Publish(s.topic("status"), 1, true, offline)) // else the last will says it
}

// receive takes a message from the library's goroutine, which must not wait.
func (s *session) receive(m paho.Message) {
	again := false
	switch m.Topic() {
	case s.DiscoveryPrefix + "/status": // Home Assistant forgets what was not retained when it starts
		again = string(m.Payload()) == online && !m.Retained()
	case s.topic("status"): // an old last will of ours that came late, or somebody else's mistake
		again = string(m.Payload()) != online && !m.Retained()
		if !again && !m.Retained() {
			select {
			case s.heard <- struct{}{}:
			default:
			}
		}
	default:
		s.command(m.Topic(), m.Payload(), m.Retained())
	}
	if again {
		s.announce.Store(true)
	}
}
