package gate

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/marketcache/venue/exchange"
)

// disk is a store in memory.
type disk struct {
	mu     sync.Mutex
	orders []store.SentOrder
	full   bool
}

func (d *disk) SentOrders(nowMs int64) (kept []store.SentOrder, _ error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.orders {
		if o.UntilMs >= nowMs {
			kept = append(kept, o)
		}
	}
	return kept, nil
}

func (d *disk) PutSentOrders(keep, forget []store.SentOrder, _ int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		return errors.New("disk full")
	}
	d.orders = append(d.orders, keep...)
	for _, o := range forget {
		if i := slices.Index(d.orders, o); i >= 0 {
			d.orders = slices.Delete(d.orders, i, i+1)
		}
	}
	return nil
}

func (d *disk) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.orders)
}

// noon is a noon, ms since 1970.
const noon = int64(20_000*dayMs + dayMs/2)

// life returns one process's ledgers on a disk.
func life(t *testing.T, d *disk, nowMs int64) *Ledgers {
	t.Helper()
	all := &Ledgers{}
	if err := all.Restore(d, func() int64 { return nowMs }); err != nil {
		t.Fatal(err)
	}
	return all
}

// What counts is kept before it is handed on, for as long as a rule asks for it.
func TestCountsSurvive(t *testing.T) {
	d := &disk{}
	l := life(t, d, noon).Lock(t.Context(), marketcache.Wallet{1})
	send := func(atMs int64, same uint64, until int64) *Reservation {
		r := l.Reserve([]Pending{{Asset: 3, Units: 1}}, []Sent{{AtMs: atMs, Same: same, UntilMs: until}},
			&exchange.Envelope{Nonce: uint64(noon)})
		if err := r.Kept(t.Context()); err != nil {
			t.Fatal(err)
		}
		return r
	}
	send(noon, 5, noon+dayMs/2)
	send(noon+1000, 6, noon+61_000)
	send(noon+1000, 7, 0) // no rule counts it
	refused := send(noon+2000, 6, noon+dayMs/2)
	if minute, day := l.Sent(noon + 3000); minute != 4 || day != 4 {
		t.Errorf("%d in the minute and %d of the day, want 4", minute, day)
	}
	refused.Answered(&exchange.Answer{Error: "Invalid nonce"}, 1)
	if minute, day := l.Sent(noon + 3000); minute != 3 || day != 3 {
		t.Errorf("%d in the minute and %d of the day, want 3", minute, day)
	}
	l.Unlock()
	for end := time.Now().Add(10 * time.Second); d.count() != 2; time.Sleep(time.Millisecond) { // forgets in time
		if time.Now().After(end) {
			t.Fatalf("%d orders are kept, want 2", d.count())
		}
	}

	for _, row := range []struct {
		atMs        int64
		minute, day int
		since       float64 // of order 5
	}{{noon + 10_000, 2, 2, 10}, {noon + 70_000, 0, 1, 70}} {
		l := life(t, d, row.atMs).Lock(t.Context(), marketcache.Wallet{1})
		minute, day := l.Sent(row.atMs)
		if since := l.SinceSame(5, row.atMs); minute != row.minute || day != row.day || since != row.since {
			t.Errorf("after a restart: %d in the minute and %d of the day, the same %g s ago, want %+v", minute, day,
				since, row)
		}
		l.Unlock()
	}
	if all := life(t, d, noon+dayMs).all; len(all) != 0 {
		t.Errorf("%d ledgers on the next day", len(all))
	}
}

func TestAFullDiskCountsNothingForGood(t *testing.T) {
	d := &disk{full: true}
	l := life(t, d, noon).Lock(t.Context(), marketcache.Wallet{1})
	defer l.Unlock()
	r := l.Reserve([]Pending{{Asset: 3, Units: 1}}, []Sent{{AtMs: noon, Same: 5, UntilMs: noon + dayMs}},
		&exchange.Envelope{Nonce: uint64(noon)})
	if err := r.Kept(t.Context()); err == nil {
		t.Error("kept on a full disk")
	}
	r.Withdraw()
	if minute, day := l.Sent(noon); minute != 0 || day != 0 {
		t.Errorf("%d and %d count that were not handed on", minute, day)
	}
}

func TestSameOrders(t *testing.T) {
	price, _ := exchange.ParseDecimal("100")
	other, _ := exchange.ParseDecimal("101")
	size, _ := exchange.ParseDecimal("2")
	limit := exchange.Order{Asset: 1, Buy: true, Price: price, Size: size}
	same := func(change func(*exchange.Order)) bool {
		o := limit
		change(&o)
		return SameOrder(&o) == SameOrder(&limit)
	}
	for name, row := range map[string]struct {
		change func(*exchange.Order)
		want   bool
	}{
		"cloid": {func(o *exchange.Order) { o.HasCloid, o.Cloid[3] = true, 1 }, true},
		"asset": {func(o *exchange.Order) { o.Asset = 2 }, false},
		"side":  {func(o *exchange.Order) { o.Buy = false }, false},
		"price": {func(o *exchange.Order) { o.Price = other }, false},
		"size":  {func(o *exchange.Order) { o.Size = other }, false},
		"tif":   {func(o *exchange.Order) { o.TIF = exchange.ALO }, false},
	} {
		if same(row.change) != row.want {
			t.Errorf("another %s: the same is %t", name, !row.want)
		}
	}
	stop, far := limit, limit
	stop.IsTrigger, far.IsTrigger, far.Price = true, true, other
	if SameOrder(&stop) != SameOrder(&far) {
		t.Error("two trigger orders differ in their worst price only, and are not the same")
	}
}

// hung is a disk that answers when it is released.
type hung struct {
	disk
	under   atomic.Int64
	release chan struct{}
}

func (h *hung) PutSentOrders([]store.SentOrder, []store.SentOrder, int64) error {
	h.under.Add(1)
	<-h.release
	return nil
}

// While a disk hangs, orders that count are refused, and no more than maxWrites wait for it.
func TestHungDisk(t *testing.T) {
	h := &hung{release: make(chan struct{})}
	all := &Ledgers{}
	if err := all.Restore(h, func() int64 { return noon }); err != nil {
		t.Fatal(err)
	}
	l := all.Lock(t.Context(), marketcache.Wallet{1})
	r := l.Reserve([]Pending{{Asset: 3, Units: 1}}, []Sent{{AtMs: noon, Same: 1, UntilMs: noon + dayMs}},
		&exchange.Envelope{Nonce: uint64(noon)})
	l.Unlock()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var wg sync.WaitGroup
	for range 2 * maxWrites {
		wg.Go(func() {
			if err := r.Kept(ended); !errors.Is(err, errSlowDisk) {
				t.Error(err)
			}
			r.forget()
		})
	}
	wg.Wait()
	if n := h.under.Load(); n > maxWrites {
		t.Errorf("%d writes are under way", n)
	}
	close(h.release)
	for end := time.Now().Add(10 * time.Second); len(all.writing) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("writes did not end")
		}
	}
	if err := r.Kept(t.Context()); err != nil {
		t.Errorf("after it: %v", err)
	}
}
