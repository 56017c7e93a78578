package hyperliquid

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// historySource reads candles and paid funding: the feed.Source of this venue.
type historySource struct{ f *Feed }

const (
	candleRows     = 5000 // number of bars that the venue keeps
	fundingPage    = 500  // maximum rows in one answer
	fundingPages   = 4    // maximum pages requested
	historyWeight  = 20   // request weight without rows
	rowsPerCandle  = 60   // candleSnapshot rows per unit of surcharge
	rowsPerFunding = 20   // fundingHistory rows per unit of surcharge
)

// perRows returns the surcharge for n rows.
func perRows(n, rows int) int { return (n + rows - 1) / rows }

// ask sends one request for the rows of an asset from q.FromMs on.
func (s historySource) ask(ctx context.Context, q feed.HistoryRequest, what, body string, rows, perWeight int) (answer, error) {
	return s.f.client.ask(ctx, request{
		what: what + " " + q.Name, body: body,
		class: q.Class, weight: historyWeight, maxSurcharge: perRows(rows, perWeight), patience: q.Patience, granted: q.Granted,
		rows: func(b []byte) int {
			array, _ := split(b)
			return perRows(len(array), perWeight)
		},
	})
}

// Bars reads candles.
func (s historySource) Bars(ctx context.Context, q feed.HistoryRequest) (bars []marketcache.Bar, newestMs, askedMs int64, err error) {
	f := s.f
	nowMs := f.clock.VenueMs(marketcache.Now())
	rows := candleRows
	if q.FromMs > 0 {
		rows = int(min((nowMs-q.FromMs)/hourMs+2, candleRows))
	}
	// A budget too small for the whole history gets its newest part.
	if maxRows := (f.queue.Largest() - historyWeight) * rowsPerCandle; maxRows < rows {
		rows = max(maxRows, 1)
		q.FromMs = max(q.FromMs, nowMs-int64(rows-1)*hourMs)
	}
	a, err := s.ask(ctx, q, "candleSnapshot", `{"type":"candleSnapshot","req":{"coin":`+strconv.Quote(q.Name)+`,"interval":"1h","startTime":`+
		strconv.FormatInt(q.FromMs, 10)+`,"endTime":`+strconv.FormatInt(nowMs+hourMs, 10)+`}}`, rows, rowsPerCandle)
	if err != nil {
		return nil, 0, 0, err
	}
	askedMs = f.clock.VenueMs(a.sent)
	bars, dropped, newestMs, ok := parseCandles(a.body, q.Name, q.FromMs, askedMs-feed.CloseMargin.Milliseconds())
	if !ok {
		return nil, 0, 0, venueError("candleSnapshot %s: %q", q.Name, printable(a.body))
	}
	if dropped > 0 {
		f.stats.droppedBars.Add(int64(dropped))
		f.setAside(asideCandle, q.Name)
	}
	return bars, newestMs, askedMs, nil
}

// Funding reads paid funding page by page.
func (s historySource) Funding(ctx context.Context, q feed.HistoryRequest) (rows []marketcache.FundingRow, askedMs int64, err error) {
	f := s.f
	for range fundingPages {
		maxRows := int(min((f.clock.VenueMs(marketcache.Now())-q.FromMs)/hourMs+2, fundingPage))
		a, err := s.ask(ctx, q, "fundingHistory", `{"type":"fundingHistory","coin":`+strconv.Quote(q.Name)+`,"startTime":`+
			strconv.FormatInt(q.FromMs+1, 10)+`}`, maxRows, rowsPerFunding)
		if err != nil {
			return nil, 0, err
		}
		page, count, dropped, ok := parseFunding(a.body, q.Name, q.FromMs, f.clock.VenueMs(a.received.Add(feed.RowLate)))
		if !ok {
			return nil, 0, venueError("fundingHistory %s: %q", q.Name, printable(a.body))
		}
		if dropped > 0 {
			f.setAside(asideFunding, q.Name)
		}
		rows, askedMs = append(rows, page...), f.clock.VenueMs(a.sent)
		if count < fundingPage || len(page) == 0 {
			break
		}
		q.FromMs, q.Patience = page[len(page)-1].VenueMs, -1
	}
	return rows, askedMs, nil
}

// Weight returns the request weight of bars or funding rows.
func (s historySource) Weight(funding bool, rows int) int {
	if funding {
		return historyWeight*perRows(rows, fundingPage) + perRows(rows, rowsPerFunding)
	}
	return min(historyWeight+perRows(rows, rowsPerCandle), s.f.queue.Largest())
}

// metaEvery is the interval at which the universe is saved when its assets have not changed.
const metaEvery = time.Hour

// saveMeta saves an accepted universe answer. The caller holds f.tables.
func (f *Feed) saveMeta(dex string, body []byte, changed bool) {
	now := marketcache.Now()
	if saved, is := f.metaSaved[dex]; f.store == nil || !changed && is && now.Sub(saved) < metaEvery {
		return
	}
	f.metaSaved[dex] = now
	f.store.SaveTable(universeTable(dex), body)
}

// universeTable returns the name of the table with a dex's universe.
func universeTable(dex string) string {
	if dex == "" {
		return "universe"
	}
	return "universe " + dex
}

// restore reads the universe and every listed asset's history from disk.
func (f *Feed) restore() {
	tables := f.store.Tables()
	if !f.restoreMeta(universeTable(""), tables[universeTable("")]) {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		if strings.HasPrefix(name, universeTable("")+" ") {
			f.restoreMeta(name, tables[name])
		}
	}
	f.ranks.Store(feed.Rank(f.cache))
	began := time.Now()
	f.history.RestoreAll()
	f.log.Info("histories read from disk", "assets", len(f.cache.Universe().Assets), "took", time.Since(began).Round(time.Millisecond))
}

// restoreMeta applies one dex's saved universe, if the dex is followed.
func (f *Feed) restoreMeta(table string, body []byte) (restored bool) {
	if body == nil {
		return false
	}
	m, _, ok := parseMetaAndContexts(body, nil)
	if !ok {
		f.log.Warn("universe on disk is not one and not used", "table", table)
		return false
	}
	for i := range m.assets {
		if m.assets[i].readable { // all assets of a table are of the same dex
			m.dex = dexOf(m.assets[i].name)
			break
		}
	}
	if universeTable(m.dex) != table || !f.dexes.follows(m.dex) {
		return false
	}
	if _, _, err := f.universe.apply(m); err != nil {
		f.log.Warn("universe on disk is not used", "table", table, "error", err)
		return false
	}
	return true
}
