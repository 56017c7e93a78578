package hyperliquid

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"ballast/marketcache"
)

// priority orders who gets request weight first.
type priority int

const (
	forPosition priority = iota // a wallet with open positions again, or one for a close
	forFirst                    // the first wallet in a minute that a caller waits for
	forWallet                   // a caller waits for an account
	forLive                     // contexts when the socket has none, book confirmations, the clock
	forTables                   // universe, open-interest caps, predicted fundings
	forWanted                   // history of an asset that a caller waits for
	forWarmUp                   // history never loaded yet
	forTopUp                    // the newest hours of a history
	priorities
)

// walletReserve is the share of the budget that only wallet reads may use, liveReserve
// a further one that histories nobody waits for may not: a burst of them at the start
// must not leave nothing for a minute to what keeps prices fresh. Of a reserve that is in
// use already, so much is not kept as its own spending of the last minute's older half, which
// leaves the window first, makes room for in a minute; walletSpare always is: one cold wallet
// at half of the venue's weight.
const (
	walletReserve = 0.20
	walletSpare   = 0.08
	liveReserve   = 0.10
)

// budgetWindow is the venue's window; bucketWidth how finely spending is dated. A
// bucket counts until its end is a full window ago, so the window is never undercut.
const (
	budgetWindow = time.Minute
	bucketWidth  = 250 * time.Millisecond
	buckets      = int(budgetWindow/bucketWidth) + 1
	bucketBase   = 1 << 20 // makes bucket numbers of Instants before the start positive
)

// budget meters request weight: in no window of 60 s does it exceed the limit,
// wherever in the flight of a request the venue counts it. A request's weight counts
// from the moment it is granted until 60 s after its answer. Its row surcharge is not
// known before, so the most it can be is reserved and the rest given back.
//
// Waiters are served by priority, first come first served within one. A waiter that
// does not fit holds up the lower ones, so that a large request cannot starve, unless it
// waits out a refusal of its kind; the last of the budget is for wallet reads, and some before
// it for live data.
type budget struct {
	mu      sync.Mutex
	limit   int // weight in a window; 0: no limit
	spent   [buckets][kinds]int
	head    int64      // number of the newest bucket
	counts  [kinds]int // sum of spent, and what is granted and not yet answered
	waiting [priorities][]*waiter
	timer   *time.Timer
	closed  bool
	kept    keptWeight

	refusals    [kinds]refusal
	halvedUntil marketcache.Instant // after a 429: half of the limit counts

	log *budgetLog // nil: not kept
}

// kind is what a 429 pauses: requests of other kinds go on, and find out for themselves.
type kind int

const (
	walletKind kind = iota
	liveKind        // live data and tables
	historyKinds
	kinds
)

func (p priority) kind() kind {
	switch {
	case p <= forWallet:
		return walletKind
	case p <= forTables:
		return liveKind
	}
	return historyKinds
}

// refusal is the state of a kind after a 429: nobody is served until the pause is over, then
// one request at a time until one is answered.
type refusal struct {
	n       int // 429s in a row; 0: none
	until   marketcache.Instant
	probing bool
}

// Pauses after a 429. The venue's comes from a proxy that seldom says how long, and what one
// says is bounded: one answer must not stop a service for an hour.
const (
	refusalPause    = 10 * time.Second // without Retry-After, doubling
	refusalPauseMax = 30 * time.Second // before jitter, a quarter more at most
	probeAgain      = time.Second      // estimate for those who wait for a probe
)

type waiter struct {
	weight  int
	granted chan *grant
}

func newBudget(limit int, log *budgetLog) *budget {
	b := &budget{limit: limit, log: log}
	b.head = bucketOf(marketcache.Now())
	return b
}

func bucketOf(t marketcache.Instant) int64 { return int64(t)/int64(bucketWidth) + bucketBase }

// assume counts weight as spent at an instant, which may lie before the start.
func (b *budget) assume(weight int, at marketcache.Instant) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.roll(marketcache.Now())
	b.spend(historyKinds, weight, bucketOf(at)) // nobody knows whose: of no reserve
}

func (b *budget) spend(k kind, weight int, bucket int64) {
	if bucket <= b.head-int64(buckets) {
		return
	}
	b.spent[min(bucket, b.head)%int64(buckets)][k] += weight
	b.counts[k] += weight
}

// total returns the weight that counts, of all kinds.
func (b *budget) total() (sum int) {
	for _, n := range b.counts {
		sum += n
	}
	return sum
}

// roll forgets the buckets that have left the window.
func (b *budget) roll(now marketcache.Instant) {
	to := bucketOf(now)
	for n := 0; b.head < to && n < buckets; n++ {
		b.head++
		slot := b.head % int64(buckets)
		for k, n := range b.spent[slot] {
			b.counts[k] -= n
		}
		b.spent[slot] = [kinds]int{}
	}
	b.head = max(b.head, to)
}

