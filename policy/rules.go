package policy

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// Rule names one rule.
type Rule uint8

const (
	MaxLeverage Rule = iota
	MaxOrderUSD
	MaxPositionUSD
	MaxGrossLeverage
	MaxAssetSharePct
	MaxDailyLossPct
	MaxDrawdownPct
	MaxScore
	MaxProbability24h
	MaxProbability7d
	MinLiquidationDistancePct
	PriceCollarPct
	OrdersPerMinute
	TradesPerDay
	DuplicateWindowS
	AllowedAssets
	DeniedAssets
	Halt
	ExpiresAt
	KillSwitch // no rule of a policy: it stands in verdicts
	RuleCount

	// Numbers is how many rules have a number as their limit: those before AllowedAssets.
	Numbers = AllowedAssets
)

// Info describes a rule.
type Info struct {
	Name string
	// A limit of a number lies from 0 to Max; Whole: it has no decimals.
	Max   float64
	Whole bool
	// Least: the figure must be at least the limit; otherwise it must be at most the limit.
	Least bool
	// Judges says which subjects the rule judges.
	Judges Subjects
}

// Subject is what is judged.
type Subject uint8

const (
	Trade    Subject = iota // a trade, or an order
	Position                // an open position as held
	Account                 // a wallet: what every increase meets, whatever its asset and size
)

// Subjects is a set of subjects.
type Subjects uint8

const (
	trades    = Subjects(1 << Trade)
	positions = trades | 1<<Position
	accounts  = positions | 1<<Account
	increases = trades | 1<<Account
)

// RuleTable describes every rule.
var RuleTable = [RuleCount]Info{
	MaxLeverage:               {Name: "max_leverage", Max: 1000, Judges: positions},
	MaxOrderUSD:               {Name: "max_order_usd", Max: maxUSD, Judges: trades},
	MaxPositionUSD:            {Name: "max_position_usd", Max: maxUSD, Judges: positions},
	MaxGrossLeverage:          {Name: "max_gross_leverage", Max: 1000, Judges: accounts},
	MaxAssetSharePct:          {Name: "max_asset_share_pct", Max: 100, Judges: positions},
	MaxDailyLossPct:           {Name: "max_daily_loss_pct", Max: 100, Judges: increases},
	MaxDrawdownPct:            {Name: "max_drawdown_pct", Max: 100, Judges: increases},
	MaxScore:                  {Name: "max_score", Max: 100, Judges: positions},
	MaxProbability24h:         {Name: "max_probability_24h", Max: 1, Judges: positions},
	MaxProbability7d:          {Name: "max_probability_7d", Max: 1, Judges: positions},
	MinLiquidationDistancePct: {Name: "min_liquidation_distance_pct", Max: 100, Least: true, Judges: positions},
	PriceCollarPct:            {Name: "price_collar_pct", Max: 100, Judges: trades},
	OrdersPerMinute:           {Name: "orders_per_minute", Max: 1e6, Whole: true, Judges: increases},
	TradesPerDay:              {Name: "trades_per_day", Max: 1e6, Whole: true, Judges: increases},
	DuplicateWindowS:          {Name: "duplicate_window_s", Max: 86400, Least: true, Judges: trades},
	AllowedAssets:             {Name: "allowed_assets", Judges: positions},
	DeniedAssets:              {Name: "denied_assets", Judges: positions},
	Halt:                      {Name: "halt", Judges: increases},
	ExpiresAt:                 {Name: "expires_at", Judges: increases},
	KillSwitch:                {Name: "kill_switch", Judges: increases},
}

const maxUSD = 1e12

// String returns the rule's name.
func (r Rule) String() string { return RuleTable[r].Name }

// MarshalText returns the rule's name.
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a rule's name.
func (r *Rule) UnmarshalText(name []byte) error {
	at := slices.IndexFunc(RuleTable[:], func(i Info) bool { return i.Name == string(name) })
	if at < 0 {
		return fmt.Errorf("no rule is called %.40q", name)
	}
	*r = Rule(at)
	return nil
}

// names are those of all rules of a policy.
var names = func() (all []string) {
	for r, info := range RuleTable {
		if Rule(r) != KillSwitch {
			all = append(all, info.Name)
		}
	}
	return all
}()

// Rules are the limits of a wallet. The zero value limits nothing. The lists must not be changed.
type Rules struct {
	Values [Numbers]float64 // limits, by rule
	Given  uint32           // bit r: rule r has a limit

	// OnlyAllowed: only the assets of Allowed may be traded; of an empty list none.
	OnlyAllowed bool
	Allowed     []string
	Denied      []string
	Halt        bool
	// ExpiresAt is when the permission to increase ends, ms since 1970; 0: never.
	ExpiresAt int64
}

// Limit returns the limit of a rule with a number.
func (r *Rules) Limit(rule Rule) (limit float64, has bool) {
	return r.Values[rule], r.Given>>rule&1 != 0
}

