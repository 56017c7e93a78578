// Package hyperliquid follows the venue Hyperliquid and writes what it says into a
// marketcache.Cache: the universe with its margin tables, contexts (mark, oracle,
// funding, open interest), order books, hourly candles, paid funding, predicted
// funding of other exchanges, the list of assets at their open-interest cap, and
// wallets on demand. It is the only code that knows this venue; mainnet, testnet and
// the simulated venue differ in nothing but the address.
//
// # Which message fills what
//
//	socket  l2Book (quick, full, 3)   Cache.Books        merged: book.go
//	        fastAssetCtxs             Cache.Contexts     marks and mids by name: marks.go
//	        allDexsAssetCtxs          Cache.Contexts     the rest, by position: contexts.go
//	REST    metaAndAssetCtxs          Cache.SetUniverse  every minute; margin tables, delistings
//	        exchangeStatus            Venue.ClockSkewMs  every 30 s: feed.Clock
//	        perpsAtOpenInterestCap    Cache.Caps         every minute, of each dex by itself
//	        predictedFundings         Cache.CEX          every minute
//	        candleSnapshot            Cache.Bars         once whole, then every hour: history.go
//	        fundingHistory            Cache.FundingRows  once 720 rows, then every 4 hours
//	        clearinghouseState, spotClearinghouseState, userAbstraction, userFees,
//	        activeAssetData           Cache.StoreAccount on LoadAccount: account.go
//	        l2Book                    Cache.Books        depth by schedule, silent books: deep.go
//	derived                           Cache.SetFunding, SetInterest, SetSampleStats: package feed
//
// Frames are parsed by a scanner that allocates nothing (scan.go, parse.go), answers over REST by
// go-json (decode.go, parseinfo.go, parseaccount.go). In both, what cannot be read of one asset,
// bar or row costs that one alone.
//
// # Who runs
//
// Feed.Run owns every goroutine: one reader and one keeper a socket, two that read books by
// REST, one or a few for each schedule above. Each recovers its panics and
// is started again. A book's views arrive on several sockets and are merged
// under the asset's own lock; contexts have one lock; each history has one job at a
// time. Those are the single writers that marketcache asks for.
//
// # Age
//
// A datum is as old as the venue's own time of it, by the venue's clock (feed.Clock),
// never as fresh as its arrival; what carries no time is as late as the newest book on its
// connection. A pong proves that a connection lives, and nothing of any datum: the venue
// resends what has not changed. How often, each kind of stream is measured (streams.go), and
// the cache's readers judge ages by that.
//
// # Limits
//
// Request weight, messages, connections and subscriptions stay under a share of the venue's
// limits for one address: plan.go and package feed. docs/venue.md has
// the arithmetic.
//
// Numbers are as marketcache has them: USD, base units, fractions per hour, ms since
// 1970 UTC. Orders and fills are not followed.
package hyperliquid