// capacity returns the weight in a window that a priority may fill the budget to.
func (b *budget) capacity(p priority, now marketcache.Instant) int {
	limit := b.limit
	if now < b.halvedUntil {
		limit /= 2
	}
	fill := capacity(p, limit, b.returning(walletKind), b.returning(liveKind))
	if now < b.kept.until {
		if p > forPosition {
			fill -= b.kept.position
		}
		if p > forFirst {
			fill -= b.kept.first
		}
	}
	return fill
}

// keptWeight is what lower priorities leave to forPosition and to forFirst until an instant.
type keptWeight struct {
	position, first int
	until           marketcache.Instant
}

// keep sets what is kept for a minute, and returns the weight in a window that wallets may have:
// all but what live data and tables use. Histories make room for wallets.
func (b *budget) keep(position, first int) (pool int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := marketcache.Now()
	b.roll(now)
	b.kept = keptWeight{position, first, now.Add(budgetWindow)}
	return b.capacity(forPosition, now) - b.counts[liveKind]
}

// returning returns the weight that a kind's spending gives back in a minute, judged by the
// next half of one.
func (b *budget) returning(k kind) (sum int) {
	for n := b.head - int64(buckets) + 1; n <= b.head-int64(buckets)/2; n++ {
		sum += b.spent[n%int64(buckets)][k]
	}
	return 2 * sum
}

// capacity is that of a limit when so much returns of wallets', and of live data and tables'.
func capacity(p priority, limit, wallets, live int) int {
	of := func(share float64) int { return int(float64(limit) * share) }
	fill := limit
	if p > forWallet {
		fill -= max(of(walletReserve)-wallets, of(walletSpare))
	}
	if p > forWanted {
		fill -= max(of(liveReserve)-live, 0)
	}
	return fill
}

func (b *budget) fits(p priority, weight int, now marketcache.Instant) bool {
	return !b.paused(p, now) && (b.limit == 0 || b.total()+weight <= b.capacity(p, now))
}

// paused reports whether a priority waits for the end of a refusal.
func (b *budget) paused(p priority, now marketcache.Instant) bool {
	r := &b.refusals[p.kind()]
	return r.n > 0 && (now < r.until || r.probing)
}

// pausing is paused of now.
func (b *budget) pausing(p priority) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.paused(p, marketcache.Now())
}

// largest returns the most that one request of a priority may ever weigh.
func (b *budget) largest(p priority) int {
	if b.limit == 0 {
		return 1 << 30
	}
	return capacity(p, b.limit, 0, 0)
}

// grant is weight that was given and not yet settled.
type grant struct {
	b      *budget
	p      priority
	weight int
	block  int64 // of the record on disk that it was written down in
	probe  bool  // the one request of its kind after a pause
}

// take waits until weight is granted. It fails with ErrBudget when the context ends
// first, when the weight can never fit, or when it would have to wait longer than
// patience (a negative patience waits as long as the context lives).
func (b *budget) take(ctx context.Context, p priority, weight int, patience time.Duration) (*grant, error) {
	b.mu.Lock()
	now := marketcache.Now()
	b.roll(now)
	if b.limit != 0 && weight > b.largest(p) {
		b.mu.Unlock()
		return nil, &Error{Kind: ErrBudget, Wait: budgetWindow, Detail: "one request weighs more than the budget"}
	}
	if b.closed {
		b.mu.Unlock()
		return nil, &Error{Kind: ErrUnavailable, Detail: "shutting down"}
	}
	if !b.ahead(p, now) && b.fits(p, weight, now) {
		g := b.give(p, weight)
		b.mu.Unlock()
		return g, nil
	}
	if wait := b.wait(p, weight+b.queued(p), now); patience >= 0 && wait > patience {
		b.mu.Unlock()
		return nil, &Error{Kind: ErrBudget, Wait: wait}
	}
	w := &waiter{weight: weight, granted: make(chan *grant, 1)}
	b.waiting[p] = append(b.waiting[p], w)
	b.arm(now)
	b.mu.Unlock()

	if patience >= 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	select {
	case g := <-w.granted:
		return g, nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case g := <-w.granted: // given in between
		b.back(g, weight, 0)
	default:
		b.drop(p, w)
	}
	b.serve()
	return nil, &Error{Kind: ErrBudget, Wait: b.wait(p, weight, marketcache.Now()), Err: context.Cause(ctx)}
}

// ahead reports whether somebody of the same or a higher priority waits already, paused ones
// of another kind left out.
func (b *budget) ahead(p priority, now marketcache.Instant) bool {
	for q := priority(0); q <= p; q++ {
		if len(b.waiting[q]) > 0 && (q.kind() == p.kind() || !b.paused(q, now)) {
			return true
		}
	}
	return false
}

// queued returns the weight that waits ahead of a newcomer.
func (b *budget) queued(p priority) (weight int) {
	for q := priority(0); q <= p; q++ {
		for _, w := range b.waiting[q] {
			weight += w.weight
		}
	}
	return weight
}

func (b *budget) drop(p priority, w *waiter) {
	for i, o := range b.waiting[p] {
		if o == w {
			b.waiting[p] = append(b.waiting[p][:i], b.waiting[p][i+1:]...)
			return
		}
	}
}

