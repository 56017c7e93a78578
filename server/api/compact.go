package api

import (
	"math"
	"strconv"

	"ballast/compute/risk"
)

// MaxCompact is the maximum length of the compact view of one trade, bytes. Flags are shortened to fit:
// first to name and severity, then to a count.
const MaxCompact = 1200

// compact appends the members of a compact view. Numbers have six significant digits.
type compact struct {
	b   []byte
	bad bool // a number was not finite
}

func (c *compact) raw(s string) { c.b = append(c.b, s...) }

func (c *compact) text(key, s string) { c.b = AppendString(append(c.b, key...), s) }

func (c *compact) boolean(key string, v bool) { c.b = strconv.AppendBool(append(c.b, key...), v) }

func (c *compact) number(key string, x float64) {
	c.b = append(c.b, key...)
	c.b = appendRounded(c.b, x)
	c.bad = c.bad || x-x != 0
}

func (c *compact) numberOrNull(key string, x float64, known bool) {
	if known {
		c.number(key, x)
	} else {
		c.raw(key + "null")
	}
}

// appendRounded appends x with six significant digits, or all digits before the decimal point if there are
// more, without exponent.
func appendRounded(dst []byte, x float64) []byte {
	const digits = 6
	decimals := 0
	if a := math.Abs(x); a > 0 {
		decimals = min(max(0, digits-1-int(math.Floor(math.Log10(a)))), 12)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, x, 'f', decimals, 64)
	if decimals > 0 {
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
		if dst[len(dst)-1] == '.' {
			dst = dst[:len(dst)-1]
		}
	}
	if string(dst[from:]) == "-0" {
		dst = append(dst[:from], '0')
	}
	return dst
}

// appendCompact appends the compact view of an assessment: what a language model or a chat needs to
// decide. When it returns ErrNotFinite the text is unusable.
func appendCompact(dst []byte, a *risk.Assessment, e *Envelope) ([]byte, error) {
	c := compact{b: dst}
	c.number(`{"risk_score":`, a.RiskScore)
	c.text(`,"recommendation":`, a.Recommendation.String())
	c.text(`,"summary":`, string(summary(a)))
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
	c.number(`,"max_safe_size_usd":`, a.Sizing.MaxSafeUSD)
	c.text(`,"size_limit_reason":`, a.Sizing.Limit.String())
	c.position(p)
	c.margin(`,"margin_after":`, &a.Margin.After)
	worst := 0
	for i := range a.Stress {
		if a.Stress[i].PnLUSD < a.Stress[worst].PnLUSD {
			worst = i
		}
	}
	c.stress(risk.Scenarios[worst].ID, a.Stress[worst].PnLUSD, a.Stress[worst].Survives)
	c.text(`,"admissibility":{"verdict":`, a.Admissibility.Verdict.String())
	c.raw(`}`)
	c.meta(&a.Meta, e)
	c.flags(a, MaxCompact-(len(c.b)-len(dst))-len(`}`))
	c.raw(`}`)
	if c.bad {
		return c.b, ErrNotFinite
	}
	return c.b, nil
}

// appendCompactRejected appends the compact view of a trade of a batch that breaks a rule.
func appendCompactRejected(dst []byte, reason string, how *Mending, meta *risk.Meta, e *Envelope) []byte {
	c := compact{b: dst}
	c.raw(`{"risk_score":100,"recommendation":"abort"`)
	c.text(`,"summary":`, "Not assessed: "+reason+how.advice()+".")
	c.text(`,"error":`, reason)
	c.raw(`,"flags":[]`)
	c.meta(meta, e)
	c.raw(`}`)
	return c.b
}

