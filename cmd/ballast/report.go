package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// answer is the part of a validate response that the terminal report shows.
type answer struct {
	RiskScore      float64  `json:"risk_score"`
	Recommendation string   `json:"recommendation"`
	Flags          []string `json:"flags"`
	Slippage       struct {
		Bps       float64 `json:"bps"`
		FillPrice float64 `json:"fill_price"`
		MidPrice  float64 `json:"mid_price"`
		Depth100  float64 `json:"depth_100bps"`
	} `json:"slippage"`
	Liquidation struct {
		Price             float64 `json:"price"`
		DistancePct       float64 `json:"distance_pct"`
		MarginUsedPct     float64 `json:"margin_used_pct"`
		EffectiveLeverage float64 `json:"effective_leverage"`
		Mode              string  `json:"mode"`
	} `json:"liquidation"`
	Funding struct {
		AnnualizedPct float64 `json:"annualized_pct"`
		AgentPays     bool    `json:"agent_pays"`
	} `json:"funding"`
	Impact struct {
		ExpectedBps      float64 `json:"expected_bps"`
		ParticipationPct float64 `json:"participation_pct"`
	} `json:"impact"`
	VaR struct {
		Pct95     float64 `json:"pct_95_24h"`
		Pct99     float64 `json:"pct_99_24h"`
		Dollar95  float64 `json:"dollar_95_24h"`
		Dollar99  float64 `json:"dollar_99_24h"`
		LVaR99    float64 `json:"lvar_99_24h"`
		ES99      float64 `json:"es_99_24h"`
		MarginPct float64 `json:"margin_var_99_pct"`
		Regime    string  `json:"volatility_regime"`
	} `json:"var"`
	OI struct {
		Current        float64 `json:"current"`
		AtCap          bool    `json:"at_cap"`
		UtilizationPct float64 `json:"utilization_pct"`
	} `json:"oi"`
	Stress []struct {
		Scenario    string  `json:"scenario"`
		PnLPct      float64 `json:"pnl_pct"`
		PnLUSD      float64 `json:"pnl_usd"`
		DistancePct float64 `json:"liquidation_distance_pct"`
		Survives    bool    `json:"survives"`
	} `json:"stress"`
	Fees struct {
		TakerBps float64 `json:"taker_fee_bps"`
		USD      float64 `json:"estimated_fee_usd"`
	} `json:"fees"`
	Cost struct {
		EntryBps     float64 `json:"total_entry_cost_bps"`
		RoundTripBps float64 `json:"total_round_trip_cost_bps"`
		BreakevenPct float64 `json:"breakeven_move_pct"`
		DragPct      float64 `json:"funding_drag_24h_pct"`
	} `json:"cost_analysis"`
	Sizing *struct {
		MaxSafe   float64 `json:"max_safe_size_usd"`
		Suggested float64 `json:"suggested_size_usd"`
		Reason    string  `json:"size_limit_reason"`
	} `json:"sizing"`
	Meta struct {
		Asset       string  `json:"asset"`
		MarkPrice   float64 `json:"mark_price"`
		MaxLeverage float64 `json:"max_leverage"`
		LatencyMs   float64 `json:"latency_ms"`
		RequestID   string  `json:"request_id"`
		MarketAgeMs float64 `json:"market_age_ms"`
		WalletAgeMs float64 `json:"wallet_age_ms"`
		AsOf        string  `json:"as_of"`
	} `json:"meta"`
	ModelVersion struct {
		Engine      string `json:"engine_version"`
		Calibration string `json:"calibration_hash"`
	} `json:"model_version"`
	EVT *struct {
		VaR float64 `json:"var_99_9"`
		ES  float64 `json:"expected_shortfall_99_9"`
	} `json:"evt"`
	Regime *struct {
		State      string  `json:"state"`
		Confidence float64 `json:"confidence"`
	} `json:"regime"`
	Drawdown *struct {
		MaxPct      float64 `json:"max_drawdown_pct"`
		CurrentPct  float64 `json:"current_drawdown_pct"`
		TrailingPct float64 `json:"trailing_stop_distance_pct"`
		StopPct     float64 `json:"suggested_stop_loss_pct"`
	} `json:"drawdown"`
	MonteCarlo *struct {
		Simulations int        `json:"simulations"`
		VaR95       float64    `json:"var_95"`
		VaR99       float64    `json:"var_99"`
		ES99        float64    `json:"expected_shortfall_99"`
		Median      float64    `json:"median_return"`
		Worst       float64    `json:"worst_case"`
		Interval    [2]float64 `json:"confidence_interval"`
	} `json:"monte_carlo"`
	Attribution *struct {
		Total              float64 `json:"total_var_99"`
		DiversificationPct float64 `json:"diversification_benefit_pct"`
		Positions          []struct {
			Asset    string  `json:"asset"`
			Marginal float64 `json:"marginal_var"`
			Pct      float64 `json:"component_var_pct"`
		} `json:"positions"`
	} `json:"portfolio_attribution"`
	PortfolioStress *struct {
		Scenario   string  `json:"scenario"`
		PnLUSD     float64 `json:"total_pnl_usd"`
		PnLPct     float64 `json:"total_pnl_pct"`
		Survives   bool    `json:"account_survives"`
		Liquidated int     `json:"positions_liquidated"`
	} `json:"portfolio_stress"`
	Explanation *struct {
		Components  []component `json:"components"`
		Interaction float64     `json:"interaction"`
		Portfolio   float64     `json:"portfolio"`
		Regime      float64     `json:"regime"`
		Floor       float64     `json:"floor"`
		Flags       []struct {
			Name      string  `json:"name"`
			Severity  string  `json:"severity"`
			Value     float64 `json:"value"`
			Threshold float64 `json:"threshold"`
		} `json:"flags"`
	} `json:"explanation"`
}

