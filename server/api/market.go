package api

import (
	"math"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
)

// AppendAssets appends a JSON object with the listed assets, in the order of the universe, each as the contract
// describes it. funding_rate_8h is the hourly rate under a name kept for compatibility.
//
// What is unknown or older than maxAge is null. Numbers are the shortest that read back exactly, without
// exponent. The only allocation is the growth of dst.
func AppendAssets(dst []byte, c *marketcache.Cache, now marketcache.Instant, maxAge time.Duration) []byte {
	w := NewWriter(dst)
	w.Raw(`{"assets":[`)
	model, prefix := c.Model(), `{"name":`
	for _, a := range c.Universe().Assets {
		if a.Delisted {
			continue
		}
		var m marketcache.Market
		c.Market(a.ID, now, marketcache.AgeLimits{Market: maxAge}, &m)
		w.Text(prefix, a.Name)
		w.IntegerOrNull(`,"number":`, int(a.Number), a.Number != marketcache.NoNumber)
		w.listedAsset(a, &m)
		w.condition(&m, c.Model().Asset(a.ID))
		w.bookState(&m)
		w.shortDay(model.Asset(a.ID))
		w.end()
		prefix = `,{"name":`
	}
	w.Raw(`]}`)
	return w.Bytes()
}

func (w *Writer) listedAsset(a *marketcache.Asset, m *marketcache.Market) {
	live, known := contextOf(m)
	w.exactOrNull(`,"mark_price":`, live.MarkPrice, known)
	w.Exact(`,"max_leverage":`, a.MaxLeverage)
	w.exactOrNull(`,"funding_rate_8h":`, live.FundingRateHourly, live.HasFunding)
	w.exactOrNull(`,"funding_rate":`, live.FundingRateHourly, live.HasFunding)
	w.exactOrNull(`,"oi":`, live.OpenInterestUnits*live.MarkPrice, known)
	w.exactOrNull(`,"volume_24h":`, live.DayVolumeUSD, known)
	change := 100 * (live.MarkPrice/live.PrevDayPrice - 1)
	w.exactOrNull(`,"change_24h_pct":`, math.Round(1e4*change)/1e4, live.PrevDayPrice > 0)
	w.Boolean(`,"only_isolated":`, a.OnlyIsolated)
	prefix := `,"margin_tiers":[{"lower_bound":`
	for _, t := range a.Tiers {
		w.Exact(prefix, t.LowerBoundUSD)
		w.Exact(`,"max_leverage":`, t.MaxLeverage)
		prefix = `},{"lower_bound":`
	}
	w.Raw(`}]`)
}

// condition appends how the asset stands now: the age of its mark, its cap, its book near the mid, its fit.
func (w *Writer) condition(m *marketcache.Market, fit *marketcache.AssetModel) {
	w.msOrNull(`,"mark_age_ms":`, m.ContextAge, m.Context != nil)
	if m.CapsAge >= 0 {
		w.Boolean(`,"at_cap":`, m.AtCap)
	} else {
		w.Raw(`,"at_cap":null`)
	}
	spread, thinner := 0.0, 0.0
	b := m.Book
	twoSided := b != nil && b.TwoSided()
	if twoSided {
		spread, thinner = b.SpreadBps, min(b.Bids.DepthUSD(b.MidPrice, 10), b.Asks.DepthUSD(b.MidPrice, 10))
	}
	w.exactOrNull(`,"spread_bps":`, spread, twoSided)
	w.exactOrNull(`,"depth_10bps_usd":`, thinner, twoSided)
	if fitted(fit) {
		w.word(`,"liquidity_regime":"`, fit.RegimeState.String())
		w.Exact(`,"sigma_1d":`, fit.Sigma[2])
	} else {
		w.Raw(`,"liquidity_regime":null,"sigma_1d":null`)
	}
	w.Boolean(`,"history_loading":`, m.Loading.Bars())
}

