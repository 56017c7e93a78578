package api

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
)

func TestExplanation(t *testing.T) {
	for seed, guess := range []bool{false, true} {
		a := randomAssessment(rand.New(rand.NewPCG(7, uint64(seed))))
		a.Liquidation.HasProbability = !guess
		if guess {
			compose(&a.Explanation)
			d := &a.Explanation.Divergence
			d.With, d.MarkAge, d.OtherAge = "mid", time.Second, 1500*time.Millisecond
			a.Explanation.HedgeWeight = 0
		}
		checkExplanation(t, a)
	}
}

// compose fills in the explanation of a score with an estimated open-interest cap.
func compose(x *risk.Explanation) { (&risk.ScoreInput{}).Compose(&x.Terms) }

func checkExplanation(t *testing.T, a *risk.Assessment) {
	t.Helper()
	a.Explanation.Market = &marketcache.Market{BookAge: 1500 * time.Microsecond, DepthAge: -1, ContextAge: time.Second,
		SlowAge: 13 * time.Second, Funding: &marketcache.FundingStats{Rows: 71}}
	x := &a.Explanation
	d := &x.Divergence
	hard := map[string]any{}
	for i, name := range risk.HardRuleNames {
		hard[name] = x.HardRules[i]
	}
	x.BookAfter = risk.BookBefore{Known: true, PoolKnown: true, Probability24h: 0.5, PoolVaR99USD: 1.0 / 3,
		PortfolioVaR99USD: 7}
	x.SizeRule, x.ModeSource, x.LeverageSource = "H7", risk.SourceSetting, risk.SourceDefault
	x.Loading = []risk.LoadingPart{{What: "candles", Asset: "BTC", ReadyInS: 12}, {What: "pairs", ReadyInS: -1}}
	_, tree := encode(t, a, Envelope{Started: time.Now(), Explain: true})
	compare(t, "explanation", tree["explanation"], map[string]any{
		"components": expectedComponents(x), "base": x.Base, "interaction": x.Interaction, "portfolio": x.Portfolio,
		"regime":     x.Regime,
		"capped":     x.Capped,
		"hard_rules": hard, "hedge_weight": x.HedgeWeight, "score_before": ifKnown(x.ScoreBefore, x.HedgeWeight > 0),
		"portfolio_loss_99": x.PortfolioLoss99,
		"book_after": map[string]any{
			"probability_24h": nil, "probability_7d": nil, "pool_var_99_usd": 1.0 / 3, "stress_loss_usd": 0.0,
			"portfolio_var_99_usd": 7.0,
		},
		"failed_scenarios": expectedFailed(x.Failed), "size_rule": "H7", "mode_source": "setting",
		"leverage_source": "default",
		"loading": []any{
			map[string]any{"what": "candles", "asset": "BTC", "ready_in_s": 12.0}, map[string]any{"what": "pairs",
				"asset": nil, "ready_in_s": nil},
		},
		"divergence": ifKnown(map[string]any{"with": d.With, "mark": d.Mark, "other": d.Other, "pct": d.Pct,
			"mark_age_ms": float64(d.MarkAge) / 1e6, "other_age_ms": float64(d.OtherAge) / 1e6}, d.With != ""),
		"slippage":         map[string]any{"book_age_ms": 1.5, "depth_age_ms": nil},
		"context":          map[string]any{"mark_age_ms": 1000.0, "slow_age_ms": 13000.0},
		"funding":          map[string]any{"paid_rates": 71.0},
		"oi_cap_estimated": x.Weights[risk.ComponentOI] == 0, "score_leverage": x.Leverage,
		"inputs": map[string]any{
			"pct_99_24h": a.VaR.Pct99_24h, "pct_99_4h": a.VaR.Pct99_4h,
			"probability_24h":           ifKnown(a.Liquidation.Probability24h, a.Liquidation.HasProbability),
			"probability_7d":            ifKnown(a.Liquidation.Probability7d, a.Liquidation.HasProbability),
			"stress_load":               x.StressLoad,
			"funding_share":             x.FundingShare,
			"total_round_trip_cost_bps": a.Cost.RoundTripBps, "participation_pct": a.Impact.ParticipationPct,
		},
		"account_value": x.AccountValue, "positions_after": float64(x.PositionsAfter),
		"portfolio_var_99_24h": x.PortfolioVaR99,
		"regime_probabilities": map[string]any{"normal": x.RegimeProb[0], "stressed": x.RegimeProb[1],
			"crisis": x.RegimeProb[2]},
		"floor": x.Floor, "raw_score": x.RawScore, "breakeven_move_pct_of_margin": x.BreakevenPct,
		"sizing": map[string]any{
			"book_depth": a.Sizing.BookDepth, "oi_capacity": a.Sizing.OICapacity,
			"margin_headroom": a.Sizing.MarginHeadroom,
			"market_impact":   a.Sizing.MarketImpact,
		},
		"monte_carlo": map[string]any{"var_95_se": a.MonteCarlo.SE95, "var_99_se": a.MonteCarlo.SE99,
			"liquidated_share": a.MonteCarlo.LiquidatedShare},
		"greeks": map[string]any{"touch_probability": a.Greeks.TouchProbability,
			"loss_at_touch_usd": a.Greeks.LossAtTouchUSD},
		"flags": []any{},
	})
}

