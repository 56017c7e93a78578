package api

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-json"

	"ballast/internal/printable"
	"ballast/internal/similar"
	"ballast/marketcache"
)

// otherWords maps names that other services use to the field of that meaning.
var otherWords = map[string]string{
	"side": "action", "direction": "action", "type": "action",
	"symbol": "asset", "coin": "asset", "ticker": "asset", "market": "asset", "pair": "asset", "instrument": "asset",
	"name":     "asset",
	"notional": "size", "notional_usd": "size", "size_usd": "size", "amount_usd": "size", "usd": "size",
	"lev":     "leverage",
	"address": "wallet", "account": "wallet", "user": "wallet", "orders": "trades", "plan": "trades",
	"margin_mode": "mode", "marginmode": "mode", "margin_type": "mode", "margintype": "mode",
}

// coinWords are names that other services use for a number of coins.
var coinWords = []string{"sz", "qty", "quantity", "contracts", "amount", "coins", "units", "volume"}

// mendUnknown returns how to mend a field that requests do not have. A suggestion keeps the unit of the value.
func mendUnknown(field string, known []string) Mending {
	m := Mending{Field: field, Allowed: &Allowed{Values: known}}
	lower := strings.ToLower(field)
	word := cmp.Or(otherWords[lower], fieldOf(field))
	if word == "" {
		word = similar.Name(field, append(slices.Clone(tradeFields), "trades"))
	}
	if near := similar.Name(field, known); otherWords[lower] == "" && near != "" {
		word = near
	}
	ofTrade := slices.Contains(tradeFields, field)
	switch member := orderMember(lower); {
	case member != "" && slices.Contains(known, "order"):
		m.Suggestion = "put it into order, an object, as " + member + besides[member]
	case targetNamed(field) != "" && slices.Contains(known, "target"):
		m.Suggestion = "put it into target, an object, as " + targetNamed(field)
	case slices.Equal(known, orderFields):
		if member == "" {
			member = similar.Name(field, known)
		}
		m.Suggestion = Suggestion(member)
	case (slices.Contains(coinWords, lower) || word == sizeOfSomething) && slices.Contains(known, "size"):
		m.Suggestion = "size_coin for a number of coins; size for USD (coins times mark price)"
	case slices.Contains(known, word) && !ofTrade:
		m.Suggestion = word
	case slices.Contains(known, "trades") && (ofTrade || slices.Contains(tradeFields, word)):
		m.Suggestion = "put it into an element of trades: each trade is an object"
	case word == "wallet": // of a trade of a batch
		m.Suggestion = "leave it out: a batch has one wallet, beside trades"
	case word == "trades" && slices.Contains(known, "size"):
		m.Suggestion = "send several trades to POST /v1/validate/batch"
	}
	return m
}

// suggestWallet returns the word with the prefix 0x if that is an address, or else what an address needs.
func suggestWallet(word string) string {
	const digits = 40
	if found := addressWithin.FindStringSubmatch(word); found != nil {
		return "0x" + found[1]
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(word, "0X"), "0x")
	if strings.Trim(rest, "0123456789abcdefABCDEF") != "" {
		return "0x and 40 hexadecimal digits, no name"
	}
	if len(rest) != digits {
		return "0x and 40 hexadecimal digits, not " + strconv.Itoa(len(rest))
	}
	return "0x" + rest
}

// usdWords and leverageWords may stand around a number without changing its meaning.
var (
	usdWords      = []string{"$", "USDC", "USDT", "USD"}
	leverageWords = []string{"x", ":1", "1:"}
)

var (
	plainNumber   = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	groupedNumber = regexp.MustCompile(`^-?[0-9]{1,3}([, _][0-9]{3})+(\.[0-9]+)?$`)
	numberStart   = regexp.MustCompile(`^[-+$ ]*[0-9]`)
)

func startsWithNumber(text string) bool { return numberStart.MatchString(text) }

