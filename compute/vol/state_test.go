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
)

//go:embed testdata/synthetic.json
var syntheticJSON []byte

// syntheticBars returns the bars of testdata/reference.py with gaps filled.
func syntheticBars(t testing.TB, n int) (bars []Bar) {
	t.Helper()
	for _, row := range reference.Synthetic(n) {
		var err error
		if bars, err = AppendFilled(bars, Bar(row)); err != nil {
			t.Fatal(err)
		}
	}
	return bars
}

func pushAll(t testing.TB, s *State, bars []Bar) *State {
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
		Points     []struct {
			N        int
			E        [4]float64
			LR       float64
			Regime   string
			U        []float64 // number, sum of squares, first, last
			Horizons []struct {
				Variance, Kappa2 float64
				NZ               int `json:"n_z"`
				Tails            [4][4]float64
			}
		}
	}
	if err := json.Unmarshal(syntheticJSON, &want); err != nil {
		t.Fatal(err)
	}
	bars := syntheticBars(t, want.Points[len(want.Points)-1].N)
	if bars[0].Close != want.FirstClose || bars[len(bars)-1].Close != want.LastClose {
		t.Fatalf("these are not the bars of the reference: %v, %v", bars[0].Close, bars[len(bars)-1].Close)
	}
	s, w := NewState(ClassCrypto), &Scratch{}
	for _, p := range want.Points {
		pushAll(t, s, bars[s.Bars():p.N])
		check := func(what string, got, want float64) {
			t.Helper()
			if !within(got, want, 1e-11, 1e-18) {
				t.Errorf("%d bars, %s: %v, want %v", p.N, what, got, want)
			}
		}
		for k, e := range s.Memories() {
			check("E", e, p.E[k])
		}
		check("lr", s.LongRunVariance(), p.LR)
		if got := s.VolatilityRegime().String(); got != p.Regime {
			t.Errorf("%d bars: %s, want %s", p.N, got, p.Regime)
		}
		_, u := s.HourlyOutcomes(longRunWindow)
		check("count of u", float64(len(u)), p.U[0])
		check("sum of u^2", stats.Dot(u, u), p.U[1])
		if len(u) > 0 {
			check("first u", u[0], p.U[2])
			check("last u", u[len(u)-1], p.U[3])
		}
		for h, f := range s.Forecasts(w) {
			check("variance", f.Variance, p.Horizons[h].Variance)
			check("kappa2", f.Kappa2, p.Horizons[h].Kappa2)
			check("n_z", float64(f.Outcomes), float64(p.Horizons[h].NZ))
			for side := range SideCount {
				for level := range LevelCount {
					got, tail := f.Tail[side][level], p.Horizons[h].Tails[2*side+level]
					check("z_q", got.ZQuantile, tail[0])
					check("z_es", got.ZES, tail[1])
					check("pct_var", got.PctVaR, tail[2])
					check("pct_es", got.PctES, tail[3])
				}
			}
		}
	}
}

