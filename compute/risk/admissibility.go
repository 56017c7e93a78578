package risk

import "math"

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
	issueCodes
)

// issueNames are the public codes, each with the request field that it is about.
var issueNames = [issueCodes]struct{ code, field string }{
	{"reduce_only_would_increase", "action"}, {"lot", "size"}, {"min_notional", "size"}, {"max_leverage", "leverage"},
	{"tier_leverage", "leverage"}, {"insufficient_margin", "size"}, {"oi_cap", "asset"}, {"max_market_order", "size"},
	{"no_liquidity", "asset"}, {"leverage_not_whole", "leverage"}, {"isolated_leverage_too_low", "leverage"},
	{"market_post_only", "asset"}, {"venue_notice", "asset"}, {"margin_unknown", "size"},
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

func (s *Scratch) admissibility(out *Admissibility) {
	acct, v := &s.account, &s.view
	t := &v.plan
	*out = Admissibility{}
	if t.kind == held {
		return
	}
	lot := math.Pow10(-t.asset.SizeDigits)
	units := math.Abs(t.units)
	lots := units / lot
	lots = math.Floor(lots + min(lots*roundingSlack, maxLotSlack))
	out.OrderSizeCoin = min(lots*lot, units)
	wholePosition := t.kind == reduces && t.after == 0
	if wholePosition && lots == 0 {
		out.OrderSizeCoin = units // a position may be smaller than a lot after the venue changed the lot
	}
	out.OrderSizeUSD = out.OrderSizeCoin * t.mark
	minLots := math.Ceil(minOrderUSD / (lot * t.mark) * (1 - roundingSlack))
	minUSD := minLots * lot * t.mark * (1 + roundingSlack)
	switch {
	case t.kind == noFill:
		out.add(Issue{Code: IssueReduceOnly, Got: t.notional})
		return
	case wholePosition:
	case out.OrderSizeCoin == 0:
		out.add(Issue{Code: IssueLot, Got: t.notional, Limit: lot * t.mark, Fix: minUSD})
	case out.OrderSizeUSD < minOrderUSD*(1-roundingSlack):
		out.add(Issue{Code: IssueMinNotional, Got: out.OrderSizeUSD, Limit: minOrderUSD, Fix: minUSD})
	}
	if !t.opensExposure() {
		return
	}
	if t.asked > t.asset.MaxLeverage {
		out.add(Issue{Code: IssueMaxLeverage, Got: t.asked, Limit: t.asset.MaxLeverage, Fix: t.asset.MaxLeverage})
	} else if t.asked > t.tierMax {
		out.add(Issue{Code: IssueTierLeverage, Got: t.asked, Limit: t.tierMax, Fix: t.tierMax})
	}
	if s.Out.OpenInterest.AtCap {
		out.add(Issue{Code: IssueOICap, Got: s.Out.OpenInterest.CurrentUSD, Limit: s.Out.OpenInterest.CapUSD})
	}
	if v.after.lacking > 0 {
		issue := Issue{Code: IssueInsufficientMargin, Got: acct.freeMargin + v.after.lacking, Limit: acct.freeMargin}
		issue.Fix, issue.FixLeverage = s.sizeWithMargin(lot), s.leverageWithMargin()
		out.add(issue)
	}
	if acct.estimated && out.Verdict == VerdictOK {
		out.Verdict = VerdictUnknown
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
	v, p := &s.view, &s.probe
	t, after := &p.plan, &p.after
	*t = v.plan
	t.asked = leverage
	t.resize(units)
	t.fill(after, &s.account, v.market.side(t.direction).fill(units), v.taker, false)
	return after.lacking > 0
}

// sizeWithMargin is the largest size, USD, in whole lots, that the margin covers at the
// trade's leverage; 0 when it does not cover 10 USD.
func (s *Scratch) sizeWithMargin(lot float64) float64 {
	t := &s.view.plan
	lo, hi := math.Ceil(minOrderUSD/(lot*t.mark)), math.Floor(math.Abs(t.units)/lot)+1
	if lo >= hi || s.short(lo*lot, t.asked) {
		return 0
	}
	for { // invariant: the margin covers lo but not hi
		mid := math.Floor((lo + hi) / 2)
		if mid <= lo || mid >= hi {
			break
		}
		if s.short(mid*lot, t.asked) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo * lot * t.mark * (1 - boundSlack)
}

// leverageWithMargin is the smallest whole leverage at which the margin covers the trade's
// size, 0 when there is none.
func (s *Scratch) leverageWithMargin() float64 {
	t := &s.view.plan
	for leverage := math.Floor(t.asked) + 1; leverage <= t.tierMax; leverage++ {
		if !s.short(math.Abs(t.units), leverage) {
			return leverage
		}
	}
	return 0
}
