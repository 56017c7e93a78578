package marketcache

import (
	"strconv"
	"time"
)

// AppendMarketJSON appends what is known of one asset as a JSON object:
//
//	asset                 ticker
//	mark_price, oracle_price, mid_price  USD
//	spread_bps            best ask less best bid, of the mid
//	depth                 {bids, asks}, each {usd_10bps, usd_50bps, usd_100bps}: what rests that near the mid
//	imbalance             (bids-asks)/(bids+asks) within 50 bps, -1 to 1
//	funding_rate          fraction per hour, positive: longs pay
//	open_interest_usd     one side
//	volume_24h_usd
//	regime                {state, confidence} of the last fit
//	volatility_forecast   {sigma_1h, sigma_4h, sigma_1d, sigma_7d, long_run_sigma}, fractions a year
//	ages                  {mark_ms, slow_ms, book_ms, depth_ms, fit_ms}
//	mids                  [{at_ms, mid_price}], newest first: when each was received, ms since 1970
//
// What is missing or older than maxAge is null; slow_ms is the age of oracle price, funding
// rate, open interest and volume, fit_ms that of the close of the newest bar behind regime and
// forecast. wallMs is the time of now, ms since 1970. Numbers are the shortest that read back
// exactly. It allocates nothing beyond what dst needs to grow.
func (c *Cache) AppendMarketJSON(dst []byte, a *Asset, now Instant, wallMs int64, maxAge time.Duration) []byte {
	var m Market
	c.Market(a.ID, now, AgeLimits{Market: maxAge, CEX: maxAge}, &m)
	fit := c.Model().Asset(a.ID)
	dst = appendJSONText(append(dst, `{"asset":`...), a.Name)
	dst = m.appendPrices(dst)
	dst = m.appendDepth(dst)
	dst = m.appendContext(dst)
	dst = fit.appendForecast(dst)
	dst = m.appendAges(dst)
	if fit != nil && fit.Bars > 0 {
		dst = strconv.AppendInt(append(dst, `,"fit_ms":`...), max(0, wallMs-(fit.LastHour+1)*msPerHour), 10)
	} else {
		dst = append(dst, `,"fit_ms":null`...)
	}
	dst = append(dst, `},"mids":[`...)
	head := `{"at_ms":`
	c.cells[a.ID].context.Walk(func(s *Snapshot[Context]) bool {
		if s.Value.MidPrice > 0 {
			dst = strconv.AppendInt(append(dst, head...), wallMs-now.Sub(s.Received).Milliseconds(), 10)
			dst = append(appendJSONNumber(append(dst, `,"mid_price":`...), s.Value.MidPrice), '}')
			head = `,{"at_ms":`
		}
		return true
	})
	return append(dst, `]}`...)
}

const msPerHour = 3_600_000

// appendKnown appends a number, null when it is not known.
func appendKnown(dst []byte, key string, x float64, known bool) []byte {
	dst = append(dst, key...)
	if !known {
		return append(dst, "null"...)
	}
	return appendJSONNumber(dst, x)
}

func (m *Market) appendPrices(dst []byte) []byte {
	live := m.Context
	if live == nil {
		live = &Context{}
	}
	mid, spread := live.MidPrice, 0.0
	if m.Book != nil && m.Book.TwoSided() {
		mid, spread = m.Book.MidPrice, m.Book.SpreadBps
	}
	dst = appendKnown(dst, `,"mark_price":`, live.MarkPrice, live.MarkPrice > 0)
	dst = appendKnown(dst, `,"oracle_price":`, live.OraclePrice, live.OraclePrice > 0)
	dst = appendKnown(dst, `,"mid_price":`, mid, mid > 0)
	return appendKnown(dst, `,"spread_bps":`, spread, m.Book != nil && m.Book.TwoSided())
}

func (m *Market) appendDepth(dst []byte) []byte {
	if m.Book == nil || !m.Book.TwoSided() {
		return append(dst, `,"depth":null,"imbalance":null`...)
	}
	b := m.Book
	for _, side := range [...]struct {
		head string
		side *Side
	}{{`,"depth":{"bids":`, &b.Bids}, {`,"asks":`, &b.Asks}} {
		dst = append(dst, side.head...)
		dst = appendJSONNumber(append(dst, `{"usd_10bps":`...), side.side.DepthUSD(b.MidPrice, 10))
		dst = appendJSONNumber(append(dst, `,"usd_50bps":`...), side.side.Depth50USD)
		dst = append(appendJSONNumber(append(dst, `,"usd_100bps":`...), side.side.Depth100USD), '}')
	}
	both := b.Bids.Depth50USD + b.Asks.Depth50USD
	return appendKnown(dst, `},"imbalance":`, (b.Bids.Depth50USD-b.Asks.Depth50USD)/both, both > 0)
}

func (m *Market) appendContext(dst []byte) []byte {
	live := m.Context
	if live == nil {
		live = &Context{}
	}
	dst = appendKnown(dst, `,"funding_rate":`, live.FundingRateHourly, live.HasFunding)
	dst = appendKnown(dst, `,"open_interest_usd":`, live.OpenInterestUnits*live.MarkPrice, m.Context != nil)
	return appendKnown(dst, `,"volume_24h_usd":`, live.DayVolumeUSD, m.Context != nil)
}

func (fit *AssetModel) appendForecast(dst []byte) []byte {
	if fit == nil || fit.Bars == 0 {
		return append(dst, `,"regime":null,"volatility_forecast":null`...)
	}
	dst = append(append(append(dst, `,"regime":{"state":"`...), fit.RegimeState.String()...), '"')
	dst = appendJSONNumber(append(dst, `,"confidence":`...), fit.RegimeConfidence)
	head := `},"volatility_forecast":{"sigma_1h":`
	for i, next := range [HorizonCount]string{`,"sigma_4h":`, `,"sigma_1d":`, `,"sigma_7d":`, `,"long_run_sigma":`} {
		dst = appendJSONNumber(append(dst, head...), fit.Sigma[i])
		head = next
	}
	return append(appendJSONNumber(append(dst, head...), fit.LongRunSigma), '}')
}

func (m *Market) appendAges(dst []byte) []byte {
	dst = appendJSONTime(append(dst, `,"ages":{"mark_ms":`...), m.ContextAge, m.Context != nil)
	dst = appendJSONTime(append(dst, `,"slow_ms":`...), m.SlowAge, m.Context != nil && m.SlowAge >= 0)
	dst = appendJSONTime(append(dst, `,"book_ms":`...), m.BookAge, m.Book != nil)
	return appendJSONTime(append(dst, `,"depth_ms":`...), m.DepthAge, m.Book != nil && m.DepthAge >= 0)
}