func (w *Writer) bookState(m *marketcache.Market) {
	b := m.Book
	if b == nil {
		w.Raw(`,"book":null`)
		return
	}
	w.Integer(`,"book":{"levels":`, min(b.Bids.Len(), b.Asks.Len()))
	reach := 0.0
	if b.TwoSided() {
		reach = min(1-b.Bids.Price[b.Bids.Len()-1]/b.MidPrice, b.Asks.Price[b.Asks.Len()-1]/b.MidPrice-1)
	}
	w.exactOrNull(`,"depth_pct":`, float64(int64(reach*1e6))/1e4, b.TwoSided())
	w.msOrNull(`,"cadence_ms":`, b.Cadence, b.Cadence > 0)
	w.msOrNull(`,"age_ms":`, m.BookAge, true)
	w.msOrNull(`,"depth_cadence_ms":`, b.DepthCadence, b.DepthCadence > 0)
	w.msOrNull(`,"depth_age_ms":`, m.DepthAge, m.DepthAge >= 0)
	w.end()
}

// AppendMarket appends one asset's state as a JSON object, as the contract describes it. slow_ms is the age
// of oracle price, funding rate, open interest and volume; fit_ms the time since the close of the newest bar
// behind regime and forecast. wallMs is now by the venue's clock, ms since 1970. What is unknown or older than maxAge
// is null. Numbers are as in AppendAssets.
func AppendMarket(dst []byte, c *marketcache.Cache, a *marketcache.Asset, now marketcache.Instant, wallMs int64,
	maxAge time.Duration) []byte {
	var m marketcache.Market
	c.Market(a.ID, now, marketcache.AgeLimits{Market: maxAge, CEX: maxAge}, &m)
	fit := c.Model().Asset(a.ID)
	w := NewWriter(dst)
	w.Text(`{"asset":`, a.Name)
	w.prices(&m)
	w.depth(m.Book)
	live, known := contextOf(&m)
	w.exactOrNull(`,"funding_rate":`, live.FundingRateHourly, live.HasFunding)
	w.exactOrNull(`,"open_interest_usd":`, live.OpenInterestUnits*live.MarkPrice, known)
	w.exactOrNull(`,"volume_24h_usd":`, live.DayVolumeUSD, known)
	w.forecast(fit)
	day := dayOf(fit)
	w.day(&day)
	w.ranges(fit)
	w.Boolean(`,"history_loading":`, m.Loading.Bars())
	w.msOrNull(`,"ages":{"mark_ms":`, m.ContextAge, known)
	w.msOrNull(`,"slow_ms":`, m.SlowAge, known && m.SlowAge >= 0)
	w.msOrNull(`,"book_ms":`, m.BookAge, m.Book != nil)
	w.msOrNull(`,"depth_ms":`, m.DepthAge, m.Book != nil && m.DepthAge >= 0)
	sinceBar := time.Duration(0)
	if fitted(fit) {
		sinceBar = max(0, time.Duration(wallMs)*time.Millisecond-time.Duration(fit.LastHour+1)*time.Hour)
	}
	w.msOrNull(`,"fit_ms":`, sinceBar, fitted(fit))
	w.Raw(`},"mids":[`)
	prefix := `{"at_ms":`
	c.Contexts(a.ID).Walk(func(s *marketcache.Snapshot[marketcache.Context]) {
		if s.Value.MidPrice > 0 {
			w.Integer(prefix, int(wallMs-now.Sub(s.Received).Milliseconds()))
			w.Exact(`,"mid_price":`, s.Value.MidPrice)
			w.end()
			prefix = `,{"at_ms":`
		}
	})
	w.Raw(`]}`)
	return w.Bytes()
}

