package server

import (
	"math"
	"sync/atomic"
	"time"

	"ballast/marketcache"
	"ballast/server/api"
)

// ageMinutes is how many minutes of the oldest age are kept.
const ageMinutes = 60

// oldestAges are the largest ages in each of the last spans of time, the one that has begun among them.
type oldestAges struct {
	span time.Duration
	// peaks are by the span's number since the epoch of Instants, modulo their count: the number in the upper 32 bits,
	// the age in ms in the lower.
	peaks []atomic.Uint64
}

// newOldestAges keeps the largest ages of n spans.
func newOldestAges(span time.Duration, n int) *oldestAges {
	return &oldestAges{span, make([]atomic.Uint64, n)}
}

// priceAge is the age of an asset's best price, and the age from which answers are flagged for it. Negative: the
// price was never received.
type priceAge struct{ age, limit time.Duration }

// priceAge returns the age of the asset's best price.
func (s *Server) priceAge(id marketcache.AssetID, now marketcache.Instant) priceAge {
	ages := s.cfg.Engine.Ages()
	book, age, _ := s.cfg.Cache.Books(id).Latest(now, marketcache.Forever)
	if book == nil || (*book).Cadence == 0 {
		return priceAge{age, ages.MarketSoft}
	}
	return priceAge{age, (*book).Cadence + ages.CadenceSoft}
}

// see records an age at an Instant.
func (o *oldestAges) see(age time.Duration, now marketcache.Instant) {
	span := uint64(now) / uint64(o.span)
	seen := span<<32 | uint64(min(max(age.Milliseconds(), 0), math.MaxUint32))
	for p := &o.peaks[span%uint64(len(o.peaks))]; ; {
		if old := p.Load(); old >= seen || p.CompareAndSwap(old, seen) {
			return
		}
	}
}

// before returns the largest age of the span that is n before the present one, negative when there was none.
func (o *oldestAges) before(n int, now marketcache.Instant) time.Duration {
	span := uint64(now)/uint64(o.span) - uint64(n)
	seen := o.peaks[span%uint64(len(o.peaks))].Load()
	if seen>>32 != span {
		return -1
	}
	return time.Duration(seen&math.MaxUint32) * time.Millisecond
}

// oldest returns the largest age of all spans, negative when there was none.
func (o *oldestAges) oldest(now marketcache.Instant) time.Duration {
	oldest := time.Duration(-1)
	for n := range o.peaks {
		oldest = max(oldest, o.before(n, now))
	}
	return oldest
}

// writeAges writes the ages of prices and of wallets, and those of the last hour, the oldest minute first.
func (s *Server) writeAges(w *api.Writer, oldest priceAge, now marketcache.Instant) {
	writeSeconds(w, `,"ages":{"oldest_s":`, oldest.age)
	writeSeconds(w, `,"limit_s":`, oldest.limit)
	writeSeconds(w, `,"wallets":{"oldest_s":`, s.wallets.oldest(now))
	writeSeconds(w, `,"limit_s":`, s.cfg.Engine.Ages().WalletSoft)
	for i := range w.Each(`},"last_hour":`, ageMinutes) {
		writeSeconds(w, ``, s.ages.before(ageMinutes-1-i, now))
	}
	w.Raw(`}`)
}

// writeSeconds writes a duration in seconds with three decimals, null when it is negative.
func writeSeconds(w *api.Writer, key string, d time.Duration) {
	if d < 0 {
		w.IntegerOrNull(key, 0, false)
		return
	}
	w.Exact(key, math.Round(d.Seconds()*1e3)/1e3)
}
