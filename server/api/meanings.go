package api

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-json"

	"ballast/internal/similar"
)

// What names and values of other services mean here.

// wordsOf splits a name such as walletAddress or wallet_address into its words, in lower case.
func wordsOf(name string) []string {
	var b strings.Builder
	for i, r := range name[:min(len(name), maxWord)] {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// maxWord is the number of bytes of a name that are looked at.
const maxWord = 48

// sizeOfSomething is a size whose name does not say of what.
const sizeOfSomething = "size of something"

var (
	usdOnly  = []string{"usd", "usdc", "usdt", "dollars", "notional"}
	anySize  = []string{"size", "amount", "quantity", "qty", "sz"}
	noMatter = []string{"name", "trade", "trading", "the", "my", "input", "value", "position"}
)

// fieldOf returns the field of a trade that a name of several words means: wallet for walletAddress. "" if they mean
// nothing, or not the same.
func fieldOf(name string) (field string) {
	words := wordsOf(name)
	has := func(any []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(any, w) })
	}
	switch {
	case len(words) < 2:
		return ""
	case has(anySize) && has(usdOnly):
		return "size"
	case has(anySize):
		return sizeOfSomething
	}
	for _, word := range words {
		one := otherWords[word]
		if one == "" && slices.Contains(tradeFields, word) {
			one = word
		}
		switch {
		case one == "" && slices.Contains(noMatter, word):
		case one == "" || field != "" && field != one:
			return ""
		default:
			field = one
		}
	}
	return field
}

// besides says what some members of an order need beside them.
var besides = map[string]string{"price": ", beside type limit",
	"tif": ", beside type limit and a price; or leave it out", postOnly: ", beside type limit and a price"}

// targetNamed returns the target of a size that a name means, "" if it means none.
func targetNamed(name string) string {
	if near := similar.Name(name, targetNames); near != "" {
		return near
	}
	for i, part := range []string{"score", "prob", "loss", "break"} {
		if strings.Contains(strings.ToLower(name), part) {
			return targetNames[i]
		}
	}
	return ""
}

// sides are words for an action, in lower case. A word for a close counts more: sell to close.
var sides = []struct{ action, words string }{
	{"close", " close exit reduce flatten flat cover "}, {"long", " long buy bid b "}, {"short", " short sell ask a "},
}

// actionNamed returns the action that a text means, "" if it means none or two.
func actionNamed(text string) (action string) {
	for _, s := range sides {
		for _, word := range wordsOf(strings.ToLower(text)) {
			switch {
			case !strings.Contains(s.words, " "+word+" ") || action == "close" || action == s.action:
			case action != "":
				return ""
			default:
				action = s.action
			}
		}
	}
	return action
}

// modeNamed returns the margin mode that a text means, "" if it means none.
func modeNamed(text string) string {
	text = strings.ToLower(text)
	isolated, cross := strings.Contains(text, "iso"), strings.Contains(text, "cross")
	switch {
	case isolated == cross:
		return ""
	case isolated:
		return "isolated"
	}
	return "cross"
}

// addressWithin finds an address in a longer text: with spaces or quotes, or with the name of a chain before it.
var addressWithin = regexp.MustCompile(`(?:^|[^0-9a-zA-Z])0[xX]([0-9a-fA-F]{40})(?:$|[^0-9a-zA-Z])`)

// alone returns the single element of a list, and anything else as it is.
func alone(raw []byte) []byte {
	var list []json.RawMessage
	if len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &list) == nil && len(list) == 1 {
		return list[0]
	}
	return raw
}
