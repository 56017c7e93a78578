package hyperliquid

import (
	"context"
	"strconv"
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

	historyWorkers = 3             // concurrent loads; one more worker serves only assets that requests have asked for
	fundingEvery   = 4 * time.Hour // interval between reads of an asset's paid funding
)

// perRows returns the surcharge for n rows.
func perRows(n, rows int) int { return (n + rows - 1) / rows }

// ask sends one request for the rows of an asset from q.FromMs on.
func (s historySource) ask(
	ctx context.Context, q feed.HistoryRequest, what, body string, rows, perWeight int) (answer, error,
) {
	return s.f.client.ask(ctx, request{
		what: what + " " + q.Name, body: body,
		class: q.Class, weight: historyWeight, maxSurcharge: perRows(rows, perWeight), patience: q.Patience,
		granted: q.Granted,
		rows: func(b []byte) int {
			array, _ := split(b)
			return perRows(len(array), perWeight)
		},
	})
}

// Bars reads candles.
func (s historySource) Bars(ctx context.Context, q feed.HistoryRequest) (got feed.BarsAnswer, err error) {
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
	a, err := s.ask(ctx, q, "candleSnapshot", `{"type":"candleSnapshot","req":{"coin":`+strconv.Quote(q.Name)+`,`+
		`"interval":"1h","startTime":`+
		strconv.FormatInt(q.FromMs, 10)+`,"endTime":`+strconv.FormatInt(nowMs+hourMs, 10)+`}}`, rows, rowsPerCandle)
	if err != nil {
		return got, err
	}
	askedMs := f.clock.VenueMs(a.sent)
	got, dropped, ok := parseCandles(a.body, q.Name, q.FromMs, askedMs-feed.CloseMargin.Milliseconds())
	if got.AskedMs = askedMs; !ok {
		return got, venueError("candleSnapshot %s: %q", q.Name, printable(a.body))
	}
	if dropped > 0 {
		f.stats.droppedBars.Add(int64(dropped))
		f.setAside(asideCandle, q.Name)
	}
	return got, nil
}

// Funding reads paid funding page by page.
func (s historySource) Funding(
	ctx context.Context, q feed.HistoryRequest) (rows []marketcache.FundingRow, askedMs int64, err error,
) {
	f := s.f
	for range fundingPages {
		maxRows := int(min((f.clock.VenueMs(marketcache.Now())-q.FromMs)/hourMs+2, fundingPage))
		a, err := s.ask(ctx, q, "fundingHistory",
			`{"type":"fundingHistory","coin":`+strconv.Quote(q.Name)+`,"startTime":`+
				strconv.FormatInt(q.FromMs+1, 10)+`}`, maxRows, rowsPerFunding)
		if err != nil {
			return nil, 0, err
		}
		page, count, dropped, ok := parseFunding(a.body, q.Name, q.FromMs,
			f.clock.VenueMs(a.received.Add(feed.RowLate)))
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
