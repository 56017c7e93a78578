package outcomes

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/marketcache/venue/sim"
	"ballast/server/journal"
)

// decided are recorded decisions.
type decided []journal.Decision

func (list decided) Each(from, to time.Time, yield func(*journal.Decision) bool) (int, error) {
	for i := range list {
		if d := &list[i]; !d.At.Before(from) && d.At.Before(to) && !yield(d) {
			break
		}
	}
	return 0, nil
}

func (list decided) Find(_ context.Context, requestID, keyID string) (found []*journal.Decision, err error) {
	for i := range list {
		if list[i].RequestID == requestID && list[i].KeyID == keyID {
			found = append(found, &list[i])
		}
	}
	return found, nil
}

// month is a simulated month: decisions, bars with gaps, and a clock.
type month struct {
	decided
	bars  map[string]map[int64]marketcache.Bar // by asset and hour
	from  map[string]map[int64]int64           // hour from which a late bar is there
	nowMs int64
	db    *store.Main
	fail  int // 1: the next commit fails, 2: it succeeds and says that it failed
}

func (m *month) CloseOutcomes(c *store.Closed) error {
	how := m.fail
	if m.fail = 0; how == 1 {
		return errors.New("disk full")
	}
	err := m.db.CloseOutcomes(c)
	if how == 2 {
		return errors.New("lost power")
	}
	return err
}

// held returns the bars of an asset that are closed and there.
func (m *month) held(asset string) (bars []marketcache.Bar) {
	for hour, b := range m.bars[asset] {
		if (hour+1)*hourMs <= m.nowMs && m.from[asset][hour]*hourMs <= m.nowMs {
			bars = append(bars, b)
		}
	}
	slices.SortFunc(bars, func(a, b marketcache.Bar) int { return int(a.OpenMs - b.OpenMs) })
	return bars
}

type flaky struct {
	*store.Main
	m *month
}

func (f flaky) CloseOutcomes(c *store.Closed) error { return f.m.CloseOutcomes(c) }

func (m *month) closer() *Closer {
	return New(Config{Decisions: m.decided, Store: flaky{m.db, m}, Bars: m.held, NowMs: func() int64 { return m.nowMs },
		Log: slog.New(slog.DiscardHandler)})
}

const monthDays = 30

// newMonth makes the month's decisions and prices.
func newMonth(t *testing.T) *month {
	m := &month{bars: map[string]map[int64]marketcache.Bar{}, from: map[string]map[int64]int64{}}
	var err error
	if m.db, err = store.OpenMain(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.db.Close() })
	var assets []string
	for asset, bars := range sim.Bars(3, 6, start, 24*(monthDays+12)) {
		assets = append(assets, asset)
		m.bars[asset], m.from[asset] = map[int64]marketcache.Bar{}, map[int64]int64{}
		for _, b := range bars {
			m.bars[asset][b.OpenMs/hourMs] = marketcache.Bar(b)
		}
	}
	slices.Sort(assets)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 1500 {
		at := start.Add(time.Duration(r.Int64N(monthDays*24*hourMs)) * time.Millisecond)
		if i%10 == 0 {
			at = at.Truncate(time.Hour)
		}
		asset, s := assets[r.IntN(len(assets))], 1.0
		d := journal.Decision{At: at, Kind: journal.Validate, KeyID: []string{"", "a", "b"}[r.IntN(3)], Asset: asset,
			Action: "long", Side: "long", SizeUSD: 1000 * r.Float64(), Recommendation: Bands[r.IntN(3)],
			RiskScore: of(100 * r.Float64())}
		if r.IntN(2) == 0 {
			d.Action, d.Side, s = "short", "short", -1
		}
		mark := m.bars[asset][at.UnixMilli()/hourMs].Open
		d.MarkPrice, d.PositionUSD, d.MarginUSD = &mark, of(d.SizeUSD*(1+r.Float64())), of(d.SizeUSD/10)
		if r.IntN(10) > 0 {
			d.Liquidation = of(mark * (1 - s*0.05*r.Float64()))
		}
		if d.Liquidation == nil || r.IntN(2) == 0 {
			d.VaR99 = of(*d.PositionUSD * 0.04 * r.Float64())
		}
		if r.IntN(5) > 0 {
			d.Probability24h, d.Probability7d = of(math.Pow(r.Float64(), 3)), of(r.Float64())
		}
		m.decided = append(m.decided, d)
	}
	for range 12 { // hours that come late, and hours that never come
		late, never := hour0+r.Int64N(monthDays*24), hour0+r.Int64N(monthDays*24)
		m.from[assets[0]][late] = late + 30
		delete(m.bars[assets[1]], never)
	}
	return m
}

