package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// withhold makes every other process that opens a file wait, as on a disk that does not answer, until
// release is called or some 45 s have passed: a lease of the file, which the kernel asks back.
func withhold(t *testing.T, path string) (release func()) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		t.Fatal(err)
	}
	return func() { f.Close() }
}

// TestE2EReloadWaits: while a reload waits for a file, the service answers and says what it waits for;
// a SIGHUP meanwhile leads to one more reload, and SIGTERM ends the service in time.
// Injects the fault sighup of docs/faults.md.
func TestE2EReloadWaits(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeCertificate(t, certFile, keyFile, 1, time.Now().Add(time.Hour))
	p := start(t, "ballast", "serve", "--listen", "127.0.0.1:0", "--venue", nowhere, "--data-dir",
		filepath.Join(dir, "data"), "--tls-cert", certFile, "--tls-key", keyFile)
	addr := p.find(t, `serving url=https://(\S+)`)[1]
	hangup := func(says string) {
		t.Helper()
		p.cmd.Process.Signal(syscall.SIGHUP)
		p.find(t, says)
	}
	waits := "waiting for a file that cannot be read yet.*" + certFile
	release := withhold(t, certFile)
	hangup(waits)
	p.cmd.Process.Signal(syscall.SIGHUP)
	if n := servedCertificate(t, addr); n != 1 {
		t.Errorf("certificate %d", n)
	}
	release()
	p.find(t, "certificate was read again")
	p.find(t, "certificate was read again")
	writeCertificate(t, certFile, keyFile, 2, time.Now().Add(time.Hour))
	hangup("certificate was read again")
	if n := servedCertificate(t, addr); n != 2 {
		t.Errorf("certificate %d after the wait", n)
	}

	defer withhold(t, certFile)()
	hangup(waits)
	p.end(t)
}
