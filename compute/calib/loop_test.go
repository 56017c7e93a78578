package calib

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ballast/compute/copula"
	"ballast/compute/vol"
	"ballast/marketcache"
)

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// newCache returns a cache that lists the names, with a context for each. Open interest rises with
// the asset's id.
func newCache(names ...string) *marketcache.Cache {
	c := marketcache.New(marketcache.Limits{Assets: 16, Bars: 3000, Wallets: 1})
	c.SetUniverse(universe(names...))
	for i := range names {
		c.Contexts(marketcache.AssetID(i)).Publish(marketcache.Context{MarkPrice: 1,
			OpenInterestUnits: float64(1 + i)},
			marketcache.Now())
	}
	return c
}

func universe(names ...string) *marketcache.Universe {
	assets := make([]*marketcache.Asset, len(names))
	for i, name := range names {
		assets[i] = &marketcache.Asset{ID: marketcache.AssetID(i), Name: name, Tiers: make([]marketcache.Tier, 1)}
	}
	return marketcache.NewUniverse(assets)
}

func load(c *marketcache.Cache, id marketcache.AssetID, bars []marketcache.Bar) {
	c.ReplaceBars(id, bars, bars[len(bars)-1].OpenMs+hourMs)
}

func appendBar(c *marketcache.Cache, id marketcache.AssetID, b marketcache.Bar) {
	c.AppendBars(id, []marketcache.Bar{b}, b.OpenMs+hourMs)
}

