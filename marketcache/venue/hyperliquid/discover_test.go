package hyperliquid

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// A standard wallet starts to use another dex. If the money comes from a dex that is already read,
// the new position is found at the next read; if it comes from elsewhere, within about a minute of
// reads. Gains and trades alone cause no request to another dex.
func TestPositionOnAnotherDex(t *testing.T) {
	for _, row := range []struct {
		name              string
		equity, units     float64 // account value and units on the main dex, after the change
		reads, dexAnswers int     // reads until the position is found, and answers for the dex by then
	}{
		{"money of the main dex", 715, 2, 1, 2},
		{"money from elsewhere", 1015, 2, 31, 2},
		{"money of the main dex, and a trade", 712, 3, 1, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			play(t, twoDexes, func(s scene) {
				time.Sleep(time.Minute)
				equity, units, mark, onXYZ, answers := 1000.0, 2.0, 100.0, false, 0
				s.v.tells("clearinghouseState", func(req infoRequest) string {
					account := richJSON("A", units, math.Abs(units)*mark, equity)
					if req.Dex != "" {
						account = emptyAccountJSON
						if answers++; req.Dex == "xyz" && onXYZ {
							account = richJSON("xyz:D", -3, 300, 300)
						}
					}
					return stamped(account, s.v.now())
				})
				read := func() *marketcache.Account {
					time.Sleep(2 * time.Second)
					return s.load(1, marketcache.NoAsset)
				}
				change := func(e, u, m float64) { s.v.script(func() { equity, units, mark = e, u, m }) }
				read()
				change(1010, 2, 105) // a gain of 10 USD
				read()
				change(1009.9, -1, 105.2) // three units sold
				read()
				change(1015, 2, 100)
				read()
				s.v.script(func() {
					if answers != 2 {
						s.Errorf("gains and trades caused requests to other dexes: %d answers", answers)
					}
					onXYZ, answers, equity, units = true, 0, row.equity, row.units
				})
				reads := 1
				for ; reads < 60; reads++ {
					if a := read(); slices.ContainsFunc(a.Positions,
						func(p marketcache.Position) bool { return p.Name == "xyz:D" }) {
						break
					}
				}
				if reads > row.reads || answers != row.dexAnswers {
					s.Errorf("known after %d reads and %d answers of other dexes, want %d and %d", reads, answers,
						row.reads, row.dexAnswers)
				}
			})
		})
	}
}

// A position on another dex, of money that the dexes that are read do not show, is found at the next read under
// portfolio margin, of a unified account even if it is small beside the balance, and when the streams of the wallet
// show it.
func TestPositionOnAnotherDexIsToldOfAtOnce(t *testing.T) {
	for _, row := range []struct {
		name, mode, spot, left string
		streams                bool
	}{
		{"portfolio margin", `"portfolioMargin"`, `"portfolioMarginEnabled":true,`, "990", false},
		{"unified", `"unifiedAccount"`, "", "889.5", false},
		{"streams", `"disabled"`, "", "", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			play(t, func(v *fakeVenue, cfg *Config) {
				twoDexes(v, cfg)
				cfg.DataDir, v.userEvery = t.TempDir(), 500*time.Millisecond
				if row.streams {
					cfg.WalletStreams = 1
				}
			}, func(s scene) {
				onXYZ, left := false, "890"
				state := func(dex string) string {
					switch {
					case dex == "":
						return stamped(accountJSON("A", 2, 200), s.v.now())
					case onXYZ && dex == "xyz":
						return stamped(richJSON("xyz:D", -0.1, 10, 10), s.v.now())
					}
					return stamped(emptyAccountJSON, s.v.now())
				}
				s.v.answers(func(q infoRequest) reply {
					switch {
					case q.Type == "clearinghouseState":
						return reply{status: 200, body: state(q.Dex)}
					case q.Type == "userAbstraction":
						return reply{status: 200, body: row.mode}
					case q.Type == "spotClearinghouseState" && !row.streams:
						return reply{status: 200, body: `{"balances":[{"coin":"USDC","token":0,"total":"900",` +
							`"hold":"0"}],` + row.spot + `"tokenToAvailableAfterMaintenance":[[0,"` + left + `"]]}`}
					}
					return reply{}
				})
				s.v.script(func() {
					s.v.users = func(req infoRequest) string {
						if req.Type != "allDexsClearinghouseState" {
							return userFrame(s.v, req)
						}
						return `{"channel":"` + req.Type + `","data":{"user":"` + req.User +
							`","clearinghouseStates":[["",` + state("") + `],["xyz",` + state("xyz") + `],["io",` +
							state("io") + `]]}}`
					}
				})
				time.Sleep(time.Minute)
				s.load(1, marketcache.NoAsset)
				time.Sleep(5 * time.Second)
				s.load(1, marketcache.NoAsset)
				s.v.script(func() { onXYZ, left = true, row.left })
				time.Sleep(2 * time.Second)
				if a := s.load(1, marketcache.NoAsset); len(a.Positions) != 2 {
					s.Errorf("%+v", a)
				}
			})
		})
	}
}

