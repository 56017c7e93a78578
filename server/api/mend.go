package api

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"ballast/compute/risk"
	"ballast/internal/printable"
	"ballast/internal/similar"
	"ballast/marketcache"
)

// Mending is the part of an error from which a client can mend the request. Fields that do not apply are
// left out.
type Mending struct {
	Field      string    `json:"field,omitempty"` // the field to change
	Got        any       `json:"got,omitempty"`   // its value, a string or a number
	Allowed    *Allowed  `json:"allowed,omitempty"`
	Suggestion string    `json:"suggestion,omitempty"` // a valid value, or where to find one
	Problems   []Problem `json:"problems,omitempty"`   // all problems, if there are several
}

// Allowed says which values a field may have.
type Allowed struct {
	Type         string   `json:"type,omitempty"`
	Pattern      string   `json:"pattern,omitempty"`
	ExclusiveMin *float64 `json:"exclusive_min,omitempty"`
	Min          float64  `json:"min,omitempty"`
	Max          float64  `json:"max,omitempty"`
	Values       []string `json:"values,omitempty"`
}

// Problem is one of several problems.
type Problem struct {
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

// AppendMendable appends the body of an error with its Mending.
func AppendMendable(dst []byte, code, detail string, m *Mending) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(m); err != nil {
		panic("BUG: mending does not encode: " + err.Error())
	}
	dst = AppendError(dst, code, detail)
	members := bytes.TrimSpace(b.Bytes())[1:]
	if len(members) > 1 {
		dst[len(dst)-1] = ','
		return append(dst, members...)
	}
	return dst
}

var (
	tradeFields = []string{"wallet", "asset", "action", "size", "leverage", "mode", "monte_carlo"}
	batchFields = []string{"wallet", "trades"}
	modes       = []string{"cross", "isolated"}
	actions     = []string{"long", "short", "close"}
)

// fieldTypes are the JSON types of request fields.
var fieldTypes = map[string]string{
	"wallet": "string", "asset": "string", "action": "string", "size": "number", "leverage": "number", "mode": "string", "monte_carlo": "boolean", "trades": "array",
}

// MendTrade returns how to mend a refused validation request.
func MendTrade(bad *risk.Reject, r *risk.Request, universe *marketcache.Universe) Mending {
	m := Mending{Field: bad.Field}
	switch {
	case bad.Code != CodeValidation:
		return m
	case !slices.Contains(tradeFields, bad.Field):
		return mendUnknown(bad.Field, tradeFields)
	}
	for _, p := range r.Problems(universe) {
		m.Problems = append(m.Problems, Problem{p.Field, p.Detail})
	}
	if len(m.Problems) < 2 {
		m.Problems = nil
	}
	asset := universe.Asset(universe.Lookup(r.Asset.Value))
	switch bad.Field {
	case "wallet":
		m.value(r.Wallet.Kind, printable.Text(r.Wallet.Value), &Allowed{Pattern: walletPattern})
	case "asset":
		m.value(r.Asset.Kind, printable.Text(r.Asset.Value), nil)
		if r.Asset.Kind == risk.Given {
			m.Suggestion = suggestAsset(string(r.Asset.Value), universe)
		}
	case "action":
		m.value(r.Action.Kind, printable.Text(r.Action.Value), &Allowed{Values: actions})
		m.Suggestion = synonyms[strings.ToLower(string(r.Action.Value))]
	case "mode":
		m.value(r.Mode.Kind, printable.Text(r.Mode.Value), &Allowed{Values: modes})
		if asset != nil && asset.OnlyIsolated && r.Mode.Kind != risk.Mistyped {
			m.Allowed, m.Suggestion = &Allowed{Values: modes[risk.Isolated:]}, "isolated"
		}
	case "size":
		m.value(r.Size.Kind, r.Size.Value, &Allowed{ExclusiveMin: new(float64), Max: risk.MaxSizeUSD})
		if r.Size.Value > risk.MaxSizeUSD {
			m.Allowed = &Allowed{Max: risk.MaxSizeUSD}
		}
	case "leverage":
		allowed := &Allowed{Min: 1}
		if asset != nil {
			allowed.Max = asset.MaxLeverage
			if r.Leverage.Value > asset.MaxLeverage {
				allowed.Min = 0
			}
		}
		m.value(r.Leverage.Kind, r.Leverage.Value, allowed)
	default:
		m.Allowed = &Allowed{Type: fieldTypes[bad.Field]}
	}
	return m
}

// MendBatch returns how to mend a batch that was refused as a whole.
func MendBatch(bad *risk.Reject, b *Batch) Mending {
	switch {
	case bad.Code == CodeBatchTooLarge:
		return Mending{Field: bad.Field, Allowed: &Allowed{Max: MaxTrades}}
	case bad.Code != CodeValidation:
		return Mending{Field: bad.Field}
	case bad.Field == "wallet" && b.Wallet.Kind == risk.Given:
		return MendWallet(b.Wallet.Value)
	case slices.Contains(batchFields, bad.Field):
		return Mending{Field: bad.Field, Allowed: &Allowed{Type: fieldTypes[bad.Field]}}
	case bad.Field != "":
		return mendUnknown(bad.Field, batchFields)
	}
	return Mending{}
}

const walletPattern = "^0x[0-9a-fA-F]{40}$"

// MendWallet returns how to mend a malformed address.
func MendWallet(address []byte) Mending {
	return Mending{Field: "wallet", Got: printable.Text(address), Allowed: &Allowed{Pattern: walletPattern}}
}

// MendAsset returns how to mend an unknown asset in a path.
func MendAsset(name string, universe *marketcache.Universe) Mending {
	return Mending{Field: "asset", Got: printable.Text([]byte(name)), Suggestion: suggestAsset(name, universe)}
}

func mendUnknown(field string, known []string) Mending {
	return Mending{Field: field, Allowed: &Allowed{Values: known}, Suggestion: similar.Name(field, known)}
}

// value says what a field has and may have. One that is missing or of another type may have any value of
// its type.
func (m *Mending) value(kind risk.Kind, got any, allowed *Allowed) {
	m.Allowed = &Allowed{Type: fieldTypes[m.Field]}
	if kind == risk.Given {
		m.Got, m.Allowed = got, allowed
	}
}

// synonyms are words for actions, in lower case.
var synonyms = map[string]string{
	"long": "long", "buy": "long", "short": "short", "sell": "short", "close": "close", "exit": "close",
}

// maxSuggestions is the number of names suggested for an unknown one.
const maxSuggestions = 5

// suggestAsset returns the listed name that differs only in case, or else the most similar names and
// where all are listed.
func suggestAsset(name string, universe *marketcache.Universe) string {
	var listed []string
	for _, a := range universe.Assets {
		if a.Delisted {
			continue
		}
		if strings.EqualFold(a.Name, name) {
			return a.Name
		}
		listed = append(listed, a.Name)
	}
	const all = "all are listed by GET /v1/assets"
	if near := similar.Names(name, listed, maxSuggestions); len(near) > 0 {
		return "nearest names: " + strings.Join(near, ", ") + "; " + all
	}
	return all
}
