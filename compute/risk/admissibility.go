package risk

import (
	"math"

	mc "ballast/marketcache"
)

// Admissibility tells whether the venue would accept the order.
type Admissibility struct {
	Verdict Verdict
	// OrderSizeCoin is the size to send: the trade's size rounded down to the venue's lot.
	// OrderSizeUSD is its notional at mark.
	OrderSizeCoin, OrderSizeUSD float64
	Count                       int // number of Issues
	Issues                      [issueCodes]Issue
}

// Verdict is the venue's likely answer.
type Verdict uint8

const (
	VerdictOK Verdict = iota
	VerdictWillReject
	VerdictUnknown // the account's collateral could not be read exactly
)

// String returns ok, will_reject or unknown.
func (v Verdict) String() string { return [...]string{"ok", "will_reject", "unknown"}[v] }

// IssueCode names a rule of the venue that the order breaks.
type IssueCode uint8

const (
	IssueReduceOnly IssueCode = iota
	IssueLot
	IssueMinNotional
	IssueMaxLeverage
	IssueTierLeverage
	IssueInsufficientMargin
	IssueOICap
	IssueMaxMarketOrder
	IssueNoLiquidity
	IssueLeverageNotWhole
	IssueIsolatedLeverageTooLow
	IssueMarketPostOnly
	IssueVenueNotice
	IssueMarginUnknown
	IssueTick
	IssuePriceTooFar
	IssueWouldCross
	issueCodes
)

// issueNames are the public codes, each with the request field that it is about.
var issueNames = [issueCodes]struct{ code, field string }{
	{"reduce_only_would_increase", "action"}, {"lot", "size"}, {"min_notional", "size"}, {"max_leverage", "leverage"},
	{"tier_leverage", "leverage"}, {"insufficient_margin", "size"}, {"oi_cap", "asset"}, {"max_market_order", "size"},
	{"no_liquidity", "asset"}, {"leverage_not_whole", "leverage"}, {"isolated_leverage_too_low", "leverage"},
	{"market_post_only", "asset"}, {"venue_notice", "asset"}, {"margin_unknown", "size"},
	{"tick", "order.price"}, {"price_too_far", "order.price"}, {"would_cross", "order.price"},
}

// String returns the issue's public code.
func (c IssueCode) String() string { return issueNames[c].code }

// Field returns the request field that the issue is about.
func (c IssueCode) Field() string { return issueNames[c].field }

// verdict is the verdict on an order with this issue alone.
func (c IssueCode) verdict() Verdict {
	if c == IssueVenueNotice || c == IssueMarginUnknown {
		return VerdictUnknown
	}
	return VerdictWillReject
}

// Issue is one reason for the venue to refuse the order. Got, Limit and Fix are in the unit of
// the field: USD for size, a multiple for leverage.
type Issue struct {
	Code       IssueCode
	Got, Limit float64
	// Fix is a value of the field that the venue would accept, 0 when there is none.
	Fix float64
	// FixLeverage is the smallest leverage at which the margin covers the size, 0 when there is none.
	FixLeverage float64
	// FixDepositUSD is the deposit that IssueInsufficientMargin asks for, in whole cents, and
	// FixDepositProbability24h the probability of liquidation after it (NaN: not known).
	FixDepositUSD, FixDepositProbability24h float64
	// Text is the venue's notice; NoGot, NoLimit: the figure is not known.
	Text           string
	NoGot, NoLimit bool
}

// maxLotSlack is the largest shortfall from a whole lot, in lots, that counts as rounding error.
const maxLotSlack = 1e-3

// minOrderUSD is the venue's smallest order, except to close a whole position.
const minOrderUSD = 10

// lotOf is the venue's smallest step of a size, in coins.
func lotOf(digits int) float64 { return math.Pow10(-digits) }

// lotSlackOf is the rounding error, in lots, of a number of lots.
func lotSlackOf(lots float64) float64 { return min(lots*roundingSlack, maxLotSlack) }

// withinLot reports whether a size reaches another up to less than a lot, which no order could trade.
func withinLot(size, whole, lot float64) bool {
	return (whole-size)/lot < 1-lotSlackOf(max(whole/lot, 1))
}

func (s *Scratch) admissibility(out *Admissibility) {
	acct, v := &s.account, &s.view
	t := &v.plan
	if t.kind == held {
		return
	}
	out.round(t)
	if t.kind == noFill {
		out.add(Issue{Code: IssueReduceOnly, Got: t.notional})
		return
	}
	out.smallest(t)
	s.priceIssues(out)
	if t.opensExposure() {
		if t.asked > t.asset.MaxLeverage {
			most := t.asset.MaxLeverage
			out.add(Issue{Code: IssueMaxLeverage, Got: t.asked, Limit: most, Fix: t.accepted(acct, most)})
		} else if t.asked > t.tierMax {
			out.add(Issue{Code: IssueTierLeverage, Got: t.asked, Limit: t.tierMax, Fix: t.accepted(acct, t.tierMax)})
		}
		s.marginIssues(out)
		if oi := &v.interest; oi.AtCap {
			out.add(Issue{Code: IssueOICap, Got: oi.CurrentUSD, Limit: oi.CapUSD})
		}
	}
	s.orderIssues(out)
	s.leverageIssues(out)
	s.noticeIssues(out)
	if t.opensExposure() {
		s.unknownMargin(out)
		// What is not known under portfolio margin is told by its own issue.
		if acct.estimated && acct.pools[acct.pool].mode != PoolPortfolio && out.Verdict == VerdictOK {
			out.Verdict = VerdictUnknown
		}
	}
}

