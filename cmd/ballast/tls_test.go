package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// writeCertificate writes a self-signed certificate with the given serial number, and its key.
func writeCertificate(t *testing.T, certFile, keyFile string, number int64, expires time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(number), NotBefore: time.Now().Add(-48 * time.Hour),
		NotAfter: expires}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: cert},
		keyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		writeFile(t, file, pem.EncodeToMemory(block))
	}
}

// servedCertificate returns the serial number of the certificate served at an address.
func servedCertificate(t *testing.T, addr string) int64 {
	t.Helper()
	c, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// TestE2EHangup: without a certificate, SIGHUP changes nothing.
func TestE2EHangup(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	p := start(t, "ballast", "serve", "--listen", "127.0.0.1:0", "--venue", nowhere, "--data-dir", dir)
	p.find(t, "others may write to the data directory")
	url := p.find(t, `serving url=(http://\S+)`)[1]
	p.find(t, "there are no API keys.*ballast keys issue --email")
	p.cmd.Process.Signal(syscall.SIGHUP)
	p.find(t, "there is no certificate to read again")
	if code := status(t, url, "x"); code != 401 {
		t.Errorf("status %d", code)
	}
}

// TestE2EReload: on SIGHUP the service reads its certificate again; without a good one the old one stays.
// Injects the fault sighup of docs/faults.md.
func TestE2EReload(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	writeCertificate(t, certFile, keyFile, 1, time.Now().Add(-time.Hour))
	p := start(t, "ballast", "serve", "--listen", "127.0.0.1:0", "--venue", nowhere, "--data-dir",
		filepath.Join(dir, "data"), "--tls-cert", certFile, "--tls-key", keyFile)
	p.find(t, "certificate has expired")
	addr := p.find(t, `serving url=https://(\S+)`)[1]
	hangup := func(says string, serial int64) {
		t.Helper()
		p.cmd.Process.Signal(syscall.SIGHUP)
		p.find(t, says)
		if n := servedCertificate(t, addr); n != serial {
			t.Errorf("certificate %d, want %d", n, serial)
		}
	}
	writeCertificate(t, certFile, filepath.Join(dir, "other"), 2, time.Now().Add(time.Hour))
	hangup("the certificate cannot be read; the old one stays.*private key does not match", 1)
	writeCertificate(t, certFile, keyFile, 3, time.Now().Add(time.Hour))
	hangup("the certificate was read again", 3)
}
