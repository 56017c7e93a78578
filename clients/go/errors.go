package ballast

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Error says why a request failed. Never take an error as permission: without an assessment, do not open
// or increase a position.
type Error struct {
	Status int `json:"-"` // HTTP status; 0 when there was no HTTP response
	// stable code of the service, such as "validation_error"; "unreachable" when there was no answer; "not_ballast"
	// when the answer is not what this service sends
	Code       string         `json:"error"`
	Detail     string         `json:"detail"`              // a sentence with the offending value; may be empty
	Field      string         `json:"field,omitzero"`      // field of the request, or header, that is wrong
	Got        any            `json:"got,omitzero"`        // the field's value: a string or a float64
	Allowed    *Allowed       `json:"allowed,omitzero"`    // values allowed for the field
	Suggestion any            `json:"suggestion,omitzero"` // a valid value of the field, or a sentence
	Problems   []Problem      `json:"problems,omitzero"`   // all errors in the request, when there are several
	Revision   *int64         `json:"revision,omitzero"`   // current one, where a change was made upon another
	RequestID  string         `json:"-"`                   // quote it in a bug report
	RetryAfter *time.Duration `json:"-"`                   // wait before a retry; nil when the service names none

	cause error
}

func (e *Error) Error() string {
	if e.Detail == "" {
		return e.Code
	}
	return e.Code + ": " + e.Detail
}

// Unwrap returns the cause, such as a network error.
func (e *Error) Unwrap() error { return e.cause }

const (
	requestID  = "X-Request-Id"
	notBallast = "not_ballast"
)

// wrong returns the error for a response that is not what this service sends.
func wrong(response *http.Response, what string) *Error {
	return &Error{Status: response.StatusCode, Code: notBallast, RequestID: response.Header.Get(requestID),
		Detail: fmt.Sprintf("HTTP %d: %s", response.StatusCode, what)}
}

// refusal returns the error for a response whose status is not 200.
func refusal(response *http.Response, text []byte) *Error {
	e := &Error{Status: response.StatusCode, RequestID: response.Header.Get(requestID)}
	// a date comes from a proxy and is ignored
	if wait, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 31); err == nil {
		seconds := time.Duration(wait) * time.Second
		e.RetryAfter = &seconds
	}
	told := *e
	if json.Unmarshal(text, &told) != nil || told.Code == "" {
		e.Code, e.Detail = notBallast, fmt.Sprintf("HTTP %d: %.200s", response.StatusCode, text)
		return e
	}
	return &told
}
