package alerts

import (
	"bytes"
	"cmp"
	"strconv"

	"ballast/internal/jsonscan"
	"ballast/internal/printable"
	"ballast/internal/similar"
	"ballast/marketcache"
	"ballast/server/api"
)

// Thresholds are the values beyond which a subscriber gets alerts. The zero value is not the
// default: see DefaultThresholds. All numbers are finite.
type Thresholds struct {
	MaxRiskScore              uint8
	MinLiquidationDistancePct float64
	MaxPortfolioVaRPct        float64
	MaxFundingDragDailyPct    float64
}

// DefaultThresholds returns the thresholds for keys that a configuration leaves out.
func DefaultThresholds() Thresholds {
	return Thresholds{MaxRiskScore: 70, MinLiquidationDistancePct: 5, MaxPortfolioVaRPct: 50, MaxFundingDragDailyPct: 1}
}

// AlertConfig is the message by which a client subscribes to a wallet.
type AlertConfig struct {
	Wallet     marketcache.Wallet
	Thresholds Thresholds
}

// configReader reads one AlertConfig. It reports a JSON error before any field error, and only
// the first field error.
type configReader struct {
	scan   jsonscan.Scanner
	config AlertConfig
	wallet bool // seen
	fault  *configFault
}

// configFault says in a sentence for the client what is wrong with a configuration, and how to mend it.
type configFault struct {
	detail string
	field  string // "" unless a known field is wrong
	how    api.Mending
	got    []byte // the value of the known field, if it is of another type than want
	want   string
}

// The known fields of a configuration and of its thresholds, as paths.
var (
	configFields    = []string{"wallet", "thresholds"}
	thresholdFields = []string{
		"thresholds.max_risk_score", "thresholds.min_liquidation_distance_pct", "thresholds.max_portfolio_var_pct",
		"thresholds.max_funding_drag_daily_pct",
	}
)

// decodeConfig reads an AlertConfig strictly: one JSON object, no unknown or duplicate key at
// any level, numbers within float64, no data after the object. For a key with a default, null
// means the default. max_risk_score is an integer from 0 to 255 in any notation (70.0, 7e1).
func decodeConfig(message []byte) (AlertConfig, *configFault) {
	r := configReader{config: AlertConfig{Thresholds: DefaultThresholds()}}
	r.scan.Reset(message)
	r.scan.Object(r.field)
	r.scan.End()
	if !r.scan.OK() {
		r.fault = &configFault{detail: r.scan.Problem()}
	} else if !r.wallet {
		r.refuse("", "missing field: wallet")
	}
	if r.fault != nil {
		return AlertConfig{}, r.fault
	}
	return r.config, nil
}

// field reads the value of a field of the configuration.
func (r *configReader) field(name []byte) {
	if string(name) == "thresholds" && r.scan.NextKind() == jsonscan.Object {
		r.scan.Object(r.threshold)
		return
	}
	var v jsonscan.Value
	if !r.scan.Value(&v) {
		return
	}
	switch string(name) {
	case "wallet":
		r.setWallet(&v)
	case "thresholds":
		if v.Kind != jsonscan.Null {
			r.refuseType("thresholds", "object", "must be an object", v.Raw)
		}
	default:
		r.unknown(printable.Name(name), configFields)
	}
}

// threshold reads the value of a threshold.
func (r *configReader) threshold(name []byte) {
	var v jsonscan.Value
	if !r.scan.Value(&v) {
		return
	}
	t := &r.config.Thresholds
	number := map[string]*float64{
		"min_liquidation_distance_pct": &t.MinLiquidationDistancePct,
		"max_portfolio_var_pct":        &t.MaxPortfolioVaRPct,
		"max_funding_drag_daily_pct":   &t.MaxFundingDragDailyPct,
	}[string(name)]
	switch {
	case string(name) == "max_risk_score":
		r.setScore(&v)
	case number == nil:
		r.unknown("thresholds."+printable.Name(name), thresholdFields)
	case v.Kind == jsonscan.Number:
		*number = v.Number
	case v.Kind != jsonscan.Null:
		r.refuseType("thresholds."+string(name), "number", "must be a number", v.Raw)
	}
}

// refuse records a field error, if it is the first.
func (r *configReader) refuse(field, detail string) {
	r.fault = cmp.Or(r.fault, &configFault{detail: detail, field: field})
}

func (r *configReader) refuseField(field, rule string) { r.refuse(field, "field "+field+" "+rule) }

// refuseType is refuseField for a value of another type.
func (r *configReader) refuseType(field, want, rule string, got []byte) {
	r.fault = cmp.Or(r.fault, &configFault{detail: "field " + field + " " + rule, field: field, want: want,
		got: bytes.Clone(got)})
}

// unknown records an unknown field, with the known fields and the most similar known field.
func (r *configReader) unknown(field string, known []string) {
	suggestion := api.Suggestion(similar.Name(field, known))
	how := api.Mending{Field: field, Allowed: &api.Allowed{Values: known}, Suggestion: suggestion}
	r.fault = cmp.Or(r.fault, &configFault{detail: "unknown field: " + field, field: field, how: how})
}

func (r *configReader) setWallet(v *jsonscan.Value) {
	var ok bool
	r.config.Wallet, ok = marketcache.ParseWallet(v.Text)
	r.wallet = v.Kind != jsonscan.Null
	switch {
	case r.wallet && v.Kind != jsonscan.String:
		r.refuseField("wallet", "must be a string")
	case r.wallet && !ok:
		r.fault = cmp.Or(r.fault, &configFault{
			detail: "invalid wallet address: " + printable.Text(v.Text), field: "wallet",
			how: api.Mending{Field: "wallet", Suggestion: api.MendWallet(v.Text).Suggestion}})
	}
}

func (r *configReader) setScore(v *jsonscan.Value) {
	const field, rule = "thresholds.max_risk_score", "must be an integer from 0 to 255"
	switch {
	case v.Kind == jsonscan.Null:
	case v.Kind != jsonscan.Number:
		r.refuseType(field, "integer", rule, v.Raw)
	case v.Number < 0 || v.Number > 255 || v.Number != float64(uint8(v.Number)):
		r.refuseField(field, rule+", got "+strconv.FormatFloat(v.Number, 'g', -1, 64))
	default:
		r.config.Thresholds.MaxRiskScore = uint8(v.Number)
	}
}
