package api

import (
	"maps"
	"slices"

	"ballast/compute/risk"
)

// The error codes, as in the field "error" of a body. They are stable.
const (
	CodeValidation       = risk.CodeValidation // a field breaks a rule
	CodeInvalidJSON      = "invalid_json"
	CodeBatchTooLarge    = "batch_too_large"
	CodeBadRequest       = "bad_request" // HTTP that is malformed or ambiguous
	CodeNotFound         = "not_found"
	CodeMethodNotAllowed = "method_not_allowed"
	CodeRequestTimeout   = "request_timeout" // the request did not arrive in time
	CodeBodyTooLarge     = "body_too_large"
	CodeURITooLong       = "uri_too_long"
	CodeMediaType        = "unsupported_media_type"
	CodeRateLimited      = "rate_limited"
	CodeHeadersTooLarge  = "headers_too_large"
	CodeInternal         = "internal"
	CodeVenueError       = "venue_error"
	CodeStarting         = "starting"
	CodeNotReady         = "not_ready" // the service has been ready before, or is shutting down
	CodeStaleMarketData  = "stale_market_data"
	CodeInconsistentData = "inconsistent_market_data" // prices of one asset contradict each other
	CodeOverloaded       = "overloaded"
	CodeVenueUnavailable = "venue_unavailable"
	CodeDeadlineExceeded = "deadline_exceeded"
	CodeHTTPVersion      = "http_version_not_supported"
	CodeExpectation      = "expectation_failed"

	// The two texts of a 401, which stand in place of a code; such a body has no detail.
	MissingAuthorization = "missing or invalid Authorization header"
	InvalidKey           = "invalid API key"
)

// Rule says how an error code is answered.
type Rule struct {
	Status int
	// RetryAfter is the Retry-After header in seconds unless the cause gives another; 0: no header.
	RetryAfter int
	// Close closes the connection after the answer, because the end of the request, and so the start of
	// the next one, is not known.
	Close bool
}

// rules is the table of errors. A new code is also described in the contract (server/spec) and docs/api.md;
// a test tells where it lacks.
var rules = map[string]Rule{
	CodeValidation:       {Status: 400},
	CodeInvalidJSON:      {Status: 400},
	CodeBatchTooLarge:    {Status: 400},
	CodeBadRequest:       {Status: 400, Close: true},
	MissingAuthorization: {Status: 401},
	InvalidKey:           {Status: 401},
	CodeNotFound:         {Status: 404},
	CodeMethodNotAllowed: {Status: 405},
	CodeRequestTimeout:   {Status: 408, Close: true},
	CodeBodyTooLarge:     {Status: 413, Close: true},
	CodeURITooLong:       {Status: 414, Close: true},
	CodeMediaType:        {Status: 415},
	CodeExpectation:      {Status: 417, Close: true},
	CodeRateLimited:      {Status: 429, RetryAfter: 1},
	CodeHeadersTooLarge:  {Status: 431, Close: true},
	CodeInternal:         {Status: 500},
	CodeVenueError:       {Status: 502},
	CodeStarting:         {Status: 503, RetryAfter: 5},
	CodeNotReady:         {Status: 503, RetryAfter: 5},
	CodeStaleMarketData:  {Status: 503, RetryAfter: 1},
	CodeInconsistentData: {Status: 503, RetryAfter: 1},
	CodeOverloaded:       {Status: 503, RetryAfter: 1},
	CodeVenueUnavailable: {Status: 503, RetryAfter: 5},
	CodeDeadlineExceeded: {Status: 504},
	CodeHTTPVersion:      {Status: 505, Close: true},
}

// RuleOf returns the rule of a code. An unknown code is a bug, and is answered as an internal error.
func RuleOf(code string) Rule {
	if r, ok := rules[code]; ok {
		return r
	}
	return rules[CodeInternal]
}

// Codes returns every code of the table.
func Codes() []string { return slices.Sorted(maps.Keys(rules)) }

// AppendError appends the body of an error. The detail of a 401 is left out.
func AppendError(dst []byte, code, detail string) []byte {
	dst = append(dst, `{"error":`...)
	dst = AppendString(dst, code)
	if RuleOf(code).Status != 401 {
		dst = append(dst, `,"detail":`...)
		dst = AppendString(dst, detail)
	}
	return append(dst, '}')
}
