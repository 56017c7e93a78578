package replicas

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/policy"
	"ballast/server/days"
)

// dayKeeper is the part of a replica that keeps account values.
type dayKeeper struct {
	*days.Book
	node  *Node
	db    *store.Main
	value atomic.Int64 // of the wallet, USD; 0: it cannot be read
	stop  func()
}

var loser = marketcache.Wallet{7}

func newDayKeeper(t *testing.T, url, dir string, value int64) *dayKeeper {
	t.Helper()
	db, err := store.OpenMain(dir)
	if err != nil {
		t.Fatal(err)
	}
	k := &dayKeeper{db: db, node: openNode(t, Config{URL: url, Timing: hasty})}
	k.value.Store(value)
	shared := NewDays(k.node)
	live := &policy.Live{}
	var rules policy.Rules
	rules.SetLimit(policy.MaxDailyLossPct, 10)
	rules.SetLimit(policy.MaxDrawdownPct, 90)
	live.SetTable(policy.NewTable(nil, map[marketcache.Wallet]*policy.Policy{loser: {Rules: rules, Revision: 1}}))
	nowMs := func() int64 { return time.Now().UnixMilli() }
	k.Book, err = days.New(days.Config{Live: live, Store: db, Tell: shared.Tell, NowMs: nowMs, Log: testLog(t),
		Read: func(_ context.Context, w marketcache.Wallet) (*marketcache.Account, error) {
			if usd := k.value.Load(); usd > 0 {
				return &marketcache.Account{Wallet: w, Mode: marketcache.ModeDisabled, VenueMs: nowMs(),
					CrossAccountValueUSD: float64(usd)}, nil
			}
			return nil, errors.New("cannot be read")
		},
		Flows: func(context.Context, *marketcache.Account, int64) ([]marketcache.Flow, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	shared.Adopt, shared.TellAll = k.Adopt, k.TellAll
	ends := []func(){running(t, shared.Run), running(t, k.Run)}
	k.stop = func() {
		for _, end := range ends {
			end()
		}
		k.node.Close()
		db.Close()
	}
	return k
}

// has waits until a replica's record has a peak and a number of halts.
func (k *dayKeeper) has(t *testing.T, what string, peak float64, halts int) {
	t.Helper()
	eventually(t, what, func() bool {
		day := k.Of(&loser)
		return day != nil && day.Peak.ValueUSD == peak && len(day.Halts) == halts
	})
}

// A halt that one replica sets, and the highest account value that any has seen, hold in all, also in one that could
// not read the wallet, after a restart, and when the bucket is gone. A lift holds in all.
func TestDaysAreShared(t *testing.T) {
	s := startNATS(t)
	dirs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "c")}
	a := newDayKeeper(t, s.url(), dirs[0], 1000)
	a.has(t, "a has a record", 1000, 0)
	b := newDayKeeper(t, s.url(), dirs[1], 0)
	b.has(t, "b has a's", 1000, 0)
	a.stop()
	a = newDayKeeper(t, s.url(), dirs[0], 800) // reads at once: a loss of 20 %
	a.has(t, "a is halted", 1000, 1)
	b.has(t, "b is halted", 1000, 1)
	b.stop()
	b = newDayKeeper(t, s.url(), dirs[1], 2000)
	b.has(t, "b after a restart, which has seen more", 2000, 1)
	a.has(t, "a has b's peak", 2000, 1)

	deleteBucket(t, a.node, daysConfig.Bucket)
	c := newDayKeeper(t, s.url(), dirs[2], 0)
	c.has(t, "c has what the others know", 2000, 1)
	a.value.Store(2000) // a loss would halt it again
	if found, err := c.Lift(loser, "an operator", time.Now()); !found || err != nil {
		t.Fatal(found, err)
	}
	for name, k := range map[string]*dayKeeper{"a": a, "b": b, "c": c} {
		eventually(t, name+" has no halt", func() bool { return len(k.Of(&loser).Halts) == 0 })
	}
	for _, k := range []*dayKeeper{a, b, c} {
		k.stop()
	}
}
