package main

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ballast/server/spec/types"
)

// Bars of opposite shares differ without colours, and are of one width.
func TestSignedBars(t *testing.T) {
	var plain sheet
	for share, want := range map[float64]string{
		1: "········│████████", -1: "████████│········",
		0: "········│········", 0.5: "········│████····",
		-0.27: "······██│········", 0.258: "········│██······",
		1e-9: "········│▌·······", -1e-9: "·······▐│········",
		7: "········│████████", -7: "████████│········",
	} {
		if got := plain.signed(share, red, green); got != want {
			t.Errorf("%v: %s, want %s", share, got, want)
		}
	}
	if got := (sheet{colours: true}).signed(-1, red, green); !strings.HasPrefix(got, "\x1b[1;31m█") {
		t.Errorf("%q", got)
	}
	if got := plain.gauge(52); strings.Count(got, "█") != 26 || strings.Count(got, "│") != 1 {
		t.Error(got)
	}
}

// The axis has each price at its place; one far away stands at the edge.
func TestPriceAxis(t *testing.T) {
	draw := func(marks ...priceMark) string {
		return strings.TrimSpace(drawAxis(sheet{}, append(marks, priceMark{sign: 'M', price: 100}), 100, 90, 120))
	}
	got := draw(priceMark{sign: 'L', price: 80}, priceMark{sign: 'E', price: 105})
	if !strings.HasPrefix(got, "──L──") ||
		!strings.Contains(got, "▒E▒") || !strings.HasSuffix(got, "▒──") || len([]rune(got)) != width-4 {
		t.Error(got)
	}
	if got := draw(priceMark{sign: 'L', price: 3}); !strings.HasPrefix(got, "◄─") {
		t.Error(got)
	}
	if got := draw(priceMark{sign: 'L', price: 300}); !strings.HasSuffix(got, "─►") {
		t.Error(got)
	}
}

// The verdict is the first and the last line of every report.
func TestVerdictFirstAndLast(t *testing.T) {
	out := reportOf(t, func(a *answer) {
		a.Meta.Venue, a.Recommendation = "hyperliquid-mainnet", "proceed_with_caution"
	})
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if !strings.HasPrefix(lines[0], "PROCEED WITH CAUTION   risk score ") || lines[len(lines)-1] != lines[0] {
		t.Errorf("%s\n%s", lines[0], lines[len(lines)-1])
	}
}

// TestE2EWalletCommands: monitor, plan, markets and watch ask the simulated venue, fit into 80 columns, and end with
// the status of the worst verdict.
func TestE2EWalletCommands(t *testing.T) {
	s := sharedSim(t)
	keyFile := s.keyFile(t)
	plan := writeFile(t, filepath.Join(t.TempDir(), "plan.json"), `[{"asset":"BTC","action":"long","size":1000},
		{"asset":"NOPE","action":"short","size":1000}]`)
	for _, row := range []struct {
		args   []string
		status int
		parts  []string
	}{
		{[]string{"monitor", "near-liquidation"}, 20, []string{"SIMULATED VENUE\n",
			"\nREDUCE   2 positions, account value ",
			"\nmain: reduce ", "\nREDUCE   nearest to liquidation: "}},
		{[]string{"size", "--asset", "BTC", "--action", "long"}, 20, []string{"NO SIZE meets the target; stopped by "}},
		{[]string{"size", "--asset", "BTC", "--action", "long", "--wallet", "large", "--max-probability", "0.5"}, 0,
			[]string{"SIMULATED VENUE\n", "\nUP TO ", " USD: long ", " BTC at ", "\nLeverage ", "Size, USD "}},
		{[]string{"monitor", "empty"}, 0, []string{"HOLD   0 positions, account value 0.00 USD\n"}},
		{[]string{"markets", "zzz"}, 0, []string{"no market's name contains \"zzz\""}},
		{[]string{"markets", "btc"}, 0, []string{"\nBTC ", " 40x ", " of 2 markets\n"}},
		{[]string{"plan", plan, "--wallet", crossWallet}, 20, []string{
			"2 trades: 1 proceed, 0 proceed with caution, 1 abort", " 1  long 1,000 USD of BTC ",
			" 2  short 1,000 USD of NOPE ", "invalid asset: NOPE"}},
		{[]string{"watch", "near-liquidation", "--until", "critical"}, 20, []string{": 2 positions, REDUCE\n",
			" critical "}},
	} {
		out, errs, status := command(t, nil, append(row.args, "--server", s.url, "--key-file", keyFile)...)
		for _, part := range row.parts {
			if !strings.Contains(out, part) {
				t.Errorf("%v: no %q", row.args, part)
			}
		}
		if row.status == 0 && strings.Contains(out, "\nSTALE ") { // the machine is busy
			row.status = 10
		}
		if status != row.status || t.Failed() {
			t.Errorf("%v: %d\n%s%s", row.args, status, out, errs)
		}
		if row.args[0] != "watch" { // whose messages are the service's
			fits(t, out)
		}
	}
	out, _, _ := command(t, nil, "monitor", crossWallet, "--json", "--server", s.url, "--key", s.key)
	var answer struct{ Positions []json.RawMessage }
	if err := json.Unmarshal([]byte(out), &answer); err != nil || len(answer.Positions) != 5 {
		t.Errorf("--json: %v\n%s", err, out)
	}
	refused(t, []badCall{{2, "--wallet 0x1: without --server", []string{"0x1"}}}, "monitor")
	refused(t, []badCall{{2, "want one of them", []string{"--asset", "BTC", "--action", "long", "--max-score", "40",
		"--max-loss-pct", "5"}}}, "size")
	refused(t, []badCall{{1, "no wallet", []string{plan}}}, "plan")
	refused(t, []badCall{{2, "--every 1ms: want 1s or more", []string{crossWallet, "--every", "1ms"}}}, "watch")
}

