package api

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-json"

	"ballast/compute/risk"
	"ballast/internal/printable"
	"ballast/marketcache"
)

// Mending is the part of an error from which a client can mend the request. Fields that do not apply are
// left out.
type Mending struct {
	Field   string   `json:"field,omitempty"` // the field to change
	Got     any      `json:"got,omitempty"`   // its value, a string or a number
	Allowed *Allowed `json:"allowed,omitempty"`
	// Suggestion is a valid value of the field's own type, or else a sentence.
	Suggestion any       `json:"suggestion,omitempty"`
	Problems   []Problem `json:"problems,omitempty"` // all problems, if there are several
	// Revision is the current one, of what a request with another or without one would change.
	Revision *uint64 `json:"revision,omitempty"`
}

// Suggestion returns a word or sentence as a suggestion, none if it is empty.
func Suggestion(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// Allowed says which values a field may have.
type Allowed struct {
	Type         string   `json:"type,omitempty"`
	Pattern      string   `json:"pattern,omitempty"`
	ExclusiveMin *float64 `json:"exclusive_min,omitempty"`
	ExclusiveMax *float64 `json:"exclusive_max,omitempty"`
	Min          float64  `json:"min,omitempty"`
	Max          float64  `json:"max,omitempty"`
	Values       []string `json:"values,omitempty"`
}

// has reports whether a number is within the bounds.
func (a *Allowed) has(n float64) bool {
	return (a.ExclusiveMin == nil || n > *a.ExclusiveMin) && (a.ExclusiveMax == nil || n < *a.ExclusiveMax) &&
		(a.Min == 0 || n >= a.Min) && (a.Max == 0 || n <= a.Max)
}

// Problem is one of several problems, with the value and a suggestion like those of Mending.
type Problem struct {
	Field      string `json:"field"`
	Detail     string `json:"detail"`
	Got        any    `json:"got,omitempty"`
	Suggestion any    `json:"suggestion,omitempty"`
}

// AppendMendable appends the body of an error with its Mending.
func AppendMendable(dst []byte, code, detail string, m *Mending) []byte {
	dst = AppendError(dst, code, detail)
	return append(m.appendTo(dst[:len(dst)-len("}")]), '}')
}

// appendTo appends the members to an object that is not empty.
func (m *Mending) appendTo(dst []byte) []byte {
	members, err := json.MarshalWithOption(m, json.DisableHTMLEscape())
	if err != nil {
		panic("BUG: mending does not encode: " + err.Error())
	}
	if len(members) > len(`{}`) {
		dst = append(append(dst, ','), members[1:len(members)-1]...)
	}
	return dst
}

var (
	tradeFields = []string{"wallet", "asset", "action", "size", "size_coin", "leverage", "mode", "order",
		"monte_carlo"}
	orderFields = []string{"type", "price", "tif", "reduce_only", "take_profit_price", "stop_loss_price"}
	batchFields = []string{"wallet", "trades"}
	modes       = []string{"cross", "isolated"}
	actions     = []string{"long", "short", "close"}
)

// fieldTypes are the JSON types of request fields.
var fieldTypes = map[string]string{
	"wallet": "string", "asset": "string", "action": "string", "size": "number", "size_coin": "number",
	"leverage": "number", "mode": "string", "order": "object", "order.type": "string",
	"order.price": "number", "order.tif": "string",
	"order.reduce_only": "boolean", "order.take_profit_price": "number", "order.stop_loss_price": "number",
	"monte_carlo": "boolean", "trades": "array", "trade": "object", "shocks": "object",
	"on": "boolean",
}

// MendTrade returns how to mend a refused validation request, or a refused trade of a batch, which has no wallet.
func MendTrade(bad *risk.Reject, r *risk.Request, universe *marketcache.Universe, ofBatch bool) Mending {
	if bad.Code != CodeValidation || bad.Field == "" {
		return Mending{Field: bad.Field}
	}
	return mendAll(bad, r.Problems(universe), func(p *risk.Reject) Mending {
		return mendField(p, r, universe, ofBatch)
	})
}

// mendAll returns how to mend the first problem, and all of them if there are several. A field that is there by
// another name is not missing.
func mendAll(first *risk.Reject, all []*risk.Reject, mend func(*risk.Reject) Mending) Mending {
	m := mend(first)
	there := func(p Problem) bool {
		return p.Detail == "missing field: "+p.Field &&
			slices.ContainsFunc(m.Problems, func(q Problem) bool {
				return q.Field != p.Field && q.Suggestion == p.Field
			})
	}
	for _, p := range all {
		how := mend(p)
		if next := (Problem{p.Field, p.Detail, how.Got, how.Suggestion}); !there(next) {
			m.Problems = append(m.Problems, next)
		}
	}
	if len(m.Problems) < 2 {
		m.Problems = nil
	}
	return m
}

// mendField returns how to mend one field.
func mendField(bad *risk.Reject, r *risk.Request, universe *marketcache.Universe, ofBatch bool) Mending {
	m, known := Mending{Field: bad.Field}, tradeFields
	if ofBatch {
		known = tradeFields[1:]
	}
	if field, is := strings.CutPrefix(bad.Field, inOrder); is {
		m.order(field, bad, &r.Order)
		return m
	}
	if !slices.Contains(known, bad.Field) {
		return mendUnknown(bad.Field, known)
	}
	asset := universe.Asset(universe.Lookup(r.Asset.Value))
	switch bad.Field {
	case "wallet":
		m.text(&r.Wallet, suggestWallet(string(r.Wallet.Value)), &Allowed{Pattern: walletPattern})
	case "asset":
		m.text(&r.Asset, suggestAsset(string(r.Asset.Value), universe), nil)
		if m.Suggestion == nil {
			m.Suggestion = allListed
		}
	case "action":
		m.text(&r.Action, actionNamed(string(r.Action.Value)), &Allowed{Values: actions})
	case "mode":
		m.mode(&r.Mode, asset)
	case "size":
		m.number(&r.Size, &Allowed{ExclusiveMin: new(float64), Max: risk.MaxSizeUSD}, usdWords)
		if r.Size.Value > risk.MaxSizeUSD {
			m.Allowed = &Allowed{Max: risk.MaxSizeUSD}
		}
	case "size_coin":
		m.number(&r.SizeCoin, &Allowed{ExclusiveMin: new(float64)}, []string{string(r.Asset.Value)})
		if r.Size.Kind != risk.Absent {
			m.Suggestion = "leave one of the two out: size is in USD, size_coin in coins of the asset"
		}
	case "leverage":
		m.leverage(&r.Leverage, asset)
	case "monte_carlo":
		m.boolean(&r.MonteCarlo)
	case "order":
		m.typed(r.Order.Raw)
		m.Suggestion = `an object, as {"type":"market","stop_loss_price":55000}`
	}
	return m
}

// text is for a field with a text.
func (m *Mending) text(f *risk.Field[[]byte], suggestion string, allowed *Allowed) {
	m.Allowed = allowed
	if f.Kind == risk.Given {
		m.Got, m.Suggestion = printable.Text(f.Value), Suggestion(suggestion)
		return
	}
	m.typed(f.Raw)
	if len(f.Raw) > 0 && f.Raw[0] == '[' {
		m.Suggestion = Meant(f.Raw, "string")
	}
}

// typed says of which type a field must be that is missing or of another type.
func (m *Mending) typed(raw []byte) {
	if m.Allowed == nil {
		m.Allowed = &Allowed{}
	}
	m.Allowed.Type = fieldTypes[m.Field]
	m.Got = Got(raw)
}

func (m *Mending) mode(f *risk.Field[[]byte], asset *marketcache.Asset) {
	m.text(f, modeNamed(string(f.Value)), &Allowed{Values: modes})
	if asset != nil && asset.OnlyIsolated && f.Kind != risk.Mistyped {
		m.Allowed, m.Suggestion = &Allowed{Values: modes[risk.Isolated:]}, "isolated"
	}
}

// number is for a field with a number. The number in a text is suggested if it is allowed; the text may have
// one of the words around it.
func (m *Mending) number(f *risk.Field[float64], allowed *Allowed, words []string) {
	m.Allowed = allowed
	if f.Kind == risk.Given {
		m.Got = json.Number(printable.Decimal(f.Value))
		if f.Value < 0 && strings.HasPrefix(m.Field, "size") {
			m.Suggestion = "the size without its sign: action says which side"
		}
		return
	}
	m.typed(f.Raw)
	text := ""
	if len(f.Raw) > 0 {
		text = fmt.Sprint(Got(alone(f.Raw)))
	}
	n, ok := numberIn(text, words)
	switch {
	case ok && allowed.has(n):
		m.Suggestion = json.Number(printable.Decimal(n))
	case ok && m.Field == "leverage" && n > 1:
		m.Suggestion = json.Number(printable.Decimal(allowed.Max))
	case m.Field == "size" && !ok && startsWithNumber(text):
		m.Suggestion = "a number of USD, without a unit; coins of the asset go into size_coin"
	}
}

func (m *Mending) leverage(f *risk.Field[float64], asset *marketcache.Asset) {
	allowed := &Allowed{Min: 1}
	if asset != nil {
		allowed.Max = asset.MaxLeverage
	}
	m.number(f, allowed, leverageWords)
	switch {
	case f.Kind == risk.Mistyped && asset != nil && strings.HasPrefix(strings.ToLower(fmt.Sprint(m.Got)), "max"):
		m.Suggestion = json.Number(printable.Decimal(asset.MaxLeverage))
	case f.Kind != risk.Given:
	case f.Value < 1:
		m.Suggestion = json.Number("1")
	case asset != nil:
		allowed.Min = 0
		m.Suggestion = json.Number(printable.Decimal(asset.MaxLeverage))
	}
}

// MendBatch returns how to mend a batch that was refused as a whole.
func MendBatch(bad *risk.Reject, b *Batch) Mending {
	switch {
	case bad.Code == CodeBatchTooLarge:
		return Mending{Field: bad.Field, Allowed: &Allowed{Max: MaxTrades},
			Suggestion: "send the trades after these in requests of their own"}
	case bad.Code != CodeValidation || bad.Field == "":
		return Mending{Field: bad.Field}
	}
	missing := b.missing()
	all := append(unknownFields(b.unknown), missing[:]...)
	return mendAll(bad, slices.DeleteFunc(all, isNone), b.mendField)
}

func isNone(p *risk.Reject) bool { return p == nil }

func unknownFields(names [][]byte) (all []*risk.Reject) {
	for _, name := range names {
		all = append(all, risk.UnknownField(name))
	}
	return all
}

func (b *Batch) mendField(bad *risk.Reject) Mending {
	m := Mending{Field: bad.Field}
	switch bad.Field {
	case "wallet":
		m.text(&b.Wallet, suggestWallet(string(b.Wallet.Value)), &Allowed{Pattern: walletPattern})
	case "trades":
		m.typed(b.list.Raw)
		m.Suggestion = `a list of objects, as [{"asset":"BTC","action":"long","size":50000}]`
		var text string
		if json.Unmarshal(b.list.Raw, &text) == nil && strings.HasPrefix(text, "[{") { // a list, written as a text
			m.Suggestion = "the list itself, without quotes around it"
		}
	default:
		return mendUnknown(bad.Field, batchFields)
	}
	return m
}

const walletPattern = "^0x[0-9a-fA-F]{40}$"

// MendWallet returns how to mend a malformed address.
func MendWallet(address []byte) Mending {
	return Mending{Field: "wallet", Got: printable.Text(address), Allowed: &Allowed{Pattern: walletPattern},
		Suggestion: suggestWallet(string(address))}
}

// APIWallet says that a wallet is the address of a key of another account, and how to mend the request.
func APIWallet(got string, owner marketcache.Wallet) (detail string, how Mending) {
	return "wallet " + got + " is an API wallet of " + owner.String() + ": ask for the account",
		Mending{Field: "wallet", Got: got, Suggestion: owner.String()}
}

// MendAsset returns how to mend an unknown asset in a path.
func MendAsset(name []byte, universe *marketcache.Universe) Mending {
	return Mending{Field: "asset", Got: printable.Text(name), Suggestion: suggestAsset(string(name), universe)}
}

// advice returns text to add to a sentence about the first problem: how to mend it, and the other problems.
func (m *Mending) advice() string {
	const room = 800 // bytes
	if len(m.Problems) == 0 {
		return m.hint()
	}
	said := ""
	for i, p := range m.Problems {
		how := Mending{Suggestion: p.Suggestion}
		text := how.hint()
		if i > 0 {
			text = "; " + p.Detail + text
		}
		if len(said)+len(text) > room {
			return said + "; and " + strconv.Itoa(len(m.Problems)-i) + " more"
		}
		said += text
	}
	return said
}

func (m *Mending) hint() string {
	switch s := fmt.Sprint(m.Suggestion); {
	case m.Suggestion == nil:
	case strings.Contains(s, " "):
		return "; " + s
	default:
		return "; try " + s
	}
	if m.Allowed != nil && len(m.Allowed.Values) > 0 {
		return "; allowed: " + strings.Join(m.Allowed.Values, ", ")
	}
	return ""
}
