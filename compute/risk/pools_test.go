package risk

import (
	"math"
	"reflect"
	"slices"
	"testing"

	mc "ballast/marketcache"
)

// pooledWallet returns a wallet with positions 0, 1 and 3 in the pool of the main dex, and the
// others in the pool of dex xyz.
func pooledWallet(n int, main, xyz float64) *mc.Account {
	a := testWallet(n)
	a.Pools = []mc.Pool{{EquityUSD: main}, {Dex: "xyz", EquityUSD: xyz}}
	for i := range a.Positions {
		if i == 2 || i > 3 {
			a.Positions[i].Pool = 1
		}
	}
	a.Share()
	return a
}

// moveToXYZ lists assets on dex xyz, with a collateral token.
func moveToXYZ(cache *mc.Cache, token int, ids ...mc.AssetID) {
	u := cache.Universe()
	for _, id := range ids {
		a := *u.Assets[id]
		a.Dex, a.CollateralToken = "xyz", token
		u.Assets[id] = &a
	}
}

// inXYZ returns the assets of a's positions in the pool of dex xyz.
func inXYZ(a *mc.Account) (ids []mc.AssetID) {
	for _, p := range a.Positions {
		if p.Pool == 1 {
			ids = append(ids, p.Asset)
		}
	}
	return ids
}

// only returns a wallet that has only pool k of a, and its positions.
func only(a *mc.Account, k int) *mc.Account {
	own := &mc.Account{Mode: mc.ModeDisabled, CrossAccountValueUSD: a.Pools[k].EquityUSD, TakerRate: a.TakerRate}
	for _, p := range a.Positions {
		if p.Pool == k {
			p.Pool, p.RawUSD = 0, 0
			own.Positions = append(own.Positions, p)
		}
	}
	return own
}

// Positions of another pool are part of the portfolio, but the liquidation of a position depends on its
// own pool alone, in a monitor report and in an assessment.
func TestPools(t *testing.T) {
	cache, now := testCache(t, 7)
	e, s, single := NewEngine(DefaultAges()), NewScratch(2), NewScratch(2)
	var r, alone WalletReport
	owner := pooledWallet(6, 900, 700)
	moveToXYZ(cache, 0, inXYZ(owner)...) // the asset determines the pool
	if missing := e.FillWallet(&s.In, cache, owner, 0, now, testWallMs); missing != (Unavailable{}) {
		t.Fatal(missing)
	}
	e.Monitor(s, &r)
	if !close6(r.AccountValueUSD, 1600) || r.PortfolioRisk.PositionCount != 6 || len(r.Positions) != 6 {
		t.Fatalf("%+v", r)
	}
	ratio, used := 0.0, 0.0
	for k := range owner.Pools {
		if missing := e.FillWallet(&s.In, cache, only(owner, k), 0, now, testWallMs); missing != (Unavailable{}) {
			t.Fatal(missing)
		}
		e.Monitor(s, &alone)
		ratio, used = max(ratio, alone.Margin.MaintenanceRatioPct), used+alone.MarginUsedUSD
		for _, want := range alone.Positions {
			for _, got := range r.Positions {
				if got.Asset == want.Asset && !reflect.DeepEqual(got.Liquidation, want.Liquidation) {
					t.Errorf("%s: %+v, in its pool alone %+v", got.Asset, got.Liquidation, want.Liquidation)
				}
			}
		}
	}
	if !close6(r.Margin.MaintenanceRatioPct, ratio) || !close6(r.MarginUsedUSD, used) {
		t.Errorf("ratio %v, want %v; margin used %v, want %v", r.Margin.MaintenanceRatioPct, ratio, r.MarginUsedUSD,
			used)
	}
	for i, p := range owner.Positions {
		trade := Trade{Asset: p.Asset}
		if missing := e.Fill(&single.In, cache, &trade, owner, 0, now, testWallMs); missing != (Unavailable{}) {
			t.Fatal(missing)
		}
		single.In.AsHeld = true
		e.Assess(single)
		if single.Out.Liquidation != r.Positions[i].Liquidation || single.Out.RiskScore != r.Positions[i].RiskScore {
			t.Errorf("%s: %+v, in the report %+v", p.Name, single.Out.Liquidation, r.Positions[i].Liquidation)
		}
	}
	// A trade on a dex where the wallet has no equity has no margin.
	owner.Pools = owner.Pools[:1]
	owner.Positions = owner.Positions[:2]
	trade := Trade{Asset: 3, Action: ActionLong, SizeUSD: 100, Leverage: 5}
	if missing := e.Fill(&single.In, cache, &trade, owner, 0, now, testWallMs); missing != (Unavailable{}) {
		t.Fatal(missing)
	}
	e.Assess(single)
	if !single.Out.Flags.Has(FlagInsufficientMargin) || single.Out.Margin.Before.Free != 0 {
		t.Errorf("%+v", single.Out.Margin)
	}
}