func (b *budget) give(p priority, weight int) *grant {
	b.counts[p.kind()] += weight
	r := &b.refusals[p.kind()]
	r.probing = r.n > 0
	g := &grant{b: b, p: p, weight: weight, block: -1, probe: r.probing}
	if b.limit != 0 {
		g.block = b.log.spend(weight)
	}
	return g
}

// back takes in that of what a grant reserved so much was spent. Called with the lock held.
func (b *budget) back(g *grant, reserved, weighed int) {
	g.weight -= reserved
	b.counts[g.p.kind()] -= reserved
	b.spend(g.p.kind(), weighed, b.head)
	b.log.refund(g.block, reserved-weighed)
	if g.probe && g.weight <= 0 {
		b.refusals[g.p.kind()].probing = false
	}
}

// settle ends a grant: the request, or its part of the grant, weighed so much.
func (g *grant) settle(reserved, weighed int) {
	b := g.b
	b.mu.Lock()
	defer b.mu.Unlock()
	b.roll(marketcache.Now())
	b.back(g, reserved, weighed)
	b.serve()
}

// release gives back what of a grant was not used.
func (g *grant) release() {
	if g.weight > 0 {
		g.settle(g.weight, 0)
	}
}

// serve grants waiters in order for as long as they fit, and sets the timer for the
// next change. Called with the lock held.
func (b *budget) serve() {
	now := marketcache.Now()
	b.roll(now)
	for p := range b.waiting {
		for len(b.waiting[p]) > 0 && !b.paused(priority(p), now) {
			w := b.waiting[p][0]
			if !b.fits(priority(p), w.weight, now) {
				b.arm(now)
				return
			}
			b.waiting[p] = b.waiting[p][1:]
			w.granted <- b.give(priority(p), w.weight)
		}
	}
	b.arm(now)
}

// arm sets the timer to the next moment at which the first waiter may fit, or one that is paused.
func (b *budget) arm(now marketcache.Instant) {
	soonest := time.Duration(-1)
	for p := range b.waiting {
		if len(b.waiting[p]) == 0 {
			continue
		}
		if wait := max(b.wait(priority(p), b.waiting[p][0].weight, now), time.Millisecond); soonest < 0 || wait < soonest {
			soonest = wait
		}
		if !b.paused(priority(p), now) {
			break
		}
	}
	if soonest < 0 {
		return
	}
	if b.timer == nil {
		b.timer = time.AfterFunc(soonest, b.wake)
	} else {
		b.timer.Reset(soonest)
	}
}

func (b *budget) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.serve()
	}
}

// wait estimates how long it takes until weight fits, if nobody else spends.
func (b *budget) wait(p priority, weight int, now marketcache.Instant) time.Duration {
	if r := &b.refusals[p.kind()]; r.n > 0 && now < r.until {
		return r.until.Sub(now)
	} else if r.probing {
		return probeAgain
	}
	if b.limit == 0 {
		return 0
	}
	over := b.total() + weight - b.capacity(p, now)
	if over <= 0 {
		return 0
	}
	first := b.head - int64(buckets) + 1
	for n := first; n <= b.head; n++ {
		for _, spent := range b.spent[n%int64(buckets)] {
			over -= spent
		}
		if over <= 0 {
			leaves := marketcache.Instant((n - bucketBase + int64(buckets)) * int64(bucketWidth))
			wait := leaves.Sub(now)
			if now < b.halvedUntil {
				wait = min(wait, b.halvedUntil.Sub(now))
			}
			return max(wait, time.Millisecond)
		}
	}
	return time.Second // it hangs on requests in flight
}

// refused takes in an HTTP 429 to a request of a priority: the budget halves for a minute, and
// its kind pauses. It returns for how long.
func (b *budget) refused(p priority, retryAfter time.Duration) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := marketcache.Now()
	r := &b.refusals[p.kind()]
	if r.n == 0 || now >= r.until { // those that were under way together count as one
		r.n++
	}
	pause := retryAfter
	if pause <= 0 {
		pause = refusalPause << min(r.n-1, 2)
	}
	pause = min(pause, refusalPauseMax)
	pause += time.Duration(rand.Int64N(int64(pause)/4 + 1))
	r.until = max(r.until, now.Add(pause))
	b.halvedUntil = max(b.halvedUntil, now.Add(budgetWindow))
	b.arm(now)
	return r.until.Sub(now)
}

// accepted ends a run of refusals.
func (b *budget) accepted(p priority) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := &b.refusals[p.kind()]; marketcache.Now() >= r.until { // an earlier request's answer proves nothing
		*r = refusal{}
	}
}

// used returns the weight that counts now: spent in the last window, and in flight.
func (b *budget) used() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.roll(marketcache.Now())
	return b.total()
}

// close stops the timer; later requests are refused.
func (b *budget) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.timer != nil {
		b.timer.Stop()
	}
	if b.log != nil {
		b.log.close()
	}
}
