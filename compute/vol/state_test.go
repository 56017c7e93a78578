package vol

import (
	_ "embed"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ballast/compute/stats"
	"ballast/internal/reference"
	mc "ballast/marketcache"
)

//go:embed testdata/synthetic.json
var syntheticJSON []byte

// syntheticBars returns the bars of testdata/reference.py with gaps filled.
func syntheticBars(t testing.TB, n int) (bars []mc.Bar) {
	t.Helper()
	for _, row := range reference.Synthetic(n) {
		var err error
		if bars, err = AppendFilled(bars, mc.Bar(row)); err != nil {
			t.Fatal(err)
		}
	}
	return bars
}

func pushAll(t testing.TB, s *State, bars []mc.Bar) *State {
	t.Helper()
	for _, b := range bars {
		if err := s.Push(b); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestAgainstReference(t *testing.T) {
	var want struct {
		FirstClose float64 `json:"first_close"`
		LastClose  float64 `json:"last_close"`
		Points     []map[string]any
	}
	if err := json.Unmarshal(syntheticJSON, &want); err != nil {
		t.Fatal(err)
	}
	barsOf := func(point map[string]any) int { return int(point["n"].(float64)) }
	bars := syntheticBars(t, barsOf(want.Points[len(want.Points)-1]))
	if bars[0].Close != want.FirstClose || bars[len(bars)-1].Close != want.LastClose {
		t.Fatalf("these are not the bars of the reference: %v, %v", bars[0].Close, bars[len(bars)-1].Close)
	}
	s, w := NewState(mc.ClassCrypto), &Scratch{}
	for _, p := range want.Points {
		pushAll(t, s, bars[s.Bars():barsOf(p)])
		memories := s.Memories()
		var horizons []reference.Fields
		for _, f := range s.Forecasts(w) {
			var tails [][]float64
			for _, q := range slices.Concat(f.Tail[mc.Long][:], f.Tail[mc.Short][:]) {
				tails = append(tails, []float64{q.ZQ, q.ZES, q.PctVaR, q.PctES})
			}
			horizons = append(horizons, reference.Fields{"variance": f.Variance, "kappa2": f.Kappa2, "n_z": f.Outcomes,
				"tails": tails})
		}
		_, u := s.HourlyOutcomes(longRunWindow)
		outcomes := []float64{float64(len(u)), stats.Dot(u, u)}
		if len(u) > 0 {
			outcomes = append(outcomes, u[0], u[len(u)-1])
		}
		reference.Tolerance{Rel: 1e-11, Abs: 1e-18}.Match(t, p, reference.Fields{
			"E": memories[:], "lr": s.LongRunVariance(), "regime": s.VolatilityRegime(), "u": outcomes,
			"horizons": horizons,
		})
	}
}

// The sum kept in blocks equals the plain sum over the window.
func TestLongRunWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	l, returns := longRun{}, tape{keep: longRunWindow}
	for i := range 3*longRunWindow + 77 {
		v := math.Exp(3*r.NormFloat64()) * 1e-4
		if i == 9000 {
			v = 20 // a huge return that leaves the window later
		}
		l.add(v)
		returns.append(v)
		if i%977 == 0 || i < 500 || (i > longRunWindow-3 && i < longRunWindow+130) || i > 17750 && i < 17770 {
			want := stats.MeanSquare(returns.newest(longRunWindow))
			if got := l.mean(&returns); !within(got, want, 1e-13, 0) {
				t.Fatalf("after %d returns: %v, want %v", i+1, got, want)
			}
		}
	}
	l, returns = longRun{}, tape{keep: longRunWindow}
	for i := range 2*longRunWindow + 200 {
		v := 0.0
		if i < 1000 {
			v = 0.1
		}
		l.add(v)
		returns.append(v)
	}
	if got := l.mean(&returns); got != 0 {
		t.Errorf("the mean square after a year without moves is %v, want exactly 0", got)
	}
}

func TestTapeKeepsReturnedSlices(t *testing.T) {
	p := tape{keep: 100}
	var views [][]float64
	for i := range 1000 {
		p.append(float64(i))
		views = append(views, p.newest(100))
	}
	for i, v := range views {
		if n := min(i+1, 100); len(v) != n || v[n-1] != float64(i) || v[0] != float64(i-n+1) {
			t.Fatalf("view %d changed: %v .. %v", i, v[0], v[len(v)-1])
		}
	}
	if got := p.from(950, 953); !slices.Equal(got, []float64{950, 951, 952}) {
		t.Errorf("%v", got)
	}
	if cap(p.buf) > 100+100/32+64 {
		t.Errorf("room for %d values to keep 100", cap(p.buf))
	}
}

func checkSane(t interface {
	Helper()
	Errorf(string, ...any)
}, s *State) {
	t.Helper()
	for h, f := range s.Forecasts(&Scratch{}) {
		finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
		if !(f.Variance > 0) || !finite(f.Variance) || f.Kappa2 < kappaLow || f.Kappa2 > kappaHigh {
			t.Errorf("%d bars, %d h: %+v", s.Bars(), mc.Horizons[h], f)
		}
		for side := range mc.SideCount {
			maxPct := []float64{100, 500}[side]
			for _, v := range f.Tail[side] {
				if !finite(v.ZQ) || !finite(v.ZES) || !(v.PctVaR >= 0 && v.PctVaR <= maxPct) ||
					!(v.PctES >= 0 && v.PctES <= maxPct) {
					t.Errorf("%d bars, %d h, side %d: %+v", s.Bars(), mc.Horizons[h], side, v)
				}
			}
			a, b := f.Tail[side][mc.P95], f.Tail[side][mc.P99]
			// The pooled tail and the asset's own tail are each ordered, so their mixture is
			// ordered. The tail mean of a frozen asset is a sum of many equal values, which needs a
			// rounding tolerance.
			slack := 1e-12 * (1 + math.Abs(b.ZES))
			if b.ZQ > a.ZQ+slack || b.ZES > b.ZQ+slack || a.ZES > a.ZQ+slack {
				t.Errorf("%d bars, %d h, side %d: tails out of order %+v %+v", s.Bars(), mc.Horizons[h], side, a, b)
			}
		}
	}
}

// For every input the results are finite, bounded and ordered.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(1, 1300).Draw(t, "bars")
		scale := rapid.SampledFrom([]float64{0, 1e-9, 1e-3, 0.05, 1, 8}).Draw(t, "scale")
		lazy := rapid.Float64Range(0, 1).Draw(t, "share of hours without a trade")
		s, price := NewState(mc.ClassCrypto), 1.0
		for i := range n {
			b := mc.Bar{OpenMs: int64(i) * hourMs, Open: price, High: price, Low: price, Close: price}
			if r.Float64() > lazy {
				b.Close = max(1e-100, min(1e100, price*math.Exp(scale*r.NormFloat64())))
				b.High = max(price, b.Close) * math.Exp(min(50, scale*r.ExpFloat64()))
				b.Low = min(price, b.Close) * math.Exp(-min(50, scale*r.ExpFloat64()))
				price = b.Close
			}
			if err := s.Push(b); err != nil {
				t.Fatal(err)
			}
		}
		checkSane(t, s)
		for h, f := range s.Forecasts(&Scratch{}) {
			if h > 0 && f.Variance < s.variance[h-1] {
				t.Errorf("variance falls with the horizon: %v", s.variance)
			}
		}
	})
}

