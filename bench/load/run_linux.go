package load

import (
	"context"
	"fmt"
	"runtime/debug"
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
	l, err := newLoop(&cfg, t, base)
	if err != nil {
		return nil, err
	}
	if cfg.Alerts > 0 {
		if l.fanout, err = openFanout(ctx, t, &cfg, base); err != nil {
			l.closeAll()
			return nil, err
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- l.guarded() }()
	err = l.attend(ctx, ended)
	if l.fanout != nil {
		alerts := l.fanout.finish(ctx)
		if err == nil {
			return l.report(alerts), nil
		}
	}
	if err != nil {
		return nil, err
	}
	return l.report(nil), nil
}

// guarded calls run and returns a panic as an error.
func (l *loop) guarded() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("BUG: load generator: %v\n%s", r, debug.Stack())
		}
	}()
	return l.run()
}

// attend reports progress until the loop has ended.
func (l *loop) attend(ctx context.Context, ended chan error) error {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	stop := ctx.Done()
	for {
		select {
		case err := <-ended:
			return err
		case <-stop:
			l.interrupt.Store(true)
			stop = nil
		case <-second.C:
			if begin := l.begin.Load(); begin > 0 && l.cfg.Progress != nil {
				l.cfg.Progress(Progress{
					Elapsed: time.Duration(l.now() - begin), Total: l.cfg.Warmup + l.cfg.Duration,
					Answered: l.answered.Load(), Failed: l.failed.Load(), Backlog: l.waiting.Load(),
				})
			}
		}
	}
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
