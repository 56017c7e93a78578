package ballast

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Error says that there is no answer. An error is no permission: without an assessment, do not open a
// position.
type Error struct {
	Status     int            // of HTTP; 0 when nothing came over HTTP
	Code       string         // stable code of the service, such as "validation_error"; "unreachable" when there was no answer; "not_ballast" when the answer is not what this service sends
	Detail     string         // a sentence with the offending value; may be empty
	Field      string         // what to change: a field of the request, or a header
	Got        any            // its value: a string or a float64
	Allowed    *Allowed       // what it may be
	Suggestion string         // a value that would do, or where to find one
	Problems   []Problem      // all mistakes, when there are several
	RequestID  string         // to be quoted when a fault is reported
	RetryAfter *time.Duration // when it makes sense to try again; nil when the service does not say

	cause error
}

func (e *Error) Error() string {
	if e.Detail == "" {
		return e.Code
	}
	return e.Code + ": " + e.Detail
}

// Unwrap returns what went wrong below, such as the network's error.
func (e *Error) Unwrap() error { return e.cause }

// refusal is the error of an answer that is none of the service's successes.
func refusal(response *http.Response, text []byte, cause error) *Error {
	e := &Error{Status: response.StatusCode, RequestID: response.Header.Get("X-Request-Id"), cause: cause}
	if wait, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 31); err == nil { // a date is a proxy's
		seconds := time.Duration(wait) * time.Second
		e.RetryAfter = &seconds
	}
	var members struct {
		Error      string    `json:"error"`
		Detail     string    `json:"detail"`
		Field      string    `json:"field"`
		Got        any       `json:"got"`
		Allowed    *Allowed  `json:"allowed"`
		Suggestion string    `json:"suggestion"`
		Problems   []Problem `json:"problems"`
	}
	if json.Unmarshal(text, &members) != nil || members.Error == "" || cause != nil {
		e.Code, e.Detail = "not_ballast", fmt.Sprintf("HTTP %d: %.200s", response.StatusCode, text)
		return e
	}
	e.Code, e.Detail, e.Field, e.Got = members.Error, members.Detail, members.Field, members.Got
	e.Allowed, e.Suggestion, e.Problems = members.Allowed, members.Suggestion, members.Problems
	return e
}
