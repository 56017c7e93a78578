package hyperliquid

import (
	"fmt"

	"ballast/marketcache"
)

// venueError returns an error for an answer that cannot be used.
func venueError(format string, args ...any) *marketcache.VenueError {
	return &marketcache.VenueError{Kind: marketcache.ErrVenue, Detail: fmt.Sprintf(format, args...)}
}

// maxQuoted is how many bytes of the venue's text an error or a log line quotes.
const maxQuoted = 64

// printable returns the first maxQuoted bytes of b with a dot for each that is not printable ASCII.
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
