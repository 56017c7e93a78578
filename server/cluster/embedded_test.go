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
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// fill opens an embedded node over dir, puts count keys into a bucket and ends it.
func fill(t *testing.T, dir string, count int) {
	t.Helper()
	n, err := Open(t.Context(), Config{DataDir: dir, Log: testLog(t), Timing: quick})
	if err != nil {
		t.Fatal(err)
	}
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

func block(t *testing.T, dir string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "nats/jetstream/$G/streams/KV_things/msgs/*.blk"))
	if err != nil || len(list) != 1 {
		t.Fatalf("blocks %q, %v", list, err)
	}
	return list[0]
}

// firstOfMany grows the store to several blocks.
func firstOfMany(t *testing.T, dir string) string {
	t.Helper()
	n, err := Open(t.Context(), Config{DataDir: dir, Log: testLog(t), Timing: quick})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	kv, err := n.Bucket(t.Context(), jetstream.KeyValueConfig{Bucket: "things"})
	if err != nil {
		t.Fatal(err)
	}
	first := block(t, dir)
	for i := range 60 {
		if _, err := kv.Put(t.Context(), fmt.Sprintf("big%d", i), make([]byte, 300_000)); err != nil {
			t.Fatal(err)
		}
	}
	return first
}

// crash leaves dir as if the process had been killed.
func crash(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "nats", manifestFile)); err != nil {
		t.Fatal(err)
	}
}

func rewrite(t *testing.T, path string, f func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, f(data), 0o600); err != nil {
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

// TestStoreChild is the process that TestKilledServiceKeepsWhatWasAcknowledged kills. It
// prints the name of each key that was acknowledged.
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
		key := randomID()
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
				cmd.Process.Kill() // and read what it had said until then
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

func TestTornLastWriteIsAccepted(t *testing.T) {
	for name, tear := range map[string]func([]byte) []byte{
		"half a record": func(b []byte) []byte { return append(b, b[:60]...) },
		"a few bytes":   func(b []byte) []byte { return append(b, b[:7]...) },
		"zeros":         func(b []byte) []byte { return append(b, make([]byte, 500)...) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, dir, 20)
			crash(t, dir)
			rewrite(t, block(t, dir), tear)
			n := openNode(t, Config{DataDir: dir})
			kv, err := n.Bucket(t.Context(), jetstream.KeyValueConfig{Bucket: "things"})
			if err != nil {
				t.Fatal(err)
			}
			if keys, err := kv.Keys(t.Context()); err != nil || len(keys) != 19 {
				t.Fatalf("%d keys, %v", len(keys), err)
			}
		})
	}
}

func TestDamageIsNoTornWrite(t *testing.T) {
	for name, spoil := range map[string]func([]byte) []byte{
		"bit in the middle": func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		"bit in the last":   func(b []byte) []byte { b[len(b)-20] ^= 1; return b },
		"bit in the length": func(b []byte) []byte { b[2] ^= 64; return b }, // ends beyond the file
		"hole of zeros":     func(b []byte) []byte { clear(b[200:400]); return b },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, dir, 20)
			crash(t, dir)
			rewrite(t, block(t, dir), spoil)
			n, err := Open(t.Context(), Config{DataDir: dir, Log: testLog(t), Timing: quick})
			if err == nil {
				n.Close()
			}
			if !errors.Is(err, ErrDamaged) {
				t.Fatalf("open said %v", err)
			}
		})
	}
}

func TestDamagedStoreIsRefused(t *testing.T) {
	meta := func(name string) func(*testing.T, string) string {
		return func(t *testing.T, dir string) string {
			return filepath.Join(dir, "nats/jetstream/$G/streams/KV_things", name)
		}
	}
	manifest := func(_ *testing.T, dir string) string { return filepath.Join(dir, "nats", manifestFile) }
	flip := func(b []byte) []byte { b[len(b)/2] ^= 4; return b }
	for name, c := range map[string]struct {
		file  func(*testing.T, string) string
		spoil func([]byte) []byte // nil: remove
	}{
		"bit in the middle": {block, flip},
		"bit in the length": {block, func(b []byte) []byte { b[3] ^= 64; return b }},
		"bit in the last":   {block, func(b []byte) []byte { b[len(b)-20] ^= 1; return b }},
		"hole of zeros":     {block, func(b []byte) []byte { clear(b[200:400]); return b }},
		"description":       {meta("meta.inf"), flip},
		"checksum":          {meta("meta.sum"), flip},
		"description gone":  {meta("meta.inf"), nil},
		"a block gone":      {firstOfMany, nil},
		"the block gone":    {block, nil},
		"cut short":         {block, func(b []byte) []byte { return b[:len(b)-100] }},
		"empty":             {block, func([]byte) []byte { return nil }},
		"manifest":          {manifest, flip},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, dir, 20)
			file := c.file(t, dir)
			if c.spoil == nil {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			} else {
				rewrite(t, file, c.spoil)
			}
			for range 2 { // also the second time
				n, err := Open(t.Context(), Config{DataDir: dir, Log: testLog(t), Timing: quick})
				if err == nil {
					n.Close()
				}
				if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), filepath.Join(dir, "nats")) {
					t.Fatalf("open said %v", err)
				}
			}
		})
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
	for _, dir := range []string{"", file, inTheWay, "/proc/nothing"} {
		n, err := Open(t.Context(), Config{DataDir: dir, Log: testLog(t)})
		if err == nil {
			n.Close()
			t.Errorf("%q was accepted", dir)
		} else if !strings.Contains(err.Error(), dir) {
			t.Errorf("%q: %v does not name it", dir, err)
		}
	}
}

// The server switches its store off when a write finds no space.
func TestStoreSwitchedOffComesBack(t *testing.T) {
	a := startReplica(t, Config{DataDir: t.TempDir(), Timing: hasty})
	ready(t, a)
	regimes := a.NewRegimes()
	eventually(t, "the regimes are stored", func() bool {
		_, err := regimes.Exchange(t.Context(), aWallet, []AssetRegime{{"BTC", 2}})
		return err == nil
	})
	// The store may be back before a publish that failed has said so.
	var known atomic.Bool
	go func() {
		for t.Context().Err() == nil && !known.Load() {
			known.Store(a.Trouble() != "")
			time.Sleep(time.Millisecond)
		}
	}()
	if err := a.srv.server.ShutdownJetStream(); err != nil {
		t.Fatal(err)
	}
	if err := a.bus.Publish(t.Context(), a.result()); err == nil {
		t.Fatal("acknowledged by nobody")
	}
	eventually(t, "trouble is known", known.Load)
	eventually(t, "publish works again", func() bool { return a.bus.Publish(t.Context(), a.result()) == nil })
	eventually(t, "the regimes are there", func() bool {
		old, err := regimes.Exchange(t.Context(), aWallet, []AssetRegime{{"BTC", 2}})
		return err == nil && old["BTC"] == 2
	})
	if len(a.history()) != 1 {
		t.Fatalf("events %q", a.history())
	}
	eventually(t, "no trouble is left", func() bool { return a.Trouble() == "" })
}
