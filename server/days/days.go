// Package days keeps the record of the account value of each wallet whose policy limits losses: the first reading of
// the UTC day, the highest ever, and the halts that losses have set. Records outlive the process.
//
// A wallet is read every half a minute, and by the answers that read it anyway. A record is changed by one goroutine;
// requests load it without a lock.
package days

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"ballast/compute/risk"
	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/policy"
)

const (
	// readEvery is how often a wallet is read, retryAfter when again after a failure.
	readEvery  = 30 * time.Second
	retryAfter = 5 * time.Second
	// flowsEvery is how often deposits and withdrawals are read. They are read at once when the account value has moved
	// by more than suspiciousMove, when it is a new high, and when a loss is beyond nearLimit of its limit.
	flowsEvery     = 5 * time.Minute
	suspiciousMove = 0.005
	nearLimit      = 0.8
	// followFor is how long a wallet without a policy of its own is read after the last request for it.
	followFor = time.Hour
	// maxWallets is how many wallets have a record.
	maxWallets = 2000
	// readers is how many wallets are read at once, readTime the time for one.
	readers  = 8
	readTime = 10 * time.Second
	lookEach = 250 * time.Millisecond
)

// Store keeps the records.
type Store interface {
	WalletDays() (map[string]store.WalletDay, error)
	PutWalletDays(days map[string]store.WalletDay, events []store.Event) error
	LiftHalts(wallet, who string, at time.Time, lift func(record string) (string, error)) (bool, error)
}

// Config configures a Book.
type Config struct {
	Live  *policy.Live
	Store Store
	// Tell tells other replicas of records; it does not wait. nil: there are none.
	Tell func(map[string]store.WalletDay)
	// Read reads a wallet now, Flows its deposits and withdrawals since a time, ms since 1970.
	Read  func(context.Context, marketcache.Wallet) (*marketcache.Account, error)
	Flows func(ctx context.Context, a *marketcache.Account, sinceMs int64) ([]marketcache.Flow, error)
	NowMs func() int64 // the venue's clock
	Log   *slog.Logger
}

// Book has the records. Create it with New.
type Book struct {
	cfg     Config
	mu      sync.Mutex // serialises changes of wallets
	wallets atomic.Pointer[map[marketcache.Wallet]*wallet]
	wake    chan struct{}
	firsts  map[marketcache.Wallet]time.Time // used by Run: when to try again to make a record
}

// wallet is the record of one.
type wallet struct {
	of    marketcache.Wallet
	day   atomic.Pointer[policy.Day]
	asked atomic.Int64 // when an answer was last asked for, ms

	// Guarded by Book.mu.
	lifts   int64 // how often halts were lifted
	unsaved bool
	untold  bool

	// Used by Run alone.
	due, flowsDue time.Time
	troubled      bool
}

// New reads the records of a store.
func New(cfg Config) (*Book, error) {
	b := &Book{cfg: cfg, wake: make(chan struct{}, 1), firsts: map[marketcache.Wallet]time.Time{}}
	b.wallets.Store(&map[marketcache.Wallet]*wallet{})
	return b, b.Follow()
}

// Follow reads the records of which an operator has lifted halts: store.Main.Follow calls it.
func (b *Book) Follow() error {
	kept, err := b.cfg.Store.WalletDays()
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, row := range kept {
		of, day, err := parse(name, &row)
		if err != nil {
			return err
		}
		w := (*b.wallets.Load())[of]
		switch {
		case w == nil:
			w = b.add(of, day)
		case row.Lifts > w.lifts:
			w.day.Store(day)
			w.untold = true
			b.cfg.Log.Warn("halts of a wallet lifted", "wallet", name)
		default:
			continue
		}
		w.lifts, w.unsaved = row.Lifts, false
	}
	return nil
}

func parse(name string, row *store.WalletDay) (of marketcache.Wallet, day *policy.Day, err error) {
	of, ok := marketcache.ParseWallet([]byte(name))
	day = &policy.Day{}
	if err := json.Unmarshal([]byte(row.Record), day); err != nil || !ok {
		return of, nil, fmt.Errorf("the record of %.64q is not as it was written: %w", name, err)
	}
	return of, day, nil
}

