package marketcache

import (
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
//	only_isolated
//	margin_tiers     [{lower_bound (USD), max_leverage}]
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
	dst = strconv.AppendBool(append(dst, `,"only_isolated":`...), a.OnlyIsolated)
	head := `,"margin_tiers":[{"lower_bound":`
	for _, t := range a.Tiers {
		dst = appendJSONNumber(append(dst, head...), t.LowerBoundUSD)
		dst = appendJSONNumber(append(dst, `,"max_leverage":`...), t.MaxLeverage)
		head = `},{"lower_bound":`
	}
	return append(dst, `}]}`...)
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
