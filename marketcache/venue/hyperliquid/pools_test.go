package hyperliquid

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

// TestPoolsAreChecked: the venue's figure for the equity left after maintenance margin must be
// consistent with its other answers. If not, everything is read once more; if it still is not, the
// account is marked as an estimate.
func TestPoolsAreChecked(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) { v.every = 8 * time.Second }, func(s scene) {
		time.Sleep(3 * time.Second)
		left := func(texts ...string) {
			n := 0
			s.v.script(func() {
				s.v.asked["spotClearinghouseState"] = 0
				s.v.info = func(q infoRequest) reply {
					switch q.Type {
					case "userAbstraction":
						return reply{status: 200, body: "null"}
					case "spotClearinghouseState":
						n++
						left := texts[min(n, len(texts))-1]
						return reply{status: 200, body: `{"balances":[{"coin":"USDC","token":0,"total":"700.0",` +
							`"hold":"0.0"}],"tokenToAvailableAfterMaintenance":[[0,"` + left + `"]]}`}
					case "clearinghouseState":
						return (&fakeVenue{skew: s.v.skew}).answer(q) // its maintenance margin is 10 USD
					}
					return reply{}
				}
			})
		}
		for i, c := range []struct {
			left   []string
			asked  int
			exact  bool
			equity float64
		}{
			{[]string{"690.0"}, 1, true, 700},
			{[]string{"500.0", "690.5"}, 2, true, 700},
			{[]string{"500.0"}, 2, false, 0},
		} {
			left(c.left...)
			a := s.load(byte(20+i), marketcache.NoAsset)
			if a.Mode != marketcache.ModeUnified || a.SpotUSDC != 700 || a.ModeUncertain == c.exact ||
				s.v.count("spotClearinghouseState") != c.asked ||
				(len(a.Pools) == 1) != c.exact || c.exact && a.Pools[0].EquityUSD != c.equity {
				s.Errorf("%v: %+v, asked %d times", c.left, a, s.v.count("spotClearinghouseState"))
			}
		}
	})
}

func TestDexesTakeTurns(t *testing.T) {
	f := bareFeed()
	f.learn([]byte(metaJSON("A")))
	d := &f.dexes
	d.names = []string{"dead", "a", "b"}
	for _, dex := range d.names {
		m, _, ok := parseMetaAndContexts([]byte(strings.ReplaceAll(metaJSON("X"), `"name":"X"`,
			`"isDelisted":`+map[bool]string{true: "true", false: "false"}[dex == "dead"]+`,"name":"`+dex+`:X"`)), nil)
		m.dex = dex
		if _, _, err := f.universe.apply(m); !ok || err != nil {
			t.Fatal(dex, ok, err)
		}
	}
	now := marketcache.Instant(time.Hour)
	var order []string
	for i := range 70 {
		order = append(order, d.next(now.Add(time.Duration(i)*time.Minute), false))
	}
	dead := 0
	for _, dex := range order[3:] {
		if dex == "dead" {
			dead++
		}
	}
	if order[3] != "a" || order[4] != "b" || dead != 2 {
		t.Errorf("order %v", order)
	}
	now = now.Add(100 * time.Minute)
	d.mismatched("b")
	if a, b := d.next(now, true), d.next(now, true); a != "b" || b != "" {
		t.Errorf("after a mismatch %q, %q", a, b)
	}
}

// A builder-deployed dex may have no market yet: its empty list is no error, and read again as seldom as that of
// a dex whose markets are delisted. An empty list of the main dex, or of one that had markets, is refused.
func TestDexWithoutMarkets(t *testing.T) {
	f := bareFeed()
	empty := func(dex string) error {
		m, _, ok := parseMetaAndContexts([]byte(`[{"universe":[],"marginTables":[],"collateralToken":0},[]]`), nil)
		if !ok {
			t.Fatal("an empty list is not read")
		}
		m.dex = dex
		_, _, err := f.universe.apply(m)
		return err
	}
	if empty("") == nil {
		t.Error("a first universe without assets is taken")
	}
	f.learn([]byte(metaJSON("A")))
	if empty("") == nil || f.universe.positions("") == nil {
		t.Error("the main dex has lost its assets")
	}
	if err := empty("new"); err != nil {
		t.Fatal(err)
	}
	f.dexes.all = []string{"new", "a"}
	f.dexes.names = f.dexes.all
	if hold := f.dexes.mayHold(); !slices.Equal(hold, []string{"a"}) {
		t.Errorf("wallets may hold positions on %q", hold)
	}
	now := marketcache.Instant(time.Hour)
	for i, want := range []string{"new", "a", "a", "a"} {
		if got := f.dexes.next(now.Add(time.Duration(i)*time.Minute), false); got != want {
			t.Errorf("turn %d: %q, want %q", i, got, want)
		}
	}
	m, _, _ := parseMetaAndContexts([]byte(strings.ReplaceAll(metaJSON("X"), `"name":"X"`, `"name":"a:X"`)), nil)
	m.dex = "a"
	if _, _, err := f.universe.apply(m); err != nil || empty("a") == nil {
		t.Errorf("%v; or a dex has lost its assets", err)
	}
}

