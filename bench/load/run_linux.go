package load

import (
	"context"
	"time"
)

// Run executes one run. It returns an error when there is nothing to report: for invalid settings,
// or when no server answers. If ctx ends, the run ends early with a report.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	cfg = cfg.withDefaults()
	t, err := cfg.check()
	if err != nil {
		return nil, err
	}
	base := time.Now()
	l, err := newLoop(ctx, &cfg, t, base)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if cfg.Alerts > 0 {
		if l.fanout, err = openFanout(ctx, t, &cfg, base); err != nil {
			return nil, err
		}
	}
	l.attend(ctx)
	var alerts *AlertReport
	if l.fanout != nil {
		alerts = l.fanout.finish(ctx)
	}
	if err := l.cpu.finish(l.now()); err != nil {
		return nil, err
	}
	return l.report(alerts), nil
}

// attend runs the loop, watches it and reports progress.
func (l *loop) attend(ctx context.Context) {
	l.prepare()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.run()
	}()
	tick := time.NewTicker(patrol)
	defer tick.Stop()
	for told := l.start; ; {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		l.watch(ctx.Err() != nil)
		if now := l.now(); l.cfg.Progress != nil && now-told >= int64(time.Second) {
			told = now
			l.cfg.Progress(l.progress(now))
		}
	}
}

func (l *loop) progress(now int64) Progress {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := Progress{Elapsed: time.Duration(now - l.start), Total: l.cfg.Warmup + l.cfg.Duration, Backlog: l.waiting(now)}
	p.Answered, p.Failed = l.tally.sums()
	return p
}

// report returns the report of a run that has ended.
func (l *loop) report(alerts *AlertReport) *Report {
	r := l.tally.report(l.cfg)
	r.Ended, r.Alerts = l.ended, alerts
	r.setDuration(time.Duration(max(0, l.stop-l.measure)), time.Duration(max(0, l.tally.last-l.measure)))
	if w := &l.cpu; w.pid != 0 && w.done {
		window := time.Duration(w.to - w.from)
		s := &ServerReport{CPUSeconds: w.used.Seconds(), MemoryBytes: w.bytesAfter, Answers: l.tally.inWindow,
			WindowS: window.Seconds()}
		if window > 0 {
			s.CPUShare = w.used.Seconds() / window.Seconds()
		}
		if s.Answers > 0 {
			s.CPUPerAnswer = float64(w.used.Microseconds()) / float64(s.Answers)
		}
		r.Server = s
	}
	return r
}
