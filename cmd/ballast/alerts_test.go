package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// riskAlert is an alert as printed on standard output.
type riskAlert struct {
	Type      string    `json:"alert_type"`
	Wallet    string    `json:"wallet"`
	Asset     *string   `json:"asset"`
	Severity  string    `json:"severity"`
	Message   string    `json:"message"`
	Timestamp time.Time `json:"timestamp"`
	Current   float64   `json:"current_value"`
	Threshold float64   `json:"threshold"`
	// With details, for which the clients ask.
	Since *time.Time `json:"since"`
	Count *int       `json:"count"`
}

func (a *riskAlert) key() string {
	if a.Asset == nil {
		return a.Type
	}
	return a.Type + " " + *a.Asset
}

// alert waits for the next alert on standard output.
func (p *process) alert(t *testing.T) riskAlert {
	t.Helper()
	select {
	case line, ok := <-p.out:
		if !ok {
			t.Fatalf("%s ended without an alert", p.name)
		}
		var a riskAlert
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&a); err != nil {
			t.Fatalf("%s printed %q: %v", p.name, line, err)
		}
		return a
	case <-time.After(30 * time.Second):
		t.Fatalf("%s printed no alert in 30 s", p.name)
	}
	panic("unreachable")
}

// breaches makes a monitor call and returns the alerts that it must cause with these thresholds:
// the value by type and asset.
func (s *remote) breaches(t *testing.T, wallet string, score, distance, portfolioVaR float64) map[string]float64 {
	t.Helper()
	status, report := s.get(t, "/v1/monitor/"+wallet)
	if status != 200 {
		t.Fatalf("monitor: %d %v", status, report)
	}
	found := map[string]float64{}
	for _, p := range report["positions"].([]any) {
		p := p.(map[string]any)
		asset := p["asset"].(string)
		if v := p["risk_score"].(float64); v > score {
			found["high_risk_score "+asset] = v
		}
		if v := p["liquidation_distance_pct"].(float64); v < distance {
			found["liquidation_proximity "+asset] = v
		}
	}
	if book, ok := report["portfolio_risk"].(map[string]any); ok {
		v := 100 * book["portfolio_var_99_24h"].(float64) / report["account_value"].(float64)
		if v > portfolioVaR {
			found["portfolio_var_breach"] = v
		}
	}
	return found
}

// heard reads alerts that a client prints until all of want have arrived, and compares their values.
func (p *process) heard(t *testing.T, wallet string, want map[string]float64) {
	t.Helper()
	rest := map[string]float64{}
	for k, v := range want {
		rest[k] = v
	}
	for len(rest) > 0 {
		a := p.alert(t)
		if a.Type == "funding_drag_excessive" || a.Type == "regime_shift" {
			continue // depends on the simulated market, not on the thresholds of the test
		}
		v, ok := rest[a.key()]
		if !ok {
			t.Fatalf("%s heard %+v, want one of %v", p.name, a, rest)
		}
		delete(rest, a.key())
		if a.Wallet != wallet || a.Current/v-1 > 1e-6 || 1-a.Current/v > 1e-6 || a.Message == "" ||
			a.Timestamp.IsZero() || a.Since == nil || a.Since.After(a.Timestamp) || a.Count == nil || *a.Count < 1 {
			t.Errorf("%s heard %+v, want %v", p.name, a, v)
		}
	}
}
