package replicas

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"ballast/server/alerts"
	"ballast/server/watches"
	"ballast/server/webhook"
)

// watched is a market and a receiver that several replicas share.
type watched struct {
	mu    sync.Mutex
	score float64
	calls []string // names of the replicas that called
	told  []string // types of the events, in order, each id once
	ids   map[string]int
}

func (w *watched) set(score float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.score = score
}

func (w *watched) heard() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.told)
}

func (w *watched) post(_ context.Context, _ *webhook.Target, id string, body []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var event struct{ Type string }
	if err := json.Unmarshal(body, &event); err != nil {
		return err
	}
	if w.ids[id]++; w.ids[id] == 1 {
		w.told = append(w.told, event.Type)
	}
	return nil
}

// watcher is the part of a replica that watches.
type watcher struct {
	*Watches
	book *watches.Book
	stop func()
}

// newWatcher runs a replica that watches.
func newWatcher(t testing.TB, url, name string, w *watched) *watcher {
	t.Helper()
	n := openNode(t, Config{URL: url, Timing: hasty})
	store := n.NewWatches()
	store.lease.ttl = shortLease
	book := watches.New(watches.Config{Store: store, Held: store.Held, Post: w.post, Log: testLog(t),
		AllowPrivate: true, ShareEvery: time.Millisecond})
	stopFollow := running(t, func(ctx context.Context) { store.Run(ctx, book) })
	stopBook := running(t, func(ctx context.Context) {
		book.Run(ctx, func(wallet, _ string, _ bool) (*alerts.Result, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.calls = append(w.calls, name)
			return &alerts.Result{Wallet: wallet, AtMs: time.Now().UnixMilli(), Positions: []alerts.Position{
				{Asset: "BTC", RiskScore: w.score, LiquidationDistancePct: 50}}}, nil
		})
	})
	return &watcher{Watches: store, book: book, stop: func() {
		stopBook()
		stopFollow()
	}}
}

// set sets a watch, whose next call is then due.
func (w *watcher) set(t testing.TB, wallet string) {
	t.Helper()
	eventually(t, "a watch is set", func() bool {
		_, _, err := w.book.Put(t.Context(), watches.ID{Key: "key_a", Wallet: wallet},
			&alerts.WatchConfig{EveryS: 10, Thresholds: alerts.DefaultThresholds(), URL: "http://hook.example/"})
		return err == nil
	})
}

// TestWatchesOfReplicas: one replica at a time makes the calls; when it ends another goes on, with what stands and what
// waits, so that begin, turn and end are told once. What one sets all have, and each removes.
func TestWatchesOfReplicas(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	w := &watched{score: 75, ids: map[string]int{}}
	a := newWatcher(t, s.url(), "a", w)
	eventually(t, "a holds the lease", a.Held)
	b := newWatcher(t, s.url(), "b", w)
	b.set(t, aWallet) // on the one that does not make the calls
	eventually(t, "the begin is told", func() bool { return slices.Equal(w.heard(), []string{watches.Began}) })
	eventually(t, "b knows how the calls go", func() bool {
		got, ok := b.book.Get(watches.ID{Key: "key_a", Wallet: aWallet})
		return ok && !got.Calls.GoodAt.IsZero() && got.Posted == 1 && len(got.Standing) == 1
	})
	a.set(t, aWallet) // makes the next call due: the breach stands
	eventually(t, "a second call", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.calls) >= 2
	})
	a.stop()
	w.set(90)
	eventually(t, "b takes over and tells the turn", func() bool {
		return slices.Equal(w.heard(), []string{watches.Began, watches.TurnedCritical})
	})
	c := newWatcher(t, s.url(), "c", w)
	eventually(t, "c has the watch", func() bool { return len(c.book.Of("")) == 1 })
	w.set(10)
	b.set(t, aWallet)
	want := []string{watches.Began, watches.TurnedCritical, watches.Ended}
	eventually(t, "the end is told", func() bool { return slices.Equal(w.heard(), want) })
	w.mu.Lock()
	for id, n := range w.ids {
		if n != 1 {
			t.Errorf("%s was posted %d times", id, n)
		}
	}
	if slices.Contains(w.calls, "c") || w.calls[0] != "a" {
		t.Errorf("calls by %v", w.calls)
	}
	w.mu.Unlock()
	found, err := c.book.Remove(t.Context(), watches.ID{Key: "key_a", Wallet: aWallet})
	if !found || err != nil {
		t.Error(found, err)
	}
	eventually(t, "b lost the watch", func() bool { return len(b.book.Of("")) == 0 })
	c.set(t, aWallet)
	eventually(t, "b has it again", func() bool { return len(b.book.Of("")) == 1 })
}

// TestWatchesAtOnce: replicas that change one watch at the same time lose none of the changes.
func TestWatchesAtOnce(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	a, b := openNode(t, Config{URL: s.url()}).NewWatches(), openNode(t, Config{URL: s.url()}).NewWatches()
	id := watches.ID{Key: "key_a", Wallet: aWallet}
	const each = 50
	var wg sync.WaitGroup
	for _, store := range []*Watches{a, b} {
		wg.Go(func() {
			for range each {
				_, err := store.Edit(t.Context(), id, func(now *watches.Record) (*watches.Record, error) {
					next := &watches.Record{Key: id.Key, Wallet: id.Wallet}
					if now != nil {
						*next = *now
					}
					next.EveryS++
					return next, nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got, err := a.Edit(t.Context(), id, func(now *watches.Record) (*watches.Record, error) { return now, nil })
	if err != nil || got.EveryS != 2*each {
		t.Errorf("%+v %v", got, err)
	}
	refused := errors.New("no")
	_, err = b.Edit(t.Context(), id, func(*watches.Record) (*watches.Record, error) { return nil, refused })
	if err != refused {
		t.Errorf("%v", err)
	}
}

// TestWatchesWithoutNATS: a change fails at once while NATS is away, and no replica makes calls for longer than the
// lease.
func TestWatchesWithoutNATS(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	w := &watched{score: 10, ids: map[string]int{}}
	a := newWatcher(t, s.url(), "a", w)
	eventually(t, "a holds the lease", a.Held)
	a.set(t, aWallet)
	s.stop()
	eventually(t, "the lease ends", func() bool { return !a.Held() })
	eventually(t, "the loss of NATS is noticed", func() bool { return !a.n.Connected() })
	if _, err := a.book.Remove(t.Context(), watches.ID{Key: "key_a", Wallet: aWallet}); err == nil {
		t.Error("a watch was removed without NATS")
	}
	if a.book.Health().Trouble == "" {
		t.Error("it is not said that nothing can be kept")
	}
}