func close6(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }

// portfolio_stress of a monitor report is about a pool that does not survive, if there is one, in whatever
// order the positions come.
func TestMonitorShowsTheWorstPool(t *testing.T) {
	cache, now := testCache(t, 7)
	moveToXYZ(cache, 0, inXYZ(pooledWallet(6, 1, 1))...)
	e, s := NewEngine(DefaultAges()), NewScratch(2)
	for _, c := range []struct {
		main, xyz float64
		survives  bool
	}{{1e6, 1e6, true}, {1e6, 1, false}, {100, 1e6, false}} {
		var first PortfolioStress
		for turn := range 2 {
			owner := pooledWallet(6, c.main, c.xyz)
			for i := range owner.Positions { // all lose in a crash
				owner.Positions[i].Units = math.Abs(owner.Positions[i].Units)
			}
			if turn == 1 {
				slices.Reverse(owner.Positions)
			}
			if missing := e.FillWallet(&s.In, cache, owner, 0, now, testWallMs); missing != (Unavailable{}) {
				t.Fatal(missing)
			}
			var r WalletReport
			e.Monitor(s, &r)
			got := r.PortfolioStress
			if got.AccountSurvives != c.survives || (got.PositionsLiquidated == 0) != c.survives || !got.Known {
				t.Errorf("%+v, turn %d: %+v", c, turn, got)
			}
			if turn == 0 {
				first = got
			} else if got.Scenario != first.Scenario || got.PositionsLiquidated != first.PositionsLiquidated ||
				!close6(got.TotalPnLUSD, first.TotalPnLUSD) {
				t.Errorf("%+v: in reverse order %+v, not %+v", c, got, first)
			}
		}
	}
}

// A batch changes only the pool of the trade.
func TestBatchOverPools(t *testing.T) {
	cache, now := testCache(t, 7)
	u := cache.Universe()
	for _, id := range []int{3, 5, 6} {
		a := *u.Assets[id]
		a.Dex = "xyz"
		u.Assets[id] = &a
	}
	e, s := NewEngine(DefaultAges()), NewScratch(2)
	owner := pooledWallet(6, 9000, 7000)
	b := e.NewBatch(cache, owner, 0, now, testWallMs)
	equity := []float64{9000, 7000}
	for _, id := range []mc.AssetID{1, 3, 2, 5} {
		k := 0
		if id == 3 || id == 5 {
			k = 1
		}
		trade := Trade{Asset: id, Action: ActionLong, SizeUSD: 300, Leverage: 5}
		if missing := b.Fill(&s.In, &trade); missing != (Unavailable{}) {
			t.Fatal(missing)
		}
		e.Assess(s)
		if got := s.account.crossEquity; !close6(got, equity[k]) || !close6(s.Out.Margin.Before.AccountValue,
			equity[0]+equity[1]) {
			t.Errorf("asset %d: pool %v, want %v; account %v", id, got, equity[k], s.Out.Margin.Before.AccountValue)
		}
		equity[k] = s.view.after.cross
		b.Apply(s)
	}
	if owner.Pools[0].EquityUSD != 9000 {
		t.Error("the wallet itself has changed")
	}
}

