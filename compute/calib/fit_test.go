package calib

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ballast/compute/vol"
	"ballast/marketcache"
)

// market returns n hours of a random market from hour first on, with about one hour in fifty
// missing.
func market(seed uint64, first int64, n int) []marketcache.Bar {
	r := rand.New(rand.NewPCG(seed, 10))
	all := busyMarket(seed, first, n)
	bars := all[:1]
	for i := 1; i < n; i++ {
		if i == n-1 || r.IntN(50) > 0 {
			bars = append(bars, all[i])
		}
	}
	return bars
}

// busyMarket returns a random market with a bar in every hour.
func busyMarket(seed uint64, first int64, n int) []marketcache.Bar {
	r := rand.New(rand.NewPCG(seed, 9))
	price, calm := 100.0, 0.01
	var bars []marketcache.Bar
	for i := range n {
		calm = math.Exp(0.98*math.Log(calm/0.008)+0.1*r.NormFloat64()) * 0.008
		b := marketcache.Bar{OpenMs: (first + int64(i)) * hourMs, Open: price, Volume: 1e4 * (0.5 + r.Float64())}
		b.Close = price * math.Exp(calm*r.NormFloat64())
		b.High = max(price, b.Close) * math.Exp(calm*r.Float64())
		b.Low = min(price, b.Close) * math.Exp(-calm*r.Float64())
		price = b.Close
		bars = append(bars, b)
	}
	return bars
}

