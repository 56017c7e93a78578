package server

import (
	"math"
	"sync"
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

// write writes the present oldest age and those of the last hour, the oldest minute first.
func (o *oldestAges) write(w *api.Writer, oldest priceAge, now marketcache.Instant) {
	writeSeconds(w, `,"ages":{"oldest_s":`, oldest.age)
	writeSeconds(w, `,"limit_s":`, oldest.limit)
	o.mu.Lock()
	defer o.mu.Unlock()
	prefix := `,"last_hour":[`
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
