package outcomes

import (
	"log/slog"
	"math"
	"testing"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
)

// ranged are bars of one range from an hour on, except in some hours after it.
func ranged(from int64, n int, usual float64, other map[int]float64) (bars []marketcache.Bar) {
	for i, b := range flat(from, n, 100) {
		move, ok := other[i]
		if !ok {
			move = usual
		}
		b.High = 100 * math.Exp(move)
		bars = append(bars, b)
	}
	return bars
}

// usualVariance is the variance of a day that is told when hours usually have a range.
func usualVariance(move float64) float64 { return 24 * move * move / (4 * math.Ln2) / usualRatio }

// What moves further than told, and what does not: hours of the usual range have the factor 1.
func TestWhatIsFurtherThanTold(t *testing.T) {
	const usual = 0.01
	hours := func(n int, times float64) map[int]float64 {
		m := map[int]float64{}
		for i := range n {
			m[1+i] = times * usual
		}
		return m
	}
	for _, row := range []struct {
		what   string
		other  map[int]float64
		ratio  float64
		hours  int
		raised bool
	}{
		{"as told", nil, 1, 1, false},
		{"silence", hours(24, 0), 0, 1, false},
		{"twice as far for 10 hours", hours(10, 2), 2, 10, false},
		{"twice as far for 11 hours", hours(11, 2), 2, 11, true},
		{"twenty times as far for 10 hours", hours(10, 20), 2, 10, false},
		{"1.2 times as far for 18 hours", hours(18, 1.2), 1.44, 18, false},
		{"1.2 times as far for 19 hours", hours(19, 1.2), 1.44, 19, true},
	} {
		bars := ranged(hour0, 50, usual, row.other)
		answers := map[int64]told{hour0: {}}
		answers[hour0].add(&Case{Asset: "A", Variance: usualVariance(usual)})
		end := hour0 + 1 + int64(max(1, len(row.other)))
		v := watch(answers, end, func(string) []marketcache.Bar { return bars })
		if v.Raised != row.raised || math.Abs(v.Ratio-row.ratio) > 1e-9 || v.Hours != row.hours {
			t.Errorf("%s: %+v", row.what, v)
		}
		if v := watch(answers, hour0+26, func(string) []marketcache.Bar { return bars }); v.P != 1 || v.Hours != 0 {
			t.Errorf("%s, when the day is over: %+v", row.what, v)
		}
	}
}

// What an answer tells replaces what an earlier one told of the same market, and of no other.
func TestTheNewestAnswerCounts(t *testing.T) {
	answers := map[int64]told{hour0: {}, hour0 + 2: {}}
	for asset, hours := range map[string]map[int64]float64{
		"A": {hour0: 0.02 / math.Sqrt2, hour0 + 2: 0.02}, "B": {hour0: 0.02},
	} {
		for hour, move := range hours {
			answers[hour].add(&Case{Asset: asset, Variance: usualVariance(move)})
		}
	}
	bars := func(string) []marketcache.Bar { return ranged(hour0, 9, 0.02, nil) }
	for end, want := range map[int64]Volatility{
		hour0 + 3: {Hours: 2, Ratio: 1.5, P: 1},     // A moves further than told: (2+1)/2
		hour0 + 6: {Hours: 5, Ratio: 6.0 / 5, P: 1}, // then as told anew
	} {
		v := watch(answers, end, bars)
		if v.P = math.Round(v.P); math.Abs(v.Ratio-want.Ratio) > 1e-9 || v.Hours != want.Hours || v.P != want.P {
			t.Errorf("%+v, want %+v", v, want)
		}
	}
}

// An hour's factor is a mean over markets; answers without a variance and markets without a bar are left out.
func TestFactor(t *testing.T) {
	answers := told{}
	for _, c := range []Case{
		{Asset: "A", Variance: 0.5 * usualVariance(0.01)},
		{Asset: "A", Variance: 1.5 * usualVariance(0.01)},
		{Asset: "B", Variance: usualVariance(0.01) / 2},
		{Asset: "no bars", Variance: 1},
		{Asset: "no variance", VaR99: 1},
	} {
		answers.add(&c)
	}
	if len(answers) != 3 {
		t.Errorf("%d assets", len(answers))
	}
	bars := func(asset string) []marketcache.Bar {
		if len(asset) > 1 {
			return nil
		}
		return ranged(hour0, 2, 0.01, nil)
	}
	for hour, want := range map[int64]float64{hour0: 1.5, hour0 + 1: 1.5, hour0 + 2: 1, hour0 - 1: 1} {
		if x := answers.factor(hour, bars); math.Abs(x-want) > 1e-9 {
			t.Errorf("hour %d: %g, want %g", hour-hour0, x, want)
		}
	}
}

