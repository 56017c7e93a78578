package hyperliquid

import (
	"testing"
	"time"

	"ballast/marketcache"
)

// TestCapsAgeByDex: the list of open interest caps of one dex stops arriving. Only the assets of
// that dex age; the assets of other dexes are as fresh as their own lists.
func TestCapsAgeByDex(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) {
		v.assets, v.dexes = append(v.assets, "xyz:D", "io:E"), []string{"xyz", "io"}
		v.every = 4 * time.Second
		cfg.Dexes = []string{AllDexes}
	}, func(s scene) {
		time.Sleep(5 * time.Minute)
		market := func(name string) (m marketcache.Market) {
			s.cache.Market(s.cache.Universe().LookupString(name), marketcache.Now(), marketcache.AgeLimits{}, &m)
			return m
		}
		if !market("A").AtCap || market("B").AtCap {
			s.Error("A alone is at its cap")
		}
		silent := time.Now()
		s.v.script(func() {
			s.v.info = func(kind string, req infoRequest) (int, string, map[string]string) {
				if kind == "perpsAtOpenInterestCap" && req.Dex == "io" {
					return 500, "null", nil
				}
				return 0, "", nil
			}
		})
		for range 30 {
			time.Sleep(20 * time.Second)
			for _, name := range []string{"A", "B", "xyz:D"} {
				if m := market(name); m.CapsAge < 0 || m.CapsAge > m.CapsCadence || m.CapsCadence > 125*time.Second {
					s.Fatalf("the list with %s is %v old, read every %v", name, m.CapsAge, m.CapsCadence)
				}
			}
			if m := market("io:E"); m.CapsAge < time.Since(silent) {
				s.Fatalf("the list with io:E is %v old by the cache, %v by the clock", m.CapsAge, time.Since(silent))
			}
		}
	})
}

// TestCapsInAWarmUp: during the first load of histories the cap lists of builder-deployed dexes are
// read less often, and their stated cadence says so.
func TestCapsInAWarmUp(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, under the race detector many")
	}
	limits := smallCache
	defer func() { smallCache = limits }()
	smallCache.Assets = 512
	play(t, func(v *fakeVenue, cfg *Config) {
		v.assets, v.dexes = append(many(200), "xyz:D", "io:E"), []string{"xyz", "io"}
		v.every = 4 * time.Second
		cfg.Dexes, cfg.Budget, v.limit = []string{AllDexes}, 600, 600
	}, func(s scene) {
		time.Sleep(2 * time.Minute)
		from := s.v.count("perpsAtOpenInterestCap")
		for range 16 {
			time.Sleep(30 * time.Second)
			for _, name := range []string{"xyz:D", "io:E"} {
				var m marketcache.Market
				s.cache.Market(s.cache.Universe().LookupString(name), marketcache.Now(), marketcache.AgeLimits{}, &m)
				if m.CapsAge < 0 || m.CapsAge > m.CapsCadence || m.CapsCadence > 5*time.Minute {
					s.Fatalf("the list with %s is %v old, read every %v", name, m.CapsAge, m.CapsCadence)
				}
			}
		}
		if s.f.history.Pending() == 0 {
			s.Fatal("the first pass of histories ended too early for this test")
		}
		if n := s.v.count("perpsAtOpenInterestCap") - from; n > 8+5 {
			s.Errorf("%d lists in eight minutes, of the main dex and two others", n)
		}
	})
}
