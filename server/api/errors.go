package api

import (
	"maps"
	"slices"

	"ballast/compute/risk"
)

// The error codes, as in the field "error" of a body, and how each is answered. They are stable. A new code
// is also described in the contract (server/spec) and docs/api.md; a test fails until it is.
var (
	CodeValidation = code(risk.CodeValidation, Rule{Status: 400}) // a field breaks a rule
	// the address of a key, which holds nothing by design
	CodeAPIWallet        = code("api_wallet", Rule{Status: 400})
	CodeInvalidJSON      = code("invalid_json", Rule{Status: 400})
	CodeBatchTooLarge    = code("batch_too_large", Rule{Status: 400})
	CodeBadRequest       = code("bad_request", Rule{Status: 400, Close: true}) // HTTP that is malformed or ambiguous
	CodeForbidden        = code("forbidden", Rule{Status: 403})                // the role of the key does not allow it
	CodeNotFound         = code("not_found", Rule{Status: 404})
	CodeMethodNotAllowed = code("method_not_allowed", Rule{Status: 405})
	// another outcome of the trade was reported before
	CodeOutcomeConflict = code("outcome_conflict", Rule{Status: 409})
	// the revision that If-Match names is not the current one
	CodePreconditionFailed = code("precondition_failed", Rule{Status: 412})
	// what exists is changed with If-Match only
	CodePreconditionRequired = code("precondition_required", Rule{Status: 428})
	// the request did not arrive in time
	CodeRequestTimeout  = code("request_timeout", Rule{Status: 408, Close: true})
	CodeBodyTooLarge    = code("body_too_large", Rule{Status: 413, Close: true})
	CodeURITooLong      = code("uri_too_long", Rule{Status: 414, Close: true})
	CodeMediaType       = code("unsupported_media_type", Rule{Status: 415})
	CodeRateLimited     = code("rate_limited", Rule{Status: 429, RetryAfter: 1})
	CodeHeadersTooLarge = code("headers_too_large", Rule{Status: 431, Close: true})
	CodeInternal        = code("internal", Rule{Status: 500})
	CodeVenueError      = code("venue_error", Rule{Status: 502})
	CodeStarting        = code("starting", Rule{Status: 503, RetryAfter: 5})
	// the service has been ready before, or is shutting down
	CodeNotReady        = code("not_ready", Rule{Status: 503, RetryAfter: 5})
	CodeStaleMarketData = code("stale_market_data", Rule{Status: 503, RetryAfter: 1})
	// prices of one asset contradict each other
	CodeInconsistentData = code("inconsistent_market_data", Rule{Status: 503, RetryAfter: 1})
	CodeOverloaded       = code("overloaded", Rule{Status: 503, RetryAfter: 1})
	CodeNotSaved         = code("not_saved", Rule{Status: 503, RetryAfter: 1}) // a change could not be kept
	CodeVenueUnavailable = code("venue_unavailable", Rule{Status: 503, RetryAfter: 5})
	CodeDeadlineExceeded = code("deadline_exceeded", Rule{Status: 504})
	CodeHTTPVersion      = code("http_version_not_supported", Rule{Status: 505, Close: true})
	CodeExpectation      = code("expectation_failed", Rule{Status: 417, Close: true})

	// The two texts of a 401, which stand in place of a code.
	MissingAuthorization = code("missing or invalid Authorization header", Rule{Status: 401})
	InvalidKey           = code("invalid API key", Rule{Status: 401})
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

// rules is the table of errors.
var rules = map[string]Rule{}

func code(name string, r Rule) string {
	rules[name] = r
	return name
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

// AppendError appends the body of an error.
func AppendError(dst []byte, code, detail string) []byte {
	dst = append(dst, `{"error":`...)
	dst = AppendString(dst, code)
	dst = append(dst, `,"detail":`...)
	return append(AppendString(dst, detail), '}')
}
