package risk

import (
	"crypto/sha256"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"ballast/compute/calib"
	"ballast/compute/copula"
	"ballast/compute/joint"
	"ballast/compute/vol"
	mc "ballast/marketcache"
)

// The market of these tests is synthetic. Its figures are round, so that expected values can be
// computed by hand.

const (
	testMark    = 60000.0
	testBars    = 9000
	testWallMs  = 1_770_000_000_000
	testHour    = testWallMs / 3_600_000
	testTaker   = 4.5e-4
	testFunding = 1.25e-5
)

// testAsset returns a listed asset of the main dex with two margin tiers: 40x, and 20x from 150 M
// USD.
func testAsset(id mc.AssetID, name string) *mc.Asset {
	return &mc.Asset{
		ID: id, Name: name, SizeDigits: 5, MaxLeverage: 40, FeeMultiplier: 1,
		Tiers: mc.NewTiers([]float64{0, 150e6}, []float64{40, 20}),
	}
}

// testBook returns a book symmetric about mid: 20 levels per side, 1 bp apart, each worth usd at
// mid.
func testBook(mid, usd float64) *mc.Book {
	var bids, asks []mc.Level
	for i := range 20 {
		step := mid * float64(i+1) * 1e-4
		bids = append(bids, mc.Level{Price: mid - step, Units: usd / mid})
		asks = append(asks, mc.Level{Price: mid + step, Units: usd / mid})
	}
	return mc.MergeBooks([][]mc.Level{bids}, [][]mc.Level{asks}, testWallMs)
}

// testModel returns a fit with 2.5 % volatility per day, the same for both sides, and outcomes
// drawn from the seed.
func testModel(id mc.AssetID, name string, seed uint64) *mc.AssetModel {
	m := &mc.AssetModel{
		Asset: id, Name: name, Bars: testBars, LastClose: testMark,
		FirstHour: testHour - testBars, LastHour: testHour - 1,
		E: [4]float64{2.6e-5, 2.6e-5, 2.6e-5, 2.6e-5}, LongRunVariance: 2.6e-5,
		Kappa2: [4]float64{1, 1, 1, 1}, VolRegime: mc.VolatilityNormal,
		RegimeProb: [3]float64{1, 0, 0}, RegimeConfidence: 1,
		VolumeUSD7d: 7e9, VolumeUSD30d: 1e9, Digest: sha256.Sum256([]byte(name)),
	}
	pct := [mc.HorizonCount][mc.LevelCount][2]float64{ // VaR, ES
		mc.H1: {{0.8, 1.2}, {1.4, 2.0}}, mc.H4: {{1.7, 2.6}, {3.1, 4.2}},
		mc.H24: {{4.0, 5.6}, {6.2, 8.0}}, mc.H168: {{9.5, 13}, {15, 19}},
	}
	for h, hours := range mc.Horizons {
		m.Variance[h] = 0.025 * 0.025 * float64(hours) / 24
		m.AverageVariance[h] = m.Variance[h]
		m.Outcomes[h] = 8761
		for side := range mc.SideCount {
			for level, p := range pct[h] {
				m.Tail[h][side][level] = mc.TailQuantile{PctVaR: p[0], PctES: p[1]}
			}
		}
	}
	for i := range m.HourFactors {
		m.HourFactors[i] = 1
	}
	series := seriesOf(seed)
	m.Z24 = mc.HourlySeries{FirstHour: testHour - 8761, Values: series.outcomes[:8761]}
	m.U1 = mc.HourlySeries{FirstHour: testHour - 2160, Values: series.outcomes[8761:]}
	m.Z24Sorted, m.Innovations = series.sorted, series.innovations
	m.K2Hourly, m.RangeToReturn, m.MomentMatch = 1, 1, 1
	m.HasExtreme = true
	for side := range m.Extreme {
		m.Extreme[side] = mc.ExtremeTail{U: 1.6, Beta: 0.7, Xi: 0.15, XiRaw: 0.15, N: 8761}
	}
	m.Drawdown = mc.DrawdownStats{
		Known: true, MaxPct: 30, CurrentPct: 10, PeakClose: 1.5 * testMark, TroughClose: 1.05 * testMark,
		DurationHours: 100,
		Calmar:        1, ATR: testMark / 50,
	}
	m.Daily = &mc.HourlySeries{FirstHour: testHour - 2160, Values: series.outcomes[8761:]}
	m.Excursions = pooledExcursions()
	m.Low24 = mc.HourlySeries{FirstHour: m.Z24.FirstHour, Values: series.low}
	m.High24 = mc.HourlySeries{FirstHour: m.Z24.FirstHour, Values: series.high}
	m.LogClose = mc.HourlySeries{FirstHour: m.Z24.FirstHour, Values: series.logClose}
	m.DaySD = mc.HourlySeries{FirstHour: m.Z24.FirstHour, Values: series.daySD}
	return m
}

