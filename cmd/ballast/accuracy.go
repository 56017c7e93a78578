package main

import (
	"errors"
	"fmt"
)

// accuracyRow is a row of the answer: a band, or a bin of the calibration curve.
type accuracyRow struct {
	Recommendation string     `json:"recommendation"`
	Range          [2]float64 `json:"predicted_range"`
	Count          int        `json:"count"`
	Predicted      *float64   `json:"predicted_mean"`
	Liquidated     *float64   `json:"liquidated_rate"`
	Actual         *float64   `json:"actual_rate"`
	Lost           *float64   `json:"loss_rate"`
	PnLPct         *float64   `json:"avg_pnl_pct"`
}

// accuracyAnswer is what the terminal shows of GET /v1/accuracy.
type accuracyAnswer struct {
	Total    int           `json:"total_outcomes"`
	Verified int           `json:"verified"`
	Unknown  int           `json:"unknown"`
	Brier    *float64      `json:"brier_score"`
	Bands    []accuracyRow `json:"band_stats"`
	Curve    []accuracyRow `json:"calibration_curve"`
	VaR      struct {
		Count, Exceeded int
	} `json:"var_99_24h"`
	Alarm struct {
		Volatility struct {
			Raised bool
			Hours  int
			Ratio  *float64 `json:"variance_ratio"`
		}
		Bands []struct {
			Recommendation string
			Raised         bool
			WindowHours    int      `json:"window_hours"`
			Promised       *float64 `json:"promised_rate"`
			Actual         *float64 `json:"actual_rate"`
		}
	} `json:"alarm"`
}

// Validate refuses a call without a service: the simulated venue that other commands start has no past.
func (c *accuracyCmd) Validate() error {
	if c.Server == "" {
		return errors.New("--server: name the running service whose answers are meant, such as http://127.0.0.1:8080")
	}
	return c.check("")
}

// Run prints what became of the recorded answers.
func (c *accuracyCmd) Run() error {
	var a accuracyAnswer
	return c.show("/v1/accuracy", nil, &a, func(w sheet) { printAccuracy(w, &a) })
}

func printAccuracy(w sheet, a *accuracyAnswer) {
	percent := func(x *float64) string {
		return orDash(x, func(x float64) string { return fmt.Sprintf("%.3g %%", 100*x) })
	}
	fmt.Fprintln(w, w.paint(bold, fmt.Sprintf("%-22s %9s %10s %11s %9s %10s", "Within 24 h", "outcomes", "predicted",
		"liquidated", "lost", "P&L/margin")))
	for _, r := range a.Bands {
		fmt.Fprintf(w, "%-22s %9d %10s %11s %9s %10s\n", r.Recommendation, r.Count, percent(r.Predicted),
			percent(r.Liquidated), percent(r.Lost), orDash(r.PnLPct, signedPct))
	}
	for _, r := range a.Curve {
		if r.Count > 0 {
			fmt.Fprintf(w, "%-22s %9d %10s %11s\n", fmt.Sprintf("chance %g to %g %%", 100*r.Range[0], 100*r.Range[1]),
				r.Count, percent(r.Predicted), percent(r.Actual))
		}
	}
	fmt.Fprintf(w, "%d outcomes, %d verified, %d unknown; VaR 99 %% exceeded by %d of %d", a.Total, a.Verified,
		a.Unknown, a.VaR.Exceeded, a.VaR.Count)
	if a.Brier != nil {
		fmt.Fprintf(w, "; Brier score %.4f", *a.Brier)
	}
	fmt.Fprintln(w)
	if v := a.Alarm.Volatility; v.Raised && v.Ratio != nil {
		fmt.Fprintln(w, w.paint(red, fmt.Sprintf(
			"ALARM: for %d h markets have moved further than answers told: %.1f times the variance", v.Hours, *v.Ratio)))
	}
	for _, b := range a.Alarm.Bands {
		if b.Raised {
			fmt.Fprintln(w, w.paint(red, fmt.Sprintf("ALARM: %s promises %s, and %s were liquidated (%d h of decisions)",
				b.Recommendation, percent(b.Promised), percent(b.Actual), b.WindowHours)))
		}
	}
}
