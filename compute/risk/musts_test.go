package risk

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ballast/compute/calib"
	mc "ballast/marketcache"
)

// The tests of this file check invariants of every answer on random wallets, markets and trades, with
// fits made by the code of the service.

const (
	mustStates = 2000
	mustAssets = 7
)

// mustMarkets returns the fits of the assets of the random states: BTC with a year of hours to
// replay, a calm market, a market that does not move, a volatile market, an asset of a
// builder-deployed dex, a history of a day and a half, and an asset without candles.
var mustMarkets = sync.OnceValue(func() *mc.Model {
	rows := [mustAssets]struct {
		name  string
		bars  int
		sigma float64
	}{{"BTC", 9000, 0.006}, {"ETH", 6000, 0.001}, {"STILL", 2500, 0}, {"WILD", 3000, 0.05}, {"DEX", 5000, 0.01},
		{"YOUNG", 36, 0.01}, {"NEW", 0, 0}}
	fits := make([]*mc.AssetModel, mustAssets)
	for i, r := range rows {
		m, err := calib.Fit(mc.AssetID(i), r.name, wanderingBars(r.bars, r.sigma))
		if err != nil {
			panic(err)
		}
		fits[i] = m
	}
	return calib.Publish("musts", ConstantsDigest(), fits, 0)
})

// dice draws random states.
type dice struct{ *rand.Rand }

// log draws a number between lo and hi, uniform in the logarithm.
func (r dice) log(lo, hi float64) float64 { return lo * math.Pow(hi/lo, r.Float64()) }

// one returns one of the values.
func (r dice) one(x ...float64) float64 { return x[r.IntN(len(x))] }

// chance returns true with probability 1/n.
func (r dice) chance(n int) bool { return r.IntN(n) == 0 }

func (r dice) market(id int) AssetInput {
	m := mustMarkets().Assets[id]
	mark := r.log(1e-3, 1e5)
	maxLeverage := r.one(3, 10, 20, 40)
	asset := &mc.Asset{ID: mc.AssetID(id), Name: m.Name, SizeDigits: r.IntN(6), MaxLeverage: maxLeverage,
		FeeMultiplier: 1}
	asset.Tiers = mc.NewTiers([]float64{0}, []float64{maxLeverage})
	if r.chance(3) {
		asset.Tiers = mc.NewTiers([]float64{0, r.log(1e4, 1e8)}, []float64{maxLeverage, math.Ceil(maxLeverage / 2)})
	}
	if m.Name == "DEX" {
		asset.Dex = "dex"
	}
	if r.chance(3) {
		asset.CapUSD = r.log(1e6, 1e10)
	}
	volume := r.one(0, 1e3, 1e6, 1e9, 1e10)
	in := AssetInput{Model: m, Market: mc.Market{
		Asset: asset, Book: r.book(mark), AtCap: r.chance(20),
		Context: &mc.Context{
			MarkPrice: mark, OraclePrice: mark, MidPrice: mark, HasFunding: !r.chance(9), FundingRateHourly: r.one(-1, 1) *
				r.log(1e-6, 1e-3),
			OpenInterestUnits: r.one(0, 1e4, 1e7, 1e9) / mark, DayVolumeUSD: volume, PrevDayPrice: mark,
		},
		Funding:  &mc.FundingStats{Rows: 720, MeanHourly168: testFunding, MedianHourly720: testFunding, MADHourly720: 1e-5},
		Interest: &mc.OpenInterestStats{MaxUSD180d: 4e9, Days: int(r.one(0, 180))},
		Samples: &mc.SampleStats{N: int(r.one(0, 1440)), SpreadBpsMedian: 2, SpreadBps95: 3, SpreadBps99: 4,
			Depth50BpsUSDMedian: 1e6},
	}}
	return in
}

