package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"
	"github.com/eclipse/paho.mqtt.golang/packets"
)

const (
	connectTimeout = 5 * time.Second
	// A robot that is there says so at once, because its status is retained.
	presenceTimeout = 3 * time.Second
)

// reply is what reply/<id> carries.
type reply struct {
	ID     string          `json:"id"`
	OK     bool            `json:"ok"`
	Result json.RawMessage `json:"result"`
	Error  *refusedError   `json:"error"`
	raw    []byte
}

// link is a connection to the robot's broker.
type link struct {
	client mqtt.Client
	at     address
	base   string // prefix/robot
	robot  string
	lost   chan error
}

// connect reaches the broker. Whoever calls it closes the link.
func (a *app) connect(ctx context.Context) (*link, error) {
	at, err := a.address()
	if err != nil {
		return nil, err
	}
	l := &link{at: at, base: a.prefix + "/" + a.robot, robot: a.robot, lost: make(chan error, 1)}
	if a.robot == "" || a.prefix == "" || strings.ContainsAny(l.base, "+#") {
		return nil, usagef("robot %q, prefix %q: both must be there and have no '+' or '#'", a.robot, a.prefix)
	}
	o := mqtt.NewClientOptions().
		AddBroker(at.url.String()).
		SetClientID("reachyctl-" + rand.Text()[:10]).
		SetCleanSession(true).
		SetProtocolVersion(4).
		SetConnectTimeout(connectTimeout).
		SetWriteTimeout(connectTimeout).
		SetAutoReconnect(false).
		SetOrderMatters(true).
		SetConnectionLostHandler(func(_ mqtt.Client, err error) {
			select {
			case l.lost <- err:
			default:
			}
		})
	if err := a.credentials(o); err != nil {
		return nil, err
	}
	l.client = mqtt.NewClient(o)
	token := l.client.Connect()
	select {
	case <-token.Done():
		err = token.Error()
	case <-time.After(2 * connectTimeout): // a peer that accepts and says nothing
		err = errors.New("no answer to the greeting")
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err == nil {
		return l, nil
	}
	l.close()
	return nil, l.connectError(err, a.user)
}

func (a *app) credentials(o *mqtt.ClientOptions) error {
	if a.user != "" {
		o.SetUsername(a.user)
	}
	if a.passwordFile != "" {
		if a.user == "" {
			return usagef("--password-file needs --user")
		}
		password, err := firstLine(a.passwordFile)
		if err != nil {
			return usagef("--password-file: %w", err)
		}
		o.SetPassword(password)
	}
	if a.ca != "" {
		pem, err := os.ReadFile(a.ca)
		if err != nil {
			return usagef("--ca: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return usagef("--ca: %s has no certificate in PEM form", a.ca)
		}
		o.SetTLSConfig(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12})
	}
	return nil
}

// connectError says what to do about it.
func (l *link) connectError(err error, user string) error {
	var unknown x509.UnknownAuthorityError
	var dns *net.DNSError
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, packets.ErrorRefusedNotAuthorised), errors.Is(err, packets.ErrorRefusedBadUsernameOrPassword):
		if user == "" {
			return unreachable("the broker at %s wants a login: use --user and --password-file", l.at)
		}
		return unreachable("the broker at %s refuses user %q: check --user and --password-file", l.at, user)
	case errors.As(err, &unknown):
		return unreachable("the certificate of the broker at %s is signed by nobody we know: name the signer's with --ca", l.at)
	case errors.As(err, &dns):
		return unreachable("cannot reach the robot at %s: no host of that name: check --broker", l.at)
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err // "connection refused", without the address again
	}
	if l.at.local {
		return unreachable("cannot reach the robot at %s (%w): is reachyd running? start it with `make run`, or see `reachyctl doctor`", l.at, err)
	}
	return unreachable("cannot reach the robot at %s (%w): is reachyd running there? check --broker", l.at, err)
}

// close ends the connection; it may be called more than once.
func (l *link) close() {
	const quiesce = 100 // ms for what is still on its way out
	if l.client != nil {
		l.client.Disconnect(quiesce)
	}
}

// subscribe delivers what comes on a topic below the robot's, for instance "state", until the link is closed.
func (l *link) subscribe(ctx context.Context, fn func(topic string, payload []byte), topics ...string) error {
	filters := make(map[string]byte, len(topics))
	for _, t := range topics {
		filters[l.base+"/"+t] = 1
	}
	token := l.client.SubscribeMultiple(filters, func(_ mqtt.Client, m mqtt.Message) {
		fn(strings.TrimPrefix(m.Topic(), l.base+"/"), m.Payload())
	})
	if err := l.done(ctx, token); err != nil {
		return err
	}
	if s, ok := token.(*mqtt.SubscribeToken); ok {
		for topic, code := range s.Result() {
			if code >= 0x80 {
				return unreachable("the broker at %s does not let us read %s: ask its owner for the permission, or use --user", l.at, topic)
			}
		}
	}
	return nil
}

