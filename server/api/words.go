package api

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"ballast/compute/risk"
)

// What an answer says in words.

// flagText returns the meaning of a flag, with figure, threshold and unit if it has them.
func flagText(f risk.Flag, a *risk.Assessment) string {
	meaning, own := appendMeaning(nil, f, a)
	if figures := flagFigures(f, a); !own && figures != "" {
		return string(meaning) + ": " + figures
	}
	return string(meaning)
}

// shortText is flagText without the meaning, for a flag that has a figure.
func shortText(f risk.Flag, a *risk.Assessment) string {
	if figures := flagFigures(f, a); figures != "" {
		return figures
	}
	return flagText(f, a)
}

// flagFigures puts figure and threshold of a flag in words; empty for a flag without them.
func flagFigures(f risk.Flag, a *risk.Assessment) string {
	unit, value, threshold := flagUnit(f, a), a.Flags.Value[f], a.Flags.Threshold[f]
	switch unit {
	case "":
		return ""
	case "fraction":
		unit, value, threshold = "%", 100*value, 100*threshold
	case "share of the room":
		unit, value, threshold = "% of the room", 100*value, 100*threshold
	}
	if threshold == 0 && f != risk.FlagInsufficientMargin {
		return FlagFigures(f.String(), rounded(value)+" "+unit, "")
	}
	return FlagFigures(f.String(), rounded(value)+" "+unit, rounded(threshold)+" "+unit)
}

// FlagFigures puts the figure and the threshold of a flag, both with their units, in words: "has 0 USD, needs 251 USD",
// or "101 bps, limit 25 bps". No threshold: the figure alone.
func FlagFigures(flag, figure, threshold string) string {
	switch {
	case threshold == "":
		return figure
	case flag == "insufficient_margin":
		return "has " + threshold + ", needs " + figure
	case flag == "near_liquidation":
		return figure + " away, needs " + threshold
	case flag == "low_volume" && strings.HasSuffix(figure, "%"): // of a day's volume
		return figure + ", limit " + threshold
	case slices.Contains(atLeast, flag):
		return "has " + figure + ", needs " + threshold
	}
	return figure + ", limit " + threshold
}

// atLeast are the flags whose figure should be at least the threshold.
var atLeast = []string{
	"negative_account_equity", "low_volume", "limited_history", "new_listing", "unprotected_position",
}

// appendMeaning appends the meaning of a flag. Some flags have a text of their own that names what is meant.
func appendMeaning(dst []byte, f risk.Flag, a *risk.Assessment) (text []byte, own bool) {
	x := &a.Explanation
	switch {
	case f == risk.FlagStaleMarketData && x.Lateness.What != "":
		return appendStale(dst, &x.Lateness), true
	case f == risk.FlagAccountFailsStress && x.Failed != 0:
		return appendFailed(dst, x.Failed), true
	case f == risk.FlagHistoryLoading && len(x.Loading) > 0:
		return appendLoading(dst, x.Loading), true
	}
	dst = append(dst, risk.FlagTable[f].Meaning...)
	if f == risk.FlagVenuePostOnly && a.Meta.VenueNotice != "" {
		return append(append(dst, ": "...), a.Meta.VenueNotice...), true
	}
	return dst, false
}

// appendStale names an input that is past its soft limit: "wallet 11 s old, limit 2 s".
func appendStale(dst []byte, l *risk.Lateness) []byte {
	dst = append(dst, l.What...)
	if l.Age < 0 {
		return append(dst, " not known yet"...)
	}
	dst = append(appendSeconds(append(dst, ' '), l.Age), " old, limit "...)
	return appendSeconds(dst, l.Limit)
}

// appendSeconds appends a duration in seconds, from ten seconds on in whole ones.
func appendSeconds(dst []byte, d time.Duration) []byte {
	unit := 100 * time.Millisecond
	if d >= 10*time.Second {
		unit = time.Second
	}
	return append(strconv.AppendFloat(dst, d.Round(unit).Seconds(), 'f', -1, 64), " s"...)
}

// appendFailed counts the scenarios that the account does not survive, and names the first.
func appendFailed(dst []byte, failed uint32) []byte {
	const named = 3
	n := bits.OnesCount32(failed)
	dst = append(strconv.AppendInt(append(dst, "fails "...), int64(n), 10), " of "...)
	dst = append(strconv.AppendInt(dst, risk.ScenarioCount, 10), " stress scenarios: "...)
	told := 0
	for i := range risk.Scenarios {
		if failed>>i&1 == 0 || told == named {
			continue
		}
		if told++; told > 1 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, risk.Scenarios[i].ID...)
	}
	return appendMore(dst, n-named)
}

// appendMore says how many are not named.
func appendMore(dst []byte, n int) []byte {
	if n <= 0 {
		return dst
	}
	return append(strconv.AppendInt(append(dst, " and "...), int64(n), 10), " more"...)
}

