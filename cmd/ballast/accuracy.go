package main

import (
	"errors"
	"fmt"

	"ballast/server/spec/types"
)

// Validate refuses a call without a service: the simulated venue that other commands start has no past.
func (c *accuracyCmd) Validate() error {
	if c.Server == "" {
		return errors.New("--server: name the running service whose answers are meant, such as http://127.0.0.1:8080")
	}
	return c.check("")
}

// Run prints what became of the recorded answers.
func (c *accuracyCmd) Run() error {
	var a types.Accuracy
	return c.show("/v1/accuracy", nil, &a, func(w sheet) { printAccuracy(w, &a) })
}

func printAccuracy(w sheet, a *types.Accuracy) {
	percent := func(x *float64) string {
		return orDash(x, func(x float64) string { return fmt.Sprintf("%.3g %%", 100*x) })
	}
	fmt.Fprintln(w, w.paint(bold, fmt.Sprintf("%-22s %9s %10s %11s %9s %10s", "Within 24 h", "outcomes", "predicted",
		"liquidated", "lost", "P&L/margin")))
	for _, r := range a.BandStats {
		fmt.Fprintf(w, "%-22s %9d %10s %11s %9s %10s\n", r.Recommendation, r.Count, percent(r.PredictedMean),
			percent(r.LiquidatedRate), percent(r.LossRate), orDash(r.AvgPnLPct, signedPct))
	}
	for _, r := range a.CalibrationCurve {
		if r.Count > 0 && len(r.PredictedRange) == 2 {
			chance := fmt.Sprintf("chance %g to %g %%", 100*r.PredictedRange[0], 100*r.PredictedRange[1])
			fmt.Fprintf(w, "%-22s %9d %10s %11s\n", chance, r.Count, percent(r.PredictedMean), percent(r.ActualRate))
		}
	}
	fmt.Fprintf(w, "%d outcomes, %d verified, %d unknown; VaR 99 %% exceeded by %d of %d", a.TotalOutcomes,
		a.Verified, a.Unknown, a.VaR99_24h.Exceeded, a.VaR99_24h.Count)
	if a.BrierScore != nil {
		fmt.Fprintf(w, "; Brier score %.4f", *a.BrierScore)
	}
	fmt.Fprintln(w)
	if v := a.Alarm.Volatility; v.Raised && v.VarianceRatio != nil {
		fmt.Fprintln(w, w.paint(red, fmt.Sprintf(
			"ALARM: for %d h markets have moved further than answers told: %.1f times the variance", v.Hours,
			*v.VarianceRatio)))
	}
	for _, b := range a.Alarm.Bands {
		if b.Raised {
			fmt.Fprintln(w, w.paint(red, fmt.Sprintf(
				"ALARM: %s promises %s, and %s were liquidated (%d h of decisions)", b.Recommendation,
				percent(b.PromisedRate), percent(b.ActualRate), b.WindowHours)))
		}
	}
}