// A state queried after every bar and a state queried once hold the same bits.
func TestQueriesChangeNothing(t *testing.T) {
	bars := syntheticBars(t, 2600)
	asked, w := NewState(ClassCrypto), &Scratch{}
	for i := range bars {
		pushAll(t, asked, bars[i:i+1])
		if i > 2400 || i%100 == 0 {
			asked.Forecasts(w)
			asked.VolatilityRegime()
		}
	}
	once := pushAll(t, NewState(ClassCrypto), bars)
	if asked.Forecasts(w) != once.Forecasts(&Scratch{}) || asked.Memories() != once.Memories() ||
		asked.LongRunVariance() != once.LongRunVariance() || asked.VolatilityRegime() != once.VolatilityRegime() {
		t.Error("queries in between changed the result")
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
	if cap(p.buf) > 114 {
		t.Errorf("room for %d values to keep 100", cap(p.buf))
	}
}

func TestOutcomesByHand(t *testing.T) {
	s := pushAll(t, NewState(ClassCrypto), syntheticBars(t, 1000))
	twin := NewState(ClassCrypto)
	bars := syntheticBars(t, 1000)
	for h, hours := range Horizons {
		first, z := s.Outcomes(h)
		if first != seedBars || first+len(z) != 1000-hours {
			t.Fatalf("%d h: outcomes %d..%d", hours, first, first+len(z)-1)
		}
	}
	first, z := s.Outcomes(H24)
	k := 800
	pushAll(t, twin, bars[:k+1])
	want := math.Log(bars[k+24].Close/bars[k].Close) / math.Sqrt(twin.variance[H24])
	if got := z[k-first]; !within(got, want, 1e-12, 0) {
		t.Errorf("z_%d = %v, want %v", k, got, want)
	}
	first, u := s.HourlyOutcomes(2160)
	if first != 0 || len(u) != 999 {
		t.Fatalf("%d hourly outcomes from %d", len(u), first)
	}
	twin = pushAll(t, NewState(ClassCrypto), bars[:901])
	want = math.Log(bars[901].Close/bars[900].Close) / math.Sqrt(twin.variance[H1])
	if got := u[900]; !within(got, want, 1e-12, 0) {
		t.Errorf("u_900 = %v, want %v", got, want)
	}
	if first, u := s.HourlyOutcomes(10); first != 989 || len(u) != 10 {
		t.Errorf("%d hourly outcomes from %d", len(u), first)
	}
}

func checkSane(t interface {
	Helper()
	Errorf(string, ...any)
}, s *State) {
	t.Helper()
	for h, f := range s.Forecasts(&Scratch{}) {
		finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
		if !(f.Variance > 0) || !finite(f.Variance) || f.Kappa2 < kappaLow || f.Kappa2 > kappaHigh || !finite(f.SigmaYear(h)) {
			t.Errorf("%d bars, %d h: %+v", s.Bars(), Horizons[h], f)
		}
		for side := range SideCount {
			maxPct := []float64{100, 500}[side]
			for _, v := range f.Tail[side] {
				if !finite(v.ZQuantile) || !finite(v.ZES) || !(v.PctVaR >= 0 && v.PctVaR <= maxPct) || !(v.PctES >= 0 && v.PctES <= maxPct) {
					t.Errorf("%d bars, %d h, side %d: %+v", s.Bars(), Horizons[h], side, v)
				}
			}
			a, b := f.Tail[side][P95], f.Tail[side][P99]
			// The pooled tail and the asset's own tail are each ordered, so their mixture is
			// ordered. The tail mean of a frozen asset is a sum of many equal values, which needs a
			// rounding tolerance.
			slack := 1e-12 * (1 + math.Abs(b.ZES))
			if b.ZQuantile > a.ZQuantile+slack || b.ZES > b.ZQuantile+slack || a.ZES > a.ZQuantile+slack {
				t.Errorf("%d bars, %d h, side %d: tails out of order %+v %+v", s.Bars(), Horizons[h], side, a, b)
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
		s, price := NewState(ClassCrypto), 1.0
		for i := range n {
			b := Bar{OpenMs: int64(i) * hourMs, Open: price, High: price, Low: price, Close: price}
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

// Inverting all prices (1/p) swaps long and short in log losses.
func TestMirror(t *testing.T) {
	bars := syntheticBars(t, 2500)
	mirrored := make([]Bar, len(bars))
	for i, b := range bars {
		mirrored[i] = Bar{OpenMs: b.OpenMs, Open: 1 / b.Open, High: 1 / b.Low, Low: 1 / b.High, Close: 1 / b.Close}
	}
	a, b := pushAll(t, NewState(ClassCrypto), bars), pushAll(t, NewState(ClassCrypto), mirrored)
	for h := range Horizons {
		f, g := a.Forecast(h, &Scratch{}), b.Forecast(h, &Scratch{})
		if f.OwnWeight < 1 {
			continue // the pooled default is not symmetric
		}
		for level := range LevelCount {
			if x, y := f.LogVaR(Long, level), g.LogVaR(Short, level); !within(x, y, 1e-9, 0) {
				t.Errorf("%d h: %v long, %v short of the mirror", Horizons[h], x, y)
			}
		}
	}
}

func TestPushRefuses(t *testing.T) {
	good := Bar{OpenMs: 10 * hourMs, Open: 1, High: 2, Low: 1, Close: 2, Volume: 3}
	bad := func(name string, want error, change func(*Bar)) {
		t.Helper()
		s := pushAll(t, NewState(ClassCrypto), []Bar{good})
		before := *s
		b := FlatAfter(good)
		change(&b)
		if err := s.Push(b); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
		if s.bars != before.bars || s.last != before.last || s.e != before.e {
			t.Errorf("%s: an error changed the state", name)
		}
	}
	bad("no price", ErrBadBar, func(b *Bar) { b.Close = 0 })
	bad("NaN", ErrBadBar, func(b *Bar) { b.High = math.NaN() })
	bad("infinite price", ErrBadBar, func(b *Bar) { b.High = math.Inf(1) })
	bad("range beyond all numbers", ErrBadBar, func(b *Bar) { b.High, b.Low = 1e200, 1e-200 })
	bad("low above high", ErrBadBar, func(b *Bar) { b.Low = b.High * 2 })
	bad("negative volume", ErrBadBar, func(b *Bar) { b.Volume = -1 })
	bad("NaN volume", ErrBadBar, func(b *Bar) { b.Volume = math.NaN() })
	bad("half past", ErrBadBar, func(b *Bar) { b.OpenMs += hourMs / 2 })
	bad("same hour", ErrBarOrder, func(b *Bar) { b.OpenMs -= hourMs })
	bad("hour left out", ErrBarOrder, func(b *Bar) { b.OpenMs += hourMs })
}

// The error of an impossible bar names the bar and the rule that it breaks.
func TestCheckSays(t *testing.T) {
	good := Bar{OpenMs: 473_001 * hourMs, Open: 1, High: 2, Low: 1, Close: 2, Volume: 3}
	for says, change := range map[string]func(*Bar){
		"of 2023-12-17 09:00 UTC: low 3 is above high 2":                                                       func(b *Bar) { b.Low = 3 },
		"of 2023-12-17 09:00 UTC: close -1 is not a price above 0":                                             func(b *Bar) { b.Close = -1 },
		"of 2023-12-17 09:00 UTC: open NaN is not a price above 0":                                             func(b *Bar) { b.Open = math.NaN() },
		"of 2023-12-17 09:00 UTC: high +Inf is not a price above 0":                                            func(b *Bar) { b.High = math.Inf(1) },
		"of 2023-12-17 09:00 UTC: high 1e+200 is too far above low 1e-200":                                     func(b *Bar) { b.High, b.Low = 1e200, 1e-200 },
		"of 2023-12-17 09:00 UTC: volume -1 is not a number from 0 on":                                         func(b *Bar) { b.Volume = -1 },
		"time 1702803600 (1970-01-20 17:00 UTC) is not a whole hour: want ms, not s":                           func(b *Bar) { b.OpenMs /= 1000 },
		"time 1702803660000 (2023-12-17 09:01 UTC) is not a whole hour: want hourly candles, not shorter ones": func(b *Bar) { b.OpenMs += 60_000 },
		"time 1702803600001 (2023-12-17 09:00 UTC) is not a whole hour":                                        func(b *Bar) { b.OpenMs++ },
	} {
		b := good
		change(&b)
		if err := b.Check(); !errors.Is(err, ErrBadBar) || err.Error() != "impossible bar: "+says {
			t.Errorf("%v\nwant %s", err, says)
		}
	}
}

func TestAppendFilled(t *testing.T) {
	first := Bar{OpenMs: 0, Open: 1, High: 4, Low: 1, Close: 3, Volume: 9}
	bars, err := AppendFilled([]Bar{first}, Bar{OpenMs: 3 * hourMs, Open: 3, High: 5, Low: 3, Close: 5, Volume: 1})
	if err != nil || len(bars) != 4 {
		t.Fatal(bars, err)
	}
	for i, want := range []Bar{first,
		{OpenMs: hourMs, Open: 3, High: 3, Low: 3, Close: 3}, {OpenMs: 2 * hourMs, Open: 3, High: 3, Low: 3, Close: 3},
		{OpenMs: 3 * hourMs, Open: 3, High: 5, Low: 3, Close: 5, Volume: 1}} {
		if bars[i] != want {
			t.Errorf("bar %d: %+v", i, bars[i])
		}
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
	s := NewState(ClassCrypto)
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

// The range cap by hand: with all memories at 1e-4, the range measure is at most 36e-4 unless the close
// moved further.
func TestRangeCap(t *testing.T) {
	f := func(parkinson, squaredReturn, want float64) {
		t.Helper()
		e := memories{1e-4, 1e-4, 1e-4, 1e-4}
		if x := e.absorb(hourMeasure{parkinson: parkinson, squaredReturn: squaredReturn}); !within(x, want, 1e-15, 0) {
			t.Errorf("range %v, return^2 %v: %v, want %v", parkinson, squaredReturn, x, want)
		}
		if want := 6.0/7*1e-4 + 1.0/7*want; !within(e[0], want, 1e-14, 0) {
			t.Errorf("6 h memory %v, want %v", e[0], want)
		}
	}
	f(2e-4, 1e-4, 2e-4) // an ordinary hour
	f(1, 1e-4, 36*1e-4) // a false price
	f(0.09, 0.09, 0.09) // a crash in which the close moved as far
	f(0.09, 0.05, 0.05) // a crash that mostly recovered by the close
	f(36e-4, 0, 36e-4)  // exactly at the cap
}

func TestRegimeHysteresis(t *testing.T) {
	f := func(from Regime, rank float64, want Regime) {
		t.Helper()
		if got := from.next(rank); got != want {
			t.Errorf("%v at rank %v: %v, want %v", from, rank, got, want)
		}
	}
	f(RegimeLow, 0.28, RegimeLow)
	f(RegimeLow, 0.281, RegimeNormal)
	f(RegimeLow, 0.9, RegimeHigh)
	f(RegimeHigh, 0.77, RegimeHigh)
	f(RegimeHigh, 0.769, RegimeNormal)
	f(RegimeHigh, 0.1, RegimeLow)
	f(RegimeNormal, 0.22, RegimeNormal)
	f(RegimeNormal, 0.219, RegimeLow)
	f(RegimeNormal, 0.83, RegimeNormal)
	f(RegimeNormal, 0.831, RegimeHigh)
	if plainRegime(0.25) != RegimeNormal || plainRegime(0.80) != RegimeNormal {
		t.Error("the plain bounds belong to normal")
	}
}

// A history that arrives as a whole allocates its memory once, with no spare capacity.
func TestReserveTakesWhatIsNeeded(t *testing.T) {
	bars := syntheticBars(t, 5000)
	s := NewState(ClassCrypto)
	s.Reserve(len(bars))
	pushAll(t, s, bars)
	for name, p := range map[string]*tape{"returns": &s.returns, "ranges": &s.ranges, "day": &s.day, "outcomes": &s.outcome[H24], "hourly outcomes": &s.outcome[H1]} {
		if len(p.buf) < 4000 || cap(p.buf)-len(p.buf) > 400 {
			t.Errorf("%s: %d values in room for %d", name, len(p.buf), cap(p.buf))
		}
	}
	if n := cap(s.returns.buf) - len(s.returns.buf); n < 100 {
		t.Errorf("room for %d more hours", n)
	}
}

func TestPushAllocatesLittle(t *testing.T) {
	bars := syntheticBars(t, 9000)
	s := pushAll(t, NewState(ClassCrypto), bars[:8000])
	i := 8000
	// An underlying array is reallocated once every few hundred to thousand bars; a single bar
	// allocates nothing.
	if n := testing.AllocsPerRun(500, func() { s.Push(bars[i]); i++ }); n != 0 {
		t.Errorf("%v allocations a bar", n)
	}
	w := &Scratch{}
	s.Forecasts(w)
	if n := testing.AllocsPerRun(5, func() { s.Forecasts(w); s.VolatilityRegime() }); n != 0 {
		t.Errorf("%v allocations a refresh", n)
	}
}

func BenchmarkPush(b *testing.B) {
	bars := syntheticBars(b, 9000)
	s := pushAll(b, NewState(ClassCrypto), bars)
	next := s.Last()
	for b.Loop() {
		next = FlatAfter(next)
		next.High *= 1.001
		s.Push(next)
	}
}

func BenchmarkForecasts(b *testing.B) {
	s, w := pushAll(b, NewState(ClassCrypto), syntheticBars(b, 20000)), &Scratch{}
	b.ReportAllocs()
	for b.Loop() {
		s.Forecasts(w)
	}
}

func BenchmarkVolatilityRegimeCold(b *testing.B) {
	s := pushAll(b, NewState(ClassCrypto), syntheticBars(b, 20000))
	for b.Loop() {
		s.ranks.next = 0
		s.VolatilityRegime()
	}
}

func BenchmarkFit(b *testing.B) {
	for _, n := range []int{720, 8760, 46000} {
		bars := syntheticBars(b, n)
		b.Run(map[int]string{720: "720", 8760: "8760", 46000: "46000"}[n], func(b *testing.B) {
			for b.Loop() {
				s := pushAll(b, NewState(ClassCrypto), bars)
				s.Forecasts(&Scratch{})
				s.VolatilityRegime()
			}
		})
	}
}
