package risk

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ballast/compute/calib"
	"ballast/compute/joint"
	mc "ballast/marketcache"
)

var fits int // number of fits made so far, to give each its own id

// fit returns a model with volatility sigma over 24 h, outcomes z from hour first on, and a 99 % loss of
// 2.3 times sigma on both sides.
func fit(sigma float64, first int64, z ...float64) *mc.AssetModel {
	fits++
	m := &mc.AssetModel{Asset: mc.AssetID(fits % 1000), Z24: mc.HourlySeries{FirstHour: first, Values: z}}
	m.Kappa2[mc.H24] = 1
	m.Variance[mc.H24] = sigma * sigma
	for side := range m.Tail[mc.H24] {
		m.Tail[mc.H24][side][mc.P99].PctVaR = 230 * sigma
	}
	return m
}

// fitMoves returns a model of an asset: moves are the fractions by which its price moved, hour by hour from hour
// 100 on; long and short are the 99 % losses of a position on either side, percent.
func fitMoves(long, short float64, moves ...float64) *mc.AssetModel {
	m := fit(0.02, 100, make([]float64, len(moves))...)
	for i, x := range moves {
		m.Z24.Values[i] = math.Log1p(x) / 0.02
	}
	m.Tail[mc.H24][mc.Long][mc.P99].PctVaR, m.Tail[mc.H24][mc.Short][mc.P99].PctVaR = long, short
	return m
}

// bookOf returns the portfolio of positions with the given notionals, with its joint loss computed.
func bookOf(rows *mc.AssetModel, notional []float64, fits ...*mc.AssetModel) (*Scratch, *portfolio) {
	s := NewScratch(len(fits))
	s.In.Rows, s.account.target = rows, -1
	for i, f := range fits {
		f.Joint = joint.Align(rows, f)
		calib.Derive(f)
		s.account.positions = append(s.account.positions, position{units: notional[i], mark: 1, leverage: 1,
			tiers: tiersOf(&mc.Position{}, &AssetInput{}), in: &AssetInput{Model: f}})
	}
	var none position
	s.account.pools = []marginPool{{position: -1}}
	s.view.plan = tradePlan{kind: held, index: -1}
	s.sumReplay(&s.view.plan)
	s.listLegs(&s.portfolio, &none)
	s.portfolio.var99, s.portfolio.es99 = s.portfolioLoss(&none)
	s.correlate(&s.portfolio)
	return s, &s.portfolio
}

// jointOf returns the joint VaR in USD of positions with the given notionals.
func jointOf(rows *mc.AssetModel, notional []float64, fits ...*mc.AssetModel) float64 {
	if rows != nil {
		rows.Joint = joint.Align(rows, rows)
	}
	_, b := bookOf(rows, notional, fits...)
	if b.es99 < b.var99 {
		panic("expected shortfall below value at risk")
	}
	return b.var99
}

