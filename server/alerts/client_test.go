//go:build all

package alerts

import (
	"bufio"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"ballast/internal/npm"
)

// A client library of another project works with the socket: handshake, alerts, pings, protocol
// errors and both ways of closing.
func TestForeignClient(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	h := newTestHub(t)
	node := npm.Client(ctx, t, "alerts-client", "testdata/client", "ws://"+serve(t, h)+"/v1/alerts/ws",
		"0x"+strings.ToUpper(testWallet[2:]))
	node.Stderr = os.Stderr
	out, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	r := risky(1700000000000)
	r.Positions[0].RiskScore = 41
	r.HasPortfolio, r.PortfolioVaRPct = true, 10.75
	wallet := strings.ToLower(testWallet)
	want := []string{
		`extensions ""`,
		`{"subscribed":"` + wallet + `"}`,
		`pong are you there`,
		`subscribed`,
		riskyAlert("high_risk_score", `"BTC"`, "BTC: risk score 41 is above 40", "41", "40"),
		riskyAlert("portfolio_var_breach", "null",
			"portfolio: VaR 99 % over 24 h is 10.75 % of the account value, more than 10.5 %", "10.75", "10.5"),
		riskyAlert("high_risk_score", `"BTC"`, "BTC: risk score 41 is above 40", "41", "40"),
		`unknown key: {"error":"invalid_config","detail":"unknown field: thresholds.max_score",` +
			`"field":"thresholds.max_score",` +
			`"allowed":{"values":["thresholds.max_risk_score","thresholds.min_liquidation_distance_pct",` +
			`"thresholds.max_portfolio_var_pct","thresholds.max_funding_drag_daily_pct"]},` +
			`"suggestion":"thresholds.max_risk_score"}`,
		`unknown key: closed 1008 invalid_config`,
		`binary: {"error":"invalid_config","detail":"binary message, want text"}`,
		`binary: closed 1008 invalid_config`,
		`too long: closed 1009 message over 4096 bytes`,
		`fragments: {"subscribed":"` + wallet + `"}`,
		`leaving: closed 4321 `,
		`idle`,
		`closed 1001 shutting down`,
	}
	lines := bufio.NewScanner(out)
	ended := make(chan error, 1)
	i := 0
	for ; lines.Scan(); i++ {
		if i >= len(want) || lines.Text() != want[i] {
			t.Errorf("line %d: %s", i, lines.Text())
		}
		switch lines.Text() {
		case "subscribed":
			h.Deliver(r)
			r2 := *r
			r2.HasPortfolio = false
			h.Deliver(&r2)
		case "idle":
			go func() { ended <- h.Shutdown(ctx) }()
		}
	}
	if err := node.Wait(); err != nil || i != len(want) {
		t.Fatalf("client: %v after %d lines, want %d", err, i, len(want))
	}
	if err := <-ended; err != nil {
		t.Errorf("shutdown: %v", err)
	}
}

func riskyAlert(kind, asset, message, current, threshold string) string {
	return `{"alert_type":"` + kind + `","wallet":"` + testWallet + `","asset":` + asset +
		`,"severity":"warning","message":"` + message +
		`","timestamp":"2023-11-14T22:13:20.000Z","current_value":` + current + `,"threshold":` + threshold + `}`
}