// Adopt takes over records of other replicas: each is merged with the one here, unless one of them is of fewer lifts,
// and then has halts that an operator has lifted.
func (b *Book) Adopt(rows map[string]store.WalletDay) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, row := range rows {
		of, theirs, err := parse(name, &row)
		if err != nil {
			return err
		}
		w := (*b.wallets.Load())[of]
		switch {
		case w == nil:
			if len(*b.wallets.Load()) >= maxWallets {
				continue
			}
			w = b.add(of, theirs)
			w.lifts, w.untold = row.Lifts, false
			continue
		case row.Lifts < w.lifts:
			w.untold = true
			continue
		}
		ours := w.day.Load()
		next := *theirs
		if row.Lifts == w.lifts {
			next = policy.Merged(ours, theirs)
		}
		w.unsaved = w.unsaved || row.Lifts > w.lifts || marshal(next) != marshal(*ours)
		w.untold = marshal(next) != marshal(*theirs)
		w.lifts = row.Lifts
		w.day.Store(&next)
	}
	b.hurry()
	return nil
}

// TellAll has all records told to other replicas.
func (b *Book) TellAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range *b.wallets.Load() {
		w.untold = true
	}
	b.hurry()
}

// add adds a wallet. The caller holds mu.
func (b *Book) add(of marketcache.Wallet, day *policy.Day) *wallet {
	w := &wallet{of: of, unsaved: true, untold: true}
	w.day.Store(day)
	next := maps.Clone(*b.wallets.Load())
	next[of] = w
	b.wallets.Store(&next)
	return w
}

// Of returns the record of a wallet, nil where there is none.
func (b *Book) Of(of *marketcache.Wallet) *policy.Day {
	if b == nil {
		return nil
	}
	if w := (*b.wallets.Load())[*of]; w != nil {
		return w.day.Load()
	}
	return nil
}

// Answered is Of for an answer about a wallet whose losses are limited. The answer has read the wallet with a value,
// not known: NaN, at a time, ms since 1970. The first one is its first reading. A wallet that is asked about is read
// on.
func (b *Book) Answered(of *marketcache.Wallet, valueUSD float64, atMs int64) *policy.Day {
	if b == nil {
		return nil
	}
	w := (*b.wallets.Load())[*of]
	if w == nil {
		if w = b.begin(*of, valueUSD, atMs); w == nil {
			return nil
		}
	}
	w.asked.Store(atMs)
	day := w.day.Load()
	if atMs-day.ReadMs > policy.MaxReadingAge.Milliseconds() {
		b.hurry()
	}
	return day
}

// hurry makes Run look at once.
func (b *Book) hurry() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// begin makes the record of a wallet from its first reading, nil if that is not known or there are too many.
func (b *Book) begin(of marketcache.Wallet, valueUSD float64, atMs int64) *wallet {
	b.mu.Lock()
	defer b.mu.Unlock()
	if w := (*b.wallets.Load())[of]; w != nil || valueUSD != valueUSD || len(*b.wallets.Load()) >= maxWallets {
		return w
	}
	day := (&policy.Day{FlowsMs: atMs}).Next(&policy.Reading{AtMs: atMs, ValueUSD: valueUSD})
	w := b.add(of, &day)
	b.hurry()
	return w
}

// Lift lifts the halts of a wallet. What has set them is counted from the newest reading on. It reports whether there
// is a record.
func Lift(s Store, of marketcache.Wallet, who string, at time.Time) (found bool, err error) {
	return s.LiftHalts(of.String(), who, at, func(record string) (string, error) {
		var day policy.Day
		if err := json.Unmarshal([]byte(record), &day); err != nil {
			return "", err
		}
		return marshal(day.Lifted()), nil
	})
}

// Lift is the function of that name, and then in force here.
func (b *Book) Lift(of marketcache.Wallet, who string, at time.Time) (found bool, err error) {
	b.keep() // what was read or adopted since the last look
	if found, err = Lift(b.cfg.Store, of, who, at); err == nil {
		err = b.Follow()
		b.hurry()
	}
	return found, err
}

func marshal(d policy.Day) string {
	text, err := json.Marshal(&d)
	if err != nil {
		panic("BUG: a record that is no JSON: " + err.Error())
	}
	return string(text)
}

// value returns the account value of a reading and its time by the venue's clock.
func (b *Book) value(a *marketcache.Account) (usd float64, atMs int64, known bool) {
	usd, known = risk.AccountValue(a)
	if atMs = a.VenueMs; atMs == 0 {
		atMs = b.cfg.NowMs()
	}
	return usd, atMs, known
}
