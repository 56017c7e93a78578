package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ballast/server/api"
	"ballast/server/spec/types"
)

// answer is an assessment to be shown in the terminal.
type answer struct{ types.Assessment }

// width is the width of the report, in columns.
const width = 80

// usd prints an amount with thousands separators.
func usd(x float64) string {
	format := "%.0f"
	if math.Abs(x) < 1000 {
		format = "%.2f"
	}
	return thousands(fmt.Sprintf(format, x+0)) // + 0: no "-0.00" for nothing
}

// or formats a figure, or says none.
func or(none string, x *float64, format func(float64) string) string {
	if x == nil {
		return none
	}
	return format(*x)
}

// orDash formats a figure, a dash where there is none.
func orDash(x *float64, format func(float64) string) string { return or("-", x, format) }

// signedPct prints a percentage with its sign.
func signedPct(x float64) string { return fmt.Sprintf("%+.2f %%", x) }

// figure formats a number with four significant digits, from 10,000 on as an amount.
func figure(x float64) string { return significant(x, 4) }

// significant formats a number with significant digits, from 10,000 on as an amount.
func significant(x float64, digits int) string {
	if math.Abs(x) >= 10000 {
		return usd(x)
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}

// price prints a price with at least six significant digits.
func price(x float64) string {
	if x == 0 {
		return "none"
	}
	digits := max(0, 5-int(math.Floor(math.Log10(math.Abs(x)))))
	return fmt.Sprintf("%.*f", digits, x)
}

// unit matches the space between a number and its unit, at which no line ends.
var unit = regexp.MustCompile(`(\d) (%|h|days|USD|bps)`)

// wrapped writes text in lines up to the width. The first line begins with head; the others are indented by its width.
func wrapped(w io.Writer, head, text string) {
	indent := cells(head)
	line, used := head, indent
	for i, word := range strings.Split(unit.ReplaceAllString(text, "$1\u00a0$2"), " ") {
		word = strings.ReplaceAll(word, "\u00a0", " ")
		n := cells(word)
		if i > 0 && used+1+n > width {
			fmt.Fprintln(w, line)
			line, used = strings.Repeat(" ", indent), indent
		} else if i > 0 {
			line, used = line+" ", used+1
		}
		line, used = line+word, used+n
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}

// row writes a name and a formatted text.
func row(w io.Writer, name, format string, args ...any) {
	wrapped(w, fmt.Sprintf("  %-14s ", name), fmt.Sprintf(format, args...))
}

// report writes an assessment as text: the verdict, what the trade changes, whether the venue
// would take it, what drives the score, then the numbers. The parameter what describes the trade.
func report(w sheet, a *answer, what, wallet string) {
	w.venue(a.Meta.Venue)
	a.reportVerdict(w)
	fmt.Fprintf(w, "%s\n", w.gauge(a.RiskScore))
	wrapped(w, "", fmt.Sprintf("%s, mark price %s", what, price(a.Meta.MarkPrice)))
	fmt.Fprintf(w, "wallet %s, %s\n\n", wallet, a.Meta.AsOf)
	a.reportPrices(w)
	a.reportChange(w)
	a.reportVenue(w)
	a.reportFlags(w)
	a.reportDrivers(w)
	a.reportNumbers(w)
	a.reportPools(w)
	a.reportBook(w)
	a.reportSimulation(w)
	a.reportStress(w)
	computed := ""
	if a.Meta.LatencyMs > 0 {
		computed = fmt.Sprintf("computed in %.3f ms, ", a.Meta.LatencyMs)
	}
	wrapped(w, "", fmt.Sprintf("market data %.0f ms old, wallet %.0f ms old, %sengine %s, calibration %.12s, %s",
		a.Meta.MarketAgeMs, a.Meta.WalletAgeMs, computed, a.ModelVersion.EngineVersion, a.ModelVersion.CalibrationHash,
		a.Meta.RequestID))
	fmt.Fprintln(w)
	a.reportVerdict(w)
}

// reportVerdict is the first and the last line, so that it is in view wherever the reader stands.
func (a *answer) reportVerdict(w sheet) {
	w.stale(a.stale())
	fmt.Fprintf(w, "%s   risk score %.1f of 100\n", w.verdict(a.Recommendation), a.RiskScore)
}

// venue says so if the venue is simulated.
func (s sheet) venue(venue types.Venue) {
	if venue == simulatedVenue {
		fmt.Fprintln(s, s.paint(yellow, "SIMULATED VENUE"))
	}
}

// stale says which input is too old, if one is.
func (s sheet) stale(words string) {
	if words != "" {
		wrapped(s, s.paint(red, "STALE "), words)
	}
}

// verdict prints a recommendation.
func (s sheet) verdict(recommendation types.Recommendation) string {
	colours := map[types.Recommendation]colour{"proceed": green, "proceed_with_caution": yellow, "abort": red}
	return s.paint(colours[recommendation], strings.ToUpper(strings.ReplaceAll(string(recommendation), "_", " ")))
}

// brief writes an assessment in a dozen lines.
func (a *answer) brief(w sheet, what, wallet string) {
	w.venue(a.Meta.Venue)
	a.reportVerdict(w)
	wrapped(w, "", fmt.Sprintf("%s, mark price %s", what, price(a.Meta.MarkPrice)))
	fmt.Fprintf(w, "wallet %s, %s\n", wallet, a.Meta.AsOf)
	a.reportPrices(w)
	if p := a.Liquidation.Probability24h; p != nil && a.Position.After != nil {
		row(w, "liquidation", "%s within 24 h", chance(*p))
	}
	row(w, "24 h loss", "%s USD on 1 of 100 days, or more", usd(a.VaR.Dollar99_24h))
	a.reportOrder(w)
	row(w, "cost", "in %.2f bps, round trip %.2f bps", a.CostAnalysis.TotalEntryCostBps,
		a.CostAnalysis.TotalRoundTripCostBps)
	row(w, "size", "suggested %s USD", usd(a.Sizing.SuggestedSizeUSD))
	if a.Admissibility.Verdict == "will_reject" {
		a.reportVenue(w)
	}
	a.reportFlags(w)
	a.reportVerdict(w)
}

// reportChange shows position and margin before and after the trade.
func (a *answer) reportChange(w sheet) {
	line := func(name, before, after string) {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %-22s %20s  %20s", name, before, after), " "))
	}
	fmt.Fprintf(w, "%s                 %20s  %20s\n", w.paint(bold, "Position"), "before", "after")
	position := func(name string, of func(*types.PositionState) string) {
		text := func(p *types.PositionState) string {
			if p == nil {
				return "-"
			}
			return of(p)
		}
		line(name, text(a.Position.Before), text(a.Position.After))
	}
	side := func(p *types.PositionState) string {
		if p == nil {
			return "flat"
		}
		return string(p.Side) + ", " + string(p.Mode)
	}
	line("side, margin mode", side(a.Position.Before), side(a.Position.After))
	position("size, "+a.Meta.Asset, func(p *types.PositionState) string { return significant(p.SizeCoin, 6) })
	position("notional, USD", func(p *types.PositionState) string { return usd(p.NotionalUSD) })
	position("leverage", func(p *types.PositionState) string { return figure(p.Leverage) + "x" })
	position("entry price", func(p *types.PositionState) string { return or("not known", p.EntryPrice, price) })
	position("liquidation price", func(p *types.PositionState) string { return or("none", p.LiquidationPrice, price) })
	fmt.Fprintln(w, w.paint(bold, "Margin of the wallet")+", USD; the venue liquidates at a ratio of 100 %")
	margin := func(name string, of func(*types.Margin) string) {
		line(name, of(&a.Margin.Before), of(&a.Margin.After))
	}
	margin("account value", func(m *types.Margin) string { return usd(m.AccountValue) })
	margin("initial", func(m *types.Margin) string { return usd(m.Initial) })
	margin("free", func(m *types.Margin) string { return usd(m.Free) })
	margin("maintenance", func(m *types.Margin) string { return usd(m.Maintenance) })
	margin("maintenance ratio", func(m *types.Margin) string { return fmt.Sprintf("%.1f %%", m.MaintenanceRatioPct) })
	a.reportLiquidation(w)
	fmt.Fprintln(w)
}

// chance prints a fraction in percent.
func chance(p float64) string {
	switch {
	case p == 0:
		return "0 %"
	case p < 0.0001:
		return "under 0.01 %"
	}
	return fmt.Sprintf("%.2f %%", 100*p)
}

// reportVenue says whether the venue would take the order, and what to change if not.
func (a *answer) reportVenue(w sheet) {
	order := &a.Admissibility
	switch order.Verdict {
	case "ok":
		wrapped(w, "", fmt.Sprintf("The venue would take the order: send %s %s (%s USD)",
			amount(order.OrderSizeCoin), a.Meta.Asset, usd(order.OrderSizeUSD)))
	case "will_reject":
		fmt.Fprintln(w, w.paint(red, "THE VENUE WOULD REFUSE THE ORDER"))
	default:
		wrapped(w, "", "Whether the venue would take the order is not known")
	}
	leverage := 0.0
	if p := a.Position.After; p != nil {
		leverage = p.Leverage
	}
	for i := range order.Issues {
		wrapped(w, "  ", issueWords(&order.Issues[i], leverage))
	}
	fmt.Fprintln(w)
}

// amount formats a number of coins with up to twelve significant digits; further digits are rounding errors.
func amount(x float64) string {
	if short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64); err == nil {
		x = short
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// reportDrivers shows the components of the score, largest contribution first.
func (a *answer) reportDrivers(w sheet) {
	x := a.Explanation
	if x == nil {
		return
	}
	fmt.Fprintln(w, w.paint(bold, "What drives the score")+"       0                100  points")
	parts := slices.Clone(x.Components)
	slices.SortStableFunc(parts, func(p, q types.Component) int { return cmp.Compare(q.Contribution, p.Contribution) })
	for _, c := range parts {
		if c.Weight == 0 {
			fmt.Fprintf(w, "  %-12s no weight: the open-interest cap is an estimate\n", c.Name)
			continue
		}
		fmt.Fprintf(w, "  %-12s weight %.2f  %s  %6.2f\n", c.Name, c.Weight, w.level(c.Score), c.Contribution)
	}
	for _, extra := range []struct {
		name   string
		points float64
	}{{"several at once", x.Interaction}, {"whole portfolio", x.Portfolio}, {"liquidity regime", x.Regime}} {
		if extra.points >= 0.005 {
			fmt.Fprintf(w, "  %-24s %29.2f\n", extra.name, extra.points)
		}
	}
	sum := x.Base + x.Interaction + x.Portfolio + x.Regime
	switch {
	case x.RawScore < min(sum, 100):
		fmt.Fprintf(w, "  a trade that only reduces scores %.0f at most\n", x.RawScore)
	case x.Floor > sum:
		rules := reflect.ValueOf(x.HardRules)
		for i := range rules.NumField() {
			rule, floor := rules.Type().Field(i).Name, rules.Field(i).Float()
			if floor == x.Floor && api.RuleWords[rule] != "" {
				wrapped(w, "  ", fmt.Sprintf("hard rule %s sets the score: %.1f, %s", rule, floor, api.RuleWords[rule]))
			}
		}
	}
	fmt.Fprintln(w)
}

var severityColours = map[types.Severity]colour{"critical": red, "warning": yellow, "info": blue}

// joined lists names.
func joined[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return strings.Join(texts, ", ")
}

func (a *answer) reportFlags(w sheet) {
	if len(a.Flags) == 0 {
		fmt.Fprint(w, "Flags: none\n\n")
		return
	}
	if a.Explanation == nil {
		wrapped(w, "", "Flags: "+joined(a.Flags))
		fmt.Fprintln(w)
		return
	}
	fmt.Fprintln(w, w.paint(bold, "Flags"))
	for i := range a.Explanation.Flags {
		f := &a.Explanation.Flags[i]
		wrapped(w, w.paint(severityColours[f.Severity], fmt.Sprintf("  %-8s  ", f.Severity)), flagWords(f))
	}
	fmt.Fprintln(w)
}

// flagWords describes a flag with its figure and threshold.
func flagWords(f *types.RaisedFlag) string {
	s := string(f.Name) + ": " + f.Meaning
	var words func(x float64) string
	switch f.Unit {
	case "":
		return s
	case "fraction":
		words = chance
	case "x":
		words = func(x float64) string { return figure(x) + "x" }
	case "USD":
		words = func(x float64) string { return usd(x) + " USD" }
	default:
		words = func(x float64) string { return figure(x) + " " + f.Unit }
	}
	threshold := ""
	if f.Threshold != 0 || f.Name == "insufficient_margin" {
		threshold = words(f.Threshold)
	}
	return s + " (" + api.FlagFigures(string(f.Name), words(f.Value), threshold) + ")"
}

func (a *answer) reportNumbers(w sheet) {
	fmt.Fprintln(w, w.paint(bold, "Numbers"))
	if l := &a.Liquidation; a.Position.After != nil {
		at := "no price"
		if l.Price > 0 {
			at = "at " + price(l.Price)
		}
		row(w, "liquidation",
			"%s, %.2f %% from mark, effective leverage %.2fx; the trade takes %.1f %% of the free margin",
			at, l.DistancePct, l.EffectiveLeverage, l.MarginUsedPct)
	}
	v := &a.VaR
	row(w, "24 h loss", "95 %%: %.2f %% = %s USD; 99 %%: %.2f %% = %s USD, mean beyond it %.2f %%; volatility %s",
		v.Pct95_24h, usd(v.Dollar95_24h), v.Pct99_24h, usd(v.Dollar99_24h), v.Es99_24h, v.VolatilityRegime)
	row(w, "", "99 %% with the way out: %s USD; 99 %% is %.0f %% of the margin", usd(v.Lvar99_24h), v.MarginVaR99Pct)
	row(w, "execution", "fill %s, slippage %.2f bps, lasting impact %.2f bps, depth within 1 %%: %s USD",
		price(a.Slippage.FillPrice), a.Slippage.Bps, a.Impact.ExpectedBps, usd(a.Slippage.Depth100bps))
	a.reportOrder(w)
	cost := &a.CostAnalysis
	row(w, "cost", "in %.2f bps, round trip %.2f bps, fee %s USD, breaks even at a move of %.3f %%",
		cost.TotalEntryCostBps, cost.TotalRoundTripCostBps, usd(a.Fees.EstimatedFeeUSD), cost.BreakevenMovePct)
	pays := "receives"
	if a.Funding.AgentPays {
		pays = "pays"
	}
	row(w, "funding", "%s %.2f %% a year, %.3f %% of margin a day",
		pays, math.Abs(a.Funding.AnnualizedPct), math.Abs(cost.FundingDrag24hPct))
	if e := a.EVT; e != nil {
		row(w, "1 day in 1000", "loses %.2f %% or more, %.2f %% on average", e.VaR99_9, e.ExpectedShortfall99_9)
	}
	if d := a.Drawdown; d != nil {
		row(w, "stops",
			"trailing %.2f %%, loss %.2f %% from mark; the asset is %.1f %% below its peak, at worst it was "+
				"%.1f %%",
			d.TrailingStopDistancePct, d.SuggestedStopLossPct, d.CurrentDrawdownPct, d.MaxDrawdownPct)
	}
	a.reportSession(w)
	if r := a.Regime; r != nil {
		row(w, "liquidity", "%s, confidence %.0f %%", r.State, 100*r.Confidence)
	}
	cap := "the cap"
	if a.Explanation != nil && a.Explanation.OICapEstimated {
		cap = "an estimated cap"
	}
	if a.OI.AtCap {
		cap += ", which the venue enforces now"
	}
	row(w, "open interest", "%s USD, %.0f %% of %s", usd(a.OI.Current), a.OI.UtilizationPct, cap)
	row(w, "size", "suggested %s USD; %s USD within the four limits; kept down by: %s",
		usd(a.Sizing.SuggestedSizeUSD), usd(a.Sizing.MaxSafeSizeUSD), a.sizeReason())
	fmt.Fprintln(w)
}

// reportBook shows all positions of the wallet after the trade.
func (a *answer) reportBook(w sheet) {
	x := a.PortfolioAttribution
	if x == nil || len(x.Positions) < 2 {
		return
	}
	wrapped(w, w.paint(bold, "Book"), fmt.Sprintf(": 24 h 99 %% loss %s USD, %.0f %% less than its positions alone",
		usd(x.TotalVaR99), x.DiversificationBenefitPct))
	fmt.Fprintf(w, "  %-12s %9s  %-*s  %14s\n", "", "share", signedCells, "hedges       adds", "without it")
	for _, p := range x.Positions {
		if p.Collateral != nil && *p.Collateral {
			p.Asset += " (collateral)"
		}
		fmt.Fprintf(w, "  %-12s %+7.1f %%  %s  %10s USD\n", p.Asset, p.ComponentVaRPct,
			w.signed(p.ComponentVaRPct/100, green, red), usd(x.TotalVaR99-p.MarginalVaR))
	}
	fmt.Fprintln(w)
}

func (a *answer) reportSimulation(w sheet) {
	m := a.MonteCarlo
	if m == nil || len(m.ConfidenceInterval) != 2 {
		return
	}
	wrapped(w, "", fmt.Sprintf(
		"Simulated day, %d paths: loss at 95 %%: %.2f %%, at 99 %%: %.2f %% (mean beyond it %.2f %%), "+
			"middle %.2f %%, worst %.2f %%, 19 of 20 between %.2f and %.2f %%",
		m.Simulations, m.VaR95, m.VaR99, m.ExpectedShortfall99, m.MedianReturn, m.WorstCase, m.ConfidenceInterval[0],
		m.ConfidenceInterval[1]))
	fmt.Fprintln(w)
}

// reportStress draws the P&L of each scenario; losses are scaled to the worst scenario.
func (a *answer) reportStress(w sheet) {
	worst := 0.0
	for _, s := range a.Stress {
		worst = max(worst, math.Abs(s.PnLPct))
	}
	a.reportAccountStress(w)
	if worst == 0 {
		return
	}
	fmt.Fprintf(w, "%s                   %6s  %-*s %12s  dies by\n", w.paint(bold, "Stress"), "P&L %", signedCells,
		"loss         gain", "USD")
	for _, s := range a.Stress {
		end := "-"
		switch {
		case s.DiedBy != nil:
			end = w.paint(red, *s.DiedBy)
		case !s.Survives:
			end = w.paint(red, "not known")
		}
		fmt.Fprintf(w, "  %-22s %+6.1f  %s %12s  %s\n", s.Scenario, s.PnLPct, w.signed(s.PnLPct/worst, red, green),
			usd(s.PnLUSD), end)
	}
	fmt.Fprintln(w)
}
