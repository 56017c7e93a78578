package feed

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"ballast/marketcache"
)

const (
	// maxFirst is the most that callers leave, as a share of the budget, to the first wallet of another.
	maxFirst = 0.25
	// maxForPositions is the share of the budget up to which reads of wallets with open positions, and reads for a
	// close, come before other reads.
	maxForPositions = 0.5
	// demandSpan is the time over which a caller's demand is averaged.
	demandSpan = 15 * time.Second
	// minDemandSpan is the shortest time over which the demand of a caller that has just begun is averaged.
	minDemandSpan = 5 * time.Second
	// turnBurst is how far ahead of its rate a caller may read in its turn.
	turnBurst = 5 * time.Second
	// callerSpan is how long a caller counts as active after its last read.
	callerSpan = 10 * time.Minute
)

// Shares divides the request weight of wallet reads among callers. Each caller has a rate, max-min fair: at least an
// equal part, and what the others do not ask for. It is a caller's turn while it reads no faster than that. A caller
// may read faster if, until the weight that is spent comes free, the others can go on at their rates. Reads of wallets
// with open positions, and reads for a close, come before others. Safe for concurrent use.
type Shares struct {
	budget *Budget
	first  func() int // weight of the first read of a wallet

	mu      sync.Mutex
	callers map[string]*callerUse
	firsts  []*Charge // first wallets of the last minute, for callers that had read none within a minute
}

// class is the kind of read.
type class int

const (
	ordinary  class = iota
	positions       // wallets with open positions, closes
	classes
)

// callerUse is what a caller asks for, and what it was given.
type callerUse struct {
	demand      [classes]demand
	debt        [classes]float64 // weight given ahead of its rate, as of paid
	paid        [classes]marketcache.Instant
	given, seen marketcache.Instant // when weight was last given, and asked for
}

// Charge is the weight granted to one read.
type Charge struct {
	use    *callerUse
	class  class
	weight int
	at     marketcache.Instant
	before marketcache.Instant // callerUse.given before this charge
}

// demand averages what a caller asks for, with exponential decay: what Admit refused, and what reads cost.
type demand struct {
	sum   float64
	at    marketcache.Instant
	since marketcache.Instant // first request since nothing was asked for demandSpan
}

func (d *demand) now(now marketcache.Instant) float64 {
	return d.sum * math.Exp(-float64(now.Sub(d.at))/float64(demandSpan))
}

func (d *demand) add(weight int, now marketcache.Instant) {
	if d.sum == 0 || now.Sub(d.at) > demandSpan {
		d.since = now
	}
	d.sum, d.at = max(0, d.now(now)+float64(weight)), now
}

// perMinute returns the weight per minute if the caller goes on as it did since it began.
func (d *demand) perMinute(now marketcache.Instant) float64 {
	observed := -math.Expm1(-float64(max(now.Sub(d.since), minDemandSpan)) / float64(demandSpan))
	return d.now(now) / observed * float64(budgetWindow) / float64(demandSpan)
}

// NewShares divides the wallet reads of b. first returns the weight of the first read of a wallet.
func NewShares(b *Budget, first func() int) *Shares {
	return &Shares{budget: b, first: first, callers: map[string]*callerUse{}}
}

// Admit charges a read to a caller, or refuses it with ErrShare; it never refuses the first read of a minute. held: the
// wallet has open positions. p is the read's priority. Without a limit of the budget the charge is nil.
func (s *Shares) Admit(caller marketcache.Caller, weight int, held bool) (c *Charge, p Priority, err error) {
	if s.budget.limit == 0 {
		return nil, ForWallet, nil
	}
	now := marketcache.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	u, of := s.use(caller.ID, now), ordinary
	if held || caller.Closes {
		of = positions
	}
	newcomer := u.given == 0 || now.Sub(u.given) > budgetWindow
	if !newcomer { // a first read weighs more than those that follow
		u.demand[of].add(weight, now)
	}
	limit, first, spare := float64(s.budget.limit), 0, 0
	if len(s.callers) > 1 {
		first, spare = min(s.first(), int(maxFirst*limit)), int(walletSpare*limit)
	}
	s.firsts = slices.DeleteFunc(s.firsts, func(c *Charge) bool { return now.Sub(c.at) > budgetWindow })
	claim := first // what newcomers have not used of it
	for _, c := range s.firsts {
		claim = max(0, claim-c.weight)
	}
	supply, kept := s.budget.forWallets(of, weight, claim, first+spare), float64(first)
	if of == ordinary {
		kept = 0 // the supply lacks it already
	}
	lasting := s.divide(u, of, supply.lasting, kept, now)
	present := s.divide(u, of, min(supply.lasting, supply.steady), kept, now)
	if len(s.callers) > 1 {
		forPositions := s.asked(nil, [classes]float64{positions: lasting[positions]}, now)
		s.budget.keep(min(forPositions, maxForPositions*limit), first)
	}
	rate := present[of] / float64(budgetWindow)
	debt, burst := max(0, u.debt[of]-rate*float64(now.Sub(u.paid[of]))), rate*float64(turnBurst)
	small := float64(weight)*float64(budgetWindow) <= lasting[of]*float64(turnBurst)
	turn := !caller.Ahead && debt <= burst && (small || supply.after >= s.asked(u, present, now))
	own := u.total(now) // the others have no better claim to more than that
	needs := s.asked(u, [classes]float64{min(lasting[ordinary], own), min(lasting[positions], own)}, now)
	if !newcomer && !turn && supply.left < needs {
		wait := time.Duration(min((debt-burst)/max(rate, 1e-12), float64(budgetWindow)))
		return nil, p, &marketcache.VenueError{Kind: marketcache.ErrShare, Wait: max(wait, time.Second), Detail: fmt.Sprintf(
			"to read this wallet costs %d request weight; this key asks for %.0f a minute, and its share of what the venue allows is now %.0f: %s",
			weight, own, present[of], fewer)}
	}
	if p = ForWallet; of == positions || newcomer && claim >= weight {
		p = ForPosition
	} else if newcomer {
		p = ForFirst
	}
	c = &Charge{use: u, class: of, weight: weight, at: now, before: u.given}
	u.debt[of], u.paid[of], u.given = min(debt, burst)+float64(weight), now, now
	if newcomer { // whose next reads weigh less
		u.debt[of], s.firsts = 0, append(s.firsts, c)
	}
	return c, p, nil
}

