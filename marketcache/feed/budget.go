package feed

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"ballast/marketcache"
)

// Priority is the order in which requests get weight.
type Priority int

const (
	ForStart    Priority = iota // at the start: the clock and the list of assets, without which nothing can be answered
	ForPosition                 // a repeated read of a wallet with open positions, or a wallet read for a close
	ForFirst                    // the first wallet that a caller asks for within a minute
	ForWallet                   // any other wallet that a caller waits for
	ForLive                     // live data without a stream, and the venue's clock
	ForTables                   // the list of assets and other tables
	ForWanted                   // history of an asset that a caller waits for
	ForWarmUp                   // history that has never been loaded
	ForTopUp                    // the newest hours of a history
	priorities
)

// Reserves and limits, as shares of the budget.
const (
	// walletReserve is left to wallet reads by all lower priorities. It shrinks by the weight of wallet reads within
	// the window, which comes free in the next minute, but not below walletSpare, one wallet read without a cached
	// copy, nor below what is kept for callers (Budget.keep).
	walletReserve, walletSpare = 0.20, 0.08
	// liveReserve is also left by histories that no caller waits for, so that their burst at the start does not delay
	// live data. It shrinks by the weight of live data and tables within the window.
	liveReserve = 0.10
	// firstSpare is left to ForPosition by ForFirst.
	firstSpare = 0.04
	// forTables is left to live data and tables by wallets with ForWallet: old tables would flag every answer as stale.
	forTables = 0.25
	// walletsAtMost is the most that wallets spend with ForWallet while assets lack their first history, so that one
	// caller does not delay histories for all.
	walletsAtMost = 0.50
)

// Histories spend at most historyPace of the limit in a minute, evenly but for a burst of paceBurst: weight
// spent at once comes free at once, a minute later, and until then there would be none for new callers. The
// rate of wallet reads is averaged since the first of the last maxRateSpan, at least over minRateSpan.
const (
	historyPace = 0.64
	paceBurst   = 10 * time.Second
	minRateSpan = 2 * time.Second
	maxRateSpan = 30 * time.Second
)

// firstHistorySpan is how long after the last request for a first history assets count as lacking theirs:
// a history follows a history within seconds.
const firstHistorySpan = 15 * time.Second

// budgetWindow is how long spent weight counts against the limit.
const budgetWindow = time.Minute

// Budget meters request weight so that no window of 60 s exceeds the limit, whether the venue
// counts a request when it arrives or when it is answered: weight counts from the grant until
// 60 s after the answer. A caller reserves the largest possible weight of a request and settles
// the actual weight afterwards.
//
// Requests are served by priority, within a priority in order of arrival. A request that does
// not fit blocks lower priorities, so that large requests cannot starve; a request that is paused
// after an HTTP 429, or that waits for weight of its own kind alone, blocks nobody. Safe for concurrent use.
type Budget struct {
	mu      sync.Mutex
	limit   int        // weight in a window; 0: no limit
	spent   []spending // weight settled within the window, oldest first
	counts  weights    // spent, plus granted and not settled
	waiting [priorities][]*waiter
	timer   *time.Timer // serves waiters when weight comes free
	closed  bool
	kept    keptWeight

	started      marketcache.Instant // for budgetWindow from then on ForTopUp waits: a start takes most of the weight
	firstHistory marketcache.Instant // when a first history was last requested, or waited
	paced        marketcache.Instant // when the weight of histories spent so far would be spent at historyPace

	refusals    [kinds]refusal
	halvedUntil marketcache.Instant // until then only half of the limit may be used

	log *BudgetLog // nil: not kept on disk
}

// spending is weight settled at an Instant.
type spending struct {
	at     marketcache.Instant
	kind   kind
	weight int
}

// kind groups the priorities that a refusal pauses together.
type kind int

const (
	walletKind kind = iota
	liveKind        // live data and tables
	historyKind
	kinds
)