// book draws a thin, deep, one-sided, empty or crossed book.
func (r dice) book(mark float64) *mc.Book {
	usd, half, step := r.log(10, 1e8), mark*r.log(1e-6, 5e-3), mark*r.log(1e-6, 3e-3)
	if r.chance(20) {
		half = -half
	}
	var sides [2][]mc.Level
	for i, d := range []float64{-1, +1} {
		if r.chance(12) {
			continue
		}
		for k := range 1 + r.IntN(20) {
			if p := mark + d*(half+float64(k)*step); p > 0 {
				sides[i] = append(sides[i], mc.Level{Price: p, Units: usd * (0.2 + r.Float64()) / p})
			}
		}
	}
	return mc.MergeBooks([][]mc.Level{sides[0]}, [][]mc.Level{sides[1]}, 0)
}

func (r dice) position(id int, in *AssetInput) mc.Position {
	mark := in.Market.Context.MarkPrice
	usd := r.log(1, 1e7)
	p := holding(mc.AssetID(id), in.Model.Name, r.one(-1, 1)*usd/mark, mark,
		float64(1+r.IntN(int(in.Market.Asset.MaxLeverage))))
	p.MaxLeverage = in.Market.Asset.MaxLeverage
	if r.chance(10) {
		p.MaxLeverage = 3
	}
	if r.chance(3) {
		p = isolatedAt(p, usd*(r.Float64()-0.05))
	}
	return p
}

// state draws a wallet and a trade.
func (r dice) state() *Input {
	model := mustMarkets()
	in := &Input{Rows: model.Assets[0], Correlations: model.Correlations, ModelName: model.Name,
		ModelConstants: model.Constants}
	in.Account = &mc.Account{Mode: mc.ModeDisabled, TakerRate: r.one(0, 1e-4, testTaker, 1e-3)}
	in.Account.CrossAccountValueUSD = r.one(1, 1, 1, 1, 1, -1) * r.log(0.1, 1e9)
	if r.chance(8) {
		in.Account.CrossAccountValueUSD = r.one(-1e9, -0.02, -0.001, 0, 0.001, 0.02, 0.99, 1, 1e9)
	}
	target := r.IntN(mustAssets)
	in.Target = r.market(target)
	for range int(r.one(0, 0, 1, 1, 2, 4)) {
		id := r.IntN(mustAssets)
		if r.chance(2) {
			id = target
		}
		if slices.ContainsFunc(in.Account.Positions, func(p mc.Position) bool { return p.Asset == mc.AssetID(id) }) {
			continue
		}
		a := in.Target
		if id != target {
			a = r.market(id)
		}
		in.Account.Positions = append(in.Account.Positions, r.position(id, &a))
		in.Held = append(in.Held, a)
	}
	maxLeverage := in.Target.Market.Asset.MaxLeverage
	in.Trade = Trade{
		Asset: mc.AssetID(target), Action: Action(r.one(0, 0, 1, 1, 2)), SizeUSD: r.log(1, MaxSizeUSD),
		Mode: Mode(r.IntN(2)), ModeGiven: r.chance(2), Leverage: float64(int(r.one(0, 1, 1)) *
			(1 + r.IntN(int(maxLeverage)))),
	}
	if r.chance(12) { // the engine assesses leverage that the venue would refuse
		in.Trade.Leverage = 2 * maxLeverage
	}
	return in
}

// mustWords describes a state in one line, with the seed that reproduces it.
func mustWords(seed uint64, in *Input) string {
	out := fmt.Sprintf("state %d: %s %s %v USD at %vx %s, pool %v, mark %v, tiers %v;", seed, in.Trade.Action,
		in.Target.Model.Name,
		in.Trade.SizeUSD, in.Trade.Leverage, in.Trade.Mode, in.Account.CrossAccountValueUSD,
		in.Target.Market.Context.MarkPrice, in.Target.Market.Asset.Tiers)
	for _, p := range in.Account.Positions {
		out += fmt.Sprintf(" %s %v USD at %vx isolated %v raw %v,", p.Name, math.Copysign(p.ValueUSD, p.Units), p.Leverage,
			p.Isolated, p.RawUSD)
	}
	return out
}

