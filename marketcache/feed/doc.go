// Package feed is the part of a venue adapter that does not depend on the venue's protocol. An
// adapter says what to ask and how to read the answer; this package decides when and how often,
// and keeps what was learnt:
//
//	Budget               request weight in any minute, by priority; BudgetLog keeps it over a restart
//	Shares               the weight of wallet reads, divided between callers
//	SlidingLimit         events allowed in any minute: messages sent, connections made
//	DialLimiter          which socket may connect when, in an outage above all
//	Breaker              no requests to a venue that keeps failing
//	Clock                the venue's time, from what the venue says of it
//	Heartbeat            which connection is half-open
//	Subscription         the state of a stream; Suspects, which streams close the connection
//	Cadence              how often the messages of a stream come, hence when one is missing
//	ParseSlots           how many sockets parse at the same time, beside a server of requests
//	History              hourly bars and paid funding of every asset, asked for through a Source
//	Store                what a restart goes on from, on disk
//	OpenInterestTracker  daily maxima of open interest
//	MinuteSampler        spread and depth of every book, each minute
//	Ranking              assets by open interest, which come first in everything
//
// It knows no venue: no address, request, weight or limit of one. Times in ms are the venue's,
// since 1970 UTC.
package feed
