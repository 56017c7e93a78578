package outcomes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/server/journal"
)

// Decisions are the recorded decisions.
type Decisions interface {
	// Each calls yield for those from a time on and before another, and tells how many parts could not be read.
	Each(from, to time.Time, yield func(*journal.Decision) bool) (unreadable int, err error)
	// Find returns those of a key with a request id: several for a batch, none if there are none.
	Find(ctx context.Context, requestID, keyID string) ([]*journal.Decision, error)
}

// Store keeps outcomes: *store.Main.
type Store interface {
	CloseOutcomes(*store.Closed) error
	OutcomeMarks() (map[int64]int64, error)
	OutcomeHours() (map[int64]string, error)
	OpenOutcomes() (map[store.OpenName]string, error)
	OutcomeSums(key *string, each func(n store.SumName, sums string) error) error
	ReportsOf(key, requestID string, limit int, each func(store.Report) error) error
	ReportOutcome(r *store.Report, sum store.SumName, more string,
		merge func(kept, more string) (string, error)) (*store.Report, error)
}

// Config configures a Closer.
type Config struct {
	Decisions Decisions
	Store     Store
	// Bars returns the closed hourly bars of an asset, none for one that is not known.
	Bars  func(asset string) []marketcache.Bar
	NowMs func() int64 // the venue's clock
	Log   *slog.Logger
}

const (
	lookEvery = time.Minute
	keptDays  = 400
	// firstHours is how many hours before its first due one the first closing begins: as old as decisions get by
	// default.
	firstHours = 30 * 24
	// maxOpen is how many decisions of an hour may be open while later hours are closed. Of more, such as after a
	// start without histories, the closing waits.
	maxOpen = 20_000
)

// Closer closes outcomes. Create it with New.
type Closer struct {
	cfg   Config
	state atomic.Pointer[State]

	mu     sync.Mutex // held by Pass, guards what follows
	loaded bool
	marks  [horizonCount]int64 // hours of decisions before this one are closed or in open
	saved  [horizonCount]int64 // the marks that the store has
	hours  map[int64]promises
	open   map[store.OpenName][]Case
	told   map[int64]told // of the newest day, by hour of decisions; an hour is in it when it has been read
	seen   int64          // hours before this one are compared with told
	alarm  Alarm
}

// New returns a closer.
func New(cfg Config) *Closer {
	c := &Closer{cfg: cfg, told: map[int64]told{}, alarm: Alarm{Volatility{P: 1}, judge(nil, 0)}}
	c.state.Store(&State{Alarm: c.alarm})
	return c
}