// For any number of wallets, requests that discover their dexes take at most a tenth of the weight,
// and every wallet is checked within ten minutes.
func TestDiscoveryKeepsToItsShare(t *testing.T) {
	takesLong(t)
	play(t, func(v *fakeVenue, cfg *Config) {
		v.dexes, cfg.Budget = []string{"a", "b", "c", "d"}, 600
	}, func(s scene) {
		time.Sleep(time.Minute)
		now := marketcache.Now()
		wallets := make([]marketcache.Account, 100)
		for i := range wallets {
			wallets[i] = marketcache.Account{Mode: marketcache.ModeDisabled, DexesRead: now}
		}
		asked := 0
		for range 20 * 30 { // twenty minutes
			time.Sleep(2 * time.Second)
			now := marketcache.Now()
			for i := range wallets {
				a := &wallets[i]
				if _, discover := s.f.accounts.dexesOf(a, marketcache.NoAsset); discover {
					if now.Sub(a.DexesRead) <= renewEvery {
						asked += 4
					}
					a.DexesRead = now
				} else if age := now.Sub(a.DexesRead); age > renewEvery {
					s.Fatalf("the dexes of wallet %d were last read %v ago", i, age)
				}
			}
		}
		if maxRequests := 20 * 600 / 10 / stateWeight; asked > maxRequests || asked < maxRequests*4/5 {
			s.Errorf("%d requests in 20 minutes, limit %d", asked, maxRequests)
		}
	})
}

// While there is no weight to renew a wallet's mode and fees, its positions are read and the old mode
// and fees are kept. When there is weight again, one read renews the mode, the next the fees.
func TestPositionsComeBeforeModeAndFees(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) { cfg.Budget = 600 }, func(s scene) {
		time.Sleep(time.Minute)
		first := s.load(1, marketcache.NoAsset)
		time.Sleep(renewEvery + time.Minute)
		var taken *feed.Grant
		take := func() { // most of what may be spent at once
			var err error
			if taken, err = s.f.queue.Acquire(s.Context(), feed.Read{Class: feed.ForLive,
				Weight: s.f.cfg.Budget/4 - modeWeight, Patience: time.Minute}); err != nil {
				s.Fatal(err)
			}
		}
		asked := func() string { return fmt.Sprint(s.v.count("userAbstraction"), s.v.count("userFees")) }
		for _, step := range []struct {
			name, asked string
			before      func()
		}{
			{"without weight", "1 1", take},
			{"with weight", "2 1", func() { taken.Release() }},
			{"at the read after", "2 2", func() {}},
		} {
			time.Sleep(2 * time.Second)
			step.before()
			states := s.v.count("clearinghouseState")
			if a := s.load(1, marketcache.NoAsset); s.v.count("clearinghouseState") != states+1 ||
				a.Mode != first.Mode || a.TakerRate != first.TakerRate {
				s.Errorf("%s: the state was not read, or mode and fees were lost: %+v", step.name, a)
			}
			if got := asked(); got != step.asked {
				s.Errorf("%s: mode and fees were asked %s times, want %s", step.name, got, step.asked)
			}
		}
	})
}

// TestDexWithoutState: the venue answers with an error about the accounts on one dex. Wallets that, as
// far as known, do not use the dex are read, and say what is missing. Once the dex answers, it is
// read within a minute.
func TestDexWithoutState(t *testing.T) {
	play(t, twoDexes, func(s scene) {
		time.Sleep(time.Minute)
		broken := false
		s.v.answers(func(q infoRequest) (a reply) {
			switch {
			case q.Type != "clearinghouseState" || q.Dex != "xyz":
			case broken:
				a = reply{status: 500, body: "null"}
			default:
				account := richJSON("xyz:D", -3, 300, 300)
				a = reply{status: 200, body: stamped(account, s.v.now())}
			}
			return a
		})
		read := func(n byte, positions int, unread ...string) {
			s.Helper()
			if a := s.load(n, marketcache.NoAsset); len(a.Positions) != positions || !slices.Equal(a.Unread, unread) {
				s.Fatalf("%+v", a)
			}
		}
		read(1, 2)
		s.v.script(func() { broken = true })
		time.Sleep(2 * time.Second)
		if _, err := s.f.LoadAccount(s.Context(), first, marketcache.NoAsset); !errors.Is(err, marketcache.ErrVenue) {
			s.Errorf("a wallet with a position on the dex: %v", err)
		}
		for range 3 {
			read(2, 1, "xyz")
			time.Sleep(2 * time.Second)
		}
		s.v.script(func() { broken = false })
		time.Sleep(discoverEvery)
		read(1, 2)
		read(2, 2)
	})
}

// TestUniverseIsTriedAgain: a dex whose universe cannot be read at the start is read within seconds of
// the venue's answer, not in the turn of all dexes.
func TestUniverseIsTriedAgain(t *testing.T) {
	failures := 2
	play(t, func(v *fakeVenue, cfg *Config) {
		twoDexes(v, cfg)
		v.info = func(q infoRequest) (a reply) {
			if q.Type == "metaAndAssetCtxs" && q.Dex == "io" && failures > 0 {
				failures--
				a = reply{status: 500, body: "null"}
			}
			return a
		}
	}, func(s scene) {
		s.within(30*time.Second, "the assets of io", func() bool {
			return s.cache.Universe().LookupString("io:E") != marketcache.NoAsset
		})
	})
}
