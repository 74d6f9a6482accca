// Package connect reaches the robot: over MQTT, and over HTTP for what is too large for that.
package connect

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

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/host"
)

const (
	connectTimeout = 5 * time.Second
	// A robot that is there says so at once, because its status is retained.
	presenceTimeout = 3 * time.Second
)

// Reply is what reply/<id> carries, its result as it came.
type Reply struct {
	api.Response
	Result json.RawMessage `json:"result"`
	Raw    []byte          `json:"-"`
}

// link is a connection to the robot's broker.
type link struct {
	client mqtt.Client
	At     address
	base   string // prefix/robot
	robot  string
	Lost   chan error
}

// Open reaches the broker. Whoever calls it closes the link.
func Open(ctx context.Context, a *cli.App) (*link, error) {
	at, err := AddressOf(a)
	if err != nil {
		return nil, err
	}
	l := &link{At: at, base: a.Prefix + "/" + a.Robot, robot: a.Robot, Lost: make(chan error, 1)}
	if a.Robot == "" || a.Prefix == "" || strings.ContainsAny(l.base, "+#") {
		return nil, cli.Usage("robot %q, prefix %q: both must be there and have no '+' or '#'", a.Robot, a.Prefix)
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
			case l.Lost <- err:
			default:
			}
		})
	if err := credentials(a, o); err != nil {
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
	l.Close()
	return nil, l.connectError(err, a.User)
}

func credentials(a *cli.App, o *mqtt.ClientOptions) error {
	if a.User != "" {
		o.SetUsername(a.User)
	}
	if a.PasswordFile != "" {
		if a.User == "" {
			return cli.Usage("--password-file needs --user")
		}
		password, err := host.FirstLine(a.PasswordFile)
		if err != nil {
			return cli.Usage("--password-file: %w", err)
		}
		o.SetPassword(password)
	}
	if a.CA != "" {
		pem, err := os.ReadFile(a.CA)
		if err != nil {
			return cli.Usage("--ca: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return cli.Usage("--ca: %s has no certificate in PEM form", a.CA)
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
			return cli.Unreachable("the broker at %s wants a login: use --user and --password-file", l.At)
		}
		return cli.Unreachable("the broker at %s refuses user %q: check --user and --password-file", l.At, user)
	case errors.As(err, &unknown):
		return cli.Unreachable("the certificate of the broker at %s is signed by nobody we know: name the signer's with --ca", l.At)
	case errors.As(err, &dns):
		return cli.Unreachable("cannot reach the robot at %s: no host of that name: check --broker", l.At)
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err // "connection refused", without the address again
	}
	if l.At.Local {
		return cli.Unreachable("cannot reach the robot at %s (%w): is reachyd running? `reachyctl doctor` says how to start it", l.At, err)
	}
	return cli.Unreachable("cannot reach the robot at %s (%w): is reachyd running there? check --broker", l.At, err)
}

// Close ends the connection; it may be called more than once.
func (l *link) Close() {
	const quiesce = 100 // ms for what is still on its way out
	if l.client != nil {
		l.client.Disconnect(quiesce)
	}
}

// Subscribe delivers what comes on a topic below the robot's, for instance "state", until the link is closed.
func (l *link) Subscribe(ctx context.Context, fn func(topic string, payload []byte), topics ...string) error {
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
				return cli.Unreachable("the broker at %s does not let us read %s: ask its owner for the permission, or use --user", l.At, topic)
			}
		}
	}
	return nil
}

