package hyperliquid

import (
	"testing"
	"time"
)

// TestUnreadableCandles: candles that were never read are told after some minutes, until one answer is good.
func TestUnreadableCandles(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) {
		v.tells("candleSnapshot", func(q infoRequest) string { return map[string]string{"B": "garbage"}[q.Req.Coin] })
	}, func(s scene) {
		told := func(name string) bool {
			l := s.cache.Loading(s.cache.Universe().LookupString(name))
			return l != nil && l.Unreadable
		}
		time.Sleep(2 * time.Minute)
		if told("B") {
			s.Error("told after two minutes")
		}
		s.within(3*time.Minute, "it is told", func() bool { return told("B") })
		if told("A") || told("C") {
			s.Error("others are told too")
		}
		s.v.answers(nil)
		s.within(10*time.Minute, "it is read", func() bool { return !told("B") && s.f.history.Pending() == 0 })
	})
}
