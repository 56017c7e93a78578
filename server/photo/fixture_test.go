package photo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"ballast/compute/calib"
	"ballast/compute/copula"
	"ballast/compute/risk"
	mc "ballast/marketcache"
	"ballast/policy"
)

// market is a cache with a handful of assets that are fitted to random walks.
type market struct {
	*rand.Rand
	t      *testing.T
	cache  *mc.Cache
	engine *risk.Engine
	hour   int64
	prices []float64
}

var names = []string{"BTC", "ETH", "SOL", "xyz:GOLD", "NEW", "OLD"}

func newMarket(t *testing.T) *market {
	m := &market{Rand: rand.New(rand.NewPCG(40, 16)), t: t, cache: mc.New(mc.Limits{Assets: 8, Wallets: 8}),
		engine: risk.NewEngine(risk.DefaultAges()), hour: time.Now().UnixMilli() / 3_600_000}
	assets := make([]*mc.Asset, len(names))
	for i, name := range names {
		assets[i] = &mc.Asset{ID: mc.AssetID(i), Name: name, SizeDigits: 4, MaxLeverage: 40, FeeMultiplier: 1,
			Number: int64(i), Delisted: name == "OLD",
			Tiers: mc.NewTiers([]float64{0, 1e6 * float64(i+1)}, []float64{40, 20})}
		m.prices = append(m.prices, []float64{67123.5, 3456.78, 150.25, 2.5, 0.0123, 1}[i])
	}
	assets[3].Dex, assets[3].CapUSD, assets[3].FeeMultiplier = "xyz", 5e7, 2
	m.cache.SetUniverse(mc.NewUniverse(assets))
	m.fit()
	for i := range names {
		id := mc.AssetID(i)
		m.cache.SetFunding(id, &mc.FundingStats{Rows: 720, MeanHourly168: 1e-5, MedianHourly720: 1.1e-5,
			MADHourly720: 3e-6})
		m.cache.SetInterest(id, &mc.OpenInterestStats{MaxUSD180d: 2e9, Maxima: make([]mc.DayMaximum, 180)})
		m.cache.SetSampleStats(id, &mc.SampleStats{N: 1440, SpreadBpsMedian: 2, SpreadBps95: 3, SpreadBps99: 5})
	}
	m.cache.SetRules(&mc.VenueRules{Notice: "maintenance \"soon\"", NoticeRead: mc.Now()})
	return m
}

// fit publishes the fits of another hour, every other time without correlations.
func (m *market) fit() {
	m.hour++
	fits := make([]*mc.AssetModel, len(names))
	for i, bars := range []int{9000, 7000, 3000, 1200, 40, 0} {
		if bars == 0 {
			continue
		}
		id := mc.AssetID(i)
		walk := m.walk(bars, m.prices[i])
		fit, err := calib.Fit(id, names[i], walk)
		if err != nil {
			m.t.Fatal(err)
		}
		fits[i] = fit
		m.cache.ReplaceBars(id, walk[len(walk)-1:], m.hour*3_600_000)
	}
	model := calib.Publish(fits, 0)
	if m.hour%2 == 0 {
		model.Correlations = nil // as before the first complete pass: matrices are then computed from the returns
	}
	m.cache.SetModel(model)
	var pairs []mc.TailPair
	fitter := copula.NewFitter()
	for i := range 4 {
		for j := range i {
			pairs = append(pairs, copula.FitModels(fitter, fits[i], fits[j]))
		}
	}
	m.cache.SetPairs(mc.NewPairTable([]mc.AssetID{0, 1, 2, 3}, pairs))
}

// walk returns the bars of a random walk that ends at a price with the present hour.
func (m *market) walk(n int, price float64) []mc.Bar {
	bars := make([]mc.Bar, n)
	for i := n - 1; i >= 0; i-- {
		open := price * math.Exp(0.006*m.NormFloat64())
		bars[i] = mc.Bar{OpenMs: (m.hour - int64(n-i)) * 3_600_000, Open: open, Close: price,
			High: max(open, price) * (1 + 0.003*m.Float64()), Low: min(open, price) * (1 - 0.003*m.Float64()),
			Volume: 1e6 / price}
		price = open
	}
	return bars
}

// tick publishes prices and books of another moment.
func (m *market) tick() {
	now := mc.Now()
	for i, price := range m.prices {
		id := mc.AssetID(i)
		mark := price * (1 + 0.002*m.NormFloat64())
		m.cache.Contexts(id).Publish(mc.Context{MarkPrice: mark, OraclePrice: mark * 0.9999, MidPrice: mark,
			FundingRateHourly: 1e-5 * m.NormFloat64(), HasFunding: m.IntN(4) > 0, OpenInterestUnits: 1e9 / price,
			DayVolumeUSD: 2e9, PrevDayPrice: price * 0.98}, now)
		sides := [2][]mc.Level{}
		for k := range sides {
			for n := range 1 + m.IntN(20) {
				away := float64(2*k-1) * 1e-4 * float64(n+1)
				sides[k] = append(sides[k], mc.Level{Price: mark * (1 + away), Units: m.ExpFloat64() * 1e5 / mark})
			}
		}
		m.cache.Books(id).Publish(mc.MergeBooks(sides[:1], sides[1:], m.hour*3_600_000), now)
		m.cache.Caps(id).Publish(mc.Cap{Reached: m.IntN(9) == 0}, now)
		m.cache.CEX(id).Publish(mc.CEXFunding{RateHourly: 1e-5, Venues: m.IntN(3)}, now)
	}
}

