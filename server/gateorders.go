package server

import (
	"math"
	"time"

	"ballast/compute/risk"
	"ballast/internal/printable"
	"ballast/marketcache"
	wire "ballast/marketcache/venue/exchange"
	"ballast/policy"
	"ballast/server/api"
	"ballast/server/gate"
)

func signedUnits(o *wire.Order) float64 {
	if o.Buy {
		return o.Size.Float64()
	}
	return -o.Size.Float64()
}

// lasts returns how long the action's order goes on to fill without resting: a TWAP does.
func (a *action) lasts() time.Duration {
	f, is := a.Action.Inner().Form.(*wire.TWAPOrder)
	switch {
	case !is:
		return 0
	case f.HasDetails && f.Details.HasTrigger: // it may begin at any time
		return gate.Endless
	}
	return time.Duration(min(f.TWAP.Minutes, 60*24*365))*time.Minute + gate.LastSlice
}

// listed returns the resting orders of an account, as they were last listed.
func (s *Server) listed(account marketcache.Wallet) []marketcache.OpenOrder {
	if a, _, have := s.cfg.Cache.Account(&account, marketcache.Now(), marketcache.Forever); have && a.Orders != nil {
		return a.Orders.Orders
	}
	return nil
}

// endedBy returns the orders, by the venue's number, that an action has ended by the venue's answer: cancelled or
// replaced. An order that the action names by the client's id has its number from the list.
func endedBy(a *wire.Action, answer *wire.Answer, listed []marketcache.OpenOrder) (to []uint64) {
	ended := func(i int) bool { return i < len(answer.Statuses) && answer.Statuses[i].Kind != wire.Failed }
	byCloid := func(cloid wire.Cloid) {
		text := cloid.String()
		for k := range listed {
			if listed[k].Cloid == text {
				to = append(to, listed[k].OID)
			}
		}
	}
	modified := func(id *wire.OrderID) {
		if id.ByCloid {
			byCloid(id.Cloid)
		} else {
			to = append(to, id.Number)
		}
	}
	switch f := a.Form.(type) {
	case *wire.Cancel:
		for i := range f.Cancels {
			if ended(i) {
				to = append(to, f.Cancels[i].OID)
			}
		}
	case *wire.CancelByCloid:
		for i := range f.Cancels {
			if ended(i) {
				byCloid(f.Cancels[i].Cloid)
			}
		}
	case *wire.Modify:
		if len(answer.Statuses) == 0 || ended(0) {
			modified(&f.OID)
		}
	case *wire.BatchModify:
		for i := range f.Modifies {
			if ended(i) {
				modified(&f.Modifies[i].OID)
			}
		}
	}
	return to
}

// sides returns whether the action buys and sells in an asset.
func (a *action) sides(asset marketcache.AssetID) (buys, sells bool) {
	for _, p := range a.places {
		if p.Asset == asset && asset != marketcache.NoAsset {
			buys, sells = buys || p.Units > 0, sells || p.Units < 0
		}
	}
	return buys, sells
}

// both reports whether the action buys and sells in one asset.
func (a *action) both() bool {
	for _, p := range a.places {
		if buys, sells := a.sides(p.Asset); buys && sells {
			return true
		}
	}
	return false
}

// onSide reports whether order i is judged together with the orders of a side: all are, except the other side of an
// asset that has both.
func (a *action) onSide(i int, buy bool) bool {
	p := a.places[i]
	buys, sells := a.sides(p.Asset)
	return p.Asset != marketcache.NoAsset && (!(buys && sells) || p.Units > 0 == buy)
}

// immediate reports whether order i fills at once or never.
func (a *action) immediate(i int) bool {
	switch a.Action.Inner().Form.(type) {
	case *wire.TWAPOrder, *wire.TrailingStop:
		return false
	}
	o := &a.orders[i]
	return !o.IsTrigger && (o.TIF == wire.IOC || o.TIF == wire.FrontendMarket)
}

