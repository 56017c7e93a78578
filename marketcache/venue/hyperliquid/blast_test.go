package hyperliquid

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// blast describes one kind of message. Its test compares what a cache knows after a valid message
// and after a damaged one, item by item. An item is an asset, a wallet or an hour.
type blast struct {
	name string
	good string
	// read returns the known items; ok is false if the message was rejected as a whole, which
	// changes nothing.
	read func(b []byte) (known map[string]string, ok bool)
	// ordered is true if list elements have no name and are identified by position. Two swapped
	// elements then make another valid message, which only a comparison with other data could
	// detect.
	ordered bool
}

// diff returns the items whose values differ between two runs.
func diff(a, b map[string]string) (things []string) {
	for k, v := range a {
		if b[k] != v {
			things = append(things, k)
		}
	}
	for k := range b {
		if _, is := a[k]; !is {
			things = append(things, k)
		}
	}
	slices.Sort(things)
	return things
}

func (f *Feed) known() map[string]string {
	out := map[string]string{}
	now := marketcache.Now()
	for _, a := range f.cache.Universe().Assets {
		c, _, ok := f.cache.Contexts(a.ID).Latest(now, marketcache.Forever)
		if !ok {
			c = &marketcache.Context{}
		}
		same, context := *a, *c
		// the id is assigned in order of first occurrence; SlowProof depends on the clock
		same.ID, context.SlowProof = 0, 0
		out[a.Name] = fmt.Sprint(same, context)
	}
	return out
}

const blastNames = "BTC,kPEPE,xyzzy,HYPE,@107"

// blastMeta returns a universe in which names differ in more than one byte, each with its own
// margin tables.
func blastMeta() string {
	var u, tables, contexts []string
	for i, name := range strings.Split(blastNames, ",") {
		u = append(u, fmt.Sprintf(
			`{"szDecimals":%d,"name":%q,"maxLeverage":%d,"marginTableId":%d,"isDelisted":false,"marginMode":null}`,
			i, name, 10+i, 51+11*i))
		tables = append(tables,
			fmt.Sprintf(`[%d,{"description":"x","marginTiers":[{"lowerBound":"0.0","maxLeverage":%d},`+
				`{"lowerBound":"3000000.0","maxLeverage":3}]}]`, 51+11*i, 10+i))
		contexts = append(contexts, blastContext(i, 1))
	}
	return `[{"universe":[` + strings.Join(u, ",") + `],"marginTables":[` + strings.Join(tables, ",") +
		`],"collateralToken":0},[` + strings.Join(contexts, ",") + `]]`
}

func blastContext(i int, move float64) string {
	px := 7.25 * float64(i*i+1) * move
	return fmt.Sprintf(`{"funding":"0.0000125","openInterest":"%d.5","prevDayPx":"%g","dayNtlVlm":"900.5",`+
		`"premium":null,"oraclePx":"%g","markPx":"%g","midPx":"%g"}`, i+3, px, px, px, px)
}

// blastFeed is a feed that can be set back to know nothing, or only the valid universe.
type blastFeed struct{ *Feed }

func (f blastFeed) bare() *Feed {
	f.cache = marketcache.New(marketcache.Limits{Assets: 8, Bars: 1, Rows: 1, Samples: 1, Wallets: 1})
	f.universe = universe{cache: f.cache}
	f.openInterest, f.marks = feed.NewOpenInterestTracker(f.cache), marks{}
	f.sources = map[marketcache.AssetID]*sources{}
	return f.Feed
}

func (f blastFeed) learnt() *Feed {
	if err := f.bare().learn([]byte(blastMeta())); err != nil {
		panic(err)
	}
	return f.Feed
}

// one is what is known after a message about one wallet or book.
func one(ok bool, value ...any) (map[string]string, bool) {
	return map[string]string{"wallet": fmt.Sprint(value...)}, ok
}

func blasts(t testing.TB) []blast {
	f := blastFeed{bareFeed()}
	return slices.Concat(blastsOfContexts(f), blastsOfAccounts(t, f.learnt().cache.Universe()),
		blastsOfHistories(), blastsOfTables(f.learnt().cache.Universe()))
}

