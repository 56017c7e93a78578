package server

import (
	"context"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/compute/backtest"
	"ballast/internal/printable"
	"ballast/internal/promtext"
	"ballast/server/api"
	"ballast/server/outcomes"
)

// reportOutcome answers POST /v1/outcome: what became of a trade, told by the client.
func (s *Server) reportOutcome(x *exchange) {
	if !x.keepsOutcomes() {
		return
	}
	var o api.Outcome
	if bad := x.scanner.Outcome(x.ctx.PostBody(), &o); bad != nil {
		x.refuse(bad.Code, bad.Detail, api.MendOutcome(bad, &o))
		return
	}
	n := func(i int) float64 { return o.Numbers[i].Value }
	optional := func(i int) *float64 {
		if f := &o.Numbers[i]; f.Kind != 0 {
			return &f.Value
		}
		return nil
	}
	report := outcomes.Report{
		TradeID: string(o.TradeID.Value), RequestID: string(o.RequestID.Value), Index: int(n(api.OutcomeIndex)),
		Result: outcomes.Result{
			EntryPrice: n(api.OutcomeEntryPrice), ExitPrice: n(api.OutcomeExitPrice), PnLUSD: n(api.OutcomePnLUSD),
			PnLPct: n(api.OutcomePnLPct), HoldingHours: n(api.OutcomeHoldingHours), Liquidated: o.Liquidated.Value,
			FeesUSD: optional(api.OutcomeFeesUSD), FundingUSD: optional(api.OutcomeFundingUSD),
		},
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.RequestTimeout)
	defer cancel()
	answer, conflict, err := s.cfg.Outcomes.Report(ctx, x.keyID, &report)
	switch {
	case err != nil:
		x.fail(api.CodeNotSaved, "the outcome is not kept: "+printable.Start([]byte(err.Error()), 400))
	case conflict:
		x.refuse(api.CodeOutcomeConflict, "another outcome of the trade "+printable.Text(o.TradeID.Value)+
			" was reported with this key", api.Mending{Field: "trade_id", Got: printable.Text(o.TradeID.Value),
			Suggestion: "send the same body to get the same answer, or a trade_id of its own for another trade"})
	default:
		x.reply(fasthttp.StatusOK, typeJSON, []byte(answer))
	}
}

// keepsOutcomes answers where outcomes are not kept.
func (x *exchange) keepsOutcomes() bool {
	return x.s.cfg.Outcomes != nil || x.fail(api.CodeNotFound, "this service keeps no outcomes")
}

// accuracy answers GET /v1/accuracy and GET /v1/outcomes/stats: whether the answers to the request's key were right;
// for an operator's key, those to all keys.
func (s *Server) accuracy(x *exchange) {
	if !x.keepsOutcomes() || !x.admitRecord() {
		return
	}
	of := &x.keyID
	if x.mayChange() {
		of = nil
	}
	a, err := s.cfg.Outcomes.Accuracy(of)
	if err != nil {
		x.fail(api.CodeInternal, "the outcomes cannot be read")
		s.warn("outcomes not read", "error", err)
		return
	}
	state := s.cfg.Outcomes.State()
	all := a.Day.All()
	market, reported := a.Market.All().Count, a.Reported.All().Count
	w := api.NewWriter(nil)
	w.Integer(`{"total_outcomes":`, market+reported+a.Unverified.Unknown)
	w.Integer(`,"verified":`, market+reported)
	w.Integer(`,"by_source":{"market":`, market)
	w.Integer(`,"reported":`, reported+a.Unverified.Unknown)
	w.Integer(`},"unknown":`, a.Market.Unknown)
	w.Raw(`,`)
	writeHeadline(&w, &all)
	writeCurve(&w, &a.Day)
	writeBands(&w, &a.Day)
	writeDeciles(&w, &a.Day)
	writeVaR(&w, &a.Day)
	writeRecent(&w, &a.Recent)
	writeWeek(&w, &a.Week)
	writeAlarm(&w, &state.Alarm)
	w.TextOrNull(`,"closed_through":`, timeText(state.ClosedThrough))
	w.Text(`,"computed_at":`, timeText(a.At))
	w.Raw(`}`)
	x.replyOwn(w.Bytes())
}

