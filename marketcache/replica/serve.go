package replica

import (
	"context"
	"math"
	"time"

	"github.com/nats-io/nats.go/micro"

	"ballast/marketcache"
)

// maxWallets is the maximum number of wallet requests in progress.
const maxWallets = 1024

// serve answers the followers' requests until ctx ends.
func (t *leadership) serve(ctx context.Context) error {
	svc, err := micro.AddService(t.r.cfg.NATS, micro.Config{
		Name: "ballast-feed", Version: "1.0.0", Description: "ballast: wallets and histories of the shared feed",
		QueueGroupDisabled: true,
	})
	if err != nil {
		return err
	}
	slots := make(chan struct{}, maxWallets)
	defer func() {
		svc.Stop()
		for range maxWallets { // waits for requests in progress; later ones find no slot
			slots <- struct{}{}
		}
	}()
	for name, answer := range map[string]func(question []byte, reply func(answer any)){
		"clock":   t.answerClock,
		"history": t.answerHistory,
		"wallet":  func(question []byte, reply func(any)) { t.answerWallet(slots, question, reply) },
	} {
		err := svc.AddEndpoint(name, micro.HandlerFunc(func(q micro.Request) {
			t.r.supervisor.Guard(name, func() error {
				answer(q.Data(), func(answer any) {
					if b, err := t.r.cfg.encode(answer); err == nil {
						_ = q.Respond(b) // a lost answer ends in the follower's timeout
					}
				})
				return nil
			})
		}), micro.WithEndpointSubject(t.r.endpoint(t.epoch, name)))
		if err != nil {
			return err
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

// answerClock answers with the time, and marks the assets that a follower's callers wait for as wanted.
func (t *leadership) answerClock(question []byte, reply func(any)) {
	reply(marketcache.Now())
	var wanted []string
	if decode(question, &wanted) != nil {
		return
	}
	u := t.r.cfg.Cache.Universe()
	for _, name := range wanted {
		if id := u.LookupString(name); id != marketcache.NoAsset {
			t.r.cfg.Cache.Want(id)
		}
	}
}

func (t *leadership) answerHistory(question []byte, reply func(any)) {
	var q historyQuestion
	if decode(question, &q) != nil || q.Topic >= topics || t.r.cfg.Cache.Universe().Asset(q.Asset) == nil {
		return
	}
	if h, ok := carriers[q.Topic].(history); ok {
		reply(h.page(t.r.cfg.Cache, q.Asset, q.From))
	}
}

// answerWallet reads a wallet without blocking other requests.
func (t *leadership) answerWallet(slots chan struct{}, question []byte, reply func(any)) {
	var q walletQuestion
	if decode(question, &q) != nil {
		return
	}
	select {
	case slots <- struct{}{}:
	default:
		reply(walletAnswer{Failure: failureOf(&marketcache.VenueError{Kind: marketcache.ErrBudget, Wait: time.Second,
			Detail: "too many wallets at once"})})
		return
	}
	go func() {
		defer func() { <-slots }()
		t.r.supervisor.Guard("wallet", func() error {
			ctx, cancel := context.WithTimeout(t.ctx, min(q.Patience, walletLimit))
			defer cancel()
			setting := marketcache.NoAsset
			if q.Setting != "" {
				setting = t.r.cfg.Cache.Universe().LookupString(q.Setting)
			}
			a, err := t.feed.LoadAccount(marketcache.WithCaller(ctx, q.Caller), q.Wallet, setting)
			if err != nil {
				a = &marketcache.Account{}
			}
			reply(walletAnswer{failureOf(err), bounds(*a, math.Inf(1), noBound)})
			return nil
		})
	}()
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