func (w *Writer) prices(m *marketcache.Market) {
	live, _ := contextOf(m)
	twoSided := m.Book != nil && m.Book.TwoSided()
	mid, spread := live.MidPrice, 0.0
	if twoSided {
		mid, spread = m.Book.MidPrice, m.Book.SpreadBps
	}
	w.exactOrNull(`,"mark_price":`, live.MarkPrice, live.MarkPrice > 0)
	w.exactOrNull(`,"oracle_price":`, live.OraclePrice, live.OraclePrice > 0)
	w.exactOrNull(`,"mid_price":`, mid, mid > 0)
	w.exactOrNull(`,"spread_bps":`, spread, twoSided)
}

func (w *Writer) depth(b *marketcache.Book) {
	if b == nil || !b.TwoSided() {
		w.Raw(`,"depth":null,"imbalance":null`)
		return
	}
	prefix := `,"depth":{"bids":{"usd_10bps":`
	for _, side := range [...]*marketcache.Side{&b.Bids, &b.Asks} {
		w.Exact(prefix, side.DepthUSD(b.MidPrice, 10))
		w.Exact(`,"usd_50bps":`, side.Depth50USD)
		w.Exact(`,"usd_100bps":`, side.Depth100USD)
		prefix = `},"asks":{"usd_10bps":`
	}
	both := b.Bids.Depth50USD + b.Asks.Depth50USD
	w.exactOrNull(`}},"imbalance":`, (b.Bids.Depth50USD-b.Asks.Depth50USD)/both, both > 0)
}

func (w *Writer) forecast(fit *marketcache.AssetModel) {
	if !fitted(fit) {
		w.Raw(`,"regime":null,"liquidity_regime":null,"volatility_forecast":null`)
		return
	}
	w.word(`,"regime":{"state":"`, fit.RegimeState.String())
	w.Exact(`,"confidence":`, fit.RegimeConfidence)
	w.word(`},"liquidity_regime":"`, fit.RegimeState.String())
	w.Exact(`,"volatility_forecast":{"sigma_1h":`, fit.Sigma[0])
	w.Exact(`,"sigma_4h":`, fit.Sigma[1])
	w.Exact(`,"sigma_1d":`, fit.Sigma[2])
	w.Exact(`,"sigma_7d":`, fit.Sigma[3])
	w.Exact(`,"long_run_sigma":`, fit.LongRunSigma)
	w.end()
}

func dayOf(fit *marketcache.AssetModel) risk.DayMove {
	if !fitted(fit) {
		return risk.DayMove{}
	}
	return risk.DayMoveOf(fit)
}

// ranges writes how far the price may go within four hours and within a week, null without a fit.
func (w *Writer) ranges(fit *marketcache.AssetModel) {
	if !fitted(fit) {
		w.Raw(`,"four_hours":null,"week":null`)
		return
	}
	hours, week := risk.RangesOf(fit)
	w.fixed(`,"four_hours":{"down_99_pct":`, hours.Down99)
	w.fixed(`,"up_99_pct":`, hours.Up99)
	w.fixed(`},"week":{"down_99_pct":`, week.Down99)
	w.fixed(`,"up_99_pct":`, week.Up99)
	w.end()
}

// shortDay writes the moves of a day with four decimals.
func (w *Writer) shortDay(fit *marketcache.AssetModel) {
	d := dayOf(fit)
	for _, x := range [...]*float64{&d.Down999, &d.Down99, &d.Down95, &d.Median, &d.Up95, &d.Up99, &d.Up999} {
		*x = math.Round(1e4**x) / 1e4
	}
	w.day(&d)
}

// fitted reports whether a fit used bars of the asset.
func fitted(fit *marketcache.AssetModel) bool { return fit != nil && fit.Bars > 0 }

var unknownContext marketcache.Context

// contextOf returns the context of a market; the zero Context and false if it is unknown.
func contextOf(m *marketcache.Market) (live *marketcache.Context, known bool) {
	if m.Context == nil {
		return &unknownContext, false
	}
	return m.Context, true
}

// msOrNull appends whole milliseconds, null if they are unknown.
func (w *Writer) msOrNull(key string, d time.Duration, known bool) {
	w.IntegerOrNull(key, int(d.Milliseconds()), known)
}
