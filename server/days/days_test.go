package days

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"math"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/policy"
)

// one is the wallet of the tests.
var one = marketcache.Wallet{1}

// venue is a venue with one wallet.
type venue struct {
	mu       sync.Mutex
	value    float64
	flows    []marketcache.Flow
	err      error // of reading the wallet
	flowsErr error
	asked    int // times that flows were read
}

func (v *venue) set(change func(*venue)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	change(v)
}

func nowMs() int64 { return time.Now().UnixMilli() }

func (v *venue) read(_ context.Context, w marketcache.Wallet) (*marketcache.Account, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err != nil {
		return nil, v.err
	}
	return &marketcache.Account{
		Wallet: w, Mode: marketcache.ModeDisabled, CrossAccountValueUSD: v.value, VenueMs: nowMs(),
	}, nil
}

func (v *venue) ledger(_ context.Context, _ *marketcache.Account, sinceMs int64) (flows []marketcache.Flow, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked++
	for _, f := range v.flows {
		if f.AtMs > sinceMs {
			flows = append(flows, f)
		}
	}
	return flows, v.flowsErr
}

// disk is a store in memory.
type disk struct {
	mu     sync.Mutex
	rows   map[string]store.WalletDay
	events []store.Event
	full   bool
}

func (d *disk) WalletDays() (map[string]store.WalletDay, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.rows), nil
}

func (d *disk) PutWalletDays(days map[string]store.WalletDay, events []store.Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		return errors.New("disk full")
	}
	for w, row := range days {
		if row.Lifts >= d.rows[w].Lifts {
			d.rows[w] = row
		}
	}
	d.events = append(d.events, events...)
	return nil
}

func (d *disk) LiftHalts(wallet, _ string, _ time.Time, lift func(string) (string, error)) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	row, found := d.rows[wallet]
	if found {
		row.Record, _ = lift(row.Record)
		row.Lifts++
		d.rows[wallet] = row
	}
	return found, nil
}

// rules are a policy of one with limits on losses.
func rules(daily, drawdown float64) *policy.Table {
	var r policy.Rules
	r.SetLimit(policy.MaxDailyLossPct, daily)
	r.SetLimit(policy.MaxDrawdownPct, drawdown)
	return policy.NewTable(nil, map[marketcache.Wallet]*policy.Policy{one: {Rules: r, Revision: 1}})
}

// scene is a book that runs.
type scene struct {
	*Book
	t     *testing.T
	venue *venue
	disk  *disk
	live  *policy.Live
	end   func()
}

func start(t *testing.T, v *venue, d *disk, table *policy.Table) *scene {
	t.Helper()
	s := &scene{t: t, venue: v, disk: d, live: &policy.Live{}}
	s.live.SetTable(table)
	var err error
	s.Book, err = New(Config{Live: s.live, Store: d, Read: v.read, Flows: v.ledger, NowMs: nowMs,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	s.end = func() { cancel(); running.Wait() }
	return s
}

// losses are the figures of an answer that reads the same value, and how many halts there are.
func (s *scene) losses() (daily, drawdown float64, halts int) {
	synctest.Wait()
	f := policy.Facts{NowMs: nowMs(), AccountUSD: s.venue.value}
	for i := range f.Values {
		f.Values[i] = policy.NotKnown
	}
	f.Losses(s.Of(&one))
	return f.Values[policy.MaxDailyLossPct], f.Values[policy.MaxDrawdownPct], len(f.Halts)
}

func (s *scene) want(what string, daily, drawdown float64, halts int) {
	s.t.Helper()
	a, b, n := s.losses()
	same := func(x, y float64) bool { return math.Abs(x-y) < 1e-9 || math.IsNaN(x) && math.IsNaN(y) }
	if !same(a, daily) || !same(b, drawdown) || n != halts {
		s.t.Errorf("%s: %g, %g and %d halts, want %g, %g and %d", what, a, b, n, daily, drawdown, halts)
	}
}

func (s *scene) worth(value float64) { s.venue.set(func(v *venue) { v.value = value }) }

func TestLossesAreReadAndSurvive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(12 * time.Hour) // it is noon
		v, d := &venue{value: 1000}, &disk{rows: map[string]store.WalletDay{}}
		s := start(t, v, d, rules(10, 50))
		time.Sleep(time.Second)
		s.want("at first", 0, 0, 0)
		s.worth(950)
		time.Sleep(readEvery)
		s.want("a loss", 5, 5, 0)
		v.set(func(v *venue) {
			v.value, v.flows = 850, []marketcache.Flow{{AtMs: nowMs() + 1000, USD: -100}}
		})
		time.Sleep(readEvery)
		s.want("a withdrawal", 5, 5, 0)
		s.end()

		time.Sleep(20 * time.Minute) // a deposit while nobody looks
		v.set(func(v *venue) {
			v.value, v.flows = 1300, append(v.flows, marketcache.Flow{AtMs: nowMs(), USD: 500})
		})
		time.Sleep(time.Minute)
		s = start(t, v, d, rules(10, 50))
		time.Sleep(time.Second)
		s.want("after a restart", 100*100./1400, 100*100./1400, 0)
		time.Sleep(12 * time.Hour)
		s.want("the next day", 0, 100*100./1400, 0)
		s.end()
	})
}

