package hyperliquid

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

//go:embed testdata/payloads.json
var payloadsJSON []byte

// payload returns an answer of testdata/payloads.json.
func payload(t testing.TB, name string) []byte {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(payloadsJSON, &all); err != nil {
		t.Fatal(err)
	}
	if all[name] == nil {
		t.Fatalf("no payload %q", name)
	}
	return all[name]
}

// metaJSON returns [meta, contexts] of assets with a mark of 100 each.
func metaJSON(names ...string) string {
	var u, c []string
	for _, n := range names {
		u = append(u, fmt.Sprintf(`{"szDecimals":2,"name":%q,"maxLeverage":10,"marginTableId":51}`, n))
		c = append(c, contextJSON(100))
	}
	return `[{"universe":[` + strings.Join(u, ",") +
		`],"marginTables":[[51,{"description":"","marginTiers":[{"lowerBound":"0.0","maxLeverage":10},` +
		`{"lowerBound":"3000000.0","maxLeverage":5}]}]],"collateralToken":0},[` + strings.Join(c, ",") + `]]`
}

// metaOfMarks returns [meta, contexts] of the assets A, B, ... with the given marks.
func metaOfMarks(marks ...float64) string {
	var names, contexts []string
	for i, mark := range marks {
		names, contexts = append(names, string(rune('A'+i))), append(contexts, contextJSON(mark))
	}
	meta, _, _ := strings.Cut(metaJSON(names...), contextJSON(100))
	return meta + strings.Join(contexts, ",") + "]]"
}

func contextJSON(mark float64) string {
	return fmt.Sprintf(
		`{"funding":"0.0000125","openInterest":"1000.0","prevDayPx":"99.0","dayNtlVlm":"5000.0","premium":null,`+
			`"oraclePx":"%g","markPx":"%g","midPx":null,"impactPxs":null}`, mark, mark)
}

func candleJSON(coin string, openMs int64, px float64) string {
	return fmt.Sprintf(`{"t":%d,"T":%d,"s":%q,"i":"1h","o":"%g","c":"%g","h":"%g","l":"%g","v":"10.0","n":3}`, openMs,
		openMs+hourMs-1, coin, px, px, 1.01*px, 0.99*px)
}

// accountJSON returns the state of a standard account of 1000 USD with one cross position without a profit.
func accountJSON(coin string, units, value float64) string { return richJSON(coin, units, value, 1000) }

// richJSON is accountJSON for any equity, USD.
func richJSON(coin string, units, value, equity float64) string {
	sums := fmt.Sprintf(`{"accountValue":"%g","totalNtlPos":"%g","totalRawUsd":"%g","totalMarginUsed":"%g"}`,
		equity, value, equity-math.Copysign(value, units), value/5)
	liquidation := "null"
	if x := (math.Copysign(value, units) - equity) / (units - math.Abs(units)/20); x > 0 {
		liquidation = fmt.Sprintf(`"%g"`, x)
	}
	return fmt.Sprintf(
		`{"marginSummary":%s,"crossMarginSummary":%s,"crossMaintenanceMarginUsed":"%g","withdrawable":"%g",`+
			`"assetPositions":[{"type":"oneWay","position":{"coin":%q,"szi":"%g","leverage":{"type":"cross",`+
			`"value":5},"entryPx":"%g","positionValue":"%g","unrealizedPnl":"0","returnOnEquity":"0",`+
			`"liquidationPx":%s,"marginUsed":"%g","maxLeverage":10}}]}`, sums, sums, value/20,
		max(0, equity-value/5), coin, units, value/math.Abs(units), value, liquidation, value/5)
}

// stamped returns an account of a venue time.
func stamped(account string, at time.Time) string {
	return strings.Replace(account, `{`, fmt.Sprintf(`{"time":%d,`, at.UnixMilli()), 1)
}

const emptyAccountJSON = `{"crossMarginSummary":{"accountValue":"0"},"assetPositions":[]}`

// readMainContexts parses the main dex's part of a list of contexts of all dexes.
func readMainContexts(b []byte) (rows []contextRow, found, ok bool) {
	rows, lists, ok := parseAllDexs(b, nil, nil, func(dex []byte) (string, bool) { return "", len(dex) == 0 })
	return rows, len(lists) == 1, ok
}

// accountOf parses a wallet's account into a and returns a description of what could not be read or
// contradicts itself, "" if nothing.
func accountOf(b []byte, u *marketcache.Universe, a *marketcache.Account) (unreadable string) {
	_, unreadable, differs := parseAccount(b, u, a)
	return unreadable + differs
}

// spotUSDC parses the total amount of USDC.
func spotUSDC(b []byte) (usd float64, ok bool) {
	state, ok := parseSpot(b)
	return state.total[0], ok
}

// precisionJSON returns a book that reaches further the fewer significant figures it has.
func precisionJSON(coin string, timeMs int64, mid float64, figures int) string {
	with := func(book, more string) string { return strings.TrimSuffix(book, "}") + more + "}" }
	switch figures {
	case -1:
		return with(bookJSON(coin, timeMs, mid, 5), `,"fast":true`)
	case 0:
		return bookJSON(coin, timeMs, mid, 20)
	}
	return with(wideBookJSON(coin, timeMs, mid, 20, float64(5-figures), 10*(5-figures)), `,"spread":"1.0"`)
}

// bookJSON returns a book with n levels per side around a mid price.
func bookJSON(coin string, timeMs int64, mid float64, n int) string {
	return wideBookJSON(coin, timeMs, mid, n, 0.25, 1)
}

// wideBookJSON returns a book whose levels are step apart and size times as large.
func wideBookJSON(coin string, timeMs int64, mid float64, n int, step float64, size int) string {
	b := fmt.Appendf(make([]byte, 0, 100+80*n), `{"coin":%q,"time":%d,"levels":[[`, coin, timeMs)
	for side, rest := range []string{`.5","n":3}`, `.25","n":2}`} {
		if side > 0 {
			b = append(b, "],["...)
		}
		for i := range n {
			if i > 0 {
				b = append(b, ',')
			}
			away := 0.5 + float64(i)*step
			b = strconv.AppendFloat(append(b, `{"px":"`...), mid+float64(2*side-1)*away, 'f', 2, 64)
			b = append(strconv.AppendInt(append(b, `","sz":"`...), int64((i+1)*size), 10), rest...)
		}
	}
	return string(append(b, "]]}"...))
}

func many(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("N%d", i)
	}
	return names
}

// replaceOne replaces a part of a text, which must be there.
func replaceOne(t testing.TB, text, old, next string) string {
	t.Helper()
	changed := strings.Replace(text, old, next, 1)
	if changed == text {
		t.Fatalf("%s not in %s", old, text)
	}
	return changed
}
