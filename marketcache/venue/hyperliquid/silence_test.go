package hyperliquid

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

// silences are the ways in which a venue falls silent.
var silences = map[string]func(v *fakeVenue){
	"frozen":           func(v *fakeVenue) { v.frozen = make(chan struct{}) },
	"mute, REST hangs": func(v *fakeVenue) { v.silent, v.hold = true, 40*time.Second },
	"cut and refused":  func(v *fakeVenue) { v.down = true },
	"sockets mute":     func(v *fakeVenue) { v.silent = true },
	"sockets refused":  func(v *fakeVenue) { v.noSocket = true },
	"REST hangs":       func(v *fakeVenue) { v.hold = 40 * time.Second },
	"REST fails": func(v *fakeVenue) {
		v.info = func(infoRequest) reply { return reply{status: 502, body: "bad gateway"} }
	},
	"resets": func(v *fakeVenue) {
		v.silent, v.noSocket, v.info = true, true, func(infoRequest) reply { return reply{status: -1} }
	},
	"mute, REST fails": func(v *fakeVenue) {
		v.silent, v.info = true, func(infoRequest) reply { return reply{status: 502, body: "bad gateway"} }
	},
}

// speaks ends every silence.
func (v *fakeVenue) speaks() {
	v.script(func() {
		v.down, v.silent, v.noSocket, v.hold, v.info = false, false, false, 0, nil
		v.push, v.noMarks, v.noLists = v.movingBook, false, false
		if v.frozen != nil {
			close(v.frozen)
			v.frozen = nil
		}
	})
}

// stale names an input of an asset that an answer would flag as old, "" if there is none.
func (s scene) stale(id marketcache.AssetID) string {
	soft := func(cadence time.Duration) time.Duration {
		if cadence == 0 {
			return 5 * time.Second
		}
		return cadence + 950*time.Millisecond
	}
	m := s.market(id)
	switch late := func(age, limit time.Duration) bool { return age < 0 || age > limit }; {
	case m.Book == nil || late(m.BookAge, soft(m.Book.Cadence)):
		return fmt.Sprint("book ", m.BookAge)
	case late(m.DepthAge, soft(m.Book.DepthCadence)):
		return fmt.Sprint("depth ", m.DepthAge)
	case m.Context == nil || late(m.ContextAge, soft(m.MarkCadence)):
		return fmt.Sprint("mark ", m.ContextAge)
	case late(m.SlowAge, soft(m.SlowCadence)):
		return fmt.Sprint("context ", m.SlowAge)
	case late(m.CapsAge, max(2*time.Minute, m.CapsCadence)):
		return fmt.Sprint("caps ", m.CapsAge)
	}
	return ""
}

// late names an input of any asset, or the first wallet, that is not fresh, "" if there is none.
func (s scene) late() string {
	for _, id := range s.f.ranks.Load().IDs {
		if what := s.stale(id); what != "" {
			return fmt.Sprint("asset ", id, ": ", what)
		}
	}
	if _, age, ok := s.cache.Account(&first, marketcache.Now(), marketcache.Forever); !ok || age > 2*time.Second {
		return fmt.Sprint("wallet ", age)
	}
	return ""
}

// back waits until everything is fresh, which takes at most ten seconds, and a wallet that is new to a key is known.
func (s scene) back(round int, newWallet time.Duration) {
	s.Helper()
	began, last := time.Now(), ""
	known := make(chan time.Duration, 1)
	go func() {
		p, w := &poller{scene: s, id: fmt.Sprint("key ", round)}, fresh()
		for err := p.ask(w, marketcache.NoAsset); err != nil && s.f.life.Err() == nil; {
			wait, _ := marketcache.RetryAfter(err)
			time.Sleep(wait.Truncate(time.Second) + time.Second) // Retry-After has whole seconds
			err = p.ask(w, marketcache.NoAsset)
		}
		known <- time.Since(began)
	}()
	for what := s.late(); what != ""; what = s.late() {
		last = what
		time.Sleep(20 * time.Millisecond)
		if time.Since(began) > 10*time.Second {
			s.Fatalf("round %d: not fresh after 10 s: %s", round, what)
		}
	}
	s.Logf("round %d: fresh after %v, the last: %s", round, time.Since(began), last)
	took := <-known
	if s.Logf("round %d: a new wallet after %v", round, took); took > newWallet {
		s.Errorf("round %d: a new wallet took %v", round, took)
	}
}

