package hyperliquid

import (
	"reflect"
	"strings"
	"testing"

	"ballast/marketcache"
)

var emptyUniverse = marketcache.NewUniverse(nil)

func parseBook(b []byte) (m *bookMessage, ok bool) {
	m = new(bookMessage)
	return m, m.parse(b)
}

func TestTruncatedAtEveryByte(t *testing.T) {
	one := func(name, text string, read func(b []byte) bool) {
		t.Helper()
		if !read([]byte(text)) {
			t.Fatalf("%s: whole text refused", name)
		}
		for i := range len(text) {
			if read([]byte(text[:i])) {
				t.Fatalf("%s: taken at %d of %d bytes: %s", name, i, len(text), text[:i])
			}
		}
		if read([]byte(text + "x")) {
			t.Fatalf("%s: taken with trailing bytes", name)
		}
	}
	one("book", bookJSON("BTC", 17, 100, 3), func(b []byte) bool { _, ok := parseBook(b); return ok })
	one("frame", `{"channel":"pong"}`, func(b []byte) bool { _, _, ok := parseFrame(b, nil); return ok })
	one("contexts", `{"ctxs":[["",[`+contextJSON(5)+`]],["xyz",[]]]}`, func(b []byte) bool {
		_, found, ok := readMainContexts(b)
		return ok && found
	})
	one("meta", metaJSON("A", "B"), func(b []byte) bool { _, _, ok := parseMetaAndContexts(b, nil); return ok })
	one("candles", `[`+candleJSON("A", 10*hourMs, 5)+`]`, func(b []byte) bool {
		_, _, ok := parseCandles(b, "A", 0, 1<<50)
		return ok
	})
	one("funding", `[{"coin":"A","fundingRate":"0.01","premium":"0","time":5}]`, func(b []byte) bool {
		_, _, _, ok := parseFunding(b, "A", 0, 1<<50)
		return ok
	})
	one("account", accountJSON("A", 2, 100), func(b []byte) bool {
		return accountOf(b, emptyUniverse, new(marketcache.Account)) == ""
	})
	one("mode", `"default"`, func(b []byte) bool { _, ok := parseMode(b); return ok })
	one("status", `{"time":5,"specialStatuses":null}`, func(b []byte) bool { _, _, ok := parseStatus(b); return ok })
}

func TestImpossibleBooks(t *testing.T) {
	level := func(px, sz string) string { return `{"px":"` + px + `","sz":"` + sz + `","n":1}` }
	book := func(bids, asks string) string {
		return `{"coin":"A","time":1,"levels":[[` + bids + `],[` + asks + `]]}`
	}
	for _, c := range []struct {
		name, text string
		parses, ok bool
	}{
		{"normal", book(level("9", "1"), level("10", "1")), true, true},
		{"one side empty", book("", level("10", "1")), true, true},
		{"both sides empty", book("", ""), true, true},
		{"locked", book(level("10", "1"), level("10", "1")), true, true},
		{"crossed", book(level("11", "1"), level("10", "1")), true, false},
		{"bids rising", book(level("9", "1")+","+level("9.5", "1"), level("10", "1")), true, false},
		{"level twice", book("", level("10", "1")+","+level("10", "2")), true, false},
		{"size zero", book(level("9", "0.0"), ""), true, false},
		{"size negative", book(level("9", "-1"), ""), true, false},
		{"price zero", book(level("0", "1"), ""), true, false},
		{"price huge", book("", level("1e300", "1")), true, false},
		{"size huge", book("", level("10", "1e308")), true, false},
		{"NaN", book("", level("NaN", "1")), false, false},
		{"Infinity", book("", level("10", "Infinity")), false, false},
		{"1e999", book("", level("1e999", "1")), false, false},
		{"one side missing", `{"coin":"A","time":1,"levels":[[]]}`, false, false},
		{"three sides", `{"coin":"A","time":1,"levels":[[],[],[]]}`, false, false},
		{"no time", `{"coin":"A","levels":[[],[]]}`, false, false},
		{"null", `null`, false, false},
		{"size missing", book(`{"px":"1"}`, ""), false, false},
		{"too many levels", bookJSON("A", 1, 1000, maxWireLevels+1), false, false},
		{"more levels than kept", bookJSON("A", 1, 1000, 30), true, true},
	} {
		m, parses := parseBook([]byte(c.text))
		if parses != c.parses || parses && m.plausible() != c.ok {
			t.Errorf("%s: parses %v, plausible %v", c.name, parses, parses && m.plausible())
		}
	}
}