// must runs check on random states. The check returns a description of the error, "" if there is
// none.
func must(t *testing.T, states int, check func(e *Engine, s *Scratch, in *Input, r dice) string) {
	t.Helper()
	e, s := NewEngine(DefaultAges()), NewScratch(4)
	bad := 0
	for seed := range uint64(states) {
		r := dice{rand.New(rand.NewPCG(seed, 77))}
		in := r.state()
		if why := check(e, s, in, r); why != "" {
			t.Errorf("%s\n%s", why, mustWords(seed, in))
			if bad++; bad == 5 {
				return
			}
		}
	}
}

// answer assesses a state.
func answer(e *Engine, s *Scratch, in *Input) *Assessment {
	s.In = *in
	e.Assess(s)
	return &s.Out
}

// alike reports whether two answers are equal; a nil list equals an empty one.
func alike(a, b *Assessment) bool {
	x, y := *a, *b
	for _, z := range []*Assessment{&x, &y} {
		if len(z.PortfolioRisk.TailDependence) == 0 {
			z.PortfolioRisk.TailDependence = nil
		}
		if len(z.Attribution.Positions) == 0 {
			z.Attribution.Positions = nil
		}
		if len(z.PortfolioRisk.Simulation.Positions) == 0 {
			z.PortfolioRisk.Simulation.Positions = nil
		}
		if len(z.Explanation.Loading) == 0 {
			z.Explanation.Loading = nil
		}
	}
	return sameAnswer(&x, &y)
}

// For every state all figures are finite and bounded, and the same state gives the same answer in a
// scratch that was used for other wallets.
func TestMustBeSoundAndRepeatable(t *testing.T) {
	sequential(t)
	fresh := NewScratch(0)
	must(t, mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		a := answer(e, s, in)
		if why := broken(a); why != "" {
			return why
		}
		if r.chance(8) {
			fresh = NewScratch(0)
		}
		if b := answer(e, fresh, in); !alike(a, b) {
			return fmt.Sprintf("another scratch says\n%+v\n%+v", a, b)
		}
		if b := *a; !alike(&b, answer(e, s, in)) {
			return "the same scratch says something else the second time"
		}
		return ""
	})
}

// A trade of the suggested size is assessed as proceed.
func TestMustProceedAtTheSuggestedSize(t *testing.T) {
	sizes := 0
	must(t, mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		z := answer(e, s, in).Sizing
		if z.SuggestedUSD == 0 {
			return ""
		}
		sizes++
		again := *in
		again.Trade.SizeUSD = z.SuggestedUSD
		if a := answer(e, s, &again); a.Recommendation != Proceed || a.RiskScore > proceedUpTo {
			return fmt.Sprintf("%v USD is suggested and scores %v, rules %v", z.SuggestedUSD, a.RiskScore,
				a.Explanation.HardRules)
		}
		return ""
	})
	if sizes < mustStates/10 {
		t.Errorf("only %d states have a suggestion", sizes)
	}
}

// ruleFlags lists, for each hard rule that can reach abort, the flags of which at least one must be
// raised with it.
var ruleFlags = [hardRuleCount][]Flag{
	ruleLiquidation: {FlagNearLiquidation}, ruleAtCap: {FlagOIAtCap}, ruleMarginShort: {FlagInsufficientMargin},
	ruleSlippage: {FlagExtremeSlippage}, ruleTierLeverage: {FlagTierLeverageExceeded},
	ruleBookLoss:    {FlagHighPortfolioVaR},
	ruleProbability: {FlagLikelyLiquidation}, ruleProbability7d: {FlagLikelyWithinWeek},
	ruleNegativeEquity: {FlagNegativeAccountEquity}, ruleRoundTrip: {FlagUntradeableCost},
	ruleParticipation: {FlagThinMarket},
	ruleDivergence:    {FlagPriceDivergence}, ruleFunding: {FlagFundingLiquidates},
}

