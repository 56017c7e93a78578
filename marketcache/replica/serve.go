package replica

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"ballast/marketcache"
)

// maxWallets bounds the wallets that followers wait for.
const maxWallets = 1024

// walletQuestion asks the leader to read a wallet.
type walletQuestion struct {
	wallet   marketcache.Wallet
	setting  string // asset whose leverage setting is needed, empty: none
	patience time.Duration
}

func (c *codec) walletQuestion(q *walletQuestion) {
	c.wallet(&q.wallet)
	c.text(&q.setting)
	whole(c, &q.patience)
}

// failure is an error of the venue on its way to a follower.
type failure struct {
	kind   int // index of failures; 0: none
	wait   time.Duration
	detail string
	status int
}

func (c *codec) failure(f *failure) {
	whole(c, &f.kind)
	whole(c, &f.wait)
	c.text(&f.detail)
	whole(c, &f.status)
}

var failures = [...]error{nil, marketcache.ErrUnavailable, marketcache.ErrBudget, marketcache.ErrVenue}

// failureOf returns what is to be sent of an error.
func failureOf(err error) failure {
	f := failure{kind: 1, detail: err.Error()}
	for k, kind := range failures {
		if k > 0 && errors.Is(err, kind) {
			f.kind = k
		}
	}
	var e *marketcache.VenueError
	if errors.As(err, &e) {
		f.wait, f.detail, f.status = e.Wait, e.Detail, e.Status
		if e.Err != nil {
			f.detail += ": " + e.Err.Error()
		}
	}
	return f
}

func (f *failure) error() error {
	if f.kind == 0 {
		return nil
	}
	kind := marketcache.ErrUnavailable
	if f.kind > 0 && f.kind < len(failures) {
		kind = failures[f.kind]
	}
	return &marketcache.VenueError{Kind: kind, Wait: f.wait, Detail: f.detail, Status: f.status}
}

// historyQuestion asks for the values of a history after a key.
type historyQuestion struct {
	kind  kind
	asset marketcache.AssetID // the leader's
	from  int64
}

func (c *codec) historyQuestion(q *historyQuestion) {
	whole(c, &q.kind)
	whole(c, &q.asset)
	whole(c, &q.from)
}

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
			out.time(&now)
			reply()
		},
		"want":    t.answerWant,
		"history": t.answerHistory,
		"wallet":  func(in, out *codec, reply func()) { t.answerWallet(slots, in, out, reply) },
	} {
		err := svc.AddEndpoint(name, micro.HandlerFunc(func(q micro.Request) {
			t.r.guard(name, func() {
				in, out := &codec{b: q.Data(), reading: true}, &codec{instant: t.r.cfg.clock}
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
	list(in, &names, 8, (*codec).text)
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
	in.historyQuestion(&q)
	h := histories[q.kind]
	if !in.done() || h == nil || t.r.cfg.Cache.Universe().Asset(q.asset) == nil {
		return
	}
	h.write(out, t.r.cfg.Cache, q.asset, q.from, pageValues)
	reply()
}

// answerWallet reads a wallet while other questions are answered.
func (t *term) answerWallet(slots chan struct{}, in, out *codec, reply func()) {
	var q walletQuestion
	in.walletQuestion(&q)
	if !in.done() {
		return
	}
	setting := marketcache.NoAsset
	if q.setting != "" {
		setting = t.r.cfg.Cache.Universe().LookupString(q.setting)
	}
	answer := func(a *marketcache.Account, err error) {
		var f failure
		if err != nil {
			f = failureOf(err)
		}
		out.failure(&f)
		if err == nil {
			out.account(a)
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
			ctx, cancel := context.WithTimeout(t.ctx, min(q.patience, walletLimit))
			defer cancel()
			answer(t.feed.LoadAccount(ctx, q.wallet, setting))
		})
	}()
}

// ask puts a question to the leader of an epoch and returns its answer.
func (r *Replica) ask(ctx context.Context, epoch uint64, name string, question func(*codec)) (*codec, error) {
	out := &codec{}
	if question != nil {
		question(out)
	}
	m, err := r.cfg.NATS.RequestMsgWithContext(ctx, &nats.Msg{Subject: r.endpoint(epoch, name), Data: out.b})
	if err != nil {
		return nil, err
	}
	if m.Header.Get(micro.ErrorCodeHeader) != "" {
		return nil, errors.New(m.Header.Get(micro.ErrorHeader))
	}
	return &codec{b: m.Data, reading: true}, nil
}