// Run closes what is due until ctx ends.
func (c *Closer) Run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if err := c.Pass(ctx); err != nil && ctx.Err() == nil {
			c.cfg.Log.Warn("outcomes not closed; trying on", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Pass closes what is due.
func (c *Closer) Pass(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, was := c.cfg.NowMs(), c.alarm.Raised()
	err := c.pass(ctx, now)
	if err != nil {
		c.loaded = false // what the store has counts
	}
	err = errors.Join(err, c.watch(now))
	if raised := c.alarm.Raised(); raised && !was {
		c.cfg.Log.Error("answers are not as told: docs/operations.md, BallastPromiseBroken",
			"volatility", c.alarm.Volatility, "promises", c.alarm.Bands)
	} else if was && !raised {
		c.cfg.Log.Info("answers are as told again")
	}
	c.publish(err)
	return err
}

func (c *Closer) pass(ctx context.Context, now int64) error {
	if err := c.load(); err != nil {
		return err
	}
	for horizon := range Horizons {
		for ctx.Err() == nil && due(c.marks[horizon]+1+Horizons[horizon], now) {
			done, err := c.closeHour(horizon, now)
			if err != nil {
				return err
			}
			if !done {
				break
			}
		}
	}
	if err := c.retry(ctx, now); err != nil {
		return err
	}
	if c.marks != c.saved { // hours without a decision
		if err := c.commit(store.OpenName{}, newPart(), now); err != nil {
			return err
		}
	}
	c.alarm.Bands = judge(c.hours, c.marks[Day])
	return nil
}

// load reads what the store has, once.
func (c *Closer) load() error {
	if c.loaded {
		return nil
	}
	marks, err := c.cfg.Store.OutcomeMarks()
	if err != nil {
		return err
	}
	for i, h := range Horizons {
		if mark, ok := marks[h]; ok {
			c.marks[i], c.saved[i] = mark, mark
		} else {
			c.marks[i] = c.cfg.NowMs()/hourMs - h - firstHours
		}
	}
	hours, err := c.cfg.Store.OutcomeHours()
	if err != nil {
		return err
	}
	c.hours = map[int64]promises{}
	for hour, text := range hours {
		if c.hours[hour], err = decodePromises(text); err != nil {
			return err
		}
	}
	open, err := c.cfg.Store.OpenOutcomes()
	if err != nil {
		return err
	}
	c.open = map[store.OpenName][]Case{}
	for name, text := range open {
		var cases []Case
		if err := json.Unmarshal([]byte(text), &cases); err != nil {
			return err
		}
		c.open[name] = cases
	}
	c.loaded = true
	return nil
}

// watch compares the newest day with what answers told, once an hour.
func (c *Closer) watch(now int64) error {
	end := (now - grace.Milliseconds()) / hourMs
	if end == c.seen {
		return nil
	}
	first := end - 1 - Horizons[Day]
	maps.DeleteFunc(c.told, func(hour int64, _ told) bool { return hour < first })
	for hour := first; hour < end-1; hour++ {
		if c.told[hour] != nil {
			continue
		}
		answers := told{}
		_, err := c.cfg.Decisions.Each(time.UnixMilli(hour*hourMs), time.UnixMilli((hour+1)*hourMs),
			func(d *journal.Decision) bool {
				if one, ok := CaseOf(d); ok {
					answers.add(&one)
				}
				return true
			})
		if err != nil {
			return err
		}
		c.told[hour] = answers
	}
	c.alarm.Volatility = watch(c.told, end, c.reader())
	c.seen = end
	return nil
}

// part is what some decisions of an hour add.
type part struct {
	sums     map[store.SumName]*Sums
	promises promises
	open     []Case
	moved    bool // an outcome was closed or given up
}

func newPart() *part { return &part{sums: map[store.SumName]*Sums{}} }

// settle closes one outcome, or leaves it open.
func (p *part) settle(c *Case, bars []marketcache.Bar, horizon int, now int64) {
	_, to := c.window(horizon)
	o, ok := c.Close(bars, horizon)
	late := now >= to*hourMs+patience.Milliseconds()
	if !ok && !late {
		p.open = append(p.open, *c)
		return
	}
	p.moved = true
	n := store.SumName{Key: c.KeyID, Day: to / 24, Source: string(Market), Horizon: Horizons[horizon]}
	s := p.sums[n]
	if s == nil {
		s = &Sums{}
		p.sums[n] = s
	}
	if !ok {
		s.Unknown++
		return
	}
	s.AddMarket(c, &o, horizon)
	if horizon == Day {
		p.promises.add(c, &o)
	}
}

// closeHour closes the decisions of the hour at the mark. It reports false when too many of them lack bars.
func (c *Closer) closeHour(horizon int, now int64) (done bool, err error) {
	hour := c.marks[horizon]
	p, bars := newPart(), c.reader()
	unreadable, err := c.cfg.Decisions.Each(time.UnixMilli(hour*hourMs), time.UnixMilli((hour+1)*hourMs),
		func(d *journal.Decision) bool {
			if one, ok := CaseOf(d); ok {
				p.settle(&one, bars(one.Asset), horizon, now)
			}
			return len(p.open) <= maxOpen
		})
	if err != nil || len(p.open) > maxOpen {
		return false, err
	}
	if unreadable > 0 {
		c.cfg.Log.Warn("decisions without an outcome: they cannot be read", "hour", timeOf(hour), "blocks", unreadable)
	}
	c.marks[horizon] = hour + 1
	if !p.moved && len(p.open) == 0 {
		return true, nil
	}
	return true, c.commit(store.OpenName{Horizon: Horizons[horizon], Hour: hour}, p, now)
}

// reader returns Config.Bars with a memory.
func (c *Closer) reader() func(asset string) []marketcache.Bar {
	read := map[string][]marketcache.Bar{}
	return func(asset string) []marketcache.Bar {
		bars, ok := read[asset]
		if !ok {
			bars = c.cfg.Bars(asset)
			read[asset] = bars
		}
		return bars
	}
}

// retry looks again at what is open.
func (c *Closer) retry(ctx context.Context, now int64) error {
	bars := c.reader()
	for _, name := range slices.SortedFunc(maps.Keys(c.open), func(a, b store.OpenName) int {
		return cmp.Or(cmp.Compare(a.Horizon, b.Horizon), cmp.Compare(a.Hour, b.Hour))
	}) {
		if ctx.Err() != nil {
			break
		}
		p, horizon := newPart(), slices.Index(Horizons[:], name.Horizon)
		if horizon < 0 {
			return errors.New("an open outcome has a horizon that there is not")
		}
		for i := range c.open[name] {
			one := &c.open[name][i]
			p.settle(one, bars(one.Asset), horizon, now)
		}
		if !p.moved {
			continue
		}
		if err := c.commit(name, p, now); err != nil {
			return err
		}
	}
	return nil
}

// commit keeps the marks and a part of an hour, and then has it in memory.
func (c *Closer) commit(name store.OpenName, p *part, now int64) error {
	closed := store.Closed{
		Marks: map[int64]int64{}, Sums: map[store.SumName]string{}, Hours: map[int64]string{},
		Open:       map[store.OpenName]string{},
		MergeSums:  mergeSums,
		ForgetDays: now/hourMs/24 - keptDays, ForgetHours: c.marks[Day] - KeptHours,
	}
	for i, h := range Horizons {
		closed.Marks[h] = c.marks[i]
	}
	for n, s := range p.sums {
		closed.Sums[n] = encode(s)
	}
	kept := c.hours[name.Hour]
	if kept.merge(&p.promises); kept != c.hours[name.Hour] {
		closed.Hours[name.Hour] = encode(&kept)
	}
	if len(p.open) > 0 {
		closed.Open[name] = encode(p.open)
	} else if len(c.open[name]) > 0 {
		closed.Open[name] = ""
	}
	if err := c.cfg.Store.CloseOutcomes(&closed); err != nil {
		return err
	}
	c.saved = c.marks
	c.hours[name.Hour] = kept
	maps.DeleteFunc(c.hours, func(hour int64, _ promises) bool { return hour < closed.ForgetHours })
	if delete(c.open, name); len(p.open) > 0 {
		c.open[name] = p.open
	}
	return nil
}

func mergeSums(kept, more string) (string, error) {
	a, err := decodeSums(kept)
	b, bad := decodeSums(more)
	a.Merge(&b)
	return encode(&a), errors.Join(err, bad)
}

// State is how the closing stands.
type State struct {
	Alarm Alarm // without answers before the first look
	// ClosedThrough is the time before which all decisions of a day ago are closed or open, zero before the first
	// pass; Open counts those that wait for bars.
	ClosedThrough time.Time
	Open          int
	Trouble       error // of the last pass
}

// State returns how the closing stands.
func (c *Closer) State() State { return *c.state.Load() }

// publish makes State tell of a pass.
func (c *Closer) publish(err error) {
	s := State{Alarm: c.alarm, Trouble: err}
	if c.marks[Day] > 0 {
		s.ClosedThrough = time.UnixMilli(c.marks[Day] * hourMs)
	}
	for _, cases := range c.open {
		s.Open += len(cases)
	}
	c.state.Store(&s)
}
