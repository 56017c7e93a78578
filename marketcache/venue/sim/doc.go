// Package sim is a seeded, reproducible exchange that speaks the venue's protocol over real sockets:
// POST /info, POST /exchange and GET /ws. To the adapter of package hyperliquid it looks like the venue, so tests and
// demonstrations run the real adapter.
//
// # The market
//
// The log price of an asset is a base plus beta times a factor common to all assets plus a process of the
// asset alone. Factor and process are mean-reverting on an hourly grid, with Student-t innovations and
// GARCH(1,1) volatility; within the hour they wander around a line (process.go). All innovations are
// hashes of (seed, asset, hour), and the grid starts at a fixed point in the past. At Speed 1 exchanges
// with the same seed therefore show the same prices at the same time, whenever they were started, and
// candles saved by an earlier run stay valid.
//
// The books of one asset are views of one ladder of levels (ladder.go): each precision aggregates the
// same levels exactly. Funding follows the venue's formula from a premium process. Delisted assets keep
// their last mark and have empty books.
//
// Wallets are listed in wallets.go. Their accounts follow the venue's margin arithmetic exactly, after
// the wire's rounding. A standard wallet has collateral on each dex. A pooled wallet (unified account,
// portfolio margin) has one collateral for all dexes: the USDC of its spot state, which includes
// unrealised PnL and isolated margin, under portfolio margin also other tokens. Their resting orders
// hold margin, and are never filled; their collateral is topped up. Nobody has their keys.
//
// # Orders
//
// The accounts of traders.go trade: their keys are published, and they begin without a position. An action is
// decoded and its signer recovered by package exchange, for either network, and carried out under the market's lock
// (action.go, placing.go). An order takes levels of the book as printed, at the taker's rate; what it takes is gone
// until the market moves, 200 ms later (matching.go). A resting order fills at its price, at the maker's rate, as far
// as the other side of the book has come to it, and its margin is checked again then. Triggers fire at the mark,
// TWAPs trade every 30 s (resting.go). Position, collateral, isolated margin, fees and hourly funding follow the
// venue's arithmetic, and an account below the maintenance margin is liquidated into the book (trading.go). A change
// is pushed at once to the streams of its user.
//
// # Streams and limits
//
// Streams have the venue's cadences of November 2026 (topic.go): every 5.4 s all books are sent at once,
// changed or not; fast books every 0.54 s. Config.Limits are the venue's limits for one address
// (limits.go). A subscription to a book that does not exist, or at a precision that does not exist,
// closes the whole TCP connection within a second, without an error frame.
//
// # Speed
//
// Config.Speed makes prices move that many times faster: at 60, a minute shows an hour of price
// history. Everything else keeps to the wall clock: timestamps, hourly candles (whose ranges therefore
// grow with the square root of the speed), funding hours, cadences. History before the start has speed 1.
//
// # Differences from the venue
//
// GET /sim/stats and GET and POST /sim/fault do not exist at the venue. They return counters (requests,
// refusals, the peak of each limit over all addresses) and switch the faults of fault.go. Requests and streams
// that neither the adapter nor trading needs are missing, so are spot markets, borrowing and sub-accounts, trailing
// stops, details of TWAPs, and transfers other than usdClassTransfer, usdSend and
// withdraw3. Candles are hourly; five-figure books have no
// mantissa.
//
// Orders of accounts do not appear in the book and do not meet each other. Signatures for both networks count. A
// scheduled cancel needs no volume before it. The fees of a priority
// and of builders, who are all approved, are not taken, and TWAPs are not randomised.
// A market order has no open-interest cap other than that of an asset at its cap. Expired agents are refused at once.
// Rejected orders are not in the history. Texts that no public source tells are our own: for an unknown asset, an
// empty batch, too many open orders, small TWAPs, a modification that is not post only. A liquidated account pays with
// all it has on the dex; there is no backstop, so its balance can become negative.
//
// Units as on the wire: prices in USD, sizes in base units, rates as fractions, times in ms since 1970
// UTC.
package sim
