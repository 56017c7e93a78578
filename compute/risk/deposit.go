package risk

import mc "ballast/marketcache"

// Deposit is the least that must be paid into the cross pool of a trade, so that the trade proceeds and the venue
// takes it. The trade does not with 1 USD less.
type Deposit struct {
	Known bool    // false when no deposit up to maxDepositUSD helps, or the pools could not be read
	USD   float64 // whole; 0 when the trade proceeds as it is
}

const (
	maxDepositUSD = MaxSizeUSD
	// firstDeposit is the first amount that is tried, USD.
	firstDeposit = 100
)

// LeastDeposit assesses the trade in s.In, as Assess does, and searches its deposit, which takes up to forty
// assessments.
func (e *Engine) LeastDeposit(s *Scratch) Deposit {
	account, explain, limits := s.In.Account, s.Explain, s.Limits
	s.Explain, s.Limits = false, Limits{}
	d := e.searchDeposit(s, account)
	s.In.Account, s.Explain, s.Limits = account, explain, limits
	if !s.Late {
		e.Assess(s)
	}
	return d
}

func (e *Engine) searchDeposit(s *Scratch, account *mc.Account) Deposit {
	passes := func(usd int64) bool {
		if s.pause() {
			return true // of no meaning
		}
		s.In.Account = s.funded(account, float64(usd))
		e.Assess(s)
		return s.Refused == nil && s.Out.Recommendation == Proceed && s.Out.Admissibility.Verdict != VerdictWillReject
	}
	switch {
	case len(account.Pools) == 0 && account.Mode != mc.ModeDisabled: // its equity is inferred
		return Deposit{}
	case passes(0):
		return Deposit{Known: true}
	case s.Refused != nil:
		return Deposit{}
	}
	lo, hi := int64(0), int64(firstDeposit)
	for !passes(hi) {
		if lo, hi = hi, 4*hi; hi > maxDepositUSD {
			return Deposit{}
		}
	}
	return Deposit{Known: true, USD: float64(least(lo, hi, (lo+hi)/2, hi-lo, passes))}
}

// funded is an account with a deposit in the cross pool of the trade.
func (s *Scratch) funded(account *mc.Account, usd float64) *mc.Account {
	a := &s.depositor
	pools, settings := append(a.Pools[:0], account.Pools...), append(a.Settings[:0], account.Settings...)
	*a = *account
	a.Pools, a.Settings = pools, settings
	if len(a.Pools) == 0 {
		a.CrossAccountValueUSD += usd
		return a
	}
	asset := s.In.Target.Market.Asset
	k := a.PoolOf(asset)
	if k == mc.NoPool { // the wallet has no money on the dex
		k = len(a.Pools)
		a.Pools = append(a.Pools, mc.Pool{Dex: asset.Dex, Token: asset.CollateralToken})
	}
	p := &a.Pools[k]
	p.EquityUSD += usd
	p.CashUSD += usd
	for i := range a.Settings {
		if x := &a.Settings[i]; x.Asset == s.In.Trade.Asset {
			x.AvailableUSD[0] += usd
			x.AvailableUSD[1] += usd
		}
	}
	return a
}
