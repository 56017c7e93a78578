// Package feed is the part of a venue adapter that does not depend on the venue's protocol. An
// adapter knows the requests and how to read the answers. This package decides when and how often
// they are sent, and keeps the results:
//
//	Queue                which read comes next, and when, within the request weight, which BudgetLog keeps over a
//	                     restart; none to a venue that keeps failing
//	SlidingLimit         events allowed in any minute: messages sent, connections made
//	DialLimiter          which socket may connect when, especially in an outage
//	Clock                the venue's time
//	Heartbeat            detects half-open connections
//	Subscription         the state of a stream; Suspects, which streams make the venue disconnect
//	Cadence              the interval between messages of a stream, hence when a message is missing
//	History              hourly bars and paid funding of every asset, requested through a Source; each minute its
//	                     book's spread and depth
//	Store                data in an Archive, from which a restart continues
//	OpenInterestTracker  daily maxima of open interest
//	Ranking              assets by open interest; the largest are loaded first
//
// It contains no address, request, weight or limit of any venue. Times in ms are the venue's,
// since 1970 UTC.
package feed
