package server

import (
	"context"
	"slices"
	"time"

	"ballast/marketcache"
	wire "ballast/marketcache/venue/exchange"
	"ballast/server/alerts"
	"ballast/server/gate"
)

// aftermath looks at actions after their answers, because those that only reduce wait for nothing: which orders they
// have ended, and whether the last stop of a position was among them.
type aftermath struct {
	s     *Server
	queue chan handedOn
	// stops are those that were placed through the gate, by the venue's number: the list may not show them yet.
	stops  map[uint64]marketcache.AssetID
	checks map[protected]*check

	envelope wire.Envelope
	answer   wire.Answer
}

// handedOn is an action with the venue's answer.
type handedOn struct {
	action, answer []byte
	at             marketcache.Instant // of the answer
	account        marketcache.Wallet  // zero: not known
}

// protected is a position that a stop has left.
type protected struct {
	account marketcache.Wallet
	asset   marketcache.AssetID
}

// check is the question whether another stop is left.
type check struct {
	since marketcache.Instant
	due   marketcache.Instant // when to look next
}

const (
	aftermathQueue = 1024
	maxStops       = 10_000
	maxChecks      = 1000
	checkEvery     = 2 * time.Second
	checkTime      = 3 * time.Second // for reading an account
	// checkFor is how long the venue may not list the orders of an account before the check is given up.
	checkFor = time.Minute
	// strangerEvery is how often the venue is asked about a signer who is not known.
	strangerEvery = time.Second
	// gateCaller stands for an API key where the weight of these reads is shared out.
	gateCaller = "gate"
)

func newAftermath(s *Server) *aftermath {
	return &aftermath{s: s, queue: make(chan handedOn, aftermathQueue), stops: map[uint64]marketcache.AssetID{},
		checks: map[protected]*check{}}
}

// note has an action looked at if it can end an order or place a stop. account is zero if it is not known.
func (m *aftermath) note(x *exchange, account marketcache.Wallet) {
	switch f := x.action.Action.Inner().Form.(type) {
	case *wire.Cancel, *wire.CancelByCloid, *wire.Modify, *wire.BatchModify, *wire.TWAPCancel:
	case *wire.PlaceOrders:
		if !slices.ContainsFunc(f.Orders, isStop) {
			return
		}
	default:
		return
	}
	select {
	case m.queue <- handedOn{slices.Clone(x.action.text), slices.Clone(x.ctx.Response.Body()), marketcache.Now(),
		account}:
	default:
		m.s.warn("an action was not looked at for the stops that it may have taken away: too many at once")
	}
}

// isStop reports whether an order is a stop loss that only reduces.
func isStop(o wire.Order) bool { return o.IsTrigger && o.Trigger.TPSL == wire.StopLoss && o.ReduceOnly }