func (p Priority) kind() kind {
	switch {
	case ForPosition <= p && p <= ForWallet:
		return walletKind
	case p <= ForTables:
		return liveKind
	}
	return historyKind
}

// refusal is the state of a kind after an HTTP 429: no request is served during the pause, then
// one at a time until the venue answers one.
type refusal struct {
	n       int // refusals in a row; 0: none
	until   marketcache.Instant
	probing bool // the single request after the pause is in flight
}

// Pauses after a refusal. A Retry-After above refusalPauseMax is ignored: otherwise one answer could stop
// the service for an hour, or wallet reads until the cached wallets are too old to answer for a close.
const (
	refusalPause    = 10 * time.Second // without Retry-After; doubles with each refusal up to refusalPauseMax
	refusalPauseMax = 30 * time.Second // before jitter, which adds up to a quarter
	probeAgain      = time.Second      // estimated time until a probe's result
)

// waiter is a request that waits for weight.
type waiter struct {
	weight  int
	granted chan *Grant
}

// NewBudget returns a budget of limit weight in any minute; 0 means no limit. Weight that log
// records from a previous process counts as spent. log may be nil.
func NewBudget(limit int, log *BudgetLog) *Budget {
	b := &Budget{limit: limit, log: log, started: marketcache.Now()}
	if log != nil {
		now := marketcache.Now()
		for _, s := range log.past {
			b.Assume(s.weight, now.Add(-s.ago))
		}
	}
	return b
}

// weights holds a weight for each kind.
type weights [kinds]int

func (w weights) total() (sum int) {
	for _, n := range w {
		sum += n
	}
	return sum
}

// Assume counts weight as spent at an Instant, possibly before the process started.
func (b *Budget) Assume(weight int, at marketcache.Instant) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, _ := slices.BinarySearchFunc(b.spent, at, func(s spending, at marketcache.Instant) int { return cmp.Compare(s.at, at) })
	b.spent = slices.Insert(b.spent, n, spending{at, historyKind, weight}) // as historyKind, which shrinks no reserve
	b.counts[historyKind] += weight
}

// roll forgets weight older than the window.
func (b *Budget) roll(now marketcache.Instant) {
	for len(b.spent) > 0 && now.Sub(b.spent[0].at) > budgetWindow {
		b.counts[b.spent[0].kind] -= b.spent[0].weight
		b.spent = b.spent[1:]
	}
}

// bounds returns the limit now, and the weight kept for reads before a priority.
func (b *Budget) bounds(p Priority, now marketcache.Instant) (limit, kept int) {
	limit = b.limit
	if now < b.halvedUntil {
		limit /= 2
	}
	if now < b.kept.until {
		if p > ForPosition {
			kept = int(firstSpare * float64(limit))
		}
		if p > ForFirst {
			kept = b.kept.position + b.kept.first
		}
	}
	return limit, kept
}

// overOwn returns by how much a request of ForWallet would exceed what wallets may spend: weight that only
// wallets can free. It is not above 0 for other priorities.
func (b *Budget) overOwn(p Priority, weight int, now marketcache.Instant) int {
	if p != ForWallet {
		return 0
	}
	limit, kept := b.bounds(p, now)
	return b.counts[walletKind] + weight - min(limit-kept-int(forTables*float64(limit)), b.ordinaryLimit(limit, now))
}

// ordinaryLimit returns up to what weight of wallets ForWallet is served: walletsAtMost while assets lack their first
// history, that is, one waits for weight or was requested within firstHistorySpan; else all.
func (b *Budget) ordinaryLimit(limit int, now marketcache.Instant) int {
	if now.Sub(b.firstHistory) < firstHistorySpan && b.refusals[historyKind].n == 0 {
		return int(walletsAtMost * float64(limit))
	}
	return limit
}

// keptWeight is weight that lower priorities leave to ForPosition and ForFirst until an instant.
type keptWeight struct {
	position, first int
	until           marketcache.Instant
}

