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
	var keys [4]issued
	for i := range keys {
		keysCommand(t, &keys[i], "issue", "--email", "a@example.com", "--data-dir", dir)
	}
	good, old, late, readOnly := keys[0], keys[1], keys[2], keys[3]
	keysCommand(t, new(any), "revoke", old.ID, "--data-dir", dir)
	judged := func(s *remote, what string, lateIs int) {
		t.Helper()
		if status(t, s.url, good.Key) == 401 || status(t, s.url, old.Key) != 401 ||
			(status(t, s.url, late.Key) == 401) != (lateIs == 401) {
			t.Errorf("%s: good %d, revoked %d, late %d", what, status(t, s.url, good.Key), status(t, s.url, old.Key),
				status(t, s.url, late.Key))
		}
	}
	serve := func() *remote {
		return serving(t, "--venue", nowhere, "--data-dir", dir)
	}
	// commands runs every command on a disk that takes no writes.
	commands := func(on string, s *remote) {
		t.Helper()
		const why = "make room on its disk"
		refused(t, []badCall{
			{1, why, []string{"issue", "--email", "a@example.com", "--data-dir", dir}},
			{1, why, []string{"revoke", late.ID, "--data-dir", dir}},
		}, "keys")
		if out, errs, code := command(t, nil, "keys", "list", "--data-dir", dir); code != 0 ||
			!strings.Contains(out, good.ID) {
			t.Errorf("listed on a %s disk: %d %s%s", on, code, out, errs)
		}
		judged(s, on, 200)
	}
	// revoked revokes a key on a disk that takes writes again; the service follows.
	revoked := func(s *remote, i issued) {
		t.Helper()
		keysCommand(t, new(any), "revoke", i.ID, "--data-dir", dir)
		eventually(t, "the service follows", 10*time.Second, func() bool { return status(t, s.url, i.Key) == 401 })
	}

	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	s := serve()
	commands("read-only", s)
	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT, "size=16m"); err != nil {
		t.Fatal(err)
	}
	revoked(s, readOnly)
	if said := s.end(t); !strings.Contains(said, "read-only file system") {
		t.Errorf("the log does not say that the disk is read-only: %s", said)
	}

	// The disk fills up while the service runs; it is killed, started and ended on the full disk.
	s = serve()
	f, err := os.Create(hog)
	for err == nil {
		_, err = f.Write(make([]byte, 1<<12))
	}
	f.Close()
	commands("full", s)
	s.kill()
	s = serve()
	commands("full, after a kill", s)
	s.end(t)
	s = serve()
	commands("full, after an end", s)
	if err := os.Remove(hog); err != nil {
		t.Fatal(err)
	}
	revoked(s, late)
	s.kill()
	s = serve()
	judged(s, "after a restart", 401)
	if status(t, s.url, readOnly.Key) != 401 {
		t.Error("a revocation is lost")
	}
	s.end(t)
}