// appendLoading names what is still to be read, each with the time until it is expected.
func appendLoading(dst []byte, parts []risk.LoadingPart) []byte {
	const named = 4
	dst = append(dst, "still to be read: "...)
	for i := range parts[:min(len(parts), named)] {
		p := &parts[i]
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if dst = append(dst, p.What...); p.Asset != "" {
			dst = append(append(dst, " of "...), p.Asset...)
		}
		if p.ReadyInS >= 0 {
			dst = append(strconv.AppendInt(append(dst, " (in "...), int64(math.Ceil(p.ReadyInS)), 10), " s)"...)
		}
	}
	return appendMore(dst, len(parts)-named)
}

// RuleWords describe the hard rules of the score.
var RuleWords = map[string]string{
	"H1": "liquidation is near for a move of 4 hours", "H2": "open interest at the cap", "H3": "free margin too small",
	"H4": "slippage",
	"H5": "leverage over the margin tier's", "H6": "loss of the whole book", "H7": "chance of liquidation within 24 h",
	"H7b": "chance of liquidation within 7 days",
	"H8":  "a stress scenario ends the pool", "H9": "no equity left", "H10": "cost of a round trip",
	"H11": "size against a day's volume", "H12": "a large deposit is assumed", "H13": "prices contradict each other",
	"H14": "funding takes the room to liquidation",
}

// SizeWords says what keeps the size down: a rule of the operator, a hard rule, the score, or else one of the four
// limits.
func SizeWords(operators, rule, limit string) string {
	switch words := RuleWords[rule]; {
	case operators != "":
		return "the operator's " + operators
	case words != "":
		return words + " (" + rule + ")"
	case rule != "":
		return "the " + rule
	case limitWords[limit] != "":
		return limitWords[limit]
	}
	return limit
}

// limitWords describe the limits of a size.
var limitWords = map[string]string{
	"book_depth": "the depth of the book", "oi_capacity": "the room for open interest",
	"margin_headroom": "the margin that is free", "market_impact": "what the order would move the market",
}

var verdicts = [...]string{risk.Proceed: "Proceed", risk.ProceedWithCaution: "Proceed with caution",
	risk.Abort: "Abort"}

// Stale says which input of an assessment on old data is too old.
func Stale(a *risk.Assessment) string { return flagText(risk.FlagStaleMarketData, a) }

// Summary puts an assessment with explanation in one to four sentences: that the answer is stale, if it is, the margin
// that is missing, the recommendation, the reason, and an acceptable size.
func Summary(a *risk.Assessment) string {
	text := ""
	if a.Flags.Has(risk.FlagStaleMarketData) {
		text = "Stale: " + flagText(risk.FlagStaleMarketData, a) + ". "
	}
	text += marginRemedy(a) + verdicts[a.Recommendation] + ", risk score " + rounded(math.Round(10*a.RiskScore)/10)
	if a.Explanation.Capped {
		text += " (an exit: capped at " + rounded(a.RiskScore) + ")"
	}
	separator := ": "
	for _, f := range drivers(a) {
		meaning := risk.FlagTable[f].Meaning
		if f == risk.FlagAccountFailsStress {
			meaning = flagText(f, a)
		}
		text += separator + meaning
		separator = "; "
	}
	text += "."
	if a.Flags.Has(risk.FlagMarginModeDiffers) {
		text += " The venue opens in the wallet's own margin mode until updateLeverage changes it."
	}
	size, suggested := a.Admissibility.OrderSizeUSD, a.Sizing.SuggestedUSD
	reason := SizeWords(a.Sizing.Rule, a.Explanation.SizeRule, a.Sizing.Limit.String())
	switch refusal := refusalWords(&a.Admissibility); {
	case a.Recommendation == risk.Proceed && refusal != "":
		text += " The venue would reject it: " + refusal + "."
	case a.Recommendation != risk.Proceed && suggested > 0 && suggested < size:
		text += " Suggested size: " + rounded(roundedDown(math.Floor(suggested))) + " USD."
	case a.Recommendation != risk.Proceed && suggested == 0:
		text += " No size is suggested: " + reason + "."
	}
	return text
}

// marginRemedy says what the venue wants before it takes the order: "Move 251 USD to xyz, or lower the size to 399 USD:
// free margin has 0 USD, needs 250.77 USD. ". Empty where the margin is enough.
func marginRemedy(a *risk.Assessment) string {
	for i := range a.Admissibility.Issues[:a.Admissibility.Count] {
		issue := &a.Admissibility.Issues[i]
		if issue.Code != risk.IssueInsufficientMargin || issue.FixDepositUSD == 0 {
			continue
		}
		amount := rounded(roundedUp(math.Ceil(issue.FixDepositUSD))) + " USD"
		text := "Add " + amount
		switch pool := a.Explanation.Pool; pool {
		case "main":
		case "unified", "portfolio":
			text += " of collateral"
		default:
			text = "Move " + amount + " to " + pool
		}
		if issue.Fix > 0 {
			text += ", or lower the size to " + rounded(roundedDown(math.Floor(issue.Fix))) + " USD"
		}
		if issue.FixLeverage > 0 {
			text += ", or use " + rounded(issue.FixLeverage) + "x"
		}
		return text + ": free margin has " + rounded(issue.Limit) + " USD, needs " + rounded(issue.Got) + " USD. "
	}
	return ""
}

