package policy

import (
	"math"

	"ballast/compute/risk"
)

// OfTrade fills the facts with what s has assessed last.
func (f *Facts) OfTrade(s *risk.Scratch) {
	e, out := s.Exposure(), &s.Out
	f.begin(Trade, out.Meta.Asset, out.Meta.AsOfUnixMs)
	f.Reduces = e.Reduces
	f.account(&e, out.Margin.Before.AccountValue)
	f.exposure(&e, out.Margin.After.AccountValue)
	f.state(out.RiskScore, &out.Liquidation)
}

// Before fills the facts with what is known of the trade in s.In before it is assessed, as far as a policy (nil: none)
// needs that.
func (f *Facts) Before(s *risk.Scratch, p *Policy) {
	f.begin(Trade, s.In.Target.Market.Asset.Name, s.In.AsOfUnixMs)
	if p != nil && p.Rules.LimitsLosses() {
		f.AccountUSD = s.AccountBefore()
	}
}

// OfPosition fills the facts with position i of a report that s has made.
func (f *Facts) OfPosition(s *risk.Scratch, r *risk.WalletReport, i int) {
	e, p := s.ExposureHeld(r, i), &r.Positions[i]
	f.begin(Position, p.Asset, r.Meta.AsOfUnixMs)
	f.account(&e, r.AccountValueUSD)
	f.exposure(&e, r.AccountValueUSD)
	f.state(p.RiskScore, &p.Liquidation)
}

// OfAccount fills the facts with the wallet of a report that s has made.
func (f *Facts) OfAccount(s *risk.Scratch, r *risk.WalletReport) {
	e := s.ExposureWhole(r)
	f.begin(Account, "", r.Meta.AsOfUnixMs)
	f.account(&e, r.AccountValueUSD)
	f.exposure(&e, r.AccountValueUSD)
}

// begin starts facts of which nothing is known.
func (f *Facts) begin(subject Subject, asset string, nowMs int64) {
	*f = Facts{Subject: subject, Asset: asset, NowMs: nowMs, AccountUSD: NotKnown}
	for i := range f.Values {
		f.Values[i] = NotKnown
	}
}

func (f *Facts) account(e *risk.Exposure, valueUSD float64) {
	if !e.Incomplete {
		f.AccountUSD = valueUSD
	}
}

// exposure enters what depends on the order and the wallet's positions.
func (f *Facts) exposure(e *risk.Exposure, accountValue float64) {
	for b, figure := range e.Figures(accountValue) {
		f.Values[bounds[b]] = figure
	}
}

// state enters the risk of the position. Without a chance of liquidation its pool is not known, nor its distance.
func (f *Facts) state(score float64, l *risk.Liquidation) {
	f.Values[MaxScore] = score
	if l.HasProbability {
		f.Values[MaxProbability24h], f.Values[MaxProbability7d] = l.Probability24h, l.Probability7d
		f.Values[MinLiquidationDistancePct] = l.DistancePct
	}
}

// NoOrders is how long ago the same order was sent when it never was.
var NoOrders = math.Inf(1)

// Orders enters what the rules about the sending of orders count: the orders of the last minute and the trades of the
// UTC day with this one, and the seconds since the same order was sent.
func (f *Facts) Orders(minute, day int, sinceSame float64) {
	f.Values[OrdersPerMinute], f.Values[TradesPerDay] = float64(minute), float64(day)
	f.Values[DuplicateWindowS] = sinceSame
}
