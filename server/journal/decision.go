// Package journal keeps what was asked and what was answered: a Decision for each assessment and for each action
// through the gate.
package journal

import (
	"encoding/json"
	"time"
)

// Kind is what was asked.
type Kind string

// The kinds of decisions.
const (
	Validate Kind = "validate"
	Batch    Kind = "batch" // one trade of a plan: Index says which
	Size     Kind = "size"
	Gate     Kind = "gate" // an action that the gate passed on or refused
)

// Decision is one recorded answer. Figures that the answer did not have are nil.
type Decision struct {
	RequestID string    `json:"request_id"`
	At        time.Time `json:"at"` // as_of of the answer, UTC
	Kind      Kind      `json:"kind"`
	Index     int       `json:"index,omitempty"` // of a batch's trade, from 0
	KeyID     string    `json:"key_id"`          // never the key; "": no key
	Wallet    string    `json:"wallet"`          // lower case, with 0x
	Asset     string    `json:"asset"`
	Action    string    `json:"action"` // long, short or close
	SizeUSD   float64   `json:"size_usd"`
	SizeCoin  float64   `json:"size_coin"`
	Leverage  float64   `json:"leverage"`
	// Request is the request as JSON; of the gate, the action as it was passed on.
	Request json.RawMessage `json:"request"`

	Recommendation string   `json:"recommendation"` // proceed, proceed_with_caution or abort; "": not assessed
	RiskScore      *float64 `json:"risk_score"`
	Probability24h *float64 `json:"probability_24h"`
	Probability7d  *float64 `json:"probability_7d"`
	// Liquidation is the price given for the position after the trade, nil for none. Side is that of the position.
	Liquidation *float64 `json:"liquidation_price"`
	Side        string   `json:"side"` // long, short or flat
	MarkPrice   *float64 `json:"mark_price"`
	// PositionUSD is the value of the position after the trade, MarginUSD the margin of the trade.
	PositionUSD *float64 `json:"position_usd"`
	MarginUSD   *float64 `json:"margin_usd"`
	// VaR99 is the loss of the position after the trade that 1 % of days exceed, positive, in USD.
	VaR99 *float64 `json:"var_99_24h_usd"`
	// Variance is the variance of the log price that the fit forecast for 24 hours of average activity, from ranges.
	Variance *float64 `json:"variance_24h"`
	Flags    []string `json:"flags"`
	// VenueIssues are the codes of the venue's rules that the order breaks; nil in decisions of versions without the
	// field.
	VenueIssues []string `json:"venue_issues"`
	// Ages of the data that the answer used: MarketAgeMs of the oldest price, WalletAgeMs of the wallet's state.
	MarketAgeMs *float64 `json:"market_age_ms"`
	WalletAgeMs *float64 `json:"wallet_age_ms"`
	// Facts are the figures that rules of a policy are compared with, by the rule's name, whether a policy applied or
	// not; a missing one was not known. duplicate_window_s is never for an order that was not sent before.
	Facts map[string]float64 `json:"facts"`
	// Reduces: the trade adds nothing to any position, and so keeps every rule.
	Reduces bool `json:"-"`

	Policy *Verdict `json:"policy"` // nil: no policy and no switch applied
	Gate   *Passage `json:"gate"`   // nil: did not come through the gate

	EngineVersion   string `json:"engine_version"`
	CalibrationHash string `json:"calibration_hash"`
	// InputsDigest is a SHA-256. Of a photographed decision it covers everything the answer was computed from; of
	// others what names it: request, time, mark price, calibration hash, and the venue's times of wallet and book.
	InputsDigest string `json:"inputs_digest"` // "": nothing was assessed
	AnswerDigest string `json:"answer_digest"` // SHA-256 of the answer without meta.latency_ms; "": not taken
	Photographed bool   `json:"photographed"`  // what the answer was computed from is kept, for replay

	// KeyEmail is whom the key is for, entered when the decision is asked for.
	KeyEmail string `json:"key_email,omitempty"`
	// Outcome is what became of the decision, as outcomes.Closer enters it when it is asked for; it is not kept with
	// the decision.
	Outcome json.RawMessage `json:"outcome,omitempty"`
}

// Verdict is what the operator's limits said.
type Verdict struct {
	Verdict  string      `json:"verdict"` // pass, deny or unknown
	Revision uint64      `json:"revision"`
	Broken   []Violation `json:"violations"`
	// Facts are those of the decision.
	Facts map[string]float64 `json:"-"`
}

// Violation is a rule that was broken, or could not be judged (Value nil). A broken rule without a number has Value 1,
// and no Limit.
type Violation struct {
	Rule  string   `json:"rule"`
	Limit *float64 `json:"limit"`
	Value *float64 `json:"value"`
}

// Passage is what the gate did with an action.
type Passage struct {
	Did    string `json:"did"`    // passed (what cannot add risk), allowed or refused
	Class  string `json:"class"`  // of the action: increases, reduces, margin, funds, ...
	Type   string `json:"type"`   // of the action, as the venue names it
	Reason string `json:"reason"` // of a refusal
	Signer string `json:"signer"` // "": not recovered
	// VenueStatus is the HTTP status of the venue's answer, 0 for none, and where the decision is on disk before the
	// action is handed on (mode strict).
	VenueStatus int `json:"venue_status"`
}

// never stands for the time since the same order was sent when it never was, seconds.
const never = 1e9
