package risk

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The figures of a wallet with one position are those of the position.
func TestOnePosition(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	e, scratch := NewEngine(DefaultAges()), NewScratch(1)
	died := 0
	for range 60 {
		action, leverage := []Action{ActionLong, ActionShort}[r.IntN(2)], float64(1+r.IntN(40))
		s := newSituation(20_000, action, 19_000*math.Min(leverage, 12)*r.Float64())
		s.in.Trade.Leverage, s.in.Trade.ModeGiven = leverage, true
		if r.IntN(3) == 0 { // nine tenths of the wallet and more as isolated margin
			s.in.Trade.Mode, s.in.Trade.SizeUSD = Isolated, (0.91+0.05*r.Float64())*20_000*leverage
		}
		a := assessWith(t, e, scratch, &s.in)
		cross := s.in.Trade.Mode == Cross
		survives, worst := true, 0.0
		for i := range a.Stress {
			survives = survives && a.Stress[i].Survives
			worst = math.Min(worst, a.Stress[i].PnLUSD)
			if a.Stress[i].Survives && a.Stress[i].LiquidationDistancePct == 0 {
				t.Errorf("%+v: survives %s at its liquidation price", s.in.Trade, Scenarios[i].ID)
			}
		}
		if a.PortfolioStress.AccountSurvives != survives {
			t.Errorf("%+v: the account survives %v, the position %v", s.in.Trade, a.PortfolioStress.AccountSurvives,
				survives)
		}
		if survives { // a pool that dies loses all, though at the mark of its scenario it may have less to lose
			about(t, "worst", a.PortfolioStress.TotalPnLUSD, worst, 1e-6)
		} else {
			died++
		}
		if (a.Explanation.StressLoad >= 1) == survives {
			t.Errorf("%+v: load %v", s.in.Trade, a.Explanation.StressLoad)
		}
		about(t, "VaR of the book", a.Attribution.TotalVaR99, a.VaR.Dollar99_24h, 1e-9*a.VaR.Dollar99_24h)
		move := a.Margin.Move
		switch down := action == ActionLong; {
		case !cross:
			if !math.IsNaN(move.DownPct) || !math.IsNaN(move.UpPct) {
				t.Errorf("market move %+v of a wallet without a cross position", move)
			}
		case down && a.Liquidation.Price > 0:
			about(t, "fall", -move.DownPct, a.Liquidation.DistancePct, 1e-6)
		case !down && a.Liquidation.DistancePct < 100:
			about(t, "rise", move.UpPct, a.Liquidation.DistancePct, 1e-6)
		}
	}
	if died < 10 || died > 50 {
		t.Errorf("%d of 60 wallets die", died)
	}
}
