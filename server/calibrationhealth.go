package server

import (
	"time"

	"github.com/valyala/fasthttp"

	"ballast/compute/backtest"
	"ballast/marketcache"
	"ballast/server/api"
)

// calibrationHealth answers GET /v1/calibration/health: the state of every asset's fit and the record
// of its forecasts.
func (s *Server) calibrationHealth(x *exchange) {
	if !x.admitRecord() {
		return
	}
	model := s.cfg.Cache.Model()
	counts := map[backtest.Status]int{}
	var pooled backtest.Coverage
	failed, old, spent := 0, 0, time.Duration(0)
	now := s.cfg.Cache.Venue.Clock.VenueMs(x.at)
	latest := now - (s.cfg.Engine.Ages().CandleSoft + time.Hour).Milliseconds() // the oldest last bar opens then
	list := api.NewWriter(nil)
	separator := `{"asset":`
	for _, a := range s.cfg.Cache.Universe().Assets {
		fit := model.Asset(a.ID)
		if fit == nil {
			continue
		}
		c := s.coverages.of(fit)
		counts[c.Status()]++
		addHits(&pooled, &c)
		if fit.FitError != "" {
			failed++
		}
		if fit.FitError != "" || fit.Bars > 0 && fit.LastHour*msPerHour < latest {
			old++
		}
		spent += fit.FitDuration
		list.Text(separator, fit.Name)
		writeFit(&list, fit)
		writeRecord(&list, fit, &c)
		list.Raw(`}`)
		separator = `,{"asset":`
	}
	w := api.NewWriter(nil)
	w.Text(`{"status":`, verdict(&pooled, old))
	w.Text(`,"model":`, model.Name)
	w.Integer(`,"assets_calibrated":`, model.Calibrated)
	w.Integer(`,"assets_failed":`, failed)
	w.Exact(`,"fit_ms_total":`, milliseconds(spent))
	for _, v := range coverageStatuses {
		w.Integer(`,"`+string(v)+`":`, counts[v])
	}
	w.Integer(`,"assets_old":`, old)
	writeRows(&w, `,"pooled":[`, &pooled, func(r *backtest.CoverageRow, level int) {
		w.Boolean(`,"breached":`, breached(r, level))
	})
	w.Raw(`,"assets":[`)
	w.Append(list.Bytes())
	w.Raw(`]}`)
	x.reply(fasthttp.StatusOK, typeJSON, w.Bytes())
}

// addHits adds one asset's forecasts and hits to the totals.
func addHits(pooled, c *backtest.Coverage) {
	for side := range pooled.Rows {
		for level := range pooled.Rows[side] {
			r, one := &pooled.Rows[side][level], &c.Rows[side][level]
			r.N, r.Hits = r.N+one.N, r.Hits+one.Hits
			r.Judge(level)
		}
	}
}

// writeFit writes the state of one fit.
func writeFit(w *api.Writer, fit *marketcache.AssetModel) {
	w.IntegerOrNull(`,"last_bar":`, int(fit.LastHour*msPerHour), fit.Bars > 0)
	w.Exact(`,"fit_ms":`, milliseconds(fit.FitDuration))
	w.TextOrNull(`,"fit_error":`, fit.FitError)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// coverageStatuses are the verdicts in the order of the answer.
var coverageStatuses = [...]backtest.Status{backtest.StatusOK, backtest.StatusInsufficient, backtest.StatusWarning,
	backtest.StatusFailing}

// breachedP is the p-value of Kupiec's test below which too many breaches are no chance.
const breachedP = 0.01

// breached reports whether a pooled rate lies above its level by more than chance.
func breached(r *backtest.CoverageRow, level int) bool {
	want := [marketcache.LevelCount]float64{marketcache.P95: 0.05, marketcache.P99: 0.01}[level]
	return r.Rate > want && r.KupiecP < breachedP
}

// verdict is the verdict on all assets together: on their pooled record, then on the age of their fits.
func verdict(pooled *backtest.Coverage, old int) string {
	for side := range pooled.Rows {
		for level := range pooled.Rows[side] {
			if breached(&pooled.Rows[side][level], level) {
				return "breached"
			}
		}
	}
	switch {
	case old > 0:
		return "fits_old"
	case pooled.Rows[marketcache.Long][marketcache.P99].N < backtest.MinForecasts:
		return string(backtest.StatusInsufficient)
	}
	return string(backtest.StatusOK)
}
