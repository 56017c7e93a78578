package risk

import (
	"time"

	"ballast/marketcache"
)

// WalletReport is a wallet as held: every position assessed without a trade, and all of them
// together. The zero value is ready to use; a report may be reused.
type WalletReport struct {
	AccountValueUSD float64 // equity of the cross pool plus equity of isolated positions
	MarginUsedUSD   float64 // initial margin of cross positions plus equity of isolated ones
	Estimated       bool    // the collateral could not be read exactly
	Margin          MarginState
	// HeldUSD to HeldMostUSD is the margin held for resting orders, over all cross pools.
	HeldUSD, HeldMostUSD float64
	Move                 MarketMove
	Pools                []PoolState // empty when fewer than two have a position
	OpenOrders           OpenOrders
	Positions            []HeldPosition
	PortfolioRisk        PortfolioRisk
	PortfolioStress      PortfolioStress // of several cross pools, that of the worst
	// BookVaR99 is the joint 24 h loss at 99 %, USD, also for a single position.
	BookVaR99    float64
	Meta         Meta // of the wallet, without an asset
	ModelVersion ModelVersion
}

// HeldPosition is one open position with its assessment.
type HeldPosition struct {
	Asset            string
	Units            float64 // signed base units
	EntryPrice, Mark float64 // USD; EntryPrice 0: the venue gave none, and the unrealised figures mean nothing
	UnrealizedUSD    float64
	UnrealizedPct    float64 // percent of the margin used, 0 without margin
	RiskScore        float64
	Recommendation   Recommendation
	Flags            FlagSet
	Liquidation      Liquidation
	FundingDrag24h   float64 // percent of margin, positive: paid
	Regime           Regime
	VaR              VaR
}

// FillWallet takes the snapshot of every position of an account. It is Fill without a trade.
func (e *Engine) FillWallet(in *Input, c *marketcache.Cache, account *marketcache.Account, age time.Duration, now marketcache.Instant, wallMs int64) Unavailable {
	f := snapshotter{ages: &e.ages, cache: c, model: c.Model(), now: now, wallMs: wallMs}
	f.begin(in, account, age)
	in.AsHeld = true
	if age > f.ages.WalletHard {
		return Unavailable{Reason: StaleData, Asset: marketcache.NoAsset, What: "wallet", Age: age, Limit: f.ages.WalletHard}
	}
	for i := range account.Positions {
		p := &account.Positions[i]
		in.Held = append(in.Held, AssetInput{})
		a := &in.Held[i]
		if asset := c.Universe().Asset(p.Asset); asset == nil || asset.Delisted {
			f.market(a, p.Asset)
			a.standIn(p, f.model)
			continue
		}
		if missing := f.target(a, p.Asset); missing.Reason != Complete {
			f.wantRest(account.Positions[i:])
			return missing
		}
		in.Divergence.SeePosition(p, &a.Market)
	}
	f.finish()
	return Unavailable{}
}

// standIn completes the snapshot of a delisted or unknown asset, for which no data will come:
// with the account's own mark, an empty order book, the model of an unknown asset, and the
// position's own maximum leverage.
func (a *AssetInput) standIn(p *marketcache.Position, model *marketcache.Model) {
	a.StoodIn = true
	m := &a.Market
	if m.Asset == nil {
		tiers := tiersOf(p, a)
		m.Asset = &marketcache.Asset{
			ID: marketcache.NoAsset, Name: p.Name, MaxLeverage: tiers.own[0].MaxLeverage, FeeMultiplier: 1,
			Tiers: []marketcache.Tier{tiers.own[0]},
		}
	}
	if m.Context == nil {
		m.Context = &marketcache.Context{MarkPrice: readMark(p), OraclePrice: readMark(p)}
	}
	if m.Book == nil {
		m.Book = &marketcache.Book{}
	}
	if a.Model == nil {
		a.Model = model.Unknown
	}
}

// Monitor assesses the wallet in s.In, as taken by FillWallet. The report refers to memory of
// the scratch: it is valid until the scratch is used again.
func (e *Engine) Monitor(s *Scratch, r *WalletReport) {
	in, acct, book, v := &s.In, &s.account, &s.book, &s.view
	*r = WalletReport{Positions: r.Positions[:0]}
	in.Trade = Trade{Asset: noTarget}
	s.readPool(0)
	r.AccountValueUSD, r.Estimated, r.Margin = acct.value, acct.estimated, acct.margin
	for i := range acct.positions {
		r.MarginUsedUSD += acct.positions[i].marginUsed()
	}
	var none position
	s.bookAfter(book, &none)
	book.var99, book.es99 = s.portfolioLoss(&none)
	s.correlate(book)
	r.PortfolioRisk = s.portfolioRisk(book)
	r.BookVaR99 = book.var99
	for i := range in.Account.Positions {
		if in.Account.Positions[i].Pool != acct.pool {
			s.readPool(i + 1)
		}
		in.Trade.Asset = in.Account.Positions[i].Asset
		in.Target, in.heldAt = in.Held[i], i+1
		s.begin()
		s.assessPosition()
		book.target = i
		book.findCorrelated()
		v.score(acct, &v.plan, &v.after, &s.Out, len(book.positions), book.var99)
		v.raiseFlags(in, acct, &s.Out, book)
		r.Positions = append(r.Positions, heldPosition(&acct.positions[i], &s.Out))
		if stress := &s.Out.PortfolioStress; stress.worse(&r.PortfolioStress) {
			r.PortfolioStress = *stress
		}
	}
	r.Meta.date(in)
	in.Target = AssetInput{}
	e.modelVersion(&r.ModelVersion, s)
}

// readPool reads the wallet as held, with the pool of position heldAt-1 as the cross pool; for
// heldAt 0, with the pool of the main dex.
func (s *Scratch) readPool(heldAt int) {
	s.In.heldAt = heldAt
	s.account.read(&s.In)
	s.account.rest.sum(s.account.positions, -1)
	s.replay.sum(s.account.positions, -1, s.In.Rows, s.In.Rows)
	s.replay.poolAsHeld(&s.account)
}

// noTarget is an id that no asset has, not even an asset missing from the universe.
const noTarget = marketcache.NoAsset - 1

func heldPosition(h *position, a *Assessment) HeldPosition {
	p := HeldPosition{
		Asset: h.name, Units: h.units, EntryPrice: h.entry, Mark: h.mark,
		UnrealizedUSD: h.units * (h.mark - h.entry),
		RiskScore:     a.RiskScore, Recommendation: a.Recommendation, Flags: a.Flags,
		Liquidation: a.Liquidation, FundingDrag24h: a.Cost.FundingDrag24hPct, Regime: a.Regime, VaR: a.VaR,
	}
	if margin := h.marginUsed(); margin > 0 {
		p.UnrealizedPct = pctPerUnit * p.UnrealizedUSD / margin
	}
	return p
}

// marginUsed is the margin that the venue counts for a position, USD: the initial margin
// of a cross position, the equity of an isolated one.
func (h *position) marginUsed() float64 {
	if h.isolated && !h.other {
		return max(h.equity, 0)
	}
	return h.initialMargin()
}
