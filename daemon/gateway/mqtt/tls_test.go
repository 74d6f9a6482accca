package mqtt

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"github.com/reachyd/reachyd/daemon/config"
)

func TestTLS(t *testing.T) {
	pki := newPKI(t)
	m := newMosquitto(t, "allow_anonymous true", "certfile "+pki.cert, "keyfile "+pki.key, "cafile "+pki.ca, "require_certificate true")
	url := strings.Replace(m.url(), "mqtt:", "mqtts:", 1)
	both := config.TLS{CA: pki.ca, Cert: pki.cert, Key: pki.key}
	newGateway(t, outside(t, config.MQTT{Broker: url, TLS: both})).start().ready()

	for name, cfg := range map[string]config.MQTT{
		"unknown authority":     {Broker: url, TLS: config.TLS{Cert: pki.cert, Key: pki.key}},
		"no client certificate": {Broker: url, TLS: config.TLS{CA: pki.ca}},
	} {
		g := newGateway(t, outside(t, cfg)).start()
		g.waitFor("a refusal", func() bool { return g.Connection().Attempts > 0 })
		g.stop()
		if g.Connection().Connected {
			t.Errorf("%s: connected", name)
		}
	}

	server, err := ServerTLS(both)
	if err != nil {
		t.Fatal(err)
	}
	b := openBroker(t, &Broker{TLS: server})
	if !strings.HasPrefix(b.URL(), "mqtts://127.0.0.1:") {
		t.Errorf("URL %s", b.URL())
	}
	g := newGateway(t, outside(t, config.MQTT{Broker: b.URL(), TLS: both}))
	g.ID = "other" // the name of the gateway inside is reserved
	g.start().ready()
	_ = refused(t, b.URL(), func(o *paho.ClientOptions) {
		c, err := ClientTLS(config.TLS{CA: pki.ca}, "127.0.0.1")
		if err != nil {
			t.Fatal(err)
		}
		c.MaxVersion = tls.VersionTLS12 // in 1.3 a client learns only later that it was refused
		o.SetTLSConfig(c)
	})
}

func TestBadCertificates(t *testing.T) {
	pki := newPKI(t)
	empty := filepath.Join(t.TempDir(), "empty.pem")
	write(t, empty, "nothing")
	for _, x := range []struct {
		tls  config.TLS
		says string
	}{
		{config.TLS{CA: "/none.pem"}, "mqtt.tls.ca"},
		{config.TLS{CA: empty}, "holds no certificate"},
		{config.TLS{Cert: empty, Key: pki.key}, "mqtt.tls.cert"},
	} {
		if _, err := External(config.MQTT{Broker: "mqtts://localhost", TLS: x.tls}); err == nil || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%+v: %v", x.tls, err)
		}
	}
	if _, err := ServerTLS(config.TLS{CA: empty, Cert: pki.cert, Key: pki.key}); err == nil {
		t.Error("a server took an empty CA")
	}
	if c, err := ServerTLS(config.TLS{}); c != nil || err != nil {
		t.Errorf("no TLS: %v, %v", c, err)
	}
	if _, err := External(config.MQTT{Broker: "http://localhost"}); err == nil || !strings.Contains(err.Error(), "wss") {
		t.Errorf("another scheme: %v", err)
	}
}

// pki is a certificate authority and a certificate for 127.0.0.1 that serves both ends.
type pki struct{ ca, cert, key string }

func newPKI(t *testing.T) pki {
	t.Helper()
	dir := t.TempDir()
	p := pki{filepath.Join(dir, "ca.pem"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	must(err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "localhost"}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, ca, &key.PublicKey, caKey)
	must(err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	must(err)
	write(t, p.ca, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER})))
	write(t, p.cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	write(t, p.key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})))
	return p
}
