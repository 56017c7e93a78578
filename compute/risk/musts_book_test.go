package risk

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// Invariants of the book after a trade, on the random states of musts_test.go.

// An increase after which the trade's pool dies in a scenario never gets proceed, unless it lowers the
// pool's risk. A wallet survives no scenario in which a cross pool dies, and says so.
func TestMustNotProceedWithABookThatFails(t *testing.T) {
	fails, hedges := 0, 0
	must(t, 4*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		a := answer(e, s, in)
		for i := range a.Pools {
			if p := &a.Pools[i]; p.Mode != PoolIsolated && !(p.Failed == 0) && a.PortfolioStress.AccountSurvives {
				return fmt.Sprintf("pool %d dies and the account survives", i)
			}
		}
		assumed := s.view.after.assumed
		if a.Flags.Has(FlagAccountFailsStress) != (!a.PortfolioStress.AccountSurvives && !assumed) {
			return fmt.Sprintf("survives %v, flags %v", a.PortfolioStress.AccountSurvives, raised(&a.Flags))
		}
		own := true
		for i := range a.Stress {
			own = own && a.Stress[i].Survives
		}
		if own || assumed || s.view.plan.increaseUSD == 0 || s.view.plan.mode == Isolated {
			return ""
		}
		if fails++; a.PortfolioStress.AccountSurvives {
			return "the position does not survive, the account does"
		}
		if a.Explanation.HedgeWeight > 0 {
			hedges++
		} else if a.Recommendation == Proceed {
			return fmt.Sprintf("%v, %s, flags %v", a.RiskScore, a.Recommendation, raised(&a.Flags))
		}
		return ""
	})
	wantAtLeast(t, "books fail", fails, mustStates/10)
	wantAtLeast(t, "risk falls all the same", hedges, 1)
}

// In no scenario does a wallet lose more than there is, the sum of the positive equities of its pools. No
// gain is the worst scenario, unless none loses.
func TestMustNotLoseMoreThanThereIs(t *testing.T) {
	emptied := 0
	must(t, 2*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		in.AsHeld = r.chance(5)
		a := answer(e, s, in)
		canBeLost := max(s.view.after.counted, 0)
		for i := range s.portfolio.legs {
			if p := &s.portfolio.legs[i]; p.isolated {
				canBeLost += max(p.equity, 0)
			}
		}
		x := &a.PortfolioStress
		if x.TotalPnLUSD < -canBeLost*(1+1e-9)-1e-9 || x.TotalPnLPct < -100 {
			return fmt.Sprintf("loses %v (%v %%) of %v", x.TotalPnLUSD, x.TotalPnLPct, canBeLost)
		}
		if x.TotalPnLPct == -100 {
			emptied++
		}
		if len(s.portfolio.legs) == 1 && x.TotalPnLUSD > 0 {
			for i := range a.Stress {
				if a.Stress[i].PnLUSD < 0 {
					return fmt.Sprintf("%s loses %v, and a gain of %v is the worst", Scenarios[i].ID,
						a.Stress[i].PnLUSD,
						x.TotalPnLUSD)
				}
			}
		}
		return ""
	})
	wantAtLeast(t, "lose all", emptied, mustStates/20)
}

// heldAfter turns the wallet of s after its trade into one as held. ok is false for an empty account,
// whose deposit is only assumed.
func heldAfter(s *Scratch) (in *Input, ok bool) {
	v := &s.view
	owner := *s.In.Account
	in = &Input{Rows: s.In.Rows, Correlations: s.In.Correlations, Account: &owner, AsHeld: true}
	owner.CrossAccountValueUSD = v.after.cross
	owner.Positions = nil
	for i, p := range s.In.Account.Positions {
		if i != v.plan.index {
			owner.Positions, in.Held = append(owner.Positions, p), append(in.Held, s.In.Held[i])
		}
	}
	if q := v.plan.after; q != 0 {
		p := holding(v.plan.asset.ID, v.plan.asset.Name, q, v.plan.mark, v.plan.leverage)
		p.MaxLeverage = v.plan.asset.MaxLeverage
		if i := v.plan.index; i >= 0 {
			p.MaxLeverage = s.In.Account.Positions[i].MaxLeverage
		}
		if v.plan.mode == Isolated {
			p = isolatedAt(p, v.after.equity)
		}
		owner.Positions, in.Held = append(owner.Positions, p), append(in.Held, s.In.Target)
	}
	return in, !v.after.assumed
}