// pooledExcursions returns the knots of an asset without own outcomes.
func pooledExcursions() (e [mc.ExcursionHorizons][mc.SideCount]mc.Excursions) {
	for h := range e {
		for side := range e[h] {
			e[h][side] = vol.PooledExcursions[h][side]
		}
	}
	return e
}

// testSeries are the numbers that a seed gives, made once and shared: callers must not modify them.
type testSeries struct {
	outcomes        []float64 // normal numbers
	sorted          []float64 // those of the past year
	innovations     []float64 // the first thousand, sorted
	low, high       []float64 // adverse excursions: half a standard deviation further than the outcome itself
	logClose, daySD []float64 // of a random walk of 2.5 % a day, for the recorded paths
}

var seriesBySeed = map[uint64]*testSeries{}

func seriesOf(seed uint64) *testSeries {
	if seriesBySeed[seed] != nil {
		return seriesBySeed[seed]
	}
	s := &testSeries{outcomes: make([]float64, 8761+2160), logClose: make([]float64, 8761+24)}
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range s.outcomes {
		s.outcomes[i] = r.NormFloat64()
	}
	for _, z := range s.outcomes[:8761] {
		s.low, s.high = append(s.low, max(0, 0.5-z)), append(s.high, max(0, 0.5+z))
	}
	s.sorted = slices.Sorted(slices.Values(s.outcomes[:8761]))
	s.innovations = slices.Sorted(slices.Values(s.outcomes[:1000]))
	r = rand.New(rand.NewPCG(seed, 2))
	for i := range s.logClose[1:] {
		s.logClose[i+1] = s.logClose[i] + 0.025/math.Sqrt(24)*r.NormFloat64()
	}
	s.daySD = slices.Repeat([]float64{0.025}, 8761)
	seriesBySeed[seed] = s
	return s
}

// testInput returns a snapshot of an asset with complete, consistent data.
func testInput(id mc.AssetID, name string, mark float64) AssetInput {
	return AssetInput{Model: testModel(id, name, uint64(id)+1), Market: mc.Market{
		Asset: testAsset(id, name),
		Book:  testBook(mark, 1e6),
		Context: &mc.Context{
			MarkPrice: mark, OraclePrice: mark, MidPrice: mark, FundingRateHourly: testFunding, HasFunding: true,
			OpenInterestUnits: 1e9 / mark, DayVolumeUSD: 1e9, PrevDayPrice: mark,
		},
		Funding: &mc.FundingStats{Rows: 720, MeanHourly168: testFunding, MedianHourly720: testFunding,
			MADHourly720: 1e-5},
		CEX:      &mc.CEXFunding{RateHourly: testFunding, Venues: 2},
		Interest: &mc.OpenInterestStats{MaxUSD180d: 4e9, Days: 180},
		Samples: &mc.SampleStats{N: 1440, SpreadBpsMedian: 2, SpreadBps95: 3, SpreadBps99: 4,
			Depth50BpsUSDMedian: 4e7},
	}}
}

// holding returns a position valued at its mark.
func holding(id mc.AssetID, name string, units, mark, leverage float64) mc.Position {
	return mc.Position{
		Asset: id, Name: name, Units: units, EntryPrice: mark, ValueUSD: math.Abs(units) * mark,
		Leverage: leverage, MaxLeverage: 40,
	}
}

// isolatedAt returns the position in isolated mode with the given equity at its mark.
func isolatedAt(p mc.Position, equity float64) mc.Position {
	p.Isolated = true
	p.RawUSD = equity - math.Copysign(p.ValueUSD, p.Units)
	return p
}

// situation is a snapshot under construction. The target asset has id 0 and is named "BTC".
type situation struct {
	in Input
}

// newSituation returns a wallet of the given equity with a trade in BTC.
func newSituation(equity float64, action Action, sizeUSD float64) *situation {
	return &situation{Input{
		Trade: Trade{Asset: 0, Action: action, SizeUSD: sizeUSD, Leverage: 10},
		Account: &mc.Account{
			Mode: mc.ModeDisabled, CrossAccountValueUSD: equity, TakerRate: testTaker,
			Settings: []mc.LeverageSetting{{Asset: 0}}, // read: the wallet has set nothing
		},
		Target: testInput(0, "BTC", testMark),
	}}
}

