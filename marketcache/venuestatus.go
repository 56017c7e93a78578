package marketcache

import (
	"fmt"
	"sync/atomic"
	"time"
)

// VenueStatus is the state of the connection to the venue.
type VenueStatus struct {
	Connected   atomic.Bool
	LastMessage atomic.Int64 // Instant of the last message of any kind
	Clock       VenueClock   // measured by the feed
	Reconnects  atomic.Int64 // connections that were lost
	// BreakerOpen: the venue's REST API is considered down.
	BreakerOpen atomic.Bool
	// WalletStreams are the figures of the wallets followed by streams; nil: none are.
	WalletStreams atomic.Pointer[WalletStreams]
	// MarkCadence and SlowCadence are the intervals between updates of the marks and of the rest of
	// the contexts, ns; 0 if unknown.
	MarkCadence, SlowCadence atomic.Int64
	// LastError is the newest failure to connect or to get an answer; nil: there was none.
	LastError atomic.Pointer[VenueFailure]
	since     Instant // when the cache was made
}

// WalletStreams are figures of the wallets that are followed by the venue's streams. Immutable.
type WalletStreams struct {
	Followed, Limit int // wallets now, and at most
	// wallets refused by the venue, comparisons with REST, unusable frames
	Refused, Confirmed, Differed, Dropped int
	// quantiles of the time between two states of a wallet; negative: unknown
	GapP50, GapP90 time.Duration
}

// VenueFailure is a failure to connect to the venue or to get an answer from it. Immutable.
type VenueFailure struct {
	Text string // printable, without addresses that may hold a password
	At   Instant
}

// Failed records a failure.
func (v *VenueStatus) Failed(text string) { v.LastError.Store(&VenueFailure{text, Now()}) }

// Trouble says why there is no data of the venue: for how long there has been no connection, or that its REST API
// keeps failing, and the last failure. "" without such trouble.
func (v *VenueStatus) Trouble(now Instant) (text string) {
	switch {
	case !v.Connected.Load():
		since := now.Sub(max(v.since, Instant(v.LastMessage.Load())))
		text = fmt.Sprintf("no connection to the venue since %d s", since/time.Second)
	case v.BreakerOpen.Load():
		text = "the venue keeps failing"
	default:
		return ""
	}
	if last := v.LastError.Load(); last != nil {
		text += ": " + last.Text
	}
	return text
}

// VenueWeight is the weight of the REST requests of the last minute, by what was read.
type VenueWeight struct {
	Wallets, Live, Tables, Histories int // Live: books that no stream carries
	Clients                          int // what a gate hands on
	Limit                            int // for their sum; 0: none
}

// Sum returns the weight of all requests.
func (w VenueWeight) Sum() int { return w.Wallets + w.Live + w.Tables + w.Histories + w.Clients }

// LastMessageAge returns the time since the last message of any kind; negative when there was none.
func (c *Cache) LastMessageAge(now Instant) time.Duration {
	last := Instant(c.Venue.LastMessage.Load())
	if last == 0 {
		return -1
	}
	return max(0, now.Sub(last))
}
