package hyperliquid

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// userFrame returns the frame of a user stream of a wallet with a position of 2 A, as REST says by default.
func userFrame(v *fakeVenue, req infoRequest) string {
	data := ""
	switch req.Type {
	case "allDexsClearinghouseState":
		state := stamped(accountJSON("A", 2, 200), v.now())
		data = `{"user":"` + req.User + `","clearinghouseStates":[["",` + state + `]]}`
	case "spotState":
		data = `{"user":"` + req.User + `","spotState":{"balances":[]}}`
	case "activeAssetData":
		data = `{"user":"` + req.User + `","coin":"` + req.Coin + `","leverage":{"type":"isolated","value":9}}`
	}
	return `{"channel":"` + req.Type + `","data":` + data + `}`
}

// streaming plays a script against a feed that follows up to n wallets.
func streaming(t *testing.T, n int, every time.Duration, script func(s scene)) {
	play(t, func(v *fakeVenue, cfg *Config) {
		cfg.DataDir, cfg.WalletStreams, cfg.Budget = t.TempDir(), n, 6000
		v.userEvery = every
		v.users = func(req infoRequest) string { return userFrame(v, req) }
	}, func(s scene) {
		time.Sleep(20 * time.Second)
		script(s)
	})
}

func (s scene) walletStreams() marketcache.WalletStreams {
	time.Sleep(1100 * time.Millisecond) // they are published every second
	return *s.cache.Venue.WalletStreams.Load()
}

// A wallet that is asked for costs no more than its first read and its confirmations, leverage settings
// included.
func TestStreamedWallet(t *testing.T) {
	streaming(t, 2, 500*time.Millisecond, func(s scene) {
		first := s.load(1, 1)
		time.Sleep(5 * time.Second)
		reads, settings := s.v.count("clearinghouseState"), s.v.count("activeAssetData")
		for range 240 {
			a := s.load(1, 1)
			if age := marketcache.Now().Sub(a.Received); age > 2*time.Second {
				s.Fatalf("the state is %v old", age)
			}
			if setting, ok := a.Setting(1); !ok || setting.Leverage != 9 || !setting.Isolated {
				s.Fatalf("setting %+v", setting)
			}
			if len(a.Positions) != 1 || a.Positions[0].Units != 2 || a.TakerRate != first.TakerRate ||
				a.Mode != first.Mode {
				s.Fatalf("%+v", a)
			}
			time.Sleep(500 * time.Millisecond)
		}
		if n := s.v.count("clearinghouseState") - reads; n < 3 || n > 5 {
			s.Errorf("the state was read %d times in two minutes", n)
		}
		if n := s.v.count("activeAssetData") - settings; n != 0 {
			s.Errorf("a setting was read %d times", n)
		}
		if w := s.walletStreams(); w.Followed != 1 || w.Limit != 2 || w.Confirmed < 4 ||
			w.Differed+w.Refused+w.Dropped != 0 || w.GapP50 != 500*time.Millisecond {
			s.Errorf("%+v", w)
		}
	})
}

// A state that comes late is read like any other wallet, or goes out with its age when there is no weight.
func TestLateStream(t *testing.T) {
	streaming(t, 2, 5*time.Second, func(s scene) {
		s.load(1, marketcache.NoAsset)
		time.Sleep(11 * time.Second)
		for range 10 {
			reads := s.v.count("clearinghouseState")
			held, age, _ := s.cache.Account(&first, marketcache.Now(), marketcache.Forever)
			a := s.load(1, marketcache.NoAsset)
			if asked := s.v.count("clearinghouseState") > reads; age > streamFresh && (!asked || a == held) {
				s.Errorf("a state that is %v old served without REST", age)
			}
			time.Sleep(1700 * time.Millisecond)
		}
		s.within(6*time.Second, "an old state", func() bool {
			_, age, _ := s.cache.Account(&first, marketcache.Now(), marketcache.Forever)
			return age > 4*time.Second
		})
		s.f.queue.Refused(feed.ForWallet, 30*time.Second) // no weight until then
		if a := s.load(1, marketcache.NoAsset); marketcache.Now().Sub(a.Received) < 4*time.Second {
			s.Errorf("a state without weight is said to be from %v ago", marketcache.Now().Sub(a.Received))
		}
		other := marketcache.WithCaller(s.Context(), marketcache.Caller{ID: "other"})
		_, err := s.f.LoadAccount(other, wallet(2), marketcache.NoAsset)
		if !errors.Is(err, marketcache.ErrBudget) {
			s.Errorf("a wallet without streams: %v", err)
		}
	})
}

