package feed

import (
	"slices"
	"time"

	"ballast/marketcache"
)

// budgetWindow is how long spent weight counts against the limit.
const budgetWindow = time.Minute

// burstShare is the share of a minute's weight that may be spent at once: one part in burstShare.
const burstShare = 4

// meter counts request weight and paces it: in any time t up to a minute at most burst + (limit - burst)*t/minute is
// granted, so that three quarters of the limit can always go on to be spent evenly, whatever was spent at once. And no
// minute exceeds the limit: for that, weight counts from the grant until a minute after the answer, because the venue
// may count a request at any time in between.
type meter struct {
	limit  int         // weight in a minute; 0: no limit
	spent  []*spending // weight that counts, in the order of the grants
	counts [classes]int
	halved marketcache.Instant // until then only half of the limit may be used
}

// spending is the weight of a grant.
type spending struct {
	class  Class
	from   marketcache.Instant // the grant
	at     marketcache.Instant // when the last part was settled
	weight int
	flying int // of weight, what is not settled
}

// expires returns the time until weight no longer counts, if what is in flight is settled now; negative: it does not.
func (s *spending) expires(now marketcache.Instant) time.Duration {
	switch {
	case s.flying > 0:
		return budgetWindow
	case s.weight == 0:
		return -1
	}
	return budgetWindow - now.Sub(s.at)
}

// bounds returns the limit and the burst at an Instant.
func (m *meter) bounds(now marketcache.Instant) (limit, burst int) {
	limit = m.limit
	if now < m.halved {
		limit /= 2
	}
	return limit, limit / burstShare
}

// used returns the weight that counts: spent in the last minute, or in flight.
func (m *meter) used() (sum int) {
	for _, n := range m.counts {
		sum += n
	}
	return sum
}

// begin counts granted weight, of which flying is to be settled.
func (m *meter) begin(c Class, weight, flying int, at marketcache.Instant) *spending {
	n := len(m.spent)
	for n > 0 && m.spent[n-1].from > at {
		n--
	}
	s := &spending{class: c, from: at, at: at, weight: weight, flying: flying}
	m.spent = slices.Insert(m.spent, n, s)
	m.counts[c] += weight
	return s
}

// settle ends a part of what was granted: of reserved, weighed was spent.
func (m *meter) settle(s *spending, reserved, weighed int, now marketcache.Instant) {
	s.flying -= reserved
	s.weight += weighed - reserved
	s.at = now
	m.counts[s.class] += weighed - reserved
}

// assume counts weight that was spent at an Instant, possibly before the process started.
func (m *meter) assume(c Class, weight int, at marketcache.Instant) { m.begin(c, weight, 0, at) }

// roll forgets weight older than the window.
func (m *meter) roll(now marketcache.Instant) {
	for i := 0; i < len(m.spent) && now.Sub(m.spent[i].from) > budgetWindow; {
		if s := m.spent[i]; s.expires(now) < 0 {
			m.counts[s.class] -= s.weight
			m.spent = slices.Delete(m.spent, i, i+1)
		} else {
			i++
		}
	}
}

// wait returns the time until weight may be spent so that leave could be spent at once as well, if nothing but ahead is
// spent until then. A request that weighs more than a burst waits until the others have made up for it. With atOnce
// only the limit of a minute counts.
func (m *meter) wait(ahead, weight, leave int, atOnce bool, now marketcache.Instant) time.Duration {
	if m.limit == 0 {
		return 0
	}
	limit, burst := m.bounds(now)
	even := float64(budgetWindow) / float64(max(1, limit-burst)) // time per weight
	if atOnce {
		burst = limit
	}
	sum := ahead + weight + leave // and, further down, what was granted from an Instant on
	burst = max(burst, weight+leave)
	wait := time.Duration(float64(sum-burst) * even)
	for i := len(m.spent) - 1; i >= 0; i-- {
		s := m.spent[i]
		if sum += s.weight; sum > limit {
			wait = max(wait, s.expires(now)+time.Millisecond)
		} else {
			wait = max(wait, time.Duration(float64(sum-burst)*even)-now.Sub(s.from))
		}
	}
	return max(wait, 0)
}
