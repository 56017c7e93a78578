package hyperliquid

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// laterSettings are the leverage settings for which there was no weight when a request needed them. They are read
// one by one as weight allows, the one asked for last first, for the request that asks again. The zero value is ready.
type laterSettings struct {
	mu      sync.Mutex
	reading bool
	waiting []*walletRead // the newest last, at most maxSettings
	read    []laterSetting
}

// laterSetting is a setting that was read later; it is kept for marketcache.SettingMaxAge.
type laterSetting struct {
	wallet marketcache.Wallet
	marketcache.LeverageSetting
}

// laterEvery is the interval between two attempts to get weight for a setting.
const laterEvery = time.Second

// take returns the setting of a wallet in an asset if it was read later.
func (l *laterSettings) take(w marketcache.Wallet, id marketcache.AssetID) (s marketcache.LeverageSetting, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := marketcache.Now()
	l.read = slices.DeleteFunc(l.read, func(s laterSetting) bool { return now.Sub(s.Read) > marketcache.SettingMaxAge })
	for i := range l.read {
		if l.read[i].wallet == w && l.read[i].Asset == id {
			return l.read[i].LeverageSetting, true
		}
	}
	return s, false
}

// add has the setting that a read of a wallet lacks read later.
func (l *laterSettings) add(r *walletRead) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(r)
	l.waiting = append(l.waiting[max(0, len(l.waiting)-maxSettings+1):], r)
	if !l.reading {
		l.reading = true
		r.wg.Go(func() { r.f.supervisor.Guard("setting", func() error { l.run(r.f.life); return nil }) })
	}
}

// remove takes what a read lacks out of those waiting. The caller holds the lock.
func (l *laterSettings) remove(r *walletRead) {
	l.waiting = slices.DeleteFunc(l.waiting, func(o *walletRead) bool {
		return o.wallet == r.wallet && o.setting == r.setting
	})
}

// run reads what waits until nothing does.
func (l *laterSettings) run(ctx context.Context) {
	for feed.Sleep(ctx, laterEvery) == nil {
		l.mu.Lock()
		if len(l.waiting) == 0 {
			l.reading = false
			l.mu.Unlock()
			return
		}
		r := l.waiting[len(l.waiting)-1]
		l.mu.Unlock()
		g, err := r.spareSetting(ctx)
		if err != nil {
			continue
		}
		s, err := r.fetchSetting(ctx, g)
		l.mu.Lock()
		l.remove(r)
		if err == nil {
			l.read = append(l.read, laterSetting{r.wallet, s})
		}
		l.mu.Unlock()
	}
}

// spareSetting takes the weight of a setting, if there is also that of a wallet's state, which it leaves.
func (r *walletRead) spareSetting(ctx context.Context) (*feed.Grant, error) {
	state := parts{state: true}.weight(1 + len(r.f.dexes.mayHold()))
	g, err := r.acquire(ctx, feed.Read{Weight: settingWeight + state, Spare: true})
	if err == nil {
		g.Settle(state, 0)
	}
	return g, err
}

// fetchSetting reads the wallet's leverage setting in weight that was acquired.
func (r *walletRead) fetchSetting(ctx context.Context, g *feed.Grant) (s marketcache.LeverageSetting, err error) {
	defer g.Release()
	ctx, cancel := context.WithTimeout(ctx, moreWait)
	defer cancel()
	asset := r.f.cache.Universe().Assets[r.setting]
	q := accountRequest("activeAssetData", r.wallet, settingWeight)
	q.body = strings.TrimSuffix(q.body, "}") + `,"coin":` + strconv.Quote(asset.Name) + `}`
	q.nullable, q.optional = true, true
	q.take = func(got answer) (ok bool) {
		s, ok = parseSetting(got.body, asset)
		return ok || string(got.body) == "null" // null: the venue has none
	}
	got, err := r.f.client.askGranted(ctx, g, q)
	s.Asset, s.Read = r.setting, got.received
	return s, err
}
