package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ballast/server/api"
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

const staleFlag = "stale_market_data"

// reportLiquidation shows the margin held for resting orders, the chances of liquidation of the trade's pool,
// and the common moves that liquidate a cross pool.
func (a *answer) reportLiquidation(w sheet) {
	switch m := &a.Margin; {
	case m.HeldMost == nil:
		fmt.Fprintln(w, "Margin held for resting orders: not known")
	case *m.HeldMost > m.Held:
		fmt.Fprintf(w, "Margin held for resting orders: %s to %s USD\n", usd(m.Held), usd(*m.HeldMost))
	case m.Held > 0:
		fmt.Fprintf(w, "Margin held for resting orders: %s USD\n", usd(m.Held))
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
		wrapped(w, "", fmt.Sprintf("Chance of liquidation: %s within 24 h%s, %s within 7 days", chance(*l.Probability24h), before, chance(*l.Probability7d)))
	}
	var moves []string
	if down := a.Margin.Move.Down; down != nil {
		moves = append(moves, fmt.Sprintf("%.1f %%", *down))
	}
	if up := a.Margin.Move.Up; up != nil {
		moves = append(moves, fmt.Sprintf("+%.1f %%", *up))
	}
	if len(moves) > 0 {
		fmt.Fprintf(w, "All assets together at %s: a cross pool is liquidated\n", strings.Join(moves, " or "))
	}
	if n := a.Meta.Notice; n != "" {
		wrapped(w, "The venue says: ", n)
	}
	if a.Meta.Role != "" && a.Meta.Role != "user" {
		fmt.Fprintf(w, "The venue calls this address: %s\n", a.Meta.Role)
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
		odds, end := "not known", "survives every scenario"
		if p.Probability != nil {
			odds = chance(*p.Probability)
		}
		if !p.Survives {
			end = w.paint(red, "dies in a scenario")
		}
		wrapped(w, "  ", fmt.Sprintf("%s: equity %s USD, ratio %.1f %%, chance of liquidation %s within 24 h, worst stress %s USD, %s",
			p.name(), usd(p.Equity), p.RatioPct, odds, usd(p.WorstUSD), end))
	}
	fmt.Fprintln(w)
}

func (p *poolAnswer) name() string {
	switch {
	case p.Asset != "":
		return p.Asset + ", " + p.Mode
	case p.Dex == nil:
		return "all dexes, " + p.Mode
	}
	return cmp.Or(*p.Dex, "main dex") + ", " + p.Mode
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
	row(w, "session", "%s oracle, %s to %s UTC: meanwhile the price is the venue's own book's", s.Class, state, at(s.ReopensAt))
}

func (a *answer) sizeReason() string {
	rule := ""
	if a.Explanation != nil {
		rule = a.Explanation.SizeRule
	}
	return api.SizeWords(rule, a.Sizing.Reason)
}

// reportAccountStress names the worst scenario of the wallet and those that it does not survive.
func (a *answer) reportAccountStress(w sheet) {
	s := a.PortfolioStress
	if s == nil {
		return
	}
	end := "the account survives all scenarios"
	if len(s.Failed) > 0 {
		end = w.paint(red, fmt.Sprintf("the account fails %d of %d: %s", len(s.Failed), len(a.Stress), strings.Join(s.Failed, ", ")))
	}
	wrapped(w, w.paint(bold, "Worst scenario of the wallet")+" ", fmt.Sprintf("%s: %s USD, %.1f %% of the account, %d liquidated; %s", s.Scenario, usd(s.PnLUSD), s.PnLPct, s.Liquidated, end))
}
