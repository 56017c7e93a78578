package calib

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ballast/compute/joint"
	"ballast/marketcache"
)

// newBTCCache is newCache with BTC as the first asset.
func newBTCCache(others ...string) *marketcache.Cache {
	c := newCache(append([]string{"BTC"}, others...)...)
	if c.Universe().Bitcoin != 0 {
		panic("BUG: BTC is not asset 0")
	}
	return c
}

// sameJoint compares the alignment of two assets with BTC's hours, bit by bit.
func sameJoint(a, b *marketcache.Joint) bool {
	for h := range a.Paths {
		if p, q := &a.Paths[h], &b.Paths[h]; !slices.Equal(p.Marks, q.Marks) ||
			!slices.Equal(p.Beyond[0], q.Beyond[0]) ||
			!slices.Equal(p.Beyond[1], q.Beyond[1]) {
			return false
		}
	}
	return slices.Equal(a.Z, b.Z) && slices.Equal(a.PriceMoves, b.PriceMoves) && a.Scale == b.Scale &&
		slices.Equal(a.Best[0], b.Best[0]) && slices.Equal(a.Best[1], b.Best[1])
}

// Every published fit is aligned with the hours of BTC in the same model. Adding bars one by one gives
// the same result as fitting from scratch. A fit is aligned again only when it or BTC's fit has changed.
func TestLoopAlignsFitsWithBitcoin(t *testing.T) {
	c := newBTCCache("A", "B")
	series := [][]marketcache.Bar{busyMarket(1, 0, 1500), busyMarket(2, 0, 1500), busyMarket(3, 600, 300)}
	l := NewLoop(c, Config{Log: quiet()})
	l.pass(t.Context())
	l.publish()
	if m := c.Model(); len(m.Unknown.Joint.Z) != 0 {
		t.Error("rows without BTC")
	}
	for i, bars := range series {
		load(c, marketcache.AssetID(i), bars[:len(bars)-20])
	}
	l.pass(t.Context())
	for at := -20; at < 0; at++ {
		for i, bars := range series[:2] {
			before := c.Model()
			appendBar(c, marketcache.AssetID(i), bars[len(bars)+at])
			l.pass(t.Context())
			now := c.Model()
			if now.Asset(2) == before.Asset(2) != (i == 1) || now.Unknown == before.Unknown != (i == 1) {
				t.Fatalf("bar of asset %d: an unchanged fit was aligned again, or a changed one was not", i)
			}
		}
		if at%7 != 0 {
			continue
		}
		m := c.Model()
		var fits []*marketcache.AssetModel
		for i, bars := range series {
			fits = append(fits, fitted(t, c.Universe().Assets[i].Name, marketcache.AssetID(i), bars[:len(bars)-20]))
			if i < 2 {
				fits[i] = fitted(t, c.Universe().Assets[i].Name, marketcache.AssetID(i), bars[:len(bars)+at+1])
			}
		}
		want := Publish(fits, 0)
		if m.Digest != want.Digest || m.Constants != want.Constants || m.Calibrated != 3 {
			t.Fatal("the model differs from one made from scratch")
		}
		for i, got := range append(slices.Clone(m.Assets), m.Unknown) {
			other := append(slices.Clone(want.Assets), want.Unknown)[i]
			if !sameFit(got, other) || !sameJoint(got.Joint, other.Joint) ||
				!sameJoint(got.Joint, joint.Align(fits[0], other)) {
				t.Fatalf("asset %d differs from a fit made from scratch", i)
			}
			if len(got.Joint.Z) != len(fits[0].Z24.Values) {
				t.Fatalf("%d rows, want %d", len(got.Joint.Z), len(fits[0].Z24.Values))
			}
		}
	}
	if fits := l.fits; fits[0].Joint != nil || fits[1].Joint != nil {
		t.Error("publishing modified a fit")
	}
}

func sameSums(a, b *marketcache.Correlations) bool {
	return a.LastHour == b.LastHour &&
		slices.EqualFunc(a.Windows, b.Windows, func(x, y marketcache.CorrelationWindow) bool {
			return x.FirstHour == y.FirstHour && x.Hours == y.Hours && slices.Equal(x.Row, y.Row) &&
				slices.Equal(x.Sums, y.Sums)
		})
}