// opens reports whether order i, which goes against a position, may open one on the other side: it rests until the
// position is closed, as what only reduces may do at any time, or with the others of its side it is larger than that.
func (a *action) opens(state *marketcache.Account, i int) bool {
	p := a.places[i]
	held := heldUnits(state, p.Asset)
	if p.Asset == marketcache.NoAsset || held*p.Units >= 0 {
		return false
	}
	same := 0.0
	for _, list := range [...][]gate.Pending{a.resting, a.places} {
		for _, q := range list {
			if q.Asset == p.Asset && q.Units > 0 == (p.Units > 0) {
				same += math.Abs(q.Units)
			}
		}
	}
	return !a.immediate(i) || same > math.Abs(held)*(1+1e-9)
}

// filledBefore appends the trades that count as filled before the action's orders: in each asset the resting orders of
// one side, that of the action's orders there, else the one on which the position can be larger. Where one is held on
// the other side, it is closed first; in an asset of the action only with closed, if an order may then open one.
func (a *action) filledBefore(to []api.BatchTrade, state *marketcache.Account, buy, closed bool) []api.BatchTrade {
	sums := map[marketcache.AssetID]*[2]float64{} // units to buy and to sell
	var order []marketcache.AssetID
	see := func(id marketcache.AssetID) *[2]float64 {
		if sums[id] == nil {
			sums[id], order = &[2]float64{}, append(order, id)
		}
		return sums[id]
	}
	for _, p := range a.resting {
		see(p.Asset)[side(p.Units > 0)] += math.Abs(p.Units)
	}
	opens := map[marketcache.AssetID]bool{}
	for i, p := range a.places {
		if closed && a.onSide(i, buy) && a.opens(state, i) {
			see(p.Asset)
			opens[p.Asset] = true
		}
	}
	for _, id := range order {
		sum := sums[id]
		buys, sells := a.sides(id)
		held := heldUnits(state, id)
		ours, up := buys || sells, buy
		switch {
		case buys != sells:
			up = buys
		case !ours:
			up = max(held, 0)+sum[0] >= max(-held, 0)+sum[1]
		}
		units := sum[side(up)]
		if against := held < 0 == up; opens[id] || !ours && against && units > 0 {
			units += math.Abs(held)
		}
		if units > 0 {
			to = append(to, api.BatchTrade{Trade: tradeIn(state.Wallet, id, up, units)})
		}
	}
	return to
}

// side is the place of a side in a pair.
func side(buy bool) int {
	if buy {
		return 0
	}
	return 1
}

func heldUnits(state *marketcache.Account, id marketcache.AssetID) float64 {
	if i := state.PositionIn(id); i >= 0 {
		return state.Positions[i].Units
	}
	return 0
}

func tradeIn(w marketcache.Wallet, id marketcache.AssetID, buy bool, units float64) risk.Trade {
	t := risk.Trade{Wallet: w, Asset: id, Action: risk.ActionShort, SizeCoin: units}
	if buy {
		t.Action = risk.ActionLong
	}
	return t
}

// trade returns order i as a trade of the account.
func (a *action) trade(account marketcache.Wallet, i int) risk.Trade {
	o := &a.orders[i]
	t := tradeIn(account, a.places[i].Asset, o.Buy, o.Size.Float64())
	if !o.IsTrigger && o.Price.Units > 0 {
		t.Order = risk.Order{Limit: true, Price: o.Price.Float64(), TIF: [...]risk.TIF{
			wire.GTC: risk.GTC, wire.IOC: risk.IOC, wire.ALO: risk.ALO, wire.FrontendMarket: risk.IOC}[o.TIF]}
	}
	return t
}

