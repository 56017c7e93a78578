package hyperliquid

import (
	"bytes"
	"fmt"
	"log/slog"
	"runtime"
	"testing"

	"ballast/marketcache"
)

// wideFeed is quietFeed for any number of assets, named with four digits, with the full book of
// every asset subscribed. The largest universe here needs more subscriptions than the venue allows;
// wideFeed ignores that limit, because the benchmark measures how our side would scale. The rings of
// contexts are full.
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
	for v := range 8 {
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

// heapHeld returns the number of reachable bytes on the heap.
func heapHeld() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // objects that pools keep through the first collection are freed by the second
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkIngest measures one l2Book message from bytes to the published book, for one asset after
// another. A message finds its asset by one map look-up in its socket, so the time must not grow
// with the number of assets, except for cache misses on their books.
//
// heapB/asset is the heap per asset of the feed and its cache: the last full book, the rings of
// merged books and contexts, all filled, and the tables; memory used once is divided among the
// assets. Coarser precisions, histories and fits are not included.
func BenchmarkIngest(b *testing.B) {
	for _, n := range []int{200, 500, 2000} {
		b.Run(fmt.Sprintf("assets=%d", n), func(b *testing.B) {
			before := heapHeld()
			f := wideFeed(b, n)
			now := f.clock.VenueMs(marketcache.Now())
			// As on a connection, all messages share one buffer: only the asset's name in it is replaced.
			const coin = "N0000"
			frames := [2][]byte{frameOf("l2Book", bookJSON(coin, now, 100, 20)),
				frameOf("l2Book", bookJSON(coin, now, 101, 20))}
			digits := bytes.Index(frames[0], []byte(coin)) + 1
			ingest := func(i int) {
				id, frame := i%n, frames[i/n&1]
				for at, rest := digits+3, id; at >= digits; at, rest = at-1, rest/10 {
					frame[at] = byte('0' + rest%10)
				}
				f.socketWith(marketcache.AssetID(id), full).handle(frame, marketcache.Now())
			}
			i := 0
			for ; i < n; i++ {
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
				b.Fatalf("%d messages were rejected", bad)
			}
			messages := 0
			for id := range n {
				f.cache.Books(marketcache.AssetID(id)).Walk(func(s *marketcache.Snapshot[*marketcache.Book]) bool {
					messages += int(s.Seq)
					return false // the newest book is enough to count
				})
			}
			if messages != i {
				b.Fatalf("%d books published of %d messages", messages, i)
			}
		})
	}
}
