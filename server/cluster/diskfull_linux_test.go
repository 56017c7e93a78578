//go:build all

package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

const smallDisk = "CLUSTER_TEST_SMALL_DISK"

// TestDiskFull runs itself again in a namespace that allows it to mount a file system of 8 MB.
func TestDiskFull(t *testing.T) {
	if raceEnabled {
		t.Skip("nats-server has a data race when it enables its storage while requests arrive")
	}
	disk := os.Getenv(smallDisk)
	if disk == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDiskFull$", "-test.v")
		cmd.Env = append(os.Environ(), smallDisk+"="+t.TempDir())
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
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=8m"); err != nil {
		t.Fatal(err)
	}
	defer syscall.Unmount(disk, 0)
	auditOnReadOnlyDisk(t, filepath.Join(disk, "readonly"))
	dir, hog := filepath.Join(disk, "data"), filepath.Join(disk, "hog")
	defer os.RemoveAll(dir)
	defer os.Remove(hog)
	audited := mustAudit(t, filepath.Join(disk, "audited"))
	noted(t, audited, newRecord(t))
	a := startReplica(t, Config{DataDir: dir, Timing: hasty})
	ready(t, a)
	bucket := jetstream.KeyValueConfig{Bucket: "things"}
	kv, err := a.Bucket(t.Context(), bucket)
	if err != nil {
		t.Fatal(err)
	}
	fillUp := func() {
		f, err := os.Create(hog)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for {
			if _, err := f.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	}
	stored := 0
	for ; ; stored++ {
		if stored == 10 {
			fillUp()
		}
		if _, err := kv.Put(t.Context(), fmt.Sprintf("key%d", stored), make([]byte, 5000)); err != nil {
			break
		}
	}
	eventually(t, "trouble is known", func() bool { return a.Trouble() != "" })
	if err := a.bus.Publish(t.Context(), a.result()); err != nil {
		t.Fatalf("the bus needs no disk: %v", err)
	}
	other := openNode(t, Config{DataDir: filepath.Join(disk, "other")})
	if trouble := other.Trouble(); !strings.Contains(trouble, disk) {
		t.Fatalf("opened on a full disk, trouble %q", trouble)
	}
	other.Close()
	fillUp()
	lines := len(audited.records())
	for ; audited.note(newRecord(t)) == nil; lines++ {
	}
	if again := mustAudit(t, filepath.Join(disk, "audited")); again.bad > 0 || len(again.records()) != lines {
		t.Errorf("a write on the full disk left %d damaged lines beside %d of %d keys", again.bad, len(again.records()), lines)
	}
	if err := os.Remove(hog); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it writes again", func() bool {
		kv, err := a.Bucket(t.Context(), bucket)
		if err == nil {
			_, err = kv.PutString(t.Context(), "after", "x")
		}
		return err == nil
	})
	eventually(t, "trouble is over", func() bool { return a.Trouble() == "" })
	a.stop()
	a.Close()
	n := openNode(t, Config{DataDir: dir})
	if kv, err = n.Bucket(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
	keys, err := kv.Keys(t.Context())
	if err != nil || len(keys) < stored+1 {
		t.Fatalf("%d keys of %d, %v", len(keys), stored+1, err)
	}
}

// auditOnReadOnlyDisk: keys are read from the file, and the error of a write names the cause.
func auditOnReadOnlyDisk(t *testing.T, dir string) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Fatal(err)
	}
	defer syscall.Unmount(dir, 0)
	a := mustAudit(t, dir)
	held := newRecord(t)
	noted(t, a, held)
	a.close()
	if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	a = mustAudit(t, dir)
	defer a.close()
	if r, ok := a.record(held.ID); !ok || r != held {
		t.Errorf("%+v was read", r)
	}
	if err := a.note(newRecord(t)); !errors.Is(err, syscall.EROFS) {
		t.Errorf("written: %v", err)
	}
}
