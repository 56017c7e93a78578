package sim

import (
	"math"
	"testing"
	"time"
)

// candle is a candle with its numbers parsed.
type candle struct {
	T, End                         int64
	Open, High, Low, Close, Volume float64
}

// candles returns an asset's candles as a client reads them.
func candles(t *testing.T, m *market, coin string, from, to int64) []candle {
	t.Helper()
	return each(m.candles(m.byName[coin], from, to), func(c wireCandle) candle {
		return candle{c.OpenMs, c.CloseMs, num(t, c.Open), num(t, c.High), num(t, c.Low), num(t, c.Close),
			num(t, c.Volume)}
	})
}

func TestCandlesAreSane(t *testing.T) {
	m := newMarket(24, 24, 6, 1, testStart.UnixMilli())
	m.step(testStart.Add(95 * time.Minute).UnixMilli())
	for coin, want := range map[string]int{
		// FOGO never traded. The new listing has the hour that has closed since, and the current one.
		"BTC": listedBars, "kPEPE": listedBars, "TRB": listedBars, "SKR": int(closedBars[fresh]) + 2, "FOGO": 0,
	} {
		rows := candles(t, m, coin, 0, math.MaxInt64)
		if len(rows) != want {
			t.Errorf("%s: %d candles, want %d", coin, len(rows), want)
		}
		for i, c := range rows {
			if c.Low > min(c.Open, c.Close) || c.High < max(c.Open, c.Close) || c.Low <= 0 || c.Volume < 0 ||
				c.End != c.T+hourMs-1 || c.T > m.nowMs {
				t.Fatalf("%s: %+v", coin, c)
			}
			if i > 0 && (c.T != rows[i-1].End+1 || math.Abs(c.Open/rows[i-1].Close-1) > 0.002) {
				t.Fatalf("%s: %+v does not follow %+v", coin, c, rows[i-1])
			}
		}
	}
}

func TestClockJumps(t *testing.T) {
	m := newMarket(12, 24, 6, 1, testStart.UnixMilli())
	m.step(testStart.Add(-time.Hour).UnixMilli()) // the clock goes back: nothing happens
	if m.nowMs != testStart.UnixMilli() {
		t.Error("the market went back in time")
	}
	m.step(testStart.Add(50 * time.Hour).UnixMilli())
	a := m.byName["BTC"]
	bars := m.hourly(a, m.startMs, m.nowMs)
	if n := len(bars); n != 51 {
		t.Errorf("%d candles after a jump of 50 hours", n)
	}
	for i, b := range bars {
		if b.high == b.low || i > 0 && (b.openMs != bars[i-1].openMs+hourMs || b.open != bars[i-1].close) {
			t.Errorf("candle %d: %+v", i, b)
		}
	}
}

// The paid rates of an asset come in pages, an hour apart.
func TestFundingHistory(t *testing.T) {
	m := newMarket(24, 24, 6, 1, testStart.UnixMilli())
	for _, coin := range []string{"BTC", "DOGE", "xyz:TSLA"} {
		rows, last := 0, int64(0)
		for {
			page := m.fundingHistory(m.byName[coin], last+1, math.MaxInt64)
			for _, r := range page {
				at := r["time"].(int64)
				if last > 0 && (at-last < hourMs-100 || at-last > hourMs+100) {
					t.Fatalf("%s: row at %d after %d", coin, at, last)
				}
				if rate := num(t, r["fundingRate"].(string)); math.Abs(rate) > 0.001 {
					t.Errorf("%s: rate %v", coin, rate)
				}
				last = at
			}
			if rows += len(page); len(page) < fundingMax {
				break
			}
		}
		if rows < 720 || m.nowMs-last > hourMs {
			t.Errorf("%s: %d rows, the last %d ms ago", coin, rows, m.nowMs-last)
		}
	}
}