// Every abort is explained: by a flag for each hard rule of 71 or more, and in any case by a
// critical flag or a warning.
func TestMustExplainAnAbort(t *testing.T) {
	sequential(t)
	aborts, byRules := 0, 0
	must(t, 5*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		in.AsHeld = r.chance(5)
		a := answer(e, s, in)
		for h, floor := range a.Explanation.HardRules {
			if floor >= 71 && !slices.ContainsFunc(ruleFlags[h], a.Flags.Has) {
				return fmt.Sprintf("%s is %v, flags %v", HardRuleNames[h], floor, raised(&a.Flags))
			}
		}
		if a.Recommendation != Abort {
			return ""
		}
		aborts++
		if a.Explanation.Floor > cautionUpTo {
			byRules++
		}
		for f := range FlagCount {
			if a.Flags.Has(f) && FlagTable[f].Severity != Info {
				return ""
			}
		}
		return fmt.Sprintf("abort at %v, flags %v, components %v", a.RiskScore, raised(&a.Flags), a.Explanation.Scores)
	})
	if aborts < mustStates || aborts-byRules < 10 {
		t.Errorf("%d aborts, %d of them by hard rules", aborts, byRules)
	}
}

// A trade that only reduces a position is always proceed.
func TestMustProceedWithReductions(t *testing.T) {
	reductions := 0
	must(t, 2*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		if len(in.Account.Positions) > 0 && r.chance(2) { // an order against the position, at most its size
			for i := range in.Account.Positions {
				if p := &in.Account.Positions[i]; p.Asset == in.Trade.Asset {
					in.Trade.Action = ActionLong
					if p.Units > 0 {
						in.Trade.Action = ActionShort
					}
					in.Trade.SizeUSD = p.ValueUSD * r.one(1, r.Float64())
				}
			}
		}
		a := answer(e, s, in)
		if in.Trade.Action != ActionClose && s.view.plan.increaseUSD > 0 {
			return ""
		}
		reductions++
		if a.RiskScore > reduceCap || a.Recommendation != Proceed {
			return fmt.Sprintf("%v, %s", a.RiskScore, a.Recommendation)
		}
		return ""
	})
	if reductions < mustStates/2 {
		t.Errorf("only %d reductions", reductions)
	}
}

// The probability of liquidation is between 0 and 1, is not smaller for the longer horizon, and
// does not fall when liquidation is nearer or leverage is higher.
func TestMustHaveSoundProbabilities(t *testing.T) {
	sequential(t)
	known, fell := 0, 0
	must(t, mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		in.Trade.Mode, in.Trade.ModeGiven, in.Trade.Action = Isolated, true, Action(r.IntN(2))
		for i := range in.Account.Positions {
			if in.Account.Positions[i].Asset == in.Trade.Asset { // no position in the asset before the trade
				in.Account.Positions = slices.Delete(in.Account.Positions, i, i+1)
				in.Held = slices.Delete(in.Held, i, i+1)
				break
			}
		}
		before := [3]float64{0, 0, 101} // probability within 24 h, within 7 days, distance in percent
		for leverage := 1.0; leverage <= in.Target.Market.Asset.MaxLeverage; leverage += 1 + r.Float64()*4 {
			in.Trade.Leverage = leverage
			l := &answer(e, s, in).Liquidation
			if !l.HasProbability {
				return "no probability, although VaR has a figure"
			}
			if !(l.Probability24h >= 0 && l.Probability24h <= l.Probability7d && l.Probability7d <= 1) {
				return fmt.Sprintf("%v within a day, %v within a week", l.Probability24h, l.Probability7d)
			}
			now := [3]float64{l.Probability24h, l.Probability7d, l.DistancePct}
			if now[2] > before[2]*(1+1e-12) || now[0] < before[0]*(1-1e-12) || now[1] < before[1]*(1-1e-12) {
				return fmt.Sprintf("at %vx %v, with less leverage %v", leverage, now, before)
			}
			if now[0] > before[0] {
				fell++
			}
			before = now
		}
		if before[0] > 0 {
			known++
		}
		return ""
	})
	if known < mustStates/2 || fell < mustStates {
		t.Errorf("%d states with a probability, %d steps", known, fell)
	}
}

