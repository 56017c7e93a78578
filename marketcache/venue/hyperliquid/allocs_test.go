package hyperliquid

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"ballast/internal/race"
	"ballast/marketcache"
)

// quietFeed returns a feed with a universe of n assets (N0, N1, ...) and nothing running.
func quietFeed(tb testing.TB, n int) *Feed {
	tb.Helper()
	cache := marketcache.New(marketcache.Limits{Bars: 64, Rows: 64, Samples: 64, Wallets: 64})
	f := New(cache, Config{BaseURL: "http://127.0.0.1:1", Logger: slog.New(slog.DiscardHandler)})
	m, rows, ok := parseMetaAndContexts([]byte(metaJSON(many(n)...)), nil)
	if !ok {
		tb.Fatal("meta")
	}
	if _, _, err := f.universe.apply(m); err != nil {
		tb.Fatal(err)
	}
	f.putContexts(rows, f.universe.positions(""), marketcache.Now(), fromREST)
	f.replan()
	return f
}

// socketWith returns the socket that carries the books of one precision of an asset.
func (f *Feed) socketWith(id marketcache.AssetID, p precision) *socket {
	return f.sockets[socketOf(id, p, len(f.sockets))]
}

func frameOf(channel, data string) []byte {
	return []byte(`{"channel":"` + channel + `","data":` + data + `}`)
}

// TestAllocs: parsing a message into values allocates nothing. The published values, a merged book
// and the ring's entry, are counted separately.
func TestAllocs(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	f := quietFeed(t, 230)
	now := f.clock.VenueMs(marketcache.Now())
	s := f.socketWith(0, full)
	gate := func(name string, want float64, fn func()) {
		t.Helper()
		if got := testing.AllocsPerRun(200, fn); got > want {
			t.Errorf("%s: %v allocations, want at most %v", name, got, want)
		}
	}
	book := []byte(bookJSON("N0", now, 100, 20))
	gate("parse a book", 0, func() {
		var m bookMessage
		if !m.parse(book) || !m.plausible() {
			t.Fatal("refused")
		}
	})
	frame := frameOf("l2Book", string(book))
	s.handle(frame, marketcache.Now())
	gate("the same book again", 0, func() { s.handle(frame, marketcache.Now()) })
	other := frameOf("l2Book", bookJSON("N0", now+1, 101, 20))
	frames := [2][]byte{frameOf("l2Book", bookJSON("N0", now+1, 100, 20)), other}
	i := 0
	gate("publish a book", 8, func() { i++; s.handle(frames[i&1], marketcache.Now()) })
	crossed := []byte(
		`{"channel":"l2Book","data":{"coin":"N0","time":1,"levels":[[{"px":"2","sz":"1"}],[{"px":"1","sz":"1"}]]}}`)
	gate("a crossed book", 0, func() { s.handle(crossed, marketcache.Now()) })
	var list []string
	for range 230 {
		list = append(list, contextJSON(100))
	}
	contexts := frameOf("allDexsAssetCtxs", `{"ctxs":[["",[`+strings.Join(list, ",")+`]],["xyz",[{"markPx":"1"}]]]}`)
	c := f.sockets[len(f.sockets)-1]
	c.handle(contexts, marketcache.Now())
	gate("230 contexts", 230, func() { c.handle(contexts, marketcache.Now()) })
	var marks []string
	for i := range 230 {
		marks = append(marks, fmt.Sprintf(`"N%d":{"markPx":"100","midPx":"100"}`, i))
	}
	whole := frameOf("fastAssetCtxs", `"`+pack("{"+strings.Join(marks, ",")+"}")+`"`)
	m := f.sockets[0]
	m.handle(whole, marketcache.Now())
	gate("the same 230 marks", 1, func() { m.handle(whole, marketcache.Now()) })
	pong := []byte(`{"channel":"pong"}`)
	gate("pong", 0, func() { s.heartbeat.Ping(marketcache.Now()); s.handle(pong, marketcache.Now()) })
	if n := f.stats.parseErrors.Load(); n != 0 {
		t.Errorf("%d parse errors", n)
	}
}

func TestPlan(t *testing.T) {
	for _, c := range []struct{ assets, limit, all, depth, total int }{
		{64, 498, 64, 64, 320}, {100, 498, 99, 100, 497}, {178, 498, 47, 178, 497}, {326, 498, 0, 172, 498},
		{326, 998, 115, 326, 997}, {600, 498, 0, 0, 498},
	} {
		ids := make([]marketcache.AssetID, c.assets)
		for i := range ids {
			ids[i] = marketcache.AssetID(i)
		}
		for connections := 1; connections <= 10; connections++ {
			all, depth, total := 0, 0, 0
			aggregated := map[string]bool{}
			for id, wants := range planBooks(ids, c.limit) {
				n := 0
				for p, w := range wants {
					if !w {
						continue
					}
					n++
					at := socketOf(id, precision(p), connections)
					if at >= connections || at < 0 && (connections >= 3 || precision(p) != figures4 &&
						precision(p) != figures2) {
						t.Fatalf("%v of asset %d is on connection %d of %d", p, id, at, connections)
					}
					if key := fmt.Sprint(id, "@", at); at >= 0 && precision(p) >= figures4 {
						if aggregated[key] {
							t.Fatalf("asset %d has two aggregations on one of %d connections", id, connections)
						}
						aggregated[key] = true
					}
				}
				if !wants[fast] {
					t.Errorf("%d assets: %d has no fast book", c.assets, id)
				}
				total += n
				if wants[figures3] {
					depth++
				}
				if n == int(precisions) {
					all++
				}
			}
			if all != c.all || depth != c.depth || total != c.total {
				t.Errorf("%d assets: %d with all, %d with depth, %d streams; want %d, %d, %d", c.assets, all, depth,
					total, c.all, c.depth, c.total)
			}
		}
	}
}
