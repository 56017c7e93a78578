// Package hyperliquid follows the venue Hyperliquid and writes its data into a
// marketcache.Cache: the universe with its margin tables, contexts (mark, oracle,
// funding, open interest), order books, hourly candles, paid funding, predicted
// funding of other exchanges, the list of assets at their open-interest cap, and
// wallets on demand. It is the only code that knows this venue's protocol. Mainnet, testnet
// and the simulated venue differ only in the address.
//
// # Which message fills what
//
//	socket  l2Book (fast, full, 2-4 figures)  Cache.Books  merged: book.go
//	        fastAssetCtxs             Cache.Contexts     marks and mids by name: marks.go
//	        allDexsAssetCtxs          Cache.Contexts     all other fields, by position: contexts.go
//	REST    metaAndAssetCtxs          Cache.SetUniverse  every minute; margin tables, delistings
//	        exchangeStatus            Venue.ClockSkewMs  every 30 s: feed.Clock
//	        perpsAtOpenInterestCap    Cache.Caps         every minute on the main dex, other dexes in turn
//	        predictedFundings         Cache.CEX          every minute
//	        candleSnapshot            Cache.Bars         the whole history once, then every hour: history.go
//	        fundingHistory            Cache.FundingRows  720 rows once, then every 4 hours
//	        clearinghouseState, spotClearinghouseState, userAbstraction, userFees,
//	        activeAssetData           Cache.StoreAccount on LoadAccount: account.go
//	        l2Book                    Cache.Books        scheduled depth, books with a silent stream: deep.go
//	derived                           Cache.SetFunding, SetInterest, SetSampleStats: package feed
//
// An allocation-free scanner parses frames (scan.go, parse.go). go-json parses REST answers
// (decode.go, parseinfo.go, parseaccount.go). An asset, bar or row that cannot be read is skipped
// without losing its neighbours.
//
// # Goroutines
//
// Feed.Run owns every goroutine: one reader and one keeper per socket, two that read books by
// REST, and one or a few for each schedule above. A goroutine that panics is restarted. A book's
// views arrive on several sockets and are merged under the asset's own lock. One lock orders all
// writers of contexts. Each history has one job at a time. So every ring of the cache has the
// single writer that marketcache requires.
//
// # Age
//
// A datum's age counts from the venue's timestamp in it, by the venue's clock (feed.Clock), not
// from its arrival. A message without a timestamp is taken to be as late as the newest book on
// its connection. A pong proves that a connection lives but does not refresh any datum, because
// the venue resends unchanged data. The interval between messages of each kind of stream is
// measured (streams.go), and the cache's readers judge ages by it.
//
// # Limits
//
// Request weight, messages, connections and subscriptions stay under a share of the venue's
// limits for one address: plan.go and package feed. docs/venue.md has the arithmetic.
//
// Units are those of marketcache: USD, base units, fractions per hour, ms since 1970 UTC.
// The user's orders and fills are not followed.
package hyperliquid