// worsened holds two answers; the second is for a state that is worse in one respect.
type worsened struct {
	before, after Assessment
	was, is       view    // of the first and of the second state
	acct          account // account of the second state
	score         float64 // second score minus first score
}

// worsen assesses a state, makes it worse, and assesses it again. ok is false for a trade that only
// reduces a position, whose score is limited.
func worsen(e *Engine, s *Scratch, in *Input, change func(in *Input)) (w worsened, ok bool) {
	w.before, w.was = *answer(e, s, in), s.view
	bad, owner := *in, *in.Account
	bad.Account = &owner
	change(&bad)
	w.after, w.is, w.acct = *answer(e, s, &bad), s.view, s.account
	w.score = w.after.RiskScore - w.before.RiskScore
	return w, w.was.plan.increaseUSD > 0
}

func (w *worsened) String() string {
	x, y := &w.before.Explanation, &w.after.Explanation
	return fmt.Sprintf("the score falls from %v to %v\nrules %v\n   to %v\nscores %v\n    to %v", w.before.RiskScore,
		w.after.RiskScore, x.HardRules, y.HardRules, x.Scores, y.Scores)
}

// fell reports whether the score of a hard rule is lower than before.
func (w *worsened) fell(rule int) bool {
	return w.after.Explanation.HardRules[rule] < w.before.Explanation.HardRules[rule]
}

// wantAtLeast fails a test in which too few random states reached the case to be tested.
func wantAtLeast(t *testing.T, what string, n, min int) {
	t.Helper()
	if n < min {
		t.Errorf("%s: %d states, want %d at least", what, n, min)
	}
}

// With less equity the pool's probabilities and stress load never fall. The score falls only when the
// account counts as empty and a deposit is assumed; from a score of 95 on with negative equity, for which
// the terms relative to the equity are left out; or beside an isolated trade, when the cross pool has
// less to lose.
func TestMustNotGainFromLessEquity(t *testing.T) {
	sequential(t)
	compared, rose, empty, negative, less := 0, 0, 0, 0, 0
	must(t, 3*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		w, ok := worsen(e, s, in, func(in *Input) {
			x := &in.Account.CrossAccountValueUSD
			*x -= r.log(1e-3, 1) * (math.Abs(*x) + r.one(0, 0, 1e3, 1e6, 1e9)*r.Float64())
		})
		if !ok {
			return ""
		}
		compared++
		if x, y := &w.before.Liquidation, &w.after.Liquidation; !w.is.after.assumed && !w.was.after.assumed &&
			(y.Probability24h < x.Probability24h-1e-12 || y.Probability7d < x.Probability7d-1e-12 ||
				y.DistancePct > x.DistancePct+1e-9 ||
				w.after.Explanation.StressLoad < w.before.Explanation.StressLoad-1e-9) {
			return fmt.Sprintf("%+v with more equity, %+v with less", x, y)
		}
		switch {
		case w.score > 1e-4:
			rose++
		case w.score >= -1e-4:
		case w.acct.empty:
			empty++
		case w.acct.negative && w.after.RiskScore >= floorNegative:
			negative++
		case w.is.plan.mode == Isolated && w.after.Explanation.PortfolioLoss99 < w.before.Explanation.PortfolioLoss99:
			less++
		default:
			return w.String()
		}
		return ""
	})
	wantAtLeast(t, "compared", compared, mustStates)
	wantAtLeast(t, "the score rises", rose, mustStates/4)
	wantAtLeast(t, "empty account", empty, 1)
	wantAtLeast(t, "negative equity", negative, 1)
	wantAtLeast(t, "less to lose", less, 1)
}