// Five hours computed by hand. The type-7 quantile at 99 % of five losses is the largest loss less
// 4 % of its distance to the second largest.
func TestJointVaRByHand(t *testing.T) {
	btc := fitMoves(3.92, 5.84, -0.04, -0.02, 0, 0.02, 0.06)
	eth := fitMoves(11.68, 7.84, -0.12, 0, 0.04, -0.04, 0.08)
	rows := []struct {
		name     string
		notional []float64
		fits     []*mc.AssetModel
		want     float64
	}{
		// Losses 400, 200, 0, -200, -600.
		{"one long", []float64{10_000}, []*mc.AssetModel{btc}, 400 - 0.04*200},
		// Losses -400, -200, 0, 200, 600.
		{"one short", []float64{-10_000}, []*mc.AssetModel{btc}, 600 - 0.04*400},
		// ETH at 5,000: 600, 0, -200, 200, -400. Together with BTC: 1000, 200, -200, 0, -1000.
		{"two longs", []float64{10_000, 5_000}, []*mc.AssetModel{btc, eth}, 1000 - 0.04*800},
		// BTC minus ETH: -200, 200, 200, -400, -200.
		{"long and short", []float64{10_000, -5_000}, []*mc.AssetModel{btc, eth}, 200},
		{"a perfect hedge", []float64{10_000, -10_000}, []*mc.AssetModel{btc, btc}, 0},
		{"two legs of one asset", []float64{10_000, -15_000}, []*mc.AssetModel{btc, btc}, 0.0584 * 5_000},
		{"a hedge of the same risk", []float64{10_000, -5_000},
			[]*mc.AssetModel{btc, fitMoves(7.84, 11.68, -0.08, -0.04, 0,
				0.04, 0.12)}, 0},
		// The rows are scaled to the position's own loss, by a tenth to ten times.
		{"a larger loss of its own", []float64{10_000}, []*mc.AssetModel{fitMoves(6, 0, -0.04, -0.02, 0, 0.02, 0.06)},
			600},
		{"of one in two", []float64{10_000, 5_000}, []*mc.AssetModel{btc, fitMoves(23.36, 0, -0.12, 0, 0.04, -0.04,
			0.08)},
			1600 - 0.04*1400},
		{"at most ten times", []float64{10_000}, []*mc.AssetModel{fitMoves(50, 0, -0.04, -0.02, 0, 0.02, 0.06)}, 3920},
		{"at least a tenth", []float64{10_000}, []*mc.AssetModel{fitMoves(0.1, 0, -0.04, -0.02, 0, 0.02, 0.06)}, 39.2},
		// Losses -50000, 0, 0, 0, 0: a price rises at most fivefold.
		{"a rise", []float64{-10_000}, []*mc.AssetModel{fitMoves(0, 480, 9, 0, 0, 0, 0)}, 48_000},
		{"nothing", nil, nil, 0},
	}
	for _, r := range rows {
		about(t, r.name, jointOf(btc, r.notional, r.fits...), r.want, 1e-9)
	}
	t.Run("losses only", func(t *testing.T) {
		about(t, "gain every hour", jointOf(btc, []float64{1000}, fit(0.02, 100, 1, 2, 1, 2, 1)), 0, 0)
	})
}

// For hours that an asset lacks, its outcome is 0.6 times BTC's outcome plus 0.8 times one of the
// asset's own outcomes, or of a table when it has none.
func TestJointVaRMissingOutcomes(t *testing.T) {
	btc := fit(0.02, 100, -2, -1, 0, 1, 3)
	for name, f := range map[string]*mc.AssetModel{
		"two hours only": fit(0.04, 103, 5, 7), "ends early": fit(0.04, 98, 1, 2, 3), "lies before": fit(0.04, 10, 1,
			2, 3),
		"lies after": fit(0.04, 900, 1, 2, 3), "longer": fit(0.04, 90, make([]float64, 40)...), "none": fit(0.04, 0),
	} {
		var moves []float64
		for i, b := range btc.Z24.Values {
			hour := int64(100 + i)
			z, ok := f.Z24.At(hour)
			switch own := f.Z24.Values; {
			case ok:
			case len(own) > 0:
				z = 0.6*b + 0.8*own[hour*7919%int64(len(own))]
			default:
				z = 0.6*b + 0.8*plainT4((float64(hour*7919%1009)+0.5)/1009)/math.Sqrt2
			}
			moves = append(moves, math.Expm1(0.04*z))
		}
		slices.Sort(moves)
		// Long: its own loss of 9.2 % stands for the quantile, within ten times and a tenth.
		q := -(moves[0] + 0.04*(moves[1]-moves[0]))
		c := 1.0
		if q > 0 {
			c = min(max(0.092/q, 0.1), 10)
		}
		about(t, name, jointOf(btc, []float64{1000}, f), max(0, 1000*c*q), 1e-9)
	}
}

// Without any hour to replay, the joint loss is the sum of the stand-alone losses.
func TestJointVaRWithoutRows(t *testing.T) {
	f := testModel(0, "BTC", 1)
	for _, rows := range []*mc.AssetModel{nil, fit(0.02, 0)} {
		about(t, "sum", jointOf(rows, []float64{1000, -2000}, f, f), 62+124, 1e-9)
	}
}

// Only the newest 8,761 hours of BTC are replayed.
func TestJointVaRRowLimit(t *testing.T) {
	z := make([]float64, joint.Rows+500)
	for i := range 500 {
		z[i] = -99
	}
	long := fit(0.01, 1000, z...)
	about(t, "VaR", jointOf(long, []float64{1000}, long), 0, 0)
}

