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
	counts := map[string]int{}
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
		counts[verdictOn(&c)]++
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
	w.Text(`{"status":`, worstOf(counts))
	w.Text(`,"model":`, model.Name)
	w.Integer(`,"assets_calibrated":`, model.Calibrated)
	w.Integer(`,"assets_failed":`, failed)
	w.Exact(`,"fit_ms_total":`, milliseconds(spent))
	for _, v := range []string{verdictOK, verdictInsufficient, verdictWarning, verdictFailing} {
		w.Integer(`,"`+v+`":`, counts[v])
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
	if fit.Bars > 0 {
		w.Integer(`,"last_bar":`, int(fit.LastHour*msPerHour))
	} else {
		w.Raw(`,"last_bar":null`)
	}
	w.Exact(`,"fit_ms":`, milliseconds(fit.FitDuration))
	if fit.FitError != "" {
		w.Text(`,"fit_error":`, fit.FitError)
	} else {
		w.Raw(`,"fit_error":null`)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// worstOf returns the verdict on all assets together. A record has eight tests, so about a third of
// correct models get a warning and one in thirteen fails. The overall verdict therefore is warning or
// failing only above twice these shares.
func worstOf(counts map[string]int) string {
	failing := counts[verdictFailing]
	warned := counts[verdictWarning] + failing
	judged := float64(counts[verdictOK] + warned)
	switch {
	case judged == 0:
		return verdictInsufficient
	case float64(failing) > 2.0/13*judged:
		return verdictFailing
	case float64(warned) > 2.0/3*judged:
		return verdictWarning
	}
	return verdictOK
}