// A bar that cannot follow leaves the state unchanged. The error of an impossible one names it and the rule
// that it breaks.
func TestPushRefuses(t *testing.T) {
	const hour, at = "impossible bar: of 2023-12-17 09:00 UTC: ", 473_001 * hourMs
	for _, c := range []struct {
		says   string
		change func(*mc.Bar)
	}{
		{hour + "low 3 is above high 2", func(b *mc.Bar) { b.Low = 3 }},
		{hour + "close -1 is not a price above 0", func(b *mc.Bar) { b.Close = -1 }},
		{hour + "close 0 is not a price above 0", func(b *mc.Bar) { b.Close = 0 }},
		{hour + "open NaN is not a price above 0", func(b *mc.Bar) { b.Open = math.NaN() }},
		{hour + "high +Inf is not a price above 0", func(b *mc.Bar) { b.High = math.Inf(1) }},
		{hour + "high 1e+200 is too far above low 1e-200", func(b *mc.Bar) { b.High, b.Low = 1e200, 1e-200 }},
		{hour + "volume -1 is not a number from 0 on", func(b *mc.Bar) { b.Volume = -1 }},
		{hour + "volume NaN is not a number from 0 on", func(b *mc.Bar) { b.Volume = math.NaN() }},
		{
			"impossible bar: time 1702803600 (1970-01-20 17:00 UTC) is not a whole hour: want ms, not s",
			func(b *mc.Bar) { b.OpenMs /= 1000 },
		},
		{
			"impossible bar: time 1702803660000 (2023-12-17 09:01 UTC) is not a whole hour: " +
				"want hourly candles, not shorter ones",
			func(b *mc.Bar) { b.OpenMs += 60_000 },
		},
		{
			"impossible bar: time 1702803600001 (2023-12-17 09:00 UTC) is not a whole hour",
			func(b *mc.Bar) { b.OpenMs++ },
		},
		{"bar out of order: hour 473000 after 473000", func(b *mc.Bar) { b.OpenMs -= hourMs }},
		{"bar out of order: hour 473002 after 473000", func(b *mc.Bar) { b.OpenMs += hourMs }},
	} {
		b := mc.Bar{OpenMs: at, Open: 1, High: 2, Low: 1, Close: 2, Volume: 3}
		before := b
		before.OpenMs -= hourMs
		s := pushAll(t, NewState(mc.ClassCrypto), []mc.Bar{before})
		c.change(&b)
		err := s.Push(b)
		if !errors.Is(err, ErrBadBar) && !errors.Is(err, ErrBarOrder) || err.Error() != c.says {
			t.Errorf("%v\nwant %s", err, c.says)
		}
		if s.Bars() != 1 || s.Last() != before || s.NextHour() != 473_001 {
			t.Errorf("%s: the error changed the state", c.says)
		}
	}
}

