package api

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-json"

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
	members, err := json.MarshalWithOption(m, json.DisableHTMLEscape())
	if err != nil {
		panic("BUG: mending does not encode: " + err.Error())
	}
	dst = AppendError(dst, code, detail)
	if len(members) > len(`{}`) {
		dst[len(dst)-1] = ','
		dst = append(dst, members[1:]...)
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

// MendTrade returns how to mend a refused validation request, or a refused trade of a batch, which has no wallet.
func MendTrade(bad *risk.Reject, r *risk.Request, universe *marketcache.Universe, ofBatch bool) Mending {
	m, known := Mending{Field: bad.Field}, tradeFields
	if ofBatch {
		known = tradeFields[1:]
	}
	switch {
	case bad.Code != CodeValidation || bad.Field == "":
		return m
	case !slices.Contains(known, bad.Field):
		return mendUnknown(bad.Field, known)
	}
	if all := r.Problems(universe); len(all) > 1 {
		for _, p := range all {
			m.Problems = append(m.Problems, Problem{p.Field, p.Detail})
		}
	}
	asset := universe.Asset(universe.Lookup(r.Asset.Value))
	switch bad.Field {
	case "wallet":
		m.value(r.Wallet.Kind, printable.Text(r.Wallet.Value), suggestWallet(string(r.Wallet.Value)), &Allowed{Pattern: walletPattern})
	case "asset":
		m.value(r.Asset.Kind, printable.Text(r.Asset.Value), suggestAsset(string(r.Asset.Value), universe), nil)
	case "action":
		m.value(r.Action.Kind, printable.Text(r.Action.Value), synonyms[strings.ToLower(string(r.Action.Value))], &Allowed{Values: actions})
	case "mode":
		m.value(r.Mode.Kind, printable.Text(r.Mode.Value), "", &Allowed{Values: modes})
		if mode := strings.ToLower(string(r.Mode.Value)); slices.Contains(modes, mode) {
			m.Suggestion = mode
		}
		if asset != nil && asset.OnlyIsolated && r.Mode.Kind != risk.Mistyped {
			m.Allowed, m.Suggestion = &Allowed{Values: modes[risk.Isolated:]}, "isolated"
		}
	case "size":
		m.value(r.Size.Kind, json.Number(printable.Decimal(r.Size.Value)), "", &Allowed{ExclusiveMin: new(float64), Max: risk.MaxSizeUSD})
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
		m.value(r.Leverage.Kind, json.Number(printable.Decimal(r.Leverage.Value)), "", allowed)
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
	case bad.Code != CodeValidation || bad.Field == "":
		return Mending{Field: bad.Field}
	case bad.Field == "wallet" && b.Wallet.Kind == risk.Given:
		return MendWallet(b.Wallet.Value)
	case slices.Contains(batchFields, bad.Field):
		return Mending{Field: bad.Field, Allowed: &Allowed{Type: fieldTypes[bad.Field]}}
	}
	return mendUnknown(bad.Field, batchFields)
}

const walletPattern = "^0x[0-9a-fA-F]{40}$"

// MendWallet returns how to mend a malformed address.
func MendWallet(address []byte) Mending {
	return Mending{Field: "wallet", Got: printable.Text(address), Allowed: &Allowed{Pattern: walletPattern}, Suggestion: suggestWallet(string(address))}
}

// MendAsset returns how to mend an unknown asset in a path.
func MendAsset(name []byte, universe *marketcache.Universe) Mending {
	return Mending{Field: "asset", Got: printable.Text(name), Suggestion: suggestAsset(string(name), universe)}
}

// otherWords maps names that other services use to the field of that meaning.
var otherWords = map[string]string{
	"side": "action", "direction": "action", "type": "action",
	"symbol": "asset", "coin": "asset", "ticker": "asset", "market": "asset", "pair": "asset", "instrument": "asset", "name": "asset",
	"notional": "size", "amount_usd": "size", "usd": "size", "lev": "leverage",
	"address": "wallet", "account": "wallet", "user": "wallet", "margin_mode": "mode", "orders": "trades", "plan": "trades",
}

func mendUnknown(field string, known []string) Mending {
	m := Mending{Field: field, Allowed: &Allowed{Values: known}, Suggestion: similar.Name(field, known)}
	switch word := cmp.Or(otherWords[strings.ToLower(field)], similar.Name(field, tradeFields)); {
	case slices.Contains(known, word):
		m.Suggestion = word
	case word == "wallet": // of a trade of a batch
		m.Suggestion = "leave it out: a batch has one wallet, beside trades"
	}
	return m
}

// advice returns text to add to a sentence about the first problem: the other problems, or how to mend it.
func (m *Mending) advice() string {
	said := ""
	for _, p := range m.Problems[min(1, len(m.Problems)):] {
		said += "; " + p.Detail
	}
	switch {
	case said != "":
	case strings.Contains(m.Suggestion, " "):
		said = "; " + m.Suggestion
	case m.Suggestion != "":
		said = "; try " + m.Suggestion
	case m.Allowed != nil && len(m.Allowed.Values) > 0:
		said = "; allowed: " + strings.Join(m.Allowed.Values, ", ")
	}
	return said
}

// suggestWallet returns the word with the prefix 0x if that is an address, or else what an address needs.
func suggestWallet(word string) string {
	const digits = 40
	rest := strings.TrimPrefix(strings.TrimPrefix(word, "0X"), "0x")
	if strings.Trim(rest, "0123456789abcdefABCDEF") != "" {
		return "0x and 40 hexadecimal digits, no name"
	}
	if len(rest) != digits {
		return "0x and 40 hexadecimal digits, not " + strconv.Itoa(len(rest))
	}
	return "0x" + rest
}

// value sets Allowed, Got to the field's value, and Suggestion. If the field is missing or of a wrong type,
// value sets Allowed.Type instead of Got and Suggestion.
func (m *Mending) value(kind risk.Kind, got any, suggestion string, allowed *Allowed) {
	if m.Allowed = allowed; kind == risk.Given {
		m.Got, m.Suggestion = got, suggestion
		return
	}
	if allowed == nil {
		m.Allowed = &Allowed{}
	}
	m.Allowed.Type = fieldTypes[m.Field]
}

// synonyms are words for actions, in lower case.
var synonyms = map[string]string{
	"long": "long", "buy": "long", "short": "short", "sell": "short", "close": "close", "exit": "close",
}

// quotes are endings that other venues add to the name of the asset: BTC-USDT, BTCPERP.
var quotes = []string{"-", "_", "/", ":", "PERPETUAL", "PERP", "SWAP", "USDT", "USDC", "USD"}

// suggestAsset returns the listed name that differs from name only in case or by endings in quotes, or
// else the most similar names and where all are listed.
func suggestAsset(name string, universe *marketcache.Universe) string {
	const (
		maxSuggestions = 5
		maxName        = 32 // bytes that are compared
	)
	var listed []string
	for _, a := range universe.Assets {
		if !a.Delisted {
			listed = append(listed, a.Name)
		}
	}
	for base := strings.ToUpper(name[:min(len(name), maxName)]); base != ""; {
		if i := slices.IndexFunc(listed, func(l string) bool { return strings.EqualFold(l, base) }); i >= 0 {
			return listed[i]
		}
		i := slices.IndexFunc(quotes, func(q string) bool { return strings.HasSuffix(base, q) })
		if i < 0 {
			break
		}
		base = strings.TrimSuffix(base, quotes[i])
	}
	const all = "all are listed by GET /v1/assets"
	if near := similar.Names(name, listed, maxSuggestions); len(near) > 0 {
		return "nearest names: " + strings.Join(near, ", ") + "; " + all
	}
	return all
}