func (l *link) done(ctx context.Context, token mqtt.Token) error {
	select {
	case <-token.Done():
		if err := token.Error(); err != nil {
			return cli.Unreachable("the broker at %s: %w", l.At, err)
		}
		return nil
	case err := <-l.Lost:
		return l.LostError(err)
	case <-time.After(connectTimeout):
		return cli.Unreachable("the broker at %s does not answer", l.At)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *link) LostError(err error) error {
	return cli.Unreachable("the connection to %s is lost: %w", l.At, err)
}

func (l *link) OfflineError() error {
	return cli.Unreachable("the broker at %s answers, but robot %q is offline: start reachyd", l.At, l.robot)
}

func (l *link) AbsentError() error {
	return cli.Unreachable("the broker at %s answers, but there is no robot %q: check --robot, or start reachyd", l.At, l.robot)
}

// presence follows the robot's status topic, and gives up when it is offline or was never there.
type presence struct {
	Online  bool
	Status  chan string
	Timeout <-chan time.Time
}

// NewPresence begins to wait for the status of a robot.
func NewPresence() *presence {
	return &presence{Status: make(chan string, 8), Timeout: time.After(presenceTimeout)}
}

// Note takes a payload of the status topic.
func (p *presence) Note(payload []byte) {
	select {
	case p.Status <- string(payload):
	default: // somebody publishes nonsense faster than we read
	}
}

// Call sends a command and waits for its reply. A reply that says no is a reply, not an error.
func (l *link) Call(ctx context.Context, verb string, args map[string]any, timeout time.Duration) (*Reply, error) {
	id := "ctl-" + rand.Text()[:16]
	message := map[string]any{"id": id}
	for k, v := range args {
		message[k] = v
	}
	payload, err := json.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("cmd/%s: %w", verb, err)
	}
	there := NewPresence()
	replies := make(chan []byte, 1)
	err = l.Subscribe(ctx, func(topic string, payload []byte) {
		if topic == "status" {
			there.Note(payload)
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
		case s := <-there.Status:
			if s == "offline" {
				return nil, l.OfflineError()
			}
			there.Online = true
		case <-there.Timeout:
			if !there.Online {
				return nil, l.AbsentError()
			}
		case <-limit:
			if !there.Online {
				return nil, l.AbsentError()
			}
			return nil, fmt.Errorf("the robot is online but has not answered within %v; it may still be at it (longer: --timeout; end it: reachyctl stop)", timeout)
		case err := <-l.Lost:
			return nil, l.LostError(err)
		case <-ctx.Done():
			return nil, leftAlone(ctx)
		}
	}
}

// leftAlone says what it means that nobody waits for a command that is on its way.
func leftAlone(ctx context.Context) error {
	return fmt.Errorf("not waiting any longer; the robot goes on with what it does (end it: reachyctl stop): %w", ctx.Err())
}

func parseReply(data []byte) (*Reply, error) {
	r := &Reply{Raw: data}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, cli.Malformed("a reply", data, err)
	}
	if !r.OK && r.Error == nil {
		return nil, cli.Malformed("a reply", data, errors.New("neither ok nor an error"))
	}
	return r, nil
}

// Ask connects, sends one command and returns its reply. With --json the reply is printed as it came.
func Ask(ctx context.Context, a *cli.App, verb string, args map[string]any, timeout time.Duration) (*Reply, error) {
	l, err := Open(ctx, a)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	r, err := l.Call(ctx, verb, args, timeout)
	if err != nil {
		return nil, err
	}
	return Outcome(a, r)
}

// Read asks as Ask does, and reads the result, which an error calls what. With --json the reply is printed instead, and nothing is read.
func Read[T any](ctx context.Context, a *cli.App, verb string, args map[string]any, timeout time.Duration, what string) (*T, error) {
	r, err := Ask(ctx, a, verb, args, timeout)
	if err != nil || a.JSON {
		return nil, err
	}
	result := new(T)
	if err := json.Unmarshal(r.Result, result); err != nil {
		return nil, cli.Malformed(what, r.Raw, err)
	}
	return result, nil
}

// Outcome prints a reply as it came with --json, and makes an error of a refusal.
func Outcome(a *cli.App, r *Reply) (*Reply, error) {
	if a.JSON {
		a.PrintRaw(r.Raw)
	}
	if r.OK {
		return r, nil
	}
	if a.JSON {
		return nil, cli.ErrSaid
	}
	return nil, &cli.RefusedError{Reply: r.Error}
}