// keep reserves weight for one minute: first for ForFirst; for ForPosition what a rate per minute needs beyond the
// weight that comes free in time.
func (b *Budget) keep(rate float64, first int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := marketcache.Now()
	b.roll(now)
	need, freed := 0.0, 0
	for _, s := range b.spent {
		need = max(need, rate*float64(budgetWindow-now.Sub(s.at))/float64(budgetWindow)-float64(freed))
		freed += s.weight
	}
	b.kept = keptWeight{int(max(need, rate-float64(freed))), first, now.Add(budgetWindow)}
}

// supply is the weight per minute that wallet reads of a class may use.
type supply struct {
	lasting float64 // in the long run
	steady  float64 // evenly for the next minute
	after   float64 // the same, after one more read
	left    float64 // the same as after, with the spare unused, and not even a short shortage
}

// forWallets returns the supply for reads of a class. weight is that of the next read, first what is left to a
// caller's first wallet, spare what reads beyond a caller's turn leave. Wallets leave forTables.
func (b *Budget) forWallets(of class, weight, first, spare int) supply {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := marketcache.Now()
	b.roll(now)
	limit, _ := b.bounds(ForPosition, now)
	own := limit - int(forTables*float64(limit))
	if of == ordinary { // these leave the spare in any case
		own = min(own, b.ordinaryLimit(limit, now)) - spare
		limit, spare, first = limit-spare, 0, 0
	}
	counts := b.counts
	for _, w := range slices.Concat(b.waiting[ForPosition : ForWallet+1]...) {
		counts[walletKind] += w.weight
	}
	rate := func(weight int, least time.Duration) float64 {
		all := b.steady(limit-counts.total()-weight, now, least)
		return min(all, b.steady(own-counts[walletKind]-weight, now, least, walletKind)) * float64(budgetWindow)
	}
	return supply{float64(own), rate(first, minDemandSpan), rate(weight+first, minDemandSpan), rate(weight+spare, 1)}
}

// steady returns the highest rate, weight per ns, that can be spent evenly for a minute: free is free now, and what was
// spent on some kinds (none named: on all) comes free in time. A shortage that ends within least does not count.
func (b *Budget) steady(free int, now marketcache.Instant, least time.Duration, of ...kind) float64 {
	rate := math.Inf(1)
	for _, s := range b.spent {
		if len(of) > 0 && !slices.Contains(of, s.kind) {
			continue
		}
		if until := budgetWindow - now.Sub(s.at); until >= least {
			rate = min(rate, float64(free)/float64(until))
		}
		free += s.weight
	}
	return min(rate, float64(free)/float64(budgetWindow))
}

// capacity returns the total weight in a window up to which a priority's requests are granted. wallets and
// live are the weights of wallet reads and of live data in the window; kept is the weight kept for wallet
// reads of a higher priority.
func capacity(p Priority, limit, wallets, live, kept int) int {
	of := func(share float64) int { return int(float64(limit) * share) }
	if p > ForWallet {
		kept = max(kept, of(walletReserve)-wallets, of(walletSpare))
	}
	fill := limit - kept
	if p > ForWanted {
		fill -= max(of(liveReserve)-live, 0)
	}
	return fill
}

// over returns by how much a request would exceed its priority's capacity, given the weights that count.
func (b *Budget) over(p Priority, weight int, counts weights, now marketcache.Instant) int {
	limit, kept := b.bounds(p, now)
	return counts.total() + weight - capacity(p, limit, counts[walletKind], counts[liveKind], kept)
}

// pace returns the time in which histories spend weight at historyPace.
func (b *Budget) pace(weight int) time.Duration {
	return time.Duration(float64(budgetWindow) * float64(weight) / (historyPace * float64(b.limit)))
}

// HistoryPace returns the weight per minute that histories may spend now beside wallet reads and live data, 0 if
// unknown, and the time until ForTopUp is served.
func (b *Budget) HistoryPace() (perMinute float64, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := marketcache.Now()
	b.roll(now)
	limit, _ := b.bounds(ForTopUp, now)
	left := float64(limit - b.counts[walletKind] - b.counts[liveKind])
	if b.refusals[historyKind].n > 0 {
		left = 0
	}
	return max(0, min(historyPace*float64(limit), left)), max(0, budgetWindow-now.Sub(b.started))
}

