package server

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
	"ballast/server/api"
)

// ageMinutes is how many minutes of the oldest age are kept.
const ageMinutes = 60

// oldestAges are the ages of the oldest best price of a listed asset, as seen whenever readiness is counted, which
// cmd/ballast does four times a second. The zero value is ready for use.
type oldestAges struct {
	mu      sync.Mutex
	minutes [ageMinutes]minuteAge // by minute since the epoch of Instants, modulo ageMinutes
}

// minuteAge is the largest age of one minute.
type minuteAge struct {
	minute int64
	age    time.Duration
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

// see records the oldest age at an Instant.
func (o *oldestAges) see(age time.Duration, now marketcache.Instant) {
	if age < 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	minute := int64(now) / int64(time.Minute)
	m := &o.minutes[minute%ageMinutes]
	if m.minute != minute {
		*m = minuteAge{minute: minute}
	}
	m.age = max(m.age, age)
}

const (
	walletSpan  = 10 * time.Second
	walletSpans = 7 // a minute, and the span that has begun
)

// walletAges are the ages of the wallets behind answers of the last minute. The zero value is ready for use.
type walletAges struct {
	// spans hold the largest age of each span of time, by the span's number since the epoch of Instants, modulo
	// walletSpans: the number in the upper 32 bits, the age in ms in the lower.
	spans [walletSpans]atomic.Uint64
}

// see records the age of a wallet in an answer at an Instant.
func (a *walletAges) see(age time.Duration, now marketcache.Instant) {
	span := uint64(now) / uint64(walletSpan)
	seen := span<<32 | uint64(min(max(age.Milliseconds(), 0), math.MaxUint32))
	for p := &a.spans[span%walletSpans]; ; {
		if old := p.Load(); old >= seen || p.CompareAndSwap(old, seen) {
			return
		}
	}
}

// oldest returns the largest age of the last minute, negative when no answer used a wallet.
func (a *walletAges) oldest(now marketcache.Instant) time.Duration {
	oldest, span := time.Duration(-1), uint64(now)/uint64(walletSpan)
	for i := range a.spans {
		if seen := a.spans[i].Load(); seen != 0 && seen>>32+walletSpans > span {
			oldest = max(oldest, time.Duration(seen&math.MaxUint32)*time.Millisecond)
		}
	}
	return oldest
}

// writeAges writes the ages of prices and of wallets.
func (s *Server) writeAges(w *api.Writer, oldest priceAge, now marketcache.Instant) {
	writeSeconds(w, `,"ages":{"oldest_s":`, oldest.age)
	writeSeconds(w, `,"limit_s":`, oldest.limit)
	writeSeconds(w, `,"wallets":{"oldest_s":`, s.wallets.oldest(now))
	writeSeconds(w, `,"limit_s":`, s.cfg.Engine.Ages().WalletSoft)
	s.ages.write(w, now)
}

// write writes the ages of the last hour, the oldest minute first.
func (o *oldestAges) write(w *api.Writer, now marketcache.Instant) {
	o.mu.Lock()
	defer o.mu.Unlock()
	prefix := `},"last_hour":[`
	last := int64(now) / int64(time.Minute)
	for minute := last - ageMinutes + 1; minute <= last; minute++ {
		age := time.Duration(-1)
		if m := &o.minutes[minute%ageMinutes]; m.minute == minute {
			age = m.age
		}
		writeSeconds(w, prefix, age)
		prefix = ","
	}
	w.Raw(`]}`)
}

// writeSeconds writes a duration in seconds with three decimals, null when it is negative.
func writeSeconds(w *api.Writer, key string, d time.Duration) {
	if d < 0 {
		w.IntegerOrNull(key, 0, false)
		return
	}
	w.Exact(key, math.Round(d.Seconds()*1e3)/1e3)
}