func TestAppendFilled(t *testing.T) {
	first := mc.Bar{OpenMs: 0, Open: 1, High: 4, Low: 1, Close: 3, Volume: 9}
	next := mc.Bar{OpenMs: 3 * hourMs, Open: 3, High: 5, Low: 3, Close: 5, Volume: 1}
	bars, err := AppendFilled([]mc.Bar{first}, next)
	flat := mc.Bar{OpenMs: hourMs, Open: 3, High: 3, Low: 3, Close: 3}
	if err != nil || !slices.Equal(bars, []mc.Bar{first, flat, FlatAfter(flat), next}) {
		t.Errorf("%+v, %v", bars, err)
	}
	if got, err := AppendFilled(bars, first); !errors.Is(err, ErrBarOrder) || len(got) != 4 {
		t.Error(got, err)
	}
	far := first
	far.OpenMs = (MaxGapHours + 5) * hourMs
	if _, err := AppendFilled(bars, far); !errors.Is(err, ErrGap) {
		t.Error(err)
	}
}

// During warm-up the newest early memories equal RawMemories. After warm-up there are none.
func TestEarlyMemories(t *testing.T) {
	bars := syntheticBars(t, 800)
	s := NewState(mc.ClassCrypto)
	if got := s.AppendEarlyMemories(nil); len(got) != 0 {
		t.Error(got)
	}
	for i := range bars {
		pushAll(t, s, bars[i:i+1])
		early := s.AppendEarlyMemories(nil)
		if i > seedBars {
			if len(early) != 0 {
				t.Fatalf("%d early memories after %d returns", len(early), i)
			}
			continue
		}
		if len(early) != i || (i > 0 && early[i-1] != s.RawMemories()) {
			t.Fatalf("%d early memories after %d returns, or not the newest", len(early), i)
		}
	}
}

// A regime lasts up to the ends of its wider band, and then follows the plain bounds.
func TestRegimeHysteresis(t *testing.T) {
	const low, normal, high = mc.VolatilityLow, mc.VolatilityNormal, mc.VolatilityHigh
	for _, c := range []struct {
		from mc.VolatilityRegime
		rank float64
		want mc.VolatilityRegime
	}{
		{low, 0.28, low}, {low, 0.281, normal}, {low, 0.9, high}, {high, 0.77, high}, {high, 0.769, normal},
		{high, 0.1, low},
		{normal, 0.22, normal}, {normal, 0.219, low}, {normal, 0.83, normal}, {normal, 0.831, high},
	} {
		if got := nextRegime(c.from, c.rank); got != c.want {
			t.Errorf("%v at rank %v: %v, want %v", c.from, c.rank, got, c.want)
		}
	}
	if plainRegime(0.25) != normal || plainRegime(0.80) != normal {
		t.Error("the plain bounds belong to normal")
	}
}