// The sums behind the correlations are computed at most once per second while assets arrive, and
// then once per hour when all bars have arrived. Until then the previous table stays published.
func TestLoopSums(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newBTCCache("A", "B", "C")
		l := NewLoop(c, Config{Log: quiet()})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		defer func() { cancel(); <-done }()
		go func() { done <- l.Run(ctx) }()
		synctest.Wait()
		if c.Model().Correlations != nil {
			t.Error("sums without a fit")
		}
		begins := []int{0, 0, 500, 900}
		upTo := func(i, hour int) []marketcache.Bar { return busyMarket(uint64(i+1), 0, hour+1)[begins[i]:] }
		last := func(i, hour int) { appendBar(c, marketcache.AssetID(i), upTo(i, hour)[hour-begins[i]]) }
		check := func(hours ...int) {
			t.Helper()
			var fits []*marketcache.AssetModel
			for i, hour := range hours {
				fits = append(fits, fitted(t, "", marketcache.AssetID(i), upTo(i, hour)))
			}
			if got, want := c.Model().Correlations, joint.Sums(fits); !sameSums(got, want) {
				t.Errorf("sums up to %d with %d windows, want %d with %d",
					got.LastHour, len(got.Windows), want.LastHour, len(want.Windows))
			}
		}
		load(c, 0, upTo(0, 1000))
		synctest.Wait()
		check(1000)
		first := c.Model().Correlations
		for i := 1; i < 4; i++ { // all within one second
			load(c, marketcache.AssetID(i), upTo(i, 1000))
			synctest.Wait()
		}
		if c.Model().Correlations != first || c.Model().Calibrated != 4 {
			t.Error("sums were computed for every new asset")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		check(1000, 1000, 1000, 1000)
		time.Sleep(time.Hour)
		before := c.Model().Correlations
		for i := range begins {
			if c.Model().Correlations != before {
				t.Error("sums were computed before all assets had their bar")
			}
			last(i, 1001)
			time.Sleep(time.Minute)
			synctest.Wait()
			if i == 2 { // all assets of the table have their bar
				check(1001, 1001, 1001, 1000)
				before = c.Model().Correlations
			}
		}
		check(1001, 1001, 1001, 1001)
		// The loop waits for an asset without its bar up to a limit, then computes the sums without
		// that bar.
		before = c.Model().Correlations
		last(0, 1002)
		last(1, 1002)
		time.Sleep(laggards - time.Second)
		synctest.Wait()
		if c.Model().Correlations != before {
			t.Error("the loop did not wait for the missing bar")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		check(1002, 1002, 1001, 1001)
	})
}

// Readers see only complete tables: a published model or table of pairs gives the same values each
// time it is read. The race detector reports unsafe sharing.
func TestReadersSeeWholeTables(t *testing.T) {
	c := newBTCCache("A", "B")
	var series [][]marketcache.Bar
	for i := range 3 {
		series = append(series, busyMarket(uint64(i+1), 0, 1100))
		load(c, marketcache.AssetID(i), series[i][:1000])
	}
	l := NewLoop(c, Config{Log: quiet()})
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			var s joint.Scratch
			dst, again := make([]float64, 9), make([]float64, 9)
			for {
				if m := c.Model(); m.Correlations != nil {
					joint.Matrix(dst, m.Correlations, m.Assets, &s)
					joint.Matrix(again, m.Correlations, m.Assets, &s)
					if !slices.Equal(dst, again) {
						t.Error("a published table changed")
					}
					for _, a := range m.Assets {
						if j := a.Joint; len(j.Z) != len(m.Assets[0].Joint.Z) ||
							j.PathRows != m.Assets[0].Joint.PathRows {
							t.Error("assets are aligned to different hours")
						}
					}
				}
				if p := c.Pairs(); p != nil {
					for a := range marketcache.AssetID(3) {
						for b := range a {
							if !p.Get(a, b).Known {
								t.Error("a published table lacks a pair")
							}
						}
					}
				}
				select {
				case <-stop:
					return
				default:
					runtime.Gosched()
				}
			}
		})
	}
	for n := 1000; n < 1100; n++ {
		l.pass(t.Context())
		l.correlate()
		for _, interrupted := l.fitPairs(t.Context()); interrupted; _, interrupted = l.fitPairs(t.Context()) {
		}
		l.summed = 0 // disables the pause of one second
		for i := range series {
			appendBar(c, marketcache.AssetID(i), series[i][n])
		}
	}
	close(stop)
	readers.Wait()
	if l.Stats().Pairs < 3*4 {
		t.Errorf("%d pairs fitted", l.Stats().Pairs)
	}
}