// stopper names the first rule by which the venue refuses a filled order of whole lots that is not below its
// smallest, "" for none.
func (s *Scratch) stopper(o *outcome) string {
	t, asked, code := &o.plan, s.In.Trade.Leverage, issueCodes
	opens := t.opensExposure()
	switch {
	case opens && t.asked > t.tierMax:
		code = IssueTierLeverage
	case opens && o.after.lacking > 0 && !s.account.pools[s.account.pool].unreadable:
		code = IssueInsufficientMargin
	case opens && s.view.interest.AtCap:
		code = IssueOICap
	case t.notional > s.In.Rules.LargestMarketOrder(t.asset.MaxLeverage)*(1+roundingSlack):
		code = IssueMaxMarketOrder
	case s.view.market.side(t.direction).empty():
		code = IssueNoLiquidity
	case math.Floor(asked) != asked:
		code = IssueLeverageNotWhole
	case t.refused:
		code = IssueIsolatedLeverageTooLow
	case postOnly(s.In.Notice):
		code = IssueMarketPostOnly
	default:
		return ""
	}
	return code.String()
}

// accepted is a leverage, or 0 if the venue refuses it for the open isolated position.
func (t *tradePlan) accepted(acct *account, leverage float64) float64 {
	if t.wasIsolated && t.refuses(leverage, &acct.positions[t.index]) {
		return 0
	}
	return leverage
}

// round fills in the size to send.
func (a *Admissibility) round(t *tradePlan) {
	lot, units := t.lot(), math.Abs(t.units)
	lots := math.Floor(units/lot + lotSlackOf(units/lot))
	a.OrderSizeCoin = min(lots*lot, units)
	if t.wholePosition() {
		a.OrderSizeCoin = units // a position may have a part of a lot after the venue changed the lot
	}
	a.OrderSizeUSD = a.OrderSizeCoin * t.mark
}

// wholePosition reports whether the trade closes the position.
func (t *tradePlan) wholePosition() bool { return t.kind == reduces && t.after == 0 }

// smallest checks the venue's smallest order.
func (a *Admissibility) smallest(t *tradePlan) {
	lot, price := t.lot(), t.mark
	if t.order.Limit {
		price = t.order.Price
	}
	minLots := math.Ceil(minOrderUSD / (lot * price) * (1 - roundingSlack))
	minUSD := minLots * lot * t.mark * (1 + roundingSlack)
	if t.wholePosition() {
		return
	}
	if a.OrderSizeCoin == 0 {
		a.add(Issue{Code: IssueLot, Got: t.notional, Limit: lot * t.mark, Fix: lot * t.mark})
	}
	if got := a.OrderSizeCoin * price; got < minOrderUSD*(1-roundingSlack) {
		a.add(Issue{Code: IssueMinNotional, Got: got, Limit: minOrderUSD, Fix: minUSD})
	}
}

// marginIssues checks the initial margin; of a pool that could not be read, unknownMargin tells.
func (s *Scratch) marginIssues(out *Admissibility) {
	v := &s.view
	t, after := &v.plan, &v.after
	if after.lacking <= 0 || s.account.pools[s.account.pool].unreadable {
		return
	}
	issue := Issue{Code: IssueInsufficientMargin, Got: after.needed, Limit: after.available}
	issue.Fix, issue.FixLeverage = s.sizeWithMargin(t.lot()), s.leverageWithMargin()
	cents := after.lacking * centsPerUSD
	issue.FixDepositUSD = math.Ceil(cents-min(cents*roundingSlack, maxCentSlack)) / centsPerUSD
	issue.FixDepositProbability24h = s.probabilityWith(issue.FixDepositUSD)
	out.add(issue)
}

const (
	centsPerUSD = 100
	// An amount within this part of a cent above a whole cent is that cent: the rest is rounding error.
	maxCentSlack = 1e-6
)

// probabilityWith is the probability of liquidation within 24 hours with a deposit in the cross pool; NaN
// when it is not known. An isolated position has its own margin, whatever is deposited.
func (s *Scratch) probabilityWith(depositUSD float64) float64 {
	t, liq := &s.view.plan, &s.view.liquidation
	switch {
	case !liq.HasProbability:
		return math.NaN()
	case t.mode == Isolated || s.view.after.assumed:
		return liq.Probability24h
	}
	return s.crossChance(mc.Excursion24h, &s.view.position, s.view.after.counted+depositUSD, 0)
}

