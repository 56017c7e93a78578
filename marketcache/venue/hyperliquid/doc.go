// Package hyperliquid follows the venue Hyperliquid and writes its data into a marketcache.Cache:
// the universe with its margin tables, asset contexts (mark, oracle, funding, open interest), order
// books, hourly candles, paid funding, predicted funding of other exchanges, the list of assets at
// their open-interest cap, and wallets on demand. No other code knows this venue. Mainnet, testnet
// and the simulated venue differ in their address only.
//
// # Which message fills what
//
//	socket  l2Book (quick, full, 3)   Cache.Books        merged: book.go
//	        fastAssetCtxs             Cache.Contexts     marks and mids by name: marks.go
//	        allDexsAssetCtxs          Cache.Contexts     the rest, by position: contexts.go
//	        user streams              Cache.StoreAccount of some wallets: walletstreams.go, walletsocket.go
//	REST    metaAndAssetCtxs          Cache.SetUniverse  every minute; margin tables, delistings
//	        exchangeStatus            Venue.Clock        every 9 s: feed.Clock, Rules
//	        perpsAtOpenInterestCap    Cache.Caps         every minute, one list per dex
//	        predictedFundings         Cache.CEX          every minute
//	        candleSnapshot            Cache.Bars         once whole, then every hour: history.go
//	        fundingHistory            Cache.FundingRows  once 720 rows, then every 4 hours
//	        clearinghouseState, spotClearinghouseState, userAbstraction, userFees,
//	        activeAssetData, userRole, frontendOpenOrders
//	                                  Cache.StoreAccount on LoadAccount: account.go
//	        maxMarketOrderNtls        Cache.SetRules     every hour: rules.go
//	        l2Book                    Cache.Books        depth by schedule, silent books: deep.go
//	derived                           Cache.SetFunding, SetInterest, SetSampleStats: package feed
//
// Frames are parsed by package jsonscan, without allocation (scan.go, parse.go), answers over REST by
// go-json (decode.go, parseinfo.go, parseaccount.go). In both, an unreadable asset, bar or row is
// dropped alone.
//
// # Who runs
//
// Feed.Run owns every goroutine: a reader and a keeper for each socket, two that read books by REST, and
// one or a few for each schedule above. Each recovers its panics and is started again. The precisions of
// a book arrive on several sockets and are merged under the asset's own lock; all contexts share one
// lock; each history has one job at a time. marketcache therefore sees one writer for each value.
//
// # Age
//
// The age of a datum counts from its venue time, by the venue's clock (feed.Clock), not from its arrival.
// A datum without a venue time is assumed to be as late as the newest book on its connection. A pong
// confirms the connection, but no datum: the venue resends unchanged data anyway. The interval between
// messages ("cadence") is measured for each kind of stream (streams.go); readers judge ages by it.
//
// # Limits
//
// Request weight, messages, connections and subscriptions stay under a share of the venue's limits
// for one address: plan.go and package feed. docs/venue.md has the arithmetic.
//
// Units are those of marketcache: USD, base units, fractions per hour, ms since 1970 UTC. Orders and
// fills are not followed.
package hyperliquid