// numberIn returns the number that a text can only mean: 50000, 50,000, $50000, 50k. Words may stand around it.
func numberIn(text string, words []string) (x float64, ok bool) {
	text = strings.TrimSpace(text)
	for _, word := range words {
		if n := len(text) - len(word); word != "" && n > 0 && strings.EqualFold(text[n:], word) {
			text = text[:n]
		} else if word != "" && n > 0 && strings.EqualFold(text[:len(word)], word) {
			text = text[len(word):]
		}
		text = strings.TrimSpace(text)
	}
	times := 1.0
	if n := len(text) - 1; n > 0 && text[n]|0x20 == 'k' {
		text, times = text[:n], 1000
	}
	switch {
	case plainNumber.MatchString(text):
	case groupedNumber.MatchString(text):
		text = strings.NewReplacer(",", "", " ", "", "_", "").Replace(text)
	default:
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x * times, err == nil && x*times-x*times == 0
}

// suggestBoolean returns the boolean that a JSON value of another type means, nil if that is not clear.
func suggestBoolean(raw []byte) any {
	switch strings.ToLower(strings.Trim(string(raw), `"`)) {
	case "true", "yes", "on", "1":
		return true
	case "false", "no", "off", "0":
		return false
	}
	return nil
}

// Meant returns the value of a JSON type that a value of another type means, such as 5 for "5"; nil if that is not
// clear.
func Meant(raw []byte, typ string) any {
	inList := len(raw) > 0 && raw[0] == '['
	raw = alone(raw)
	switch got := Got(raw).(type) {
	case json.Number:
		if typ == "string" {
			return got.String()
		}
		if x, err := got.Float64(); err == nil && typ == "integer" {
			return json.Number(printable.Decimal(math.Round(x)))
		} else if typ == "number" {
			return got
		}
	case string:
		if typ == "string" && inList && raw[0] == '"' {
			return got
		} else if x, ok := numberIn(got, nil); ok && typ == "number" {
			return json.Number(printable.Decimal(x))
		} else if ok && typ == "integer" {
			return json.Number(printable.Decimal(math.Round(x)))
		}
	}
	if typ == "boolean" {
		return suggestBoolean(raw)
	}
	return nil
}

// Got returns a JSON value for an error: a text, a number, or the printable start of anything else; nil
// for no value.
func Got(raw []byte) any {
	var text string
	var number json.Number
	switch {
	case len(raw) == 0:
		return nil
	case raw[0] == '"' && json.Unmarshal(raw, &text) == nil:
		return printable.Text([]byte(text))
	case (raw[0] == '-' || raw[0]-'0' <= 9) && len(raw) <= 64 && json.Unmarshal(raw, &number) == nil:
		return number
	}
	return printable.Text(raw)
}

// quotes are endings that other venues add to the name of the asset: BTC-USDT, BTCPERP.
var quotes = []string{" ", "-", "_", "/", ":", "PERPETUAL", "PERP", "SWAP", "USDT", "USDC", "USD"}

// otherNames are names of coins for which the venue has another.
var otherNames = map[string]string{"BITCOIN": "BTC", "XBT": "BTC", "ETHEREUM": "ETH", "ETHER": "ETH", "SOLANA": "SOL",
	"DOGECOIN": "DOGE", "RIPPLE": "XRP", "MATIC": "POL"}

// suggestAsset returns the listed name that differs from name only in case or by endings in quotes, the same
// ticker of another dex, or another name of the coin; or else the most similar names and where all are listed.
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
	name = strings.TrimSpace(name)
	for base := strings.ToUpper(name[:min(len(name), maxName)]); base != ""; {
		if same := sameTicker(base, listed); len(same) > 0 {
			return strings.Join(same, " or ")
		}
		i := slices.IndexFunc(quotes, func(q string) bool { return strings.HasSuffix(base, q) })
		if i < 0 {
			break
		}
		base = strings.TrimSuffix(base, quotes[i])
	}
	if near := similar.Names(name, listed, maxSuggestions); len(near) > 0 {
		return "nearest names: " + strings.Join(near, ", ") + "; " + allListed
	}
	return allListed
}

const allListed = "all are listed by GET /v1/assets"

// sameTicker returns the listed name that differs from word only in case, or is another name of the coin; or
// else the names on other dexes with the same ticker.
func sameTicker(word string, listed []string) (names []string) {
	other := otherNames[word]
	for _, name := range listed {
		if strings.EqualFold(name, word) || name == other {
			return []string{name}
		}
	}
	ticker := word[strings.IndexByte(word, ':')+1:]
	for _, name := range listed {
		if strings.EqualFold(name[strings.IndexByte(name, ':')+1:], ticker) {
			names = append(names, name)
		}
	}
	return names
}
