// Package marketcache holds the venue's latest data for lock-free reading.
//
// # Writers and readers
//
// Every datum has one writer: the venue feed for markets, histories and the universe, the account
// loader for one wallet at a time, the calibrator for the model. A writer never changes a published
// value. It builds a new immutable value and publishes it with one atomic pointer store. A reader
// loads that pointer and may keep the value as long as it likes. Reads need no lock and no retry, and
// never see half a value.
//
//	          publish (one writer)                    read (any goroutine)
//	value -> ring slot seq%N -> latest pointer   ...   latest pointer -> value
//	              |                                            |
//	              +--   the newest N stay reachable: Walk -+
//
// # Age
//
// A read of live data takes the present time and a maximum age, and returns the value's age. Age counts from
// the last confirmation that the datum is still what the venue says: a message, or Confirm by the
// feed. A quiet market is therefore not stale, and an open but silent socket is not fresh.
//
// Times are Instants of a monotonic clock, so a step of the wall clock changes no age.
//
// # Units
//
// Prices in USD per base unit, sizes in base units, notionals in USD, funding as a fraction per hour
// (positive: longs pay), times from the venue in milliseconds since 1970 UTC.
package marketcache