// blastsOfContexts are the messages about all assets.
func blastsOfContexts(f blastFeed) []blast {
	meta := func(start func() *Feed) func(b []byte) (map[string]string, bool) {
		return func(b []byte) (map[string]string, bool) {
			feed := start()
			before := feed.known()
			if feed.learn(b) != nil {
				return before, false
			}
			return feed.known(), true
		}
	}
	var rows, changes []string
	for i, name := range strings.Split(blastNames, ",") {
		rows = append(rows, blastContext(i, 1.001))
		px := 7.25 * float64(i*i+1)
		changes = append(changes, fmt.Sprintf(`%q:{"markPx":"%g","midPx":"%g"}`, name, px, px))
	}
	marks := "{" + strings.Join(changes, ",") + "}"
	marked := func() *Feed {
		feed := f.learnt()
		feed.applyMarks([]byte(marks), true, marketcache.Now())
		return feed
	}
	return []blast{
		{"metaAndAssetCtxs", blastMeta(), meta(f.learnt), true},
		{"metaAndAssetCtxs at the start", blastMeta(), meta(f.bare), true},
		{"contexts", `{"ctxs":[["xyz",[{"markPx":"5"}]],["",[` + strings.Join(rows, ",") + `]]]}`,
			func(b []byte) (map[string]string, bool) {
				feed := marked()
				rows, found, ok := readMainContexts(b)
				ok = ok && found && feed.publishContexts("", rows, marketcache.Now())
				return feed.known(), ok
			}, true},
		{"fastAssetCtxs", strings.ReplaceAll(marks, "7.25", "7.5"), func(b []byte) (map[string]string, bool) {
			feed := marked()
			ok, _ := feed.applyMarks(b, false, marketcache.Now())
			return feed.known(), ok
		}, false},
		{"l2Book", bookJSON("BTC", 1790000000000, 100, 5), func(b []byte) (map[string]string, bool) {
			var m bookMessage
			if !m.parse(b) || !m.plausible() {
				return nil, false
			}
			return one(true, string(m.coin), m.timeMs, m.sides[0].list(), m.sides[1].list())
		}, false},
	}
}

// blastsOfAccounts are the answers about a wallet.
func blastsOfAccounts(t testing.TB, u *marketcache.Universe) []blast {
	return []blast{
		{"clearinghouseState", string(payload(t, "clearinghouseState")), func(b []byte) (map[string]string, bool) {
			var a marketcache.Account
			what := accountOf(b, u, &a)
			return one(what == "", a)
		}, false},
		{"spotClearinghouseState", string(payload(t, "spotClearinghouseState")),
			func(b []byte) (map[string]string, bool) {
				usd, ok := spotUSDC(b)
				return one(ok, usd)
			}, false},
		{"userFees", string(payload(t, "userFees")), func(b []byte) (map[string]string, bool) {
			rate, _, _, ok := parseFees(b)
			return one(ok, rate)
		}, false},
		{"activeAssetData", string(payload(t, "activeAssetData")), func(b []byte) (map[string]string, bool) {
			leverage, ok := parseSetting(b, &marketcache.Asset{Name: "HYPE", SizeDigits: 2})
			return one(ok, leverage)
		}, false},
		{"userAbstraction", `"unifiedAccount"`, func(b []byte) (map[string]string, bool) {
			mode, ok := parseMode(b)
			return one(ok, mode)
		}, false},
	}
}