// account returns a wallet with random positions.
func (m *market) account() *mc.Account {
	a := &mc.Account{Wallet: mc.Wallet{1, byte(m.IntN(4))}, Mode: mc.AccountMode(m.IntN(5)), TakerRate: 4.5e-4,
		MakerRate: 1.5e-4, CrossAccountValueUSD: math.Exp(6 + 6*m.Float64()), Received: mc.Now(),
		Role: []string{"", "user", mc.RoleUnknown}[m.IntN(3)], OrdersIgnored: m.IntN(5) == 0}
	if m.IntN(3) > 0 {
		a.Pools = []mc.Pool{{EquityUSD: a.CrossAccountValueUSD, HeldMostUSD: math.Inf(m.IntN(2))},
			{Dex: "xyz", EquityUSD: 1000 * m.Float64()}}
	}
	for i := range names {
		if m.IntN(2) == 0 {
			continue
		}
		units := m.NormFloat64() * a.CrossAccountValueUSD / m.prices[i]
		p := mc.Position{Asset: mc.AssetID(i), Name: names[i], Units: units, EntryPrice: m.prices[i],
			ValueUSD: math.Abs(units) * m.prices[i], Leverage: float64(1 + m.IntN(20)), MaxLeverage: 40,
			Isolated: m.IntN(3) == 0}
		if i == 3 {
			p.Pool = min(1, len(a.Pools))
		}
		p.MarginUsedUSD = p.ValueUSD / p.Leverage
		if p.Isolated {
			p.RawUSD = p.MarginUsedUSD - units*m.prices[i]
		}
		a.Positions = append(a.Positions, p)
	}
	if len(a.Pools) > 0 {
		a.Share()
	}
	a.Settings = []mc.LeverageSetting{{Asset: mc.AssetID(m.IntN(5)), Leverage: 7, ModeKnown: true, Read: mc.Now()}}
	if m.IntN(2) == 0 {
		a.Orders = &mc.OpenOrders{Read: mc.Now(), Asked: mc.Now()}
		for range m.IntN(8) {
			id := m.IntN(5)
			a.Orders.Orders = append(a.Orders.Orders, mc.OpenOrder{Asset: mc.AssetID(id), Buy: m.IntN(2) == 0,
				Units: 100 / m.prices[id], LimitPrice: m.prices[id] * 0.9, ReduceOnly: m.IntN(2) == 0})
		}
	}
	return a
}

// trade returns a random trade of a wallet.
func (m *market) trade(w mc.Wallet) risk.Trade {
	id := m.IntN(5)
	t := risk.Trade{Wallet: w, Asset: mc.AssetID(id), Action: risk.Action(m.IntN(3)),
		SizeUSD: math.Exp(3 + 9*m.Float64()), Mode: risk.Mode(m.IntN(2)), ModeGiven: m.IntN(2) == 0,
		MonteCarlo: m.IntN(12) == 0}
	if m.IntN(2) == 0 {
		t.Leverage = float64(1 + m.IntN(40))
	}
	if m.IntN(4) == 0 {
		t.SizeCoin = t.SizeUSD / m.prices[id]
	}
	if m.IntN(4) == 0 {
		t.Order = risk.Order{Limit: true, TIF: risk.TIF(m.IntN(3)), Price: m.prices[id] * (1 + 0.01*m.NormFloat64())}
	}
	if m.IntN(5) == 0 && t.Action == risk.ActionLong {
		t.Order.StopLoss, t.Order.TakeProfit = m.prices[id]*0.8, m.prices[id]*1.2
	}
	return t
}

// limits returns what an operator may have set.
func (m *market) limits() (c policy.Case) {
	if m.IntN(2) == 0 {
		return c
	}
	p := &policy.Policy{Revision: 3, Rules: policy.Rules{Denied: []string{"SOL"}, ExpiresAt: m.Int64N(2) * 1e12}}
	p.Rules.SetLimit(policy.MaxOrderUSD, 1000)
	p.Rules.SetLimit(policy.MaxDailyLossPct, 3)
	p.Rules.SetLimit(policy.TradesPerDay, 2)
	now := time.Now().UnixMilli()
	c = policy.Case{Policy: p, Unread: m.IntN(9) == 0, Minute: 1, Today: 3, SinceSame: policy.NoOrders}
	if m.IntN(2) == 0 {
		c.Day = &policy.Day{First: policy.Mark{ValueUSD: 1e5, AtMs: now}, ValueUSD: 9e4, ReadMs: now}
	}
	if m.IntN(4) == 0 {
		c.Switch = &policy.Switch{On: true, Reason: "drill", Since: time.Now(), Who: "op", Revision: 2}
		c.Day = &policy.Day{Halts: []policy.LossHalt{{Rule: policy.MaxDrawdownPct, Limit: 5, Value: 7, AtMs: now}}}
	}
	return c
}

// inputs returns the inputs of an answer about what memory has the snapshot of.
func (m *market) inputs(memory *risk.Scratch) Inputs {
	i := Inputs{Engine: risk.EngineVersion, Constants: risk.ConstantsDigest(), Ages: *m.engine.Ages(), Case: m.limits(),
		Venue: "simulated", Explain: m.IntN(4) == 0, Compact: m.IntN(4) == 0}
	i.Take(&memory.In)
	return i
}

func (m *market) id() []byte { return fmt.Appendf(nil, "%016x", m.Uint64()) }
