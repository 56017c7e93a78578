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
				wallets.Go(func() { t.answer(m, t.answerWallet(t.loadAccount)) })
			case "flows":
				wallets.Go(func() { t.answer(m, t.answerWallet(t.loadFlows)) })
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

// answerWallet answers a question about a wallet by what load reads.
func (t *leadership) answerWallet(load func(context.Context, *walletQuestion, *walletAnswer) error) func([]byte) any {
	return func(question []byte) any {
		var q walletQuestion
		if decode(question, &q) != nil {
			return nil
		}
		ctx, cancel := context.WithTimeout(t.ctx, min(q.Patience, walletLimit))
		defer cancel()
		var a walletAnswer
		if err := load(marketcache.WithCaller(ctx, q.Caller), &q, &a); err != nil {
			a.Failure = failureOf(err)
		}
		return a
	}
}

func (t *leadership) loadAccount(ctx context.Context, q *walletQuestion, answer *walletAnswer) error {
	setting := marketcache.NoAsset
	if q.Setting != "" {
		setting = t.r.cfg.Cache.Universe().LookupString(q.Setting)
	}
	a, err := t.feed.LoadAccount(ctx, q.Wallet, setting)
	if err == nil {
		answer.Account = replaceBound(*a, math.Inf(1), noBound)
	}
	return err
}

func (t *leadership) loadFlows(ctx context.Context, q *walletQuestion, answer *walletAnswer) (err error) {
	answer.Flows, err = t.feed.Flows(ctx, &marketcache.Account{Wallet: q.Wallet, Mode: q.Mode}, q.SinceMs)
	return err
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
