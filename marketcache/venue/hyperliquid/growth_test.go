package hyperliquid

import (
	"bytes"
	"fmt"
	"log/slog"
	"runtime"
	"testing"

	"ballast/marketcache"
)

// wideFeed is quietFeed for any number of assets, named by four digits, with the full book
// of every one subscribed. The venue grants one address fewer subscriptions than the
// largest universe here would need, which planBooks respects; what is asked here is how
// our side of it would grow. The rings of contexts are full.
func wideFeed(tb testing.TB, n int) *Feed {
	tb.Helper()
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("N%04d", i)
	}
	cache := marketcache.New(marketcache.Limits{Assets: n, Bars: 64, Rows: 64, Samples: 64, Wallets: 64})
	f := New(cache, Config{BaseURL: "http://127.0.0.1:1", Logger: slog.New(slog.DiscardHandler)})
	m, rows, ok := parseMetaAndContexts([]byte(metaJSON(names...)), nil)
	if !ok {
		tb.Fatal("meta")
	}
	if _, _, err := f.universe.apply(m); err != nil {
		tb.Fatal(err)
	}
	for v := range cache.Limits().Versions {
		for i := range rows {
			rows[i].ctx.MarkPrice = 100 + float64(v)
		}
		f.putContexts(rows, f.universe.positions(""), marketcache.Now(), fromREST)
	}
	streams := make([][]stream, len(f.sockets))
	for i, name := range names {
		id := marketcache.AssetID(i)
		at := socketOf(id, full, len(f.sockets))
		streams[at] = append(streams[at], stream{bookStream, id, name, full})
	}
	for i, s := range streams {
		f.sockets[i].want(s)
	}
	return f
}

// heapHeld returns the bytes of the heap that are reachable.
func heapHeld() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what pools held through the first is gone after the second
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkIngest is one l2Book message from bytes to the published book, the assets in
// turn. A message finds its asset by one look into the map of its socket, so that the time
// must not grow with the number of assets, but for what of their books has left the
// processor's caches since the last turn.
//
// heapB/asset is what the feed and its cache hold for each asset: the full book as last
// received, the rings of merged books and contexts, all filled, and the tables; everything
// that is there once counts as a share. It is without coarser precisions, histories and
// fits.
func BenchmarkIngest(b *testing.B) {
	for _, n := range []int{200, 500, 2000} {
		b.Run(fmt.Sprintf("assets=%d", n), func(b *testing.B) {
			before := heapHeld()
			f := wideFeed(b, n)
			now := f.clock.VenueMs(marketcache.Now())
			// Messages come from a connection's buffer: one text with another name in it.
			const coin = "N0000"
			frames := [2][]byte{frameOf("l2Book", bookJSON(coin, now, 100, 20)), frameOf("l2Book", bookJSON(coin, now, 101, 20))}
			digits := bytes.Index(frames[0], []byte(coin)) + 1
			ingest := func(i int) {
				id, frame := i%n, frames[i/n&1]
				for at, rest := digits+3, id; at >= digits; at, rest = at-1, rest/10 {
					frame[at] = byte('0' + rest%10)
				}
				f.socketWith(marketcache.AssetID(id), full).handle(frame, marketcache.Now())
			}
			i := 0
			for ; i < n*f.cache.Limits().Versions; i++ {
				ingest(i)
			}
			held := heapHeld() - before
			b.SetBytes(int64(len(frames[0])))
			b.ReportAllocs()
			for b.Loop() {
				ingest(i)
				i++
			}
			b.ReportMetric(float64(held)/float64(n), "heapB/asset")

			if bad := f.stats.rejectedBooks.Load() + f.stats.parseErrors.Load(); bad != 0 {
				b.Fatalf("%d messages were refused", bad)
			}
			messages := 0
			for id := range n {
				f.cache.Books(marketcache.AssetID(id)).Walk(func(s *marketcache.Snapshot[*marketcache.Book]) bool {
					messages += int(s.Seq)
					return false // the newest counts them all
				})
			}
			if messages != i {
				b.Fatalf("%d books published of %d messages", messages, i)
			}
		})
	}
}
