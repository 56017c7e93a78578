package server

import (
	"slices"
	"strings"
	"time"

	"ballast/marketcache"
)

// answersOfAccounts produces the fields that only some accounts and some moments have.
func (f *fixture) answersOfAccounts() {
	explained := func(body string) { f.raw(f.request("POST", "/v1/validate?explain=true", body)) }
	pooled := testAccount(walletOf(wallet))
	pooled.Positions = append(pooled.Positions, marketcache.Position{
		Asset: iso, Name: "ISO", Units: 1000, EntryPrice: 1.2, ValueUSD: 1234.5, Isolated: true, RawUSD: -1200,
		MarginUsedUSD: 34.5, Leverage: 10, MaxLeverage: 10,
	})
	pooled.Orders = &marketcache.OpenOrders{Read: marketcache.Now(), Asked: marketcache.Now().Add(time.Hour),
		Orders: []marketcache.OpenOrder{
			{Asset: btc, Buy: true, Units: 0.1, LimitPrice: 60000},
			{Asset: btc, Units: 1, Trigger: true, Stop: true, TriggerPrice: 65000, LimitPrice: 64000, ReduceOnly: true,
				StopLimit: true},
		}}
	f.know(pooled)
	f.post(trade("BTC"))
	f.post(strings.Replace(trade("BTC"), ":10", ":7.5", 1)) // no whole leverage
	f.raw(f.request("POST", "/v1/validate?view=compact", trade("BTC")))
	f.get("/v1/monitor/" + wallet)
	unread := *pooled
	unread.Orders = &marketcache.OpenOrders{Asked: marketcache.Now().Add(time.Hour), Reason: marketcache.OrdersBudget}
	f.know(&unread)
	f.post(trade("BTC"))

	margin := testAccount(walletOf(wallet))
	margin.Mode = marketcache.ModePortfolioMargin
	margin.Pools = []marketcache.Pool{{Dex: marketcache.Everywhere, EquityUSD: 100000, CashUSD: 70000}}
	margin.Collateral = []marketcache.Collateral{{Asset: eth, Name: "ETH", Units: 8, Mark: 3456.78}}
	f.know(margin)
	f.post(trade("BTC"))
	f.shock(`"shocks":{"BTC":-20,"ISO":1,"*":-30}`)

	f.cache.SetLoading(btc, &marketcache.Loading{Candles: true, CandlesReadyIn: time.Minute})
	explained(trade("BTC"))
	f.cache.SetLoading(btc, nil)
	f.cache.Venue.WalletStreams.Store(&marketcache.WalletStreams{Followed: 1, GapP50: time.Second, GapP90: time.Second})
	f.get("/health")
	model := *f.cache.Model()
	fits := slices.Clone(model.Assets)
	metal := *fits[btc]
	metal.Class = marketcache.ClassMetal
	fits[btc], model.Assets = &metal, fits
	f.cache.SetModel(&model)
	f.post(trade("BTC"))
}
