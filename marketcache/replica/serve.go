package replica

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/micro"

	"ballast/marketcache"
)

// maxWallets bounds the wallets that followers wait for.
const maxWallets = 1024

// serve answers the followers' questions until ctx ends.
func (t *term) serve(ctx context.Context) error {
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
		for range maxWallets { // those under way end; later ones find no slot
			slots <- struct{}{}
		}
	}()
	for name, answer := range map[string]func(in, out *codec, reply func()){
		"clock": func(_, out *codec, reply func()) {
			now := marketcache.Now()
			out.code(&now)
			reply()
		},
		"want":    t.answerWant,
		"history": t.answerHistory,
		"wallet":  func(in, out *codec, reply func()) { t.answerWallet(slots, in, out, reply) },
	} {
		err := svc.AddEndpoint(name, micro.HandlerFunc(func(q micro.Request) {
			t.r.guard(name, func() {
				in, out := decode(q.Data()), &codec{instant: t.r.cfg.clock}
				out.begin()
				answer(in, out, func() { _ = q.Respond(out.b) }) // who asked gives up by itself
			})
		}), micro.WithEndpointSubject(t.r.endpoint(t.epoch, name)))
		if err != nil {
			return err
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

// answerWant passes on that callers of a follower wait for assets.
func (t *term) answerWant(in, _ *codec, reply func()) {
	var names []string
	in.code(&names)
	u := t.r.cfg.Cache.Universe()
	for _, name := range names {
		if id := u.LookupString(name); id != marketcache.NoAsset {
			t.r.cfg.Cache.Want(id)
		}
	}
	reply()
}

func (t *term) answerHistory(in, out *codec, reply func()) {
	var q historyQuestion
	in.code(&q)
	if !in.done() || q.Kind >= kinds {
		return
	}
	h, ok := carriers[q.Kind].(history)
	if !ok || t.r.cfg.Cache.Universe().Asset(q.Asset) == nil {
		return
	}
	h.page(out, t.r.cfg.Cache, q.Asset, q.From, pageValues)
	reply()
}

// answerWallet reads a wallet while other questions are answered.
func (t *term) answerWallet(slots chan struct{}, in, out *codec, reply func()) {
	var q walletQuestion
	in.code(&q)
	if !in.done() {
		return
	}
	setting := marketcache.NoAsset
	if q.Setting != "" {
		setting = t.r.cfg.Cache.Universe().LookupString(q.Setting)
	}
	answer := func(a *marketcache.Account, err error) {
		f := failureOf(err)
		if out.code(&f); err == nil {
			out.code(a)
		}
		reply()
	}
	select {
	case slots <- struct{}{}:
	default:
		answer(nil, &marketcache.VenueError{Kind: marketcache.ErrBudget, Wait: time.Second, Detail: "too many wallets at once"})
		return
	}
	go func() {
		defer func() { <-slots }()
		t.r.guard("wallet", func() {
			ctx, cancel := context.WithTimeout(t.ctx, min(q.Patience, walletLimit))
			defer cancel()
			answer(t.feed.LoadAccount(marketcache.WithCaller(ctx, q.Caller), q.Wallet, setting))
		})
	}()
}

// ask puts a question to the leader of an epoch and returns its answer.
func (r *Replica) ask(ctx context.Context, epoch uint64, name string, question ...any) (*codec, error) {
	m, err := r.cfg.NATS.RequestWithContext(ctx, r.endpoint(epoch, name), encode(question...))
	if err != nil {
		return nil, err
	}
	return decode(m.Data), nil
}