func (l *link) done(ctx context.Context, token mqtt.Token) error {
	select {
	case <-token.Done():
		if err := token.Error(); err != nil {
			return unreachable("the broker at %s: %w", l.at, err)
		}
		return nil
	case err := <-l.lost:
		return l.lostError(err)
	case <-time.After(connectTimeout):
		return unreachable("the broker at %s does not answer", l.at)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *link) lostError(err error) error {
	return unreachable("the connection to %s is lost: %w", l.at, err)
}

func (l *link) offlineError() error {
	return unreachable("the broker at %s answers, but robot %q is offline: start reachyd", l.at, l.robot)
}

func (l *link) absentError() error {
	return unreachable("the broker at %s answers, but there is no robot %q: check --robot, or start reachyd", l.at, l.robot)
}

// presence follows the robot's status topic, and gives up when it is offline or was never there.
type presence struct {
	online  bool
	status  chan string
	timeout <-chan time.Time
}

func newPresence() *presence {
	return &presence{status: make(chan string, 8), timeout: time.After(presenceTimeout)}
}

// note takes a payload of the status topic.
func (p *presence) note(payload []byte) {
	select {
	case p.status <- string(payload):
	default: // somebody publishes nonsense faster than we read
	}
}

// call sends a command and waits for its reply. A reply that says no is a reply, not an error.
func (l *link) call(ctx context.Context, verb string, args map[string]any, timeout time.Duration) (*reply, error) {
	id := "ctl-" + rand.Text()[:16]
	message := map[string]any{"id": id}
	for k, v := range args {
		message[k] = v
	}
	payload, err := json.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("cmd/%s: %w", verb, err)
	}
	there := newPresence()
	replies := make(chan []byte, 1)
	err = l.subscribe(ctx, func(topic string, payload []byte) {
		if topic == "status" {
			there.note(payload)
			return
		}
		select {
		case replies <- payload:
		default: // QoS 1 may deliver it again
		}
	}, "reply/"+id, "status")
	if err != nil {
		return nil, err
	}
	if err := l.done(ctx, l.client.Publish(l.base+"/cmd/"+verb, 1, false, payload)); err != nil {
		if ctx.Err() != nil {
			err = leftAlone(ctx)
		}
		return nil, err
	}
	limit := time.After(timeout)
	for {
		select {
		case data := <-replies:
			return parseReply(data)
		case s := <-there.status:
			if s == "offline" {
				return nil, l.offlineError()
			}
			there.online = true
		case <-there.timeout:
			if !there.online {
				return nil, l.absentError()
			}
		case <-limit:
			if !there.online {
				return nil, l.absentError()
			}
			return nil, fmt.Errorf("the robot is online but has not answered within %v; it may still be at it (longer: --timeout; end it: reachyctl stop)", timeout)
		case err := <-l.lost:
			return nil, l.lostError(err)
		case <-ctx.Done():
			return nil, leftAlone(ctx)
		}
	}
}

// leftAlone says what it means that nobody waits for a command that is on its way.
func leftAlone(ctx context.Context) error {
	return fmt.Errorf("not waiting any longer; the robot goes on with what it does (end it: reachyctl stop): %w", ctx.Err())
}

func parseReply(data []byte) (*reply, error) {
	r := &reply{raw: data}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, malformed("a reply", data, err)
	}
	if !r.OK && r.Error == nil {
		return nil, malformed("a reply", data, errors.New("neither ok nor an error"))
	}
	return r, nil
}

// ask connects, sends one command and returns its reply. With --json the reply is printed as it came.
func (a *app) ask(ctx context.Context, verb string, args map[string]any, timeout time.Duration) (*reply, error) {
	l, err := a.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	r, err := l.call(ctx, verb, args, timeout)
	if err != nil {
		return nil, err
	}
	return a.outcome(r)
}

// outcome prints a reply as it came with --json, and makes an error of a refusal.
func (a *app) outcome(r *reply) (*reply, error) {
	if a.json {
		a.printRaw(r.raw)
	}
	if r.OK {
		return r, nil
	}
	if a.json {
		return nil, errSaid
	}
	return nil, r.Error
}
