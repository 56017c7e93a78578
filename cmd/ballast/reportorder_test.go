package main

import (
	"strings"
	"testing"
)

// The report says what becomes of a limit order, and where a stop and a take-profit price lie and what they cost.
func TestReportOfAnOrder(t *testing.T) {
	text := reportOf(t, func(a *answer) {
		a.Meta.MarkPrice = 55000
		unmarshal(t,
			`{"execution":{"taker_usd":30000,"maker_usd":15000,"unfilled_usd":5000,"fill_price":54990,"fee_usd":14,
			"p_fill_24h":0.62},
			"order":{"stop_loss":{"price":53000,"distance_pct":3.64,"pnl_usd":-1842,"fees_usd":40,"funding_24h_usd":1},
				"take_profit":{"price":58000,"distance_pct":5.45,"pnl_usd":2700,"fees_usd":41,"funding_24h_usd":1},
				"p_stop_first":0.27,"stop_beyond_liquidation":false}}`, a)
	})
	plain := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"limit order 30,000 USD fill at once, 15,000 USD rest: filled within 24 h in 62.00 %, 5,000 USD are cancelled",
		"stop at 53000.0, 3.64 % from mark: -1,842 USD net; touched within 24 h in 27.00 %",
		"take profit at 58000.0, 5.45 % from mark: 2,700 USD net",
		"S stop 53000.0 (-3.6 %), T take profit 58000.0 (+5.5 %)",
	} {
		if !strings.Contains(plain, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	plain = reportOf(t, func(*answer) {})
	if strings.Contains(plain, "take profit") || strings.Contains(plain, "limit order") {
		t.Errorf("an order that nobody sent:\n%s", plain)
	}
}