// bearsSide judges the orders of a side, one after another as if those before had filled, and returns why one is
// refused, "" if none is. closed: the positions that they reduce count as closed, and only orders that can then open
// one are judged.
func (s *Server) bearsSide(x *exchange, ledger *gate.Ledger, state *marketcache.Account, now marketcache.Instant,
	buy, closed bool) (why string) {
	a, b := &x.action, &x.batch
	b.Trades = a.filledBefore(b.Trades[:0], state, buy, closed)
	before := len(b.Trades)
	a.judged = a.judged[:0]
	for i := range a.places {
		if a.onSide(i, buy) {
			a.judged = append(a.judged, i)
			b.Trades = append(b.Trades, api.BatchTrade{Trade: a.trade(state.Wallet, i)})
		}
	}
	if !s.snapshot(x, state, now, tradesInRow) {
		return unjudged
	}
	memory := x.memory
	for i := range b.Trades {
		t := &b.Trades[i]
		if t.Bad != nil {
			return t.Bad.Detail
		}
		if missing := b.steps.Fill(&memory.In, &t.Trade); missing.Reason != risk.Complete {
			s.failInconsistent(x, &missing)
			return unjudged
		}
		if i < before { // at the mark, without what a market order would cost
			memory.In.Trade.Order = risk.Order{Limit: true, Price: memory.In.Target.Market.Context.MarkPrice}
		}
		judged := i >= before && (!closed || a.opens(state, a.judged[i-before]))
		if memory.Explain = judged; judged {
			x.limitOrder(before, i, ledger)
		}
		s.cfg.Engine.Assess(memory)
		if judged && memory.Refused == nil && !memory.Late {
			why := x.forbidden()
			x.entry.Assessed(memory, &x.judged.facts)
			x.photographOrder()
			if why != "" {
				return why
			}
		}
		switch {
		case memory.Late:
			x.failLate("the orders")
			return unjudged
		case memory.Refused != nil:
			return memory.Refused.Detail
		case judged && s.blocks(&memory.Out):
			return api.Summary(&memory.Out)
		case judged && memory.In.Stale:
			x.fail(api.CodeStaleMarketData, api.Stale(&memory.Out))
			return unjudged
		}
		b.steps.Apply(memory)
		if !x.ticket.Progress(i+1, marketcache.InstantOf(time.Now())) {
			x.fail(api.CodeOverloaded, tooManyWait)
			return unjudged
		}
	}
	return ""
}

// blocks reports whether an order with this assessment is refused.
func (s *Server) blocks(a *risk.Assessment) bool {
	g := s.cfg.Gate
	return !g.PolicyOnly && a.Recommendation >= g.Block
}

// limitOrder is limit for an order: number i of the batch, in which the action's orders begin with first.
func (x *exchange) limitOrder(first, i int, ledger *gate.Ledger) {
	if !x.openCase(&x.batch.Trades[i].Trade.Wallet) {
		return
	}
	nowMs := x.memory.In.AsOfUnixMs
	minute, day := ledger.Sent(nowMs)
	a := &x.action
	same := gate.SameOrder(&a.orders[a.judged[i-first]])
	since := ledger.SinceSame(same, nowMs)
	for _, k := range a.judged[:i-first] {
		if gate.SameOrder(&a.orders[k]) == same {
			since = 0
		}
	}
	all := len(x.action.places)
	x.limitSizes(minute+all, day+all, since)
}

// forbidden judges the order that was assessed last by the limits of the operator. It returns why they forbid it, or
// "".
func (x *exchange) forbidden() (why string) {
	v := &x.judged.verdict
	x.entry.Verdict = v
	if x.verdict(); !v.Applies || v.Outcome == policy.Pass {
		return ""
	}
	p, turned := x.judged.by.Policy, x.judged.by.Switch
	if v.Has(policy.KillSwitch) {
		since := turned.Since.UTC().Format("15:04 UTC on 2 January")
		return "increases are stopped since " + since + " by " + turned.Who + ": " + turned.Reason
	}
	for k := range v.Violations {
		if k > 0 {
			why += "; "
		}
		why += ruleBroken(p, &v.Violations[k])
	}
	return why
}

// ruleBroken says which rule a violation is of, its limit, and the value.
func ruleBroken(p *policy.Policy, v *policy.Violation) string {
	if p == nil { // a halt that outlives its policy
		return v.Rule.String() + " has halted this wallet: an operator may lift that"
	}
	limit := string(p.Rules.AppendLimit(nil, v.Rule))
	switch {
	case !v.Known():
		return v.Rule.String() + " " + limit + " cannot be judged: the figure is not known"
	case v.Asset != "":
		return v.Rule.String() + " " + limit + " forbids " + v.Asset
	case v.Rule < policy.Numbers:
		return v.Rule.String() + " is " + limit + ", this would be " + printable.Number(v.Value)
	}
	return v.Rule.String() + " " + limit
}

