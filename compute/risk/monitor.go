package risk

import (
	"time"

	mc "ballast/marketcache"
)

// WalletReport is a wallet as held: every position assessed without a trade, and all of them
// together. The zero value is ready to use; a report may be reused.
type WalletReport struct {
	AccountValueUSD float64 // sum over all pools of max(equity, 0); where nothing is left, the plain sum
	GrossUSD        float64 // sum of all positions at mark
	MarginUsedUSD   float64 // initial margin of cross positions plus equity of isolated ones
	Estimated       bool    // the collateral could not be read exactly
	Margin          MarginState
	// HeldUSD to HeldMostUSD is the margin held for resting orders, over all cross pools.
	HeldUSD, HeldMostUSD float64
	Move                 MarketMove
	Pools                []PoolState  // empty when fewer than two have a position
	Actions              []PoolAction // of Pools
	OpenOrders           OpenOrders
	Positions            []HeldPosition
	PortfolioRisk        PortfolioRisk
	PortfolioStress      PortfolioStress // of all pools together
	// BookVaR99 is the joint 24 h loss at 99 %, USD, also for a single position.
	BookVaR99    float64
	Meta         Meta // of the wallet, without an asset
	Lateness     Lateness
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
	Action           PoolAction // of its pool
}

// FillWallet takes the snapshot of every position of an account. It is Fill without a trade.
func (e *Engine) FillWallet(
	in *Input, c *mc.Cache, account *mc.Account, age time.Duration, now mc.Instant, wallMs int64,
) Unavailable {
	f := snapshotter{ages: &e.ages, cache: c, model: c.Model(), now: now, wallMs: wallMs}
	f.begin(in, account, age)
	in.AsHeld = true
	if age > f.ages.WalletHard {
		return Unavailable{Reason: StaleData, Asset: mc.NoAsset, What: "wallet", Age: age, Limit: f.ages.WalletHard}
	}
	for i := range account.Positions {
		p := &account.Positions[i]
		in.Held = append(in.Held, AssetInput{})
		a := &in.Held[i]
		if asset := c.Universe().Asset(p.Asset); asset == nil || asset.Delisted {
			f.market(a, p.Asset)
			a.standIn(p, f.model.Unknown)
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
func (a *AssetInput) standIn(p *mc.Position, unknown *mc.AssetModel) {
	a.StoodIn = true
	m := &a.Market
	if m.Asset == nil {
		tiers := tiersOf(p, a)
		m.Asset = &mc.Asset{
			ID: mc.NoAsset, Name: p.Name, MaxLeverage: tiers.own[0].MaxLeverage, FeeMultiplier: 1,
			Tiers: []mc.Tier{tiers.own[0]},
		}
	}
	if m.Context == nil {
		m.Context = &mc.Context{MarkPrice: readMark(p), OraclePrice: readMark(p)}
	}
	if m.Book == nil {
		m.Book = &mc.Book{}
	}
	if a.Model == nil {
		a.Model = unknown
	}
}

// Monitor assesses the wallet in s.In, as taken by FillWallet, with what brings each pool to a target. The report
// refers to memory of the scratch: it is valid until the scratch is used again.
func (e *Engine) Monitor(s *Scratch, r *WalletReport, until Target) {
	in, acct, b, v := &s.In, &s.account, &s.portfolio, &s.view
	*r = WalletReport{Positions: r.Positions[:0], Actions: r.Actions[:0]}
	s.Late = false
	in.Trade, in.heldAt = Trade{Asset: noTarget}, 0
	s.readHeld(-1)
	r.AccountValueUSD, r.Estimated, r.Margin = acct.value, acct.estimated, acct.margin
	r.Margin.Free = 0
	for k := range acct.pools {
		if p := &acct.pools[k]; p.position < 0 {
			r.HeldUSD, r.HeldMostUSD = r.HeldUSD+p.held, r.HeldMostUSD+p.heldMost
			r.Margin.Free += max(0, p.equity-p.initial-p.held)
		}
	}
	for i := range acct.positions {
		r.MarginUsedUSD += acct.positions[i].marginUsed()
	}
	s.stress(&v.outcome, nil)
	r.PortfolioStress = v.stressed.worst
	r.PortfolioStress.Known = len(acct.positions) > 0
	r.Move = s.moveAfter(&v.outcome)
	s.listLegs(b, &v.position)
	b.var99, b.es99 = s.portfolioLoss(&v.position)
	r.GrossUSD = b.gross
	s.correlate(b)
	r.PortfolioRisk = s.portfolioRisk(b)
	r.BookVaR99 = b.var99
	r.Pools = s.poolsHeld()
	pools := s.pools
	s.ordersOf(&r.OpenOrders, r.HeldUSD, r.HeldMostUSD)
	s.advise(until)
	for k := range r.Pools {
		r.Actions = append(r.Actions, s.adviser.actions[s.poolNumbers[k]])
	}
	s.assessHeld(func(int) bool { return true }, func(i int, out *Assessment) {
		out.PortfolioRisk.Known, out.OpenOrders = r.PortfolioRisk.Known, r.OpenOrders
		s.explain(&out.Explanation)
		b.target = i
		b.findCorrelated()
		for k := range pools {
			pools[k].tradesHere = s.poolNumbers[k] == acct.positions[i].poolIndex()
		}
		v.raiseFlags(in, acct, out, b, pools)
		p := &acct.positions[i]
		r.Positions = append(r.Positions, heldPosition(p, out))
		r.Positions[len(r.Positions)-1].Action = s.adviser.actions[p.poolIndex()]
	})
	r.Meta.date(in)
	r.Lateness = in.Lateness
	in.Target = AssetInput{}
	e.modelVersion(&r.ModelVersion, s)
}

// assessHeld assesses the positions for which which is true, each as held, and hands the results to each.
func (s *Scratch) assessHeld(which func(i int) bool, each func(i int, out *Assessment)) {
	in, acct, v := &s.In, &s.account, &s.view
	read := -1 // the cross pool that the account was last read with
	for i := range in.Account.Positions {
		pool := max(in.Account.Positions[i].Pool, 0)
		if pool != read {
			s.readHeld(i)
			read = pool
		}
		if s.lateAt(i) {
			return
		}
		if !which(i) {
			continue
		}
		in.Trade.Asset, in.Target, in.heldAt = in.Account.Positions[i].Asset, in.Held[i], i+1
		acct.target = i
		s.Out = Assessment{}
		s.beginTrade()
		s.replay.heldPosition(v.plan.mode)
		s.assessPosition(nil)
		var99 := s.replay.heldVaR
		s.score(&v.outcome, var99, 0, s.limitedLoss(&v.outcome, var99))
		each(i, &s.Out)
	}
}

// readHeld reads the wallet as held, with the cross pool of position i, or of the main dex if i is
// negative, as the trade's pool, and sums its legs.
func (s *Scratch) readHeld(i int) {
	in, acct, v := &s.In, &s.account, &s.view
	in.heldAt = i + 1
	acct.read(in)
	v.outcome = outcome{
		plan:  tradePlan{kind: held, index: -1},
		after: poolAfterFill{equity: acct.crossEquity, cross: acct.crossEquity, counted: acct.crossEquity},
	}
	s.sumReplay(&v.plan)
	s.replay.heldVaR, _ = s.portfolioLoss(&v.position)
}

// poolsHeld lists the pools of the wallet as held that have a position in s.pools.
func (s *Scratch) poolsHeld() []PoolState {
	a := &s.account
	s.pools, s.poolNumbers = s.pools[:0], s.poolNumbers[:0]
	for k := range a.pools {
		p := &a.pools[k]
		if p.positions == 0 {
			continue
		}
		if k == a.pool {
			p.stress = s.view.stressed.cross
		}
		p.chance[mc.Excursion24h] = s.poolChance(k, p)
		s.pools, s.poolNumbers = append(s.pools, p.state()), append(s.poolNumbers, k)
	}
	if len(s.pools) < minPortfolioPositions {
		return nil
	}
	return s.pools
}

// noTarget is an id that no asset has, not even an asset missing from the universe.
const noTarget = mc.NoAsset - 1

func heldPosition(h *position, a *Assessment) HeldPosition {
	p := HeldPosition{
		Asset: h.name, Units: h.units, EntryPrice: h.entry, Mark: h.mark,
		RiskScore: a.RiskScore, Recommendation: a.Recommendation, Flags: a.Flags,
		Liquidation: a.Liquidation, FundingDrag24h: a.Cost.FundingDrag24hPct, Regime: a.Regime, VaR: a.VaR,
	}
	if h.entry == 0 { // not known
		return p
	}
	p.UnrealizedUSD = h.units * (h.mark - h.entry)
	if margin := h.marginUsed(); margin > 0 {
		p.UnrealizedPct = pctPerUnit * p.UnrealizedUSD / margin
	}
	return p
}

// marginUsed is the margin that the venue counts for a position, USD: the initial margin
// of a cross position, the equity of an isolated one.
func (h *position) marginUsed() float64 {
	if h.isolated {
		return max(h.equity, 0)
	}
	return h.initialMargin()
}
