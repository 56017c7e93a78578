package hyperliquid

import (
	"testing"
	"time"

	"ballast/marketcache"
)

// TestCapsAgeByDex: the list of open interest caps of one dex stops arriving. Only the assets of
// that dex age; the assets of other dexes are as fresh as their own lists.
func TestCapsAgeByDex(t *testing.T) {
	play(t, twoDexes, func(s scene) {
		time.Sleep(5 * time.Minute)
		market := func(name string) marketcache.Market { return s.market(s.cache.Universe().LookupString(name)) }
		if !market("A").AtCap || market("B").AtCap {
			s.Error("A alone is at its cap")
		}
		silent := time.Now()
		s.v.answers(func(q infoRequest) (a reply) {
			if q.Type == "perpsAtOpenInterestCap" && q.Dex == "io" {
				a = reply{status: 500, body: "null"}
			}
			return a
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
// read a quarter as often, and their stated cadence says so.
func TestCapsInAWarmUp(t *testing.T) {
	takesLong(t)
	play(t, func(v *fakeVenue, cfg *Config) {
		v.assets = many(200)
		twoDexes(v, cfg)
		v.every, cfg.Budget, v.limit = 4*time.Second, 600, 600
	}, func(s scene) {
		time.Sleep(2 * time.Minute)
		from := s.v.count("perpsAtOpenInterestCap")
		for range 16 {
			time.Sleep(30 * time.Second)
			for _, name := range []string{"xyz:D", "io:E"} {
				m := s.market(s.cache.Universe().LookupString(name))
				if m.CapsAge < 0 || m.CapsAge > m.CapsCadence || m.CapsCadence > warmUpSlower*capsTurn*5/4 {
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

// TestCapsAfterSilence: whenever a silence begins and however long it lasts, ten seconds after it no list of caps is
// flagged as old.
func TestCapsAfterSilence(t *testing.T) {
	takesLong(t)
	play(t, func(v *fakeVenue, cfg *Config) {
		v.assets = []string{"A", "xyz:B", "para:C", "mkts:D", "io:E"}
		v.dexes, cfg.Dexes, cfg.Budget = []string{"xyz", "para", "mkts", "io"}, []string{AllDexes}, 6000
	}, func(s scene) {
		time.Sleep(5 * time.Minute)
		for _, silence := range []time.Duration{35 * time.Second, 2 * time.Minute} {
			for begins := range 5 {
				time.Sleep(3*time.Minute + time.Duration(begins)*20*time.Second)
				s.v.script(func() { silences["REST hangs"](s.v) })
				time.Sleep(silence)
				s.v.speaks()
				time.Sleep(10 * time.Second)
				for id := range marketcache.AssetID(5) {
					if m := s.market(id); m.CapsAge < 0 || m.CapsAge > max(2*time.Minute, m.CapsCadence) {
						t.Errorf("after %v, begun %d: caps of asset %d are %v old", silence, begins, id, m.CapsAge)
					}
				}
			}
		}
	})
}

// A list of caps that could not be read in the first load of histories, when lists come a quarter as often, is read
// again soon, not at its next turn.
func TestCapsOnceFailedInAWarmUp(t *testing.T) {
	takesLong(t)
	play(t, func(v *fakeVenue, cfg *Config) {
		v.assets, v.every, cfg.Budget = many(200), 4*time.Second, 600
	}, func(s scene) {
		time.Sleep(time.Minute)
		failed := false
		s.v.answers(func(q infoRequest) (r reply) {
			if q.Type == "perpsAtOpenInterestCap" && !failed {
				failed, r = true, reply{status: 502, body: "bad gateway"}
			}
			return r
		})
		for range 60 {
			time.Sleep(8 * time.Second)
			if m := s.market(0); m.CapsAge < 0 || m.CapsAge > m.CapsCadence {
				s.Fatalf("the list is %v old, read every %v", m.CapsAge, m.CapsCadence)
			}
		}
		if s.f.history.Pending() == 0 || !failed {
			s.Fatal("the first pass of histories ended too early for this test")
		}
	})
}