func fitted(t *testing.T, name string, id marketcache.AssetID, bars []marketcache.Bar) *marketcache.AssetModel {
	t.Helper()
	m, err := Fit(id, name, bars)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestLoopOrder(t *testing.T) {
	c := newCache("A", "B", "C", "D", "E")
	for id := range marketcache.AssetID(4) { // asset E is never loaded
		load(c, id, market(uint64(id), 0, 50))
	}
	c.Want(1)
	l := NewLoop(c, Config{Log: quiet()})
	var order []string
	l.fault = func(name string) { order = append(order, name) }
	l.pass(t.Context())
	if !slices.Equal(order, []string{"B", "D", "C", "A"}) {
		t.Errorf("fitted in the order %v", order)
	}
	m := c.Model()
	if m.Calibrated != 4 || m.Asset(4) != nil || m.Asset(0) == nil || m.Name != "fhs-px" || m.Digest == [32]byte{} {
		t.Errorf("%+v", m)
	}
	if m.Unknown == nil || m.Unknown.Bars != 0 || m.Unknown.Variance[0] <= 0 {
		t.Errorf("%+v", m.Unknown)
	}
	order = nil
	l.pass(t.Context())
	if len(order) != 0 {
		t.Errorf("fitted again: %v", order)
	}
}

// Adding one bar per hour gives the same fit as fitting all bars from scratch.
func TestLoopAddsBars(t *testing.T) {
	c := newCache("A")
	bars := market(5, 100, 900)
	load(c, 0, bars[:700])
	l := NewLoop(c, Config{Log: quiet()})
	l.pass(t.Context())
	for n := 701; n <= len(bars); n++ {
		appendBar(c, 0, bars[n-1])
		before := c.Model().Asset(0)
		l.pass(t.Context())
		got := c.Model().Asset(0)
		if got == before || got.LastHour != bars[n-1].OpenMs/hourMs {
			t.Fatalf("bar %d did not arrive", n)
		}
		if n%40 == 0 || n == len(bars) {
			if want := fitted(t, "A", 0, bars[:n]); !sameFit(got, want) {
				t.Fatalf("after %d bars: digest %x, want %x", n, got.Digest, want.Digest)
			}
		}
	}
	if s := l.Stats(); s.Rebuilds != 0 || s.Fits != uint64(1+len(bars)-700) || s.Failures != 0 {
		t.Errorf("%+v", s)
	}
}

// A history that changes in any other way than by a new bar at the end is fitted again from
// scratch.
func TestLoopStartsOver(t *testing.T) {
	all := busyMarket(6, 100, 500)
	gap := slices.Delete(slices.Clone(all), 200, 203)
	for name, change := range map[string]struct{ before, after []marketcache.Bar }{
		"older bars put before": {all[100:], all},
		"a bar corrected": {func() []marketcache.Bar { b := slices.Clone(all); b[50].Close *= 1.01; return b }(),
			all},
		"a gap closed in hindsight": {gap, all},
		"bars taken away":           {all, all[:300]},
		"another history":           {all, market(7, 5000, 100)},
	} {
		c := newCache("A")
		load(c, 0, change.before)
		l := NewLoop(c, Config{Log: quiet()})
		l.pass(t.Context())
		load(c, 0, change.after)
		l.pass(t.Context())
		if got, want := c.Model().Asset(0), fitted(t, "A", 0, change.after); !sameFit(got, want) {
			t.Errorf("%s: %d bars to hour %d, want %d to %d", name, got.Bars, got.LastHour, want.Bars, want.LastHour)
		}
		if s := l.Stats(); s.Rebuilds != 1 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// Loading the same bars again causes no new fit, and neither does an update for an hour whose bar
// is already known.
func TestLoopSkipsNoNews(t *testing.T) {
	c := newCache("A")
	bars := market(6, 100, 300)
	load(c, 0, bars)
	l := NewLoop(c, Config{Log: quiet()})
	l.pass(t.Context())
	before := c.Model()
	load(c, 0, bars)
	l.pass(t.Context())
	c.AppendBars(0, nil, bars[len(bars)-1].OpenMs+hourMs+5)
	l.pass(t.Context())
	if c.Model() != before || l.Stats().Fits != 1 {
		t.Errorf("%+v", l.Stats())
	}
}

// A complete hour without a trade counts as a flat bar. If a bar for that hour arrives later, the
// history is fitted from scratch.
func TestLoopFillsTheEnd(t *testing.T) {
	c := newCache("A")
	bars := busyMarket(6, 100, 300)
	load(c, 0, bars[:298])
	l := NewLoop(c, Config{Log: quiet()})
	l.pass(t.Context())
	c.AppendBars(0, nil, bars[298].OpenMs+hourMs)
	l.pass(t.Context())
	if m := c.Model().Asset(0); m.Bars != 299 || m.LastHour != bars[298].OpenMs/hourMs ||
		m.LastClose != bars[297].Close {
		t.Errorf("%d bars to %d", m.Bars, m.LastHour)
	}
	appendBar(c, 0, bars[298])
	l.pass(t.Context())
	if got := c.Model().Asset(0); !sameFit(got, fitted(t, "A", 0, bars[:299])) || l.Stats().Rebuilds != 1 {
		t.Errorf("%d bars, %+v", got.Bars, l.Stats())
	}
}

// The fit keeps bars that the ring in the cache has already dropped.
func TestLoopOutlivesTheRing(t *testing.T) {
	c := newCache("A")
	bars := busyMarket(8, 0, 3300)
	load(c, 0, bars[:2990])
	l := NewLoop(c, Config{Log: quiet()})
	l.pass(t.Context())
	for _, b := range bars[2990:] {
		appendBar(c, 0, b)
		l.pass(t.Context())
	}
	if view, _ := c.Bars(0); len(view) != 3000 {
		t.Fatalf("the ring holds %d", len(view))
	}
	if got := c.Model().Asset(0); !sameFit(got, fitted(t, "A", 0, bars)) || l.Stats().Rebuilds != 0 {
		t.Errorf("%d bars, %+v", got.Bars, l.Stats())
	}
}

func TestLoopKeepsTheLastGoodFit(t *testing.T) {
	c := newCache("A", "B")
	a, b := busyMarket(1, 0, 200), busyMarket(2, 0, 200)
	load(c, 0, a[:150])
	load(c, 1, b[:150])
	var computing, fits int
	l := NewLoop(c, Config{Log: quiet(), Busy: func() { computing++; fits++ }, Idle: func() { computing-- }})
	l.pass(t.Context())
	good := c.Model().Asset(1)

	l.fault = func(name string) {
		if name == "B" {
			panic("split by zero")
		}
	}
	appendBar(c, 0, a[150])
	appendBar(c, 1, b[150])
	l.pass(t.Context())
	bad := c.Model().Asset(1)
	if !strings.Contains(bad.FitError, "split by zero") {
		t.Errorf("error %q", bad.FitError)
	}
	if !sameFit(&marketcache.AssetModel{Bars: bad.Bars, Digest: bad.Digest},
		&marketcache.AssetModel{Bars: good.Bars, Digest: good.Digest}) || good.FitError != "" {
		t.Error("the last good fit has changed")
	}
	if got := c.Model().Asset(0); got.LastHour != a[150].OpenMs/hourMs {
		t.Error("an asset waits for the failed one")
	}
	if s := l.Stats(); s.Panics != 1 || s.Failures != 1 {
		t.Errorf("%+v", s)
	}
	l.pass(t.Context())
	if l.Stats().Panics != 1 {
		t.Error("fitted again without new bars")
	}

	l.fault = nil
	appendBar(c, 1, b[151])
	l.pass(t.Context())
	if got := c.Model().Asset(1); !sameFit(got, fitted(t, "B", 1, b[:152])) {
		t.Errorf("after recovery: %d bars, error %q", got.Bars, got.FitError)
	}
	if fits != 5 || computing != 0 {
		t.Errorf("%d fits were announced, want 5, and %d have not ended", fits, computing)
	}
}

// An asset with two bars for one hour has no fit, one with an impossible bar has a fit without that bar.
func TestLoopWithBadBars(t *testing.T) {
	c := newCache("A", "B")
	twice, impossible := market(1, 0, 20), market(1, 0, 20)
	twice[10].OpenMs = twice[9].OpenMs
	impossible[10].High = -1
	load(c, 0, twice)
	load(c, 1, impossible)
	l := NewLoop(c, Config{Log: quiet()})
	l.pass(t.Context())
	if s, m := l.Stats(), c.Model(); m.Asset(0) != nil || s.Failures != 1 || m.Calibrated != 1 || s.Refused != 1 ||
		m.Asset(1).Bars != 20 {
		t.Errorf("%+v", l.Stats())
	}
}

// The class of an asset follows from the list of the main dex, also when that changes.
func TestLoopClasses(t *testing.T) {
	names := []string{"BTC", "xyz:BTC", "xyz:TSLA", "xyz:GOLD"}
	c := newCache(names...)
	for id := range names {
		load(c, marketcache.AssetID(id), market(1, 0, 50))
	}
	l := NewLoop(c, Config{Log: quiet()})
	check := func(want ...marketcache.Class) {
		t.Helper()
		l.pass(t.Context())
		for id, class := range want {
			if got := c.Model().Asset(marketcache.AssetID(id)); got.Class != class {
				t.Errorf("%s: %v, want %v", got.Name, got.Class, class)
			}
		}
	}
	check(marketcache.ClassCrypto, marketcache.ClassCrypto, marketcache.ClassEquity, marketcache.ClassMetal)
	c.SetUniverse(universe(append(names, "kTSLA")...))
	c.AppendBars(2, nil, 51*hourMs)
	check(marketcache.ClassCrypto, marketcache.ClassCrypto, marketcache.ClassCrypto, marketcache.ClassMetal)
	for class := range marketcache.ClassCount {
		if got := c.Model().UnknownOf[class]; got.Class != class || got.Bars != 0 {
			t.Errorf("without data: %v, want %v", got.Class, class)
		}
	}
}

// An asset loaded with no bars has a fit of defaults for the hours to come; an asset that is not loaded
// has none.
func TestLoopAssetWithoutBars(t *testing.T) {
	c := newCache("A", "B")
	l := NewLoop(c, Config{Log: quiet()})
	for hour := int64(5000); hour < 5003; hour++ {
		c.AppendBars(0, nil, hour*hourMs)
		l.pass(t.Context())
		m := c.Model()
		a := m.Asset(0)
		if a == nil || a.Bars != 0 || a.AverageVariance != m.Unknown.AverageVariance ||
			a.Excursions != m.Unknown.Excursions || m.Asset(1) != nil {
			t.Fatalf("%+v", m)
		}
		if f := vol.Factor(marketcache.ClassCrypto, hour); a.HourFactors[0] != f ||
			math.Abs(a.Variance[0]/(f*a.AverageVariance[0])-1) > 1e-15 {
			t.Errorf("hour %d: variance %v, average %v", hour, a.Variance[0], a.AverageVariance[0])
		}
	}
	bars := market(3, 4999, 5)
	c.AppendBars(0, bars, bars[len(bars)-1].OpenMs+hourMs)
	l.pass(t.Context())
	if got := c.Model().Asset(0); !sameFit(got, fitted(t, "A", 0, bars)) {
		t.Errorf("%+v", got)
	}
}

// Runs the whole loop in the background: an empty model at once, fits as bars arrive, new assets,
// and a clean stop.
func TestLoopRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache("A")
		l := NewLoop(c, Config{Log: quiet()})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- l.Run(ctx) }()
		synctest.Wait()
		if m := c.Model(); m.Name != "fhs-px" || m.Calibrated != 0 || m.Unknown == nil || m.Asset(0) != nil {
			t.Errorf("%+v", m)
		}

		bars := busyMarket(4, 0, 760)
		load(c, 0, bars[:700])
		synctest.Wait()
		for _, b := range bars[700:] {
			appendBar(c, 0, b)
			time.Sleep(time.Hour)
		}
		c.SetUniverse(universe("A", "B"))
		load(c, 1, market(5, 0, 30))
		synctest.Wait()
		if m := c.Model(); m.Calibrated != 2 || !sameFit(m.Asset(0), fitted(t, "A", 0, bars)) {
			t.Errorf("%+v", m)
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// Once all assets are fitted the pairs are fitted, and then once per day.
func TestLoopFitsPairs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache("A", "B", "C")
		var computing, announced int
		l := NewLoop(c, Config{Log: quiet(), Busy: func() { computing++; announced++ }, Idle: func() { computing-- }})
		done := make(chan error)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { done <- l.Run(ctx) }()
		series := [3][]marketcache.Bar{busyMarket(4, 0, 24*50), busyMarket(5, 0, 24*50), busyMarket(6, 24*46, 24*4)}
		for i := range series[:2] {
			load(c, marketcache.AssetID(i), series[i][:1000])
		}
		load(c, 2, series[2][:90]) // four days: too short for a pair
		synctest.Wait()
		pair := func(a, b marketcache.AssetID) marketcache.TailPair {
			t.Helper()
			m := c.Model()
			if !c.Pairs().Has(a) || !c.Pairs().Has(b) {
				t.Fatalf("pair %d, %d is not fitted", a, b)
			}
			p := c.Pairs().Get(a, b)
			if p != c.Pairs().Get(b, a) {
				t.Error("a pair depends on the order of its assets")
			}
			if want := copula.FitModels(copula.NewFitter(), m.Asset(b), m.Asset(a)); p != want {
				t.Errorf("pair %+v, want %+v", p, want)
			}
			return p
		}
		first := pair(0, 1)
		if !first.Known || pair(0, 2).Known || pair(2, 1).Known || l.Stats().Pairs != 3 {
			t.Errorf("%+v, %d pairs fitted", first, l.Stats().Pairs)
		}
		// The pairs stay the same until the first bar that closes at midnight. The third asset gets
		// no further bars; the loop waits for it up to its limit.
		for n := 1000; n < 1030; n++ {
			for i := range series[:2] {
				appendBar(c, marketcache.AssetID(i), series[i][n])
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			if again := pair(0, 1) != first; again != (n >= 1007) {
				t.Fatalf("after bar %d: fitted again %v", n, again)
			}
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if s := l.Stats(); announced < int(s.Fits+s.Pairs) || computing != 0 {
			t.Errorf("%d of %d fits and %d pairs were announced, %d have not ended", announced, s.Fits, s.Pairs,
				computing)
		}
	})
}