// appendCompactMonitor appends the compact view of a wallet as held. When it returns ErrNotFinite the
// text is unusable.
func appendCompactMonitor(dst []byte, wallet string, r *risk.WalletReport, e *Envelope) ([]byte, error) {
	c := compact{b: dst}
	c.text(`{"wallet":`, wallet)
	c.text(`,"summary":`, summaryOfWallet(r))
	c.margin(`,"margin":`, &r.Margin)
	c.number(`,"var_99_24h_usd":`, r.BookVaR99)
	c.raw(`,"positions":[`)
	for i := range r.Positions {
		if i > 0 {
			c.raw(`,`)
		}
		c.held(&r.Positions[i])
	}
	c.raw(`]`)
	if s := &r.PortfolioStress; s.Known {
		c.stress(risk.Scenarios[s.Scenario].ID, s.TotalPnLUSD, s.AccountSurvives)
	}
	c.meta(&r.Meta, e)
	c.raw(`}`)
	if c.bad {
		return c.b, ErrNotFinite
	}
	return c.b, nil
}

func (c *compact) held(p *risk.HeldPosition) {
	c.text(`{"asset":`, p.Asset)
	c.number(`,"size_coin":`, p.Units)
	c.number(`,"notional_usd":`, math.Abs(p.Units)*p.Mark)
	c.number(`,"unrealized_pnl_usd":`, p.UnrealizedUSD)
	c.number(`,"risk_score":`, p.RiskScore)
	c.text(`,"recommendation":`, p.Recommendation.String())
	c.numberOrNull(`,"probability_24h":`, p.Liquidation.Probability24h, p.Liquidation.HasProbability)
	c.numberOrNull(`,"liquidation_price":`, p.Liquidation.Price, p.Liquidation.Price > 0)
	c.number(`,"liquidation_distance_pct":`, p.Liquidation.DistancePct)
	c.number(`,"funding_drag_24h_pct":`, p.FundingDrag24h)
	c.raw(`,"flags":[`)
	separator := `{"name":`
	for f := range risk.FlagCount {
		if p.Flags.Has(f) {
			c.text(separator, f.String())
			c.text(`,"severity":`, risk.FlagTable[f].Severity.String())
			c.raw(`}`)
			separator = `,{"name":`
		}
	}
	c.raw(`]}`)
}

func (c *compact) position(p *risk.PositionState) {
	switch {
	case p.Side > 0:
		c.raw(`,"position_after":{"side":"long"`)
	case p.Side < 0:
		c.raw(`,"position_after":{"side":"short"`)
	default:
		c.raw(`,"position_after":null`)
		return
	}
	c.number(`,"size_coin":`, p.SizeCoin)
	c.number(`,"notional_usd":`, p.NotionalUSD)
	c.number(`,"leverage":`, p.Leverage)
	c.text(`,"mode":`, p.Mode.String())
	c.number(`,"entry_price":`, p.EntryPrice)
	c.raw(`}`)
}

func (c *compact) margin(key string, m *risk.MarginState) {
	c.raw(key)
	c.number(`{"account_value":`, m.AccountValue)
	c.number(`,"free":`, m.Free)
	c.number(`,"maintenance_ratio_pct":`, m.MaintenanceRatioPct)
	c.raw(`}`)
}

func (c *compact) stress(scenario string, pnlUSD float64, survives bool) {
	c.text(`,"worst_stress":{"scenario":`, scenario)
	c.number(`,"pnl_usd":`, pnlUSD)
	c.boolean(`,"survives":`, survives)
	c.raw(`}`)
}

func (c *compact) meta(m *risk.Meta, e *Envelope) {
	e.latencyMs()
	c.b = AppendString(append(c.b, `,"meta":{"request_id":`...), e.RequestID)
	c.raw(`,"as_of":"`)
	c.b = AppendTime(c.b, m.AsOfUnixMs)
	c.text(`","venue":`, e.Venue)
	c.number(`,"market_age_ms":`, math.Round(m.MarketAgeMs))
	c.number(`,"wallet_age_ms":`, math.Round(m.WalletAgeMs))
	c.raw(`}`)
}