// refusalWords says why the venue would refuse the order, except for its margin; empty where it would not.
func refusalWords(a *risk.Admissibility) string {
	for i := range a.Issues[:a.Count] {
		issue := &a.Issues[i]
		fix := rounded(issue.Fix)
		switch issue.Code {
		case risk.IssueReduceOnly:
			return "there is no position to reduce"
		case risk.IssueLot:
			return "the size is less than one lot"
		case risk.IssueMinNotional:
			return "the smallest order is " + rounded(roundedUp(math.Ceil(issue.Fix))) + " USD"
		case risk.IssueMaxLeverage, risk.IssueTierLeverage:
			return "the leverage may be " + rounded(issue.Limit) + "x at most"
		case risk.IssueOICap:
			return "open interest is at its cap"
		case risk.IssueMaxMarketOrder:
			return "the largest order is " + rounded(roundedDown(math.Floor(issue.Fix))) + " USD"
		case risk.IssueNoLiquidity:
			return "the book is empty on its side"
		case risk.IssueLeverageNotWhole:
			return "the leverage must be whole, such as " + fix + "x"
		case risk.IssueIsolatedLeverageTooLow:
			return "the open position's margin wants a leverage of at least " + rounded(math.Ceil(issue.Limit)) + "x"
		case risk.IssueMarketPostOnly:
			return "it takes post-only orders alone"
		}
	}
	return ""
}

// drivers returns up to two raised flags that say why the recommendation is what it is. Stress comes first
// where it sets the score.
func drivers(a *risk.Assessment) (list []risk.Flag) {
	x := &a.Explanation
	h8 := slices.Index(risk.HardRuleNames[:], "H8")
	if a.Flags.Has(risk.FlagAccountFailsStress) && x.Floor > 0 && x.HardRules[h8] == x.Floor && x.RawScore == x.Floor {
		list = append(list, risk.FlagAccountFailsStress)
	}
	for f := range risk.FlagCount {
		// told elsewhere, or of no meaning for a close
		told := f == risk.FlagStaleMarketData || f == risk.FlagInsufficientMargin && marginRemedy(a) != "" ||
			f == risk.FlagNoAccountEquity && a.Flags.Has(risk.FlagNoOpenPosition)
		if a.Flags.Has(f) && risk.FlagTable[f].Severity != risk.Info && !told && !slices.Contains(list, f) &&
			len(list) < 2 {
			list = append(list, f)
		}
	}
	return list
}

// ActionWords says what a pool needs that is not at its target: "ETH: add 850 USD", "main: reduce by 76 % or add
// 40270 USD".
func ActionWords(a *risk.PoolAction) string {
	text, separator := a.Pool+": ", ""
	if a.ReducePct > 0 {
		text, separator = text+"reduce by "+rounded(roundedUp(a.ReducePct))+" %", " or "
		if a.ReduceOrders > len(a.Assets) { // the venue takes no larger ones
			text += " in " + strconv.Itoa(a.ReduceOrders) + " orders"
		}
	}
	switch {
	case a.AddMarginUSD > 0:
		return text + separator + "add " + rounded(roundedUp(a.AddMarginUSD)) + " USD"
	case separator == "":
		return text + "neither a reduction nor a deposit brings it to the target"
	}
	return text
}

// neededActions says what the pools of a wallet need, at most three of them.
func neededActions(r *risk.WalletReport) (text string) {
	const named = 3
	var pools []string
	for i := range r.Positions {
		a := &r.Positions[i].Action
		if !a.Known || a.Kind == risk.Hold || slices.Contains(pools, a.Pool) {
			continue
		}
		if pools = append(pools, a.Pool); len(pools) > named {
			continue
		}
		text += ActionWords(a) + ". "
	}
	if more := len(pools) - named; more > 0 {
		text += strconv.Itoa(more) + " more pools need something. "
	}
	return text
}

// summaryOfWallet says what the pools need that are not at the target, and names the position with the highest score.
func summaryOfWallet(r *risk.WalletReport) string {
	if len(r.Positions) == 0 {
		return "No open position."
	}
	worst, stale := &r.Positions[0], ""
	for i := range r.Positions {
		p := &r.Positions[i]
		if p.RiskScore > worst.RiskScore {
			worst = p
		}
		if p.Flags.Has(risk.FlagStaleMarketData) {
			if stale = "Stale: " + risk.FlagTable[risk.FlagStaleMarketData].Meaning + ". "; r.Lateness.What != "" {
				stale = string(appendStale([]byte("Stale: "), &r.Lateness)) + ". "
			}
		}
	}
	text := stale + neededActions(r) + worst.Asset +
		" has the highest risk score, " + rounded(math.Round(10*worst.RiskScore)/10)
	if s := &r.PortfolioStress; s.Known && s.Failed != 0 {
		text = string(appendFailed([]byte(text+". The account "), s.Failed))
	}
	return text + "."
}