func fit(t testing.TB, bars []marketcache.Bar) *marketcache.AssetModel {
	t.Helper()
	m, err := Fit(3, "TEST", bars)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sameFit compares two fits bit by bit. It ignores the time they took, the alignment with BTC's
// hours, and the returns used for the pairs, which depend on when the first fit of the day was
// made.
func sameFit(a, b *marketcache.AssetModel) bool {
	x, y := *a, *b
	for _, s := range [][2]*marketcache.HourlySeries{{&x.Z24, &y.Z24}, {&x.Low24, &y.Low24}, {&x.High24, &y.High24},
		{&x.U1, &y.U1}} {
		if s[0].FirstHour != s[1].FirstHour || !slices.Equal(s[0].Values, s[1].Values) {
			return false
		}
		*s[0], *s[1] = marketcache.HourlySeries{}, marketcache.HourlySeries{}
	}
	for _, m := range []*marketcache.AssetModel{&x, &y} {
		m.FitDuration, m.Daily = 0, nil
		m.Joint = nil // set when the fit is published
	}
	ax, _ := json.Marshal(x)
	ay, _ := json.Marshal(y)
	return string(ax) == string(ay)
}

// While the regime filter has too few hours, the regime is that of the memories: here a move of 18 % in an
// asset that hardly moved before.
func TestRegimeOfYoungAsset(t *testing.T) {
	m := fit(t, []marketcache.Bar{
		{OpenMs: 1000 * hourMs, Open: 10, High: 11, Low: 9, Close: 10, Volume: 5},
		{OpenMs: 1001 * hourMs, Open: 10, High: 10.1, Low: 10, Close: 10},
		{OpenMs: 1003 * hourMs, Open: 10, High: 13, Low: 10, Close: 12, Volume: 2},
	})
	if m.RegimeState != marketcache.RegimeCrisis || m.RegimeConfidence != 0.5 || m.Bars != 4 || m.Name != "TEST" ||
		m.LastClose != 12 {
		t.Errorf("%+v", m)
	}
	if u, ok := m.U1.At(1002); !ok || u != 0 {
		t.Errorf("outcome of a flat hour: %v", u)
	}
}

func TestFitWithoutBars(t *testing.T) {
	m := fit(t, nil)
	if m.Bars != 0 || m.FirstHour != 0 || m.LastHour != 0 || m.LastClose != 0 {
		t.Errorf("%+v", m)
	}
	if m.Tail[marketcache.H24][marketcache.Long][marketcache.P99].ZQ != -2.874 || m.Kappa2[marketcache.H24] != 1.163 ||
		m.LongRunVariance != vol.PriorVariance || m.VolRegime != marketcache.VolatilityHigh {
		t.Errorf("%+v", m)
	}
	if m.RegimeProb != [3]float64{1, 0, 0} {
		t.Errorf("%+v", m.RegimeProb)
	}
}

// Tests the figures derived from a fit, and that its excursion knots are those of the state.
func TestDerive(t *testing.T) {
	h := NewHistory(marketcache.ClassCrypto)
	if err := h.Extend(market(2, 0, 3000)); err != nil {
		t.Fatal(err)
	}
	m := h.Model(3, "TEST", &Scratch{})
	for i, sides := range h.State().Excursions(&vol.Scratch{}) {
		for side, knots := range sides {
			if m.Excursions[i][side] != knots || knots[20] <= knots[0] {
				t.Errorf("knots %v, want %v", m.Excursions[i][side], knots)
			}
		}
	}
	for i, f := range h.State().Forecasts(&vol.Scratch{}) {
		want := math.Sqrt(f.Variance * f.Kappa2 * hoursPerYear / float64(marketcache.Horizons[i]))
		if got := m.Sigma[i]; math.Abs(got-want) > 1e-15*want {
			t.Errorf("sigma %v, want %v", got, want)
		}
	}
	if want := m.Sigma[marketcache.H24] / math.Sqrt(365); math.Abs(m.DailySigma-want) > 1e-15 {
		t.Errorf("daily sigma %v, want %v", m.DailySigma, want)
	}
	if want := math.Sqrt(8760 * m.LongRunVariance); m.LongRunSigma != want {
		t.Errorf("long run sigma %v, want %v", m.LongRunSigma, want)
	}
	z := m.Z24Sorted[len(m.Z24Sorted)/2] * vol.OwnWeight(len(m.Z24Sorted))
	if want := 100 * (math.Exp(z*math.Sqrt(m.Variance[marketcache.H24])) - 1); math.Abs(m.MedianPct-want) > 1e-2 {
		t.Errorf("median move %v %%, want about %v", m.MedianPct, want)
	}
	for side, p := range m.ExtremePct {
		if worst := m.Tail[marketcache.H24][side][marketcache.P99]; !(p.VaR > worst.PctVaR && p.ES > p.VaR) {
			t.Errorf("side %d: %+v beyond %+v", side, p, worst)
		}
	}
	// By hand: one side with threshold 2, beta 0.5 and xi 0.1, at 1 % volatility per day.
	m.Variance[marketcache.H24] = 1e-4
	m.Extreme = [marketcache.SideCount]marketcache.ExtremeTail{{U: 2, Beta: 0.5, Xi: 0.1}, {U: 2, Beta: 0.5, Xi: 0.1}}
	Derive(m)
	q := 2 + 0.5/0.1*(math.Pow(50, 0.1)-1)
	es := (q + 0.5 - 0.1*2) / 0.9
	want := [2]marketcache.TailPct{
		{VaR: 100 * (1 - math.Exp(-q/100)), ES: 100 * (1 - math.Exp(-es/100))},
		{VaR: 100 * (math.Exp(q/100) - 1), ES: 100 * (math.Exp(es/100) - 1)},
	}
	for side, p := range m.ExtremePct {
		if math.Abs(p.VaR-want[side].VaR) > 1e-12 || math.Abs(p.ES-want[side].ES) > 1e-12 {
			t.Errorf("side %d: %+v, want %+v", side, p, want[side])
		}
	}
	m.Bars, m.HasExtreme = 0, false
	Derive(m)
	if m.Sigma != [4]float64{} || m.LongRunSigma != 0 || m.ExtremePct != [2]marketcache.TailPct{} ||
		m.DailySigma == 0 {
		t.Errorf("without bars: %v, %v, %v, %v", m.Sigma, m.LongRunSigma, m.ExtremePct, m.DailySigma)
	}
}

// An outcome belongs to the hour of the last bar known when it was forecast.
func TestOutcomesByHour(t *testing.T) {
	const first = 400_000
	bars := market(1, first, 2500)
	m := fit(t, bars)
	if m.Bars != 2500 || m.LastHour != first+2499 {
		t.Fatalf("%d bars to hour %d", m.Bars, m.LastHour)
	}
	if m.Z24.FirstHour != first+720 || len(m.Z24.Values) != 2500-720-24 || len(m.U1.Values) != 2160 {
		t.Fatalf("%d outcomes from %d, %d hourly", len(m.Z24.Values), m.Z24.FirstHour, len(m.U1.Values))
	}
	if last := m.U1.FirstHour + int64(len(m.U1.Values)) - 1; last != m.LastHour {
		t.Errorf("hourly returns end at %d", last)
	}
	for _, at := range []int{1000, 1017, 1099} {
		b := bars[at]
		hour := b.OpenMs / hourMs
		then := slices.IndexFunc(bars, func(b marketcache.Bar) bool { return b.OpenMs >= (hour+24)*hourMs })
		if bars[then].OpenMs != (hour+24)*hourMs {
			t.Fatalf("no bar 24 hours after %d", at)
		}
		known := fit(t, bars[:at+1])
		want := math.Log(bars[then].Close/b.Close) / math.Sqrt(known.Variance[marketcache.H24])
		if got, ok := m.Z24.At(hour); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("hour %d: %v, want %v", hour, got, want)
		}
		next := bars[at+1]
		if next.OpenMs != b.OpenMs+hourMs {
			t.Fatalf("no bar after %d", at)
		}
		want = math.Log(next.Close/b.Close) / math.Sqrt(known.Variance[marketcache.H1])
		if got, ok := m.U1.At(hour + 1); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("hour %d: hourly %v, want %v", hour, got, want)
		}
	}
}