// The joint replay against a plain loop, with random histories.
func TestJointVaRAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		series := func(n int) []float64 {
			z := make([]float64, n)
			for i := range z {
				z[i] = r.NormFloat64()
			}
			return z
		}
		btc := fit(0.02, 5000, series(rapid.IntRange(1, 400).Draw(t, "rows"))...)
		n := rapid.IntRange(1, 6).Draw(t, "positions")
		notional := make([]float64, n)
		fits := make([]*mc.AssetModel, n)
		for i := range fits {
			notional[i] = 1000 * r.NormFloat64()
			fits[i] = fit(0.01+r.Float64()/10, 5000+int64(r.IntN(300)-150), series(r.IntN(300))...)
		}
		legs := make([]plainLeg, n)
		for i, f := range fits {
			legs[i] = plainLeg{in: &AssetInput{Model: f}, units: notional[i], mark: 1}
		}
		want, _ := plainVaR(btc, legs)
		if got := jointOf(btc, notional, fits...); math.Abs(got-want) > 1e-9*max(1, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// naiveCorrelation returns the sample correlation.
func naiveCorrelation(x, y []float64) float64 {
	n := float64(len(x))
	var mx, my, xx, yy, xy float64
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	for i := range x {
		xx, yy, xy = xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my), xy+(x[i]-mx)*(y[i]-my)
	}
	return xy / math.Sqrt(xx*yy)
}

// naiveLedoitWolf shrinks the correlation matrix S of unit-variance series towards the identity. It is
// written from the paper: the intensity is the mean squared distance between the outer products of
// the rows and S, divided by n and by the squared distance between S and mu*I.
func naiveLedoitWolf(series [][]float64) []float64 {
	k, n := len(series), len(series[0])
	s := make([]float64, k*k)
	for i := range k {
		for j := range k {
			s[i*k+j] = naiveCorrelation(series[i], series[j])
		}
	}
	unit := make([][]float64, k)
	for i, x := range series {
		m, v := 0.0, 0.0
		for _, a := range x {
			m += a / float64(n)
		}
		for _, a := range x {
			v += (a - m) * (a - m) / float64(n)
		}
		for _, a := range x {
			unit[i] = append(unit[i], (a-m)/math.Sqrt(v))
		}
	}
	d2, b2 := 0.0, 0.0
	for i := range k {
		for j := range k {
			target := 0.0
			if i == j {
				target = 1
			}
			d2 += (s[i*k+j] - target) * (s[i*k+j] - target)
			for r := range n {
				e := unit[i][r]*unit[j][r] - s[i*k+j]
				b2 += e * e / float64(n) / float64(n)
			}
		}
	}
	shrink := 0.0
	if d2 > 0 {
		shrink = min(b2, d2) / d2
	}
	for i := range k {
		for j := range k {
			if i != j {
				s[i*k+j] *= 1 - shrink
			}
		}
	}
	return s
}

func TestCorrelationsAgainstNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const hours = 500
	common := make([]float64, hours)
	for i := range common {
		common[i] = r.NormFloat64()
	}
	model := func(first int64, beta float64, n int) *mc.AssetModel {
		m := &mc.AssetModel{U1: mc.HourlySeries{FirstHour: first}}
		for i := range n {
			m.U1.Values = append(m.U1.Values, beta*common[int(first-1000)+i]+r.NormFloat64())
		}
		return m
	}
	// Hours 1000-1499, 1100-1499 and 1000-1399 have 1100-1399 in common; the last asset's history
	// is too short.
	fits := []*mc.AssetModel{model(1000, 1, 500), model(1100, 2, 400), model(1000, 0.5, 400), model(1300, 1, 100)}
	got := joint.Correlations(fits)
	want := naiveLedoitWolf([][]float64{fits[0].U1.Values[100:400], fits[1].U1.Values[:300],
		fits[2].U1.Values[100:400]})
	for i := range 4 {
		for j := range 4 {
			w := 0.6
			switch {
			case i == j:
				w = 1
			case i < 3 && j < 3:
				w = want[i*3+j]
			}
			about(t, "correlation", got[i*4+j], w, 1e-9)
			if got[i*4+j] != got[j*4+i] {
				t.Error("not symmetric")
			}
		}
	}
	t.Run("series that move against each other", func(t *testing.T) {
		a, b := model(1000, 2, 500), model(1000, -2, 500)
		want := naiveLedoitWolf([][]float64{a.U1.Values, b.U1.Values})
		about(t, "correlation", joint.Correlations([]*mc.AssetModel{a, b})[1], want[1], 1e-9)
		if want[1] > -0.7 {
			t.Errorf("correlation %v", want[1])
		}
	})

	t.Run("too few shared hours", func(t *testing.T) {
		m := joint.Correlations([]*mc.AssetModel{model(1000, 1, 260), model(1200, 1, 260)})
		about(t, "correlation", m[1], 0.6, 0)
	})
	t.Run("239 hours are too few, 240 enough", func(t *testing.T) {
		a, b := model(1000, 3, 300), model(1000, 3, 300)
		b.U1.Values = b.U1.Values[:239]
		about(t, "239", joint.Correlations([]*mc.AssetModel{a, b})[1], 0.6, 0)
		b = model(1000, 3, 240)
		if c := joint.Correlations([]*mc.AssetModel{a, b})[1]; c == 0.6 || c < 0.7 {
			t.Errorf("correlation %v", c)
		}
	})
	t.Run("the same series twice is repaired", func(t *testing.T) {
		a := model(1000, 1, 400)
		m := joint.Correlations([]*mc.AssetModel{a, a, a})
		for i := range 9 {
			if m[i] > 1+1e-12 || m[i] < 0.99 {
				t.Errorf("matrix %v", m)
			}
		}
	})
	t.Run("a series that never moves", func(t *testing.T) {
		flat := &mc.AssetModel{U1: mc.HourlySeries{FirstHour: 1000, Values: make([]float64, 400)}}
		m := joint.Correlations([]*mc.AssetModel{model(1000, 1, 400), flat})
		about(t, "correlation", m[1], 0, 1e-12)
	})
	t.Run("nothing known of anything", func(t *testing.T) {
		m := joint.Correlations([]*mc.AssetModel{{}, {}, {}})
		if !slices.Equal(m, []float64{1, 0.6, 0.6, 0.6, 1, 0.6, 0.6, 0.6, 1}) {
			t.Errorf("matrix %v", m)
		}
	})
}

func TestBookAfterTheTrade(t *testing.T) {
	s := newSituation(100_000, ActionLong, 30_000)
	s.holds(holding(1, "ETH", -10, 3_000, 10))                       // -30,000
	s.holds(isolatedAt(holding(0, "BTC", 0.5, testMark, 10), 5_000)) // +30,000, and +60,000 after the trade
	s.holds(holding(2, "SOL", 10, 100, 10))                          // +1,000: less than 5 % of gross
	s.in.Rows = s.in.Target.Model
	e, scratch := NewEngine(DefaultAges()), NewScratch(4)
	a := assessWith(t, e, scratch, &s.in)
	if n := len(scratch.portfolio.legs); n != 3 {
		t.Fatalf("%d positions", n)
	}
	for i, want := range []float64{-30_000, 60_000, 1_000} {
		p := &scratch.portfolio.legs[i]
		about(t, "position", p.units*p.mark, want, 1e-6)
	}
	if !a.Flags.Has(FlagConcentrationRisk) { // 60,000 of 91,000
		t.Errorf("flags %v", raised(&a.Flags))
	}
	// SOL's correlation with BTC does not count, because the position is too small.
	s.in.Held[2].Model = s.in.Target.Model
	if a := assessWith(t, e, scratch, &s.in); a.Flags.Has(FlagCorrelatedExposure) {
		t.Error("a position of 1 % of gross raised correlated_exposure")
	}
	s.in.Held[0].Model = s.in.Target.Model // ETH is correlated with BTC, but the position is short
	if a := assessWith(t, e, scratch, &s.in); a.Flags.Has(FlagCorrelatedExposure) {
		t.Error("a hedge raised correlated_exposure")
	}
	s.in.Account.Positions[0].Units = 10
	if a := assessWith(t, e, scratch, &s.in); !a.Flags.Has(FlagCorrelatedExposure) {
		t.Errorf("flags %v for two positions with equal returns", raised(&a.Flags))
	}
	t.Run("closing leaves the others", func(t *testing.T) {
		s.in.Trade = Trade{Asset: 0, Action: ActionClose, SizeUSD: 1e6}
		assessWith(t, e, scratch, &s.in)
		if n := len(scratch.portfolio.legs); n != 2 {
			t.Errorf("%d positions", n)
		}
	})
}
