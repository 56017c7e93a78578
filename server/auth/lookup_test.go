package auth

import (
	"encoding/json"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ballast/internal/race"
)

func TestLookupAllocs(t *testing.T) {
	if race.Enabled {
		t.Skip("under the race detector pools drop objects")
	}
	s := NewStore()
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

// In any minute the bucket lets through its limit plus one initial burst at most, and the time
// returned by Wait is exact.
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
	if _, ok := g.Refused(netip.MustParseAddr("192.0.2.2"), now); !ok {
		t.Error("another address is refused")
	}
	if q, ok := g.Refused(a, now); ok || q.Wait <= 0 {
		t.Errorf("%+v", q)
	}
	if _, ok := g.Refused(a, now+int64(time.Minute)); !ok {
		t.Error("the address is still refused a minute later")
	}
	if _, ok := g.Refused(netip.Addr{}, now); !ok {
		t.Error("no address is refused")
	}
	if _, ok := NewGuesses(0).Refused(a, now); !ok {
		t.Error("refused although the limit is off")
	}
	// Very many addresses neither grow the table without limit nor cause an error.
	for i := range 50_000 {
		g.Refused(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), now)
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add([]byte(`{"id":"key_abcdefghijkl","email":"e@x.org","sha256":"` + strings.Repeat("0a", 32) +
		`","created":"2026-01-01T00:00:00Z","revoked":false}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ParseRecord(b)
		if err != nil {
			return
		}
		s := NewStore()
		if _, refused := s.Merge(r); refused != 0 || s.Len() != 1 {
			t.Error("a checked record is refused")
		}
		again, _ := json.Marshal(r)
		if back, err := ParseRecord(again); err != nil || !back.Created.Equal(r.Created) || back.SHA256 != r.SHA256 {
			t.Errorf("does not survive a round trip: %v", err)
		}
	})
}

func FuzzBearer(f *testing.F) {
	f.Add([]byte("Bearer abc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		token, ok := bearer(b)
		if ok && (len(token) == 0 || !strings.HasSuffix(string(b), string(token)) || strings.ContainsAny(string(token),
			" \t\r\n\x00")) {
			t.Errorf("%q: token %q", b, token)
		}
	})
}
