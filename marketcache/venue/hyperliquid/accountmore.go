package hyperliquid

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// OpenOrders is what a Feed reads of a wallet's resting orders.
type OpenOrders uint8

const (
	OrdersHeld OpenOrders = iota // the margin that they hold, from answers that are read anyway
	OrdersOff                    // nothing
	OrdersFull                   // also the orders themselves
)

const (
	// moreWait bounds each question that an account can do without: it comes too late after that.
	moreWait = time.Second
	// roleMaxAge is how long a role is kept, missingMaxAge how long that of an address that may yet be used.
	roleMaxAge, missingMaxAge = 24 * time.Hour, 10 * time.Minute

	maxSettings = 64
)

// readMore completes an account with what it can do without: the role of an address that holds nothing, the
// leverage setting, the resting orders.
func (r *walletRead) readMore(ctx context.Context, a *marketcache.Account, empty bool) {
	if empty {
		r.readRole(ctx, a)
	}
	if r.lacks(a, r.setting) {
		r.readSetting(ctx, a)
	}
	if r.f.cfg.OpenOrders == OrdersFull {
		if a.Orders = nil; r.old != nil {
			a.Orders = r.old.Orders
		}
		if r.ordersDue(a) {
			r.readOrders(ctx, a)
			r.readOrderSettings(ctx, a)
		}
	}
}

// readOrderSettings adds the leverage settings with which resting orders would open positions, as weight allows.
func (r *walletRead) readOrderSettings(ctx context.Context, a *marketcache.Account) {
	ctx, cancel := context.WithTimeout(ctx, moreWait)
	defer cancel()
	for i := range a.Orders.Orders {
		o, one := &a.Orders.Orders[i], *r
		one.setting = o.Asset
		if o.Enlarges() && o.Asset != marketcache.NoAsset && r.lacks(a, o.Asset) {
			one.readSetting(ctx, a)
			if r.lacks(a, o.Asset) { // no weight, or no answer: not for the others either
				return
			}
		}
	}
}

// readRole asks what the address is, unless that is known.
func (r *walletRead) readRole(ctx context.Context, a *marketcache.Account) {
	if old := r.old; old != nil && old.RoleRead != 0 {
		keep := roleMaxAge
		switch old.Role {
		case marketcache.RoleAgent, "vault", "subAccount", "user":
		default:
			keep = missingMaxAge
		}
		if marketcache.Now().Sub(old.RoleRead) <= keep {
			a.Role, a.RoleRead, a.Owner = old.Role, old.RoleRead, old.Owner
			return
		}
	}
	a.Role, a.RoleRead, a.Owner = marketcache.RoleUnknown, 0, marketcache.Wallet{}
	q := accountRequest("userRole", r.wallet, roleWeight)
	q.optional = true // the venue's other answers are good
	q.take = func(got answer) bool {
		role, owner, ok := parseRole(got.body)
		if ok {
			a.Role, a.RoleRead, a.Owner = role, got.received, owner
		}
		return ok
	}
	ctx, cancel := context.WithTimeout(ctx, moreWait)
	defer cancel()
	g, err := r.acquire(ctx, feed.Read{Weight: q.weight, Patience: walletWait})
	if err == nil {
		defer g.Release()
		_, err = r.f.client.askGranted(ctx, g, q)
	}
	if err != nil {
		r.f.supervisor.Warn("role of a wallet not read", "error", err)
	}
}

// readSetting adds the wallet's leverage setting: one that was read later (settings.go), or from the venue now, if
// there is weight for that at once. Otherwise it is left out, and read later.
func (r *walletRead) readSetting(ctx context.Context, a *marketcache.Account) {
	a.Settings = freshSettings(a.Settings, r.setting)
	s, ok := r.settings.take(r.wallet, r.setting)
	if !ok {
		g, err := r.spareSetting(ctx)
		if err == nil {
			s, err = r.fetchSetting(ctx, g)
		} else {
			r.settings.add(r)
		}
		if err != nil {
			r.f.supervisor.Warn("leverage setting not read", "error", err)
			return
		}
	}
	a.Settings = append(a.Settings, s)
}

// freshSettings returns the newest settings that have not expired, without the setting of the asset
// but. It returns at most maxSettings-1, so that one can be added.
func freshSettings(old []marketcache.LeverageSetting, but marketcache.AssetID) []marketcache.LeverageSetting {
	now := marketcache.Now()
	var kept []marketcache.LeverageSetting
	for _, s := range old {
		if s.Asset != but && now.Sub(s.Read) <= marketcache.SettingMaxAge {
			kept = append(kept, s)
		}
	}
	return kept[max(0, len(kept)-maxSettings+1):]
}

// ordersDue reports whether the resting orders of an account are to be read: every OrdersEvery, and when a
// position or the margin held has changed.
func (r *walletRead) ordersDue(a *marketcache.Account) bool {
	if r.f.cfg.OpenOrders != OrdersFull {
		return false
	}
	return a.Orders == nil || marketcache.Now().Sub(a.Orders.Asked) > marketcache.OrdersEvery || r.old != nil &&
		ordersMoved(r.old, a)
}

