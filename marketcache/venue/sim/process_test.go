package sim

import (
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"
)

// The simulated returns have the properties that a risk engine must handle: the volatility of the catalog, fat tails,
// correlated assets.
func TestReturnsLookLikeReturns(t *testing.T) {
	const seeds = 5
	kurtosis := 0.0
	for seed := range uint64(seeds) {
		m := newMarket(24, 24, seed, 1, testStart.UnixMilli())
		returns := map[string][]float64{}
		for _, name := range []string{"BTC", "ETH", "DOGE"} {
			bars := m.past(m.byName[name])
			r := make([]float64, len(bars)-1)
			for i := range r {
				r[i] = math.Log(float64(bars[i+1].close) / float64(bars[i].close))
			}
			returns[name] = r
			annual, want := stat.StdDev(r, nil)*math.Sqrt(hoursPerYear), m.byName[name].vol
			if annual < 0.55*want || annual > 1.9*want {
				t.Errorf("seed %d %s: annual volatility %.2f, catalog %.2f", seed, name, annual, want)
			}
			kurtosis += stat.ExKurtosis(r, nil) / 3 / seeds
		}
		if c := stat.Correlation(returns["BTC"], returns["ETH"], nil); c < 0.6 || c > 0.98 {
			t.Errorf("seed %d: BTC and ETH correlate by %.2f", seed, c)
		}
		if c := stat.Correlation(returns["BTC"], returns["DOGE"], nil); c < 0.3 || c > 0.95 {
			t.Errorf("seed %d: BTC and DOGE correlate by %.2f", seed, c)
		}
	}
	if kurtosis < 2 {
		t.Errorf("mean excess kurtosis %.1f, want fat tails", kurtosis)
	}
}

// Two exchanges with one seed have the same past, whenever each was started; a market that ran
// through an hour agrees with one started after that hour.
func TestRestartFindsTheSameWorld(t *testing.T) {
	early := newMarket(24, 24, 5, 1, testStart.UnixMilli())
	later := testStart.Add(7 * time.Hour).UnixMilli()
	fresh := newMarket(24, 24, 5, 1, later)
	early.step(later)
	for _, name := range []string{"BTC", "kPEPE", "CRCLX"} {
		a, b := early.byName[name], fresh.byName[name]
		if a.state.mid != b.state.mid {
			t.Errorf("%s: mid %v after living on, %v after a restart", name, a.state.mid, b.state.mid)
		}
		old, now := early.past(a), fresh.past(b)
		byHour := map[int64]bar{}
		for _, x := range old {
			byHour[x.openMs] = x
		}
		same := 0
		for _, x := range now {
			if y, has := byHour[x.openMs]; has {
				if x != y {
					t.Fatalf("%s hour %d: %+v and %+v", name, x.openMs, y, x)
				}
				same++
			}
		}
		if same < 4900 {
			t.Errorf("%s: only %d hours in common", name, same)
		}
		for _, x := range early.hourly(a, early.startMs, early.nowMs)[:7] { // the hours during which it ran
			if y := now[len(now)-7+int(x.openMs/hourMs-early.startHour)]; x != y {
				t.Errorf("%s hour %d: %+v, after a restart %+v", name, x.openMs, x, y)
			}
		}
	}
}

func TestSpeedScalesTheRange(t *testing.T) {
	spread := func(speed float64) float64 {
		sum := 0.0
		for seed := range uint64(12) {
			m := newMarket(8, 24, seed, speed, testStart.UnixMilli())
			m.step(testStart.Add(6 * time.Hour).UnixMilli())
			for _, b := range m.hourly(m.byName["SOL"], m.startMs, m.nowMs)[1:5] {
				sum += math.Pow(math.Log(float64(b.high)/float64(b.low)), 2)
			}
		}
		return math.Sqrt(sum)
	}
	if ratio := spread(16) / spread(1); ratio < 2.4 || ratio > 6.5 {
		t.Errorf("ranges at speed 16 are %.1f times those at 1, want about 4", ratio)
	}
}
