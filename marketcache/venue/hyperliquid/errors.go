package hyperliquid

import (
	"fmt"

	"ballast/marketcache"
)

// venueError returns an error for an unusable answer of the venue.
func venueError(format string, args ...any) *marketcache.VenueError {
	return &marketcache.VenueError{Kind: marketcache.ErrVenue, Detail: fmt.Sprintf(format, args...)}
}

// maxQuoted is the maximum length of venue text quoted in an error or a log line.
const maxQuoted = 64

// printable returns the start of b as one line of printable ASCII.
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