// With more leverage the score falls only because less margin is posted: the margin fits into the free
// margin (H3), an isolated position holds less of the wallet (H8), or a smaller deposit is assumed (H12).
func TestMustNotGainFromLeverage(t *testing.T) {
	sequential(t)
	compared, rose, less := 0, 0, 0
	must(t, 3*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		if in.Trade.Leverage == 0 {
			in.Trade.Leverage = float64(1 + r.IntN(20))
		}
		w, ok := worsen(e, s, in, func(in *Input) { in.Trade.Leverage *= 1 + r.log(0.05, 10) })
		if !ok || w.is.plan.leverage < w.was.plan.leverage { // the venue refuses the lower one
			return ""
		}
		compared++
		switch {
		case w.score > 1e-4:
			rose++
		case w.score >= -1e-4:
		case w.fell(ruleMarginShort) || w.fell(ruleBigDeposit) || w.fell(ruleStress) && w.was.plan.mode == Isolated:
			less++
		default:
			return w.String()
		}
		return ""
	})
	wantAtLeast(t, "compared", compared, mustStates)
	wantAtLeast(t, "the score rises", rose, mustStates/4)
	wantAtLeast(t, "less margin", less, 1)
}

// With a larger size the score falls only when some raw figure improves: a margin tier forces a
// lower leverage; the margin is short, which gives 85, and the assumed deposit grows with the size;
// an isolated position grows at a lower leverage than it had; the trade hedges other positions; or
// another scenario becomes the worst of the portfolio.
func TestMustNotGainFromSize(t *testing.T) {
	sequential(t)
	compared, rose, tiers, short, thinned, hedged := 0, 0, 0, 0, 0, 0
	must(t, 3*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		w, ok := worsen(e, s, in, func(in *Input) {
			in.Trade.SizeUSD = min(MaxSizeUSD, in.Trade.SizeUSD*(1+r.log(0.01, 30)))
		})
		if !ok {
			return ""
		}
		compared++
		before, after := &w.before, &w.after
		x, y := &before.Explanation, &after.Explanation
		switch {
		case w.score > 1e-4:
			rose++
		case w.score >= -1e-4:
		case w.is.plan.leverage < w.was.plan.leverage:
			tiers++
		case w.is.after.marginShort && after.RiskScore >= floorMarginShort:
			short++
		case w.is.plan.kind == increases && w.is.plan.mode == Isolated &&
			after.Liquidation.DistancePct > before.Liquidation.DistancePct:
			thinned++
		case len(in.Account.Positions) > 0 && (y.HedgeWeight > 0 || y.Portfolio < x.Portfolio ||
			slices.ContainsFunc([]int{ruleLiquidation, ruleBookLoss, ruleProbability, ruleProbability7d, ruleStress}, w.fell)):
			hedged++
		default:
			return w.String()
		}
		return ""
	})
	wantAtLeast(t, "compared", compared, mustStates)
	wantAtLeast(t, "the score rises", rose, mustStates/4)
	wantAtLeast(t, "tier", tiers, 1)
	wantAtLeast(t, "margin short", short, 1)
	wantAtLeast(t, "isolated position at less leverage", thinned, 1)
	wantAtLeast(t, "hedge", hedged, 1)
}

