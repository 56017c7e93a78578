package server

import (
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/compute/backtest"
	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/server/api"
)

// How the record of an asset's forecasts is judged.
const (
	// fewestForecasts is the number of days below which a record says nothing.
	fewestForecasts = 100
	// warnBelow and failBelow are p-values: a model that is right goes below them in 5 and
	// in 1 of 100 records.
	warnBelow, failBelow = 0.05, 0.01
)

// Verdicts on a record of forecasts, the worst last.
const (
	verdictOK           = "ok"
	verdictInsufficient = "insufficient_data"
	verdictWarning      = "warning" // a test is rejected at 5 %
	verdictFailing      = "failing" // a test is rejected at 1 %
)

// coverages remembers the record of each asset's forecasts: it changes once a day.
type coverages struct {
	mu     sync.Mutex
	assets map[marketcache.AssetID]dayCoverage
}

type dayCoverage struct {
	key      [2]int64 // first bar and the day up to which outcomes are known
	coverage backtest.Coverage
}

// of returns the record of a fit. One is computed at a time: they cost milliseconds each,
// and the requests that price trades must not feel them.
func (c *coverages) of(m *marketcache.AssetModel) backtest.Coverage {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := [2]int64{m.FirstHour, (m.LastHour - hoursPerDay) / hoursPerDay}
	if known, ok := c.assets[m.Asset]; ok && known.key == key {
		return known.coverage
	}
	if c.assets == nil {
		c.assets = map[marketcache.AssetID]dayCoverage{}
	}
	fresh := dayCoverage{key, backtest.CoverageOf(m.Z24, m.FirstHour)}
	c.assets[m.Asset] = fresh
	return fresh.coverage
}

const (
	hoursPerDay = 24
	msPerHour   = 3_600_000
)

// verdictOn judges the record of one asset.
func verdictOn(c *backtest.Coverage) string {
	if c.Rows[marketcache.Long][marketcache.P99].N < fewestForecasts {
		return verdictInsufficient
	}
	least := 1.0
	for side := range c.Rows {
		for _, r := range c.Rows[side] {
			least = min(least, r.KupiecP, r.ChristoffersenP)
		}
	}
	switch {
	case least < failBelow:
		return verdictFailing
	case least < warnBelow:
		return verdictWarning
	}
	return verdictOK
}

// backtest answers GET /v1/backtest/{asset}: how the VaR that this service would have
// given each day has fared since.
func (s *Server) backtest(x *exchange) {
	name, err := url.PathUnescape(strings.TrimPrefix(string(x.path), routeTable[routeBacktest].path))
	if err != nil {
		x.fail(api.CodeNotFound, "no such route: "+risk.Echo(x.path))
		return
	}
	universe := s.cfg.Cache.Universe()
	if len(universe.Assets) == 0 {
		x.fail(api.CodeStarting, "the venue's assets have not been read yet")
		return
	}
	id := universe.LookupString(name)
	if id == marketcache.NoAsset {
		x.refuse(api.CodeNotFound, "no such asset: "+risk.Echo([]byte(name)), api.MendAsset(name, universe))
		return
	}
	fit := s.cfg.Cache.Model().Asset(id)
	if fit == nil {
		s.cfg.Cache.Want(id)
		x.fail(api.CodeNotFound, "no history of "+risk.Echo([]byte(name))+" yet")
		return
	}
	c := s.coverages.of(fit)
	w := jsonWriter{b: x.list[:0]}
	w.text(`{"asset":`, fit.Name)
	w.text(`,"model":`, s.cfg.Cache.Model().Name)
	w.integer(`,"horizon_hours":`, hoursPerDay)
	w.record(fit, &c)
	w.raw(`}`)
	x.list = w.b
	x.reply(fasthttp.StatusOK, typeJSON, x.list)
}