// orderIssues checks the order against the venue's largest order and against the visible book.
func (s *Scratch) orderIssues(out *Admissibility) {
	mk, t := &s.view.market, &s.view.plan
	limit := s.In.Rules.LargestMarketOrder(t.asset.MaxLeverage)
	if t.order.rests() {
		limit *= restingTimes
	}
	if out.OrderSizeUSD > limit*(1+roundingSlack) {
		lot := t.lot()
		fix := math.Floor(limit/t.mark/lot*(1+roundingSlack)) * lot * t.mark
		out.add(Issue{Code: IssueMaxMarketOrder, Got: out.OrderSizeUSD, Limit: limit, Fix: fix})
	}
	side := mk.side(t.direction)
	if !t.order.rests() && (side.empty() || t.order.Limit && side.within(t.order.Price) == 0) {
		out.add(Issue{Code: IssueNoLiquidity, NoLimit: true})
	}
}

// leverageIssues checks the leverage of the request as the venue would.
func (s *Scratch) leverageIssues(out *Admissibility) {
	t, asked := &s.view.plan, s.In.Trade.Leverage
	if whole := math.Floor(asked); asked > 0 && whole != asked {
		out.add(Issue{Code: IssueLeverageNotWhole, Got: asked, NoLimit: true, Fix: whole})
	}
	if t.refused {
		issue := Issue{Code: IssueIsolatedLeverageTooLow, Got: asked, Limit: t.floor, NoLimit: math.IsInf(t.floor, 1)}
		if whole := math.Ceil(t.floor * (1 - roundingSlack)); whole <= t.asset.MaxLeverage {
			issue.Fix = max(whole, 1)
		}
		if issue.NoLimit {
			issue.Limit = 0
		}
		out.add(issue)
	}
}

// noticeIssues tells of the venue's special status.
func (s *Scratch) noticeIssues(out *Admissibility) {
	switch notice := s.In.Notice; {
	case notice == "":
	case postOnly(notice) && s.view.plan.order.Limit && s.view.plan.order.TIF == ALO:
	case postOnly(notice):
		out.add(Issue{Code: IssueMarketPostOnly, Text: notice, NoGot: true, NoLimit: true})
	default:
		out.add(Issue{Code: IssueVenueNotice, Text: notice, NoGot: true, NoLimit: true})
	}
}

// unknownMargin tells when the account under portfolio margin could not be read, and when the margin fits,
// but not for certain: more of it may be held for resting orders, or it is lent under portfolio margin.
func (s *Scratch) unknownMargin(out *Admissibility) {
	a, t, after := &s.account, &s.view.plan, &s.view.after
	pool := &a.pools[a.pool]
	issue := Issue{Code: IssueMarginUnknown, Got: after.needed}
	if pool.unreadable {
		issue.NoLimit = true
		out.add(issue)
		return
	}
	if after.lacking > 0 {
		return
	}
	issue.Limit = max(0, after.available-(a.heldMost-a.held)) // 0 without a bound
	if pool.mode == PoolPortfolio {
		// What the token's own balance leaves beside the initial margins and the orders.
		cash := pool.cash - a.held
		if t.mode == Cross {
			cash += after.cross - a.crossEquity
		} else {
			cash -= pool.initial
		}
		issue.Limit = max(0, min(issue.Limit, cash))
	}
	if after.needed > issue.Limit*(1+roundingSlack) {
		out.add(issue)
	}
}

func (a *Admissibility) add(i Issue) {
	if v := i.Code.verdict(); v == VerdictWillReject || a.Verdict == VerdictOK {
		a.Verdict = v
	}
	a.Issues[a.Count] = i
	a.Count++
}

// short reports whether the wallet's margin is too small for this trade at the given units and leverage.
func (s *Scratch) short(units, leverage float64) bool {
	o := &s.probe.outcome
	o.plan = s.view.plan
	o.plan.asked = leverage
	o.plan.resize(units)
	s.fill(o, &o.plan)
	return o.after.lacking > 0
}

// sizeWithMargin is the largest size, USD, in whole lots, that the margin covers at the
// trade's leverage; 0 when it does not cover 10 USD.
func (s *Scratch) sizeWithMargin(lot float64) float64 {
	t := &s.view.plan
	lo, hi := math.Ceil(minOrderUSD/(lot*t.mark)), math.Floor(math.Abs(t.units)/lot)+1
	if lo >= hi || s.short(lo*lot, t.asked) {
		return 0
	}
	lo = mostLots(lo, hi, func(lots float64) bool { return !s.short(lots*lot, t.asked) })
	return lo * lot * t.mark * (1 - boundSlack)
}

// mostLots is the largest number of whole lots that is good, by bisection: lo is good, hi is not.
func mostLots(lo, hi float64, good func(lots float64) bool) float64 {
	for {
		mid := math.Floor((lo + hi) / 2)
		if mid <= lo || mid >= hi {
			return lo
		}
		if good(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
}

// leverageWithMargin is the smallest whole leverage at which the margin covers the trade's
// size, 0 when there is none.
func (s *Scratch) leverageWithMargin() float64 {
	t := &s.view.plan
	least := max(math.Floor(t.asked)+1, math.Ceil(t.floor*(1-roundingSlack)))
	for leverage := least; leverage <= t.tierMax; leverage++ {
		if !s.short(math.Abs(t.units), leverage) {
			return leverage
		}
	}
	return 0
}