// holds adds a position and its asset's snapshot.
func (s *situation) holds(p mc.Position) *situation {
	s.in.Account.Positions = append(s.in.Account.Positions, p)
	a := s.in.Target
	if p.Asset != 0 {
		a = testInput(p.Asset, p.Name, p.ValueUSD/math.Abs(p.Units))
	}
	s.in.Held = append(s.in.Held, a)
	return s
}

// assess runs the engine and checks the invariants of every answer.
func (s *situation) assess(t testing.TB) *Assessment {
	t.Helper()
	e, scratch := NewEngine(DefaultAges()), NewScratch(4)
	return assessWith(t, e, scratch, &s.in)
}

func assessWith(t testing.TB, e *Engine, scratch *Scratch, in *Input) *Assessment {
	t.Helper()
	scratch.In = *in
	if in.Rows == nil && in.Target.Market.Asset.Name == "BTC" {
		scratch.In.Rows = in.Target.Model
	}
	tie(&scratch.In)
	e.Assess(scratch)
	return &scratch.Out
}

// tie completes a snapshot that was built by hand with the data that is published with fits:
// alignment, correlations and hashes.
func tie(in *Input) {
	fits := []*mc.AssetModel{in.Target.Model}
	for i := range in.Held {
		if m := in.Held[i].Model; !slices.Contains(fits, m) {
			fits = append(fits, m)
		}
	}
	for _, m := range fits {
		calib.Derive(m)
		m.Joint = joint.Align(in.Rows, m)
	}
	in.Correlations = joint.Sums(fits)
}

// testNames returns n tickers.
func testNames(n int) []string {
	names := []string{"BTC", "ETH"}
	for i := len(names); i < n; i++ {
		names = append(names, "A"+string(rune('0'+i/100))+string(rune('0'+i/10%10))+string(rune('0'+i%10)))
	}
	return names[:n]
}

// testCache returns a cache that holds n assets with complete data, and the instant at which the
// data is current.
func testCache(t testing.TB, n int) (*mc.Cache, mc.Instant) {
	t.Helper()
	c := mc.New(mc.Limits{Assets: n, Bars: 16, Rows: 16, Samples: 16, Wallets: 16})
	now := mc.Now()
	names := testNames(n)
	assets := make([]*mc.Asset, n)
	fits := make([]*mc.AssetModel, n)
	for i, name := range names {
		assets[i] = testAsset(mc.AssetID(i), name)
	}
	if !c.SetUniverse(mc.NewUniverse(assets)) {
		t.Fatal("universe does not fit")
	}
	for i, name := range names {
		id := mc.AssetID(i)
		a := testInput(id, name, testMark/float64(i+1))
		c.Books(id).Publish(a.Market.Book, now)
		c.Contexts(id).Publish(*a.Market.Context, now)
		c.CEX(id).Publish(*a.Market.CEX, now)
		c.SetFunding(id, a.Market.Funding)
		c.SetInterest(id, a.Market.Interest)
		c.SetSampleStats(id, a.Market.Samples)
		c.Caps(id).Publish(mc.Cap{}, now)
		c.AppendBars(id, nil, testWallMs-60_000)
		fits[i] = a.Model
	}
	publish(c, fits)
	return c, now
}

// desk assesses trades against a cache.
type desk struct {
	cache *mc.Cache
	now   mc.Instant
	e     *Engine
	s     *Scratch
}

// newDesk returns a desk with n assets.
func newDesk(t testing.TB, n int) *desk {
	t.Helper()
	cache, now := testCache(t, n)
	return &desk{cache, now, NewEngine(DefaultAges()), NewScratch(n)}
}

// refuse fails the test when there is no snapshot.
func refuse(t testing.TB, missing Unavailable) {
	t.Helper()
	if missing != (Unavailable{}) {
		t.Fatalf("no snapshot: %+v", missing)
	}
}

// assess assesses a trade of a wallet.
func (d *desk) assess(t testing.TB, owner *mc.Account, trade Trade) *Assessment {
	t.Helper()
	refuse(t, d.e.Fill(&d.s.In, d.cache, &trade, owner, 0, d.now, testWallMs))
	d.e.Assess(d.s)
	return &d.s.Out
}

// assessHeld assesses a wallet's position in an asset.
func (d *desk) assessHeld(t testing.TB, owner *mc.Account, id mc.AssetID) *Assessment {
	t.Helper()
	refuse(t, d.e.Fill(&d.s.In, d.cache, &Trade{Asset: id}, owner, 0, d.now, testWallMs))
	d.s.In.AsHeld = true
	d.e.Assess(d.s)
	return &d.s.Out
}

// monitor reports on a wallet.
func (d *desk) monitor(t testing.TB, owner *mc.Account) (r WalletReport) {
	t.Helper()
	refuse(t, d.e.FillWallet(&d.s.In, d.cache, owner, 0, d.now, testWallMs))
	d.e.Monitor(d.s, &r, DefaultTarget)
	return r
}

