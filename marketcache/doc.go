// Package marketcache holds what the venue last said, readable without a lock.
//
// # Who writes, what a reader may see
//
// Every datum has one writer: the venue feed for markets, histories and the
// universe, the account loader for one wallet at a time, the calibrator for the
// model. A writer never changes a value that a reader can reach. It builds a new
// immutable value and publishes it with one atomic pointer store; a reader loads
// that pointer and may keep what it got for as long as it likes. There is nothing
// to lock, nothing to retry and nothing to tear.
//
//	          publish (one writer)                    read (any goroutine)
//	value -> ring slot seq%N -> latest pointer   ...   latest pointer -> value
//	              |                                            |
//	              +-- the newest N stay reachable: AsOf, Walk -+
//
// # Age
//
// A value cannot be read without saying how old it may be: every read takes the
// caller's clock and a limit and answers with the age it found. Age does not count
// from the last change but from the last proof that the datum is still what the
// venue says: a message, or a confirmation by the feed (Confirm). A quiet market is
// therefore not a stale one, and an open but silent socket is not a fresh one.
//
// Times are Instants, nanoseconds of a monotonic clock, so that a step of the wall
// clock changes no age.
//
// # Units
//
// Prices in USD per base unit, sizes in base units, notionals in USD, funding as a
// fraction per hour (positive: longs pay), times from the venue in milliseconds
// since 1970 UTC.
package marketcache
