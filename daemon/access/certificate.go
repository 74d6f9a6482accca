package access

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

const renewBefore = 30 * 24 * time.Hour

// A certificate that somebody trusts by its fingerprint is of any time: the clock that shows 1970 is set to now later.
var (
	always = time.Unix(0, 0).UTC()
	never  = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC) // as RFC 5280, 4.1.2.5, says it
)

// Certificate returns the certificate of the robot's own in dir, and makes one when there is none or it is about to end. It is
// signed by itself: a browser asks once whether it is trusted.
func Certificate(dir, host string, now time.Time) (tls.Certificate, error) {
	certFile, keyFile := filepath.Join(dir, "http.crt"), filepath.Join(dir, "http.key")
	kept, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err == nil && now.Add(renewBefore).Before(kept.Leaf.NotAfter) && !now.Before(kept.Leaf.NotBefore) {
		return kept, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return kept, fmt.Errorf("the certificate of the web server: %w; remove %s and %s to have a new one made", err, certFile, keyFile)
	}
	cert, key, err := newCertificate(host)
	if err != nil {
		return kept, fmt.Errorf("make a certificate: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return kept, err
	}
	//nolint:gosec // everybody may have the certificate
	if err := errors.Join(os.WriteFile(keyFile, key, 0o600), os.WriteFile(certFile, cert, 0o644)); err != nil {
		return kept, err
	}
	return tls.X509KeyPair(cert, key)
}

func newCertificate(host string) (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, err
	}
	of := x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: host, Organization: []string{"reachyd"}},
		NotBefore: always, NotAfter: never,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		DNSNames:              []string{host, host + ".local", "localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if own, err := net.InterfaceAddrs(); err == nil {
		for _, a := range own {
			if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() {
				of.IPAddresses = append(of.IPAddresses, n.IP)
			}
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, &of, &of, &private.PublicKey, private)
	if err != nil {
		return nil, nil, err
	}
	text, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: text}), nil
}

// Fingerprint is what tells a certificate from others, as browsers show it.
func Fingerprint(c tls.Certificate) string {
	if len(c.Certificate) == 0 {
		return ""
	}
	sum := sha256.Sum256(c.Certificate[0])
	return hex.EncodeToString(sum[:])
}
