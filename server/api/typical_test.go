package api

import (
	"testing"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
)

// typicalAssessment returns the assessment of 50,000 USD of BTC at 10x for a wallet of 100,000 USD
// without positions, as computed on the simulated venue.
func typicalAssessment() *risk.Assessment {
	a := &risk.Assessment{
		RiskScore: 13.5183,
		Slippage: risk.Slippage{
			Bps: 1.3999999999980695, FillPrice: 67132.89729, MidPrice: 67123.5, Depth50Bps: 8.04e6, Depth100Bps: 8.04e6,
			Imbalance: -0.0013477611940298508,
		},
		Liquidation: risk.Liquidation{Price: 60761.34521, DistancePct: 9.47828627231297, MarginUsedPct: 5,
			EffectiveLeverage: 0.500147559284637, HasProbability: true, Probability24h: 0.004429770312,
			Probability7d: 0.164522295871},
		Funding: risk.Funding{RateHourly: 1.25e-05, AnnualizedPct: 10.95, VsCEXDivergence: 1.25, LongsPay: true,
			AgentPays: true},
		Impact: risk.Impact{ExpectedBps: 0.8045248746761051, ParticipationPct: 0.0025},
		VaR: risk.VaR{
			Pct95_24h: 3.768652242649539, Pct99_24h: 6.359600659471097, Pct99_4h: 2.5962960972619316,
			Pct99_7d: 16.82592178264289,
			ES95_24h: 5.417437598808712, ES99_24h: 8.479467545961462, Dollar95_24h: 1884.3261213247695,
			Dollar99_24h: 3179.8003297355485,
			Dollar99_4h:  1298.1480486309658, Dollar99_7d: 8412.960891321445, LVaR95_24h: 1893.8261213247754,
			LVaR99_24h:     3194.3003297355544,
			MarginVaR99Pct: 63.59600659471097, Regime: marketcache.VolatilityRegime(1), HasForecast: true,
			Forecast: risk.VolatilityForecast{
				Sigma1h: 0.4611127844681819, Sigma4h: 0.4611127844681819, Sigma1d: 0.461112784468182,
				Sigma7d:      0.46111278446818194,
				LongRunSigma: 0.45,
			},
		},
		OpenInterest: risk.OpenInterest{CurrentUSD: 1.0371845211e9, UtilizationPct: 34.572817370000003},
		Fees:         risk.Fees{TakerBps: 4.5, EstimatedUSD: 22.503149999999998, PctOfMargin: 0.45006299999999994},
		Cost: risk.Cost{
			EntryBps: 6.704524874674174, RoundTripBps: 13.409049749351679, BreakevenMovePct: 0.16145354962790762,
			FundingDrag24hPct: 0.27363052134390836,
			Score:             0.3321113921524013,
		},
		Sizing: risk.Sizing{MaxSafeUSD: 393106.4439206337, SuggestedUSD: 314000, Limit: 2},
		Position: risk.PositionChange{After: risk.PositionState{
			Side: 1, SizeCoin: 0.7448956028812562, NotionalUSD: 50000, Leverage: 10, EntryPrice: 67132.89729,
			LiquidationPrice: 60761.34521,
		}},
		Margin: risk.Margin{
			Before: risk.MarginState{AccountValue: 100000, Free: 100000},
			After: risk.MarginState{
				AccountValue: 99970.49685, Initial: 5000, Maintenance: 625, Free: 94970.49685,
				MaintenanceRatioPct: 0.62518444759,
			},
			DeltaInitialUSD: 5000,
		},
		Admissibility: risk.Admissibility{OrderSizeCoin: 0.74489, OrderSizeUSD: 49999.623915},
		Greeks: risk.Greeks{Delta: 0.7448956028812562, Gamma: 1.8437216503118934e-06, Vega: -12.84471023918827,
			Theta: -23.259418745303762, LiquidationGamma: 3.1208841702395e-17},
		Regime: risk.Regime{Known: true, Confidence: 0.9},
		Attribution: risk.Attribution{
			Known: true, TotalVaR99: 1647.9992608879547,
			Positions: []risk.PositionVaR{{Asset: "BTC", MarginalVaR: 1647.9992608879547,
				ComponentVaR: 1647.9992608879547, ComponentPct: 100}},
		},
		Meta: risk.Meta{Asset: "BTC", MarkPrice: 67123.5, MaxLeverage: 40, MarketAgeMs: 183.402116,
			WalletAgeMs: 1204.77301, AsOfUnixMs: 1795289825689},
		ModelVersion: risk.ModelVersion{EngineVersion: risk.EngineVersion, CalibrationName: "fhs-px"},
	}
	a.ModelVersion.CalibrationHash = marketcache.HashCalibration([]byte("typical"))
	for i, r := range [risk.ScenarioCount]risk.StressResult{
		{PnLPct: 0, PnLUSD: 0, FundingCostPct: 0.4, LiquidityCostPct: 0.13480000000003303},
		{PnLPct: -23, PnLUSD: -11500, FundingCostPct: -0.84, LiquidityCostPct: 0.06488000000000337},
		{PnLPct: -27, PnLUSD: -13500, FundingCostPct: -1.5, LiquidityCostPct: 0.05071200000000768},
		{PnLPct: 25.8, PnLUSD: 12900, FundingCostPct: 0.54, LiquidityCostPct: 0.03920000000000178},
		{PnLPct: -4.8, PnLUSD: -2400, FundingCostPct: -0.025, LiquidityCostPct: 0.06488000000000337},
		{PnLPct: -54.400000000000006, PnLUSD: -27200.000000000004, FundingCostPct: -1.269,
			LiquidityCostPct: 0.23480000000005696},
		{PnLPct: -33.7, PnLUSD: -16850, FundingCostPct: -0.36, LiquidityCostPct: 0.12080000000001904},
		{PnLPct: -26.700000000000003, PnLUSD: -13350, FundingCostPct: -0.72, LiquidityCostPct: 0.03920000000000178},
		{PnLPct: -19.5, PnLUSD: -9750, FundingCostPct: -0.2, LiquidityCostPct: 0.061360000000013175},
		{PnLPct: -10.6, PnLUSD: -5300, FundingCostPct: -0.39, LiquidityCostPct: 0.061360000000013175},
		{PnLPct: -16.1, PnLUSD: -8050, FundingCostPct: -0.32999999999999996, LiquidityCostPct: 0.23480000000005696},
	} {
		r.LiquidationDistancePct, r.Survives = 100, true
		a.Stress[i] = r
	}
	return a
}

// BenchmarkTypicalAnswer measures the answer for a wallet without positions.
func BenchmarkTypicalAnswer(b *testing.B) {
	a := typicalAssessment()
	e := &Envelope{RequestID: []byte("req_01JD7Q2V3W4X5Y6Z7A8B9C0D1E"), Started: time.Now()}
	buf := make([]byte, 0, 16384)
	b.ReportAllocs()
	for b.Loop() {
		out, err := AppendAssessment(buf, a, e)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(out)))
	}
}