// blastsOfHistories are the answers of hours.
func blastsOfHistories() []blast {
	const hour = int64(hourMs)
	candles := `[` + candleJSON("A", 10*hour, 5) + `,` + candleJSON("A", 11*hour, 6) + `,` +
		candleJSON("A", 12*hour, 7) + `,` + candleJSON("A", 13*hour, 8) + `]`
	const funding = `[{"coin":"A","fundingRate":"0.0125","premium":"0","time":36000044},` +
		`{"coin":"A","fundingRate":"-0.02","premium":"0","time":39600055},` +
		`{"coin":"A","fundingRate":"0.01","premium":"0","time":43200066}]`
	return []blast{
		{"candleSnapshot", candles, func(b []byte) (map[string]string, bool) {
			out := map[string]string{}
			got, _, ok := parseCandles(b, "A", 0, 14*hour)
			for _, x := range got.Bars {
				if !feed.PlausibleBar(x) || x.OpenMs > 13*hour {
					panic(fmt.Sprintf("%s: %v", b, x))
				}
				out[fmt.Sprint(x.OpenMs/hour)] = fmt.Sprint(x)
			}
			return out, ok
		}, false},
		{"fundingHistory", funding, func(b []byte) (map[string]string, bool) {
			out := map[string]string{}
			rows, _, _, ok := parseFunding(b, "A", 1000, 50_000_000)
			for _, r := range rows {
				if r.VenueMs > 50_000_000 {
					panic(fmt.Sprintf("%s: %v", b, r))
				}
				out[fmt.Sprint(r.VenueMs)] = fmt.Sprint(r)
			}
			return out, ok
		}, false},
	}
}

// blastsOfTables are the other answers about all assets.
func blastsOfTables(u *marketcache.Universe) []blast {
	const predicted = `[["BTC",[["BinPerp",{"fundingRate":"0.00004","nextFundingTime":1790006400000,` +
		`"fundingIntervalHours":8}],["BybitPerp",null]]],` +
		`["kPEPE",[["BinPerp",null],["HlPerp",{"fundingRate":"0.1","fundingIntervalHours":1}]]],` +
		`["HYPE",[["BybitPerp",{"fundingRate":"0.01","fundingIntervalHours":4}]]]]`
	return []blast{
		{"perpsAtOpenInterestCap", `["BTC","kPEPE","xyzzy"]`, func(b []byte) (map[string]string, bool) {
			out := map[string]string{}
			names, ok := parseNames(b)
			for _, n := range names {
				if u.LookupString(n) != marketcache.NoAsset {
					out[n] = "at cap"
				}
			}
			return out, ok
		}, false},
		{"predictedFundings", predicted, func(b []byte) (map[string]string, bool) {
			out := map[string]string{}
			ok := parsePredicted(b, func(coin []byte, f marketcache.CEXFunding, _ float64) {
				if u.Lookup(coin) != marketcache.NoAsset {
					out[string(coin)] = fmt.Sprint(f)
				}
			})
			return out, ok
		}, false},
		{"exchangeStatus", `{"time":1790000000123,"specialStatuses":null}`, func(b []byte) (map[string]string, bool) {
			ms, _, ok := parseStatus(b)
			return one(ok, ms)
		}, false},
	}
}

// radius checks that a damaged message changes at most the allowed number of items of the valid
// message, and adds at most as many unknown items.
func (c *blast) radius(t testing.TB, good map[string]string, b []byte, allowed int) {
	t.Helper()
	got, ok := c.read(b)
	if !ok {
		return
	}
	lost, news := 0, 0
	things := diff(good, got)
	for _, k := range things {
		if _, is := good[k]; is {
			lost++
		} else {
			news++
		}
	}
	if lost > allowed || news > allowed {
		at := 0
		for at < min(len(b), len(c.good)) && b[at] == c.good[at] {
			at++
		}
		t.Errorf("%s: %v changed at %d by …%s", c.name, things, at, b[max(0, at-40):min(len(b), at+40)])
	}
}

// TestBlastRadius changes every byte and every value of a message of every kind: either at most one
// asset, wallet, bar or row differs from the valid message, or the whole message is rejected.
func TestBlastRadius(t *testing.T) {
	takesLong(t)
	const odd = `"{}[]:,.-0159eEnNx\ ` + "\x00\x80\xff"
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range blasts(t) {
		good, ok := c.read([]byte(c.good))
		if !ok || len(good) == 0 {
			t.Fatalf("%s: the valid message was rejected", c.name)
		}
		replacements := []byte(odd)
		for at := range len(c.good) {
			if len(c.good) > 1500 { // in a long message, one replacement per byte, alternating
				r.Shuffle(len(replacements), func(i, j int) {
					replacements[i], replacements[j] = replacements[j], replacements[i]
				})
				replacements = replacements[:1]
			}
			for _, x := range append(replacements, c.good[at]^1, c.good[at]^4) {
				b := []byte(c.good)
				b[at] = x
				c.radius(t, good, b, 1)
			}
			replacements = []byte(odd)
		}
		var tree any
		d := json.NewDecoder(strings.NewReader(c.good))
		d.UseNumber()
		if err := d.Decode(&tree); err != nil {
			t.Fatal(err)
		}
		variants(tree, c.ordered, func(v any) {
			if list, is := v.([]any); is && len(list) == 0 { // an empty list is a valid statement of the venue
				return
			}
			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			c.radius(t, good, b, 1)
		})
	}
}

