package sim

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"
)

func TestTransfersAreInTheLedger(t *testing.T) {
	now := testStart
	e, err := Open(Config{Assets: 8, Manual: true, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	address := Wallets[0].Address
	f, _ := parseFaults("")
	ledger := func(from int64) (rows []struct {
		Time  int64
		Delta struct{ Type, USDC string }
	}) {
		ask := infoRequest{Type: "userNonFundingLedgerUpdates", User: address, StartTime: &from}
		if err := json.Unmarshal(e.market.info(&ask, f).body(), &rows); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	value := func() float64 {
		state := read[stateIn](t, e.market.clearinghouse(e.market.accounts[address], "", f))
		return num(t, state.MarginSummary.AccountValue)
	}
	if rows := ledger(0); len(rows) != 0 {
		t.Errorf("at first %v", rows)
	}
	before := value()
	for _, usd := range []float64{1000, -250} {
		if err := e.Transfer(address, usd); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
	}
	if got := value() - before; math.Abs(got-750) > 0.02 {
		t.Errorf("the account value has changed by %v", got)
	}
	start := testStart.UnixMilli()
	want := fmt.Sprintf("[{%d {deposit 1000.0}} {%d {withdraw 250.0}}]", start, start+1000)
	if got := fmt.Sprint(ledger(start)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if rows := ledger(start + 1); len(rows) != 1 {
		t.Errorf("after the first %v", rows)
	}
	if e.Transfer("0x00", 1) == nil {
		t.Error("an unknown account has money")
	}
}
