package days

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/policy"
)

// Run reads wallets until ctx ends.
func (b *Book) Run(ctx context.Context) {
	tick := time.NewTicker(lookEach)
	defer tick.Stop()
	for {
		b.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-b.wake:
		}
	}
}

// look reads the wallets that are due, and keeps their records.
func (b *Book) look(ctx context.Context) {
	table, now := b.cfg.Live.Table(), time.Now()
	var reading sync.WaitGroup
	slots := make(chan struct{}, readers)
	start := func(read func()) {
		slots <- struct{}{}
		reading.Go(func() {
			defer func() { <-slots }()
			read()
		})
	}
	wallets := *b.wallets.Load()
	for of, p := range table.All {
		if p.Rules.LimitsLosses() && wallets[of] == nil && !now.Before(b.firsts[of]) {
			b.firsts[of] = now.Add(retryAfter)
			start(func() { b.readFirst(ctx, of) })
		}
	}
	for _, w := range wallets {
		if rules := b.rulesOf(table, w); rules != nil && !now.Before(w.due) {
			start(func() { b.read(ctx, w, rules) })
		}
	}
	reading.Wait()
	b.keep()
}

// rulesOf returns the rules for which a wallet is to be read now, nil for none.
func (b *Book) rulesOf(table *policy.Table, w *wallet) *policy.Rules {
	p := table.Of(&w.of)
	if p == nil || !p.Rules.LimitsLosses() {
		return nil
	}
	if p == table.Everyones() && b.cfg.NowMs()-w.asked.Load() > followFor.Milliseconds() {
		return nil
	}
	return &p.Rules
}

// readFirst makes the record of a wallet that has a policy of its own.
func (b *Book) readFirst(ctx context.Context, of marketcache.Wallet) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	a, err := b.cfg.Read(ctx, of)
	if err != nil {
		return // the next look tries again
	}
	if usd, atMs, known := b.value(a); known {
		b.begin(of, usd, atMs)
	}
}

// errIncomplete: some of the wallet could not be read.
var errIncomplete = errors.New("the venue does not tell all of it")

// read takes one reading of a wallet.
func (b *Book) read(ctx context.Context, w *wallet, rules *policy.Rules) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	before := w.day.Load()
	next, err := b.next(ctx, w, before, rules)
	if err != nil {
		w.due = time.Now().Add(retryAfter)
		if !w.troubled {
			b.cfg.Log.Warn("account value for limits on losses not read", "wallet", w.of.String(), "error", err.Error())
		}
		w.troubled = true
		return
	}
	w.due, w.troubled = time.Now().Add(readEvery), false
	if next == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if w.day.CompareAndSwap(before, next) {
		w.unsaved, w.untold = true, true
	} else { // an operator has lifted its halts meanwhile
		w.due = time.Time{}
	}
}

// next returns the record after a reading, nil when there is no newer one.
func (b *Book) next(ctx context.Context, w *wallet, day *policy.Day, rules *policy.Rules) (*policy.Day, error) {
	a, err := b.cfg.Read(ctx, w.of)
	if err != nil {
		return nil, err
	}
	usd, atMs, known := b.value(a)
	switch {
	case !known:
		return nil, errIncomplete
	case atMs <= day.ReadMs:
		return nil, nil
	}
	reading := policy.Reading{AtMs: atMs, ValueUSD: usd}
	next := day.Next(&reading)
	moved := math.Abs(usd-day.ValueUSD) > suspiciousMove*math.Abs(day.ValueUSD)
	if now := time.Now(); !now.Before(w.flowsDue) || moved || next.Peak != day.Peak || next.First != day.First ||
		next.NearLimit(rules, nearLimit) {
		if reading.Flows, err = b.cfg.Flows(ctx, a, day.FlowsMs); err != nil {
			return nil, fmt.Errorf("deposits and withdrawals: %w", err)
		}
		reading.FlowsRead = true
		w.flowsDue = now.Add(flowsEvery)
		next = day.Next(&reading)
	}
	next.Halts = append(next.Halts[:len(next.Halts):len(next.Halts)], next.Breaches(rules)...)
	return &next, nil
}

// keep stores the records that have changed, and tells of new halts.
func (b *Book) keep() {
	rows, events := map[string]store.WalletDay{}, []store.Event(nil)
	told := map[string]store.WalletDay{}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range *b.wallets.Load() {
		day, name := w.day.Load(), w.of.String()
		if w.untold && b.cfg.Tell != nil {
			w.untold = false
			told[name] = store.WalletDay{Record: marshal(*day), Lifts: w.lifts}
		}
		if !w.unsaved {
			continue
		}
		rows[name] = store.WalletDay{Record: marshal(*day), Lifts: w.lifts}
		for i := range day.Halts {
			h := &day.Halts[i]
			if h.AtMs != day.ReadMs { // told before
				continue
			}
			b.cfg.Log.Warn("wallet halted by its losses", "wallet", name, "rule", h.Rule.String(), "percent", h.Value,
				"limit", h.Limit)
			events = append(events, store.Event{Time: time.UnixMilli(h.AtMs), Who: "ballast", Event: store.HaltSet,
				Subject: name, Detail: fmt.Sprintf("%v %g, limit %g", h.Rule, h.Value, h.Limit)})
		}
	}
	if len(told) > 0 {
		b.cfg.Tell(told)
	}
	if len(rows) > 0 {
		if err := b.cfg.Store.PutWalletDays(rows, events); err != nil {
			b.cfg.Log.Error("records of wallets not kept", "error", err.Error())
			return
		}
	}
	for _, w := range *b.wallets.Load() {
		w.unsaved = false
	}
}