// share writes part/whole, null without a whole.
func share(w *api.Writer, key string, part float64, whole int) {
	if whole == 0 {
		w.Raw(key + "null")
		return
	}
	w.Exact(key, part/float64(whole))
}

// writeHeadline writes the figures of some outcomes, without braces.
func writeHeadline(w *api.Writer, t *outcomes.Tally) {
	share(w, `"brier_score":`, t.Squared, t.Judged)
	share(w, `,"predicted_mean":`, t.Probability, t.Judged)
	writeResults(w, t)
}

// writeResults writes what became of positions.
func writeResults(w *api.Writer, t *outcomes.Tally) {
	share(w, `,"liquidated_rate":`, float64(t.Liquidated), t.Count)
	share(w, `,"loss_rate":`, float64(t.Lost), t.Told)
	share(w, `,"avg_pnl_pct":`, t.Pct, t.PctTold)
	share(w, `,"avg_pnl_usd":`, t.USD, t.Told)
	share(w, `,"profitable_pct":`, 100*float64(t.Won), t.Told)
}

// writeInterval writes the 95 % interval of a rate, null without a case.
func writeInterval(w *api.Writer, events, cases int) {
	if cases == 0 {
		w.Raw(`,"wilson_95":null`)
		return
	}
	low, high := backtest.Wilson(events, cases)
	w.Exact(`,"wilson_95":[`, low)
	w.Exact(`,`, high)
	w.Raw(`]`)
}

func writeCurve(w *api.Writer, s *outcomes.Sums) {
	for i := range w.Each(`,"calibration_curve":`, len(s.Bins)) {
		t := &s.Bins[i]
		w.Exact(`{"predicted_range":[`, outcomes.Edges[i])
		w.Exact(`,`, outcomes.Edges[i+1])
		w.Integer(`],"count":`, t.Count)
		share(w, `,"predicted_mean":`, t.Probability, t.Judged)
		share(w, `,"actual_rate":`, float64(t.Liquidated), t.Count)
		writeInterval(w, t.Liquidated, t.Count)
		w.Raw(`}`)
	}
}

func writeBands(w *api.Writer, s *outcomes.Sums) {
	for i := range w.Each(`,"band_stats":`, len(s.Bands)) {
		t := &s.Bands[i]
		w.Text(`{"recommendation":`, outcomes.Bands[i])
		w.Integer(`,"count":`, t.Count)
		share(w, `,"predicted_mean":`, t.Probability, t.Judged)
		writeResults(w, t)
		w.Raw(`}`)
	}
}

func writeDeciles(w *api.Writer, s *outcomes.Sums) {
	width := 100 / len(s.Deciles)
	for i := range w.Each(`,"by_score_decile":`, len(s.Deciles)) {
		t := &s.Deciles[i]
		w.Integer(`{"score_range":[`, i*width)
		w.Integer(`,`, (i+1)*width)
		w.Integer(`],"count":`, t.Count)
		share(w, `,"predicted_mean":`, t.Probability, t.Judged)
		writeResults(w, t)
		w.Raw(`}`)
	}
}

func writeVaR(w *api.Writer, s *outcomes.Sums) {
	w.Integer(`,"var_99_24h":{"count":`, s.VaRs)
	w.Integer(`,"exceeded":`, s.Exceeded)
	share(w, `,"exceeded_rate":`, float64(s.Exceeded), s.VaRs)
	writeInterval(w, s.Exceeded, s.VaRs)
	w.Raw(`}`)
}

func writeRecent(w *api.Writer, s *outcomes.Sums) {
	all := s.All()
	if all.Count == 0 {
		w.Raw(`,"recent_7d":null`)
		return
	}
	w.Integer(`,"recent_7d":{"count":`, all.Count)
	w.Raw(`,`)
	writeHeadline(w, &all)
	w.Raw(`}`)
}

