package alerts

// Kind is what an alert is about.
type Kind uint8

const (
	HighRiskScore Kind = iota
	LiquidationProximity
	FundingDragExcessive
	RegimeShift
	PortfolioVaRBreach
)

// Values from which on an alert is critical rather than a warning.
const (
	criticalScore       = 85 // risk score, this much or more
	criticalDistancePct = 2  // liquidation distance, less than this
	crisis              = 2  // rank of the regime, when shifted into
)

// Alert is one threshold that does not hold. Its texts belong to the Result it was
// judged from.
type Alert struct {
	Kind      Kind
	Critical  bool
	Wallet    string
	Asset     string  // "" for the portfolio
	AtMs      int64   // ms since 1970 UTC
	Current   float64 // the metric, in its own unit (points, percent, rank of the regime)
	Threshold float64 // what it was compared with; the old rank for a regime
}

// Judge appends what a subscriber with these thresholds is told about a result, in the
// order of the positions, the portfolio last. A value that equals its threshold does not
// breach it; one that is not a number breaches nothing.
func Judge(dst []Alert, r *Result, th *Thresholds) []Alert {
	score := float64(th.MaxRiskScore)
	for i := range r.Positions {
		p := &r.Positions[i]
		alert := func(kind Kind, critical bool, current, threshold float64) {
			dst = append(dst, Alert{
				Kind: kind, Critical: critical, Wallet: r.Wallet, Asset: p.Asset, AtMs: r.AtMs,
				Current: current, Threshold: threshold,
			})
		}
		if p.RiskScore > score {
			alert(HighRiskScore, p.RiskScore >= criticalScore, p.RiskScore, score)
		}
		if limit := th.MinLiquidationDistancePct; p.LiquidationDistancePct < limit {
			alert(LiquidationProximity, p.LiquidationDistancePct < criticalDistancePct, p.LiquidationDistancePct, limit)
		}
		if limit := th.MaxFundingDragDailyPct; p.FundingDragDailyPct > limit {
			alert(FundingDragExcessive, false, p.FundingDragDailyPct, limit)
		}
		if p.HasRegime && p.Regime != p.PreviousRegime {
			alert(RegimeShift, p.Regime == crisis, float64(p.Regime), float64(p.PreviousRegime))
		}
	}
	if limit := th.MaxPortfolioVaRPct; r.HasPortfolio && r.PortfolioVaRPct > limit {
		dst = append(dst, Alert{
			Kind: PortfolioVaRBreach, Wallet: r.Wallet, AtMs: r.AtMs,
			Current: r.PortfolioVaRPct, Threshold: limit,
		})
	}
	return dst
}
