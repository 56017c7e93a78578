package watches

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ballast/internal/supervise"
	"ballast/server/alerts"
	"ballast/server/webhook"
)

const (
	// maxOfKey and maxAll are the numbers of watches of a key, and of all keys.
	maxOfKey = 64
	maxAll   = 1000
	// editTime is how long a change of the store may take.
	editTime = 5 * time.Second
)

// Store keeps records.
type Store interface {
	// Edit replaces a record by what f makes of it, and returns that. f gets nil if there is none; it returns nil to
	// remove the record, and the record itself to change nothing. It may be called more than once. When Edit returns
	// without an error, the change is kept, and no other change was made in between.
	Edit(ctx context.Context, id ID, f func(now *Record) (*Record, error)) (*Record, error)
	// Load returns all records.
	Load(ctx context.Context) ([]*Record, error)
}

// Check makes a monitor call for a wallet on behalf of a key. With spare it reads the wallet only with request weight
// that nobody else needs. ErrEnding means that none was made.
type Check func(wallet, key string, spare bool) (*alerts.Result, error)

// ErrEnding: the service makes no more calls.
var ErrEnding = errors.New("the service is ending")

// Config configures a Book. Store is required.
type Config struct {
	Store Store
	// Held reports whether this replica makes the calls and the posts (nil: always).
	Held func() bool
	// Revoked reports whether a key was revoked: its watches end (nil: never).
	Revoked func(key string) bool
	// Post posts a message once (nil: a Poster of package webhook).
	Post func(ctx context.Context, to *webhook.Target, id string, body []byte) error
	// ShareEvery is how often it is kept how calls go, for other replicas that read the same records (0: never).
	ShareEvery time.Duration
	Version    string // of the program, for the receivers' logs
	// AllowPrivate lets webhooks go to private addresses, and without TLS.
	AllowPrivate bool
	Log          *slog.Logger // slog's default
}

// Book has all watches. Create it with New. It is safe for concurrent use.
type Book struct {
	cfg   Config
	log   *supervise.Supervisor
	Stats Stats
	wake  chan struct{} // something may be due

	editing sync.Mutex // held by edit, so that records are taken over in the order of their changes

	mu      sync.Mutex
	watches map[ID]*watch
	wallets map[string]*wallet
	checks  int            // running
	posts   int            // running
	busy    map[string]int // posts that run, by key and by host
	trouble string         // why records cannot be changed, "" if they can
}

// Stats are counters since the start.
type Stats struct {
	Calls, CallsFailed atomic.Uint64
	Posts, PostsFailed atomic.Uint64
	Dead               atomic.Uint64 // events given up
}

// watch is a record, and what is known of it in this process alone.
type watch struct {
	record  *Record
	posting bool
	posted  map[string]bool // events that were posted, while that could not be kept
	later   time.Time       // before which nothing is tried after a change could not be kept
	ending  bool            // of a revoked key, being removed
}

// wallet says when the next monitor call of a watched wallet is due, and for whom.
type wallet struct {
	key      string // on whose behalf it is read: that of the most frequent watch
	next     time.Time
	every    time.Duration
	running  bool
	calls    Calls
	sharedAt time.Time
}

// New returns a book without watches: Load reads them.
func New(cfg Config) *Book {
	cfg.Log = cmp.Or(cfg.Log, slog.Default())
	if cfg.Held == nil {
		cfg.Held = func() bool { return true }
	}
	if cfg.Revoked == nil {
		cfg.Revoked = func(string) bool { return false }
	}
	if cfg.Post == nil {
		cfg.Post = webhook.NewPoster(cmp.Or(cfg.Version, "dev"), cfg.AllowPrivate).Post
	}
	return &Book{cfg: cfg, log: supervise.New(cfg.Log), wake: make(chan struct{}, 1), watches: map[ID]*watch{},
		wallets: map[string]*wallet{}, busy: map[string]int{}}
}

// Load reads all records.
func (b *Book) Load(ctx context.Context) error {
	all, err := b.cfg.Store.Load(ctx)
	if err == nil {
		b.Publish(all)
	}
	return err
}

// Publish replaces all records, as somebody has read them.
func (b *Book) Publish(all []*Record) {
	b.mu.Lock()
	defer b.mu.Unlock()
	there := make(map[ID]bool, len(all))
	for _, r := range all {
		there[r.ID()] = true
		b.keep(r.ID(), r)
	}
	for id := range b.watches {
		if !there[id] {
			b.keep(id, nil)
		}
	}
	b.schedule()
}

// Set takes over one record that somebody has changed, nil: removed.
func (b *Book) Set(id ID, r *Record) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.keep(id, r)
	b.schedule()
}

// keep stores a record. The caller holds mu, and calls schedule.
func (b *Book) keep(id ID, r *Record) {
	switch w := b.watches[id]; {
	case r == nil:
		delete(b.watches, id)
	case w == nil:
		b.watches[id] = &watch{record: r}
	case r.Revision >= w.record.Revision: // or else what was read is older than what is known
		w.record = r
	}
}

