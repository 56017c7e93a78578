package auth

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func issue(t testing.TB, s *Store, email string) (string, Key) {
	t.Helper()
	key, k, err := s.Issue(email)
	if err != nil {
		t.Fatal(err)
	}
	return key, k
}

func verdict(s *Store, key string) Verdict {
	_, v := s.Lookup([]byte("Bearer "+key), time.Now())
	return v
}

func run(t testing.TB, s *Store) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { s.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
}

// soon waits up to the second within which a change must take effect.
func soon(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Errorf("not within a second: %s", what)
}

func TestKeyForm(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		k := newKey()
		if len(k) != 45 || !strings.HasPrefix(k, "blst_") || strings.Trim(k[5:], base62) != "" || !WellFormed(k) || seen[k] {
			t.Fatalf("key %q", k)
		}
		seen[k] = true
	}
	k := []byte(newKey())
	for i := 5; i < len(k); i++ {
		old := k[i]
		k[i] = base62[(strings.IndexByte(base62, old)+1)%62]
		if WellFormed(string(k)) {
			t.Errorf("a change of character %d keeps the checksum", i)
		}
		k[i] = old
	}
	for _, bad := range []string{"", "blst_", string(k[:44]), string(k) + "0", "BLST_" + string(k[5:])} {
		if WellFormed(bad) {
			t.Errorf("%q is well formed", bad)
		}
	}
}

func TestRandomCharactersAreUniform(t *testing.T) {
	var count [128]int
	const n = 62 * 2000
	for _, c := range appendRandom62(nil, n) {
		count[c]++
	}
	chi2 := 0.0
	for _, c := range base62 {
		d := float64(count[c]) - 2000
		chi2 += d * d / 2000
	}
	if chi2 > 61+6*11.05 { // mean 61, sd sqrt(2*61): six of them
		t.Errorf("chi-square %v", chi2)
	}
}

func TestBearer(t *testing.T) {
	for _, row := range []struct {
		header string
		token  string // "" when malformed
	}{
		{"Bearer abc", "abc"}, {"bearer abc", "abc"}, {"BEARER abc", "abc"}, {"bEaReR   abc", "abc"},
		{"", ""}, {"Bearer", ""}, {"Bearer ", ""}, {"Bearer    ", ""}, {"Bearerabc", ""}, {"Bearer\tabc", ""}, {"Bearer \tabc", ""},
		{"Bearer abc def", ""}, {"Bearer abc ", ""}, {"Basic abc", ""}, {"Token abc", ""}, {"abc", ""}, {" Bearer abc", ""},
		{"Bearer ab\x00c", ""}, {"Bearer ab\x7f", ""}, {"Bearer \xc3\xa9", ""}, {"Bearer a,Bearer b", ""}, {"Bearer a,b", "a,b"},
		{"\x02earer abc", ""}, {"Bearer " + strings.Repeat("x", 8000), strings.Repeat("x", 8000)},
	} {
		token, ok := bearer([]byte(row.header))
		if ok != (row.token != "") || (ok && string(token) != row.token) {
			t.Errorf("%.40q: %.40q %v", row.header, token, ok)
		}
	}
}

