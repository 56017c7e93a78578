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

// Shares of the budget that ordinary wallet reads leave unused while several callers ask.
const (
	// firstShare is kept for the first wallet of a caller that has read none within a minute.
	firstShare = 0.12
	// minForPositions is kept for reads of wallets with open positions and reads for a close. It
	// grows with the demand for such reads, up to maxForPositions.
	minForPositions, maxForPositions = walletSpare, 0.5

	// demandSpan is the time over which a caller's demand is averaged.
	demandSpan = 15 * time.Second
	// minDemandSpan is the shortest time over which the demand of a caller that has just begun is averaged.
	minDemandSpan = 5 * time.Second
	// callerSpan is how long a caller counts as active after its last read.
	callerSpan = 10 * time.Minute
)

// Shares divides the request weight of wallet reads among callers, max-min fair: a caller may
// spend what the others do not ask for, and at least an equal part. Reads of wallets with open
// positions and reads for a close have their own part of the weight, divided in the same way, within
// the caller's share of all; beyond that part they count as ordinary reads.
type Shares struct {
	budget *Budget

	mu      sync.Mutex
	callers map[string]*callerUse
	charges []*Charge // of the last minute, oldest first
}

// class is the part of the weight to which a read is charged.
type class int

const (
	ordinary  class = iota
	positions       // wallets with open positions, closes
	classes
)

// callerUse is a caller's spending in the last minute, and its demand.
type callerUse struct {
	spent  [classes]int
	demand [classes]demand
	seen   marketcache.Instant
}

// total returns the weight spent in the last minute.
func (u *callerUse) total() int { return u.spent[ordinary] + u.spent[positions] }

// Charge is the weight granted to one read.
type Charge struct {
	use    *callerUse
	at     marketcache.Instant
	weight int
	class  class
	asked  class // class of the demand
}

// demand averages the weight asked for, granted or not, with exponential decay. Once a read is answered, the
// weight that the venue charged counts.
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

// perMinute returns the weight asked for per minute at the current rate.
func (d *demand) perMinute(now marketcache.Instant) float64 {
	return d.now(now) * float64(budgetWindow) / float64(demandSpan)
}

// sustained returns the weight per minute if the caller goes on as it began. Unlike perMinute it does not
// underestimate a demand that is younger than demandSpan.
func (d *demand) sustained(now marketcache.Instant) float64 {
	return d.perMinute(now) / -math.Expm1(-float64(max(now.Sub(d.since), minDemandSpan))/float64(demandSpan))
}

// NewShares divides the wallet reads of b.
func NewShares(b *Budget) *Shares {
	return &Shares{budget: b, callers: map[string]*callerUse{}}
}

// Admit charges a read to a caller, or refuses it with ErrShare. The charge is nil when the budget
// has no limit. position is true for a wallet with open positions and for a close. p is
// the priority of the read.
func (s *Shares) Admit(caller string, weight int, position bool) (c *Charge, p Priority, err error) {
	if s.budget.limit == 0 {
		return nil, ForWallet, nil
	}
	now := marketcache.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.use(caller, now)
	c = &Charge{use: u, at: now, weight: weight}
	if position {
		c.asked = positions
	}
	u.demand[c.asked].add(weight, now)
	all, pool := s.budget.forWallets()
	first, kept, wanted := 0, 0, 0.0
	var spent [classes]int
	for _, o := range s.callers {
		spent[ordinary] += o.spent[ordinary]
		spent[positions] += o.spent[positions]
		wanted += o.demand[positions].sustained(now)
	}
	if len(s.callers) > 1 {
		first = s.part(firstShare)
		kept = min(int(wanted), s.part(maxForPositions), all-first-spent[ordinary])
		kept = max(0, max(kept, s.part(minForPositions))-spent[positions])
	}
	s.budget.keep(kept, first)
	share := s.level(u, pool-first-spent[positions]-kept, now, ordinary)
	forPositions := min(s.level(u, s.part(maxForPositions), now, positions), s.level(u, all-first, now, ordinary, positions)-u.spent[ordinary])
	fits := func(c class, share int) bool { return u.spent[c] == 0 || u.spent[c]+weight <= share }
	switch {
	case position && fits(positions, forPositions):
		p, c.class = ForPosition, positions
	case !fits(ordinary, share):
		over := min(u.spent[ordinary]+weight-share, u.spent[ordinary])
		return nil, p, &marketcache.VenueError{Kind: marketcache.ErrShare, Wait: s.wait(u, over, now), Detail: fmt.Sprintf(
			"to read this wallet costs %d request weight; this key has spent %d within a minute, and its share of what the venue allows is now %d: %s",
			weight, u.spent[ordinary], max(share, 0), fewer)}
	case u.total() == 0:
		p = ForFirst
	default:
		p = ForWallet
	}
	s.charges = append(s.charges, c)
	u.spent[c.class] += weight
	return c, p, nil
}

