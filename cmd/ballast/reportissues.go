package main

import (
	"fmt"
	"math"
	"strings"

	"ballast/internal/printable"
	"ballast/server/spec/types"
)

// issueWords says what is wrong with the order and how to correct it. leverage is the position's
// leverage after the trade.
func issueWords(i *types.Issue, leverage float64) string {
	times := func(x float64) string { return figure(x) + "x" }
	got, _ := i.Got.(float64)
	limit := 0.0
	if i.Limit != nil {
		limit = *i.Limit
	}
	text, _ := i.Got.(string)
	smallest := ""
	if i.Fix != nil {
		smallest = fmt.Sprintf(": the smallest size that passes is %s USD", cents(*i.Fix))
	}
	switch i.Code {
	case "reduce_only_would_increase":
		return "there is no position to close"
	case "lot":
		return fmt.Sprintf("the size, %s USD, is less than one lot, %s USD", cents(got), cents(limit)) + smallest
	case "min_notional":
		return fmt.Sprintf("in whole lots the order is %s USD, the venue takes %s USD and more", cents(got),
			usd(limit)) + smallest
	case "max_leverage":
		return fmt.Sprintf("leverage %s, the asset allows %s", times(got), times(limit))
	case "tier_leverage":
		return fmt.Sprintf("leverage %s, a position of this size may have %s", times(got), times(limit))
	case "oi_cap":
		return fmt.Sprintf("open interest is at the venue's cap, %s USD: no increase until it falls", usd(limit))
	case "insufficient_margin":
		return fmt.Sprintf("free margin %s USD, needs %s: %s", usd(limit), usd(got), marginFix(i, leverage))
	case "margin_unknown":
		return fmt.Sprintf(
			"needs %s USD of margin: whether that is free of what resting orders or loans hold is not known",
			usd(got))
	case "max_market_order":
		return fmt.Sprintf("the order is %s USD, the venue takes up to %s USD at once", usd(got), usd(limit))
	case "no_liquidity":
		return "the book has nothing on the side of the order"
	case "leverage_not_whole":
		return fmt.Sprintf("leverage %s is no whole number", times(got)) + choices(i.Allowed)
	case "isolated_leverage_too_low":
		return fmt.Sprintf("leverage %s is too low for the margin of the open position", times(got)) + lowest(i.Fix)
	case "market_post_only":
		return "the venue takes post-only orders alone: " + text
	case "tick", "price_too_far", "would_cross":
		return priceWords(i, got, limit)
	case "venue_notice":
		return "the venue says: " + text
	}
	return string(i.Code)
}

// priceWords says what is wrong with the price of a limit order.
func priceWords(i *types.Issue, got, limit float64) string {
	words := map[types.IssueCode]string{
		"tick":          "the price %s is between the venue's steps of %s",
		"price_too_far": "the price %s is further from the mark than %s",
		"would_cross":   "the price %s would fill at once at %s, and the order is post-only",
	}
	text := fmt.Sprintf(words[i.Code], printable.Decimal(got), printable.Decimal(limit))
	if i.Fix != nil {
		text += ": " + printable.Decimal(*i.Fix) + " passes"
	}
	return text
}

// marginFix names the largest size at this leverage, and the leverage for this size, that the free margin allows.
func marginFix(i *types.Issue, leverage float64) string {
	var fixes []string
	if i.Fix != nil {
		fixes = append(fixes, fmt.Sprintf("largest size at %sx %s USD", figure(leverage), usd(math.Floor(*i.Fix))))
	}
	if i.FixLeverage > 0 {
		fixes = append(fixes, fmt.Sprintf("%sx carries this size", figure(i.FixLeverage)))
	}
	if i.FixDepositUSD != nil {
		deposit := fmt.Sprintf("a deposit of %s USD", cents(*i.FixDepositUSD))
		if i.FixDepositProbability24h != nil {
			deposit += fmt.Sprintf(" (chance of liquidation within 24 h then: %s)", chance(*i.FixDepositProbability24h))
		}
		fixes = append(fixes, deposit)
	}
	if len(fixes) == 0 {
		return fmt.Sprintf("no size at %sx passes, and no leverage carries this size", figure(leverage))
	}
	return strings.Join(fixes, ", or ")
}

// cents prints an amount in USD, rounded up: to the dollar from 1,000 USD on, else to the cent.
func cents(x float64) string {
	if x >= 1000 {
		return usd(math.Ceil(x - 1e-6))
	}
	return fmt.Sprintf("%.2f", math.Ceil(x*100-1e-6)/100)
}

// choices names the whole numbers next to a leverage.
func choices(allowed []float64) string {
	if len(allowed) != 2 {
		return ""
	}
	return fmt.Sprintf(": %s or %s", figure(allowed[0]), figure(allowed[1]))
}

// lowest names the smallest leverage that the venue would take.
func lowest(fix *float64) string {
	if fix == nil {
		return ": none would do"
	}
	return fmt.Sprintf(": %sx is the lowest", figure(*fix))
}