// run works until ctx ends.
func (m *aftermath) run(ctx context.Context) {
	tick := time.NewTicker(checkEvery / 4)
	defer tick.Stop()
	for {
		select {
		case h := <-m.queue:
			m.look(ctx, &h)
		case <-tick.C:
			m.checkAll(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// look takes over what an action has done.
func (m *aftermath) look(ctx context.Context, h *handedOn) {
	if wire.Decode(h.action, &m.envelope) != nil || wire.ParseAnswer(h.answer, &m.answer) != nil || !m.answer.OK {
		return
	}
	inner := m.envelope.Action.Inner()
	if f, is := inner.Form.(*wire.PlaceOrders); is {
		m.placed(f)
		return
	}
	account := m.accountOf(ctx, h)
	if account == (marketcache.Wallet{}) {
		return
	}
	g := m.s.cfg.Gate
	if f, is := inner.Form.(*wire.TWAPCancel); is {
		if len(m.answer.Statuses) > 0 && m.answer.Statuses[0].Kind == wire.Success {
			g.TWAPEnded(account, f.ID, h.at)
		}
		return
	}
	listed := m.s.listed(account)
	ended := endedBy(inner, &m.answer, listed)
	g.Gone(account, ended, h.at)
	for _, number := range ended {
		asset, was := m.stops[number]
		delete(m.stops, number)
		if i := slices.IndexFunc(listed, func(o marketcache.OpenOrder) bool { return o.OID == number }); i >= 0 {
			asset, was = listed[i].Asset, listed[i].Stop
		}
		if was && len(m.checks) < maxChecks {
			m.checks[protected{account, asset}] = &check{since: h.at, due: h.at}
		}
	}
}

// placed remembers the stops of an action that rest.
func (m *aftermath) placed(f *wire.PlaceOrders) {
	for i := range f.Orders {
		if i >= len(m.answer.Statuses) || !isStop(f.Orders[i]) || m.answer.Statuses[i].Kind != wire.Resting {
			continue
		}
		if len(m.stops) >= maxStops {
			clear(m.stops)
		}
		m.stops[m.answer.Statuses[i].OID] = m.s.cfg.Cache.Universe().ByNumber(int64(f.Orders[i].Asset))
	}
}

// accountOf returns whose orders an action has ended: the account that it names, since the venue has taken it, or that
// of its signer. The venue is asked about a signer that is not known now and then only: anybody can invent one.
func (m *aftermath) accountOf(ctx context.Context, h *handedOn) marketcache.Wallet {
	g, nobody := m.s.cfg.Gate, marketcache.Wallet{}
	multi, isMulti := m.envelope.Action.Form.(*wire.MultiSig)
	switch {
	case h.account != nobody:
		return h.account
	case m.envelope.HasVault:
		return marketcache.Wallet(m.envelope.Vault)
	case isMulti:
		return marketcache.Wallet(multi.Payload.User)
	}
	var signers []wire.Address
	for _, n := range [...]wire.Network{g.Network, gate.Other(g.Network)} {
		signer, err := m.envelope.Signer(n)
		if err != nil || n != g.Network && !g.AnyNetwork {
			continue
		}
		if of := g.LastOwner(signer); of != nobody {
			return of
		}
		signers = append(signers, signer)
	}
	if _, now := m.s.supervisor.Allow("a cancel of a stranger", strangerEvery); !now {
		return nobody
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	for _, signer := range signers {
		if of, _ := g.Owner(ctx, signer); of != nobody {
			return of
		}
	}
	return nobody
}

// checkAll looks whether positions have another stop, as the venue lists it after the one that is gone.
func (m *aftermath) checkAll(ctx context.Context) {
	for p, c := range m.checks {
		now := marketcache.Now()
		if now < c.due {
			continue
		}
		c.due = now.Add(checkEvery)
		within, cancel := context.WithTimeout(ctx, checkTime)
		a, err := m.s.load(within, p.account, marketcache.NoAsset, marketcache.Caller{ID: gateCaller})
		cancel()
		switch {
		case err != nil || a.Orders == nil || a.Orders.Reason != "" || a.Orders.Read <= c.since:
			if now.Sub(c.since) > checkFor {
				delete(m.checks, p)
				m.s.warn("a stop was cancelled, and whether another is left could not be read", "wallet",
					p.account.String())
			}
			continue
		case unprotected(a, p.asset):
			m.tell(a, p.asset)
		}
		delete(m.checks, p)
	}
}

// unprotected reports whether an account has a position in an asset, and no stop.
func unprotected(a *marketcache.Account, asset marketcache.AssetID) bool {
	i := a.PositionIn(asset)
	if i < 0 {
		return false
	}
	short := a.Positions[i].Units < 0
	return !slices.ContainsFunc(a.Orders.Orders, func(o marketcache.OpenOrder) bool {
		return o.Asset == asset && o.Stop && (o.ReduceOnly || o.Whole) && !o.Child && o.Buy == short
	})
}

// tell tells everyone who watches the wallet that the last stop of a position is gone.
func (m *aftermath) tell(a *marketcache.Account, asset marketcache.AssetID) {
	name := m.s.cfg.Cache.Universe().Asset(asset).Name
	m.s.cfg.Log.Warn("the last stop of a position was cancelled", "wallet", a.Wallet.String(), "asset", name)
	r := &alerts.Result{Wallet: a.Wallet.String(), AtMs: m.s.cfg.Cache.Venue.Clock.VenueMs(marketcache.Now()),
		StopsRemoved: []string{name}}
	m.s.hub.Deliver(r)
	m.s.cfg.Watches.Hear(m.s.life, r)
	if watch := m.s.cfg.Watch; watch != nil {
		if err := watch.Publish(m.s.life, r); err != nil {
			m.s.warn("an alert was not confirmed by the other replicas", "error", err.Error())
		}
	}
}