// TestBackAfterSilence: the venue is silent for 35 s, three times running, each time in one way. All inputs of all
// assets, and a wallet, are fresh again within ten seconds after it is back, and a new wallet is read, within our share
// of the venue's limits.
// Injects the fault silence of docs/faults.md.
func TestBackAfterSilence(t *testing.T) {
	takesLong(t)
	for name, silence := range silences {
		for _, assets := range []int{8, 40} {
			t.Run(fmt.Sprint(name, " ", assets), func(t *testing.T) {
				play(t, func(v *fakeVenue, cfg *Config) {
					v.assets, v.dexes, cfg.Dexes = many(assets), []string{"xyz"}, []string{AllDexes}
					for i := range assets / 8 {
						v.assets[assets-1-i] = "xyz:" + v.assets[assets-1-i]
					}
					cfg.Share, cfg.Budget, v.limit, cfg.WalletStreams = 0.5, 0, 600, 8
				}, func(s scene) {
					ctx, cancel := context.WithCancel(s.Context())
					defer cancel()
					repeat(ctx, 0, time.Second, func(uint64) { s.f.LoadAccount(ctx, first, marketcache.NoAsset) })
					time.Sleep(time.Minute)
					for round := range 3 {
						s.within(30*time.Second, "fresh before", func() bool { return s.late() == "" })
						time.Sleep(time.Duration(round) * 700 * time.Millisecond) // another moment of each cadence
						s.v.script(func() { silence(s.v) })
						if strings.HasSuffix(name, "refused") {
							s.v.cut()
						}
						time.Sleep(35 * time.Second)
						s.v.speaks()
						newWallet := 10 * time.Second
						if strings.HasPrefix(name, "sockets") { // REST stood in for the streams, with all the weight
							newWallet = 25 * time.Second
						}
						s.back(round, newWallet)
					}
					s.connectsBounded()
				})
			})
		}
	}
}

// TestProbesAreCheap: while the venue fails, asking for a new wallet again and again costs the weight of one request at
// a time, so that there is weight left when the venue is back.
func TestProbesAreCheap(t *testing.T) {
	play(t, func(_ *fakeVenue, cfg *Config) { cfg.Budget = 6000 }, func(s scene) {
		time.Sleep(30 * time.Second)
		s.v.script(func() {
			s.v.info = func(infoRequest) reply { return reply{status: 502, body: "bad gateway"} }
		})
		for range 300 {
			s.f.LoadAccount(s.Context(), first, marketcache.NoAsset)
			time.Sleep(100 * time.Millisecond)
		}
		if w := s.f.Stats().Weight.Wallets; w == 0 || w > 3*s.f.firstWeight() {
			s.Errorf("%d weight in 30 s, a first read weighs %d", w, s.f.firstWeight())
		}
	})
}

// TestUnsentCostsNothing: what could not be sent, because the venue refuses connections, costs no weight, so that there
// is weight for all when it is back.
func TestUnsentCostsNothing(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) { cfg.Budget = 600 }, func(s scene) {
		time.Sleep(30 * time.Second)
		s.v.script(func() { s.v.down = true })
		s.v.cut()
		for range 90 {
			s.f.LoadAccount(s.Context(), first, marketcache.NoAsset)
			time.Sleep(time.Second)
		}
		if w := s.f.Stats().Weight; w.Wallets+w.Live+w.Tables+w.Histories != 0 {
			s.Errorf("%+v", w)
		}
	})
}