// schedule sets how often each wallet is due: as often as the most frequent of its watches asks. The caller holds mu.
func (b *Book) schedule() {
	best := map[string]*Record{}
	for id, w := range b.watches {
		r, have := w.record, best[id.Wallet]
		if have == nil || r.EveryS < have.EveryS || r.EveryS == have.EveryS && r.Key < have.Key {
			best[id.Wallet] = r
		}
	}
	now := time.Now()
	for name, r := range best {
		w := b.wallets[name]
		if w == nil {
			w = &wallet{next: now}
			b.wallets[name] = w
		}
		w.key, w.every = r.Key, time.Duration(r.EveryS)*time.Second
		w.next = minTime(w.next, now.Add(w.every))
	}
	for name := range b.wallets {
		if best[name] == nil {
			delete(b.wallets, name)
		}
	}
	b.poke()
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// poke makes Run look for what is due.
func (b *Book) poke() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// edit changes a record in the store and here.
func (b *Book) edit(ctx context.Context, id ID, f func(now *Record) (*Record, error)) (*Record, error) {
	b.editing.Lock()
	defer b.editing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, editTime)
	defer cancel()
	r, err := b.cfg.Store.Edit(ctx, id, f)
	b.mu.Lock()
	defer b.mu.Unlock()
	if refused := new(Refusal); errors.As(err, &refused) {
		return nil, err
	}
	if b.trouble = ""; err != nil {
		b.trouble = err.Error()
		return nil, err
	}
	b.keep(id, r)
	b.schedule()
	return r, nil
}

// change is edit of a record that is there; of one that is not it changes nothing.
func (b *Book) change(ctx context.Context, id ID, f func(now *Record) (next *Record)) error {
	_, err := b.edit(ctx, id, func(now *Record) (*Record, error) {
		if now == nil {
			return nil, nil
		}
		return f(now), nil
	})
	return err
}

// Refusal says why a watch cannot be set. Then nothing has changed.
type Refusal struct{ Field, Detail string }

func (r *Refusal) Error() string { return r.Detail }

// Put sets a watch. It returns the watch as it is now, and the secret if one was made.
func (b *Book) Put(ctx context.Context, id ID, c *alerts.WatchConfig) (r *Record, made string, err error) {
	if err := b.check(ctx, c); err != nil {
		return nil, "", err
	}
	at := time.Now().UTC().Truncate(time.Millisecond)
	r, err = b.edit(ctx, id, func(now *Record) (next *Record, err error) {
		if now == nil {
			if err := b.room(id.Key); err != nil {
				return nil, err
			}
		}
		next, made = set(now, id, c, at)
		return next, nil
	})
	if err != nil {
		return nil, "", err
	}
	b.callNow(id.Wallet)
	return r, made, nil
}

// check refuses a webhook to which nothing may be posted.
func (b *Book) check(ctx context.Context, c *alerts.WatchConfig) error {
	if c.URL == "" {
		return nil
	}
	if c.Secret != "" {
		if err := webhook.CheckSecret(c.Secret); err != nil {
			return &Refusal{"webhook.secret", "field webhook.secret " + err.Error()}
		}
	}
	if err := webhook.CheckURL(ctx, c.URL, b.cfg.AllowPrivate); err != nil {
		return &Refusal{"webhook.url", "field webhook.url " + err.Error()}
	}
	return nil
}

// room refuses one watch more of a key than can be kept.
func (b *Book) room(key string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	own := 0
	for id := range b.watches {
		if id.Key == key {
			own++
		}
	}
	switch {
	case own >= maxOfKey:
		return &Refusal{"wallet", fmt.Sprintf("this key watches %d wallets, and no more are kept: remove one first",
			own)}
	case len(b.watches) >= maxAll:
		return &Refusal{"wallet", fmt.Sprintf("%d wallets are watched, and no more are kept: remove one first", maxAll)}
	}
	return nil
}

// callNow makes the next call for a wallet due.
func (b *Book) callNow(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if w := b.wallets[name]; w != nil {
		w.next = time.Now()
		b.poke()
	}
}

// Remove removes a watch, and reports whether it was there.
func (b *Book) Remove(ctx context.Context, id ID) (found bool, err error) {
	_, err = b.edit(ctx, id, func(now *Record) (*Record, error) {
		found = now != nil
		return nil, nil
	})
	return found && err == nil, err
}

// State is a watch as it is shown.
type State struct {
	*Record
	Calls Calls // the newest that this process knows
}

// Of returns the watches of a key, "" for all keys, by wallet and key.
func (b *Book) Of(key string) (all []State) {
	held := b.cfg.Held()
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, w := range b.watches {
		if key == "" || id.Key == key {
			all = append(all, b.state(w, held))
		}
	}
	slices.SortFunc(all, func(a, b State) int {
		return cmp.Or(cmp.Compare(a.Wallet, b.Wallet), cmp.Compare(a.Key, b.Key))
	})
	return all
}

// Get returns a watch, false if there is none.
func (b *Book) Get(id ID) (State, bool) {
	held := b.cfg.Held()
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.watches[id]
	if w == nil {
		return State{}, false
	}
	return b.state(w, held), true
}

// state returns a watch as it is shown. The caller holds mu.
func (b *Book) state(w *watch, held bool) State {
	s := State{w.record, w.record.Calls}
	if own := b.wallets[w.record.Wallet]; own != nil && held && !own.calls.At.IsZero() {
		s.Calls = own.calls
	}
	return s
}

// Here reports whether this replica makes the calls and the posts.
func (b *Book) Here() bool { return b.cfg.Held() }

// Health is the state of all watches in numbers.
type Health struct {
	Count, Failing, Waiting, Dead int
	Trouble                       string // why changes cannot be kept, "" if they can
}

// Health returns the state of all watches in numbers.
func (b *Book) Health() Health {
	held := b.cfg.Held()
	b.mu.Lock()
	defer b.mu.Unlock()
	h := Health{Count: len(b.watches)}
	for _, w := range b.watches {
		if b.state(w, held).Calls.Failures > 0 {
			h.Failing++
		}
		h.Waiting += len(w.record.Waiting)
		h.Dead += len(w.record.Dead)
	}
	h.Trouble = b.trouble
	return h
}