// Stress, joint loss and market move are properties of the book: those after a trade are those of the
// same book as held.
func TestMustNotDependOnTheTrade(t *testing.T) {
	compared, failed := 0, 0
	held, r := NewScratch(4), &WalletReport{}
	must(t, mustStates, func(e *Engine, s *Scratch, in *Input, _ dice) string {
		a := answer(e, s, in)
		after, ok := heldAfter(s)
		if !ok {
			return ""
		}
		held.In = *after
		e.Monitor(held, r, DefaultTarget)
		compared++
		x, y := s.view.stressed.worst, r.PortfolioStress
		if y.Failed != 0 {
			failed++
		}
		scale := 1e-9 * (s.view.stressed.equity + math.Abs(s.view.after.cross) + s.account.rest.gross +
			s.view.plan.valueAfter)
		near := func(x, y, scale float64) bool {
			return x == y || math.Abs(x-y) <= scale || math.IsNaN(x) && math.IsNaN(y)
		}
		if x.Failed != y.Failed || x.PositionsLiquidated != y.PositionsLiquidated ||
			!near(x.TotalPnLUSD, y.TotalPnLUSD,
				scale) ||
			!near(x.TotalPnLPct, y.TotalPnLPct, 1e-6) || !near(x.FundingCostPct, y.FundingCostPct, 1e-6) {
			return fmt.Sprintf("stress after the trade %+v\nas held %+v", x, y)
		}
		if !near(a.Explanation.PortfolioVaR99, r.BookVaR99, 1e-9*(1+r.BookVaR99)+scale) {
			return fmt.Sprintf("VaR %v after the trade, %v as held", a.Explanation.PortfolioVaR99, r.BookVaR99)
		}
		if m := a.Margin.Move; !near(m.DownPct, r.Move.DownPct, 1e-6) ||
			!near(m.UpPct, r.Move.UpPct, 1e-6*(1+math.Abs(m.UpPct))) {
			return fmt.Sprintf("%+v after the trade, %+v as held", m, r.Move)
		}
		return ""
	})
	wantAtLeast(t, "compared", compared, mustStates/2)
	wantAtLeast(t, "fail", failed, mustStates/10)
}

// In a cross pool leverage alone changes figures of margin, and no figure of risk.
func TestMustIgnoreLeverageInAPool(t *testing.T) {
	compared, scored := 0, 0
	must(t, mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		in.Trade.ModeGiven, in.Trade.Mode = true, Cross
		top := in.Target.Market.Asset.MaxLeverage
		in.Trade.Leverage = float64(1 + r.IntN(int(top)))
		a, was := *answer(e, s, in), s.view
		in.Trade.Leverage = float64(1 + r.IntN(int(top)))
		b := answer(e, s, in)
		if was.plan.mode == Isolated || was.after.assumed {
			return ""
		}
		compared++
		x, y := a.Liquidation, b.Liquidation
		x.MarginUsedPct, y.MarginUsedPct = 0, 0
		u, w := a.VaR, b.VaR
		u.MarginVaR99Pct, w.MarginVaR99Pct = 0, 0
		if x != y || a.Stress != b.Stress || a.PortfolioStress != b.PortfolioStress || a.BookBefore != b.BookBefore ||
			a.Explanation.BookAfter != b.Explanation.BookAfter || a.Margin.Before != b.Margin.Before ||
			a.Margin.After.Maintenance != b.Margin.After.Maintenance ||
			a.Explanation.PortfolioLoss99 != b.Explanation.PortfolioLoss99 || u.Dollar99_24h != w.Dollar99_24h ||
			u.LVaR99_24h != w.LVaR99_24h {
			return fmt.Sprintf("%+v\n%+v", a, *b)
		}
		p, q := a.Explanation.HardRules, b.Explanation.HardRules
		p[ruleMarginShort], p[ruleTierLeverage] = q[ruleMarginShort], q[ruleTierLeverage]
		if p != q {
			return fmt.Sprintf("rules %v and %v", a.Explanation.HardRules, q)
		}
		if a.Explanation.HardRules == q && s.view.plan.kind != flips { // a flip to less counts what margin it frees
			if scored++; a.RiskScore != b.RiskScore {
				return fmt.Sprintf("scores %v and %v", a.RiskScore, b.RiskScore)
			}
		}
		return ""
	})
	wantAtLeast(t, "compared", compared, mustStates/3)
	wantAtLeast(t, "score", scored, mustStates/4)
}

