package alerts

// Kind is the kind of an alert.
type Kind uint8

const (
	HighRiskScore Kind = iota
	LiquidationProximity
	FundingDragExcessive
	RegimeShift
	PortfolioVaRBreach
	StopRemoved
)

// Limits beyond which an alert is critical instead of a warning.
const (
	criticalScore       = 85 // risk score at or above
	criticalDistancePct = 2  // liquidation distance below, percent
	Crisis              = 2  // rank of the new regime after a regime shift
)

// Alert is one breached threshold. Its strings share memory with the judged Result.
type Alert struct {
	Kind      Kind
	Critical  bool
	Wallet    string
	Asset     string  // "" for the portfolio
	AtMs      int64   // ms since 1970 UTC
	Current   float64 // value of the metric: risk score points, percent, rank of the regime, or stops left
	Threshold float64 // the breached threshold; for a regime shift the previous regime's rank; one stop
}

// Judge appends the alerts of a result for a subscriber's thresholds, in the order of the positions, the
// portfolio last. A value equal to its threshold does not breach it; NaN breaches no threshold.
func Judge(dst []Alert, r *Result, th *Thresholds) []Alert {
	alert := func(kind Kind, asset string, critical bool, current, threshold float64) {
		dst = append(dst, Alert{
			Kind: kind, Critical: critical, Wallet: r.Wallet, Asset: asset, AtMs: r.AtMs,
			Current: current, Threshold: threshold,
		})
	}
	score := float64(th.MaxRiskScore)
	for i := range r.Positions {
		p := &r.Positions[i]
		if p.RiskScore > score {
			alert(HighRiskScore, p.Asset, p.RiskScore >= criticalScore, p.RiskScore, score)
		}
		if limit := th.MinLiquidationDistancePct; p.LiquidationDistancePct < limit {
			alert(LiquidationProximity, p.Asset, p.LiquidationDistancePct < criticalDistancePct,
				p.LiquidationDistancePct, limit)
		}
		if limit := th.MaxFundingDragDailyPct; p.FundingDragDailyPct > limit {
			alert(FundingDragExcessive, p.Asset, false, p.FundingDragDailyPct, limit)
		}
		if p.HasRegime && p.Regime != p.PreviousRegime {
			alert(RegimeShift, p.Asset, p.Regime == Crisis, float64(p.Regime), float64(p.PreviousRegime))
		}
	}
	for _, asset := range r.StopsRemoved {
		alert(StopRemoved, asset, false, 0, 1)
	}
	if limit := th.MaxPortfolioVaRPct; r.HasPortfolio && r.PortfolioVaRPct > limit {
		alert(PortfolioVaRBreach, "", false, r.PortfolioVaRPct, limit)
	}
	return dst
}

// Value returns the value of the metric that a kind of alert judges, of an asset or ("") of the portfolio; false when
// the result has none: the position is gone.
func (r *Result) Value(kind Kind, asset string) (x float64, ok bool) {
	if kind == PortfolioVaRBreach {
		return r.PortfolioVaRPct, r.HasPortfolio
	}
	for i := range r.Positions {
		p := &r.Positions[i]
		if p.Asset != asset {
			continue
		}
		switch kind {
		case HighRiskScore:
			return p.RiskScore, true
		case LiquidationProximity:
			return p.LiquidationDistancePct, true
		case FundingDragExcessive:
			return p.FundingDragDailyPct, true
		case RegimeShift:
			return float64(p.Regime), p.HasRegime
		}
	}
	return 0, false
}