func TestAHaltStaysUntilAnOperatorLiftsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, d := &venue{value: 1000}, &disk{rows: map[string]store.WalletDay{}}
		s := start(t, v, d, rules(10, 50))
		time.Sleep(time.Second)
		s.worth(899)
		time.Sleep(readEvery)
		s.want("beyond the limit", 10.1, 10.1, 1)
		s.worth(2000)
		time.Sleep(25 * time.Hour)
		s.want("a good day later", 0, 0, 1)
		s.end()
		s = start(t, v, d, rules(10, 50))
		time.Sleep(time.Second)
		s.want("after a restart", 0, 0, 1)
		s.live.SetTable(nil)
		time.Sleep(time.Hour)
		if day := s.Of(&one); len(day.Halts) != 1 {
			t.Error("the halt went with the policy")
		}
		s.live.SetTable(rules(10, 50))
		if found, err := s.Lift(one, "an operator", time.Now()); !found || err != nil {
			t.Error(found, err)
		}
		time.Sleep(readEvery)
		s.want("lifted", 0, 0, 0)
		s.end()
		if len(d.events) != 1 || d.events[0].Event != store.HaltSet {
			t.Errorf("%+v", d.events)
		}
	})
}

// A lift by a command, in another process, is not undone by the records of this one.
func TestALiftByAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, d := &venue{value: 1000}, &disk{rows: map[string]store.WalletDay{}}
		s := start(t, v, d, rules(10, 50))
		defer func() { s.end() }()
		time.Sleep(time.Second)
		s.worth(500)
		time.Sleep(readEvery)
		if _, err := Lift(d, one, "an operator", time.Now()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(readEvery) // a record with the halt is not kept
		if err := s.Follow(); err != nil {
			t.Fatal(err)
		}
		s.want("lifted", 0, 50, 0)
		time.Sleep(readEvery)
		s.worth(440)
		time.Sleep(readEvery)
		s.want("another loss", 12, 56, 2)
	})
}

// A halt that another replica has told is lifted also before this one has kept it.
func TestALiftAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, d := &venue{value: 1000, err: errors.New("down")}, &disk{rows: map[string]store.WalletDay{}}
		s := start(t, v, d, rules(10, 50))
		s.end()
		day := policy.Day{ReadMs: nowMs(), ValueUSD: 800, Halts: []policy.LossHalt{{Rule: policy.MaxDailyLossPct}}}
		if err := s.Adopt(map[string]store.WalletDay{one.String(): {Record: marshal(day)}}); err != nil {
			t.Fatal(err)
		}
		if found, err := s.Lift(one, "an operator", time.Now()); !found || err != nil || len(s.Of(&one).Halts) != 0 {
			t.Error(found, err, s.Of(&one))
		}
	})
}

func TestWhatCannotBeReadIsNotKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, d := &venue{value: 1000}, &disk{rows: map[string]store.WalletDay{}}
		s := start(t, v, d, rules(10, 50))
		defer func() { s.end() }()
		time.Sleep(time.Second)
		v.set(func(v *venue) { v.err = errors.New("down") })
		time.Sleep(policy.MaxReadingAge + time.Second)
		s.want("the wallet", policy.NotKnown, policy.NotKnown, 0)
		v.set(func(v *venue) { v.err, v.flowsErr, v.value = nil, errors.New("down"), 900 })
		time.Sleep(readEvery)
		s.want("its ledger", policy.NotKnown, policy.NotKnown, 0)
		v.set(func(v *venue) { v.flowsErr = nil })
		d.mu.Lock()
		d.full = true
		d.mu.Unlock()
		time.Sleep(readEvery)
		s.want("a full disk", 10, 10, 0)
	})
}

// Under a policy for all wallets, those that answers are about are read, and no longer than an hour after the last.
func TestWalletsOfThePolicyForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, d := &venue{value: 1000}, &disk{rows: map[string]store.WalletDay{}}
		var r policy.Rules
		r.SetLimit(policy.MaxDailyLossPct, 10)
		s := start(t, v, d, policy.NewTable(&policy.Policy{Rules: r, Revision: 1}, nil))
		defer func() { s.end() }()
		if day := s.Answered(&one, policy.NotKnown, nowMs()); day != nil {
			t.Error("a record of a wallet that could not be read")
		}
		if day := s.Answered(&one, 1000, nowMs()); day == nil || day.First.ValueUSD != 1000 {
			t.Fatalf("the first answer: %+v", day)
		}
		s.worth(950)
		time.Sleep(readEvery + time.Second)
		s.want("followed", 5, 5, 0)
		time.Sleep(2 * followFor)
		s.want("forgotten", policy.NotKnown, policy.NotKnown, 0)
		s.Answered(&one, 950, nowMs())
		time.Sleep(time.Second)
		s.want("asked again", 5, 5, 0)
		if len(d.rows) != 1 {
			t.Errorf("kept: %v", d.rows)
		}
	})
}

// The ledger costs weight: it is read now and then, and when the value moves.
func TestTheLedgerIsReadSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, d := &venue{value: 1000}, &disk{rows: map[string]store.WalletDay{}}
		s := start(t, v, d, rules(10, 50))
		defer func() { s.end() }()
		time.Sleep(time.Hour)
		synctest.Wait()
		if v.asked < 10 || v.asked > 13 {
			t.Errorf("read %d times in a calm hour", v.asked)
		}
		before := v.asked
		s.worth(990)
		time.Sleep(readEvery + time.Second)
		synctest.Wait()
		if v.asked == before {
			t.Error("not read after a move")
		}
	})
}

func TestRecordsInADatabase(t *testing.T) {
	db, err := store.OpenMain(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	day := (&policy.Day{}).Next(&policy.Reading{AtMs: 5000, ValueUSD: 1000. / 3})
	day.Halts = []policy.LossHalt{{Rule: policy.MaxDrawdownPct, Limit: 5, Value: 6, AtMs: 5000}}
	row := store.WalletDay{Record: marshal(day)}
	if err := db.PutWalletDays(map[string]store.WalletDay{one.String(): row}, []store.Event{{
		Time: time.UnixMilli(5000), Who: "ballast", Event: store.HaltSet, Subject: one.String(),
	}}); err != nil {
		t.Fatal(err)
	}
	cfg := Config{Store: db, Log: slog.New(slog.DiscardHandler)}
	b, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Of(&one); got == nil || marshal(*got) != row.Record {
		t.Errorf("%+v", got)
	}
	if found, err := b.Lift(one, "an operator", time.UnixMilli(6000)); !found || err != nil {
		t.Error(found, err)
	}
	if found, err := b.Lift(marketcache.Wallet{2}, "an operator", time.UnixMilli(6000)); found || err != nil {
		t.Error("a wallet without a record:", found, err)
	}
	if err := db.PutWalletDays(map[string]store.WalletDay{one.String(): row}, nil); err != nil {
		t.Fatal(err)
	}
	if b, err = New(cfg); err != nil || len(b.Of(&one).Halts) != 0 {
		t.Errorf("an earlier record has undone the lift: %+v, %v", b.Of(&one), err)
	}
	var events []string
	err = db.Audit(func(e store.Event) error { events = append(events, e.Event+" by "+e.Who); return nil })
	if err != nil || len(events) != 2 || events[1] != "halt_lifted by an operator" {
		t.Errorf("%v, %v", events, err)
	}
}
