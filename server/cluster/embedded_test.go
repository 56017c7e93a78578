package cluster

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"ballast/server/auth"
)

// fill opens an embedded node in dir, puts count keys into a bucket, and closes the node.
func fill(t *testing.T, dir string, count int) {
	t.Helper()
	n := openNode(t, Config{DataDir: dir})
	defer n.Close()
	kv, err := n.Bucket(t.Context(), jetstream.KeyValueConfig{Bucket: "things"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range count {
		if _, err := kv.PutString(t.Context(), fmt.Sprintf("key%d", i), strings.Repeat("value ", 20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := kv.Delete(t.Context(), "key1"); err != nil {
		t.Fatal(err)
	}
}

func TestEmbeddedKeepsBucketsOverRestart(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 20)
	fill(t, dir, 20)
	n := openNode(t, Config{DataDir: dir})
	kv, err := n.Bucket(t.Context(), jetstream.KeyValueConfig{Bucket: "things"})
	if err != nil {
		t.Fatal(err)
	}
	if keys, err := kv.Keys(t.Context()); err != nil || len(keys) != 19 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	if st, err := os.Stat(filepath.Join(dir, "nats")); err != nil || st.Mode().Perm() != 0o700 {
		t.Fatalf("directory %v, %v", st.Mode(), err)
	}
}

const storeChild = "CLUSTER_TEST_STORE"

// TestStoreChild is the process that TestKilledServiceKeepsWhatWasAcknowledged kills. It prints the
// name of each acknowledged key.
func TestStoreChild(t *testing.T) {
	dir := os.Getenv(storeChild)
	if dir == "" {
		t.Skip("runs in a process of its own")
	}
	n, err := Open(t.Context(), Config{DataDir: dir, Log: testLog(t)})
	if err != nil {
		fmt.Println("cannot", err)
		return
	}
	defer n.Close()
	kv, err := n.Bucket(t.Context(), jetstream.KeyValueConfig{Bucket: "things"})
	if err != nil {
		fmt.Println("cannot", err)
		return
	}
	for {
		key := fmt.Sprintf("%016x", rand.Uint64())
		if _, err := kv.PutString(t.Context(), key, strings.Repeat(key, 50)); err != nil {
			return
		}
		if _, err := fmt.Println("stored", key); err != nil {
			return
		}
	}
}

func TestKilledServiceKeepsWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var stored []string
	for range 6 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestStoreChild$")
		cmd.Env = append(os.Environ(), storeChild+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines, quota := bufio.NewScanner(out), len(stored)+20+rand.IntN(50)
		for lines.Scan() {
			if why, cannot := strings.CutPrefix(lines.Text(), "cannot "); cannot {
				t.Errorf("after a kill: %s", why)
			}
			if key, ok := strings.CutPrefix(lines.Text(), "stored "); ok {
				stored = append(stored, key)
			}
			if len(stored) == quota {
				cmd.Process.Kill() // continues to read what was printed before
			}
		}
		cmd.Wait()
		if len(stored) < quota {
			t.Fatalf("the process ended by itself after %d keys", len(stored))
		}
	}
	n := openNode(t, Config{DataDir: dir})
	kv, err := n.Bucket(t.Context(), jetstream.KeyValueConfig{Bucket: "things"})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range stored {
		if e, err := kv.Get(t.Context(), key); err != nil || string(e.Value()) != strings.Repeat(key, 50) {
			t.Fatalf("%s was acknowledged: %v", key, err)
		}
	}
}

// TestDamagedStoreLosesNoKey: damage to any one file of the store loses no key and restores no
// revoked key, in memory and in the bucket.
func TestDamagedStoreLosesNoKey(t *testing.T) {
	whole := t.TempDir()
	k := newKeeper(t, Config{DataDir: whole}, KeysConfig{DataDir: whole}).load()
	var good, dead []string
	for i := range 9 {
		key, made := k.issue()
		if i%3 == 0 {
			k.revoke(made.ID)
			dead = append(dead, key)
		} else {
			good = append(good, key)
		}
	}
	k.end()
	damages := map[string]func([]byte) []byte{
		"removed": nil,
		"emptied": func([]byte) []byte { return nil },
		"cut":     func(b []byte) []byte { return b[:len(b)*2/3] },
		"longer":  func(b []byte) []byte { return append(b, b[:len(b)/2]...) },
		"zeros":   func(b []byte) []byte { clear(b[len(b)/4 : len(b)/2]); return b },
	}
	for eighth := range 8 {
		damages[fmt.Sprintf("a bit flipped at %d/8", eighth)] = func(b []byte) []byte {
			b[eighth*len(b)/8] ^= 1 << eighth
			return b
		}
	}
	var files []string
	err := filepath.WalkDir(filepath.Join(whole, "nats"), func(path string, d os.DirEntry, err error) error {
		if info, e := d.Info(); e == nil && info.Mode().IsRegular() && info.Size() > 0 {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 3 {
		t.Fatalf("files %q, %v", files, err)
	}
	for _, file := range files {
		name, err := filepath.Rel(whole, file)
		if err != nil {
			t.Fatal(err)
		}
		for what, spoil := range damages {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			spoiled := filepath.Join(dir, name)
			b, err := os.ReadFile(spoiled)
			if err == nil && spoil == nil {
				err = os.Remove(spoiled)
			} else if err == nil {
				err = os.WriteFile(spoiled, spoil(b), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			k := newKeeper(t, Config{DataDir: dir}, KeysConfig{DataDir: dir})
			if err := k.Load(t.Context()); err != nil {
				t.Fatalf("%s %s: %v", name, what, err)
			}
			fresh := newKeeper(t, Config{DataDir: t.TempDir()}, KeysConfig{})
			records, _, err := k.readFrom(t.Context(), k.raw(), 1)
			if err != nil {
				t.Fatalf("%s %s: %v", name, what, err)
			}
			fresh.Store().Merge(records...)
			fresh.Store().TrustForever()
			for _, k := range []*keeper{k, fresh} {
				for _, key := range good {
					if k.verdict(key) != auth.Accepted {
						t.Errorf("%s %s: a key is lost", name, what)
					}
				}
				for _, key := range dead {
					if k.verdict(key) != auth.Unknown {
						t.Errorf("%s %s: a revoked key is back", name, what)
					}
				}
				k.end()
			}
		}
	}
}

func TestSecondServerOverOneDirectoryIsRefused(t *testing.T) {
	dir := t.TempDir()
	n := openNode(t, Config{DataDir: dir})
	if _, err := Open(t.Context(), Config{DataDir: dir, Log: testLog(t)}); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), dir) {
		t.Fatalf("open said %v", err)
	}
	n.Close()
	openNode(t, Config{DataDir: dir})
}

// A store that cannot be opened does not stop the service, and is reported.
func TestImpossibleDirectories(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	inTheWay := t.TempDir()
	if err := os.Mkdir(filepath.Join(inTheWay, "nats"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inTheWay, "nats", "jetstream"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, inTheWay, "/proc/nothing"} {
		n := openNode(t, Config{DataDir: dir})
		if trouble := n.Trouble(); !strings.Contains(trouble, dir) {
			t.Errorf("%q: the error %q does not name it", dir, trouble)
		}
		if _, err := n.Bucket(t.Context(), jetstream.KeyValueConfig{Bucket: "things"}); err == nil {
			t.Errorf("%q holds a bucket", dir)
		}
	}
	if _, err := Open(t.Context(), Config{Log: testLog(t)}); err == nil {
		t.Error("no directory was accepted")
	}
}

// The server disables its store when a write finds no space.
func TestStoreSwitchedOffComesBack(t *testing.T) {
	if raceEnabled {
		t.Skip("nats-server has a data race when it enables its storage while requests arrive")
	}
	a := startReplica(t, Config{DataDir: t.TempDir(), Timing: hasty})
	ready(t, a)
	regimes := a.NewRegimes()
	eventually(t, "the regimes are stored", func() bool {
		_, err := regimes.Exchange(t.Context(), aWallet, states{"BTC": 2})
		return err == nil
	})
	// A directory in the place of the file by which room on disk is tried: the store cannot come back.
	room := filepath.Join(a.srv.dir, "room")
	if err := os.Mkdir(room, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := a.srv.server.ShutdownJetStream(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "trouble is known", func() bool { return a.Trouble() != "" })
	if err := os.Remove(room); err != nil {
		t.Fatal(err)
	}
	eventually(t, "no trouble is left", func() bool { return a.Trouble() == "" })
	eventually(t, "the regimes are there", func() bool {
		old, err := regimes.Exchange(t.Context(), aWallet, states{"BTC": 2})
		return err == nil && old["BTC"] == 2
	})
	if len(a.history()) != 1 {
		t.Fatalf("events %q", a.history())
	}
}
