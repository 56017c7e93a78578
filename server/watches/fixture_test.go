package watches

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ballast/server/alerts"
	"ballast/server/webhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	aWallet = "0x00000000000000000000000000000000000000aa"
	another = "0x00000000000000000000000000000000000000bb"
	aURL    = "https://one.example/hook"
)

// world is a market that gives results, and receivers that take posts.
type world struct {
	t testing.TB

	mu     sync.Mutex
	score  map[string]float64 // of the one position, by wallet; missing: no position
	regime uint8
	fail   error         // of the calls
	down   error         // of the posts
	slow   time.Duration // of the posts
	calls  []string      // wallet and key
	got    []post
	tries  []time.Time // of posts
}

// post is what a receiver has taken.
type post struct {
	url, id string
	Type    string
	Data    struct {
		AlertType string `json:"alert_type"`
		Asset     *string
		Severity  string
		Since     string
		Current   *float64 `json:"current_value"`
	}
}

func newWorld(t testing.TB) *world { return &world{t: t, score: map[string]float64{}} }

// set changes the world.
func (w *world) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

func (w *world) check(wallet, key string, _ bool) (*alerts.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, wallet+" "+key)
	if w.fail != nil {
		return nil, w.fail
	}
	r := &alerts.Result{Wallet: wallet, AtMs: time.Now().UnixMilli()}
	if score, ok := w.score[wallet]; ok {
		r.Positions = []alerts.Position{{Asset: "SOL", RiskScore: score, LiquidationDistancePct: 50, HasRegime: true,
			Regime: w.regime}}
	}
	return r, nil
}

func (w *world) post(ctx context.Context, to *webhook.Target, id string, body []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tries = append(w.tries, time.Now())
	if w.slow > 0 && to.URL == aURL {
		pause := time.After(w.slow)
		w.mu.Unlock()
		select {
		case <-pause:
		case <-ctx.Done():
		}
		w.mu.Lock()
		return errors.New("too slow")
	}
	if w.down != nil {
		return w.down
	}
	p := post{url: to.URL, id: id}
	if err := json.Unmarshal(body, &p); err != nil {
		w.t.Errorf("%v: %s", err, body)
	}
	w.got = append(w.got, p)
	return nil
}

// asked returns the calls until now, tried the times of the posts.
func (w *world) asked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.calls)
}

func (w *world) tried() []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.tries)
}

// told returns what the receivers have taken: type, kind and severity of each.
func (w *world) told() (all []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.got {
		all = append(all, fmt.Sprintf("%s %s %s", p.Type, p.Data.AlertType, p.Data.Severity))
	}
	return all
}

// want compares what was told.
func (w *world) want(what string, want ...string) {
	w.t.Helper()
	if got := w.told(); !slices.Equal(got, want) {
		w.t.Errorf("%s: told %q, want %q", what, got, want)
	}
}

// book returns a book that posts to the world.
func (w *world) book(s Store) *Book {
	return New(Config{Store: s, Post: w.post, Log: slog.New(slog.DiscardHandler), AllowPrivate: true})
}

// run runs a book until stop.
func (w *world) run(b *Book) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { b.Run(ctx, w.check) })
	synctest.Wait() // it has begun
	stop = func() {
		cancel()
		running.Wait()
	}
	return stop
}

// watch sets a watch.
func (w *world) watch(b *Book, key, wallet, url string) *Record {
	w.t.Helper()
	r, _, err := b.Put(context.Background(), ID{key, wallet},
		&alerts.WatchConfig{EveryS: 10, Thresholds: alerts.DefaultThresholds(), URL: url})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// passes lets virtual time pass, and waits until nothing is left to do.
func passes(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