// record writes what is known of one asset's forecasts.
func (w *jsonWriter) record(fit *marketcache.AssetModel, c *backtest.Coverage) {
	w.integer(`,"bars":`, int64(fit.Bars))
	if c.FromHour == 0 {
		w.raw(`,"from":null,"to":null`)
	} else {
		w.integer(`,"from":`, c.FromHour*msPerHour)
		w.integer(`,"to":`, c.ToHour*msPerHour)
	}
	w.text(`,"status":`, verdictOn(c))
	w.raw(`,"results":[`)
	head := `{"side":"`
	for side, sideName := range [...]string{marketcache.Long: "long", marketcache.Short: "short"} {
		for level, levelName := range [...]string{marketcache.P95: "0.95", marketcache.P99: "0.99"} {
			r := &c.Rows[side][level]
			w.raw(head + sideName + `","level":` + levelName)
			w.integer(`,"n":`, int64(r.N))
			w.integer(`,"hits":`, int64(r.Hits))
			w.number(`,"rate":`, r.Rate)
			w.number(`,"kupiec_p":`, r.KupiecP)
			w.number(`,"christoffersen_p":`, r.ChristoffersenP)
			w.raw(`}`)
			head = `,{"side":"`
		}
	}
	w.raw(`]`)
}

// number writes a finite number at its shortest, without exponent.
func (w *jsonWriter) number(key string, v float64) {
	w.b = strconv.AppendFloat(append(w.b, key...), v, 'f', -1, 64)
}

// calibrationHealth answers GET /v1/calibration/health: the state of every asset's fit
// and the record of its forecasts.
func (s *Server) calibrationHealth(x *exchange) {
	model := s.cfg.Cache.Model()
	counts := map[string]int{}
	pooled := [marketcache.SideCount][marketcache.LevelCount]backtest.CoverageRow{}
	failed, spent := 0, time.Duration(0)
	var list jsonWriter
	separator := `{"asset":`
	for _, a := range s.cfg.Cache.Universe().Assets {
		fit := model.Asset(a.ID)
		if fit == nil {
			continue
		}
		c := s.coverages.of(fit)
		counts[verdictOn(&c)]++
		for side := range pooled {
			for level := range pooled[side] {
				pooled[side][level].N += c.Rows[side][level].N
				pooled[side][level].Hits += c.Rows[side][level].Hits
			}
		}
		if fit.FitError != "" {
			failed++
		}
		spent += fit.FitDuration
		list.text(separator, fit.Name)
		if fit.Bars > 0 {
			list.integer(`,"last_bar":`, fit.LastHour*msPerHour)
		} else {
			list.raw(`,"last_bar":null`)
		}
		list.number(`,"fit_ms":`, float64(fit.FitDuration.Microseconds())/1e3)
		if fit.FitError != "" {
			list.text(`,"fit_error":`, fit.FitError)
		} else {
			list.raw(`,"fit_error":null`)
		}
		list.record(fit, &c)
		list.raw(`}`)
		separator = `,{"asset":`
	}
	var w jsonWriter
	w.text(`{"status":`, worstOf(counts))
	w.text(`,"model":`, model.Name)
	w.integer(`,"assets_calibrated":`, int64(model.Calibrated))
	w.integer(`,"assets_failed":`, int64(failed))
	w.number(`,"fit_ms_total":`, float64(spent.Microseconds())/1e3)
	for _, v := range []string{verdictOK, verdictInsufficient, verdictWarning, verdictFailing} {
		w.integer(`,"`+v+`":`, int64(counts[v]))
	}
	w.raw(`,"pooled":[`)
	head := `{"side":"`
	for side, sideName := range [...]string{marketcache.Long: "long", marketcache.Short: "short"} {
		for level, levelName := range [...]string{marketcache.P95: "0.95", marketcache.P99: "0.99"} {
			r := &pooled[side][level]
			if r.N > 0 {
				r.Rate = float64(r.Hits) / float64(r.N)
			}
			w.raw(head + sideName + `","level":` + levelName)
			w.integer(`,"n":`, int64(r.N))
			w.integer(`,"hits":`, int64(r.Hits))
			w.number(`,"rate":`, r.Rate)
			w.raw(`}`)
			head = `,{"side":"`
		}
	}
	w.raw(`],"assets":[`)
	w.b = append(w.b, list.b...)
	w.raw(`]}`)
	x.reply(fasthttp.StatusOK, typeJSON, w.b)
}

// worstOf returns the verdict on all assets together. A record has eight tests, so of
// correct models about a third is warned of and one in thirteen fails: the verdict on all
// needs twice as many.
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
