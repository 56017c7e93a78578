package hyperliquid

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

// Each type of entry, for a wallet in standard mode and for a unified one.
func TestLedgerEntries(t *testing.T) {
	own, other := wallet(1).String(), wallet(2).String()
	const bad = 1e9 // not understood
	for _, row := range []struct {
		delta             string
		standard, unified float64
	}{
		{`{"type":"deposit","usdc":"1000.5"}`, 1000.5, 1000.5},
		{`{"type":"withdraw","usdc":"100.0","nonce":1,"fee":"1.0"}`, -101, -101},
		{`{"type":"internalTransfer","usdc":"50","user":"` + own + `","destination":"` + other + `","fee":"1"}`,
			-51, -51},
		{`{"type":"internalTransfer","usdc":"50","user":"` + other + `","destination":"` + strings.ToUpper(own[2:]) +
			`","fee":"1"}`, bad, bad},
		{`{"type":"subAccountTransfer","usdc":"50","user":"` + other + `","destination":"` + own + `"}`, 50, 50},
		{`{"type":"accountClassTransfer","usdc":"20","toPerp":true}`, 20, 0},
		{`{"type":"accountClassTransfer","usdc":"20","toPerp":false}`, -20, 0},
		{`{"type":"accountClassTransfer","usdc":"20"}`, bad, bad},
		{`{"type":"spotTransfer","token":"USDC","amount":"30","usdcValue":"30","user":"` + own + `","destination":"` +
			other + `","fee":"0"}`, 0, -30},
		{`{"type":"spotTransfer","token":"HYPE","amount":"3","user":"` + own + `","destination":"` + other + `"}`,
			0, 0},
		{`{"type":"send","user":"` + own + `","destination":"` + own + `","sourceDex":"spot","destinationDex":"",` +
			`"token":"USDC","amount":"40"}`, 40, 0},
		{`{"type":"send","user":"` + own + `","destination":"` + own + `","sourceDex":"","destinationDex":"xyz",` +
			`"token":"USDC","amount":"40"}`, 0, 0},
		{`{"type":"send","user":"` + own + `","destination":"` + other + `","sourceDex":"","destinationDex":"",` +
			`"token":"USDC","amount":"40"}`, -40, -40},
		{`{"type":"vaultDeposit","vault":"` + other + `","usdc":"60"}`, -60, -60},
		{`{"type":"vaultWithdraw","vault":"` + other + `","requestedUsd":"60","netWithdrawnUsd":"59"}`, 59, 59},
		{`{"type":"liquidation","accountValue":"0","liquidatedPositions":[]}`, 0, 0},
		{`{"type":"rewardsClaim","amount":"5"}`, 0, 0},
		{`{"type":"deposit"}`, bad, bad},
		{`{"type":"teleport","usdc":"5"}`, bad, bad},
	} {
		var d ledgerDelta
		if !decode([]byte(row.delta), &d) {
			t.Fatal(row.delta)
		}
		for mode, want := range map[marketcache.AccountMode]float64{
			marketcache.ModeDisabled: row.standard, marketcache.ModeUnified: row.unified,
		} {
			usd, ok := d.flow(&marketcache.Account{Wallet: wallet(1), Mode: mode})
			if ok != (want != bad) || ok && usd != want {
				t.Errorf("%s, mode %d: %g %t, want %g", row.delta, mode, usd, ok, want)
			}
		}
	}
}

func TestFlows(t *testing.T) {
	play(t, replaying, func(s scene) {
		time.Sleep(3 * time.Second)
		entry := func(ms int64, usd int) string {
			return fmt.Sprintf(`{"time":%d,"hash":"0x0","delta":{"type":"deposit","usdc":"%d.0"}}`, ms, usd)
		}
		ask := func(list ...string) ([]marketcache.Flow, error) {
			s.v.script(func() {
				s.v.replay(answers{"userNonFundingLedgerUpdates": json.RawMessage("[" + strings.Join(list, ",") + "]")})
			})
			return s.f.Flows(s.Context(), &marketcache.Account{Wallet: wallet(1)}, 1000)
		}
		if flows, err := ask(); err != nil || len(flows) > 0 {
			s.Errorf("none: %v, %v", flows, err)
		}
		flows, err := ask(entry(2000, 5), entry(3000, 7))
		want := []marketcache.Flow{{AtMs: 2000, USD: 5}, {AtMs: 3000, USD: 7}}
		if err != nil || !reflect.DeepEqual(flows, want) {
			s.Errorf("%v, %v", flows, err)
		}
		if _, err := ask(entry(2000, 5), `{"time":3000,"delta":{"type":"teleport"}}`); err == nil ||
			!strings.Contains(err.Error(), "teleport") {
			s.Errorf("an entry that is not understood: %v", err)
		}
		if _, err := ask(slices.Repeat([]string{entry(2000, 5)}, ledgerPage)...); err == nil { // every page is full
			s.Error("a ledger without end")
		}
	})
}