// ordersMoved reports whether a position or the margin held differs between two reads.
func ordersMoved(old, next *marketcache.Account) bool {
	const rounding = 1e-6
	for i := range next.Pools {
		p := &next.Pools[i]
		k := slices.IndexFunc(old.Pools, func(q marketcache.Pool) bool { return q.Dex == p.Dex && q.Token == p.Token })
		if k >= 0 && math.Abs(old.Pools[k].HeldUSD-p.HeldUSD) > rounding*max(1, math.Abs(p.EquityUSD)) {
			return true
		}
	}
	return !slices.EqualFunc(old.Positions, next.Positions, func(p, q marketcache.Position) bool {
		return p.Name == q.Name && p.Units == q.Units
	})
}

// readOrders reads the wallet's resting orders on every followed dex where it may have some. A list that
// cannot be renewed stays until it is OrdersMaxAge old.
func (r *walletRead) readOrders(ctx context.Context, a *marketcache.Account) {
	now := marketcache.Now()
	next := &marketcache.OpenOrders{Asked: now, Read: now}
	if reason := r.fetchOrders(ctx, r.ordersOn(a), next); reason != "" {
		*next = marketcache.OpenOrders{Asked: now, Reason: reason}
		if old := a.Orders; old != nil && old.Reason == "" && now.Sub(old.Read) <= marketcache.OrdersMaxAge {
			*next = *old
			next.Asked = now
		}
	} else {
		next.Left = leftOf(a.Orders, next)
	}
	a.Orders = next
	a.Misquoted = a.Misquoted || heldForNothing(r.f.cache.Universe(), a)
}

// leftSettles is how long after a list positions that are read surely show what had left it.
const leftSettles = 2 * time.Second

// leftOf returns what has left the list of orders between two lists, and before them if positions may not show it yet.
func leftOf(old, next *marketcache.OpenOrders) (left []marketcache.OpenOrder) {
	if old == nil || old.Reason != "" {
		return nil
	}
	if next.Read.Sub(old.Read) < leftSettles {
		left = append(left, old.Left...)
	}
	rests := make(map[uint64]float64, len(next.Orders))
	for i := range next.Orders {
		rests[next.Orders[i].OID] = next.Orders[i].Units
	}
	for _, o := range old.Orders {
		if o.Units -= rests[o.OID]; o.Enlarges() && o.Units > 0 {
			left = append(left, o)
		}
	}
	return left[:min(len(left), maxOrders)]
}

// ordersOn returns the followed dexes on which the wallet may have orders: where it has a position or
// margin, or all for a pooled account; none for an empty one.
func (r *walletRead) ordersOn(a *marketcache.Account) (dexes []string) {
	if a.Role != "" {
		return nil
	}
	if len(a.Pools) == 0 || a.Pools[0].Dex == marketcache.Everywhere {
		all := append([]string{""}, r.f.dexes.mayHold()...)
		return slices.DeleteFunc(all, func(dex string) bool { return !r.f.dexes.follows(dex) })
	}
	onMain := func(p marketcache.Position) bool { return dexOf(p.Name) == "" }
	if a.CrossAccountValueUSD != 0 || slices.ContainsFunc(a.Positions, onMain) {
		dexes = append(dexes, "")
	}
	for _, dex := range a.Dexes {
		if r.f.dexes.follows(dex) {
			dexes = append(dexes, dex)
		}
	}
	return dexes
}

// fetchOrders reads the resting orders on the given dexes into all, in weight that nobody else needs. reason is "" or
// why there is no list.
func (r *walletRead) fetchOrders(ctx context.Context, dexes []string, all *marketcache.OpenOrders) (reason string) {
	if len(dexes) == 0 {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, moreWait)
	defer cancel()
	g, err := r.acquire(ctx, feed.Read{Weight: ordersWeight * len(dexes), Patience: moreWait, Spare: true})
	if err != nil {
		return orderReason(err)
	}
	defer g.Release()
	answers, errs := make([]answer, len(dexes)), make([]error, len(dexes))
	var wg sync.WaitGroup
	for i, dex := range dexes {
		wg.Go(func() {
			errs[i] = r.f.supervisor.Guard("account", func() (err error) {
				q := accountRequest("frontendOpenOrders", r.wallet, ordersWeight).on(dex)
				q.optional = true
				answers[i], err = r.f.client.askGranted(ctx, g, q)
				return err
			})
		})
	}
	wg.Wait()
	all.Read = answers[0].received
	for i := range dexes {
		if errs[i] != nil {
			return orderReason(errs[i])
		}
		reason = parseOrders(answers[i].body, r.f.cache.Universe(), dexes[i], all)
		if reason == marketcache.OrdersError {
			r.f.setAside(asideOrders, r.wallet.String()+" "+printable(answers[i].body))
		}
		if len(all.Orders) > maxOrders {
			reason = marketcache.OrdersTooMany
		}
		if reason != "" {
			return reason
		}
		all.Read = min(all.Read, answers[i].received)
	}
	return ""
}

// orderReason says why resting orders could not be read.
func orderReason(err error) string {
	switch {
	case errors.Is(err, marketcache.ErrBudget), errors.Is(err, marketcache.ErrShare):
		return marketcache.OrdersBudget
	case errors.Is(err, context.DeadlineExceeded):
		return marketcache.OrdersTimeout
	}
	return marketcache.OrdersError
}