func (d *desk) batch(owner *mc.Account) *Batch {
	return d.e.NewBatch(d.cache, owner, 0, d.now, testWallMs)
}

// fillBatch takes the snapshot of the next trade of a batch.
func (d *desk) fillBatch(t testing.TB, b *Batch, trade Trade) {
	t.Helper()
	refuse(t, b.Fill(&d.s.In, &trade))
}

// next assesses the next trade of a batch, which is not yet applied.
func (d *desk) next(t testing.TB, b *Batch, trade Trade) *Assessment {
	t.Helper()
	d.fillBatch(t, b, trade)
	d.e.Assess(d.s)
	return &d.s.Out
}

// fitPairs fits the tail dependence of all pairs of assets of a snapshot.
func fitPairs(in *Input) {
	var ids []mc.AssetID
	var fits []*mc.AssetModel
	add := func(m *mc.AssetModel) {
		if !slices.Contains(ids, m.Asset) {
			ids, fits = append(ids, m.Asset), append(fits, m)
		}
	}
	add(in.Target.Model)
	for i := range in.Held {
		add(in.Held[i].Model)
	}
	var pairs []mc.TailPair
	fitter := copula.NewFitter()
	for i := range fits {
		for j := range i {
			pairs = append(pairs, copula.FitModels(fitter, fits[i], fits[j]))
		}
	}
	in.Pairs = mc.NewPairTable(ids, pairs)
}

// publish publishes fits that were built by hand as the model of a cache.
func publish(c *mc.Cache, fits []*mc.AssetModel) {
	for _, m := range fits {
		if m != nil {
			calib.Derive(m)
		}
	}
	c.SetModel(calib.Publish(fits, 0))
}

// unknownModel returns the fit used for an asset without data.
func unknownModel() *mc.AssetModel {
	m := testModel(mc.NoAsset, "", 99)
	m.Bars, m.FirstHour, m.LastHour = 0, 0, 0
	m.Z24, m.U1, m.Z24Sorted, m.Innovations, m.Daily = mc.HourlySeries{}, mc.HourlySeries{}, nil, nil, nil
	m.Low24, m.High24 = mc.HourlySeries{}, mc.HourlySeries{}
	m.HasExtreme, m.Drawdown = false, mc.DrawdownStats{}
	m.VolumeUSD7d, m.VolumeUSD30d = 0, 0
	return m
}

// testWallet returns an account with a position of 1,000 USD in each of the n assets after the target.
func testWallet(n int) *mc.Account {
	names := testNames(n + 1)
	a := &mc.Account{Mode: mc.ModeDisabled, CrossAccountValueUSD: 50_000, TakerRate: testTaker}
	for i := 1; i <= n; i++ {
		mark := testMark / float64(i+1)
		units := 1000 / mark
		if i%3 == 0 {
			units = -units
		}
		a.Positions = append(a.Positions, holding(mc.AssetID(i), names[i], units, mark, 10))
	}
	return a
}

// lastSimulation returns the memory of the only simulation that an engine has run.
func lastSimulation(e *Engine) (used *simulation) {
	for range cap(e.simulations) {
		sim := <-e.simulations
		if sim != nil {
			used = sim
		}
		e.simulations <- sim
	}
	return used
}

// viewOf returns the market view that the blocks get from a snapshot.
func viewOf(in *AssetInput) (mk marketView) {
	mk.read(in)
	return mk
}

// filledOf returns the cross pool after a fill.
func filledOf(p *tradePlan, acct *account, fillPrice, takerRate float64) (after poolAfterFill) {
	p.fill(&after, acct, fillPrice, takerRate)
	return after
}

// planOf returns the plan of a request.
func planOf(tr *Trade, asHeld bool, owner *mc.Account, acct *account, mk *marketView) (t tradePlan) {
	t.resolve(tr, asHeld, owner, acct, mk)
	return t
}

// sameAnswer reports whether two answers are equal in every figure; what is not known equals itself.
func sameAnswer(a, b *Assessment) bool {
	x, y := *a, *b
	for _, z := range []*Assessment{&x, &y} {
		figures := []*float64{&z.Margin.Move.DownPct, &z.Margin.Move.UpPct}
		for i := range z.Admissibility.Issues {
			figures = append(figures, &z.Admissibility.Issues[i].FixDepositProbability24h)
		}
		for _, f := range figures {
			if math.IsNaN(*f) {
				*f = math.MaxFloat64
			}
		}
	}
	return reflect.DeepEqual(x, y)
}
