package mqtt

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	paho "github.com/eclipse/paho.mqtt.golang"

	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/daemon/mdns"
)

// Endpoint is how the gateway reaches a broker.
type Endpoint struct {
	Name string // as people are told

	open  func(context.Context) (net.Conn, error)
	login func() (user, password string, err error) // asked at each connection; nil: no login
}

// External returns the way to the broker that mqtt.broker names. Certificates are read now, so that a mistake is an error at
// the start; the password file is read at each connection, so that a new password needs no restart.
func External(cfg config.MQTT) (Endpoint, error) {
	u, err := url.Parse(cfg.Broker)
	if err != nil {
		return Endpoint{}, fmt.Errorf("mqtt.broker: %w", err)
	}
	e := Endpoint{Name: u.Redacted()}
	var tlsConfig *tls.Config
	if u.Scheme == "mqtts" || u.Scheme == "wss" {
		if tlsConfig, err = ClientTLS(cfg.TLS, u.Hostname()); err != nil {
			return Endpoint{}, err
		}
	}
	switch u.Scheme {
	case "mqtt", "mqtts":
		port := "1883"
		if u.Scheme == "mqtts" {
			port = "8883"
		}
		if u.Port() != "" {
			port = u.Port()
		}
		address := net.JoinHostPort(u.Hostname(), port)
		e.open = func(ctx context.Context) (net.Conn, error) { return dial(ctx, address, tlsConfig) }
	case "ws", "wss":
		e.open = func(context.Context) (net.Conn, error) {
			return paho.NewWebsocket(u.String(), tlsConfig, connectTimeout, nil, nil)
		}
	default:
		return Endpoint{}, fmt.Errorf("mqtt.broker: scheme %q is unknown; allowed: mqtt, mqtts, ws, wss", u.Scheme)
	}
	if cfg.User != "" {
		e.login = func() (string, string, error) { return login(cfg) }
	}
	return e, nil
}

func login(cfg config.MQTT) (user, password string, err error) {
	if cfg.PasswordFile == "" {
		return cfg.User, cfg.Password.Reveal(), nil
	}
	data, err := os.ReadFile(cfg.PasswordFile)
	if err != nil {
		return "", "", fmt.Errorf("mqtt.password_file: %w", err)
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return cfg.User, strings.TrimSuffix(line, "\r"), nil
}

func dial(ctx context.Context, address string, tlsConfig *tls.Config) (net.Conn, error) {
	d := mdns.Dialer{Dialer: net.Dialer{Timeout: connectTimeout}}
	if tlsConfig == nil {
		return d.DialContext(ctx, "tcp", address)
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	secure := tls.Client(conn, tlsConfig)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return secure, nil
}

// ClientTLS reads what is needed to talk to an external broker.
func ClientTLS(cfg config.TLS, host string) (*tls.Config, error) {
	t := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host}
	var err error
	if cfg.CA != "" {
		if t.RootCAs, err = readCA(cfg.CA); err != nil {
			return nil, err
		}
	}
	if cfg.Cert != "" {
		if t.Certificates, err = readCertificate(cfg); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// ServerTLS reads what the embedded broker needs; nil when no certificate is configured. With a CA clients must show a
// certificate signed by it.
func ServerTLS(cfg config.TLS) (*tls.Config, error) {
	if cfg.Cert == "" {
		return nil, nil //nolint:nilnil // no TLS, and no mistake
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12}
	var err error
	if t.Certificates, err = readCertificate(cfg); err != nil {
		return nil, err
	}
	if cfg.CA != "" {
		if t.ClientCAs, err = readCA(cfg.CA); err != nil {
			return nil, err
		}
		t.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return t, nil
}

func readCA(file string) (*x509.CertPool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("mqtt.tls.ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, errors.New("mqtt.tls.ca: " + file + " holds no certificate; allowed: PEM")
	}
	return pool, nil
}

func readCertificate(cfg config.TLS) ([]tls.Certificate, error) {
	c, err := tls.LoadX509KeyPair(cfg.Cert, cfg.Key)
	if err != nil {
		return nil, fmt.Errorf("mqtt.tls.cert, mqtt.tls.key: %w", err)
	}
	return []tls.Certificate{c}, nil
}