// The headline is what the wallet needs, whatever the scores of its positions; what to do with a pool is said once.
func TestPoolAction(t *testing.T) {
	reduce := &types.PoolAction{Pool: "main", Kind: "reduce", ReducePct: number(12.5), ReduceUSD: number(50000),
		AddMarginUSD: number(700), Assets: []string{"BTC", "ETH"}}
	deposit := &types.PoolAction{Pool: "SOL", Kind: "add_margin", AddMarginUSD: number(9)}
	hold := &types.PoolAction{Pool: "HYPE", Kind: "hold"}
	for _, row := range []struct {
		headline string
		status   exitStatus
		actions  []*types.PoolAction
		want     string
	}{
		{"HOLD", 0, nil, ""},
		{"HOLD", 0, []*types.PoolAction{hold}, ""},
		{"NOT KNOWN", 10, []*types.PoolAction{hold, nil}, ""},
		{"ADD MARGIN", 20, []*types.PoolAction{deposit, nil},
			"SOL: add 9.00 USD of margin: then at most 5 % within 24 h, "},
		{"REDUCE, ADD MARGIN", 20, []*types.PoolAction{hold, reduce, reduce, deposit},
			"main: reduce BTC, ETH by 12.5 %, 50,000 USD, or add 700.00 USD of margin: then at most 5 %"},
		{"NOTHING HELPS", 20, []*types.PoolAction{{Pool: "BTC", Kind: "add_margin"}},
			"BTC: neither a reduction nor margin "},
	} {
		var r walletReport
		for _, a := range row.actions {
			r.Positions = append(r.Positions, types.HeldPosition{Asset: "BTC", Action: a})
		}
		var b strings.Builder
		r.print(sheet{Writer: &b})
		got := strings.Join(strings.Fields(b.String()), " ")
		_, _, status := r.need()
		if status != row.status || !strings.HasPrefix(got,
			row.headline+" "+strconv.Itoa(len(row.actions))+" positions") ||
			row.want != "" && strings.Count(got, row.want) != 1 || strings.Contains(got, "HYPE:") {
			t.Errorf("%s: %d %s", row.headline, status, got)
		}
		fits(t, b.String())
	}
}

// The bar of a position is as long as the way to its liquidation, and full from 50 % on.
func TestRoomToLiquidation(t *testing.T) {
	for distance, want := range map[float64]string{0.42: "▏·········", 25: "█████·····", 60: "██████████"} {
		var b strings.Builder
		printPosition(sheet{Writer: &b}, &types.HeldPosition{Asset: "BTC", LiquidationDistancePct: distance})
		if !strings.Contains(b.String(), " "+want+" ") {
			t.Errorf("%g %%: %s, want %s", distance, b.String(), want)
		}
	}
}

// A rule that binds is said in words below the sizes.
func TestRulesOfSizes(t *testing.T) {
	rule := "H8"
	var b strings.Builder
	points := []types.SizePoint{{SizeUSD: 10}, {SizeUSD: 100, Rule: &rule}}
	a := sizeAnswer{types.SizeAnswer{SizeUSD: 10, Curve: points, Binding: "max_score"}}
	a.Assessment.Meta.AsOf = "2026-11-28T11:00:00Z"
	a.print(sheet{Writer: &b}, "BTC", "long", crossWallet)
	if out := b.String(); !strings.Contains(out, "\nH8 a stress scenario ends the pool\n") ||
		strings.Contains(out, " \n") {
		t.Error(out)
	}
}

// What rests on old data says so first and last, and is no proceed.
func TestStaleCommands(t *testing.T) {
	old := types.Assessment{Recommendation: "proceed", Flags: []types.Flag{staleFlag}}
	size := sizeAnswer{types.SizeAnswer{SizeUSD: 1000, Assessment: old}}
	wallet := walletReport{types.WalletReport{Positions: []types.HeldPosition{{Asset: "BTC"},
		{Asset: "ETH", Flags: []types.Flag{staleFlag}}}}}
	for words, print := range map[string]func(w sheet){
		"STALE an input is older than its limit\nUP TO ": func(w sheet) { size.print(w, "BTC", "long", crossWallet) },
		"STALE an input is older than its limit: ETH\n":  wallet.print,
	} {
		var b strings.Builder
		print(sheet{Writer: &b})
		if got := b.String(); strings.Count(got, words) != 2 || !strings.HasPrefix(got, words) {
			t.Errorf("want twice %q:\n%s", words, got)
		}
	}
	for flags, want := range map[string]bool{`["stale_market_data"]`: true,
		`[{"name":"stale_market_data","severity":"critical"}]`: true, `["high_var"]`: false, `[]`: false} {
		if trade := (plannedTrade{Flags: []byte(flags)}); trade.stale() != want {
			t.Error(flags)
		}
	}
	caution := exitOf["proceed_with_caution"]
	if unlessStale(0, false) != nil || unlessStale(0, true) != caution || unlessStale(caution, false) != caution ||
		unlessStale(exitOf["abort"], true) != exitOf["abort"] {
		t.Error("exit status")
	}
}