// The fit is bit-identical whether bars arrive one by one or together, and a published fit never
// changes.
func TestArrivalDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom([]int{2, 30, 719, 720, 721, 722, 760, 1500}).Draw(rt, "bars")
		bars := market(rapid.Uint64Range(0, 3).Draw(rt, "seed"), 1000, n)
		want := fit(t, bars)
		h, w := NewHistory(marketcache.ClassCrypto), &Scratch{}
		var held []*marketcache.AssetModel
		var copies []marketcache.HourlySeries
		for rest := bars; len(rest) > 0; {
			take := rapid.IntRange(1, max(1, len(bars)/3)).Draw(rt, "take")
			take = min(take, len(rest))
			if err := h.Extend(rest[:take]); err != nil {
				rt.Fatal(err)
			}
			rest = rest[take:]
			m := h.Model(3, "TEST", w)
			held = append(held, m)
			copies = append(copies, marketcache.HourlySeries{Values: slices.Clone(m.U1.Values)})
		}
		if got := h.Model(3, "TEST", w); !sameFit(got, want) {
			rt.Fatalf("digest %x, want %x", got.Digest, want.Digest)
		}
		for i, m := range held {
			if !slices.Equal(m.U1.Values, copies[i].Values) {
				rt.Fatal("a published series changed")
			}
		}
	})
}

func TestDigest(t *testing.T) {
	a, b := fit(t, market(1, 0, 900)), fit(t, market(1, 0, 900))
	if a.Digest != b.Digest || a.Digest == [32]byte{} {
		t.Error("equal fits, different digests")
	}
	changed := func(name string, change func(*marketcache.AssetModel)) {
		t.Helper()
		m := *a
		change(&m)
		if digest(&m) == a.Digest {
			t.Errorf("%s is not in the digest", name)
		}
	}
	changed("name", func(m *marketcache.AssetModel) { m.Name = "OTHER" })
	changed("bar time", func(m *marketcache.AssetModel) { m.LastHour++ })
	changed("memories", func(m *marketcache.AssetModel) { m.E[3] *= 1 + 1e-15 })
	changed("long run", func(m *marketcache.AssetModel) { m.LongRunVariance *= 2 })
	changed("k2", func(m *marketcache.AssetModel) { m.Kappa2[0] = 3 })
	changed("quantile", func(m *marketcache.AssetModel) { m.Tail[2][1][1].ZQ -= 1e-9 })
	changed("excursions", func(m *marketcache.AssetModel) { m.Excursions[1][0][20] += 1e-9 })
	changed("regime", func(m *marketcache.AssetModel) { m.RegimeProb[2] = 0.5 })
	if m := *a; true {
		m.FitDuration, m.FitError = time.Hour, "x"
		if digest(&m) != a.Digest {
			t.Error("the digest depends on how the fit went")
		}
	}
	if first, again := Constants(), Constants(); !json.Valid(first) || string(first) != string(again) {
		t.Error("constants are not JSON, or not stable")
	}
}

func TestImpossibleBarsAreLeftOut(t *testing.T) {
	bars := market(1, 0, 100)
	broken := slices.Clone(bars)
	at := len(broken) / 2
	broken[at].Low = 0
	h := NewHistory(marketcache.ClassCrypto)
	if err := h.Extend(broken); err != nil {
		t.Fatal(err)
	}
	without := fit(t, slices.Delete(slices.Clone(bars), at, at+1))
	if h.Refused() != 1 || !sameFit(h.Model(3, "TEST", &Scratch{}), without) {
		t.Error("an invalid bar gives another fit than a missing one")
	}
	if missing := 100 - len(bars); h.Filled() != missing+1 {
		t.Errorf("%d filled, want %d", h.Filled(), missing+1)
	}
}

