package api

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unsafe"

	"ballast/compute/risk"
)

// raise raises a flag with long figures. Only package risk can do so, therefore raise writes the
// flag bits, the first field, through an unsafe pointer.
func raise(s *risk.FlagSet, f risk.Flag) {
	*(*uint64)(unsafe.Pointer(s)) |= 1 << f
	if !s.Has(f) {
		panic("the bits of a FlagSet are elsewhere")
	}
	s.Value[f], s.Threshold[f] = 123456.789, 0.000123456789
}

// With any number of flags, and numbers of any length, a compact view stays within its size limit
// and is valid JSON.
func TestCompactKeepsToItsLimit(t *testing.T) {
	const huge = -123456789012.3
	a := risk.Assessment{RiskScore: 99.9999, Recommendation: risk.Abort}
	a.VaR.Dollar99_24h, a.Cost.EntryBps, a.Cost.RoundTripBps = -huge, 4999.123456, 9999.123456
	a.Liquidation = risk.Liquidation{HasProbability: true, Probability24h: 0.0000123456789, Price: 0.000012345678, DistancePct: 12.3456789}
	a.Sizing.SuggestedUSD, a.Sizing.MaxSafeUSD = -huge, -huge
	a.Position.After = risk.PositionState{Side: -1, SizeCoin: -huge, NotionalUSD: -huge, Leverage: 12.3456, EntryPrice: 0.000012345678}
	a.Margin.After = risk.MarginState{AccountValue: huge, Free: -huge, MaintenanceRatioPct: 123.456}
	a.Stress[3].PnLUSD = huge
	a.Meta = risk.Meta{AsOfUnixMs: 1_800_000_000_000, MarketAgeMs: 123456, WalletAgeMs: 123456}
	last := -1
	for f := risk.Flag(0); f <= risk.FlagCount; f++ {
		for _, id := range []string{"r", strings.Repeat(`"`, 64)} {
			e := Envelope{RequestID: []byte(id), Venue: "hyperliquid-mainnet", Started: time.Now(), Compact: true}
			text, err := AppendAssessment([]byte("x"), &a, &e)
			var tree struct {
				Flags []struct{ Name, Severity, Text string }
				More  int `json:"more_flags"`
			}
			if err != nil || json.Unmarshal(text[1:], &tree) != nil || len(text)-1 > MaxCompact {
				t.Fatalf("%d flags: %v, %d bytes: %s", f, err, len(text)-1, text)
			}
			if len(tree.Flags)+tree.More != int(f) {
				t.Errorf("%d flags and %d more of %d", len(tree.Flags), tree.More, f)
			}
			last = tree.More
		}
		if f < risk.FlagCount {
			raise(&a.Flags, f)
		}
	}
	if last == 0 {
		t.Error("everything fitted: the limit is not tested")
	}
}

func TestCompactRefusesWhatIsNotFinite(t *testing.T) {
	var a risk.Assessment
	a.VaR.Dollar99_24h = math.Inf(1)
	if _, err := AppendAssessment(nil, &a, &Envelope{Compact: true}); err != ErrNotFinite {
		t.Error(err)
	}
}

func TestRounded(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", -1: "-1", 123456.7: "123457", 1234567.8: "1234568", 1.23456789: "1.23457", 0.000123456789: "0.000123457", -1e-15: "0", 1e-9: "0.000000001",
		99999.96: "100000", 0.1: "0.1", 1e15: "1000000000000000", 70: "70",
	} {
		if got := string(appendRounded(nil, x)); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}
