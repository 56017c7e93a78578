package marketcache

import (
	"errors"
	"time"
)

// The kinds of failure to get something from the venue, told apart with errors.Is.
var (
	// ErrBudget: no request weight is left; RetryAfter says when there will be.
	ErrBudget = errors.New("venue budget")
	// ErrShare: the caller has spent its share of the request weight; the detail says how to
	// ask for less.
	ErrShare = errors.New("share of the venue budget")
	// ErrVenue: the venue answered with an error, or with what is not an answer.
	ErrVenue = errors.New("venue error")
	// ErrUnavailable: the venue cannot be reached, or is taken to be down.
	ErrUnavailable = errors.New("venue unavailable")
)

// VenueError is a failure to get something from the venue.
type VenueError struct {
	Kind   error         // one of the above
	Wait   time.Duration // when trying again makes sense; 0: unknown
	Detail string        // what was asked and what came, made printable
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

// Unwrap gives the kind and the cause.
func (e *VenueError) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// RetryAfter returns how long to wait before trying again after err, at least one
// second when err is a *VenueError that says so, and ok false when it does not say.
func RetryAfter(err error) (wait time.Duration, ok bool) {
	var e *VenueError
	if !errors.As(err, &e) || e.Wait <= 0 {
		return 0, false
	}
	return max(e.Wait, time.Second), true
}
