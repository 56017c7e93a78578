package gate

import (
	"encoding/json"
	"strings"
	"testing"

	"ballast/marketcache"
)

// TWAPs count that still run and are not reduce-only, whether the venue's list has one row or several of each.
func TestRunningTWAPs(t *testing.T) {
	const row = `{"time":1790000,"state":{"coin":"BTC","executedNtl":"1","executedSz":"0.1","minutes":30,"randomize":` +
		`false,"reduceOnly":false,"side":"B","sz":"2","timestamp":1790000000000,"user":"0x"},"status":{"status":`
	find := func(coin string) marketcache.AssetID {
		if coin == "BTC" {
			return 3
		}
		return marketcache.NoAsset
	}
	for _, c := range []struct {
		name, rows string
		minutes    int64 // after its begin
		want       float64
	}{
		{"it runs", row + `"activated"},"twapId":7}`, 10, 2},
		{"its last slice", row + `"activated"},"twapId":7}`, 30, 2},
		{"its time is over", row + `"activated"},"twapId":7}`, 32, 0},
		{"it has ended", row + `"terminated"},"twapId":7},` + row + `"activated"},"twapId":7}`, 10, 0},
		{"it has ended, without a number", row + `"activated"}},` + row + `"finished"}}`, 10, 0},
		{"it waits", row + `"waiting"},"twapId":7}`, 10_000, 2},
		{"reduce only", strings.Replace(row, `"reduceOnly":false`, `"reduceOnly":true`, 1) + `"activated"}}`, 10, 0},
		{"of an asset that is not known", strings.Replace(row, "BTC", "xyz:GOLD", 1) + `"activated"}}`, 10, 2},
		{"of a spot pair", strings.Replace(row, "BTC", "@107", 1) + `"activated"}}`, 10, 0},
	} {
		var rows []twapRow
		if err := json.Unmarshal([]byte("["+c.rows+"]"), &rows); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got, err := running(rows, find, 1_790_000_000_000+c.minutes*60_000)
		if err != nil || units(got) != c.want {
			t.Errorf("%s: %g units, %v, want %g", c.name, units(got), err, c.want)
		}
	}
	strange := []twapRow{{}}
	strange[0].State.Coin, strange[0].State.Sz = "BTC", "2"
	if _, err := running(strange, find, 0); err == nil {
		t.Error("a TWAP without a side is read")
	}
}