// lasts reports whether a history that no caller waits for may have weight now: histories are within their
// pace, and until what is spent comes free, wallet reads and live data could go on at their rate.
func (b *Budget) lasts(p Priority, weight int, now marketcache.Instant) bool {
	switch {
	case p <= ForWanted:
		return true
	case b.paced.Sub(now) > paceBurst, p == ForTopUp && now.Sub(b.started) < budgetWindow:
		return false
	}
	recent, span := 0, minRateSpan
	for _, s := range b.spent {
		if age := now.Sub(s.at); s.kind == walletKind && age <= maxRateSpan {
			recent += s.weight
			span = max(span, age)
		}
	}
	limit, _ := b.bounds(p, now)
	wallets := min(float64(recent)/float64(span), walletsAtMost*float64(limit)/float64(budgetWindow))
	rate := wallets + float64(b.counts[liveKind])/float64(budgetWindow) // weight per ns
	return rate <= b.steady(limit-b.counts.total()-weight, now, 1)
}

func (b *Budget) fits(p Priority, weight int, now marketcache.Instant) bool {
	return b.limit == 0 || b.over(p, weight, b.counts, now) <= 0 && b.overOwn(p, weight, now) <= 0 && b.lasts(p, weight, now)
}

// Largest returns the largest weight that one request of a priority may have.
func (b *Budget) Largest(p Priority) int {
	if b.limit == 0 {
		return 1 << 30
	}
	return capacity(p, b.limit, 0, 0, 0)
}

// Fitting returns the largest weight that one request of a priority below wallets may have beside the live data of
// the last minute.
func (b *Budget) Fitting(p Priority) int {
	if b.limit == 0 {
		return 1 << 30
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.roll(marketcache.Now())
	live := b.counts[liveKind]
	return max(capacity(p, b.limit, 0, live, 0)-live, capacity(p, b.limit, 0, 0, 0)/2)
}

// paused reports whether a priority is paused by a refusal.
func (b *Budget) paused(p Priority, now marketcache.Instant) bool {
	r := &b.refusals[p.kind()]
	return r.n > 0 && (now < r.until || r.probing)
}

// pausing reports whether a refusal pauses a priority at the current time.
func (b *Budget) pausing(p Priority) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.paused(p, marketcache.Now())
}

// Refused records an HTTP 429. retryAfter is 0 when the venue named no time. All requests of that
// kind pause, and the budget halves for a minute. Refused returns the length of the pause.
func (b *Budget) Refused(p Priority, retryAfter time.Duration) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := marketcache.Now()
	r := &b.refusals[p.kind()]
	if r.n == 0 || now >= r.until { // refusals of requests in flight together count once
		r.n++
	}
	pause := retryAfter
	if pause <= 0 || pause > refusalPauseMax {
		pause = refusalPause << min(r.n-1, 2)
	}
	pause = min(pause, refusalPauseMax)
	pause += time.Duration(rand.Int64N(int64(pause)/4 + 1))
	r.until = max(r.until, now.Add(pause))
	b.halvedUntil = max(b.halvedUntil, now.Add(budgetWindow))
	b.arm(now)
	return r.until.Sub(now)
}

// Accepted records that the venue answered a request of a priority, which ends a refusal.
func (b *Budget) Accepted(p Priority) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := &b.refusals[p.kind()]; marketcache.Now() >= r.until { // an answer to a request sent before the pause proves nothing
		*r = refusal{}
	}
}

// Used returns the weight that counts now: spent in the last minute, or in flight.
func (b *Budget) Used() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.roll(marketcache.Now())
	return b.counts.total()
}

// Close stops the timer. Later requests are refused.
func (b *Budget) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.timer != nil {
		b.timer.Stop()
	}
	b.log.close()
}
