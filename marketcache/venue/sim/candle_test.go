package sim

import (
	"encoding/json"
	"math"
	"strconv"
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

func TestFormingCandleIsTheMarket(t *testing.T) {
	m := newMarket(24, 24, 6, 1, testStart.UnixMilli())
	for i := range 240 {
		m.step(testStart.UnixMilli() + int64(i)*30_000)
		rows := candles(t, m, "SOL", m.nowMs, math.MaxInt64)
		if mid := m.byName["SOL"].state.mid; len(rows) != 1 || math.Abs(rows[0].Close/mid-1) > 2e-4 {
			t.Fatalf("forming candles %+v, mid %v", rows, mid)
		}
	}
}

// The day's volume in the context is the sum over the candles.
func TestDayVolumeIsTheCandles(t *testing.T) {
	m := newMarket(24, 24, 6, 1, testStart.UnixMilli())
	m.step(testStart.Add(3 * time.Hour).UnixMilli())
	for _, coin := range []string{"BTC", "DOGE", "SUI"} {
		var ctx struct{ DayNtlVlm, PrevDayPx string }
		if err := json.Unmarshal(encode(m.context(m.byName[coin], &faults{})), &ctx); err != nil {
			t.Fatal(err)
		}
		want := 0.0
		rows := candles(t, m, coin, m.nowMs-24*hourMs, m.nowMs)
		for i, c := range rows {
			share := 1.0
			if i == 0 {
				share = float64(c.End+1-(m.nowMs-24*hourMs)) / hourMs
			}
			want += share * c.Volume * (c.Open + c.Close) / 2
		}
		got, _ := strconv.ParseFloat(ctx.DayNtlVlm, 64)
		if math.Abs(got/want-1) > 0.03 {
			t.Errorf("%s: dayNtlVlm %.4g, candles %.4g", coin, got, want)
		}
		if prev, _ := strconv.ParseFloat(ctx.PrevDayPx, 64); prev < rows[0].Low*0.99 || prev > rows[0].High*1.01 {
			t.Errorf("%s: prevDayPx %v outside %+v", coin, prev, rows[0])
		}
		year := candles(t, m, coin, 0, m.nowMs)
		sum := 0.0
		for _, c := range year {
			sum += c.Volume * c.Close
		}
		if daily := sum / float64(len(year)) * 24 / 1e6; daily < 0.5*m.byName[coin].volumeMUSD ||
			daily > 2*m.byName[coin].volumeMUSD {
			t.Errorf("%s: %.3g million USD a day, catalog %.3g", coin, daily, m.byName[coin].volumeMUSD)
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

func TestFundingHistory(t *testing.T) {
	m := newMarket(64, 24, 6, 1, testStart.UnixMilli())
	resting, extreme, rows := 0, 0, 0
	for _, a := range m.dex("").assets {
		if a.life != listed {
			continue
		}
		var all []float64
		from := int64(0)
		var last int64
		for {
			page := m.fundingHistory(a, from, math.MaxInt64)
			for _, r := range page {
				at := r["time"].(int64)
				if last > 0 && (at-last < hourMs-100 || at-last > hourMs+100) {
					t.Fatalf("%s: row at %d after %d", a.name, at, last)
				}
				last = at
				x, _ := strconv.ParseFloat(r["fundingRate"].(string), 64)
				all = append(all, x)
				if x == 0.0000125 {
					resting++
				}
				if math.Abs(x) > 0.0002 {
					extreme++
				}
			}
			if len(page) < fundingMax {
				break
			}
			from = last + 1
		}
		if len(all) < 720 || m.nowMs-last > hourMs {
			t.Errorf("%s: %d rows, the last %d ms ago", a.name, len(all), m.nowMs-last)
		}
		rows += len(all)
		if x := mean(all); math.Abs(x) > 1e-4 {
			t.Errorf("%s: mean rate %v", a.name, x)
		}
	}
	if s := float64(resting) / float64(rows); s < 0.3 || s > 0.95 {
		t.Errorf("%.0f %% of the rates are the resting rate", 100*s)
	}
	if s := float64(extreme) / float64(rows); s < 0.0005 || s > 0.05 {
		t.Errorf("%.2f %% of the rates are extreme", 100*s)
	}
}
