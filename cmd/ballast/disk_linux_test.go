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
	if path, program, inside := strings.Cut(os.Getenv(smallDisk), " "); inside {
		built["ballast"] = program
		defer delete(built, "ballast") // the binary belongs to the outer process, which removes it
		onSmallDisk(t, path)
		return
	}
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
}

// disk is a small file system with a data directory and the keys in it.
type disk struct {
	path, dir                 string
	good, old, late, readOnly issued
}

func onSmallDisk(t *testing.T, path string) {
	if err := syscall.Mount("none", path, "tmpfs", 0, "size=16m"); err != nil {
		t.Fatal(err)
	}
	defer syscall.Unmount(path, syscall.MNT_DETACH)
	d := &disk{path: path, dir: filepath.Join(path, "data")}
	for _, key := range []*issued{&d.good, &d.old, &d.late, &d.readOnly} {
		printed(t, key, "keys", "issue", "--email", "a@example.com", "--data-dir", d.dir)
	}
	printed(t, new(any), "keys", "revoke", d.old.ID, "--data-dir", d.dir)
	d.whileReadOnly(t)
	d.whileFull(t)
}

func (d *disk) serve(t *testing.T) *remote {
	t.Helper()
	return serving(t, "--venue", nowhere, "--data-dir", d.dir)
}

func (d *disk) judged(t *testing.T, s *remote, what string, lateIs int) {
	t.Helper()
	good, old, late := status(t, s.url, d.good.Key), status(t, s.url, d.old.Key), status(t, s.url, d.late.Key)
	if good == 401 || old != 401 || (late == 401) != (lateIs == 401) {
		t.Errorf("%s: good %d, revoked %d, late %d", what, good, old, late)
	}
}

// commands runs every command on a disk that takes no writes.
func (d *disk) commands(t *testing.T, on string, s *remote) {
	t.Helper()
	const why = "make room on its disk"
	refused(t, []badCall{
		{1, why, []string{"issue", "--email", "a@example.com", "--data-dir", d.dir}},
		{1, why, []string{"revoke", d.late.ID, "--data-dir", d.dir}},
	}, "keys")
	if out, errs, code := command(t, nil, "keys", "list", "--data-dir", d.dir); code != 0 ||
		!strings.Contains(out, d.good.ID) {
		t.Errorf("listed on a %s disk: %d %s%s", on, code, out, errs)
	}
	d.judged(t, s, on, 200)
}

// revoke revokes a key on a disk that takes writes again; the service follows.
func (d *disk) revoke(t *testing.T, s *remote, i issued) {
	t.Helper()
	printed(t, new(any), "keys", "revoke", i.ID, "--data-dir", d.dir)
	eventually(t, "the service follows", 10*time.Second, func() bool { return status(t, s.url, i.Key) == 401 })
}

func (d *disk) whileReadOnly(t *testing.T) {
	if err := syscall.Mount("", d.path, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	s := d.serve(t)
	d.commands(t, "read-only", s)
	if err := syscall.Mount("", d.path, "", syscall.MS_REMOUNT, "size=16m"); err != nil {
		t.Fatal(err)
	}
	d.revoke(t, s, d.readOnly)
	if said := s.end(t); !strings.Contains(said, "read-only file system") {
		t.Errorf("the log does not say that the disk is read-only: %s", said)
	}
}

// whileFull fills the disk up while the service runs, which is killed, started and ended on the full disk.
func (d *disk) whileFull(t *testing.T) {
	s := d.serve(t)
	hog := filepath.Join(d.path, "hog")
	f, err := os.Create(hog)
	for err == nil {
		_, err = f.Write(make([]byte, 1<<12))
	}
	f.Close()
	d.commands(t, "full", s)
	s.kill()
	s = d.serve(t)
	d.commands(t, "full, after a kill", s)
	s.end(t)
	s = d.serve(t)
	d.commands(t, "full, after an end", s)
	if err := os.Remove(hog); err != nil {
		t.Fatal(err)
	}
	d.revoke(t, s, d.late)
	s.kill()
	s = d.serve(t)
	d.judged(t, s, "after a restart", 401)
	if status(t, s.url, d.readOnly.Key) != 401 {
		t.Error("a revocation is lost")
	}
	s.end(t)
}