// divide divides a pool of weight per minute, less kept. It returns the most that each caller may have of each class
// if u asks for any amount of one class, and the others for what they do ask for.
func (s *Shares) divide(u *callerUse, of class, pool, kept float64, now marketcache.Instant) (most [classes]float64) {
	var asked [classes][]float64
	var sums []float64
	for _, o := range s.callers {
		sum := 0.0
		for k := range asked {
			weight := o.demand[k].perMinute(now)
			if o == u && class(k) == of {
				weight = math.Inf(1)
			}
			asked[k] = append(asked[k], weight)
			sum += weight
		}
		sums = append(sums, sum)
	}
	most[positions] = max(level(min(pool, maxForPositions*float64(s.budget.limit)), asked[positions]), level(pool-kept, sums))
	for _, weight := range asked[positions] {
		pool -= min(weight, most[positions])
	}
	most[ordinary] = level(pool-kept, asked[ordinary])
	return most
}

// asked returns what all callers but one ask for per minute, each up to most of a class.
func (s *Shares) asked(except *callerUse, most [classes]float64, now marketcache.Instant) (sum float64) {
	for _, u := range s.callers {
		for k := range most {
			if u != except {
				sum += min(u.demand[k].perMinute(now), most[k])
			}
		}
	}
	return sum
}

// level returns the most that each may have of a pool when all together ask for more than it holds; else infinity.
func level(pool float64, asked []float64) float64 {
	slices.Sort(asked)
	pool = max(0, pool)
	for i, weight := range asked {
		if equal := pool / float64(len(asked)-i); weight >= equal {
			return equal
		}
		pool -= weight
	}
	return math.Inf(1)
}

// Lacking returns the error for a charged read for which the budget had no weight: ErrShare if the caller asks for at
// least the average, because then it must ask for less.
func (s *Shares) Lacking(c *Charge, err error) error {
	var lack *marketcache.VenueError
	if c == nil || !errors.As(err, &lack) || lack.Kind != marketcache.ErrBudget || s.budget.pausing(ForWallet) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := marketcache.Now()
	own := c.use.total(now)
	if len(s.callers) == 1 || own == 0 || own*float64(len(s.callers)) < s.asked(nil, [classes]float64{math.Inf(1), math.Inf(1)}, now) {
		return err
	}
	return &marketcache.VenueError{Kind: marketcache.ErrShare, Wait: lack.Wait, Detail: fmt.Sprintf("this key asks for %.0f request weight a minute, and no more is free: %s", own, fewer)}
}

// fewer tells a caller how to stay within its share.
const fewer = "ask for fewer new wallets a minute (a wallet that was read in the last ten minutes costs a tenth of a new one), or spread them over time"

// Extend charges a read that takes more weight than it was admitted with, or less (weight < 0).
func (s *Shares) Extend(c *Charge, weight int) {
	if c == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.weight += weight
	c.use.debt[c.class] = max(0, c.use.debt[c.class]+float64(weight))
	c.use.demand[c.class].add(weight, marketcache.Now())
	if c.weight == 0 && c.use.given == c.at {
		c.use.given = c.before
	}
}

// use returns a caller's record, a new one if it has asked for nothing within callerSpan.
func (s *Shares) use(caller string, now marketcache.Instant) *callerUse {
	maps.DeleteFunc(s.callers, func(_ string, u *callerUse) bool { return now.Sub(u.seen) > callerSpan })
	u := s.callers[caller]
	if u == nil {
		u = &callerUse{}
		s.callers[caller] = u
	}
	u.seen = now
	return u
}

// total returns the weight per minute that a caller asks for.
func (u *callerUse) total(now marketcache.Instant) float64 {
	return u.demand[ordinary].perMinute(now) + u.demand[positions].perMinute(now)
}