// component is one part of the score.
type component struct {
	Name         string  `json:"name"`
	Score        float64 `json:"score"` // 0 to 100
	Weight       float64 `json:"weight"`
	Contribution float64 `json:"contribution"`
}

// barCells is the width of a bar in the report.
const barCells = 24

// bar draws a share of 0 to 1 in eighths of a cell.
func bar(share float64) string {
	eighths := int(math.Round(min(max(share, 0), 1) * barCells * 8))
	full, rest := eighths/8, eighths%8
	b := strings.Repeat("█", full)
	if rest > 0 {
		b += string([]rune(" ▏▎▍▌▋▊▉")[rest])
		full++
	}
	return b + strings.Repeat("·", barCells-full)
}

// usd prints an amount with thousands separators.
func usd(x float64) string {
	s := fmt.Sprintf("%.0f", math.Abs(x))
	if math.Abs(x) < 1000 {
		s = fmt.Sprintf("%.2f", math.Abs(x))
	}
	whole, frac, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if frac != "" {
		whole += "." + frac
	}
	if x < 0 {
		whole = "-" + whole
	}
	return whole
}

// figure prints a figure of any size: four digits, large ones as amounts.
func figure(x float64) string {
	if math.Abs(x) >= 10000 {
		return usd(x)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// price prints a price with six significant digits at least.
func price(x float64) string {
	if x == 0 {
		return "none"
	}
	digits := max(0, 5-int(math.Floor(math.Log10(math.Abs(x)))))
	return fmt.Sprintf("%.*f", digits, x)
}

// report writes an answer for a person: the verdict, what drives it, then the numbers.
func report(w io.Writer, a *answer, what string) {
	verdict := map[string]string{
		"proceed": "PROCEED", "proceed_with_caution": "PROCEED WITH CAUTION", "abort": "ABORT",
	}[a.Recommendation]
	fmt.Fprintf(w, "%s   risk score %.1f of 100\n", verdict, a.RiskScore)
	fmt.Fprintf(w, "%s at mark %s, as of %s\n\n", what, price(a.Meta.MarkPrice), a.Meta.AsOf)
	a.reportDrivers(w)
	a.reportFlags(w)
	a.reportNumbers(w)
	a.reportBook(w)
	a.reportSimulation(w)
	a.reportStress(w)
	fmt.Fprintf(w, "market data %.0f ms old, wallet %.0f ms old, computed in %.3f ms, engine %s, calibration %.12s, %s\n",
		a.Meta.MarketAgeMs, a.Meta.WalletAgeMs, a.Meta.LatencyMs, a.ModelVersion.Engine, a.ModelVersion.Calibration, a.Meta.RequestID)
}

// reportDrivers shows the components of the score, the heaviest first.
func (a *answer) reportDrivers(w io.Writer) {
	x := a.Explanation
	if x == nil {
		return
	}
	fmt.Fprintln(w, "What drives the score        0                     100   points")
	parts := slices.Clone(x.Components)
	slices.SortStableFunc(parts, func(p, q component) int { return cmp.Compare(q.Contribution, p.Contribution) })
	for _, c := range parts {
		fmt.Fprintf(w, "  %-12s weight %.2f  %s  %6.2f\n", c.Name, c.Weight, bar(c.Score/100), c.Contribution)
	}
	for _, extra := range []struct {
		name   string
		points float64
	}{{"several at once", x.Interaction}, {"whole portfolio", x.Portfolio}, {"liquidity regime", x.Regime}} {
		if extra.points >= 0.005 {
			fmt.Fprintf(w, "  %-24s %28.2f\n", extra.name, extra.points)
		}
	}
	if x.Floor > 0 && x.Floor >= a.RiskScore-0.001 {
		fmt.Fprintf(w, "  a hard rule sets the score: %.1f\n", x.Floor)
	}
	fmt.Fprintln(w)
}

func (a *answer) reportFlags(w io.Writer) {
	if len(a.Flags) == 0 {
		fmt.Fprint(w, "Flags: none\n\n")
		return
	}
	if a.Explanation == nil {
		fmt.Fprintf(w, "Flags: %s\n\n", strings.Join(a.Flags, ", "))
		return
	}
	fmt.Fprintln(w, "Flags")
	for _, f := range a.Explanation.Flags {
		fmt.Fprintf(w, "  %-8s  %-24s", f.Severity, f.Name)
		if f.Threshold != 0 {
			fmt.Fprintf(w, "  %s against %s", figure(f.Value), figure(f.Threshold))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

func (a *answer) reportNumbers(w io.Writer) {
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %-14s %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintln(w, "Numbers")
	if a.Liquidation.Price > 0 {
		row("liquidation", "at %s, %.2f %% away (%s), effective leverage %.2fx, %.1f %% of free margin",
			price(a.Liquidation.Price), a.Liquidation.DistancePct, a.Liquidation.Mode, a.Liquidation.EffectiveLeverage, a.Liquidation.MarginUsedPct)
	} else {
		row("liquidation", "no price, distance %.0f %% (%s)", a.Liquidation.DistancePct, a.Liquidation.Mode)
	}
	row("24 h loss", "95 %%: %.2f %% = %s USD   99 %%: %.2f %% = %s USD   shortfall beyond 99 %%: %.2f %%",
		a.VaR.Pct95, usd(a.VaR.Dollar95), a.VaR.Pct99, usd(a.VaR.Dollar99), a.VaR.ES99)
	row("", "99 %% with the way out: %s USD, %.0f %% of margin, volatility %s", usd(a.VaR.LVaR99), a.VaR.MarginPct, a.VaR.Regime)
	row("execution", "fill %s, slippage %.2f bps, lasting impact %.2f bps, depth within 1 %%: %s USD",
		price(a.Slippage.FillPrice), a.Slippage.Bps, a.Impact.ExpectedBps, usd(a.Slippage.Depth100))
	row("cost", "in %.2f bps, round trip %.2f bps, fee %s USD, breaks even at a move of %.3f %%",
		a.Cost.EntryBps, a.Cost.RoundTripBps, usd(a.Fees.USD), a.Cost.BreakevenPct)
	pays := "receives"
	if a.Funding.AgentPays {
		pays = "pays"
	}
	row("funding", "%s %.2f %% a year, %.3f %% of margin a day", pays, math.Abs(a.Funding.AnnualizedPct), a.Cost.DragPct)
	if e := a.EVT; e != nil {
		row("1 day in 1000", "loses %.2f %% or more, %.2f %% on average", e.VaR, e.ES)
	}
	if d := a.Drawdown; d != nil {
		row("stops", "trailing %.2f %%, loss %.2f %% from mark; the asset is %.1f %% below its peak, at worst it was %.1f %%",
			d.TrailingPct, d.StopPct, d.CurrentPct, d.MaxPct)
	}
	if r := a.Regime; r != nil {
		row("liquidity", "%s, confidence %.0f %%", r.State, 100*r.Confidence)
	}
	cap := ""
	if a.OI.AtCap {
		cap = ", at the cap"
	}
	row("open interest", "%s USD, %.0f %% of the estimated cap%s", usd(a.OI.Current), a.OI.UtilizationPct, cap)
	if a.Sizing != nil {
		row("size", "suggested %s USD, at most %s USD (%s)", usd(a.Sizing.Suggested), usd(a.Sizing.MaxSafe), a.Sizing.Reason)
	}
	fmt.Fprintln(w)
}

// reportBook shows the wallet's whole book after the trade.
func (a *answer) reportBook(w io.Writer) {
	x := a.Attribution
	if x == nil || len(x.Positions) < 2 {
		return
	}
	fmt.Fprintf(w, "Book after the trade: 24 h 99 %% loss %s USD, %.0f %% less than its positions alone\n", usd(x.Total), x.DiversificationPct)
	for _, p := range x.Positions {
		fmt.Fprintf(w, "  %-12s share %7.1f %%  %s  %14s USD without it\n", p.Asset, p.Pct, bar(math.Abs(p.Pct)/100), usd(x.Total-p.Marginal))
	}
	if s := a.PortfolioStress; s != nil {
		end := "the account survives"
		if !s.Survives {
			end = "the account does not survive"
		}
		fmt.Fprintf(w, "  worst scenario %s: %s USD, %.1f %% of the account, %d liquidated, %s\n", s.Scenario, usd(s.PnLUSD), s.PnLPct, s.Liquidated, end)
	}
	fmt.Fprintln(w)
}

func (a *answer) reportSimulation(w io.Writer) {
	m := a.MonteCarlo
	if m == nil {
		return
	}
	fmt.Fprintf(w, "Simulated day, %d paths: loss at 95 %%: %.2f %%, at 99 %%: %.2f %% (shortfall %.2f %%), middle %.2f %%, worst %.2f %%, 19 of 20 between %.2f and %.2f %%\n\n",
		m.Simulations, m.VaR95, m.VaR99, m.ES99, m.Median, m.Worst, m.Interval[0], m.Interval[1])
}

// reportStress draws losses to the left scale of the worst scenario.
func (a *answer) reportStress(w io.Writer) {
	worst := 0.0
	for _, s := range a.Stress {
		worst = max(worst, math.Abs(s.PnLPct))
	}
	if worst == 0 {
		return
	}
	fmt.Fprintln(w, "Stress                       P&L % of position                      USD")
	for _, s := range a.Stress {
		end := "survives"
		if !s.Survives {
			end = "LIQUIDATED"
		}
		fmt.Fprintf(w, "  %-24s %7.1f  %s %14s  %s\n", s.Scenario, s.PnLPct, bar(math.Abs(s.PnLPct)/worst), usd(s.PnLUSD), end)
	}
	fmt.Fprintln(w)
}
