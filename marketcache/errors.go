package marketcache

import (
	"errors"
	"time"
)

// Kinds of failure to get data from the venue, to be compared with errors.Is.
var (
	// ErrBudget: no request weight is left; RetryAfter returns how long to wait for more.
	ErrBudget = errors.New("venue budget")
	// ErrShare: the caller has used up its share of the request weight. The detail says how to use less.
	ErrShare = errors.New("share of the venue budget")
	// ErrVenue: the venue answered with an error or an unusable answer.
	ErrVenue = errors.New("venue error")
	// ErrContradiction: figures of the venue's answer contradict each other; the detail names them.
	ErrContradiction = errors.New("contradictory venue data")
	// ErrUnavailable: the venue cannot be reached, or is considered down.
	ErrUnavailable = errors.New("venue unavailable")
)

// VenueError is a failure to get data from the venue.
type VenueError struct {
	Kind   error         // one of the above
	Wait   time.Duration // how long to wait before trying again; 0: unknown
	Detail string        // the request and what came back, printable
	Status int           // HTTP status of the answer, 0 without one
	Err    error         // the cause, may be nil
}

// Error describes the failure.
func (e *VenueError) Error() string {
	s := e.Kind.Error()
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the kind and the cause.
func (e *VenueError) Unwrap() []error { return []error{e.Kind, e.Err} }

// RetryAfter returns how long to wait before trying again after err: at least one second if err is a
// *VenueError with a Wait; otherwise ok is false.
func RetryAfter(err error) (wait time.Duration, ok bool) {
	var e *VenueError
	if !errors.As(err, &e) || e.Wait <= 0 {
		return 0, false
	}
	return max(e.Wait, time.Second), true
}
