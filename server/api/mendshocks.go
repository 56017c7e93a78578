package api

import (
	"slices"
	"strings"

	"ballast/compute/risk"
	"ballast/internal/printable"
	"ballast/marketcache"
)

var shockFields = []string{"wallet", "trade", "shocks"}

// MendShocks returns how to mend a refused stress request.
func MendShocks(bad *risk.Reject, b *Shocks, universe *marketcache.Universe) Mending {
	if bad.Code != CodeValidation {
		return Mending{Field: bad.Field}
	}
	return mendAll(bad, b.problems(universe), func(p *risk.Reject) Mending { return b.mendField(p, universe) })
}

// problems returns every unknown field, then every broken rule in the order of Check.
func (b *Shocks) problems(universe *marketcache.Universe) (all []*risk.Reject) {
	all = append(unknownFields(b.unknown), b.checkWallet())
	if b.HasTrade() {
		for _, p := range b.Trade.Request.Problems(universe) {
			if p.Field != "wallet" {
				all = append(all, OfTrade(p))
			}
		}
	} else {
		all = append(all, b.checkTrade(universe))
	}
	all = append(all, b.checkList())
	for i := range b.shocks {
		all = append(all, b.shocks[i].check(universe))
	}
	return slices.DeleteFunc(all, isNone)
}

func (b *Shocks) mendField(bad *risk.Reject, universe *marketcache.Universe) Mending {
	m := Mending{Field: bad.Field}
	if field, is := strings.CutPrefix(bad.Field, inTrade); is {
		m = mendField(&risk.Reject{Field: field, Bound: bad.Bound, Above: bad.Above}, &b.Trade.Request, universe, true)
		m.Field = bad.Field
		return m
	}
	switch bad.Field {
	case "wallet":
		m.text(&b.Wallet, suggestWallet(string(b.Wallet.Value)), &Allowed{Pattern: walletPattern})
		return m
	case "trade":
		m.typed(b.trade.Raw)
		return m
	case "shocks":
		if m.typed(b.list.Raw); b.count > MaxShocks {
			m.Allowed = &Allowed{Max: MaxShocks}
		}
		return m
	}
	for i := range b.shocks {
		if s := &b.shocks[i]; inShocks+printable.Name(s.name) == bad.Field {
			return s.mend(bad.Field, universe)
		}
	}
	return mendUnknown(bad.Field, shockFields)
}

func (s *shock) mend(field string, universe *marketcache.Universe) Mending {
	if !s.listed(universe) {
		return Mending{Field: field, Got: printable.Text(s.name), Suggestion: suggestAsset(string(s.name), universe)}
	}
	above := minShockPct
	m := Mending{Field: field}
	m.number(&s.pct, &Allowed{ExclusiveMin: &above, Max: maxShockPct}, []string{"%"})
	if s.pct.Kind == risk.Mistyped {
		m.Allowed.Type = "number"
	}
	return m
}
