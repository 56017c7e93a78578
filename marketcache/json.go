package marketcache

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// AppendAssetsJSON appends a JSON array of all assets that are not delisted, in the order
// of the universe:
//
//	name             ticker
//	mark_price       USD
//	max_leverage
//	funding_rate_8h  the hourly funding rate as a fraction, a name kept for compatibility
//	funding_rate     the same under its right name
//	oi               open interest in USD, one side
//	volume_24h       USD
//	change_24h_pct   mark price against that of 24 h ago
//	only_isolated
//	margin_tiers     [{lower_bound (USD), max_leverage}]
//	book             {levels, depth_pct, cadence_ms, age_ms, depth_cadence_ms, depth_age_ms}
//
// book says how precisely the asset's book is known: its levels on the thinner side, how far
// they reach from the mid in percent, how often the best levels and those behind them are
// renewed, and how old each is. It is null where no book has come within maxAge; a cadence or
// age that nobody knows is null.
//
// Live figures are null when the asset's context is missing or older than maxAge. Numbers
// are the shortest that read back exactly, without exponent. It allocates nothing beyond
// what dst needs to grow.
func (c *Cache) AppendAssetsJSON(dst []byte, now Instant, maxAge time.Duration) []byte {
	dst = append(dst, '[')
	separator := ""
	for _, a := range c.Universe().Assets {
		if a.Delisted {
			continue
		}
		context, _, _ := c.cells[a.ID].context.Latest(now, maxAge)
		dst = append(dst, separator...)
		dst = a.appendJSON(dst, context)
		dst = append(c.appendBookJSON(dst, a.ID, now, maxAge), '}')
		separator = ","
	}
	return append(dst, ']')
}

func (a *Asset) appendJSON(dst []byte, live *Context) []byte {
	dst = appendJSONText(append(dst, `{"name":`...), a.Name)
	if live != nil {
		dst = appendJSONNumber(append(dst, `,"mark_price":`...), live.MarkPrice)
	} else {
		dst = append(dst, `,"mark_price":null`...)
	}
	dst = appendJSONNumber(append(dst, `,"max_leverage":`...), a.MaxLeverage)
	if live != nil && live.HasFunding {
		dst = appendJSONNumber(append(dst, `,"funding_rate_8h":`...), live.FundingRateHourly)
		dst = appendJSONNumber(append(dst, `,"funding_rate":`...), live.FundingRateHourly)
	} else {
		dst = append(dst, `,"funding_rate_8h":null,"funding_rate":null`...)
	}
	if live != nil {
		dst = appendJSONNumber(append(dst, `,"oi":`...), live.OpenInterestUnits*live.MarkPrice)
		dst = appendJSONNumber(append(dst, `,"volume_24h":`...), live.DayVolumeUSD)
	} else {
		dst = append(dst, `,"oi":null,"volume_24h":null`...)
	}
	if live != nil && live.PrevDayPrice > 0 {
		change := 100 * (live.MarkPrice/live.PrevDayPrice - 1)
		dst = appendJSONNumber(append(dst, `,"change_24h_pct":`...), math.Round(1e4*change)/1e4)
	} else {
		dst = append(dst, `,"change_24h_pct":null`...)
	}
	dst = strconv.AppendBool(append(dst, `,"only_isolated":`...), a.OnlyIsolated)
	head := `,"margin_tiers":[{"lower_bound":`
	for _, t := range a.Tiers {
		dst = appendJSONNumber(append(dst, head...), t.LowerBoundUSD)
		dst = appendJSONNumber(append(dst, `,"max_leverage":`...), t.MaxLeverage)
		head = `},{"lower_bound":`
	}
	return append(dst, `}]`...)
}

// appendBookJSON appends what is known of an asset's book, as a member of its object.
func (c *Cache) appendBookJSON(dst []byte, id AssetID, now Instant, maxAge time.Duration) []byte {
	held, age, ok := c.cells[id].book.Latest(now, maxAge)
	if !ok {
		return append(dst, `,"book":null`...)
	}
	b := *held
	dst = strconv.AppendInt(append(dst, `,"book":{"levels":`...), int64(min(b.Bids.Len(), b.Asks.Len())), 10)
	dst = append(dst, `,"depth_pct":`...)
	if b.TwoSided() {
		reach := min(1-b.Bids.Price[b.Bids.Len()-1]/b.MidPrice, b.Asks.Price[b.Asks.Len()-1]/b.MidPrice-1)
		dst = appendJSONNumber(dst, float64(int64(reach*1e6))/1e4)
	} else {
		dst = append(dst, "null"...)
	}
	depth := partAge(age, b.DepthProof, b.DepthCadence > 0, now)
	dst = appendJSONTime(append(dst, `,"cadence_ms":`...), b.Cadence, b.Cadence > 0)
	dst = appendJSONTime(append(dst, `,"age_ms":`...), age, true)
	dst = appendJSONTime(append(dst, `,"depth_cadence_ms":`...), b.DepthCadence, b.DepthCadence > 0)
	dst = appendJSONTime(append(dst, `,"depth_age_ms":`...), depth, depth >= 0)
	return append(dst, '}')
}

// appendJSONTime appends whole milliseconds, null when they are not known.
func appendJSONTime(dst []byte, d time.Duration, known bool) []byte {
	if !known {
		return append(dst, "null"...)
	}
	return strconv.AppendInt(dst, d.Milliseconds(), 10)
}

// appendJSONNumber appends x, or null when JSON cannot carry it.
func appendJSONNumber(dst []byte, x float64) []byte {
	if x-x != 0 {
		return append(dst, "null"...)
	}
	return strconv.AppendFloat(dst, x, 'f', -1, 64)
}

// appendJSONText appends a JSON string.
func appendJSONText(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, r := range s { // invalid UTF-8 comes as U+FFFD
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < ' ' || r == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
