package main

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"ballast/server/spec/types"
)

// walletReport is a monitor answer to be shown in the terminal.
type walletReport struct{ types.WalletReport }

func (c *monitorCmd) Validate() error { return c.check(c.Wallet) }

// Run prints the wallet as held.
func (c *monitorCmd) Run() error {
	var r walletReport
	if err := c.show(monitorPath(walletOf(c.Wallet)), nil, &r, r.print); err != nil {
		return err
	}
	_, _, status := r.need()
	return unlessStale(status, r.stale() != "")
}

// stale names the positions that are assessed on old data.
func (r *walletReport) stale() string {
	var assets []string
	for i := range r.Positions {
		if slices.Contains(r.Positions[i].Flags, staleFlag) {
			assets = append(assets, r.Positions[i].Asset)
		}
	}
	if assets == nil {
		return ""
	}
	return "an input is older than its limit: " + strings.Join(assets, ", ")
}

func monitorPath(wallet string) string { return "/v1/monitor/" + url.PathEscape(wallet) }

// need says what the wallet needs: what its pools need that are not at their target, or to be held as it is.
// Nobody can abort what he holds, so the verdicts of the positions do not count.
func (r *walletReport) need() (words string, c colour, status exitStatus) {
	var needs []string
	known := true
	for i := range r.Positions {
		a := r.Positions[i].Action
		switch {
		case a == nil:
			known = false
		case a.Kind != "hold" && !slices.Contains(needs, needOf(a)):
			needs = append(needs, needOf(a))
		}
	}
	switch {
	case len(needs) > 0:
		return strings.Join(needs, ", "), red, 20
	case !known:
		return "NOT KNOWN", yellow, 10
	}
	return "HOLD", green, 0
}

// needOf says what the pool needs: the kind of the action, unless neither way helps.
func needOf(a *types.PoolAction) string {
	if a.ReducePct == nil && a.AddMarginUSD == nil {
		return "NOTHING HELPS"
	}
	return strings.ToUpper(strings.ReplaceAll(string(a.Kind), "_", " "))
}

func (r *walletReport) print(w sheet) {
	w.venue(r.Meta.Venue)
	words, c, _ := r.need()
	verdict := w.paint(c, words)
	w.stale(r.stale())
	fmt.Fprintf(w, "%s   %d positions, account value %s USD\nwallet %s, %s\n", verdict, len(r.Positions),
		usd(r.AccountValue), r.Wallet, r.Meta.AsOf)
	wrapped(w, "", fmt.Sprintf("free margin %s USD; maintenance ratio %.1f %%, the venue liquidates at 100 %%",
		usd(r.Margin.Free), r.Margin.MaintenanceRatioPct))
	if p := r.PortfolioRisk; p != nil {
		fmt.Fprintf(w, "the book loses %s USD or more on 1 of 100 days\n", usd(p.PortfolioVaR99_24h))
	}
	if len(r.Positions) == 0 {
		return
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, w.paint(bold, fmt.Sprintf("%-12s %12s %5s %11s  %-19s %s", "Position", "USD", "score", "P&L, USD",
		"to liquidation", "in 24 h")))
	slices.SortStableFunc(r.Positions, func(a, b types.HeldPosition) int {
		return cmp.Compare(a.LiquidationDistancePct, b.LiquidationDistancePct)
	})
	for i := range r.Positions {
		printPosition(w, &r.Positions[i])
	}
	fmt.Fprintln(w)
	for i := range r.Pools {
		p := &r.Pools[i]
		wrapped(w, "  ", fmt.Sprintf("%s: equity %s USD, ratio %.1f %%, chance of liquidation %s within 24 h",
			poolName(p), usd(p.EquityUSD), p.MaintenanceRatioPct, odds(p.Probability24h)))
	}
	told := map[string]bool{}
	for i := range r.Positions {
		if a := r.Positions[i].Action; a != nil && a.Kind != "hold" && !told[a.Pool] {
			told[a.Pool] = true
			printAction(w, a)
		}
	}
	w.stale(r.stale())
	nearest := "no position has a liquidation price"
	if p := &r.Positions[0]; p.LiquidationPrice != nil {
		nearest = fmt.Sprintf("nearest to liquidation: %s, %.2f %% away", p.Asset, p.LiquidationDistancePct)
	}
	fmt.Fprintf(w, "%s   %s\n", verdict, nearest)
}

func printPosition(w sheet, p *types.HeldPosition) {
	distance := p.LiquidationDistancePct
	room := w.paint(levelColour(100-distance*6), bar(distance/100/farthest, barCells/2)) // full from 50 % on
	fmt.Fprintf(w, "%-12.12s %12s %s %11s  %s %6.2f %% %s\n", p.Asset, usd(p.Size*p.MarkPrice),
		w.paint(levelColour(p.RiskScore), fmt.Sprintf("%5.1f", p.RiskScore)), orDash(p.UnrealizedPnL, usd), room,
		distance, odds(p.Probability24h))
}

// printAction says what to do with a pool.
func printAction(w sheet, a *types.PoolAction) {
	var ways []string
	if a.ReducePct != nil && a.ReduceUSD != nil {
		way := fmt.Sprintf("reduce %s by %.1f %%, %s USD", strings.Join(a.Assets, ", "), *a.ReducePct,
			usd(*a.ReduceUSD))
		if n := a.ReduceOrders; n != nil && int(*n) > len(a.Assets) {
			way += fmt.Sprintf(" in %d orders, the venue takes no larger ones", *n)
		}
		ways = append(ways, way)
	}
	if a.AddMarginUSD != nil {
		ways = append(ways, fmt.Sprintf("add %s USD of margin", usd(*a.AddMarginUSD)))
	}
	name := w.paint(yellow, a.Pool+": ")
	if len(ways) == 0 {
		wrapped(w, name, "neither a reduction nor margin brings it to 5 % within 24 h and through every scenario")
		return
	}
	wrapped(w, name, strings.Join(ways, ", or ")+": then at most 5 % within 24 h, and it survives every scenario")
}