// What only the streams of a wallet say is not used. What only REST says is used, and flagged after the next frame.
// What both say is used without a flag. Injects the fault said-twice of docs/faults.md.
func TestStreamsBesideREST(t *testing.T) {
	for _, row := range []struct {
		name         string
		stream, rest float64 // units that they say from then on; before, both say 2
		every        time.Duration
	}{{"stream", 3, 2, time.Second / 2}, {"REST", 2, 3, time.Second / 2}, {"both", 3, 3, time.Second / 2},
		{"REST, seldom frames", 2, 3, 5 * time.Second}} {
		t.Run(row.name, func(t *testing.T) {
			streaming(t, 2, row.every, func(s scene) {
				s.load(1, marketcache.NoAsset)
				time.Sleep(5 * time.Second)
				s.load(1, marketcache.NoAsset)
				state := func(units float64) string {
					return stamped(accountJSON("A", units, 100*units), s.v.now())
				}
				s.v.script(func() {
					s.v.users = func(req infoRequest) string {
						return strings.Replace(userFrame(s.v, req), state(2), state(row.stream), 1)
					}
				})
				s.v.tells("clearinghouseState", func(infoRequest) string { return state(row.rest) })
				reads := s.v.count("clearinghouseState")
				used := 0 // for how long what REST says has been used, half seconds
				for at := range 90 {
					time.Sleep(500 * time.Millisecond)
					s.load(1, marketcache.NoAsset)
					a, _, _ := s.cache.Account(&first, marketcache.Now(), marketcache.Forever)
					units := a.Positions[0].Units
					if units == row.rest {
						used++
					}
					if used == 0 && (row.stream == row.rest && at > 4 || at > 70) || units != row.rest && units != 2 {
						s.Errorf("%d: %v units", at, units)
					}
					differ, late := row.stream != row.rest, used > 3+2*int(row.every/time.Second)
					if a.Misquoted != differ && (!differ || row.rest == 3 && late) {
						s.Errorf("%d: flagged: %v", at, a.Misquoted)
					}
				}
				if n := s.v.count("clearinghouseState") - reads; n > 100 || n > 6 && row.stream == row.rest {
					s.Errorf("%d reads in 45 s", n)
				}
				s.v.script(func() { s.v.users = func(req infoRequest) string { return userFrame(s.v, req) } })
				s.v.answers(nil)
				time.Sleep(2 * row.every)
				s.load(1, marketcache.NoAsset)
				time.Sleep(2*time.Second + row.every)
				a, _, _ := s.cache.Account(&first, marketcache.Now(), marketcache.Forever)
				if a.Positions[0].Units != 2 || a.Misquoted {
					s.Errorf("afterwards: %+v", a)
				}
				s.load(1, marketcache.NoAsset)
				reads = s.v.count("clearinghouseState")
				for range 10 {
					s.load(1, marketcache.NoAsset)
					time.Sleep(time.Second)
				}
				if n := s.v.count("clearinghouseState") - reads; n > 2 && row.every < time.Second {
					s.Errorf("afterwards the state is read %d times in ten seconds", n)
				}
			})
		})
	}
}

// While the connection is lost the state ages; the first frame after it serves, and REST confirms it.
func TestStreamsReconnect(t *testing.T) {
	streaming(t, 2, 500*time.Millisecond, func(s scene) {
		s.load(1, marketcache.NoAsset)
		time.Sleep(5 * time.Second)
		s.load(1, marketcache.NoAsset)
		s.v.script(func() { s.v.noSocket = true })
		s.v.cut()
		time.Sleep(10 * time.Second)
		if _, age, _ := s.cache.Account(&first, marketcache.Now(), marketcache.Forever); age < 9*time.Second {
			s.Errorf("without a connection the state is %v old", age)
		}
		reads := s.v.count("clearinghouseState")
		s.load(1, marketcache.NoAsset)
		if s.v.count("clearinghouseState") == reads {
			s.Error("an old state served without REST")
		}
		s.v.script(func() { s.v.noSocket = false })
		time.Sleep(15 * time.Second)
		before := s.walletStreams()
		s.load(1, marketcache.NoAsset)
		time.Sleep(time.Second)
		_, age, _ := s.cache.Account(&first, marketcache.Now(), marketcache.Forever)
		if after := s.walletStreams(); age > time.Second || before.Confirmed < 2 || after.Differed != 0 {
			s.Errorf("%v old, %+v", age, after)
		}
	})
}