// A book of one position has one VaR: the position's own.
func TestMustHaveOneVaR(t *testing.T) {
	books := 0
	must(t, 2*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		in.AsHeld = len(in.Account.Positions) > 0 && in.Account.Positions[0].Asset == in.Trade.Asset && r.chance(2)
		a := answer(e, s, in)
		if len(s.portfolio.legs) != 1 || s.view.plan.after == 0 {
			return ""
		}
		side := tailSide(s.view.plan.side)
		// no factor on the rows gives its VaR
		if c := in.Target.Model.Joint.Scale[side]; c == 0.1 || c == 10 || c == 1 {
			return ""
		}
		books++
		for what, v := range map[string]float64{
			"attribution": a.Attribution.TotalVaR99, "book": a.Explanation.PortfolioVaR99,
			"pool": a.Explanation.BookAfter.PoolVaR99USD,
		} {
			if math.Abs(v-a.VaR.Dollar99_24h) > 1e-9*a.VaR.Dollar99_24h {
				return fmt.Sprintf("%s %v, the position's own %v", what, v, a.VaR.Dollar99_24h)
			}
		}
		return ""
	})
	wantAtLeast(t, "books of one", books, mustStates/2)
}

// A trade after which all four figures of its pool are lower by a tenth or more scores no higher than the
// pool's positions as held, but for the rules on the trade itself, and aborts only by those.
func TestMustNotHinderAHedge(t *testing.T) {
	full, part := 0, 0
	must(t, 6*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		a := answer(e, s, in)
		x := &a.Explanation
		if s.view.plan.increaseUSD == 0 || !a.BookBefore.PoolKnown {
			return ""
		}
		others := 0.0
		for i, f := range x.HardRules {
			if !slices.Contains([]int{ruleLiquidation, ruleBookLoss, ruleProbability, ruleProbability7d, ruleStress},
				i) {
				others = max(others, f)
			}
		}
		// The rule by its text: which figures count, and the largest of after over before.
		b, c := &a.BookBefore, &x.BookAfter
		before := []float64{b.Probability24h, b.Probability7d, b.PoolVaR99USD, b.StressLossUSD}
		after := []float64{c.Probability24h, c.Probability7d, c.PoolVaR99USD, c.StressLossUSD}
		worst, lower := 0.0, slices.Max(before) > 0
		for i, harmless := range []float64{0.005, 0.05, 0, 0} {
			if after[i] > harmless {
				worst = max(worst, after[i]/before[i]) // +Inf for one that was 0
			}
		}
		lam := min(max((1-worst)/0.1, 0), 1)
		if !lower {
			lam = 0
		}
		if math.Abs(x.HedgeWeight-lam) > 1e-9 {
			return fmt.Sprintf("weight %v, want %v, of %v and %v", x.HedgeWeight, lam, before, after)
		}
		switch {
		case lam == 1:
			full++
			if limit := max(min(x.ScoreBefore, cautionUpTo), others); x.RawScore > limit+1e-9 {
				return fmt.Sprintf("%v scores %v, at most %v", before, x.RawScore, limit)
			}
			if a.Recommendation == Abort && others <= cautionUpTo {
				return fmt.Sprintf("abort at %v by no rule on the trade: %v", a.RiskScore, x.HardRules)
			}
		case lam > 0:
			part++
		}
		return ""
	})
	wantAtLeast(t, "full weight", full, 10)
	wantAtLeast(t, "part of it", part, 3)
}
