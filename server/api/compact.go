package api

import (
	"math"
	"strconv"

	"ballast/compute/risk"
	"ballast/policy"
)

const (
	// MaxCompact is the maximum length of the compact view of one trade, bytes, without the texts of critical
	// flags. Other flags are shortened to fit: first infos, then warnings to name and severity, then to a count.
	MaxCompact = 1200
	// maxCritical is the length up to which critical flags have their whole texts. Beyond it they have their figures.
	maxCritical = 2000
)

// compact writes the members of a compact view. Numbers have six significant digits.
type compact struct{ Writer }

func (c *compact) number(key string, x float64) {
	c.b = appendRounded(append(c.b, key...), x)
	c.bad = c.bad || x-x != 0
}

func (c *compact) numberOrNull(key string, x float64, known bool) {
	if known {
		c.number(key, x)
	} else {
		c.null(key)
	}
}

// appendRounded appends x with six significant digits, at most twelve decimals, and without exponent.
func appendRounded(dst []byte, x float64) []byte {
	if math.Abs(x) >= 1e-6 {
		x = sixDigits(x)
	} else {
		x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'f', 12, 64), 64)
	}
	return strconv.AppendFloat(dst, x+0, 'f', -1, 64) // without trailing zeros; + 0: no "-0"
}

func sixDigits(x float64) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'e', 5, 64), 64)
	return x
}

func rounded(x float64) string { return string(appendRounded(nil, x)) }

// appendCompact appends the compact view of an assessment: what a language model or a chat needs to
// decide. When it returns ErrNotFinite the text is unusable.
func appendCompact(dst []byte, a *risk.Assessment, e *Envelope) ([]byte, error) {
	c := compact{NewWriter(dst)}
	c.number(`{"risk_score":`, a.RiskScore)
	c.Text(`,"recommendation":`, a.Recommendation.String())
	c.Text(`,"summary":`, Summary(a)+policyWords(e.Policy))
	c.shortPolicy(e.Policy)
	l := &a.Liquidation
	c.numberOrNull(`,"probability_24h":`, l.Probability24h, l.HasProbability)
	c.numberOrNull(`,"liquidation_price":`, l.Price, l.Price > 0)
	c.number(`,"liquidation_distance_pct":`, l.DistancePct)
	c.number(`,"var_99_24h_usd":`, a.VaR.Dollar99_24h)
	c.number(`,"entry_cost_bps":`, a.Cost.EntryBps)
	c.number(`,"round_trip_cost_bps":`, a.Cost.RoundTripBps)
	p := &a.Position.After
	c.number(`,"funding_24h_usd":`, p.Side*a.Funding.Expected24h*p.NotionalUSD)
	c.number(`,"suggested_size_usd":`, a.Sizing.SuggestedUSD)
	largest := a.Sizing.MaxSafeUSD
	if a.Sizing.Rule != "" && largest > 0 {
		largest = roundedDown(largest) // more might be forbidden
	}
	c.number(`,"max_safe_size_usd":`, largest)
	c.Text(`,"size_limit_reason":`, a.Sizing.Limit.String())
	if a.Sizing.Rule != "" {
		c.word(`,"size_policy_rule":"`, a.Sizing.Rule)
	}
	c.position(p)
	c.margin(`,"margin_after":`, &a.Margin.After)
	c.worstStress(a)
	c.exits(&a.Order)
	c.execution(&a.Execution)
	if a.Flags.Has(risk.FlagOtherPoolAtRisk) {
		c.Integer(`,"other_pools":`, int(a.Flags.Value[risk.FlagOtherPoolAtRisk]))
	}
	c.Text(`,"admissibility":{"verdict":`, a.Admissibility.Verdict.String())
	c.end()
	c.meta(&a.Meta, e, true)
	c.flags(a, MaxCompact-(len(c.b)-len(dst))-len(`}`))
	c.end()
	return c.finished()
}

