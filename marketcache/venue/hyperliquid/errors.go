package hyperliquid

import (
	"errors"
	"fmt"
	"time"
)

// The kinds of failure that a caller of LoadAccount tells apart with errors.Is.
var (
	// ErrBudget: no request weight is left; RetryAfter says when there will be.
	ErrBudget = errors.New("venue budget")
	// ErrVenue: the venue answered with an error, or with what is not an answer.
	ErrVenue = errors.New("venue error")
	// ErrUnavailable: the venue cannot be reached, or is taken to be down.
	ErrUnavailable = errors.New("venue unavailable")
)

// Error is a failure to get something from the venue.
type Error struct {
	Kind   error         // ErrBudget, ErrVenue or ErrUnavailable
	Wait   time.Duration // when trying again makes sense; 0: unknown
	Detail string        // what was asked and what came, made printable
	Status int           // HTTP status of the answer, 0 without one
	Err    error         // the cause, may be nil
}

// Error describes the failure.
func (e *Error) Error() string {
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
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// RetryAfter returns how long to wait before trying again after err, at least one
// second when err is an *Error that says so, and ok false when it does not say.
func RetryAfter(err error) (wait time.Duration, ok bool) {
	var e *Error
	if !errors.As(err, &e) || e.Wait <= 0 {
		return 0, false
	}
	return max(e.Wait, time.Second), true
}

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
