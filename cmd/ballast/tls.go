package main

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"ballast/internal/promtext"
)

// certificate is the TLS certificate of the service; nil means plain HTTP.
type certificate struct {
	pair atomic.Pointer[tls.Certificate]
}

// loadCertificate reads the files if they are named.
func loadCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	if certFile == "" {
		return nil, nil
	}
	pair, err := readPair(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	c := &certificate{}
	c.use(pair, certFile, log)
	return c, nil
}

// use takes a pair over for new connections, and warns when it is not valid now.
func (c *certificate) use(pair *tls.Certificate, certFile string, log *slog.Logger) {
	switch now := time.Now(); {
	case now.After(pair.Leaf.NotAfter):
		log.Warn("the TLS certificate has expired: clients will refuse it", "file", certFile, "expired",
			pair.Leaf.NotAfter)
	case now.Before(pair.Leaf.NotBefore):
		log.Warn("the TLS certificate is not valid yet: clients will refuse it", "file", certFile, "valid_from",
			pair.Leaf.NotBefore)
	}
	c.pair.Store(pair)
}

// readPair reads a certificate and its private key, PEM.
func readPair(certFile, keyFile string) (*tls.Certificate, error) {
	cert, err := readFile(certFile)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert: %w", err)
	}
	key, err := readFile(keyFile)
	if err != nil {
		return nil, fmt.Errorf("--tls-key: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert, --tls-key: %w", err)
	}
	return &pair, nil
}

// hangups receives the SIGHUPs of serve, also one that comes during the start.
var hangups = make(chan os.Signal, 1)

// BeforeReset is called before the configuration is read: from here on SIGHUP does not end the process.
func (*serveCmd) BeforeReset() error {
	signal.Notify(hangups, syscall.SIGHUP)
	return nil
}

// reload reads the files again. If they cannot be read, the old certificate stays.
func (c *certificate) reload(certFile, keyFile string, log *slog.Logger) {
	if c == nil {
		log.Info("SIGHUP: there is no certificate to read again")
		return
	}
	pair, err := readPair(certFile, keyFile)
	if err != nil {
		log.Error("SIGHUP: the certificate cannot be read; the old one stays", "error", err)
		return
	}
	c.use(pair, certFile, log)
	log.Info("SIGHUP: the certificate was read again", "file", certFile, "expires", pair.Leaf.NotAfter)
}

// writeMetrics writes a metric with the time at which the certificate expires.
func (c *certificate) writeMetrics(p *promtext.Page) {
	if c != nil {
		p.Gauge("ballast_tls_certificate_expiry_timestamp_seconds",
			"When the TLS certificate expires, seconds since 1970.",
			float64(c.pair.Load().Leaf.NotAfter.Unix()))
	}
}

func (c *certificate) config() *tls.Config {
	if c == nil {
		return nil
	}
	return &tls.Config{
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.pair.Load(), nil },
		MinVersion:     tls.VersionTLS12,
	}
}
