package api

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"ballast/compute/risk"
)

// What an answer says in words.

// flagText returns the meaning of a flag, with figure, threshold and unit if it has them.
func flagText(f risk.Flag, a *risk.Assessment) string {
	meaning, own := appendMeaning(nil, f, a)
	if unit := flagUnit(f, a); !own && unit != "" {
		return string(meaning) + ": " + rounded(a.Flags.Value[f]) + " " + unit + ", limit " +
			rounded(a.Flags.Threshold[f]) + " " + unit
	}
	return string(meaning)
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

// StaleWords names an input that is past its soft limit: "wallet 11 s old, limit 2 s".
func StaleWords(l *risk.Lateness) string { return string(appendStale(nil, l)) }

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

// FailedWords counts the scenarios that the account does not survive, and names the first.
func FailedWords(failed uint32) string { return string(appendFailed(nil, failed)) }

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

// SizeWords says what keeps the size down: a hard rule, the score, or else one of the four limits.
func SizeWords(rule, limit string) string {
	switch words := RuleWords[rule]; {
	case words != "":
		return words + " (" + rule + ")"
	case rule != "":
		return "the " + rule
	}
	return limit
}

var verdicts = [...]string{risk.Proceed: "Proceed", risk.ProceedWithCaution: "Proceed with caution",
	risk.Abort: "Abort"}

// summary returns one to three sentences: that the answer is stale, if it is, the recommendation, the
// reason, and an acceptable size.
func summary(a *risk.Assessment) string {
	text := verdicts[a.Recommendation] + ", risk score " + rounded(math.Round(10*a.RiskScore)/10)
	if a.Flags.Has(risk.FlagStaleMarketData) {
		text = "Stale: " + flagText(risk.FlagStaleMarketData, a) + ". " + text
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
	reason := SizeWords(a.Explanation.SizeRule, a.Sizing.Limit.String())
	switch {
	case a.Recommendation == risk.Proceed && a.Admissibility.Verdict == risk.VerdictWillReject:
		text += " The venue would reject it: " + a.Admissibility.Issues[0].Code.String() + "."
	case a.Recommendation != risk.Proceed && suggested > 0 && suggested < size:
		text += " Suggested size: " + rounded(math.Floor(suggested)) + " USD."
	case a.Recommendation != risk.Proceed && suggested == 0:
		text += " No size is suggested: " + reason + "."
	}
	return text
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
		stale := f == risk.FlagStaleMarketData
		if a.Flags.Has(f) && risk.FlagTable[f].Severity != risk.Info && !stale && !slices.Contains(list, f) &&
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
				stale = "Stale: " + StaleWords(&r.Lateness) + ". "
			}
		}
	}
	text := stale + neededActions(r) + worst.Asset + " has the highest risk score, " + rounded(math.Round(10*worst.RiskScore)/10)
	if s := &r.PortfolioStress; s.Known && s.Failed != 0 {
		text += ". The account " + FailedWords(s.Failed)
	}
	return text + "."
}