// A batch trade on a dex where the wallet has no pool creates a pool, which later trades of the batch use. A
// debt stays in its pool.
func TestBatchWithoutPool(t *testing.T) {
	cache, now := testCache(t, 7)
	moveToXYZ(cache, 1, 3, 5)
	e, s := NewEngine(DefaultAges()), NewScratch(2)
	for _, dex := range []string{"", mc.Everywhere} {
		owner := pooledWallet(2, 9000, 0)
		owner.Pools = []mc.Pool{{Dex: dex, EquityUSD: 9000}}
		b := e.NewBatch(cache, owner, 0, now, testWallMs)
		backed, unbacked := 9000.0, 0.0
		for i, trade := range []Trade{
			{Asset: 3, Action: ActionLong, SizeUSD: 300, Leverage: 5}, {Asset: 1, Action: ActionLong, SizeUSD: 300,
				Leverage: 5},
			{Asset: 5, Action: ActionShort, SizeUSD: 300, Leverage: 5}, {Asset: 3, Action: ActionClose, SizeUSD: 500},
			{Asset: 0, Action: ActionLong, SizeUSD: 300, Leverage: 5},
		} {
			if missing := b.Fill(&s.In, &trade); missing != (Unavailable{}) {
				t.Fatal(missing)
			}
			e.Assess(s)
			pool := &backed
			if trade.Asset == 3 || trade.Asset == 5 {
				pool = &unbacked
			}
			if before := s.Out.Margin.Before; !close6(s.account.crossEquity, *pool) ||
				!close6(before.AccountValue, backed+max(unbacked, 0)) {
				t.Errorf("%q, trade %d: pool %v, want %v; account %v, of %v and %v", dex, i, s.account.crossEquity,
					*pool,
					before.AccountValue, backed, unbacked)
			}
			*pool = s.view.after.cross
			b.Apply(s)
		}
	}
}

// Under portfolio margin the venue's margin ratio is for the wallet as held; the ratio after the
// trade is an estimate.
func TestPortfolioMarginRatio(t *testing.T) {
	cache, now := testCache(t, 7)
	e, s := NewEngine(DefaultAges()), NewScratch(2)
	for _, c := range []struct{ ratio, want float64 }{{0.475, 50}, {0.95, 100}, {40, 1000}} {
		owner := testWallet(3)
		owner.Mode, owner.PortfolioMarginRatio = mc.ModePortfolioMargin, c.ratio
		owner.Pools = []mc.Pool{{Dex: mc.Everywhere, EquityUSD: 50_000}}
		estimated := *owner
		estimated.PortfolioMarginRatio = 0
		ask := func(a *mc.Account, trade Trade) Margin {
			t.Helper()
			if missing := e.Fill(&s.In, cache, &trade, a, 0, now, testWallMs); missing != (Unavailable{}) {
				t.Fatal(missing)
			}
			e.Assess(s)
			return s.Out.Margin
		}
		asset := owner.Positions[0].Asset
		open := Trade{Asset: asset, Action: ActionLong, SizeUSD: 1000, Leverage: 10}
		got, ours := ask(owner, open), ask(&estimated, open)
		if !close6(got.Before.MaintenanceRatioPct, c.want) || got.After != ours.After {
			t.Errorf("ratio %v: before %v, want %v; after %+v, want %+v", c.ratio, got.Before.MaintenanceRatioPct,
				c.want,
				got.After, ours.After)
		}
		// A close without a position changes nothing.
		if nothing := ask(owner, Trade{Asset: 6, Action: ActionClose, SizeUSD: 1000}); nothing.After != got.Before {
			t.Errorf("ratio %v: after no trade %+v, want %+v", c.ratio, nothing.After, got.Before)
		}
	}
}