// writeWeek writes the outcomes of 7 days, null without one.
func writeWeek(w *api.Writer, s *outcomes.Sums) {
	all := s.All()
	if all.Count+s.Unknown == 0 {
		w.Raw(`,"seven_days":null`)
		return
	}
	w.Integer(`,"seven_days":{"count":`, all.Count)
	w.Integer(`,"unknown":`, s.Unknown)
	w.Raw(`,`)
	writeHeadline(w, &all)
	writeCurve(w, s)
	writeBands(w, s)
	w.Raw(`}`)
}

// writeAlarm writes the comparisons of what the service's answers told with what happened.
func writeAlarm(w *api.Writer, a *outcomes.Alarm) {
	w.Boolean(`,"alarm":{"raised":`, a.Raised())
	w.Boolean(`,"volatility":{"raised":`, a.Volatility.Raised)
	w.Integer(`,"hours":`, a.Volatility.Hours)
	share(w, `,"variance_ratio":`, a.Volatility.Ratio, min(1, a.Volatility.Hours))
	w.Exact(`,"p_value":`, a.Volatility.P)
	for i := range w.Each(`},"bands":`, len(a.Bands)) {
		v := &a.Bands[i]
		w.Text(`{"recommendation":`, outcomes.Bands[v.Band])
		w.Boolean(`,"raised":`, v.Raised)
		w.Integer(`,"window_hours":`, outcomes.KeptHours)
		w.Integer(`,"units":`, v.Count)
		share(w, `,"promised_rate":`, v.Promised, v.Count)
		share(w, `,"actual_rate":`, float64(v.Liquidated), v.Count)
		w.Integer(`,"events":`, v.Hours)
		w.Exact(`,"p_value":`, v.P)
		w.Raw(`}`)
	}
	w.Raw(`}`)
}

// writeAccuracy writes the block of /health, null where outcomes are not kept. Anybody may read it.
func (s *Server) writeAccuracy(w *api.Writer) {
	if s.cfg.Outcomes == nil {
		w.Raw(`,"accuracy":null`)
		return
	}
	state := s.cfg.Outcomes.State()
	w.Boolean(`,"accuracy":{"alarm":`, state.Alarm.Raised())
	w.Boolean(`,"volatility":`, state.Alarm.Volatility.Raised)
	w.Raw(`,"broken_promises":[`)
	separator := ""
	for _, v := range state.Alarm.Bands {
		if v.Raised {
			w.Text(separator, outcomes.Bands[v.Band])
			separator = `,`
		}
	}
	w.TextOrNull(`],"closed_through":`, timeText(state.ClosedThrough))
	w.Integer(`,"open":`, state.Open)
	trouble := ""
	if state.Trouble != nil {
		trouble = "outcomes cannot be closed; the log says why"
	}
	w.TextOrNull(`,"trouble":`, trouble)
	w.Raw(`}`)
}

// writeAccuracyMetrics writes the metrics of the outcomes.
func (s *Server) writeAccuracyMetrics(p *promtext.Page) {
	if s.cfg.Outcomes == nil {
		return
	}
	state := s.cfg.Outcomes.State()
	p.Switch("ballast_moves_beyond_told",
		"1 while markets move further than the newest answers forecast.",
		state.Alarm.Volatility.Raised)
	p.Family(promtext.Gauge, "ballast_promise_broken",
		"1 while more positions with a recommendation are liquidated within 24 h than "+
			"it promises, with 99 % confidence.")
	for _, v := range state.Alarm.Bands {
		raised := 0.0
		if v.Raised {
			raised = 1
		}
		p.Sample(raised, "recommendation", outcomes.Bands[v.Band])
	}
	p.Gauge("ballast_outcomes_open", "Decisions whose outcome waits for missing bars.", float64(state.Open))
	age := 0.0
	if !state.ClosedThrough.IsZero() {
		age = time.Since(state.ClosedThrough).Seconds()
	}
	p.Gauge("ballast_outcomes_closed_age_seconds",
		"Age of the newest decisions whose outcomes are closed: some 25 h, more when the closing is behind; "+
			"0 before the first look.", age)
	p.Switch("ballast_outcomes_trouble", "1 while outcomes cannot be closed.", state.Trouble != nil)
}