// The change that an issue suggests removes that issue, and the suggested order size is a multiple
// of the venue's size step.
func TestMustFixWhatTheVenueRefuses(t *testing.T) {
	sequential(t)
	fixed := [issueCodes]int{}
	byLeverage := 0
	has := func(a *Admissibility, code IssueCode) bool {
		return slices.ContainsFunc(a.Issues[:a.Count], func(i Issue) bool { return i.Code == code })
	}
	must(t, 5*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		if r.chance(4) {
			in.Trade.SizeUSD = r.log(0.01, 30)
		}
		out := answer(e, s, in).Admissibility
		p, lot := &s.view.plan, math.Pow10(-in.Target.Market.Asset.SizeDigits)
		units, whole := math.Abs(p.units), p.kind == reduces && p.after == 0
		lots := out.OrderSizeCoin / lot
		if out.OrderSizeCoin > units || whole && out.OrderSizeCoin != units ||
			!whole && units < 1e12*lot && math.Abs(lots-math.Round(lots)) > 1.1e-3 {
			return fmt.Sprintf("an order of %v for %v units in lots of %v", out.OrderSizeCoin, units, lot)
		}
		if !whole && out.OrderSizeCoin < units-lot*(1+1e-9) {
			return fmt.Sprintf("an order of %v for %v units, a lot of %v less", out.OrderSizeCoin, units, lot)
		}
		if (out.Verdict == VerdictWillReject) != (out.Count > 0) {
			return fmt.Sprintf("%s with %d issues", out.Verdict, out.Count)
		}
		for _, issue := range out.Issues[:out.Count] {
			for _, leverage := range []bool{false, true} {
				again := *in
				switch {
				case leverage && issue.FixLeverage > 0:
					again.Trade.Leverage = issue.FixLeverage
					byLeverage++
				case leverage || issue.Fix == 0:
					continue
				case issue.Code.Field() == "leverage":
					again.Trade.Leverage = issue.Fix
				case issue.Code.Field() == "size":
					again.Trade.SizeUSD = issue.Fix
				default:
					return fmt.Sprintf("%s cannot be fixed", issue.Code)
				}
				if again.Trade.SizeUSD > max(MaxSizeUSD, in.Trade.SizeUSD) || again.Trade.Leverage > max(in.Trade.Leverage,
					in.Target.Market.Asset.MaxLeverage) {
					return fmt.Sprintf("%+v is beyond what may be asked", issue)
				}
				fixed[issue.Code]++
				if b := &answer(e, s, &again).Admissibility; has(b, issue.Code) {
					return fmt.Sprintf("%s: %+v stays after it is fixed: %+v", issue.Code, issue, b.Issues[:b.Count])
				}
			}
		}
		return ""
	})
	for _, code := range []IssueCode{IssueLot, IssueMinNotional, IssueMaxLeverage, IssueTierLeverage,
		IssueInsufficientMargin} {
		wantAtLeast(t, code.String(), fixed[code], 10)
	}
	wantAtLeast(t, "fixed by leverage", byLeverage, 10)
}

// Goroutines that share an engine, snapshots and fits get the same answers as a single goroutine.
// The race detector reports writes to shared data.
func TestMustAnswerManyAtOnce(t *testing.T) {
	const states, goroutines = 100, 8
	e, s := NewEngine(DefaultAges()), NewScratch(4)
	inputs, want := make([]*Input, states), make([]Assessment, states)
	for i := range inputs {
		r := dice{rand.New(rand.NewPCG(uint64(i), 78))}
		inputs[i] = r.state()
		inputs[i].Trade.MonteCarlo = i%25 == 0
		fitPairs(inputs[i])
		want[i] = *answer(e, NewScratch(4), inputs[i])
	}
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			s := NewScratch(g)
			for i := range inputs {
				i = (i + g*states/goroutines) % states
				if got := answer(e, s, inputs[i]); !alike(got, &want[i]) {
					t.Errorf("goroutine %d, state %d: %+v\nwant %+v", g, i, *got, want[i])
				}
			}
		})
	}
	group.Wait()
	for i := range inputs {
		if got := answer(e, s, inputs[i]); !alike(got, &want[i]) {
			t.Errorf("state %d was modified", i)
		}
	}
}

// An assessment never blocks and never fits a model: the package imports no locks, atomics or weak
// pointers, and uses only published fits of pairs.
func TestMustShareNothing(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	published := []string{"Pair", "PooledNu"}
	files := 0
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files++
		for _, spec := range file.Imports {
			switch name, _ := strconv.Unquote(spec.Path.Value); name {
			case "sync", "sync/atomic", "weak", "unique", "unsafe", "ballast/compute/calib":
				t.Errorf("%s imports %s", path, name)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "copula" && !slices.Contains(published, sel.Sel.Name) {
					t.Errorf("%s uses copula.%s", path, sel.Sel.Name)
				}
			}
			return true
		})
	}
	wantAtLeast(t, "files read", files, 20)
}
