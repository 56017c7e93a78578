// Package sim is a seeded, reproducible exchange that speaks the venue's wire
// protocol over real sockets: POST /info and GET /ws. The adapter of package
// hyperliquid cannot tell it from the venue, so every test and every demonstration
// runs the real adapter.
//
// # The market
//
// Every asset has a base price and two hidden processes: a factor common to all
// assets, weighted by the asset's beta, and one of its own. Each is a mean-reverting
// log price on an hourly grid with Student-t innovations and GARCH(1,1) volatility,
// filled in by a Brownian bridge inside the hour (process.go). All innovations are
// hashes of (seed, asset, hour), and the grid starts at a fixed point in the past, so
// that two exchanges of the same seed show the same prices at the same time, whenever
// they were started (with Speed 1), and candles kept from an earlier run fit.
//
// Books are views of one latent depth curve (ladder.go): each precision is an exact
// aggregation of the same integers. Funding follows the venue's formula from a premium
// process, on builder-deployed dexes by their own rule (dexes.go). Delisted assets keep
// their last mark and have empty books.
//
// Wallets are listed in wallets.go; their accounts obey the venue's margin arithmetic to
// the digit that is printed. A standard wallet has a collateral on each dex. A pooled one
// (unified account, portfolio margin) has one for all dexes: the USDC of its spot state,
// with unrealised PnL and isolated margin in it.
//
// # Streams and limits
//
// Streams push as often as the venue's of November 2026 (topic.go): books every 5.4 s, all on
// one clock and resent unchanged, fast ones every 0.54 s. Config.Limits are the venue's
// limits for one address (limits.go). A subscription to a book that there is not, or at a
// precision that there is not, drops the whole TCP connection within a second, without an
// error frame.
//
// # Speed
//
// Config.Speed makes prices move that many times faster: at 60, a minute shows an
// hour of price history. Everything else stays on the wall clock: timestamps, hourly
// candles (whose ranges therefore grow with the square root of the speed), funding
// hours, push rates. History before the start is generated at speed 1.
//
// # Not the venue's
//
// GET /sim/stats, GET and POST /sim/fault are ours: counters (what was asked, refused and
// the most that an address has reached of each limit), and the fault switch of fault.go.
// What the venue does but this package does not: orders, fills and liquidations (accounts
// keep their positions; see wallets.go), spot markets, borrowing.
//
// Units: prices in USD, sizes in base units, rates as fractions, times in ms since
// 1970 UTC, as on the wire.
package sim
