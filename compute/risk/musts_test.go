package risk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
	return calib.Publish(fits, 0)
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
			MarkPrice: mark, OraclePrice: mark, MidPrice: mark, HasFunding: !r.chance(9),
			FundingRateHourly: r.one(-1, 1) * r.log(1e-6, 1e-3),
			OpenInterestUnits: r.one(0, 1e4, 1e7, 1e9) / mark, DayVolumeUSD: volume, PrevDayPrice: mark,
		},
		Funding: &mc.FundingStats{Rows: 720, MeanHourly168: testFunding, MedianHourly720: testFunding,
			MADHourly720: 1e-5},
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

// opens turns the trade of a state into one that opens a position.
func (r dice) opens(in *Input) {
	in.Trade.Action = Action(r.IntN(2))
	if i := in.Account.PositionIn(in.Trade.Asset); i >= 0 {
		in.Account.Positions, in.Held = slices.Delete(in.Account.Positions, i, i+1), slices.Delete(in.Held, i, i+1)
	}
}

// odd adds to a state what is rare: other account modes, quoted prices, other marks, old and missing data.
func (r dice) odd(in *Input) {
	in.AsHeld, in.Stale, in.Trade.MonteCarlo = r.chance(6), r.chance(6), r.chance(40)
	in.Account.Mode, in.Account.SpotUSDC = mc.AccountMode(r.IntN(5)), 1000
	for i := range in.Account.Positions {
		p := &in.Account.Positions[i]
		p.ValueUSD *= 0.97 + 0.06*r.Float64()
		if r.chance(2) {
			p.LiquidationPrice = in.Held[i].Market.Context.MarkPrice * (0.3 + 1.4*r.Float64())
		}
	}
	m := &in.Target.Market
	if r.chance(2) {
		m.CEX = &mc.CEXFunding{RateHourly: r.one(-1, 1) * r.log(1e-6, 1e-4), Venues: 2}
	}
	if r.chance(4) {
		m.Samples, m.Interest = nil, nil
	}
}

// mustWords describes a state in one line, with the seed that reproduces it.
func mustWords(seed uint64, in *Input) string {
	out := fmt.Sprintf("state %d: %s %s %v USD at %vx %s, pool %v, mark %v, tiers %v;", seed, in.Trade.Action,
		in.Target.Model.Name,
		in.Trade.SizeUSD, in.Trade.Leverage, in.Trade.Mode, in.Account.CrossAccountValueUSD,
		in.Target.Market.Context.MarkPrice, in.Target.Market.Asset.Tiers)
	for _, p := range in.Account.Positions {
		out += fmt.Sprintf(" %s %v USD at %vx isolated %v raw %v,", p.Name, math.Copysign(p.ValueUSD, p.Units),
			p.Leverage,
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
	fresh := NewScratch(0)
	must(t, 2*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		if r.chance(2) {
			r.odd(in)
		}
		a := answer(e, s, in)
		if why := broken(a); why != "" {
			return why
		}
		if in.Stale != a.Flags.Has(FlagStaleMarketData) {
			return "stale data is not flagged"
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
	known, fell := 0, 0
	must(t, mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		r.opens(in)
		in.Trade.Mode, in.Trade.ModeGiven = Isolated, true
		marginVaR := 0.0
		before := [3]float64{0, 0, 101} // probability within 24 h, within 7 days, distance in percent
		for leverage := 1.0; leverage <= in.Target.Market.Asset.MaxLeverage; leverage += 1 + r.Float64()*4 {
			in.Trade.Leverage = leverage
			a := answer(e, s, in)
			l := &a.Liquidation
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
			if a.VaR.MarginVaR99Pct < marginVaR {
				return fmt.Sprintf("at %vx a margin VaR of %v, with less leverage %v", leverage,
					a.VaR.MarginVaR99Pct, marginVaR)
			}
			before, marginVaR = now, a.VaR.MarginVaR99Pct
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
