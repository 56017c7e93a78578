package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ballast/server/api"
	"ballast/server/spec/types"
)

// What the report says about the wallet as a whole.

// stale says which input is late, "" if none is.
func (a *answer) stale() string {
	if !slices.Contains(a.Flags, staleFlag) {
		return ""
	}
	if x := a.Explanation; x != nil {
		for i := range x.Flags {
			if f := &x.Flags[i]; f.Name == staleFlag {
				return f.Meaning
			}
		}
	}
	return "an input is older than its limit"
}

const staleFlag types.Flag = "stale_market_data"

// reportLiquidation shows the margin held for resting orders, the chances of liquidation of the trade's pool,
// and the common moves that liquidate a cross pool.
func (a *answer) reportLiquidation(w sheet) {
	switch m := &a.Margin; {
	case m.HeldMostUSD == nil:
		fmt.Fprintln(w, "Margin held for resting orders: not known")
	case *m.HeldMostUSD > m.HeldUSD:
		fmt.Fprintf(w, "Margin held for resting orders: %s to %s USD\n", usd(m.HeldUSD), usd(*m.HeldMostUSD))
	case m.HeldUSD > 0:
		fmt.Fprintf(w, "Margin held for resting orders: %s USD\n", usd(m.HeldUSD))
	}
	switch l := &a.Liquidation; {
	case l.Probability24h == nil || l.Probability7d == nil:
		fmt.Fprintln(w, "Chance of liquidation: not known, the account could not be read exactly")
	case a.Position.After == nil && *l.Probability7d == 0:
	default:
		before := ""
		if b := a.BookBefore; b != nil && b.Probability24h != nil {
			before = fmt.Sprintf(" (before the trade %s)", chance(*b.Probability24h))
		}
		wrapped(w, "", fmt.Sprintf("Chance of liquidation: %s within 24 h%s, %s within 7 days",
			chance(*l.Probability24h), before, chance(*l.Probability7d)))
	}
	var moves []string
	if down := a.Margin.MarketMove.DownPct; down != nil {
		moves = append(moves, fmt.Sprintf("%.1f %%", *down))
	}
	if up := a.Margin.MarketMove.UpPct; up != nil {
		moves = append(moves, fmt.Sprintf("+%.1f %%", *up))
	}
	if len(moves) > 0 {
		fmt.Fprintf(w, "All assets together at %s: a cross pool is liquidated\n", strings.Join(moves, " or "))
	}
	if n := a.Meta.VenueNotice; n != nil {
		wrapped(w, "The venue says: ", *n)
	}
	if role := a.Meta.WalletRole; role != nil && *role != "user" {
		fmt.Fprintf(w, "The venue calls this address: %s\n", *role)
	}
}

// reportPools shows what the venue liquidates together.
func (a *answer) reportPools(w sheet) {
	if len(a.Pools) == 0 {
		return
	}
	fmt.Fprintln(w, w.paint(bold, "Pools")+" after the trade: what the venue liquidates together")
	for i := range a.Pools {
		p := &a.Pools[i]
		end := "survives every scenario"
		if !p.Survives {
			end = w.paint(red, "dies in a scenario")
		}
		wrapped(w, "  ", fmt.Sprintf(
			"%s: equity %s USD, ratio %.1f %%, chance of liquidation %s within 24 h, worst stress %s USD, %s",
			poolName(p), usd(p.EquityUSD), p.MaintenanceRatioPct, odds(p.Probability24h), usd(p.WorstPnLUSD), end))
	}
	fmt.Fprintln(w)
}

func poolName(p *types.Pool) string {
	name := "all dexes"
	switch {
	case p.Asset != nil:
		name = *p.Asset
	case p.Dex != nil:
		name = cmp.Or(*p.Dex, "main dex")
	}
	return name + ", " + string(p.Mode)
}

// reportSession says when the asset's oracle rests.
func (a *answer) reportSession(w sheet) {
	s := a.VaR.Session
	if s == nil {
		return
	}
	at := func(ms int64) string { return time.UnixMilli(ms).UTC().Format("Mon 15:04") }
	state := "rests from " + at(s.RestsAt)
	if s.Resting {
		state = "rests since " + at(s.RestsAt)
	}
	row(w, "session", "%s oracle, %s to %s UTC: meanwhile the price is the venue's own book's", s.Class, state,
		at(s.ReopensAt))
}

func (a *answer) sizeReason() string {
	rule := ""
	if x := a.Explanation; x != nil && x.SizeRule != nil {
		rule = *x.SizeRule
	}
	return api.SizeWords(a.Sizing.PolicyRule, rule, string(a.Sizing.SizeLimitReason))
}

// reportAccountStress names the worst scenario of the wallet and those that it does not survive.
func (a *answer) reportAccountStress(w sheet) {
	s := a.PortfolioStress
	if s == nil {
		return
	}
	end := "the account survives all scenarios"
	if len(s.FailedScenarios) > 0 {
		end = w.paint(red, fmt.Sprintf("the account fails %d of %d: %s", len(s.FailedScenarios), len(a.Stress),
			joined(s.FailedScenarios)))
	}
	wrapped(w, w.paint(bold, "Worst scenario of the wallet")+" ",
		fmt.Sprintf("%s: %s USD, %.1f %% of the account, %d liquidated; %s",
			s.Scenario, usd(s.TotalPnLUSD), s.TotalPnLPct, s.PositionsLiquidated, end))
}