func TestIssueListRevoke(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	s := open(t, path)
	if verdict(s, newKey()) != Unknown || s.Len() != 0 {
		t.Error("an empty store knows a key")
	}
	key, k := issue(t, s, "a@example.org")
	other, _ := issue(t, s, "a@example.org")
	if key == other || verdict(s, key) != Accepted || verdict(s, other) != Accepted {
		t.Error("issued keys are not accepted")
	}
	if caller, _ := s.Lookup([]byte("bearer  "+key), time.Now()); caller.ID != k.ID {
		t.Errorf("id %q, want %q", caller.ID, k.ID)
	}
	for _, wrong := range []string{key[:44], key + "x", strings.ToUpper(key), strings.Repeat("k", 513), newKey()} {
		if verdict(s, wrong) != Unknown {
			t.Errorf("%q accepted", wrong)
		}
	}
	if _, v := s.Lookup([]byte(key), time.Now()); v != Malformed {
		t.Error("a key without a scheme is not malformed")
	}
	if err := s.Revoke(k.ID); err != nil {
		t.Fatal(err)
	}
	if verdict(s, key) != Unknown || verdict(s, other) != Accepted {
		t.Error("the wrong key was revoked")
	}
	if err := s.Revoke(k.ID); err != nil {
		t.Error("revoking twice:", err)
	}
	if err := s.Revoke("key_nope"); !errors.Is(err, ErrNoSuchKey) {
		t.Error(err)
	}
	keys, err := s.List()
	if err != nil || len(keys) != 2 || keys[0].ID != k.ID || !keys[0].Revoked || keys[1].Revoked || keys[0].Email != "a@example.org" {
		t.Errorf("%+v %v", keys, err)
	}
	for _, bad := range []string{"", "a", "a@", "a@b\r\nBcc: c@d", "A <a@b.c>", "a b@c.d", strings.Repeat("a", 260) + "@b.c"} {
		if _, _, err := s.Issue(bad); !errors.Is(err, ErrBadEmail) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	// What is on disk never holds a key and nobody else may read it.
	b, _ := os.ReadFile(path)
	if strings.Contains(string(b), key[5:]) || strings.Contains(string(b), "blst_") {
		t.Error("the file holds a key")
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	// A restart knows what was acknowledged.
	if s = open(t, path); verdict(s, key) != Unknown || verdict(s, other) != Accepted {
		t.Error("lost over a restart")
	}
}

func TestOtherProcessesAreSeenWithinASecond(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	service := open(t, path)
	run(t, service)
	tool := open(t, path)
	key, k := issue(t, tool, "a@example.org")
	soon(t, "issued key accepted", func() bool { return verdict(service, key) == Accepted })
	for i := range 5 { // issue and revoke in quick succession may reuse an inode
		issue(t, tool, "b@example.org")
		if i == 3 {
			if err := tool.Revoke(k.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	soon(t, "revoked key refused", func() bool { return verdict(service, key) == Unknown })
	soon(t, "all keys seen", func() bool { return service.Len() == 6 })
}

func TestConcurrentWritersLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	var wg sync.WaitGroup
	var mu sync.Mutex
	var all []string
	for range 6 {
		wg.Go(func() {
			s := open(t, path)
			for range 5 {
				key, _, err := s.Issue("a@example.org")
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				all = append(all, key)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	s := open(t, path)
	for _, key := range all {
		if verdict(s, key) != Accepted {
			t.Error("an acknowledged key was lost")
		}
	}
	if s.Len() != 30 {
		t.Errorf("%d keys", s.Len())
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.tmp")); left != nil {
		t.Errorf("left over: %v", left)
	}
}

func TestSpoiledFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	s := open(t, path)
	key, k := issue(t, s, "a@example.org")
	run(t, s)
	good, _ := os.ReadFile(path)
	spoil := func(name string, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		soon(t, name+" noticed", func() bool { return s.Err() != nil })
		if verdict(s, key) != Accepted {
			t.Errorf("%s: the last good table is gone", name)
		}
		if _, _, err := s.Issue("b@example.org"); err == nil {
			t.Errorf("%s: written over", name)
		}
		if err := s.Revoke(k.ID); err == nil {
			t.Errorf("%s: written over", name)
		}
		if _, err := Open(path); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	spoil("empty file", nil)
	spoil("half a file", good[:len(good)/2])
	spoil("text behind", append(good[:len(good):len(good)], "{}"...))
	os.Remove(path)
	soon(t, "absence noticed", func() bool { return errors.Is(s.Err(), errVanished) })
	if _, _, err := s.Issue("b@example.org"); !errors.Is(err, errVanished) {
		t.Error("an empty store was begun over a vanished one:", err)
	}
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	soon(t, "repair", func() bool { return s.Err() == nil && verdict(s, key) == Accepted })

	// However much of the file is lost, none of it is taken for the whole.
	for n := range len(good) - 2 {
		if _, err := parseFile(good[:n]); err == nil {
			t.Fatalf("%d of %d bytes were accepted", n, len(good))
		}
	}
	entry := `{"id":"a","sha256":"` + strings.Repeat("0", 64) + `"}`
	for _, bad := range []string{
		`{"version":2,"keys":[]}`, `{"version":1,"keys":[{"id":"a","sha256":"00"}]}`, `{"version":1,"keys":[{"id":""}]}`, `[]`, `null`,
		`{"version":1,"keys":[],"more":1}`,
		`{"version":1,"keys":[` + entry + `,` + entry + `]}`,
	} {
		if _, err := parseFile([]byte(bad)); err == nil {
			t.Errorf("accepted %s", bad)
		}
	}
}

func TestLastUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	s := open(t, path)
	key, _ := issue(t, s, "a@example.org")
	before, _ := stampOf(path)
	if err := s.writeLastUsed(); err != nil {
		t.Fatal(err)
	}
	if after, _ := stampOf(path); after != before {
		t.Error("written without need")
	}
	at := time.Date(2026, 11, 21, 10, 30, 45, 0, time.UTC)
	s.Lookup([]byte("Bearer "+key), at)
	if err := s.writeLastUsed(); err != nil {
		t.Fatal(err)
	}
	keys, _ := s.List()
	if keys[0].LastUsed == nil || !keys[0].LastUsed.Equal(at.Truncate(time.Minute)) {
		t.Errorf("last used %v", keys[0].LastUsed)
	}
	if s = open(t, path); s.anyUsed() {
		t.Error("a fresh process has news")
	}
}

func TestLookupAllocs(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "keys.json"))
	key, _ := issue(t, s, "a@example.org")
	good, bad := []byte("Bearer "+key), []byte("Bearer "+newKey())
	now := time.Now()
	if n := testing.AllocsPerRun(100, func() {
		caller, v := s.Lookup(good, now)
		if v != Accepted {
			t.Fatal("refused")
		}
		caller.Take(now.UnixNano(), 1_000_000_000)
		s.Lookup(bad, now)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Over any minute and a burst at its beginning the bucket lets through its limit, and
// Wait is exact.
func TestBucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 1000).Draw(t, "limit")
		var b bucket
		now := int64(1e18)
		var passed []int64
		for range rapid.IntRange(1, 400).Draw(t, "n") {
			now += rapid.Int64Range(0, int64(2*time.Minute)/int64(limit)).Draw(t, "gap")
			q, ok := b.take(now, limit)
			if ok {
				passed = append(passed, now)
			} else {
				probe := bucket{}
				probe.due.Store(b.due.Load())
				if _, early := probe.take(now+int64(q.Wait)-1, limit); early {
					t.Fatal("let through before Wait was over")
				}
				if _, ok := probe.take(now+int64(q.Wait), limit); !ok {
					t.Fatal("refused after Wait")
				}
			}
			if q.Remaining < 0 || q.Remaining > limit || q.Reset < 0 || q.Reset > time.Minute {
				t.Fatalf("%+v", q)
			}
		}
		for i := range passed {
			n := 0
			for _, at := range passed[i:] {
				if at < passed[i]+int64(time.Minute) {
					n++
				}
			}
			if n > 2*limit {
				t.Fatalf("%d within a minute, limit %d", n, limit)
			}
		}
	})
	var b bucket
	for i := range 61 {
		if q, ok := b.take(1e18, 60); ok != (i < 60) || (ok && q.Remaining != 59-i) {
			t.Errorf("request %d: %+v %v", i, q, ok)
		}
	}
}

func TestBucketIsAtomic(t *testing.T) {
	var b bucket
	var wg sync.WaitGroup
	passed := make([]int, 8)
	for g := range passed {
		wg.Go(func() {
			for range 500 {
				if _, ok := b.take(1e18, 1000); ok {
					passed[g]++
				}
			}
		})
	}
	wg.Wait()
	total := 0
	for _, n := range passed {
		total += n
	}
	if total != 1000 {
		t.Errorf("%d let through, limit 1000", total)
	}
}

func TestGuesses(t *testing.T) {
	g := NewGuesses(600)
	a := netip.MustParseAddr("192.0.2.1")
	now := int64(1e18)
	for i := range 700 {
		if _, ok := g.Refused(a, now); ok != (i < 600) {
			t.Fatalf("guess %d: %v", i, ok)
		}
	}
	if _, ok := g.Refused(netip.MustParseAddr("::ffff:192.0.2.1"), now); ok {
		t.Error("the same address in another form has its own allowance")
	}
	if _, ok := g.Refused(netip.MustParseAddr("192.0.2.2"), now); !ok {
		t.Error("another address is refused")
	}
	if q, ok := g.Refused(a, now); ok || q.Wait <= 0 {
		t.Errorf("%+v", q)
	}
	if _, ok := g.Refused(a, now+int64(time.Minute)); !ok {
		t.Error("refused for ever")
	}
	six := netip.MustParseAddr("2001:db8::1")
	for range 600 {
		g.Refused(six, now)
	}
	if _, ok := g.Refused(netip.MustParseAddr("2001:db8::ffff:1"), now); ok {
		t.Error("a neighbour in the same /64 has its own allowance")
	}
	if _, ok := g.Refused(netip.Addr{}, now); !ok {
		t.Error("no address is refused")
	}
	if _, ok := NewGuesses(0).Refused(a, now); !ok {
		t.Error("refused though off")
	}
	// A flood of addresses does not grow the table, nor fail.
	for i := range 50_000 {
		g.Refused(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), now)
	}
}

func FuzzParseFile(f *testing.F) {
	f.Add([]byte(`{"version":1,"keys":[{"id":"a","email":"e","created":"2026-01-01T00:00:00Z","last_used":null,"revoked":false,"sha256":"` + strings.Repeat("0", 64) + `"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if file, err := parseFile(b); err == nil {
			newTable(file, nil).find([]byte("blst_x"))
		}
	})
}

func FuzzBearer(f *testing.F) {
	f.Add([]byte("Bearer abc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		token, ok := bearer(b)
		if ok && (len(token) == 0 || !strings.HasSuffix(string(b), string(token)) || strings.ContainsAny(string(token), " \t\r\n\x00")) {
			t.Errorf("%q: token %q", b, token)
		}
	})
}

func BenchmarkLookup(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "keys.json"))
	key, _ := issue(b, s, "a@example.org")
	header := []byte("Bearer " + key)
	now := time.Now()
	for b.Loop() {
		s.Lookup(header, now)
	}
}
