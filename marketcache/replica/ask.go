package replica

import (
	"context"
	"time"

	"ballast/marketcache"
)

// flows reads a wallet's deposits and withdrawals through the leader.
func (f *follower) flows(ctx context.Context, a *marketcache.Account, sinceMs int64) ([]marketcache.Flow, error) {
	q := flowsQuestion{Wallet: a.Wallet, Mode: a.Mode, SinceMs: sinceMs, Patience: walletLimit,
		Caller: marketcache.CallerOf(ctx)}
	if deadline, ok := ctx.Deadline(); ok {
		q.Patience = time.Until(deadline)
	}
	var answer flowsAnswer
	if _, err := f.ask(ctx, "flows", q, &answer); err != nil {
		return nil, err
	}
	if answer.Failure != nil {
		return nil, answer.Failure.error()
	}
	return answer.Flows, nil
}

// ask asks the leader, and returns the epoch in which it has answered.
func (f *follower) ask(ctx context.Context, name string, question, answer any) (epoch uint64, err error) {
	f.mu.Lock()
	epoch, term := f.epoch, f.term
	age, known := f.beatAge(marketcache.Now())
	f.mu.Unlock()
	if !known || age >= silence {
		return epoch, unavailable(noLeader, nil)
	}
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(term, cancel)()
	err = f.r.ask(asking, walletLimit, epoch, name, question, answer)
	switch {
	case ctx.Err() != nil:
		return epoch, context.Cause(ctx)
	case err != nil:
		return epoch, unavailable("the leader of the shared feed does not answer", err)
	}
	return epoch, nil
}