// Lacking returns the error for a charged read for which the budget had no weight: ErrShare if the
// caller has spent at least the callers' average, because then this caller must ask for less.
func (s *Shares) Lacking(c *Charge, err error) error {
	var lack *marketcache.VenueError
	if c == nil || !errors.As(err, &lack) || lack.Kind != marketcache.ErrBudget || s.budget.pausing(ForWallet) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	spent, n := 0, 0
	for _, u := range s.callers {
		if u.total() > 0 {
			spent += u.total()
			n++
		}
	}
	if own := c.use.total(); own == 0 || n*own < spent {
		return err
	}
	return &marketcache.VenueError{Kind: marketcache.ErrShare, Wait: lack.Wait, Detail: fmt.Sprintf("%d of the request weight of the last minute was spent for this key, and no more is free: %s", c.use.total(), fewer)}
}

// fewer tells a caller how to stay within its share.
const fewer = "ask for fewer new wallets a minute (a wallet that was read in the last ten minutes costs a tenth of a new one), or spread them over time"

// Extend charges a read that takes more weight than it was admitted with.
func (s *Shares) Extend(c *Charge, weight int) {
	if c == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	weight = max(weight, -c.weight) // for a refund: c.weight is 0 once the charge is a minute old
	c.weight += weight
	c.use.spent[c.class] += weight
	c.use.demand[c.asked].add(weight, marketcache.Now())
}

// Refund gives unspent weight of a charge back to the caller's share, which did not ask for it after all.
func (s *Shares) Refund(c *Charge, weight int) { s.Extend(c, -weight) }

// use returns a caller's record. It first forgets charges older than a minute and callers that
// are no longer active.
func (s *Shares) use(caller string, now marketcache.Instant) *callerUse {
	n := 0
	for ; n < len(s.charges) && now.Sub(s.charges[n].at) >= budgetWindow; n++ {
		c := s.charges[n]
		c.use.spent[c.class] -= c.weight
		c.weight = 0
	}
	s.charges = slices.Delete(s.charges, 0, n)
	maps.DeleteFunc(s.callers, func(_ string, u *callerUse) bool { return now.Sub(u.seen) > callerSpan })
	u := s.callers[caller]
	if u == nil {
		u = &callerUse{}
		s.callers[caller] = u
	}
	u.seen = now
	return u
}

func (s *Shares) part(share float64) int { return int(share * float64(s.budget.limit)) }

// level returns a caller's share of a pool for reads of some classes: what others do not ask for, at least an
// equal part.
func (s *Shares) level(caller *callerUse, pool int, now marketcache.Instant, of ...class) int {
	others := make([]float64, 0, len(s.callers))
	for _, u := range s.callers {
		if u == caller {
			continue
		}
		asked := 0.0
		for _, c := range of {
			asked += u.demand[c].sustained(now)
		}
		others = append(others, asked)
	}
	slices.Sort(others)
	left := float64(max(0, pool))
	for i, asked := range others {
		if equal := left / float64(len(others)-i+1); asked >= equal {
			return int(equal)
		}
		left -= asked
	}
	return int(left)
}

// wait returns the time until at least weight of what the caller has spent is a minute old.
func (s *Shares) wait(u *callerUse, weight int, now marketcache.Instant) time.Duration {
	for _, c := range s.charges {
		if c.use == u && c.class == ordinary {
			weight -= c.weight
		}
		if weight <= 0 {
			return c.at.Add(budgetWindow).Sub(now)
		}
	}
	return budgetWindow
}
