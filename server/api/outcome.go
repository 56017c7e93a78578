package api

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-json"

	"ballast/compute/risk"
	"ballast/internal/jsonscan"
	"ballast/internal/printable"
	"ballast/internal/similar"
)

// The numbers of a reported outcome, in the order of Outcome.Numbers.
const (
	OutcomeEntryPrice = iota
	OutcomeExitPrice
	OutcomePnLUSD
	OutcomePnLPct
	OutcomeHoldingHours
	OutcomeFeesUSD
	OutcomeFundingUSD
	OutcomeIndex
	outcomeNumbers
)

const (
	maxOutcomeID  = 128 // characters of a trade_id
	maxOutcomeUSD = 1e12
	maxOutcomePct = 1e6
	maxHolding    = 10 * 8766 // hours
)

// outcomeNumber is a number of a reported outcome with its bounds, both included.
type outcomeNumber struct {
	name     string
	optional bool
	min, max float64
	what     string
}

var outcomeTable = [outcomeNumbers]outcomeNumber{
	OutcomeEntryPrice: {"entry_price", false, math.SmallestNonzeroFloat64, maxOutcomeUSD,
		"a price in USD, more than 0"},
	OutcomeExitPrice: {"exit_price", false, math.SmallestNonzeroFloat64, maxOutcomeUSD,
		"a price in USD, more than 0"},
	OutcomePnLUSD: {"pnl_usd", false, -maxOutcomeUSD, maxOutcomeUSD, "USD, negative for a loss"},
	OutcomePnLPct: {"pnl_pct", false, -maxOutcomePct, maxOutcomePct,
		"percent of the margin, negative for a loss"},
	OutcomeHoldingHours: {"holding_period_hours", false, 0, maxHolding, "hours, up to ten years"},
	OutcomeFeesUSD:      {"fees_paid_usd", true, -maxOutcomeUSD, maxOutcomeUSD, "USD, negative for a rebate"},
	OutcomeFundingUSD: {"funding_paid_usd", true, -maxOutcomeUSD, maxOutcomeUSD,
		"USD, negative for funding received"},
	OutcomeIndex: {"index", true, 0, MaxTrades - 1, "the place of the trade in its batch, counted from 0"},
}

var outcomeFields = func() []string {
	names := []string{"trade_id", "request_id", "liquidated"}
	for _, n := range outcomeTable {
		names = append(names, n.name)
	}
	return names
}()

// Outcome is the parsed body of a reported outcome. Null is absence.
type Outcome struct {
	TradeID, RequestID risk.Field[[]byte]
	Liquidated         risk.Field[bool]
	Numbers            [outcomeNumbers]risk.Field[float64]
	unknown            [][]byte
}

// Outcome parses the body of a reported outcome into o, and checks it. It returns nil or the first fault.
func (s *Scanner) Outcome(body []byte, o *Outcome) *risk.Reject {
	*o = Outcome{}
	s.Reset(body)
	s.Members(o.take)
	if !s.End() {
		return invalidJSON(s)
	}
	if all := o.problems(); len(all) > 0 {
		return all[0]
	}
	return nil
}

func (o *Outcome) take(name []byte, v *jsonscan.Value) {
	switch string(name) {
	case "trade_id":
		set(&o.TradeID, v, jsonscan.String, v.Text)
	case "request_id":
		set(&o.RequestID, v, jsonscan.String, v.Text)
	case "liquidated":
		set(&o.Liquidated, v, jsonscan.Bool, v.Bool)
	default:
		i := slices.IndexFunc(outcomeTable[:], func(n outcomeNumber) bool { return n.name == string(name) })
		if i < 0 {
			o.unknown = keep(o.unknown, name)
			return
		}
		set(&o.Numbers[i], v, jsonscan.Number, v.Number)
	}
}

