package main

import (
	"database/sql"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ballast/internal/store"
)

// TestE2EEndsBesideALock: while another process holds the database and many wait to change it, SIGTERM ends the service
// in time, and the log says that not all was written down. Injects the fault held-database of docs/faults.md.
func TestE2EEndsBesideALock(t *testing.T) {
	dir := t.TempDir()
	operator := issueOperator(t, dir)
	s := serving(t, "--venue", nowhere, "--data-dir", dir)
	s.key = operator.Key
	other, err := sql.Open("sqlite", filepath.Join(dir, store.MainFile))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	for range 12 {
		put := s.request("PUT", "/v1/policy/*", `{"max_leverage":5}`)
		go func() {
			if answer, err := http.DefaultClient.Do(put); err == nil {
				answer.Body.Close()
			}
		}()
	}
	time.Sleep(500 * time.Millisecond)
	begun := time.Now()
	s.cmd.Process.Signal(syscall.SIGTERM)
	limit := time.AfterFunc(3*drainTime, s.kill)
	defer limit.Stop()
	said := s.drain()()
	_ = s.cmd.Wait() // its status is 1 if not all was written down
	if took := time.Since(begun); took > drainTime+2*time.Second {
		t.Errorf("ended %v after SIGTERM", took)
	}
	if !strings.Contains(said, "draining") || !strings.Contains(said, "another process") {
		t.Errorf("the log does not say why: %s", said)
	}
}
