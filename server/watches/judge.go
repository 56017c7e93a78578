package watches

import (
	"maps"
	"slices"
	"time"

	"ballast/server/alerts"
)

// maxLateMs is how much older than the newest result that was judged one is ignored, as that of a call that took long.
// One that is still older is of a venue whose clock was set back.
const maxLateMs = 60_000

// after returns the record after a result of its wallet, or the record itself if the result changes nothing. at is
// the time by this machine's clock.
func (r *Record) after(result *alerts.Result, at time.Time) *Record {
	if late := r.JudgedMs - result.AtMs; late > 0 && late < maxLateMs {
		return r
	}
	if len(result.StopsRemoved) > 0 {
		return r.stopsRemoved(result, at)
	}
	found := alerts.Judge(nil, result, &r.Thresholds)
	next := r.clone()
	changed := next.end(result, found, at)
	for i := range found {
		if found[i].Kind != alerts.RegimeShift { // which compares with the calls of everybody
			changed = next.begin(&found[i], at) || changed
		}
	}
	changed = next.shift(result, at) || changed
	if !changed {
		return r
	}
	next.JudgedMs = result.AtMs
	next.shed(at)
	return next
}

// stopsRemoved takes over the word of the gate that the last stop of positions is gone, which says nothing else.
func (r *Record) stopsRemoved(result *alerts.Result, at time.Time) *Record {
	if r.Webhook == nil {
		return r
	}
	next := r.clone()
	left := 0.0
	for _, asset := range result.StopsRemoved {
		next.queue(Event{Type: StopRemoved, Kind: alerts.StopRemoved, Asset: asset, SinceMs: result.AtMs,
			AtMs: result.AtMs, Current: &left, Threshold: 1}, at)
	}
	next.shed(at)
	return next
}

// end ends the conditions that were not found again.
func (r *Record) end(result *alerts.Result, found []alerts.Alert, at time.Time) (changed bool) {
	r.Standing = slices.DeleteFunc(r.Standing, func(c Condition) bool {
		if slices.ContainsFunc(found, func(a alerts.Alert) bool { return a.Kind == c.Kind && a.Asset == c.Asset }) {
			return false
		}
		changed = true
		e := Event{Type: Ended, Kind: c.Kind, Asset: c.Asset, SinceMs: c.SinceMs, AtMs: result.AtMs,
			Critical: c.Critical, Threshold: c.Threshold}
		if x, ok := result.Value(c.Kind, c.Asset); ok {
			e.Current = &x
		}
		r.queue(e, at)
		return true
	})
	return changed
}

// begin takes over a breach that was found: it begins, or has become critical, or stands as before.
func (r *Record) begin(a *alerts.Alert, at time.Time) (changed bool) {
	e := Event{Type: Began, Kind: a.Kind, Asset: a.Asset, SinceMs: a.AtMs, AtMs: a.AtMs, Critical: a.Critical,
		Current: &a.Current, Threshold: a.Threshold}
	i := slices.IndexFunc(r.Standing, func(c Condition) bool { return c.Kind == a.Kind && c.Asset == a.Asset })
	switch {
	case i < 0:
		r.Standing = append(r.Standing, Condition{Kind: a.Kind, Asset: a.Asset, SinceMs: a.AtMs, Critical: a.Critical,
			Threshold: a.Threshold})
	case a.Critical && !r.Standing[i].Critical:
		r.Standing[i].Critical = true
		e.Type, e.SinceMs = TurnedCritical, r.Standing[i].SinceMs
	default:
		return false
	}
	r.queue(e, at)
	return true
}

// shift takes over the regimes of a result. That of an asset that was not held before counts as normal.
func (r *Record) shift(result *alerts.Result, at time.Time) (changed bool) {
	now := map[string]uint8{}
	for i := range result.Positions {
		p := &result.Positions[i]
		old := r.Regimes[p.Asset]
		if !p.HasRegime {
			if old > 0 {
				now[p.Asset] = old
			}
			continue
		}
		if p.Regime > 0 {
			now[p.Asset] = p.Regime
		}
		if p.Regime == old {
			continue
		}
		rank := float64(p.Regime)
		r.queue(Event{Type: Shifted, Kind: alerts.RegimeShift, Asset: p.Asset, SinceMs: result.AtMs, AtMs: result.AtMs,
			Critical: p.Regime == alerts.Crisis, Current: &rank, Threshold: float64(old)}, at)
		changed = true
	}
	changed = changed || !maps.Equal(now, r.Regimes) // an asset is not held any more
	r.Regimes = now
	return changed
}

// queue adds an event to those to be posted, if there is a webhook.
func (r *Record) queue(e Event, at time.Time) {
	if r.Webhook == nil {
		return
	}
	e.ID, e.QueuedAt = e.id(r), at.UTC()
	r.Waiting = append(r.Waiting, e)
}

// shed gives up the oldest events when too many wait.
func (r *Record) shed(at time.Time) {
	if over := len(r.Waiting) - maxWaiting; over > 0 {
		for i := range r.Waiting[:over] {
			r.Waiting[i].Error, r.Waiting[i].GaveUpAt = "more events waited than are kept", at.UTC()
		}
		r.giveUp(over)
	}
}

// giveUp makes the first n events that wait dead.
func (r *Record) giveUp(n int) {
	r.Dead = append(r.Dead, r.Waiting[:n]...)
	r.Dead = slices.Clone(r.Dead[max(0, len(r.Dead)-maxDead):])
	r.Waiting = slices.Clone(r.Waiting[n:])
	r.DeadTotal += uint64(n)
}
