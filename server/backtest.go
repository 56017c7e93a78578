package server

import (
	"sync"

	"github.com/valyala/fasthttp"

	"ballast/compute/backtest"
	"ballast/marketcache"
	"ballast/server/admission"
	"ballast/server/api"
)

const (
	hoursPerDay = 24
	msPerHour   = 3_600_000
)

// coverages caches the record of each asset's forecasts, a dayCoverage by AssetID.
type coverages struct{ sync.Map }

type dayCoverage struct {
	key      [2]int64 // first bar, and the day up to which outcomes are known
	coverage backtest.Coverage
}

// of returns the record of a fit. Computing it, once a day, takes milliseconds.
func (c *coverages) of(m *marketcache.AssetModel) backtest.Coverage {
	known, _ := c.Load(m.Asset)
	day, ok := known.(dayCoverage)
	if key := [2]int64{m.FirstHour, (m.LastHour - hoursPerDay) / hoursPerDay}; !ok || day.key != key {
		day = dayCoverage{key, backtest.CoverageOf(m.Z24, m.FirstHour)}
		c.Store(m.Asset, day)
	}
	return day.coverage
}

// admitRecord admits a request for records of forecasts, one at a time, so that trade requests are
// not slowed.
func (x *exchange) admitRecord() bool {
	if !x.admit(admission.Record, 1) {
		return false
	}
	if _, refusal := x.ticket.Wait(); refusal != admission.Admitted {
		return x.fail(api.CodeOverloaded, refusal.String())
	}
	return true
}

// backtest answers GET /v1/backtest/{asset}: past daily VaR forecasts against realised returns.
func (s *Server) backtest(x *exchange) {
	asset := s.asset(x, true)
	if asset == nil {
		return
	}
	fit := s.cfg.Cache.Model().Asset(asset.ID)
	if fit == nil {
		s.cfg.Cache.Want(asset.ID)
		x.fail(api.CodeNotFound, "no history of "+asset.Name+" yet")
		return
	}
	if !x.admitRecord() {
		return
	}
	c := s.coverages.of(fit)
	w := api.NewWriter(x.scratch[:0])
	w.Text(`{"asset":`, fit.Name)
	w.Text(`,"model":`, s.cfg.Cache.Model().Name)
	w.Integer(`,"horizon_hours":`, hoursPerDay)
	writeRecord(&w, fit, &c)
	writeHitTimes(&w, &c)
	w.Raw(`}`)
	x.scratch = w.Bytes()
	x.reply(fasthttp.StatusOK, typeJSON, x.scratch)
}

// writeRecord writes the record of one asset's forecasts.
func writeRecord(w *api.Writer, fit *marketcache.AssetModel, c *backtest.Coverage) {
	w.Integer(`,"bars":`, fit.Bars)
	w.IntegerOrNull(`,"from":`, int(c.FromHour*msPerHour), c.FromHour != 0)
	w.IntegerOrNull(`,"to":`, int(c.ToHour*msPerHour), c.FromHour != 0)
	w.Text(`,"status":`, string(c.Status()))
	writeRows(w, `,"results":[`, c, func(r *backtest.CoverageRow, _ int) {
		w.Exact(`,"christoffersen_p":`, r.ChristoffersenP)
	})
}

// writeRows writes the hits of both sides and levels, and with more what follows in each row.
func writeRows(w *api.Writer, prefix string, c *backtest.Coverage, more func(r *backtest.CoverageRow, level int)) {
	for side, sideName := range [...]string{marketcache.Long: "long", marketcache.Short: "short"} {
		for level, levelName := range [...]string{marketcache.P95: "0.95", marketcache.P99: "0.99"} {
			r := &c.Rows[side][level]
			w.Raw(prefix + `{"side":"` + sideName + `","level":` + levelName)
			w.Integer(`,"n":`, r.N)
			w.Integer(`,"hits":`, r.Hits)
			w.Exact(`,"rate":`, r.Rate)
			w.Exact(`,"kupiec_p":`, r.KupiecP)
			more(r, level)
			w.Raw(`}`)
			prefix = `,`
		}
	}
	w.Raw(`]`)
}

// writeHitTimes writes the times of the forecasts (ms since 1970) whose VaR was exceeded, for each side
// and level in the order of the results.
func writeHitTimes(w *api.Writer, c *backtest.Coverage) {
	head := `,"hit_times":[[`
	for side := range c.HitHours {
		for _, hours := range c.HitHours[side] {
			for _, hour := range hours {
				w.Integer(head, int(hour*msPerHour))
				head = `,`
			}
			if len(hours) == 0 {
				w.Raw(head)
			}
			head = `],[`
		}
	}
	w.Raw(`]]`)
}
