package sim

import (
	"encoding/json"
	"testing"

	"ballast/marketcache/venue/exchange"
)

// Transfers move the account's value, are told, and cannot take more than is free.
func TestTransfers(t *testing.T) {
	r, d := serve(t, 0)
	signing := func() exchange.Signing {
		return exchange.Signing{ChainID: 421614, Network: exchange.Testnet, Nonce: d.nonce + 1}
	}
	value := func() float64 { return num(t, d.state("").MarginSummary.AccountValue) }
	to, err := exchange.ParseAddress(Traders[1].Address)
	if err != nil {
		t.Fatal(err)
	}
	d.order(d.buys("BTC", "10", d.at("BTC", 1.05), exchange.IOC))
	notional, before := num(t, d.state("").MarginSummary.TotalNtlPos), value()
	for _, row := range []struct {
		form exchange.Form
		want string
		by   float64
	}{
		{&exchange.USDClassTransfer{Signing: signing(), Amount: "500", ToPerp: true}, "", 500},
		{&exchange.USDClassTransfer{Amount: "1500.01", ToPerp: true}, "Insufficient balance for spot transfer.", 0},
		{&exchange.USDClassTransfer{Amount: "100", ToPerp: false}, "", -100},
		{&exchange.USDSend{Destination: to, Amount: "200"}, "", -200},
		{&exchange.USDSend{Destination: exchange.Address{7}, Amount: "200"},
			"The simulated venue sends to its wallets that trade alone.", 0},
		{&exchange.USDSend{Destination: to, Amount: "-200"}, "Invalid amount.", 0},
		{&exchange.Withdraw{Destination: to, Amount: "300"}, "", -300},
		{&exchange.Withdraw{Destination: to, Amount: usd(before - 0.09*notional)},
			"Insufficient balance for withdrawal.", 0},
	} {
		was := value()
		switch f := row.form.(type) {
		case *exchange.USDClassTransfer:
			f.Signing = signing()
		case *exchange.USDSend:
			f.Signing = signing()
		case *exchange.Withdraw:
			f.Signing = signing()
		}
		if got := d.send(row.form).text(t); got != row.want {
			t.Errorf("%+v: %q, want %q", row.form, got, row.want)
		}
		near(t, "account value", value(), was+row.by, 1e-6)
	}
	near(t, "the other account", num(t, read[stateIn](t, d.m.clearinghouse(d.m.accounts[Traders[1].Address], "",
		noFaults)).MarginSummary.AccountValue), 1200, 1e-6)
	var rows []struct {
		Time  int64
		Delta json.RawMessage
	}
	r.info(`{"type":"userNonFundingLedgerUpdates","user":"`+d.user+`","startTime":5}`, &rows)
	want := []string{`{"toPerp":true,"type":"accountClassTransfer","usdc":"500.0"}`,
		`{"toPerp":false,"type":"accountClassTransfer","usdc":"100.0"}`,
		`{"destination":"` + Traders[1].Address + `","fee":"0.0","type":"internalTransfer","usdc":"200.0","user":"` +
			d.user + `"}`}
	for i, row := range rows {
		if i < len(want) && (string(row.Delta) != want[i] || row.Time != d.ms) {
			t.Errorf("%d %s, want %s", row.Time, row.Delta, want[i])
		}
	}
	if len(rows) != 4 {
		t.Errorf("%d rows", len(rows))
	}
}
