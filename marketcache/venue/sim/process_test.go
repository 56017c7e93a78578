package sim

import (
	"math"
	"testing"
	"time"
)

// returnsOf returns the hourly log returns of an asset's closed bars.
func returnsOf(m *market, name string) []float64 {
	bars := m.past(m.byName[name])
	r := make([]float64, len(bars)-1)
	for i := range r {
		r[i] = math.Log(float64(bars[i+1].close) / float64(bars[i].close))
	}
	return r
}

func mean(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s / float64(len(x))
}

// correlation returns the correlation of two series of equal length.
func correlation(x, y []float64) float64 {
	mx, my := mean(x), mean(y)
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	return xy / math.Sqrt(xx*yy)
}

func moment(x []float64, n float64) float64 {
	m, s := mean(x), 0.0
	for _, v := range x {
		s += math.Pow(v-m, n)
	}
	return s / float64(len(x))
}

func absolute(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Abs(v)
	}
	return out
}

// The simulated returns have the properties that a risk engine must handle: fat tails, clustered
// volatility, correlated assets, and no autocorrelation of the sign.
func TestReturnsLookLikeReturns(t *testing.T) {
	kurtosis, clustering := 0.0, 0.0
	seeds := []uint64{1, 2, 3, 4, 5}
	for _, seed := range seeds {
		m := newMarket(24, 24, seed, 1, testStart.UnixMilli())
		btc, eth, doge := returnsOf(m, "BTC"), returnsOf(m, "ETH"), returnsOf(m, "DOGE")
		for name, r := range map[string][]float64{"BTC": btc, "ETH": eth, "DOGE": doge} {
			annual := math.Sqrt(moment(r, 2) * hoursPerYear)
			want := m.byName[name].vol
			if annual < 0.55*want || annual > 1.9*want {
				t.Errorf("seed %d %s: annual volatility %.2f, catalog %.2f", seed, name, annual, want)
			}
			kurtosis += moment(r, 4) / math.Pow(moment(r, 2), 2) / 3
			a := absolute(r)
			clustering += correlation(a[:len(a)-1], a[1:]) / 3
			if c := correlation(r[:len(r)-1], r[1:]); math.Abs(c) > 0.08 {
				t.Errorf("seed %d %s: returns correlate with the next by %.3f", seed, name, c)
			}
		}
		if c := correlation(btc, eth); c < 0.6 || c > 0.98 {
			t.Errorf("seed %d: BTC and ETH correlate by %.2f", seed, c)
		}
		if c := correlation(btc, doge); c < 0.3 || c > 0.95 {
			t.Errorf("seed %d: BTC and DOGE correlate by %.2f", seed, c)
		}
	}
	if k := kurtosis / float64(len(seeds)); k < 5 {
		t.Errorf("mean kurtosis %.1f, want fat tails", k)
	}
	if c := clustering / float64(len(seeds)); c < 0.1 {
		t.Errorf("absolute returns correlate with the next by %.2f, want clusters", c)
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