// variants calls fn with every tree that differs from v in one value: missing, null, another type,
// not a number, absurd or negative; and, unless ordered, with two list elements swapped.
func variants(v any, ordered bool, fn func(any)) {
	for _, x := range []any{nil, true, "NaN", "1e308", json.Number("1e308"), "-1", json.Number("-1"),
		json.Number("0.5"), "", []any{}, map[string]any{}} {
		fn(x)
	}
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			less := maps.Clone(v)
			delete(less, k)
			fn(less)
			variants(x, ordered, func(y any) {
				other := maps.Clone(v)
				other[k] = y
				fn(other)
			})
		}
	case []any:
		for i, x := range v {
			fn(slices.Delete(slices.Clone(v), i, i+1))
			variants(x, ordered, func(y any) {
				other := slices.Clone(v)
				other[i] = y
				fn(other)
			})
			if i > 0 && !ordered {
				other := slices.Clone(v)
				other[i], other[i-1] = other[i-1], other[i]
				fn(other)
			}
		}
	}
}

// FuzzBlastRadius runs TestBlastRadius with random bytes at random places.
func FuzzBlastRadius(f *testing.F) {
	f.Add(uint8(0), uint16(20), []byte("-1"))
	f.Add(uint8(4), uint16(300), []byte(`"NaN"`))
	all := blasts(f)
	goods := make([]map[string]string, len(all))
	for i := range all {
		goods[i], _ = all[i].read([]byte(all[i].good))
	}
	f.Fuzz(func(t *testing.T, kind uint8, at uint16, patch []byte) {
		c := &all[int(kind)%len(all)]
		i := int(at) % len(c.good)
		if len(patch) > 4 || bytes.ContainsAny(patch, "{}[]") { // such a patch may change more than two items
			return
		}
		b := slices.Concat([]byte(c.good[:i]), patch, []byte(c.good[min(i+len(patch), len(c.good)):]))
		c.radius(t, goods[int(kind)%len(all)], b, 2)
	})
}

// TestHostileSize feeds every parser deeply nested and very long lists: they are rejected or the
// unknown parts are ignored, with memory proportional to the text.
func TestHostileSize(t *testing.T) {
	takesLong(t)
	const n = 1 << 18
	nested := strings.Repeat("[", n) + strings.Repeat("]", n)
	objects := strings.Repeat(`{"x":`, n/4) + "0" + strings.Repeat("}", n/4)
	for _, c := range blasts(t) {
		good, _ := c.read([]byte(c.good))
		for what, text := range map[string]string{
			"open brackets":     strings.Repeat("[", n),
			"open objects":      strings.Repeat(`{"x":`, n),
			"nested lists":      nested,
			"nested objects":    objects,
			"zeros":             "[0" + strings.Repeat(",0", 4*n) + "]",
			"objects":           "[{}" + strings.Repeat(",{}", 4*n) + "]",
			"a deep member":     strings.Replace(c.good, "{", `{"x":`+nested+`,`, 1),
			"a member too deep": strings.Replace(c.good, ":", ":"+objects+`,"x":`, 1),
			"a long list":       strings.Replace(c.good, "[", "[{}"+strings.Repeat(",{}", 4*n)+",", 1),
		} {
			if text == c.good {
				continue
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, ok := c.read([]byte(text))
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
				t.Errorf("%s, %s: %d MB allocated", c.name, what, used>>20)
			}
			if things := diff(good, got); ok && len(things) > 1 {
				t.Errorf("%s, %s: %v changed", c.name, what, things)
			}
		}
	}
}
