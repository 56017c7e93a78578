package risk

import (
	"math"
	"reflect"
	"testing"

	mc "ballast/marketcache"
)

// Each position of a monitor report equals the assessment of that position as held, and the
// report's portfolio figures equal those of each of these assessments.
func TestMonitorAgreesWithAssessments(t *testing.T) {
	d := newDesk(t, 6)
	for _, n := range []int{5, 1, 2} {
		owner := testWallet(n)
		owner.Positions[0] = isolatedAt(owner.Positions[0], 120)
		owner.Positions[0].EntryPrice *= 0.9
		r := d.monitor(t, owner)
		if len(r.Positions) != n || r.PortfolioRisk.Known != (n >= 2) || !r.PortfolioStress.Known {
			t.Fatalf("%d positions: %+v", n, r)
		}
		margin := 0.0
		for i := range owner.Positions {
			p, got := &owner.Positions[i], &r.Positions[i]
			a := d.assessHeld(t, owner, p.Asset)
			if got.Asset != p.Name || got.Units != p.Units || got.EntryPrice != p.EntryPrice ||
				got.RiskScore != a.RiskScore || got.Recommendation != a.Recommendation || got.Flags != a.Flags ||
				got.Liquidation != a.Liquidation || got.FundingDrag24h != a.Cost.FundingDrag24hPct ||
				got.Regime != a.Regime ||
				got.VaR != a.VaR {
				t.Errorf("%s: %+v\nwant %+v", p.Name, got, a)
			}
			if !reflect.DeepEqual(r.PortfolioRisk.TailDependence, a.PortfolioRisk.TailDependence) ||
				r.PortfolioRisk.PositionCount != a.PortfolioRisk.PositionCount {
				t.Errorf("%s: the book %+v\nwant %+v", p.Name, r.PortfolioRisk, a.PortfolioRisk)
			}
			// The report sums all positions in order, the assessment sums the others first.
			same(t, "VaR", r.PortfolioRisk.VaR99, a.PortfolioRisk.VaR99)
			same(t, "ES", r.PortfolioRisk.ES99, a.PortfolioRisk.ES99)
			same(t, "VaR of the book", r.BookVaR99, a.Attribution.TotalVaR99)
			same(t, "stress", r.PortfolioStress.TotalPnLUSD, a.PortfolioStress.TotalPnLUSD)
			if r.PortfolioStress.Scenario != a.PortfolioStress.Scenario ||
				r.PortfolioStress.AccountSurvives != a.PortfolioStress.AccountSurvives {
				t.Errorf("%s: stress %+v, want %+v", p.Name, r.PortfolioStress, a.PortfolioStress)
			}
			if r.AccountValueUSD != a.Explanation.AccountValue || r.Margin != a.Margin.Before ||
				r.Margin != a.Margin.After {
				t.Errorf("account %v, margin %+v, want %+v", r.AccountValueUSD, r.Margin, a.Margin)
			}
			own := p.ValueUSD / p.Leverage
			if p.Isolated {
				own = 120
			}
			margin += own
			about(t, "unrealized", got.UnrealizedUSD, p.Units*(p.ValueUSD/math.Abs(p.Units)-p.EntryPrice), 1e-9)
			about(t, "unrealized percent", got.UnrealizedPct, 100*got.UnrealizedUSD/own, 1e-9)
		}
		about(t, "margin used", r.MarginUsedUSD, margin, 1e-9)
		if r.ModelVersion != d.s.Out.ModelVersion && n > 0 {
			t.Errorf("model version %+v", r.ModelVersion)
		}
	}
}

// An empty wallet, and positions in delisted or unknown assets.
func TestMonitorOfOddWallets(t *testing.T) {
	d := newDesk(t, 3)
	empty := d.monitor(t, testWallet(0))
	if len(empty.Positions) != 0 || empty.PortfolioRisk.Known || empty.PortfolioStress.Known ||
		empty.AccountValueUSD != 50_000 || empty.MarginUsedUSD != 0 {
		t.Errorf("%+v", empty)
	}

	old := testAsset(2, "A002")
	old.Delisted = true
	d.cache.SetUniverse(mc.NewUniverse([]*mc.Asset{testAsset(0, "BTC"), testAsset(1, "ETH"), old}))
	for _, id := range []mc.AssetID{mc.NoAsset, 2} {
		owner := testWallet(2)
		owner.Positions[1].Asset = id
		another := owner.Positions[1]
		another.Name, another.Asset, another.Units = "GONE", mc.NoAsset, -another.Units
		owner.Positions = append(owner.Positions, another)
		odd := d.monitor(t, owner)
		for i := range odd.Positions {
			p := &odd.Positions[i]
			if p.Asset != owner.Positions[i].Name || p.Units != owner.Positions[i].Units || p.Mark <= 0 {
				t.Errorf("%+v", p)
			}
			if p.Flags.Has(FlagStaleMarketData) != (i > 0) {
				t.Errorf("position %d: flags %v", i, raised(&p.Flags)) // stale for the positions without data alone
			}
			if i > 0 && id == mc.NoAsset && !p.Flags.Has(FlagThinBook) {
				t.Error("thin_book is not raised for an asset without a book")
			}
			for _, x := range []float64{p.RiskScore, p.VaR.Pct99_24h, p.Liquidation.DistancePct, p.FundingDrag24h} {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("%+v", p)
				}
			}
		}
	}

	// A missing order book must not be treated as an empty one.
	cache := cacheWithout(d.cache, d.now, "book")
	owner := testWallet(0)
	owner.Positions = append(owner.Positions, holding(0, "BTC", 1, testMark, 10))
	if missing := d.e.FillWallet(&d.s.In, cache, owner, 0, d.now, testWallMs); missing.Reason != Starting ||
		missing.What != "book" {
		t.Errorf("%+v", missing)
	}
}
