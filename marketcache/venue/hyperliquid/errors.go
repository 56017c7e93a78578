package hyperliquid

import (
	"fmt"
	"time"

	"ballast/marketcache"
)

// The kinds of failure that a caller of LoadAccount tells apart with errors.Is.
var (
	ErrBudget      = marketcache.ErrBudget
	ErrShare       = marketcache.ErrShare
	ErrVenue       = marketcache.ErrVenue
	ErrUnavailable = marketcache.ErrUnavailable
)

// Error is a failure to get something from the venue.
type Error = marketcache.VenueError

// RetryAfter returns how long to wait before trying again after err.
func RetryAfter(err error) (wait time.Duration, ok bool) { return marketcache.RetryAfter(err) }

// venueError reports an answer that is none.
func venueError(format string, args ...any) *Error {
	return &Error{Kind: ErrVenue, Detail: fmt.Sprintf(format, args...)}
}

// maxQuoted is how much of the venue's text an error or a log line quotes.
const maxQuoted = 64

// printable returns the beginning of b as one line of printable ASCII.
func printable(b []byte) string {
	cut := b[:min(len(b), maxQuoted)]
	out := make([]byte, len(cut))
	for i, c := range cut {
		if c < 0x20 || c > 0x7e {
			c = '.'
		}
		out[i] = c
	}
	return string(out)
}