// TestBalanceOfADexThatIsNotRead: a unified wallet without positions outside the main dex keeps its balances in the
// tokens of the other dexes, which are not read.
func TestBalanceOfADexThatIsNotRead(t *testing.T) {
	f := bareFeed()
	f.learn([]byte(metaJSON("A")))
	f.dexes.all = []string{"b", "c"}
	for i, dex := range f.dexes.all {
		m, _, ok := parseMetaAndContexts([]byte(strings.NewReplacer(`"name":"X"`, `"name":"`+dex+`:X"`,
			`"collateralToken":0`, `"collateralToken":`+strconv.Itoa(360*i)).Replace(metaJSON("X"))), nil)
		m.dex = dex
		if _, _, err := f.universe.apply(m); !ok || err != nil {
			t.Fatal(dex, ok, err)
		}
	}
	spot := &spotState{total: map[int64]float64{0: 1000, 360: 5000}, hold: map[int64]float64{0: 0, 235: 0, 360: 200},
		available: map[int64]float64{0: 1000, 360: 5000}}
	for _, states := range [][]dexState{{{}}, {{}, {dex: "b"}, {dex: "c"}}} {
		for _, mode := range []marketcache.AccountMode{marketcache.ModeUnified, marketcache.ModePortfolioMargin} {
			a := &marketcache.Account{Mode: mode}
			if mixed := newAccountLoader(f).pools(a, states, spot); mixed || len(a.Pools) != 2 ||
				a.Pools[0].EquityUSD != 1000 || a.Pools[1].EquityUSD != 5000 || a.Pools[1].HeldUSD != 200 {
				t.Errorf("%v, %d states: mixed %v, %+v", mode, len(states), mixed, a.Pools)
			}
		}
		a := &marketcache.Account{Mode: marketcache.ModeDisabled}
		if newAccountLoader(f).pools(a, states, spot); len(a.Pools) != len(states) {
			t.Errorf("%d states: %+v", len(states), a.Pools)
		}
	}
	// Of a dex that is not followed the token may be known. If it is not, any other balance may be its collateral.
	f.dexes.all = append(f.dexes.all, "d")
	for _, c := range []struct {
		tokens map[string]int
		pools  int
		told   bool
	}{{nil, 2, true}, {map[string]int{"d": 0}, 2, false}, {map[string]int{"d": 235}, 3, false}} {
		f.universe.published(nil, f.dexes.all, c.tokens)
		a := &marketcache.Account{Mode: marketcache.ModeUnified}
		spot.total[235], spot.others = 70, true
		if mixed := newAccountLoader(f).pools(a, []dexState{{}}, spot); mixed || len(a.Pools) != c.pools ||
			a.Misquoted != c.told || c.pools == 3 && a.Pools[2].EquityUSD != 70 {
			t.Errorf("%v: mixed %v, %+v", c.tokens, mixed, a)
		}
	}
	// What was opened on a dex that is not read shows in what the venue says is left of its token.
	old := &marketcache.Account{Mode: marketcache.ModeUnified}
	for left, want := range map[float64][2]bool{5000: {}, 4999: {false, true}, 4900: {true, true}} {
		spot.available[360] = left
		a := &marketcache.Account{Mode: marketcache.ModeUnified}
		if mixed := newAccountLoader(f).pools(a, []dexState{{}}, spot); mixed != want[0] ||
			marginMoved(old, a) != want[1] || marginMoved(a, a) {
			t.Errorf("%v left: mixed %v, %+v", left, mixed, a)
		}
	}
}

// Only a portfolio margin account has the venue's portfolio margin ratio.
func TestPortfolioMarginRatio(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) { v.every = 8 * time.Second }, func(s scene) {
		time.Sleep(3 * time.Second)
		enabled := "true"
		s.v.answers(func(q infoRequest) reply {
			switch q.Type {
			case "userAbstraction":
				return reply{status: 200, body: `"unifiedAccount"`}
			case "spotClearinghouseState":
				return reply{status: 200, body: `{"balances":[{"coin":"USDC","token":0,"total":"700.0"}],` +
					`"portfolioMarginEnabled":` + enabled +
					`,"portfolioMarginRatio":"0.2375","tokenToAvailableAfterMaintenance":[[0,"700.0"]]}`}
			}
			return reply{}
		})
		for i, want := range []marketcache.Account{
			{Mode: marketcache.ModePortfolioMargin, PortfolioMarginRatio: 0.2375}, {Mode: marketcache.ModeUnified},
		} {
			a := s.load(byte(50+i), marketcache.NoAsset)
			if a.Mode != want.Mode || a.PortfolioMarginRatio != want.PortfolioMarginRatio {
				s.Errorf("mode %v with ratio %v, want %v with %v", a.Mode, a.PortfolioMarginRatio, want.Mode,
					want.PortfolioMarginRatio)
			}
			s.v.script(func() { enabled = "false" })
		}
	})
}
