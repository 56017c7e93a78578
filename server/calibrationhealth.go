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
	failed, spent := 0, time.Duration(0)
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
		spent += fit.FitDuration
		list.Text(separator, fit.Name)
		writeFit(&list, fit)
		writeRecord(&list, fit, &c)
		list.Raw(`}`)
		separator = `,{"asset":`
	}
	w := api.NewWriter(nil)
	w.Text(`{"status":`, string(worstOf(counts)))
	w.Text(`,"model":`, model.Name)
	w.Integer(`,"assets_calibrated":`, model.Calibrated)
	w.Integer(`,"assets_failed":`, failed)
	w.Exact(`,"fit_ms_total":`, milliseconds(spent))
	for _, v := range coverageStatuses {
		w.Integer(`,"`+string(v)+`":`, counts[v])
	}
	writeRows(&w, `,"pooled":[`, &pooled, false)
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
			r.Rate = float64(r.Hits) / float64(max(1, r.N))
		}
	}
}

// writeFit writes the state of one fit.
func writeFit(w *api.Writer, fit *marketcache.AssetModel) {
	w.IntegerOrNull(`,"last_bar":`, int(fit.LastHour*msPerHour), fit.Bars > 0)
	w.Exact(`,"fit_ms":`, milliseconds(fit.FitDuration))
	if fit.FitError != "" {
		w.Text(`,"fit_error":`, fit.FitError)
	} else {
		w.Raw(`,"fit_error":null`)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// coverageStatuses are the verdicts in the order of the answer.
var coverageStatuses = [...]backtest.Status{backtest.StatusOK, backtest.StatusInsufficient, backtest.StatusWarning, backtest.StatusFailing}

// worstOf returns the verdict on all assets together. A record has eight tests, so about a third of
// correct models get a warning and one in thirteen fails. The overall verdict therefore is warning or
// failing only above twice these shares.
func worstOf(counts map[backtest.Status]int) backtest.Status {
	failing := counts[backtest.StatusFailing]
	warned := counts[backtest.StatusWarning] + failing
	judged := float64(counts[backtest.StatusOK] + warned)
	switch {
	case judged == 0:
		return backtest.StatusInsufficient
	case float64(failing) > 2.0/13*judged:
		return backtest.StatusFailing
	case float64(warned) > 2.0/3*judged:
		return backtest.StatusWarning
	}
	return backtest.StatusOK
}