// appendCompactRejected appends the compact view of a trade of a batch that breaks a rule.
func appendCompactRejected(dst []byte, reason string, how *Mending, meta *risk.Meta, e *Envelope) []byte {
	c := compact{NewWriter(dst)}
	c.Raw(`{"risk_score":100,"recommendation":"abort"`)
	c.Text(`,"summary":`, "Not assessed: "+reason+how.advice()+".")
	c.Text(`,"error":`, reason)
	c.Raw(`,"flags":[]`)
	c.meta(meta, e, false)
	c.end()
	return c.Bytes()
}

// appendCompactMonitor appends the compact view of a wallet's open positions. When it returns ErrNotFinite
// the text is unusable.
func appendCompactMonitor(dst []byte, wallet string, r *risk.WalletReport, e *Envelope) ([]byte, error) {
	c := compact{NewWriter(dst)}
	c.Text(`{"wallet":`, wallet)
	c.Text(`,"summary":`, summaryOfWallet(r)+policyWords(e.Policy))
	c.shortPolicy(e.Policy)
	c.margin(`,"margin":`, &r.Margin)
	c.number(`,"var_99_24h_usd":`, r.BookVaR99)
	c.Raw(`,"positions":[`)
	for i := range r.Positions {
		c.comma(i)
		c.held(&r.Positions[i], e.heldVerdict(i))
	}
	c.Raw(`]`)
	if s := &r.PortfolioStress; s.Known {
		c.stress(risk.Scenarios[s.Scenario].ID, s.TotalPnLUSD, s.AccountSurvives)
	}
	c.meta(&r.Meta, e, true)
	c.end()
	return c.finished()
}

func (c *compact) held(p *risk.HeldPosition, v *policy.Verdict) {
	c.Text(`{"asset":`, p.Asset)
	c.number(`,"size_coin":`, p.Units)
	c.number(`,"notional_usd":`, math.Abs(p.Units)*p.Mark)
	c.numberOrNull(`,"unrealized_pnl_usd":`, p.UnrealizedUSD, p.EntryPrice != 0)
	c.number(`,"risk_score":`, p.RiskScore)
	c.Text(`,"recommendation":`, p.Recommendation.String())
	c.numberOrNull(`,"probability_24h":`, p.Liquidation.Probability24h, p.Liquidation.HasProbability)
	c.numberOrNull(`,"liquidation_price":`, p.Liquidation.Price, p.Liquidation.Price > 0)
	c.number(`,"liquidation_distance_pct":`, p.Liquidation.DistancePct)
	c.number(`,"funding_drag_24h_pct":`, p.FundingDrag24h)
	c.Raw(`,"flags":[`)
	n := 0
	for f := range risk.FlagCount {
		if p.Flags.Has(f) {
			c.comma(n)
			c.Raw(flagHeads[f])
			c.end()
			n++
		}
	}
	c.Raw(`]`)
	c.shortPolicy(v)
	c.action(&p.Action)
	c.end()
}

// action writes what a pool that is not at its target needs.
func (c *compact) action(a *risk.PoolAction) {
	if !a.Known || a.Kind == risk.Hold {
		return
	}
	c.Text(`,"action":{"pool":`, a.Pool)
	c.Text(`,"kind":`, a.Kind.String())
	c.numberOrNull(`,"reduce_pct":`, roundedUp(a.ReducePct), a.ReducePct > 0)
	c.numberOrNull(`,"add_margin_usd":`, roundedUp(a.AddMarginUSD), a.AddMarginUSD > 0)
	c.end()
}

// roundedUp returns x, not negative, with six significant digits, not less than x.
func roundedUp(x float64) float64 {
	y := sixDigits(x)
	if y < x {
		y = sixDigits(y + lastDigit(x))
	}
	return y
}

// roundedDown is roundedUp, not more than x.
func roundedDown(x float64) float64 {
	y := sixDigits(x)
	if y > x {
		y = sixDigits(y - lastDigit(x))
	}
	return y
}

// lastDigit is the unit of the sixth significant digit.
func lastDigit(x float64) float64 { return math.Pow(10, math.Floor(math.Log10(x))-5) }

