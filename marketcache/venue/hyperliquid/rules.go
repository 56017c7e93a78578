package hyperliquid

import (
	"context"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// rulesEvery is the interval between reads of the largest market orders. The first comes rulesAfter the start,
// which takes most of the request weight; the documented figures stand in until then.
const rulesEvery, rulesAfter = time.Hour, 2 * time.Minute

// followRules reads the venue's largest market orders.
func (f *Feed) followRules(ctx context.Context) {
	if feed.Sleep(ctx, rulesAfter) != nil {
		return
	}
	f.every(ctx, rulesEvery, 0, func() error {
		const failed = "largest market orders not read"
		return f.askTable(ctx, failed, "maxMarketOrderNtls", "", feed.ForLive, tablePatience, func(a answer) bool {
			limits, ok := parseOrderLimits(a.body)
			if ok {
				f.setRules(func(r *marketcache.VenueRules) { r.MarketOrders = limits })
			}
			return ok
		})
	})
}

// setRules replaces the venue's rules by a changed copy.
func (f *Feed) setRules(change func(*marketcache.VenueRules)) {
	f.rules.Lock()
	defer f.rules.Unlock()
	next := *f.cache.Rules()
	change(&next)
	f.cache.SetRules(&next)
}

// parseOrderLimits parses maxMarketOrderNtls: pairs of a maximum leverage and an amount in USD. An answer of
// another shape, or with other figures, is not ok.
func parseOrderLimits(b []byte) (limits []marketcache.OrderLimit, ok bool) {
	var rows []pair[decimal, decimal]
	ok = decode(b, &rows) && len(rows) > 0
	for _, row := range rows {
		ok = ok && row.a >= 1 && row.a <= 100 && row.b > 0
		limits = append(limits, marketcache.OrderLimit{Leverage: float64(row.a), USD: float64(row.b)})
	}
	return limits, ok
}

// noticeText returns the text of the venue's special status, "" for none. Its shape is not documented: text, or
// any other JSON, which is given as it is.
func noticeText(status string) (text string) {
	switch {
	case decodeValue([]byte(status), &text):
		return text // null leaves it empty
	case status == "[]" || status == "{}":
		return ""
	}
	return status
}