// The venue tracks a number of users only. Which wallets are followed changes slowly.
func TestStreamsOfUsers(t *testing.T) {
	streaming(t, 3, 500*time.Millisecond, func(s scene) {
		s.v.script(func() {
			s.v.users = func(req infoRequest) string {
				if req.User == wallet(2).String() {
					return `{"channel":"error","data":"Cannot track more than 15 total users."}`
				}
				return userFrame(s.v, req)
			}
		})
		s.load(1, marketcache.NoAsset)
		time.Sleep(5 * time.Second)
		s.load(2, marketcache.NoAsset)
		s.within(5*time.Second, "the refusal", func() bool { return s.walletStreams().Refused == 1 })
		if w := s.walletStreams(); w.Limit != 1 || w.Followed != 1 || s.f.streams.of(first) == nil {
			s.Errorf("%+v", w)
		}
		for range 25 {
			s.load(1, marketcache.NoAsset)
			s.load(3, marketcache.NoAsset)
			time.Sleep(time.Second)
		}
		if s.f.streams.of(first) == nil {
			s.Error("a wallet that is asked for has left")
		}
		for range 35 {
			s.load(3, marketcache.NoAsset)
			time.Sleep(time.Second)
		}
		if s.f.streams.of(wallet(3)) == nil || s.f.streams.of(first) != nil || s.walletStreams().Followed != 1 {
			s.Error("a wallet that nobody asks for is still followed")
		}
		s.f.streams.mu.Lock()
		defer s.f.streams.mu.Unlock()
		if now, hour := marketcache.Now(), marketcache.Now().Add(time.Hour); s.f.streams.bound(now) != 1 ||
			s.f.streams.bound(hour) != 3 {
			s.Errorf("limit %d, an hour later %d", s.f.streams.bound(now), s.f.streams.bound(hour))
		}
	})
}

// Three unusable frames in a row have the wallet go by REST.
func TestUnusableStream(t *testing.T) {
	streaming(t, 2, 500*time.Millisecond, func(s scene) {
		s.load(1, marketcache.NoAsset)
		time.Sleep(5 * time.Second)
		s.v.script(func() {
			s.v.users = func(req infoRequest) string {
				return strings.Replace(userFrame(s.v, req), `"szi":"2"`, `"szi":"NaN"`, 1)
			}
		})
		time.Sleep(5 * time.Second)
		reads := s.v.count("clearinghouseState")
		for range 5 {
			if a := s.load(1, marketcache.NoAsset); marketcache.Now().Sub(a.Received) > time.Second ||
				a.Positions[0].Units != 2 {
				s.Errorf("%+v", a)
			}
			time.Sleep(time.Second)
		}
		if n := s.v.count("clearinghouseState") - reads; n != 5 {
			s.Errorf("read %d times of 5", n)
		}
		if w := s.walletStreams(); w.Dropped < 3 {
			s.Errorf("%+v", w)
		}
	})
}

func TestSameWallet(t *testing.T) {
	account := func(change func(*marketcache.Account)) *marketcache.Account {
		a := &marketcache.Account{
			Pools: []marketcache.Pool{{EquityUSD: 1000}},
			Positions: []marketcache.Position{
				{Name: "A", Units: 2, ValueUSD: 2000}, {Name: "B", Units: -1, ValueUSD: 500, Isolated: true,
					RawUSD: 600},
			},
		}
		change(a)
		return a
	}
	base := account(func(*marketcache.Account) {})
	for name, row := range map[string]struct {
		change func(*marketcache.Account)
		same   bool
	}{
		"nothing": {func(a *marketcache.Account) {}, true},
		"prices rise": {func(a *marketcache.Account) {
			a.Positions[0].ValueUSD,
				a.Pools[0].EquityUSD = 2100, 1100
		}, true},
		"money comes":              {func(a *marketcache.Account) { a.Pools[0].EquityUSD = 1100 }, false},
		"a trade":                  {func(a *marketcache.Account) { a.Positions[0].Units = 1.9 }, false},
		"a position is closed":     {func(a *marketcache.Account) { a.Positions = a.Positions[:1] }, false},
		"isolated margin is added": {func(a *marketcache.Account) { a.Positions[1].RawUSD = 650 }, false},
		"another order": {func(a *marketcache.Account) {
			a.Positions[0], a.Positions[1] = a.Positions[1],
				a.Positions[0]
		}, true},
		"a position of another dex": {func(a *marketcache.Account) { a.Positions[0].Name = "xyz:A" }, false},
		"an empty pool more": {func(a *marketcache.Account) {
			a.Pools = append(a.Pools, marketcache.Pool{Dex: "xyz"})
		}, true},
		"a pool more": {func(a *marketcache.Account) {
			a.Pools = append(a.Pools, marketcache.Pool{Dex: "xyz", EquityUSD: 50})
		}, false},
	} {
		if sameWallet(base, account(row.change)) != row.same {
			t.Errorf("%s: want %v", name, row.same)
		}
		if sameWallet(account(row.change), base) != row.same {
			t.Errorf("%s, the other way round: want %v", name, row.same)
		}
	}
}
