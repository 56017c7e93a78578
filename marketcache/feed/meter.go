package feed

import (
	"cmp"
	"slices"
	"time"

	"ballast/marketcache"
)

// budgetWindow is how long spent weight counts against the limit.
const budgetWindow = time.Minute

// burstShare is the share of a minute's weight that may be spent at once: one part in burstShare.
const burstShare = 4

// meter counts request weight and paces it: in any time t up to a minute at most burst + (limit - burst)*t/minute is
// spent. So no minute exceeds the limit, and three quarters of it can always go on to be spent evenly, whatever
// was spent at once. Weight counts from the grant until a minute after the answer, because the venue may count a
// request at any time in between.
type meter struct {
	limit  int        // weight in a minute; 0: no limit
	spent  []spending // weight settled within the window, oldest first
	flying int        // weight granted and not settled
	counts [classes]int
	halved marketcache.Instant // until then only half of the limit may be used
}

// spending is weight settled at an Instant.
type spending struct {
	at     marketcache.Instant
	class  Class
	weight int
}

// bounds returns the limit and the burst at an Instant.
func (m *meter) bounds(now marketcache.Instant) (limit, burst int) {
	limit = m.limit
	if now < m.halved {
		limit /= 2
	}
	return limit, limit / burstShare
}

// paced returns the time in which a weight comes free once the burst is spent.
func (m *meter) paced(weight int, now marketcache.Instant) time.Duration {
	limit, burst := m.bounds(now)
	return time.Duration(weight) * budgetWindow / time.Duration(max(1, limit-burst))
}

// used returns the weight that counts: spent in the last minute, or in flight.
func (m *meter) used() (sum int) {
	for _, n := range m.counts {
		sum += n
	}
	return sum
}

// begin counts granted weight.
func (m *meter) begin(c Class, weight int) {
	m.flying += weight
	m.counts[c] += weight
}

// settle ends a part of what was granted: of reserved, weighed was spent.
func (m *meter) settle(c Class, reserved, weighed int, now marketcache.Instant) {
	m.flying -= reserved
	m.counts[c] += weighed - reserved
	if weighed > 0 {
		m.spent = append(m.spent, spending{now, c, weighed})
	}
}

// assume counts weight that was spent at an Instant, possibly before the process started.
func (m *meter) assume(c Class, weight int, at marketcache.Instant) {
	n, _ := slices.BinarySearchFunc(m.spent, at, func(s spending, at marketcache.Instant) int {
		return cmp.Compare(s.at, at)
	})
	m.spent = slices.Insert(m.spent, n, spending{at, c, weight})
	m.counts[c] += weight
}

// roll forgets weight older than the window.
func (m *meter) roll(now marketcache.Instant) {
	for len(m.spent) > 0 && now.Sub(m.spent[0].at) > budgetWindow {
		m.counts[m.spent[0].class] -= m.spent[0].weight
		m.spent = m.spent[1:]
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
	sum := m.flying + ahead + weight + leave // and, further down, what was spent from an Instant on
	burst = max(burst, weight+leave)
	wait := time.Duration(float64(sum-burst) * even)
	for i := len(m.spent) - 1; i >= 0; i-- {
		s := &m.spent[i]
		sum += s.weight
		age, until := now.Sub(s.at), time.Duration(float64(sum-burst)*even)
		if sum > limit || until > budgetWindow {
			until = budgetWindow + time.Millisecond
		}
		wait = max(wait, until-age)
	}
	return max(wait, 0)
}