// The outcomes of a simulated month are those that a second computation finds, although the closing was interrupted,
// its commits failed, bars came late and some never did.
func TestMonthEqualsSecondComputation(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	m := newMonth(t)
	c, r := m.closer(), rand.New(rand.NewPCG(3, 4))
	for m.nowMs = start.UnixMilli(); m.nowMs < start.Add(11*24*time.Hour+monthDays*24*time.Hour).UnixMilli(); {
		m.nowMs += 20*60*1000 + r.Int64N(20*hourMs)
		if m.fail = max(0, r.IntN(12)-9); r.IntN(4) == 0 {
			c = m.closer() // a restart
		}
		failing := m.fail > 0
		if err := c.Pass(t.Context()); err != nil && !failing {
			t.Fatal(err)
		}
	}
	if s := c.State(); s.Open != 0 || s.Trouble != nil {
		t.Errorf("%+v", s)
	}
	for _, key := range []string{"", "a", "b"} {
		got, err := c.Accuracy(&key)
		if err != nil {
			t.Fatal(err)
		}
		sameSums(t, key+" day", got.Day, m.secondly(key, 24))
		sameSums(t, key+" week", got.Week, m.secondly(key, 168))
	}
	all, err := c.Accuracy(nil)
	if n := all.Day.All().Count + all.Day.Unknown; err != nil || n != len(m.decided) || all.Day.Unknown == 0 {
		t.Errorf("%d outcomes, %d unknown, %v", n, all.Day.Unknown, err)
	}
}

// secondly computes the sums without the code under test.
func (m *month) secondly(key string, hours int) (s Sums) {
	for _, d := range m.decided {
		if d.KeyID != key {
			continue
		}
		first := d.At.Truncate(time.Hour)
		if first.Before(d.At) {
			first = first.Add(time.Hour)
		}
		whole, hit := true, 0.0
		var last marketcache.Bar
		for i := range hours {
			b, ok := m.bars[d.Asset][first.Add(time.Duration(i)*time.Hour).Unix()/3600]
			whole = whole && ok
			if d.Liquidation != nil && (d.Side == "long" && b.Low <= *d.Liquidation ||
				d.Side == "short" && b.High >= *d.Liquidation) {
				hit = 1
			}
			last = b
		}
		if !whole {
			s.Unknown++
			continue
		}
		price := last.Close
		if hit == 1 {
			price = *d.Liquidation
		}
		gain, day := price / *d.MarkPrice - 1, last.Close / *d.MarkPrice - 1
		if d.Side == "short" {
			gain, day = -gain, -day
		}
		p := d.Probability24h
		if hours == 168 {
			p = d.Probability7d
		} else if d.VaR99 != nil {
			s.VaRs++
			if -day**d.PositionUSD > *d.VaR99 {
				s.Exceeded++
			}
		}
		one := Tally{Count: 1, Liquidated: int(hit), Told: 1, USD: gain * *d.PositionUSD, PctTold: 1,
			Pct: 100 * gain * d.SizeUSD / *d.MarginUSD}
		if gain < 0 {
			one.Lost = 1
		} else if gain > 0 {
			one.Won = 1
		}
		if p != nil {
			one.Judged, one.Probability, one.Squared = 1, *p, (*p-hit)*(*p-hit)
			s.Bins[secondBin(*p)].merge(&one)
		}
		s.Bands[map[string]int{"proceed": 0, "proceed_with_caution": 1, "abort": 2}[d.Recommendation]].merge(&one)
		s.Deciles[int(math.Floor(*d.RiskScore/10))].merge(&one)
	}
	return s
}

func secondBin(p float64) int {
	for i, edge := range []float64{0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4} {
		if p < edge {
			return i
		}
	}
	return 7
}

// sameSums compares counts exactly, and sums of numbers up to the order of their terms.
func sameSums(t *testing.T, what string, got, want Sums) {
	t.Helper()
	if got.Unknown != want.Unknown || got.VaRs != want.VaRs || got.Exceeded != want.Exceeded {
		t.Errorf("%s: unknown %d, VaRs %d, exceeded %d, want %d, %d, %d", what, got.Unknown, got.VaRs, got.Exceeded,
			want.Unknown, want.VaRs, want.Exceeded)
	}
	list := func(s *Sums) []Tally { return slices.Concat(s.Bands[:], s.Bins[:], s.Deciles[:]) }
	for i, a := range list(&got) {
		b := list(&want)[i]
		for _, x := range []*Tally{&a, &b} {
			for _, f := range []*float64{&x.USD, &x.Pct, &x.Probability, &x.Squared} {
				*f = math.Round(*f*1e6) / 1e6
			}
		}
		if a != b {
			t.Errorf("%s, tally %d:\n%+v, want\n%+v", what, i, a, b)
		}
	}
}
