package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ballast/server/api"
	"ballast/server/spec/types"
)

// sizeAnswer is an answer about sizes to be shown in the terminal.
type sizeAnswer struct{ types.SizeAnswer }

// Validate refuses more than one target.
func (c *sizeCmd) Validate() error {
	if len(c.targets()) > 1 {
		return errors.New("--max-score, --max-probability, --max-loss-pct, --max-breakeven-pct: want one of them")
	}
	return c.check(c.Wallet)
}

// targets returns the targets that the flags name.
func (c *sizeCmd) targets() map[string]float64 {
	all := map[string]float64{}
	for name, value := range map[string]float64{"max_score": c.MaxScore, "max_probability_24h": c.MaxProbability,
		"max_loss_99_pct_of_account": c.MaxLossPct, "max_breakeven_pct": c.MaxBreakevenPct} {
		if value != 0 {
			all[name] = value
		}
	}
	return all
}

// Run prints the largest size that meets the target.
func (c *sizeCmd) Run() error {
	wallet := c.walletOr(c.Wallet)
	target := c.targets()
	if len(target) == 0 {
		target["max_score"] = 40 // the highest that proceeds
	}
	request := map[string]any{"asset": c.Asset, "action": c.Action, "wallet": wallet, "target": target}
	if c.Leverage != 0 {
		request["leverage"] = c.Leverage
	}
	if c.Mode != "" {
		request["mode"] = c.Mode
	}
	var a sizeAnswer
	err := c.show(c.explained("/v1/size"), request, &a, func(w sheet) { a.print(w, c.Asset, c.Action, wallet) })
	switch {
	case err != nil:
		return err
	case a.SizeUSD == 0:
		return exitOf["abort"]
	case a.stale() != "":
		return exitOf["proceed_with_caution"]
	}
	return nil
}

// stale is that of the assessment.
func (a *sizeAnswer) stale() string { return (&answer{a.Assessment}).stale() }

func (a *sizeAnswer) print(w sheet, asset, action, wallet string) {
	x := &a.Assessment
	w.venue(x.Meta.Venue)
	a.printSize(w, asset, action)
	fmt.Fprintf(w, "wallet %s\nmark price %s, %s\n%s\n", wallet, price(x.Meta.MarkPrice), x.Meta.AsOf,
		w.gauge(x.RiskScore))
	if len(a.Curve) > 1 {
		fmt.Fprintf(w, "\n%s\n", w.paint(bold, fmt.Sprintf("%12s %-*s %5s %12s  %s", "Size, USD", barCells,
			"risk score", "", "in 24 h", "rule")))
	}
	const shown = 9
	var rules []string // that bind, in words
	for i := range shown {
		if len(a.Curve) > 1 {
			p := &a.Curve[i*(len(a.Curve)-1)/(shown-1)]
			printPoint(w, p)
			if p.Rule != nil && !slices.Contains(rules, *p.Rule+" "+api.RuleWords[*p.Rule]) {
				rules = append(rules, *p.Rule+" "+api.RuleWords[*p.Rule])
			}
		}
	}
	if len(rules) > 0 {
		wrapped(w, "", strings.Join(rules, "; "))
	}
	if at := a.VenueLimitUSD; at != nil {
		fmt.Fprintf(w, "from %s USD the venue refuses\n", usd(*at))
	}
	if at := a.PolicyLimitUSD; at != nil {
		fmt.Fprintf(w, "from %s USD the operator's limits forbid\n", usd(*at))
	}
	if len(a.Ladder) > 0 {
		fmt.Fprintf(w, "\n%s\n", w.paint(bold, fmt.Sprintf("%8s %11s %6s %12s %11s  %s", "Leverage", "size, USD",
			"score", "in 24 h", "liquidation", "stopped by")))
	}
	for i := range a.Ladder {
		printRung(w, &a.Ladder[i])
	}
	fmt.Fprintln(w)
	a.printSize(w, asset, action)
}

// printSize is the first and the last line.
func (a *sizeAnswer) printSize(w sheet, asset, action string) {
	w.stale(a.stale())
	if a.SizeUSD > 0 {
		wrapped(w, "", fmt.Sprintf("%s %s USD: %s %s %s at %sx; one lot more is stopped by %s", w.paint(green, "UP TO"),
			usd(a.SizeUSD), action, amount(a.SizeCoin), asset, figure(a.Leverage), a.Binding))
		return
	}
	text := w.paint(red, "NO SIZE") + " meets the target; stopped by " + a.Binding
	if n := a.Nearest; n != nil {
		text += fmt.Sprintf("; the smallest order, %s USD, has risk score %.1f", usd(n.SizeUSD), n.RiskScore)
	}
	wrapped(w, "", text)
}

func printPoint(w sheet, p *types.SizePoint) {
	rule := p.PolicyRule
	if p.Rule != nil {
		rule = strings.TrimSuffix(*p.Rule+", "+rule, ", ")
	}
	fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%12s %s %5.1f %12s  %s", usd(p.SizeUSD), w.level(p.RiskScore),
		p.RiskScore, odds(p.Probability24h), rule), " "))
}

func printRung(w sheet, r *types.SizeRung) {
	score, chance := "-", "-"
	if r.RiskScore != nil {
		chance = odds(r.Probability24h)
		score = w.paint(levelColour(*r.RiskScore), fmt.Sprintf("%6.1f", *r.RiskScore))
	}
	fmt.Fprintf(w, "%7sx %11s %6s %12s %11s  %s\n", figure(r.Leverage), usd(r.SizeUSD), score, chance,
		orDash(r.LiquidationPrice, price), r.Binding)
}

// odds prints a chance that may be unknown.
func odds(p *float64) string { return or("not known", p, chance) }