// SetLimit sets the limit of a rule with a number.
func (r *Rules) SetLimit(rule Rule, limit float64) {
	r.Values[rule] = limit
	r.Given |= 1 << rule
}

// Empty reports whether nothing is limited.
func (r *Rules) Empty() bool {
	return r.Given == 0 && !r.OnlyAllowed && len(r.Denied) == 0 && !r.Halt && r.ExpiresAt == 0
}

// Has reports whether a rule is set.
func (r *Rules) Has(rule Rule) bool {
	switch rule {
	case AllowedAssets:
		return r.OnlyAllowed
	case DeniedAssets:
		return len(r.Denied) > 0
	case Halt:
		return r.Halt
	case ExpiresAt:
		return r.ExpiresAt != 0
	case KillSwitch:
		return false
	}
	return r.Given>>rule&1 != 0
}

// Narrower returns the rules under which passes what passes under a and under b.
func Narrower(a, b *Rules) (out Rules) {
	for rule := range Numbers {
		x, hasX := a.Limit(rule)
		y, hasY := b.Limit(rule)
		switch {
		case hasX && hasY && RuleTable[rule].Least:
			out.SetLimit(rule, max(x, y))
		case hasX && hasY:
			out.SetLimit(rule, min(x, y))
		case hasX:
			out.SetLimit(rule, x)
		case hasY:
			out.SetLimit(rule, y)
		}
	}
	out.OnlyAllowed = a.OnlyAllowed || b.OnlyAllowed
	switch {
	case !a.OnlyAllowed:
		out.Allowed = slices.Clone(b.Allowed)
	case !b.OnlyAllowed:
		out.Allowed = slices.Clone(a.Allowed)
	default:
		for _, asset := range a.Allowed {
			if slices.Contains(b.Allowed, asset) {
				out.Allowed = append(out.Allowed, asset)
			}
		}
	}
	out.Denied = slices.Clone(a.Denied)
	for _, asset := range b.Denied {
		if !slices.Contains(out.Denied, asset) {
			out.Denied = append(out.Denied, asset)
		}
	}
	out.Halt = a.Halt || b.Halt
	if out.ExpiresAt = min(a.ExpiresAt, b.ExpiresAt); out.ExpiresAt == 0 {
		out.ExpiresAt = max(a.ExpiresAt, b.ExpiresAt)
	}
	return out
}

// AppendJSON appends the rules that are set as a JSON object, in the order of the table.
func (r *Rules) AppendJSON(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, '{')
	for rule := range KillSwitch {
		if !r.Has(rule) {
			continue
		}
		if len(dst) > start+1 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), rule.String()...), `":`...)
		dst = r.AppendLimit(dst, rule)
	}
	return append(dst, '}')
}

// AppendLimit appends the JSON value of a rule that is set.
func (r *Rules) AppendLimit(dst []byte, rule Rule) []byte {
	switch rule {
	case AllowedAssets:
		return appendList(dst, r.Allowed)
	case DeniedAssets:
		return appendList(dst, r.Denied)
	case Halt, KillSwitch:
		return append(dst, "true"...)
	case ExpiresAt:
		return AppendTime(dst, r.ExpiresAt)
	}
	return strconv.AppendFloat(dst, r.Values[rule], 'f', -1, 64)
}

// appendList appends names, which need no escapes.
func appendList(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, name := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), name...), '"')
	}
	return append(dst, ']')
}

// AppendTime appends a time, ms since 1970, as a JSON string in the form of RFC 3339, in UTC.
func AppendTime(dst []byte, ms int64) []byte {
	return append(time.UnixMilli(ms).UTC().AppendFormat(append(dst, '"'), "2006-01-02T15:04:05.999Z"), '"')
}

// MarshalJSON implements json.Marshaler.
func (r *Rules) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// UnmarshalJSON implements json.Unmarshaler. It is as strict as DecodeJSON.
func (r *Rules) UnmarshalJSON(text []byte) error {
	rules, bad := DecodeJSON(text)
	if bad != nil {
		return bad
	}
	*r = rules
	return nil
}

// NotKnown is the value of a figure that is not known.
var NotKnown = math.NaN()

const utcDayMs = 86400 * 1000

// CountsUntil returns until when an order that is sent now counts for a rule, ms since 1970; 0 if no rule counts
// orders.
func (r *Rules) CountsUntil(nowMs int64) (untilMs int64) {
	if r.Has(OrdersPerMinute) {
		untilMs = nowMs + 60*1000
	}
	if r.Has(TradesPerDay) {
		untilMs = max(untilMs, (nowMs/utcDayMs+1)*utcDayMs)
	}
	if seconds, has := r.Limit(DuplicateWindowS); has {
		untilMs = max(untilMs, nowMs+int64(seconds*1000))
	}
	return untilMs
}
