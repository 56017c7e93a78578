package replica

import (
	"context"
	"time"

	"ballast/marketcache"
)

// askWallet asks the leader about a wallet, and returns the epoch in which it has answered.
func (f *follower) askWallet(ctx context.Context, name string, q walletQuestion) (
	answer *walletAnswer, epoch uint64, err error) {
	q.Patience, q.Caller = walletLimit, marketcache.CallerOf(ctx)
	if deadline, ok := ctx.Deadline(); ok {
		q.Patience = time.Until(deadline)
	}
	answer = &walletAnswer{}
	if epoch, err = f.ask(ctx, name, q, answer); err == nil && answer.Failure != nil {
		err = answer.Failure.error()
	}
	return answer, epoch, err
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
