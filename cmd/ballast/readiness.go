package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"ballast/server"
)

const (
	readinessPoll = 250 * time.Millisecond
	// warmupEvery and warmupEveryReady are the intervals between log lines about the warm-up,
	// before the service is ready and afterwards.
	warmupEvery      = 30 * time.Second
	warmupEveryReady = 5 * time.Minute
	// readinessCalm is the minimum time between two logged changes of readiness.
	readinessCalm = 10 * time.Second
)

// readinessLog logs the progress of the warm-up, then once that the service is ready and once
// that every listed asset is calibrated, and every later change of readiness.
type readinessLog struct {
	log             *slog.Logger
	url, venue      string
	keys            func() int
	started         time.Time
	told, changed   time.Time
	ready           bool
	first, complete bool // has been ready once, warm-up has been complete once
}

// observe logs what has changed in the readiness; now is the present time.
func (l *readinessLog) observe(p server.Readiness, now time.Time) {
	every := warmupEvery
	if l.first {
		every = warmupEveryReady
	}
	after := now.Sub(l.started).Round(100 * time.Millisecond)
	switch {
	case p.Ready && !l.first:
		l.first, l.ready, l.changed, l.told = true, true, now, now
		l.log.Info("ready", "url", l.url, "venue", l.venue, "version", version, "after", after,
			"assets_listed", p.Listed, "assets_calibrated", p.Calibrated, "keys", l.keys())
	case p.Ready != l.ready && now.Sub(l.changed) >= readinessCalm:
		l.ready, l.changed = p.Ready, now
		if p.Ready {
			l.log.Info("ready again")
		} else {
			l.log.Warn("not ready any more: see GET /health")
		}
	case l.first && !l.complete && p.CompleteIn == 0:
		l.complete = true
		l.log.Info("warm-up complete", "after", after, "assets_calibrated", p.Calibrated)
	case !l.complete && now.Sub(l.told) >= every:
		l.told = now
		if p.Trouble != "" {
			l.log.Warn(p.Trouble)
		}
		l.log.Info("warm-up", "history", warmupBar(p.History), "assets_listed", p.Listed, "assets_calibrated",
			p.Calibrated, "open_interest_share", float64(int(p.OpenInterest*1000))/1000,
			"ready_in", estimate(p.ReadyIn), "complete_in", estimate(p.CompleteIn))
	}
}

// warmupBar draws a share, 0 to 1, as a bar.
func warmupBar(share float64) string {
	const length = 20
	n := int(share * length)
	return fmt.Sprintf("[%s%s] %d %%", strings.Repeat("#", n), strings.Repeat(".", length-n), int(share*100))
}

// estimate formats an estimated duration.
func estimate(d time.Duration) string {
	if d < 0 {
		return "unknown"
	}
	return d.Round(time.Second).String()
}

// logReadiness logs the readiness of the service until ctx ends.
func (s *service) logReadiness(ctx context.Context, url string, keys serviceKeys, issue string) {
	now := time.Now()
	l := readinessLog{log: s.log, url: url, venue: s.market.venue, started: now, told: now, keys: keys.Store().Len}
	hinted := s.market.sim != nil // with a simulated venue, announce issues a key
	each(ctx, readinessPoll, func() {
		if !hinted && keys.Loaded() {
			hinted = true
			if keys.Store().Len() == 0 {
				s.log.Warn(
					"there are no API keys, so every request is refused: none was issued yet, or ballast.db is gone",
					"issue", issue)
			}
		}
		if p := s.http.Readiness(); ctx.Err() == nil {
			l.observe(p, time.Now())
		}
	})
}