// flags writes the raised flags into at most room bytes: with a text as long as the names of the rest
// still fit, then by name, and the number of those left out.
func (c *compact) flags(a *risk.Assessment, room int) {
	const more = `,"more_flags":34`
	var named [risk.FlagCount][]byte
	raised, rest := 0, 0
	for f := range risk.FlagCount {
		if a.Flags.Has(f) {
			b := AppendString([]byte(`{"name":`), f.String())
			named[f] = AppendString(append(b, `,"severity":`...), risk.FlagTable[f].Severity.String())
			rest += len(named[f]) + len(`},`)
			raised++
		}
	}
	c.raw(`,"flags":[`)
	room -= len(`,"flags":[]`) + len(more)
	separator, written := ``, 0
	for f := range risk.FlagCount {
		if named[f] == nil {
			continue
		}
		own := len(named[f]) + len(`},`)
		rest -= own
		text := AppendString([]byte(`,"text":`), string(flagText(f, a)))
		if own > room {
			break
		}
		c.raw(separator)
		c.b = append(c.b, named[f]...)
		room -= own
		if len(text)+rest <= room {
			c.b = append(c.b, text...)
			room -= len(text)
		}
		c.raw(`}`)
		separator = `,`
		written++
	}
	c.raw(`]`)
	if written < raised {
		c.b = strconv.AppendInt(append(c.b, `,"more_flags":`...), int64(raised-written), 10)
	}
}

// flagText returns the meaning of a flag, with figure, threshold and unit if it has them.
func flagText(f risk.Flag, a *risk.Assessment) []byte {
	text := []byte(risk.FlagTable[f].Meaning)
	unit := flagUnit(f, a)
	if unit == "" {
		return text
	}
	text = appendRounded(append(text, `: `...), a.Flags.Value[f])
	text = append(append(text, ` `...), unit...)
	text = appendRounded(append(text, `, limit `...), a.Flags.Threshold[f])
	return append(append(text, ` `...), unit...)
}

var verdicts = [...]string{risk.Proceed: "Proceed", risk.ProceedWithCaution: "Proceed with caution", risk.Abort: "Abort"}

// summary returns one or two sentences: the recommendation, the reason, and an acceptable size.
func summary(a *risk.Assessment) []byte {
	text := appendRounded(append([]byte(verdicts[a.Recommendation]), `, risk score `...), math.Round(10*a.RiskScore)/10)
	separator, told := `: `, 0
	for f := risk.Flag(0); f < risk.FlagCount && told < 2; f++ {
		if info := &risk.FlagTable[f]; a.Flags.Has(f) && info.Severity != risk.Info {
			text = append(append(text, separator...), info.Meaning...)
			separator = `; `
			told++
		}
	}
	text = append(text, '.')
	size, suggested := a.Admissibility.OrderSizeUSD, a.Sizing.SuggestedUSD
	switch {
	case a.Recommendation == risk.Proceed && a.Admissibility.Verdict == risk.VerdictWillReject:
		text = append(append(text, ` The venue would reject it: `...), a.Admissibility.Issues[0].Code.String()...)
		text = append(text, '.')
	case a.Recommendation != risk.Proceed && suggested > 0 && suggested < size:
		text = appendRounded(append(text, ` Suggested size: `...), math.Floor(suggested))
		text = append(text, ` USD.`...)
	case a.Recommendation != risk.Proceed && suggested == 0:
		text = append(append(text, ` No size is suggested: `...), a.Sizing.Limit.String()...)
		text = append(text, '.')
	}
	return text
}

// summaryOfWallet names the position with the highest score.
func summaryOfWallet(r *risk.WalletReport) string {
	if len(r.Positions) == 0 {
		return "No open position."
	}
	worst := &r.Positions[0]
	for i := range r.Positions {
		if p := &r.Positions[i]; p.RiskScore > worst.RiskScore {
			worst = p
		}
	}
	text := append([]byte(worst.Asset), ` has the highest risk score, `...)
	text = appendRounded(text, math.Round(10*worst.RiskScore)/10)
	if s := &r.PortfolioStress; s.Known && !s.AccountSurvives {
		text = append(text, `. The account does not survive its worst scenario`...)
	}
	return string(append(text, '.'))
}