// problems returns what is wrong, in the order of the fields.
func (o *Outcome) problems() []*risk.Reject {
	all := unknownFields(o.unknown)
	all = append(all, checkID(&o.TradeID, "trade_id"), checkID(&o.RequestID, "request_id"),
		risk.Required(o.Liquidated.Kind, "liquidated", "a boolean"))
	for i, n := range outcomeTable {
		f := &o.Numbers[i]
		whole := i != OutcomeIndex || f.Value == math.Trunc(f.Value)
		switch {
		case f.Kind == risk.Given && (f.Value < n.min || f.Value > n.max || !whole):
			all = append(all, invalid(n.name, fmt.Sprintf("field %s must be %s, got %s", n.name, n.what,
				printable.Decimal(f.Value))))
		case f.Kind != risk.Absent || !n.optional:
			all = append(all, risk.Required(f.Kind, n.name, "a number"))
		}
	}
	if usd, pct := o.Numbers[OutcomePnLUSD].Value, o.Numbers[OutcomePnLPct].Value; usd*pct < 0 {
		all = append(all, invalid("pnl_pct", "pnl_usd and pnl_pct must have the same sign: negative for a loss"))
	}
	return slices.DeleteFunc(all, isNone)
}

// checkID checks an id: visible ASCII characters.
func checkID(f *risk.Field[[]byte], field string) *risk.Reject {
	if bad := risk.Required(f.Kind, field, "a string"); bad != nil {
		return bad
	}
	odd := func(c byte) bool { return c <= ' ' || c >= 0x7f }
	if n := len(f.Value); n == 0 || n > maxOutcomeID || slices.ContainsFunc(f.Value, odd) {
		return invalid(field, fmt.Sprintf("field %s must have 1 to %d visible ASCII characters, no blanks, got %s",
			field,
			maxOutcomeID, printable.Text(f.Value)))
	}
	return nil
}

// MendOutcome returns how to mend a refused outcome.
func MendOutcome(bad *risk.Reject, o *Outcome) Mending {
	if bad.Code != CodeValidation {
		return Mending{Field: bad.Field}
	}
	return mendAll(bad, o.problems(), o.mendField)
}

func (o *Outcome) mendField(bad *risk.Reject) Mending {
	m := Mending{Field: bad.Field, Allowed: &Allowed{}}
	text := func(f *risk.Field[[]byte]) {
		m.Allowed.Pattern = fmt.Sprintf("^[!-~]{1,%d}$", maxOutcomeID)
		if m.Got = Got(f.Raw); f.Kind != risk.Given {
			m.Allowed.Type, m.Suggestion = "string", Meant(f.Raw, "string")
		} else {
			m.Got = printable.Text(f.Value)
		}
	}
	switch bad.Field {
	case "trade_id":
		text(&o.TradeID)
	case "request_id":
		text(&o.RequestID)
		if m.Suggestion == nil && len(o.RequestID.Value) == 0 {
			m.Suggestion = "meta.request_id of the answer about the trade"
		}
	case "liquidated":
		m.Allowed.Type, m.Got, m.Suggestion = "boolean", Got(o.Liquidated.Raw), suggestBoolean(o.Liquidated.Raw)
	default:
		o.mendNumber(&m)
	}
	return m
}

func (o *Outcome) mendNumber(m *Mending) {
	i := slices.IndexFunc(outcomeTable[:], func(n outcomeNumber) bool { return n.name == m.Field })
	if i < 0 {
		m.Allowed.Values = outcomeFields
		m.Suggestion = Suggestion(similar.Name(m.Field, outcomeFields))
		return
	}
	f, n := &o.Numbers[i], &outcomeTable[i]
	m.Suggestion = n.what
	switch {
	case f.Kind == risk.Given:
		m.Got = json.Number(printable.Decimal(f.Value))
		if n.min > 0 && n.min < 1 {
			m.Allowed.ExclusiveMin = new(float64)
		} else {
			m.Allowed.Min = n.min
		}
		m.Allowed.Max = n.max
	default:
		m.Allowed.Type, m.Got = "number", Got(f.Raw)
		if len(f.Raw) > 0 {
			if x, ok := numberIn(strings.Trim(string(f.Raw), `"`), append([]string{"%"}, usdWords...)); ok &&
				x >= n.min && x <= n.max {
				m.Suggestion = json.Number(printable.Decimal(x))
			}
		}
	}
}