func TestImpossibleAccounts(t *testing.T) {
	good := accountJSON("A", 2, 100)
	for _, c := range [][2]string{
		{`"szi":"2"`, `"szi":"NaN"`}, {`"szi":"2"`, `"szi":null`}, {`"szi":"2",`, ``},
		{`"positionValue":"100"`, `"positionValue":"-1"`},
		{`"positionValue":"100"`, `"positionValue":"0"`}, {`"type":"cross"`, `"type":"isolated"`},
		{`"value":5`, `"value":0`}, {`"accountValue":"1000"`, `"accountValue":"1e300"`},
		{`"coin":"A"`, `"coin":""`}, {`"assetPositions"`, `"other"`},
	} {
		text := strings.Replace(good, c[0], c[1], 1)
		if text == good {
			t.Fatalf("%s not in the text", c[0])
		}
		if accountOf([]byte(text), emptyUniverse, new(marketcache.Account)) == "" {
			t.Errorf("%s -> %s: taken", c[0], c[1])
		}
	}
}

func TestMetaRefused(t *testing.T) {
	for name, text := range map[string]string{
		"no universe":    `[{},[]]`,
		"lengths differ": strings.Replace(metaJSON("A", "B"), contextJSON(100)+",", "", 1),
		"name twice":     metaJSON("A", "A"),
		"none readable":  strings.Replace(metaJSON("A"), `"maxLeverage":10`, `"maxLeverage":0`, 1),
		"contexts null":  `[{"universe":[{"szDecimals":1,"name":"A","maxLeverage":5}]},null]`,
		"null":           `null`,
		"too many":       metaJSON(many(maxListings + 1)...),
	} {
		if _, _, ok := parseMetaAndContexts([]byte(text), nil); ok {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestUniverseKeepsIds(t *testing.T) {
	cache := marketcache.New(marketcache.Limits{Assets: 8, Bars: 8, Rows: 8, Samples: 8, Wallets: 8})
	u := &universe{cache: cache}
	take := func(names ...string) (bool, error) {
		m, _, ok := parseMetaAndContexts([]byte(metaJSON(names...)), nil)
		if !ok {
			t.Fatal("meta")
		}
		changed, _, err := u.apply(m)
		return changed, err
	}
	take("A", "B", "C")
	before := cache.Universe()
	if changed, _ := take("A", "B", "C"); changed || cache.Universe() != before {
		t.Error("the same universe was published again")
	}
	if changed, err := take("D", "B", "A"); !changed || err != nil {
		t.Fatal(changed, err)
	}
	now := cache.Universe()
	for i, name := range []string{"A", "B", "C", "D"} {
		if now.Assets[i].Name != name || now.LookupString(name) != marketcache.AssetID(i) {
			t.Errorf("id %d is %s", i, now.Assets[i].Name)
		}
	}
	if now.Assets[2] != before.Assets[2] || now.Assets[1] != before.Assets[1] {
		t.Error("an asset that is unchanged, or missing in one answer, was replaced")
	}
	for number, id := range []marketcache.AssetID{3, 1, marketcache.NoAsset} { // the last is A's, and was C's
		if got := now.ByNumber(int64(number)); got != id {
			t.Errorf("orders number %d is asset %d", number, got)
		}
	}
	if got := u.positions(""); got[0] != 3 || got[1] != 1 || got[2] != 0 {
		t.Errorf("positions %v", got)
	}
	if _, err := take("X", "Y"); err == nil || cache.Universe() != now {
		t.Error("a universe without the listed assets was taken")
	}
	if _, err := take(many(9)...); err == nil {
		t.Error("a universe larger than the cache was taken")
	}
}

func TestBookFrames(t *testing.T) {
	data := bookJSON("N0", 1700000000000, 64000, 20)
	for _, c := range []struct {
		frame string
		want  bool
	}{
		{`{"channel":"l2Book","data":` + data + `}`, true},
		{` { "channel" : "l2Book" , "x":[{"y":"\u00e9"}], "data" : ` + data + ` } `, true},
		{`{"data":` + data + `,"channel":"l2Book"}`, true},
		{`{"channel":"l2Book","data":` + data + `,"data":` + data + `}`, true},
		{`{"channel":"l2Book","data":` + data + `}}`, false},
		{`{"channel":"l2Book","data":` + data, false},
		{`{"channel":"l2Book","data":}`, false},
		{`{"channel":"l2Book","data":null}`, false},
		{`{"channel":"l2Book","data":{}}`, false},
		{`{"channel":"l2Book"}`, false},
	} {
		var m, want bookMessage
		_, _, ok := parseFrame([]byte(c.frame), &m)
		if ok != c.want || ok && (!want.parse([]byte(data)) || !reflect.DeepEqual(m, want)) {
			t.Errorf("%.40s… %d bytes: %v", c.frame, len(c.frame), ok)
		}
	}
}
