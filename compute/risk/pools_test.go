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
	d, owner := newDesk(t, 7), pooledWallet(6, 900, 700)
	moveToXYZ(d.cache, 0, inXYZ(owner)...) // the asset determines the pool
	r := d.monitor(t, owner)
	if !close6(r.AccountValueUSD, 1600) || r.PortfolioRisk.PositionCount != 6 || len(r.Positions) != 6 {
		t.Fatalf("%+v", r)
	}
	ratio, used := 0.0, 0.0
	for k := range owner.Pools {
		alone := d.monitor(t, only(owner, k))
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
		a := d.assessHeld(t, owner, p.Asset)
		if a.Liquidation != r.Positions[i].Liquidation || a.RiskScore != r.Positions[i].RiskScore {
			t.Errorf("%s: %+v, in the report %+v", p.Name, a.Liquidation, r.Positions[i].Liquidation)
		}
	}
	// A trade on a dex where the wallet has no equity has no margin.
	owner.Pools = owner.Pools[:1]
	owner.Positions = owner.Positions[:2]
	a := d.assess(t, owner, Trade{Asset: 3, Action: ActionLong, SizeUSD: 100, Leverage: 5})
	if !a.Flags.Has(FlagInsufficientMargin) || a.Margin.Before.Free != 0 {
		t.Errorf("%+v", a.Margin)
	}
}

func close6(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }

// portfolio_stress of a monitor report is about a pool that does not survive, if there is one, in whatever
// order the positions come.
func TestMonitorShowsTheWorstPool(t *testing.T) {
	d := newDesk(t, 7)
	moveToXYZ(d.cache, 0, inXYZ(pooledWallet(6, 1, 1))...)
	for _, c := range []struct {
		main, xyz float64
		survives  bool
	}{{1e6, 1e6, true}, {1e6, 1, false}, {100, 1e6, false}} {
		var turns [2]PortfolioStress
		for turn := range turns {
			owner := pooledWallet(6, c.main, c.xyz)
			for i := range owner.Positions { // all lose in a crash
				owner.Positions[i].Units = math.Abs(owner.Positions[i].Units)
			}
			if turn == 1 {
				slices.Reverse(owner.Positions)
			}
			got := d.monitor(t, owner).PortfolioStress
			if got.AccountSurvives != c.survives || (got.PositionsLiquidated == 0) != c.survives || !got.Known {
				t.Errorf("%+v, turn %d: %+v", c, turn, got)
			}
			turns[turn] = got
		}
		if a, b := turns[0], turns[1]; a.Scenario != b.Scenario || a.PositionsLiquidated != b.PositionsLiquidated ||
			!close6(a.TotalPnLUSD, b.TotalPnLUSD) {
			t.Errorf("%+v: in reverse order %+v, not %+v", c, b, a)
		}
	}
}

// A batch changes only the pool of the trade.
func TestBatchOverPools(t *testing.T) {
	d, owner := newDesk(t, 7), pooledWallet(6, 9000, 7000)
	moveToXYZ(d.cache, 0, inXYZ(owner)...)
	b, equity := d.batch(owner), []float64{9000, 7000}
	for _, id := range []mc.AssetID{1, 3, 2, 5} {
		k := 0
		if id == 3 || id == 5 {
			k = 1
		}
		a := d.next(t, b, Trade{Asset: id, Action: ActionLong, SizeUSD: 300, Leverage: 5})
		if got := d.s.account.crossEquity; !close6(got, equity[k]) ||
			!close6(a.Margin.Before.AccountValue, equity[0]+equity[1]) {
			t.Errorf("asset %d: pool %v, want %v; account %v", id, got, equity[k], a.Margin.Before.AccountValue)
		}
		equity[k] = d.s.view.after.cross
		b.Apply(d.s)
	}
	if owner.Pools[0].EquityUSD != 9000 {
		t.Error("the wallet itself has changed")
	}
}

// A batch trade on a dex where the wallet has no pool creates a pool, which later trades of the batch use. A
// debt stays in its pool.
func TestBatchWithoutPool(t *testing.T) {
	d := newDesk(t, 7)
	moveToXYZ(d.cache, 1, 3, 5)
	for _, dex := range []string{"", mc.Everywhere} {
		owner := pooledWallet(2, 9000, 0)
		owner.Pools = []mc.Pool{{Dex: dex, EquityUSD: 9000}}
		b := d.batch(owner)
		backed, unbacked := 9000.0, 0.0
		for i, trade := range []Trade{
			{Asset: 3, Action: ActionLong, SizeUSD: 300, Leverage: 5},
			{Asset: 1, Action: ActionLong, SizeUSD: 300, Leverage: 5},
			{Asset: 5, Action: ActionShort, SizeUSD: 300, Leverage: 5},
			{Asset: 3, Action: ActionClose, SizeUSD: 500},
			{Asset: 0, Action: ActionLong, SizeUSD: 300, Leverage: 5},
		} {
			before := d.next(t, b, trade).Margin.Before
			pool := &backed
			if trade.Asset == 3 || trade.Asset == 5 {
				pool = &unbacked
			}
			if got := d.s.account.crossEquity; !close6(got, *pool) ||
				!close6(before.AccountValue, backed+max(unbacked, 0)) {
				t.Errorf("%q, trade %d: pool %v, want %v; account %v, of %v and %v", dex, i, got, *pool,
					before.AccountValue, backed, unbacked)
			}
			*pool = d.s.view.after.cross
			b.Apply(d.s)
		}
	}
}

// Under portfolio margin the venue's margin ratio is for the wallet as held; the ratio after the
// trade is an estimate.
func TestPortfolioMarginRatio(t *testing.T) {
	d := newDesk(t, 7)
	for _, c := range []struct{ ratio, want float64 }{{0.475, 50}, {0.95, 100}, {40, 1000}} {
		owner := testWallet(3)
		owner.Mode, owner.PortfolioMarginRatio = mc.ModePortfolioMargin, c.ratio
		owner.Pools = []mc.Pool{{Dex: mc.Everywhere, EquityUSD: 50_000}}
		estimated := *owner
		estimated.PortfolioMarginRatio = 0
		open := Trade{Asset: owner.Positions[0].Asset, Action: ActionLong, SizeUSD: 1000, Leverage: 10}
		got := d.assess(t, owner, open).Margin
		ours := d.assess(t, &estimated, open).Margin
		if !close6(got.Before.MaintenanceRatioPct, c.want) || got.After != ours.After {
			t.Errorf("ratio %v: before %v, want %v; after %+v, want %+v", c.ratio, got.Before.MaintenanceRatioPct,
				c.want, got.After, ours.After)
		}
		// A close without a position changes nothing.
		nothing := d.assess(t, owner, Trade{Asset: 6, Action: ActionClose, SizeUSD: 1000}).Margin
		if nothing.After != got.Before {
			t.Errorf("ratio %v: after no trade %+v, want %+v", c.ratio, nothing.After, got.Before)
		}
	}
}