func TestFlatThrough(t *testing.T) {
	bars := market(1, 0, 800)
	h := NewHistory(marketcache.ClassCrypto)
	if err := h.FlatThrough(1e15); err != nil || h.Bars() != 0 {
		t.Error("an empty history was filled")
	}
	if err := h.Extend(bars); err != nil {
		t.Fatal(err)
	}
	for _, ms := range []int64{0, 799 * hourMs, 801*hourMs - 1} { // hour 800 has not closed
		if err := h.FlatThrough(ms); err != nil || h.Bars() != 800 {
			t.Fatalf("through %d: %d bars, %v", ms, h.Bars(), err)
		}
	}
	if err := h.FlatThrough(803*hourMs + 5); err != nil || h.Bars() != 803 || h.state.Last().Volume != 0 {
		t.Errorf("%d bars, %v", h.Bars(), err)
	}
	if err := h.FlatThrough((vol.MaxGapHours + 900) * hourMs); !errors.Is(err, vol.ErrGap) {
		t.Error(err)
	}
	if err := h.Extend(bars[:1]); !errors.Is(err, vol.ErrBarOrder) {
		t.Error(err)
	}
}

// A four-hour bar whose beginning is missing from the history is skipped. The reference tests the rest.
func TestTrueRangeOfPartialBar(t *testing.T) {
	var a trueRange
	a.add(marketcache.Bar{OpenMs: (4*1000 - 1) * hourMs, High: 900, Low: 1, Close: 100})
	if a.atr() != 0 {
		t.Errorf("without a bar: %v", a.atr())
	}
	for hour := range int64(4) {
		a.add(marketcache.Bar{OpenMs: (4*1000 + hour) * hourMs, High: 105, Low: 95, Close: 100})
	}
	if a.atr() != 10 {
		t.Errorf("one bar: %v", a.atr())
	}
}

// The drawdown of closes by hand: of several equal maximum drawdowns the first is reported.
func TestDrawdownOfCloses(t *testing.T) {
	var c closes
	for i := range minDrawdownBars - 1 {
		c.add(100 + float64(i))
	}
	if c.drawdown().Known {
		t.Error("a drawdown with fewer than 30 bars")
	}
	c.add(200)
	c.add(100) // a fall by half
	c.add(300)
	c.add(150) // again by half
	c.add(240)
	d := c.drawdown()
	if d.MaxPct != 50 || d.PeakClose != 200 || d.TroughClose != 100 || math.Abs(d.CurrentPct-20) > 1e-12 ||
		d.DurationHours != 2 || d.Calmar != 0 {
		t.Errorf("%+v", d)
	}
	for range drawdownBars { // the earlier closes leave the window
		c.add(240)
	}
	if d = c.drawdown(); d.MaxPct != 0 || d.DurationHours != 0 || d.PeakClose != 240 {
		t.Errorf("%+v", d)
	}
}

// The returns used for the pairs change with the first bar that closes at or after midnight UTC,
// and not in between.
func TestDailyReturns(t *testing.T) {
	bars := busyMarket(1, 24*400+7, 24*400) // the first bar opens at 07:00
	h, w := NewHistory(marketcache.ClassCrypto), &Scratch{}
	if m := h.Model(0, "A", w); m.Daily != nil {
		t.Error("daily returns without a bar")
	}
	if err := h.Extend(bars[:9000]); err != nil {
		t.Fatal(err)
	}
	last := h.Model(0, "A", w)
	if n := len(last.Daily.Values); n != pairHours || last.Daily.FirstHour+int64(n) != last.LastHour+1 {
		t.Fatalf("%d returns from hour %d, last bar %d", n, last.Daily.FirstHour, last.LastHour)
	}
	changes := 0
	for _, b := range bars[9000:9072] {
		if err := h.Extend([]marketcache.Bar{b}); err != nil {
			t.Fatal(err)
		}
		m := h.Model(0, "A", w)
		midnight := (m.LastHour+1)%24 == 0
		if (m.Daily != last.Daily) != midnight {
			t.Fatalf("hour %d: changed %v", m.LastHour%24, m.Daily != last.Daily)
		}
		if midnight {
			changes++
			newest := m.Daily.Values[len(m.Daily.Values)-1]
			if want := math.Log(b.Close) - math.Log(h.state.Last().Close) + h.state.LastReturn(); newest != want {
				t.Errorf("newest return %v, want %v", newest, want)
			}
		}
		last = m
	}
	if changes != 3 {
		t.Errorf("%d changes in three days", changes)
	}
}
