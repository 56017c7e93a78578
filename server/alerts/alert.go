package alerts

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ballast/marketcache"
	"ballast/server/api"
)

// kinds holds the name and the message texts of each kind of alert.
var kinds = [...]struct {
	name   string
	before string // text before the value
	middle string // text between the value and the threshold
	after  string // text after the threshold
}{
	HighRiskScore:        {"high_risk_score", "risk score ", " is above ", ""},
	LiquidationProximity: {"liquidation_proximity", "liquidation is ", " % away, less than ", " %"},
	FundingDragExcessive: {"funding_drag_excessive", "funding costs ", " % of margin a day, more than ", " %"},
	PortfolioVaRBreach: {"portfolio_var_breach", "VaR 99 % over 24 h is ",
		" % of the account value, more than ", " %"},
	RegimeShift: {name: "regime_shift"},
	StopRemoved: {name: "stop_removed"},
}

// String returns the name of the kind, as in alert_type.
func (k Kind) String() string { return kinds[k].name }

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kind) UnmarshalText(text []byte) error {
	for i := range kinds {
		if kinds[i].name == string(text) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("no kind of alert: %.40q", text)
}

// AppendJSON appends the alert as the JSON object that subscribers get. Numbers are finite, and
// written as the shortest decimal without exponent.
func (a *Alert) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"alert_type":"`...)
	dst = append(dst, kinds[a.Kind].name...)
	dst = append(dst, `","wallet":"`...)
	dst = append(dst, strings.ToLower(a.Wallet)...)
	dst = append(dst, `","asset":`...)
	if a.Asset == "" {
		dst = append(dst, "null"...)
	} else {
		dst = api.AppendString(dst, a.Asset)
	}
	if a.Critical {
		dst = append(dst, `,"severity":"critical","message":`...)
	} else {
		dst = append(dst, `,"severity":"warning","message":`...)
	}
	var room [160]byte
	dst = api.AppendString(dst, a.AppendMessage(room[:0]))
	dst = append(dst, `,"timestamp":"`...)
	dst = api.AppendTime(dst, max(0, min(a.AtMs, maxMs)))
	dst = append(dst, `","current_value":`...)
	dst = appendNumber(dst, a.Current)
	dst = append(dst, `,"threshold":`...)
	dst = appendNumber(dst, a.Threshold)
	return append(dst, '}')
}

// AppendMessage appends the alert as a sentence.
func (a *Alert) AppendMessage(dst []byte) []byte {
	subject := a.Asset
	if subject == "" {
		subject = "portfolio"
	}
	dst = append(dst, subject...)
	dst = append(dst, ": "...)
	switch a.Kind {
	case RegimeShift:
		dst = append(dst, "regime moved from "...)
		dst = append(dst, regimeName(a.Threshold)...)
		dst = append(dst, " to "...)
		return append(dst, regimeName(a.Current)...)
	case StopRemoved:
		return append(dst, "the last stop of the position was cancelled"...)
	}
	k := &kinds[a.Kind]
	dst = append(dst, k.before...)
	dst = appendReadable(dst, a.Current, a.Threshold)
	dst = append(dst, k.middle...)
	dst = appendNumber(dst, a.Threshold)
	return append(dst, k.after...)
}

func regimeName(rank float64) string { return marketcache.LiquidityRegime(min(rank, Crisis)).String() }

// appendReadable appends x with the fewest decimals, at least two, that distinguish x from
// limit: a message must not read "70 is above 70".
func appendReadable(dst []byte, x, limit float64) []byte {
	x = finite(x)
	for _, scale := range [...]float64{1e2, 1e4, 1e6} {
		r := math.Round(x*scale) / scale
		if (x > limit && r > limit || x < limit && r < limit) && !math.IsInf(r, 0) {
			return appendNumber(dst, r)
		}
	}
	return appendNumber(dst, x)
}

// appendNumber appends the shortest decimal that reads back as x, without exponent.
func appendNumber(dst []byte, x float64) []byte {
	return strconv.AppendFloat(dst, finite(x)+0, 'f', -1, 64) // + 0: no "-0"
}

// finite returns x, or the finite float64 nearest to it; 0 for NaN, which Judge never produces.
func finite(x float64) float64 {
	if x != x {
		return 0
	}
	return max(-math.MaxFloat64, min(math.MaxFloat64, x))
}

// maxMs is the last millisecond of the year 9999.
const maxMs = 253402300799999