func expectedComponents(x *risk.Explanation) (components []any) {
	for c := range risk.ComponentCount {
		raw := map[string]any{}
		for i, name := range risk.RawNames[c] {
			if name != "" {
				raw[name] = x.Raw[c][i]
			}
		}
		components = append(components, map[string]any{
			"name": c.String(), "raw": raw, "score": x.Scores[c], "weight": x.Weights[c],
			"contribution": x.Weights[c] * x.Scores[c],
		})
	}
	return components
}

// A NaN in any printed number is detected.
func TestNotFiniteIsRefused(t *testing.T) {
	printed := 0
	for at := 0; ; at++ {
		a := randomAssessment(rand.New(rand.NewPCG(1, 1)))
		n := 0
		fillFloats(reflect.ValueOf(a).Elem(), func() float64 {
			n++
			if n-1 == at {
				return []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[at%3]
			}
			return 1
		})
		if at >= n {
			break
		}
		text, err := AppendAssessment(nil, a, &Envelope{Started: time.Now(), Explain: true})
		if err != nil {
			printed++
		} else if !json.Valid(text) {
			t.Fatalf("number %d reached the text: %s", at, text)
		}
	}
	if printed < 210 {
		t.Errorf("only %d numbers are printed", printed)
	}
}

func TestAppendTime(t *testing.T) {
	check := func(ms int64) {
		t.Helper()
		want := time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
		if got := string(AppendTime(nil, ms)); got != want {
			t.Fatalf("%d: %s, want %s", ms, got, want)
		}
	}
	const dayMs = 24 * 3600 * 1000
	for day := int64(0); day < 8040*366; day++ { // beyond the year 9999; every day of the first years
		check(day * dayMs)
		check(day*dayMs + day*7919%dayMs)
		if day > 50_000 {
			day += 96
		}
	}
	for _, ms := range []int64{-1, -62135596800000, 1, 999, 86399999, 1763719200123, 1709164800000, 4102444799999} {
		check(ms)
	}
}

func TestAppendError(t *testing.T) {
	for _, row := range [][3]string{
		{CodeNotFound, "no such route", `{"error":"not_found","detail":"no such route"}`},
		{InvalidKey, "x", `{"error":"invalid API key","detail":"x"}`},
		{CodeValidation, `a "b"`, `{"error":"validation_error","detail":"a \"b\""}`},
	} {
		if got := string(AppendError(nil, row[0], row[1])); got != row[2] {
			t.Errorf("%s, want %s", got, row[2])
		}
	}
	if RuleOf("no such code").Status != 500 {
		t.Error("an unknown code is not answered as an internal error")
	}
}

func TestAssessmentAllocs(t *testing.T) {
	a := randomAssessment(rand.New(rand.NewPCG(1, 1)))
	e := &Envelope{RequestID: []byte("req_1"), Started: time.Now(), Explain: true}
	buf := make([]byte, 0, 16384)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := AppendAssessment(buf, a, e); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
