package replicas

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

func wallet(i int) string { return fmt.Sprintf("0x%040x", i) }

type states = map[string]uint8

// exchange calls Exchange, and fails the test on an error.
func exchange(t testing.TB, r *Regimes, w string, now states) states {
	t.Helper()
	old, err := r.Exchange(t.Context(), w, now)
	if err != nil {
		t.Fatal(err)
	}
	return old
}

func want(t testing.TB, what string, got, want states) {
	t.Helper()
	if (got == nil) != (want == nil) || !maps.Equal(got, want) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

func TestRegimesAreSharedByReplicas(t *testing.T) {
	s := startNATS(t)
	a, b := openNode(t, Config{URL: s.url()}).NewRegimes(), openNode(t, Config{URL: s.url()}).NewRegimes()
	want(t, "first call", exchange(t, a, wallet(1), states{"BTC": 0, "ETH": 2}), nil)
	want(t, "other replica", exchange(t, b, wallet(1), states{"BTC": 1, "ETH": 2}), states{"BTC": 0, "ETH": 2})
	want(t, "back", exchange(t, a, wallet(1), states{"BTC": 1}), states{"BTC": 1, "ETH": 2})
	want(t, "a closed position is forgotten", exchange(t, b, wallet(1), states{}), states{"BTC": 1})
	want(t, "an empty book is known", exchange(t, a, wallet(1), states{"BTC": 2}), states{})
	want(t, "another wallet", exchange(t, b, wallet(2), states{"BTC": 2}), nil)
	kv, err := a.bucket.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, before, _ := get(t.Context(), kv, wallet(1))
	for range 5 {
		want(t, "unchanged", exchange(t, a, wallet(1), states{"BTC": 2}), states{"BTC": 2})
	}
	if _, revision, err := get(t.Context(), kv, wallet(1)); err != nil || revision != before {
		t.Fatalf("revision %d after %d: written without a change (%v)", revision, before, err)
	}
}

// Each state is returned as the previous one exactly once over all replicas, in any order of
// concurrent calls. Otherwise a shift would be reported twice or not at all.
func TestRegimeConflicts(t *testing.T) {
	s := startNATS(t)
	var replicas []*Regimes
	for range 3 {
		replicas = append(replicas, openNode(t, Config{URL: s.url()}).NewRegimes())
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[uint8]int{}
	assets := make([]string, 100)
	for i := range assets {
		assets[i] = fmt.Sprintf("A%d", i)
	}
	// Nine exchanges, each with a different number of assets, which identifies the state.
	for i := range 9 {
		wg.Go(func() {
			now := states{}
			for _, a := range assets[:i+1] {
				now[a] = 1
			}
			for {
				old, err := replicas[i%3].Exchange(context.Background(), wallet(1), now)
				if err != nil {
					continue // too many conflicts: nothing was written
				}
				mu.Lock()
				seen[uint8(len(old))]++
				mu.Unlock()
				return
			}
		})
	}
	wg.Wait()
	last := len(exchange(t, replicas[0], wallet(1), states{}))
	seen[uint8(last)]++
	for i := range uint8(10) {
		if seen[i] != 1 {
			t.Fatalf("the book with %d assets was the previous one %d times: %v", i, seen[i], seen)
		}
	}
}

func TestRegimesWithoutServer(t *testing.T) {
	s := startNATS(t)
	wire := newLink(t, s.addr())
	a, b := openNode(t, Config{URL: wire.url()}), openNode(t, Config{URL: s.url()})
	ra, rb := a.NewRegimes(), b.NewRegimes()
	exchange(t, ra, wallet(1), states{"BTC": 0})
	exchange(t, ra, wallet(2), states{"BTC": 0})
	wire.refuse.Store(true)
	wire.cut()
	eventually(t, "away", func() bool { return !a.Connected() })

	alone := func(w string, now, before states) {
		t.Helper()
		begin := time.Now()
		old, err := ra.Exchange(t.Context(), w, now)
		if !errors.Is(err, ErrDown) {
			t.Fatalf("exchange said %v", err)
		}
		if d := time.Since(begin); d > 2*time.Second {
			t.Fatalf("exchange took %v", d)
		}
		want(t, "alone", old, before)
	}
	alone(wallet(1), states{"BTC": 2}, states{"BTC": 0})
	alone(wallet(1), states{"BTC": 2}, states{"BTC": 2})
	alone(wallet(2), states{"BTC": 2}, states{"BTC": 0})
	alone(wallet(3), states{"BTC": 2}, nil)
	exchange(t, rb, wallet(2), states{"BTC": 1})
	if n := ra.Failures.Load(); n != 4 {
		t.Fatalf("%d exchanges alone", n)
	}

	wire.refuse.Store(false)
	eventually(t, "back", a.Connected)
	want(t, "what was seen alone counts", exchange(t, ra, wallet(1), states{"BTC": 2}), states{"BTC": 2})
	want(t, "and the others learn of it", exchange(t, rb, wallet(1), states{"BTC": 2}), states{"BTC": 2})
	want(t, "a newer one of another replica wins", exchange(t, ra, wallet(2), states{"BTC": 2}), states{"BTC": 1})
	want(t, "a wallet that is new to the bucket", exchange(t, ra, wallet(3), states{"BTC": 2}), states{"BTC": 2})
}

// When the server does not answer, an exchange ends within its time limit.
func TestRegimesInTheDark(t *testing.T) {
	wire := newLink(t, startNATS(t).addr())
	timing := hasty
	timing.Ping = time.Minute
	r := openNode(t, Config{URL: wire.url(), Timing: timing}).NewRegimes()
	exchange(t, r, wallet(1), states{"BTC": 1})
	wire.dark.Store(true)
	begin := time.Now()
	old, err := r.Exchange(t.Context(), wallet(1), states{"BTC": 2})
	if err == nil || time.Since(begin) > 10*time.Second {
		t.Fatalf("%v after %v", err, time.Since(begin))
	}
	want(t, "own memory", old, states{"BTC": 1})
}

func TestRegimeGarbage(t *testing.T) {
	n := openNode(t, Config{URL: startNATS(t).url()})
	r := n.NewRegimes()
	exchange(t, r, wallet(0), nil)
	kv, err := n.js.KeyValue(t.Context(), regimeBucket)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"", "null", "{", `{"BTC":3}`, `{"BTC":-1}`, `{"BTC":"1"}`} {
		if _, err := kv.PutString(t.Context(), wallet(i+1), text); err != nil {
			t.Fatal(err)
		}
		want(t, text, exchange(t, r, wallet(i+1), states{"BTC": 1}), nil)
		want(t, "overwritten", exchange(t, r, wallet(i+1), states{"BTC": 1}), states{"BTC": 1})
	}
	if err := kv.Delete(t.Context(), wallet(1)); err != nil {
		t.Fatal(err)
	}
	want(t, "deleted by hand", exchange(t, r, wallet(1), states{"BTC": 2}), nil)
	want(t, "written again", exchange(t, r, wallet(1), states{"BTC": 2}), states{"BTC": 2})
}

func TestDeletedRegimeBucketIsRecreated(t *testing.T) {
	n := openNode(t, Config{URL: startNATS(t).url()})
	r := n.NewRegimes()
	exchange(t, r, wallet(1), states{"BTC": 1})
	deleteBucket(t, n, regimeBucket)
	if old, err := r.Exchange(t.Context(), wallet(1), states{"BTC": 1}); err == nil {
		t.Fatal("an exchange with a deleted bucket succeeded")
	} else {
		want(t, "own memory", old, states{"BTC": 1})
	}
	want(t, "new bucket", exchange(t, r, wallet(2), states{"BTC": 1}), nil)
	want(t, "new bucket", exchange(t, r, wallet(2), states{"BTC": 1}), states{"BTC": 1})
}

func TestRegimesRefuseMalformedWallets(t *testing.T) {
	r := openNode(t, Config{URL: reserveNATS(t).url()}).NewRegimes()
	for _, w := range []string{"", "0x", "*", ">", strings.ToUpper(wallet(1)), wallet(10)[:40] + "A0", "a.b"} {
		if _, err := r.Exchange(t.Context(), w, nil); errors.Is(err, ErrDown) {
			t.Errorf("wallet %q accepted", w)
		}
	}
}

func TestRecent(t *testing.T) {
	r := recent[int]{limit: 10}
	for i := range 95 {
		r.put(wallet(i), i)
		for kept := max(0, i-9); kept <= i; kept++ {
			if v, ok := r.get(wallet(kept)); !ok || v != kept {
				t.Fatalf("%d of the newest 10 after %d: %d, %v", kept, i, v, ok)
			}
		}
		if n := len(r.young) + len(r.old); n > 20 {
			t.Fatalf("%d are remembered", n)
		}
	}
}

func TestBucketsAreMadeByManyAtOnce(t *testing.T) {
	s := startNATS(t)
	var wg sync.WaitGroup
	for range 6 {
		n := openNode(t, Config{URL: s.url()})
		wg.Go(func() {
			cfg := jetstream.KeyValueConfig{Bucket: "race", MaxBytes: 1 << 20}
			if _, err := n.Bucket(context.Background(), cfg); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
