package hyperliquid

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"ballast/marketcache"
)

func TestOrderLimits(t *testing.T) {
	want := []marketcache.OrderLimit{{Leverage: 25, USD: 15e6}, {Leverage: 1, USD: 5e5}}
	if got, ok := parseOrderLimits([]byte(`[[25,"15000000.0"],[1,"500000.0"]]`)); !ok || !slices.Equal(got, want) {
		t.Errorf("%v %v", got, ok)
	}
	for _, other := range []string{``, `null`, `[]`, `{}`, `[25]`, `[[25]]`, `[[0,"1"]]`, `[[101,"1"]]`, `[[25,"0"]]`,
		`[[25,"NaN"]]`, `[[25,"1"],[1,"-1"]]`, `[[25,"1"]`, `[["BTC","1"]]`} {
		if got, ok := parseOrderLimits([]byte(other)); ok {
			t.Errorf("%s: %v", other, got)
		}
	}
}

// TestVenueRules: the notice is followed within ten seconds, and goes when the venue takes it back or can no
// longer be asked. An unknown shape of the largest orders changes nothing.
func TestVenueRules(t *testing.T) {
	status, limits := `"Only post-only orders."`, `[[25,"15000000.0"]]`
	play(t, func(v *fakeVenue, cfg *Config) {
		v.every, cfg.DataDir = 4*time.Second, t.TempDir()
		v.info = func(q infoRequest) reply {
			switch {
			case q.Type == "maxMarketOrderNtls":
				return reply{status: 200, body: limits}
			case q.Type == "exchangeStatus" && status == "":
				return reply{status: 500, body: "null"}
			case q.Type == "exchangeStatus":
				return reply{status: 200, body: fmt.Sprintf(`{"time":%d,"specialStatuses":%s}`, v.now().UnixMilli(),
					status)}
			}
			return reply{}
		}
	}, func(s scene) {
		notice := func() string { return s.cache.Rules().CurrentNotice(marketcache.Now()) }
		time.Sleep(rulesAfter + 5*time.Second)
		if notice() != "Only post-only orders." || s.cache.Rules().LargestMarketOrder(40) != 15e6 ||
			len(s.cache.Rules().MarketOrders) != 1 {
			s.Errorf("%+v", s.cache.Rules())
		}
		for said, want := range map[string]string{`null`: "", `"Delayed."`: "Delayed.", `[]`: "", `["a"]`: `["a"]`} {
			s.v.script(func() { status, limits = said, `{"25":"1"}` })
			time.Sleep(10 * time.Second)
			if notice() != want {
				s.Errorf("%s: %q, want %q", said, notice(), want)
			}
		}
		s.v.script(func() { status = `"Delayed."` })
		time.Sleep(10 * time.Second)
		s.v.script(func() { status = "" })
		time.Sleep(45 * time.Second)
		if notice() != "Delayed." {
			s.Error("a notice read within the minute has gone")
		}
		time.Sleep(20 * time.Second)
		if notice() != "" {
			s.Error("a notice stands that nobody confirms")
		}
		if testing.Short() {
			return
		}
		time.Sleep(time.Hour)
		if len(s.cache.Rules().MarketOrders) != 1 {
			s.Errorf("%+v", s.cache.Rules())
		}
	})
}
