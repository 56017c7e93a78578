//go:build hours

package hyperliquid

import (
	"testing"
	"time"

	"ballast/marketcache"
)

// TestHoursWithinTheBudget (make hours: it takes a minute or two) loads 200 assets with complete
// histories and follows them over two full hours, while two wallets are read all the time. The fake
// venue checks the weight of every minute.
func TestHoursWithinTheBudget(t *testing.T) {
	var busiest int
	play(t, func(v *fakeVenue, cfg *Config) {
		v.assets = many(200)
		v.every = 5 * time.Second
		cfg.Budget, v.limit, cfg.DataDir = 1200, 1200, t.TempDir()
		v.tells("candleSnapshot", func(q infoRequest) string { return v.candles(q, 5000) })
	}, func(s scene) {
		began := time.Now()
		s.within(90*time.Minute, "every history", func() bool {
			time.Sleep(time.Second)
			return s.f.Stats().Subscriptions > 0 && s.f.history.Pending() == 0
		})
		s.Logf("warm after %v", time.Since(began))
		for hour := range 2 {
			close := time.Now().Truncate(time.Hour).Add(time.Hour)
			time.Sleep(time.Until(close))
			for range 1800 { // an hour of two agents that each ask every two seconds
				for i := range 2 {
					var w marketcache.Wallet
					w[0] = byte(1 + i)
					if _, err := s.f.LoadAccount(s.Context(), w, marketcache.NoAsset); err != nil {
						s.Fatal(err)
					}
				}
				time.Sleep(2*time.Second - time.Duration(time.Now().Nanosecond()%1000))
				if minute := time.Since(close); minute > 45*time.Minute && minute < 45*time.Minute+2*time.Second {
					for id := range marketcache.AssetID(200) {
						if _, through := s.cache.Bars(id); through < close.UnixMilli() {
							s.Fatalf("hour %d: asset %d still lacks the bar that closed 45 minutes ago", hour, id)
						}
					}
				}
			}
		}
		busiest = s.v.busiest()
		if st := s.f.Stats(); st.Refused != 0 || st.RequestFailures != 0 {
			s.Errorf("%+v", st)
		}
		s.Logf("at most %d weight in a minute, %v in all", busiest, time.Since(began))
	})
	if busiest < 600 {
		t.Errorf("only %d in the busiest minute: the test does not warm up", busiest)
	}
}