// What breaks a promise, and what does not however large the share.
func TestWhatBreaksAPromise(t *testing.T) {
	for _, row := range []struct {
		what       string
		liquidated func(hour int64) int // of 100 positions with a promise of 4
		raised     bool
	}{
		{"nothing happened", func(int64) int { return 0 }, false},
		{"as promised", func(int64) int { return 4 }, false},
		{"a crash: everything asked about within a day", func(hour int64) int {
			if hour >= 300 && hour < 324 {
				return 100
			}
			return 0
		}, false},
		{"four times as many in every hour", func(int64) int { return 16 }, true},
		{"four times as many, in every other hour", func(hour int64) int { return int(hour%2) * 32 }, true},
		{"twice as many, in every other hour", func(hour int64) int { return int(hour%2) * 16 }, false},
	} {
		hours := map[int64]promises{}
		for hour := range int64(KeptHours) {
			var p promises
			p[1].Count, p[1].Liquidated, p[1].Promised = 100, row.liquidated(hour), 4
			hours[hour0+hour] = p
		}
		list := judge(hours, hour0+KeptHours)
		if v := list[1]; v.Raised != row.raised || v.Count != 100*KeptHours || v.P <= 0 {
			t.Errorf("%s: %+v", row.what, v)
		}
		if v := list[0]; v != (Verdict{P: 1}) {
			t.Errorf("%s: the other band: %+v", row.what, v)
		}
	}
}

// What an earlier version kept of an hour counts as nothing, and does not hold up the closing.
func TestHoursOfAnEarlierVersion(t *testing.T) {
	p, err := decodePromises(`[{"b":0,"a":"BTC","n":3,"p":0.1,"h":{"490000":1}},{"b":1,"a":"ETH","s":true,"n":1,"p":0.2},
		{"b":1,"a":"SOL","n":1,"p":0.2}]`)
	if err != nil || p != (promises{}) {
		t.Errorf("%+v, %v", p, err)
	}
}

// The alarm rings within a day when prices move twice as far, although the fits learn, and although the service was
// started anew meanwhile: what it needs is in the records.
func TestCloserRings(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	w := walk{seed: 101, assets: 16, doubled: true, before: 26, hours: 48}
	w.run(t)
	list, _ := w.rings()
	if len(list) == 0 || list[0] < 1 || list[0] > 24 {
		t.Fatalf("rings after %d hours", list)
	}
	want := list[0]
	var answers decided
	for hour, told := range w.told {
		for asset, v := range told {
			d := long(time.UnixMilli(hour * hourMs).Add(time.Minute))
			d.Asset, d.Variance, d.Liquidation = asset, of(v.sum), nil
			answers = append(answers, d)
		}
	}
	db, err := store.OpenMain(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	nowMs := start.Add(-2 * time.Hour).UnixMilli()
	open := func() *Closer {
		return New(Config{Decisions: answers, Store: db, Log: slog.New(slog.DiscardHandler),
			NowMs: func() int64 { return nowMs },
			Bars: func(asset string) (closed []marketcache.Bar) {
				for _, b := range w.bars[asset] {
					if b.OpenMs+hourMs <= nowMs {
						closed = append(closed, b)
					}
				}
				return closed
			}})
	}
	c := open()
	for hour := int64(-2); hour <= want; hour++ {
		if hour == want-1 {
			c = open()
		}
		nowMs = (hour0+hour)*hourMs + grace.Milliseconds()
		if err := c.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if v := c.State().Alarm.Volatility; v.Raised != (hour == want) {
			t.Errorf("%d hours after the start: %+v", hour, v)
		}
	}
}

// The alarm does not ring in a month in which prices move as the fits know.
func TestAlarmIsSilent(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	w := walk{seed: 201, assets: 16, hours: 30 * 24, leverages: leverages, every: 24}
	w.run(t)
	if list, alarms := w.rings(); len(list) > 0 {
		t.Errorf("rings at the hours %d: %+v", list, alarms)
	}
	var all promises
	for _, p := range w.promises {
		all.merge(&p)
	}
	for band := range all {
		if b := &all[band]; b.Count < 500 || b.Promised == 0 {
			t.Errorf("%s: %+v", Bands[band], b)
		}
	}
}