func (c *compact) position(p *risk.PositionState) {
	if !c.side(`,"position_after":`, p.Side) {
		return
	}
	c.number(`,"size_coin":`, p.SizeCoin)
	c.number(`,"notional_usd":`, p.NotionalUSD)
	c.number(`,"leverage":`, p.Leverage)
	c.Text(`,"mode":`, p.Mode.String())
	c.numberOrNull(`,"entry_price":`, p.EntryPrice, p.EntryPrice != 0)
	c.end()
}

func (c *compact) margin(key string, m *risk.MarginState) {
	c.Raw(key)
	c.number(`{"account_value":`, m.AccountValue)
	c.number(`,"free":`, m.Free)
	c.number(`,"maintenance_ratio_pct":`, m.MaintenanceRatioPct)
	c.end()
}

// worstStress writes the worst scenario of the wallet, or of the trade where the wallet has no position before it. Of
// several that take all margin it is the one that goes furthest beyond.
func (c *compact) worstStress(a *risk.Assessment) {
	s := &a.PortfolioStress
	if s.Known {
		c.stress(risk.Scenarios[s.Scenario].ID, s.TotalPnLUSD, s.AccountSurvives)
		return
	}
	worst := &a.Stress[s.Scenario]
	c.stress(risk.Scenarios[s.Scenario].ID, worst.PnLUSD, worst.Survives)
}

func (c *compact) stress(scenario string, pnlUSD float64, survives bool) {
	c.Text(`,"worst_stress":{"scenario":`, scenario)
	c.number(`,"pnl_usd":`, pnlUSD)
	c.Boolean(`,"survives":`, survives)
	c.end()
}

// meta writes the block. used: data were used, and have ages.
func (c *compact) meta(m *risk.Meta, e *Envelope, used bool) {
	c.b = AppendString(append(c.b, `,"meta":{"request_id":`...), e.RequestID)
	c.b = AppendTime(append(c.b, `,"as_of":"`...), m.AsOfUnixMs)
	c.Text(`","venue":`, e.Venue)
	c.numberOrNull(`,"market_age_ms":`, math.Round(m.MarketAgeMs), used)
	c.numberOrNull(`,"wallet_age_ms":`, math.Round(m.WalletAgeMs), used)
	c.end()
}

// flagHeads are the starts of the flags, with name and severity.
var flagHeads = func() (heads [risk.FlagCount]string) {
	for f := range risk.FlagCount {
		heads[f] = `{"name":"` + f.String() + `","severity":"` + risk.FlagTable[f].Severity.String() + `"`
	}
	return heads
}()

// flags writes the raised flags into at most room bytes, critical ones with their texts in any case. Another
// flag gets a text if the names of all later flags still fit after it, and no flag before it lacks one. If
// not even all names fit, the number of flags left out follows.
func (c *compact) flags(a *risk.Assessment, room int) {
	const more = `,"more_flags":34`
	var raised []risk.Flag
	rest, whole := 0, MaxCompact-room // lengths of the heads, and of the view with the critical flags
	for f := range risk.FlagCount {
		if a.Flags.Has(f) {
			head := len(flagHeads[f]) + len(`},`)
			rest, raised = rest+head, append(raised, f)
			if risk.FlagTable[f].Severity == risk.Critical {
				whole += head + len(`,"text":""`) + len(flagText(f, a))
			}
		}
	}
	c.Raw(`,"flags":[`)
	room -= len(`,"flags":[]`) + len(more)
	texts := true
	for i, f := range raised {
		own, critical := len(flagHeads[f])+len(`},`), risk.FlagTable[f].Severity == risk.Critical
		if own > room && !critical {
			c.Integer(`],"more_flags":`, len(raised)-i)
			return
		}
		c.comma(i)
		c.Raw(flagHeads[f])
		rest, room = rest-own, room-own
		words := flagText(f, a)
		if critical && whole > maxCritical {
			words = shortText(f, a)
		}
		text := AppendString([]byte(`,"text":`), words)
		if texts = texts && len(text)+rest <= room; texts || critical {
			c.Append(text)
			room -= len(text)
		}
		c.end()
	}
	c.Raw(`]`)
}
