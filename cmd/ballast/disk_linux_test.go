//go:build all

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const smallDisk = "TEST_SMALL_DISK"

// TestE2EDisk runs itself again in a namespace that allows it to mount a small file system.
// Injects the faults disk-full and disk-read-only of docs/faults.md.
func TestE2EDisk(t *testing.T) {
	skipShort(t)
	disk, program, inside := strings.Cut(os.Getenv(smallDisk), " ")
	if !inside {
		cmd := exec.Command(os.Args[0], "-test.run=^TestE2EDisk$", "-test.v")
		cmd.Env = append(os.Environ(), smallDisk+"="+t.TempDir()+" "+binary(t, "ballast"))
		self := func(id int) []syscall.SysProcIDMap {
			return []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}}
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: self(os.Getuid()), GidMappings: self(os.Getgid()),
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("in a namespace of its own, which the system must allow: %v\n%s", err, out)
		}
		return
	}
	built["ballast"] = program
	defer delete(built, "ballast") // the binary belongs to the outer process, which removes it
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=16m"); err != nil {
		t.Fatal(err)
	}
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	dir, hog := filepath.Join(disk, "data"), filepath.Join(disk, "hog")
	var keys [5]issued
	for i := range keys {
		keysCommand(t, &keys[i], "issue", "--email", "a@example.com", "--data-dir", dir)
	}
	good, old, late, readOnly, writable := keys[0], keys[1], keys[2], keys[3], keys[4]
	keysCommand(t, new(any), "revoke", old.ID, "--data-dir", dir)
	judged := func(s *remote, what string, lateIs int) {
		t.Helper()
		if status(t, s.url, good.Key) == 401 || status(t, s.url, old.Key) != 401 || (status(t, s.url, late.Key) == 401) != (lateIs == 401) {
			t.Errorf("%s: good %d, revoked %d, late %d", what, status(t, s.url, good.Key), status(t, s.url, old.Key), status(t, s.url, late.Key))
		}
	}
	serve := func() *remote {
		return serving(t, "--venue", nowhere, "--data-dir", dir)
	}
	end := func(s *remote) string {
		rest := s.drain()
		s.cmd.Process.Signal(syscall.SIGTERM)
		said := rest()
		if err := s.cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, said)
		}
		return said
	}

	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	s := serve()
	judged(s, "read-only disk", 200)
	revoked := func(on string, i issued) (out string, err error) {
		t.Helper()
		b, err := exec.Command(program, "keys", "revoke", i.ID, "--data-dir", dir).CombinedOutput()
		if code := status(t, s.url, i.Key); code != 401 {
			t.Errorf("revoked on a %s disk: a key is answered %d; %s", on, code, b)
		}
		return string(b), err
	}
	if out, err := revoked("read-only", readOnly); err == nil || !strings.Contains(out, "revoked in memory, not yet durable") {
		t.Errorf("revoked on a read-only disk: %v %s", err, out)
	}
	if out, err := exec.Command(program, "keys", "list", "--data-dir", dir).CombinedOutput(); err != nil || !strings.Contains(string(out), good.ID) {
		t.Errorf("listed on a read-only disk: %v %s", err, out)
	}
	// The service has the directory still when the disk takes writes again.
	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT, "size=16m"); err != nil {
		t.Fatal(err)
	}
	if out, err := revoked("writable", writable); err != nil && !strings.Contains(out, "revoked in memory, not yet durable") {
		t.Errorf("revoked on a disk that takes writes again: %v %s", err, out)
	}
	for _, i := range []issued{readOnly, writable} {
		eventually(t, "the audit file has "+i.ID, 20*time.Second, func() bool {
			text, _ := os.ReadFile(filepath.Join(dir, "keys.audit"))
			return strings.Count(string(text), i.ID) >= 2
		})
	}
	if said := end(s); !strings.Contains(said, "read-only file system") {
		t.Errorf("the log does not say that the disk is read-only: %s", said)
	}

	f, err := os.Create(hog)
	for err == nil {
		_, err = f.Write(make([]byte, 1<<12))
	}
	f.Close()
	s = serve()
	judged(s, "full disk", 200)
	out, err := exec.Command(program, "keys", "revoke", late.ID, "--data-dir", dir).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "revoked in memory, not yet durable") {
		t.Errorf("revoked on a full disk: %v %s", err, out)
	}
	judged(s, "revoked on a full disk", 401)
	if out, err := exec.Command(program, "keys", "issue", "--email", "a@example.com", "--data-dir", dir).CombinedOutput(); err == nil || strings.Contains(string(out), "NATS") {
		t.Errorf("issued on a full disk: %s", out)
	}
	if err := os.Remove(hog); err != nil {
		t.Fatal(err)
	}
	s.find(t, `a revocation is durable now.*`+late.ID)
	eventually(t, "the audit file has it", 10*time.Second, func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "keys.audit"))
		return strings.Count(string(text), late.ID) >= 2
	})
	s.cmd.Process.Kill()
	s.cmd.Wait()
	s = serve()
	judged(s, "after a restart", 401)
	end(s)
}
