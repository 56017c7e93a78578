package hyperliquid

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"ballast/marketcache"
)

// refBook parses a book with encoding/json and strconv: exact keys, the last value of a repeated
// key, numbers as strings or numbers.
func refBook(b []byte) (coin string, timeMs int64, sides [2][][2]float64, ok bool) {
	number := func(raw json.RawMessage) (float64, bool) {
		raw = bytes.TrimSpace(raw)
		text := string(raw)
		if len(raw) > 0 && raw[0] == '"' {
			if json.Unmarshal(raw, &text) != nil || !json.Valid([]byte(text)) {
				return 0, false
			}
		}
		v, err := strconv.ParseFloat(text, 64)
		return v, err == nil
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(b, &top) != nil {
		return
	}
	var levels [][]map[string]json.RawMessage
	if json.Unmarshal(top["coin"], &coin) != nil || json.Unmarshal(top["levels"], &levels) != nil || len(levels) != 2 {
		return
	}
	t, tok := number(top["time"])
	if !tok {
		return
	}
	for side := range sides {
		for _, l := range levels[side] {
			px, ok1 := number(l["px"])
			sz, ok2 := number(l["sz"])
			if !ok1 || !ok2 {
				return
			}
			sides[side] = append(sides[side], [2]float64{px, sz})
		}
	}
	return coin, int64(t), sides, true
}

func FuzzBook(f *testing.F) {
	f.Add([]byte(bookJSON("BTC", 1700000000000, 100, 20)))
	f.Add([]byte(`{"coin":"A","time":1,"levels":[[],[]]}`))
	f.Add([]byte(`{"levels":[[{"n":1,"px":"1","sz":"2"}],[]],"time":5,"coin":"kPEPE","spread":"1.0","x":{"y":[1,null,` +
		`true,"\u00e9\n"]}}`))
	f.Add([]byte(`{"coin":"A","time":1,"levels":[[{"px":"NaN","sz":"1"}],[]]}`))
	f.Add([]byte(`{"coin":"A","time":1,"levels":null}`))
	f.Add([]byte(`{"coin":"A","coin":"B","time":1,"time":2,"levels":[[],[]],"levels":[[{"px":1e2,"sz":1}],[]]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var m bookMessage
		if !m.parse(b) {
			return
		}
		coin, ms, sides, ok := refBook(b)
		if !ok {
			t.Fatalf("taken, but not by encoding/json: %q", b)
		}
		if coin != string(m.coin) && !strings.ContainsRune(coin, '\ufffd') || ms != m.timeMs {
			t.Fatalf("%q: %q %d, want %q %d", b, m.coin, m.timeMs, coin, ms)
		}
		for side := range sides {
			if n := min(len(sides[side]), bookLevels); n != m.sides[side].n {
				t.Fatalf("%q: %d levels, want %d", b, m.sides[side].n, n)
			}
			for i, l := range m.sides[side].levels[:m.sides[side].n] {
				if l.Price != sides[side][i][0] || l.Units != sides[side][i][1] {
					t.Fatalf("%q: level %v, want %v", b, l, sides[side][i])
				}
			}
		}
		m.plausible()
	})
}

// FuzzAll passes any bytes to every parser: none may panic or hang, and whatever the skipper
// accepts must be valid JSON.
func FuzzAll(f *testing.F) {
	f.Add([]byte(`{"channel":"l2Book","data":{"coin":"A"}}`))
	f.Add([]byte(`[{"universe":[{"szDecimals":5,"name":"BTC","maxLeverage":40,"marginTableId":56}],` +
		`"marginTables":[[56,{"marginTiers":[{"lowerBound":"0.0","maxLeverage":40}]}]]},[{"markPx":"1",` +
		`"oraclePx":"1","openInterest":"0"}]]`))
	f.Add([]byte(`{"ctxs":[["",[{"markPx":"1"}]],["xyz",[]]]}`))
	f.Add([]byte(`[["BTC",[["BinPerp",{"fundingRate":"0.1","fundingIntervalHours":8}],["BybitPerp",null]]]]`))
	f.Add([]byte(`{"assetPositions":[{"type":"oneWay","position":{"coin":"A","szi":"1","leverage":{"type":"cross",` +
		`"value":3},"positionValue":"5"}}],"crossMarginSummary":{"accountValue":"1"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if wellFormed(b) && !json.Valid(b) {
			t.Fatalf("taken, but not JSON: %q", b)
		}
		parseFrame(b, new(bookMessage))
		parseMetaAndContexts(b, nil)
		readMainContexts(b)
		parseAcknowledgement(b)
		(&inflater{}).text(b)
		parseCandles(b, "A", 0, 1<<50)
		parseFunding(b, "A", 0, 1<<50)
		parsePredicted(b, func([]byte, marketcache.CEXFunding, float64) {})
		parseNames(b)
		parseStatus(b)
		accountOf(b, emptyUniverse, new(marketcache.Account))
		spotUSDC(b)
		parseMode(b)
		parseFees(b)
		parseSetting(b, &marketcache.Asset{Name: "A"})
		split(b)
	})
}
