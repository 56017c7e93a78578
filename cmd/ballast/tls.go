package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"ballast/internal/promtext"
)

// certificate is the TLS certificate of the service; nil means plain HTTP.
type certificate struct {
	pair atomic.Pointer[tls.Certificate]
}

// loadCertificate reads the files if they are named.
func loadCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	if certFile == "" && keyFile == "" {
		return nil, nil
	}
	c := &certificate{}
	return c, c.load(certFile, keyFile, false, log)
}

// load reads the files, perhaps again, and logs when the certificate expires.
func (c *certificate) load(certFile, keyFile string, again bool, log *slog.Logger) error {
	if certFile == "" || keyFile == "" {
		return errors.New("--tls-cert, --tls-key: HTTPS needs both, give the other one too")
	}
	pair, err := readPair(certFile, keyFile, again)
	if err != nil {
		return fmt.Errorf("--tls-cert, --tls-key: %w", err)
	}
	switch now := time.Now(); {
	case now.After(pair.Leaf.NotAfter):
		log.Warn("the TLS certificate has expired: clients will refuse it", "file", certFile, "expired", pair.Leaf.NotAfter)
	case now.Before(pair.Leaf.NotBefore):
		log.Warn("the TLS certificate is not valid yet: clients will refuse it", "file", certFile, "valid_from", pair.Leaf.NotBefore)
	}
	c.pair.Store(&pair)
	return nil
}

// readPair reads a certificate and its key, perhaps again.
func readPair(certFile, keyFile string, again bool) (tls.Certificate, error) {
	cert, err := readFile(certFile, again)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := readFile(keyFile, again)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(cert, key)
}

// reload reads the files again for new connections; on failure the old certificate stays.
func (c *certificate) reload(certFile, keyFile string, log *slog.Logger) {
	if c == nil {
		log.Info("SIGHUP: there is no certificate to read again")
		return
	}
	if err := c.load(certFile, keyFile, true, log); err != nil {
		log.Error("SIGHUP: the certificate cannot be read; the old one stays", "error", err)
		return
	}
	log.Info("SIGHUP: the certificate was read again", "file", certFile, "expires", c.pair.Load().Leaf.NotAfter)
}

// writeMetrics writes a metric with the time at which the certificate expires.
func (c *certificate) writeMetrics(p *promtext.Page) {
	if c != nil {
		p.Gauge("ballast_tls_certificate_expiry_timestamp_seconds", "When the TLS certificate expires, seconds since 1970.", float64(c.pair.Load().Leaf.NotAfter.Unix()))
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
