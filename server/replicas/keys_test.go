package replicas

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ballast/internal/locked"
	"ballast/internal/store"
	"ballast/server/auth"
)

// keeper is the part of a replica that handles keys.
type keeper struct {
	*Keys
	t    testing.TB
	node *Node
	stop func() // stops Run and waits until it has ended
}

var quickKeys = KeysConfig{MaxStale: time.Hour, Flush: time.Hour}

// newKeeper opens keys without running them.
func newKeeper(t testing.TB, node Config, cfg KeysConfig) *keeper {
	t.Helper()
	n := openNode(t, node)
	k, err := NewKeys(n, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &keeper{Keys: k, t: t, node: n, stop: func() {}}
}

func (k *keeper) load() *keeper {
	k.t.Helper()
	if err := k.Load(k.t.Context()); err != nil {
		k.t.Fatal(err)
	}
	return k
}

func (k *keeper) run() *keeper {
	k.stop = running(k.t, k.Run)
	return k
}

// end stops a replica as for a restart.
func (k *keeper) end() {
	k.stop()
	k.node.Close()
}

func (k *keeper) issue() (string, auth.Key) {
	k.t.Helper()
	key, made, err := k.Issue(k.t.Context(), "a@example.org", auth.Agent)
	if err != nil {
		k.t.Fatal(err)
	}
	return key, made
}

func (k *keeper) revoke(id string) {
	k.t.Helper()
	if err := k.Revoke(k.t.Context(), id); err != nil {
		k.t.Fatal(err)
	}
}

func (k *keeper) verdict(key string) auth.Verdict {
	_, v := k.Store().Lookup([]byte("Bearer "+key), time.Now())
	return v
}

// is waits until a key has the expected verdict.
func (k *keeper) is(what string, key string, want auth.Verdict) {
	k.t.Helper()
	eventually(k.t, what, func() bool { return k.verdict(key) == want })
}

// raw returns the bucket itself, for tests that damage it.
func (k *keeper) raw() jetstream.KeyValue {
	k.t.Helper()
	kv, err := k.node.js.KeyValue(k.t.Context(), keysBucket)
	if err != nil {
		k.t.Fatal(err)
	}
	return kv
}

// newCopy returns a database for the copy of a replica.
func newCopy(t testing.TB) *store.Main {
	t.Helper()
	db, err := store.OpenMain(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func newRecord(t testing.TB) auth.Record {
	t.Helper()
	_, r, err := auth.New("a@example.org", auth.Agent)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// audited returns the events of a key in the audit of a copy.
func audited(t testing.TB, db *store.Main, id string) (events []string) {
	t.Helper()
	err := db.Audit(func(e store.Event) error {
		if e.Subject == id {
			events = append(events, e.Event)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func TestReplicasShareKeys(t *testing.T) {
	url := startNATS(t).url()
	copies := []*store.Main{newCopy(t), newCopy(t)}
	a := newKeeper(t, Config{URL: url}, KeysConfig{Copy: copies[0]}).run()
	b := newKeeper(t, Config{URL: url}, KeysConfig{Copy: copies[1]}).run()
	eventually(t, "both loaded", func() bool { return a.Loaded() && b.Loaded() })
	tool := newKeeper(t, Config{URL: url}, KeysConfig{}).load() // a command on another machine, without a copy
	key, made := tool.issue()
	a.is("issued elsewhere, accepted on a", key, auth.Accepted)
	b.is("issued elsewhere, accepted on b", key, auth.Accepted)
	revoked := make(chan bool, 1)
	b.Store().OnRevoke(func() {
		select {
		case revoked <- b.Store().Revoked(made.ID):
		default: // a later revocation
		}
	})
	begun := time.Now()
	a.revoke(made.ID)
	if a.verdict(key) != auth.Unknown {
		t.Error("a revocation does not take effect at once where it is made")
	}
	b.is("revoked on a, refused on b", key, auth.Unknown)
	if !<-revoked {
		t.Error("OnRevoke was called before the key was revoked")
	}
	t.Logf("refused on the other replica after %v", time.Since(begun))
	for _, db := range copies {
		eventually(t, "both events in "+db.Path(), func() bool {
			return slices.Equal(audited(t, db, made.ID), []string{store.KeyIssued, store.KeyRevoked})
		})
	}
	// Many keys at once, issued by both replicas and revoked by the other one.
	var wg sync.WaitGroup
	for _, pair := range [][2]*keeper{{a, b}, {b, a}} {
		wg.Go(func() {
			for i := range 20 {
				key, made := pair[0].issue()
				pair[1].is("issued on the other", key, auth.Accepted)
				if i%2 == 0 {
					wg.Go(func() { a.revoke(made.ID) }) // at the same time
					wg.Go(func() { b.revoke(made.ID) })
					pair[0].is("revoked", key, auth.Unknown)
					pair[1].is("revoked", key, auth.Unknown)
				}
			}
		})
	}
	wg.Wait()
	for _, k := range []*keeper{a, b} {
		gone := 0
		for _, l := range k.Store().List() {
			if l.Revoked {
				gone++
			}
		}
		if k.Store().Len() != 41 || gone != 21 {
			t.Errorf("%d keys, %d revoked", k.Store().Len(), gone)
		}
	}
}

// TestBucketHoldsGarbage: invalid entries are skipped and counted, and never replace a valid key. A
// key whose entry was overwritten can still be revoked. The log has no key and no hash of one.
func TestBucketHoldsGarbage(t *testing.T) {
	url := startNATS(t).url()
	var log locked.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	k := newKeeper(t, Config{URL: url, Log: logger}, KeysConfig{Copy: newCopy(t)}).run()
	eventually(t, "loaded", k.Loaded)
	key, made := k.issue()
	hidden, hiddenKey := k.issue()
	record, _ := k.Store().Record(made.ID)
	recordText, _ := json.Marshal(record)
	digest, _ := record.SHA256.MarshalText()
	kv := k.raw()
	foreign := newRecord(t)
	foreignText, _ := json.Marshal(foreign)
	thief := newRecord(t)
	thief.ID = made.ID
	thiefText, _ := json.Marshal(thief)
	garbage := [][2]string{
		{"note", "hello"}, {"key_aaaaaaaaaaaa", "{}"}, {"key_bbbbbbbbbbbb", string(foreignText)},
		{"a.b.c", "\xff\x00"},
		{"key_cccccccccccc", strings.Repeat("x", auth.MaxRecord+100)}, {"key_dddddddddddd", "null"},
		{hiddenKey.ID, "overwritten"},
		{"key_eeeeeeeeeeee", ""}, {"key_ffffffffffff", key}, {"foreign", string(digest)},
		{"key_gggggggggggg", string(recordText)}, {"key_hhhhhhhhhhhh", string(recordText[:len(recordText)-1])},
	}
	for _, g := range garbage {
		if _, err := kv.Put(t.Context(), g[0], []byte(g[1])); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := kv.Put(t.Context(), made.ID, thiefText); err != nil {
		t.Fatal(err)
	}
	eventually(t, "counted", func() bool {
		s := &k.Stats
		return s.Ignored.Load() == uint64(len(garbage)) && s.Conflicts.Load() == 1
	})
	if k.verdict(key) != auth.Accepted || k.verdict(hidden) != auth.Accepted || k.Store().Len() != 2 {
		t.Error("an invalid entry replaced a key")
	}
	k.revoke(hiddenKey.ID)
	if err := kv.Delete(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the deletion counted", func() bool { return k.Stats.Vanished.Load() == 1 })
	if k.verdict(key) != auth.Accepted {
		t.Error("a deleted entry removed a key")
	}
	k.revoke(made.ID)
	fresh := newKeeper(t, Config{URL: url}, KeysConfig{}).load()
	if fresh.verdict(key) != auth.Unknown || fresh.verdict(hidden) != auth.Unknown || fresh.Store().Len() != 2 {
		t.Errorf("a new replica knows %+v", fresh.Store().List())
	}
	said := log.String()
	for _, secret := range []string{key, key[5:], string(digest), fmt.Sprint([32]byte(record.SHA256))} {
		if !strings.Contains(said, "no key") || strings.Contains(said, secret) {
			t.Errorf("the damage is not in the log, or a secret is: %s", said)
		}
	}
}

// TestMissedEntryIsNoticed: an entry that the watch missed is found by comparison with the bucket.
func TestMissedEntryIsNoticed(t *testing.T) {
	url := startNATS(t).url()
	a := newKeeper(t, Config{URL: url}, quickKeys).load()
	key, made := a.issue()
	b := newKeeper(t, Config{URL: url}, quickKeys)
	var once sync.Once
	b.bucket.lose = func(e jetstream.KeyValueEntry) (lost bool) {
		if bytes.Contains(e.Value(), []byte(`"revoked":true`)) {
			once.Do(func() { lost = true })
		}
		return lost
	}
	b.run()
	b.is("accepted", key, auth.Accepted)
	a.revoke(made.ID)
	b.is("refused though the watch lost it", key, auth.Unknown)
	if b.Stats.Missed.Load() == 0 {
		t.Error("nothing was missed: the test tests nothing")
	}
}

// TestBucketReplaced: after the bucket is deleted and created again, replicas follow the new one
// and forget no key. Only Rebuild writes keys back into an external cluster.
func TestBucketReplaced(t *testing.T) {
	url := startNATS(t).url()
	k := newKeeper(t, Config{URL: url}, KeysConfig{Copy: newCopy(t)}).run()
	eventually(t, "loaded", k.Loaded)
	key, _ := k.issue()
	gone, goneKey := k.issue()
	k.revoke(goneKey.ID)
	deleteBucket(t, k.node, keysBucket)
	tool := newKeeper(t, Config{URL: url}, KeysConfig{}).load()
	next, _ := tool.issue()
	k.is("a key of the new bucket", next, auth.Accepted)
	if k.verdict(key) != auth.Accepted || k.verdict(gone) != auth.Unknown {
		t.Error("the keys of the old bucket are forgotten")
	}
	if tool = newKeeper(t, Config{URL: url}, KeysConfig{}).load(); tool.Store().Len() != 1 {
		t.Errorf("%d keys were restored without Rebuild", tool.Store().Len()-1)
	}
	held := auth.NewStore()
	if _, _, _, err := held.Read(k.cfg.Copy, 0); err != nil {
		t.Fatal(err)
	}
	put, err := tool.Rebuild(t.Context(), held)
	if err != nil || put != (PutBack{Keys: 2}) {
		t.Errorf("%+v %v", put, err)
	}
	tool = newKeeper(t, Config{URL: url}, KeysConfig{}).load()
	if put, err = tool.Rebuild(t.Context(), held); err != nil || put != (PutBack{}) {
		t.Errorf("again: %+v %v", put, err)
	}
	tool = newKeeper(t, Config{URL: url}, KeysConfig{}).load()
	if tool.verdict(key) != auth.Accepted || tool.verdict(gone) != auth.Unknown || tool.verdict(next) != auth.Accepted {
		t.Errorf("rebuilt: %+v", tool.Store().List())
	}
}

// TestCutOff: without contact to the cluster, keys are checked against the local copy for a while,
// and then not at all. After contact returns, a revocation made in the meantime takes effect.
func TestCutOff(t *testing.T) {
	srv := startNATS(t)
	cable := newLink(t, srv.addr())
	a := newKeeper(t, Config{URL: srv.url()}, quickKeys).run()
	b := newKeeper(t, Config{URL: cable.url()}, KeysConfig{MaxStale: 2 * time.Second}).run()
	eventually(t, "both loaded", func() bool { return a.Loaded() && b.Loaded() })
	key, made := a.issue()
	b.is("accepted", key, auth.Accepted)
	cable.dark.Store(true)
	cable.refuse.Store(true)
	if b.verdict(key) != auth.Accepted {
		t.Error("refused immediately, without the allowed time")
	}
	a.revoke(made.ID)
	b.is("not judged any more", key, auth.Unavailable)
	if _, _, err := b.Issue(t.Context(), "a@example.org", auth.Agent); !errors.Is(err, ErrDown) {
		t.Errorf("issued without the cluster: %v", err)
	}
	if err := b.Revoke(t.Context(), made.ID); !errors.Is(err, ErrDown) {
		t.Errorf("revoked without the cluster: %v", err)
	}
	cable.dark.Store(false)
	cable.refuse.Store(false)
	cable.cut()
	b.is("the revocation of the meantime", key, auth.Unknown)
	fresh, _ := b.issue()
	b.is("working again", fresh, auth.Accepted)
	a.is("and for the others", fresh, auth.Accepted)
}

// TestStartWithoutCluster: no key is accepted or rejected before the bucket has been read.
func TestStartWithoutCluster(t *testing.T) {
	srv := startNATS(t)
	first := newKeeper(t, Config{URL: srv.url()}, quickKeys).load()
	key, _ := first.issue()
	first.end()
	srv.stop()
	k := newKeeper(t, Config{URL: srv.url()}, KeysConfig{Copy: newCopy(t)}).run()
	if k.verdict(key) != auth.Unavailable || k.Loaded() {
		t.Error("a key got a verdict before the bucket was read")
	}
	if _, err := k.List(t.Context()); !errors.Is(err, ErrDown) {
		t.Errorf("keys were listed before the bucket was read: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := k.Load(ctx); !errors.Is(err, ErrDown) {
		t.Errorf("loaded: %v", err)
	}
	srv.start()
	k.is("found when the cluster is there", key, auth.Accepted)
	// After a restart of the server the replica continues to follow it.
	srv.stop()
	srv.start()
	tool := newKeeper(t, Config{URL: srv.url()}, quickKeys)
	eventually(t, "the tool reaches it", func() bool { return tool.Load(t.Context()) == nil })
	next, _ := tool.issue()
	k.is("followed after a restart of the server", next, auth.Accepted)
}

// TestStartWithACopy: a replica that starts without the cluster judges by its copy for a while. A revocation that
// the cluster has lost meanwhile stays in force.
func TestStartWithACopy(t *testing.T) {
	srv := startNATS(t)
	kept := newCopy(t)
	first := newKeeper(t, Config{URL: srv.url()}, KeysConfig{Copy: kept}).load()
	good, _ := first.issue()
	gone, goneKey := first.issue()
	first.revoke(goneKey.ID)
	first.end()
	srv.stop()
	k := newKeeper(t, Config{URL: srv.url()}, KeysConfig{Copy: kept, MaxStale: 3 * time.Second}).run()
	if !k.Loaded() || k.verdict(good) != auth.Accepted || k.verdict(gone) != auth.Unknown {
		t.Errorf("loaded %v, verdicts %d and %d", k.Loaded(), k.verdict(good), k.verdict(gone))
	}
	k.is("not judged any more", good, auth.Unavailable)
	srv.start()
	k.is("judged again", good, auth.Accepted)
	r, _ := k.Store().Record(goneKey.ID)
	r.Revoked = false
	text, _ := json.Marshal(r)
	if _, err := k.raw().Put(t.Context(), r.ID, text); err != nil {
		t.Fatal(err)
	}
	k.end()
	k = newKeeper(t, Config{URL: srv.url()}, KeysConfig{Copy: kept}).load()
	if k.verdict(gone) != auth.Unknown || k.verdict(good) != auth.Accepted {
		t.Error("a revocation that only the copy has is forgotten")
	}
}

func TestUsesAreWrittenDown(t *testing.T) {
	url := startNATS(t).url()
	cfg := KeysConfig{Flush: 30 * time.Millisecond}
	a, b := newKeeper(t, Config{URL: url}, cfg), newKeeper(t, Config{URL: url}, cfg)
	a.load()
	key, made := a.issue()
	_, idle := a.issue()
	a.run()
	b.run()
	eventually(t, "b knows the key", func() bool { _, ok := b.Store().Record(idle.ID); return ok })
	use := func(k *keeper, at time.Time) { k.Store().Lookup([]byte("Bearer "+key), at) }
	tool := newKeeper(t, Config{URL: url}, KeysConfig{}).load()
	last := func() time.Time {
		list, err := tool.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range list {
			if l.ID == idle.ID && l.LastUsed != nil {
				t.Error("a use is recorded without a request")
			}
			if l.ID == made.ID && l.LastUsed != nil {
				return *l.LastUsed
			}
		}
		return time.Time{}
	}
	now := time.Now().UTC().Truncate(time.Minute)
	use(a, now.Add(-10*time.Minute))
	eventually(t, "written", func() bool { return last().Equal(now.Add(-10 * time.Minute)) })
	var at reading
	if _, err := tool.uses.read(t.Context(), &at); err != nil {
		t.Fatal(err)
	}
	use(a, now.Add(-10*time.Minute))
	time.Sleep(10 * cfg.Flush)
	if n, err := tool.uses.read(t.Context(), &at); len(n.entries) > 0 || err != nil {
		t.Errorf("written without a new use: %v, %v", n.entries, err)
	}
	use(b, now)
	eventually(t, "the use on another replica", func() bool { return last().Equal(now) })
	// Invalid entries that someone else wrote have no effect.
	for name, value := range map[string]string{"x": "y", idle.ID: "not a time", made.ID: "9999-01-01T00:00:00Z"} {
		kv, err := tool.uses.open(t.Context())
		if err == nil {
			_, err = kv.Put(t.Context(), name, []byte(value))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	last()
	// Uses that are not written yet are written on shutdown.
	late := newKeeper(t, Config{URL: url}, KeysConfig{Flush: time.Hour}).load().run()
	use(late, now.Add(time.Minute))
	late.stop()
	eventually(t, "written at the end", func() bool { return last().Equal(now.Add(time.Minute)) })
}
