package main

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestE2EHangupDuringStart: a SIGHUP while the service waits for its configuration or its data directory is
// taken up as one reload when it serves; SIGTERM ends the wait at once.
// Injects the fault sighup of docs/faults.md.
func TestE2EHangupDuringStart(t *testing.T) {
	dir := t.TempDir()
	pipe, data := filepath.Join(dir, "b.yaml"), filepath.Join(dir, "data")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	begin := func() *process {
		t.Helper()
		p := start(t, "ballast", "serve", "--listen", "127.0.0.1:0", "--venue", nowhere, "--config", pipe, "--data-dir",
			data)
		p.find(t, "waiting for a file that cannot be read yet")
		p.cmd.Process.Signal(syscall.SIGHUP)
		return p
	}
	p := begin()
	lock, err := lockData(data, 0)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, pipe, "rate-limit: 5\n")
	time.Sleep(300 * time.Millisecond) // it waits for the lock now
	p.cmd.Process.Signal(syscall.SIGHUP)
	time.Sleep(50 * time.Millisecond)
	lock.Close()
	p.find(t, "serving url=")
	p.find(t, "SIGHUP: the configuration cannot be read.*not a regular file")
	p.end(t)

	p = begin()
	p.cmd.Process.Signal(syscall.SIGTERM)
	p.drain()()
	p.cmd.Wait()
	if status := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() ||
		status.Signal() != syscall.SIGTERM {
		t.Errorf("SIGTERM during the start: %v", p.cmd.ProcessState)
	}
}
