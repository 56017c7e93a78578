package replica

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"ballast/marketcache"
)

// maxRequests is the maximum number of requests that wait; later ones are lost.
const maxRequests = 1024

// serve answers the followers' requests until ctx ends.
func (t *leadership) serve(ctx context.Context) error {
	requests := make(chan *nats.Msg, maxRequests)
	sub, err := t.r.cfg.NATS.ChanSubscribe(t.r.endpoint(t.epoch, "*"), requests)
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	var wallets sync.WaitGroup
	defer wallets.Wait()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case m := <-requests:
			switch m.Subject[strings.LastIndexByte(m.Subject, '.')+1:] {
			case "clock":
				t.answer(m, t.answerClock)
			case "history":
				t.answer(m, t.answerHistory)
			case "wallet":
				wallets.Go(func() { t.answer(m, t.answerWallet) })
			case "flows":
				wallets.Go(func() { t.answer(m, t.answerFlows) })
			}
		}
	}
}

// answer answers a request; not if the answer is nil, which ends in the follower's timeout.
func (t *leadership) answer(m *nats.Msg, answerTo func(question []byte) any) {
	t.r.supervisor.Guard("request", func() error {
		answer := answerTo(m.Data)
		if answer == nil {
			return nil
		}
		b, err := t.r.cfg.encode(answer)
		if err != nil {
			return err
		}
		return m.Respond(b)
	})
}

// answerClock answers with the time, and marks the assets that a follower's callers wait for as wanted.
func (t *leadership) answerClock(question []byte) any {
	now := marketcache.Now()
	var wanted []string
	_ = decode(question, &wanted) // none if it is unreadable
	u := t.r.cfg.Cache.Universe()
	for _, name := range wanted {
		if id := u.LookupString(name); id != marketcache.NoAsset {
			t.r.cfg.Cache.Want(id)
		}
	}
	return now
}

func (t *leadership) answerHistory(question []byte) any {
	var q historyQuestion
	if decode(question, &q) != nil || q.Topic >= topics || t.r.cfg.Cache.Universe().Asset(q.Asset) == nil {
		return nil
	}
	if h, ok := carriers[q.Topic].(history); ok {
		return h.page(t.r.cfg.Cache, q.Asset, q.From)
	}
	return nil
}

func (t *leadership) answerWallet(question []byte) any {
	var q walletQuestion
	if decode(question, &q) != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(t.ctx, min(q.Patience, walletLimit))
	defer cancel()
	setting := marketcache.NoAsset
	if q.Setting != "" {
		setting = t.r.cfg.Cache.Universe().LookupString(q.Setting)
	}
	a, err := t.feed.LoadAccount(marketcache.WithCaller(ctx, q.Caller), q.Wallet, setting)
	if err != nil {
		return walletAnswer{Failure: failureOf(err)}
	}
	return walletAnswer{Account: replaceBound(*a, math.Inf(1), noBound)}
}

func (t *leadership) answerFlows(question []byte) any {
	var q flowsQuestion
	if decode(question, &q) != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(t.ctx, min(q.Patience, walletLimit))
	defer cancel()
	account := &marketcache.Account{Wallet: q.Wallet, Mode: q.Mode}
	flows, err := t.feed.Flows(marketcache.WithCaller(ctx, q.Caller), account, q.SinceMs)
	if err != nil {
		return flowsAnswer{Failure: failureOf(err)}
	}
	return flowsAnswer{Flows: flows}
}

// ask sends a request to the leader of an epoch and decodes its answer, which must come within limit,
// into answer.
func (r *Replica) ask(ctx context.Context, limit time.Duration, epoch uint64, name string, question,
	answer any) error {
	b, err := r.cfg.encode(question)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	m, err := r.cfg.NATS.RequestWithContext(ctx, r.endpoint(epoch, name), b)
	if err != nil {
		return err
	}
	return decode(m.Data, answer)
}