// leverageChange judges a new leverage or margin mode.
func (s *Server) leverageChange(x *exchange, account marketcache.Wallet, form *wire.UpdateLeverage) (why string) {
	id := s.cfg.Cache.Universe().ByNumber(int64(form.Asset))
	if id == marketcache.NoAsset {
		return unknownAsset(form.Asset)
	}
	x.trade = risk.Trade{Wallet: account, Asset: marketcache.NoAsset, Leverage: 1}
	state, _ := s.account(x, &x.trade, s.cfg.Engine.Ages().WalletHard)
	if state == nil {
		return unjudged
	}
	if p, turned := s.inForce(&account); turned.IsOn() {
		return "leverage is not changed while increases are stopped"
	} else if p != nil {
		if limit, has := p.Rules.Limit(policy.MaxLeverage); has && float64(form.Leverage) > limit {
			return "max_leverage is " + printable.Number(limit) + ", this would be " +
				printable.Number(float64(form.Leverage))
		}
	}
	if i := state.PositionIn(id); i >= 0 && state.Positions[i].Isolated == form.Cross {
		return "the margin mode of an open position is not changed: close it first; if it is, send this again in " +
			"some seconds"
	}
	return ""
}

// marginOut judges the account after margin was taken out of an isolated position.
func (s *Server) marginOut(x *exchange, ledger *gate.Ledger, account marketcache.Wallet,
	form *wire.UpdateIsolatedMargin) (why string) {
	id := s.cfg.Cache.Universe().ByNumber(int64(form.Asset))
	if id == marketcache.NoAsset {
		return unknownAsset(form.Asset)
	}
	if _, turned := s.inForce(&account); turned.IsOn() {
		return "margin is not taken out while increases are stopped"
	}
	x.trade = risk.Trade{Wallet: account, Asset: marketcache.NoAsset, Leverage: 1}
	state, now := s.account(x, &x.trade, s.cfg.Engine.Ages().WalletHard)
	if state == nil {
		return unjudged
	}
	if state.Received < ledger.MarginShows {
		return "an earlier change of margin may not show in the account yet: send it again in some seconds"
	}
	i := state.PositionIn(id)
	if i < 0 || !state.Positions[i].Isolated {
		return "there is no isolated position in this asset to take margin out of"
	}
	after := withMargin(state, i, float64(form.USD)/1e6)
	if after.Positions[i].MarginUsedUSD <= 0 {
		return "the position has less margin than that"
	}
	if !s.snapshot(x, after, now, wholeWallet) {
		return unjudged
	}
	s.cfg.Engine.Monitor(x.memory, &x.report, risk.DefaultTarget)
	if x.memory.Late {
		x.failLate("the report")
		return unjudged
	}
	if x.memory.In.Stale {
		x.fail(api.CodeStaleMarketData, "prices or wallet are older than their limit")
		return unjudged
	}
	x.judgeReport(&account)
	p, _ := s.inForce(&account)
	if j := &x.judged; j.verdict.Applies && j.verdict.Outcome != policy.Pass {
		return ruleBroken(p, &j.verdict.Violations[0])
	}
	name, g := s.cfg.Cache.Universe().Asset(id).Name, s.cfg.Gate
	for k := range x.report.Positions {
		held := &x.report.Positions[k]
		switch {
		case held.Asset != name:
		case x.judged.verdict.Applies && x.judged.held[k].Outcome != policy.Pass:
			return ruleBroken(p, &x.judged.held[k].Violations[0])
		case held.Recommendation >= g.Block && !g.PolicyOnly:
			return "after it the position would have a risk score of " + printable.Number(math.Round(held.RiskScore)) +
				": take out less"
		}
	}
	ledger.MarginShows = marketcache.Now().Add(g.Timeout)
	return ""
}

// withMargin returns an account after margin was moved into isolated position i, USD; negative: out of it.
func withMargin(state *marketcache.Account, i int, usd float64) *marketcache.Account {
	after := *state
	after.Positions = append([]marketcache.Position(nil), state.Positions...)
	after.Pools = append([]marketcache.Pool(nil), state.Pools...)
	p := &after.Positions[i]
	p.RawUSD, p.MarginUsedUSD, p.LiquidationPrice = p.RawUSD+usd, p.MarginUsedUSD+usd, 0
	if p.Pool < len(after.Pools) {
		after.Pools[p.Pool].EquityUSD -= usd
	}
	return &after
}
