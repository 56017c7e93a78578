package hyperliquid

import (
	"context"
	"fmt"
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
	ctx context.Context, q feed.HistoryRequest, what, body string, rows, perWeight int, take func(answer) bool,
) (answer, error) {
	return s.f.client.ask(ctx, request{
		what: what + " " + q.Name, body: body,
		class: q.Class, weight: historyWeight, maxSurcharge: perRows(rows, perWeight), patience: q.Patience,
		granted: q.Granted, take: take,
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
	body := fmt.Sprintf(`{"type":"candleSnapshot","req":{"coin":%q,"interval":"1h","startTime":%d,"endTime":%d}}`,
		q.Name, q.FromMs, nowMs+hourMs)
	_, err = s.ask(ctx, q, "candleSnapshot", body, rows, rowsPerCandle, func(a answer) (ok bool) {
		dropped, askedMs := 0, f.clock.VenueMs(a.sent)
		got, dropped, ok = parseCandles(a.body, q.Name, q.FromMs, askedMs-feed.CloseMargin.Milliseconds())
		if got.AskedMs = askedMs; ok && dropped > 0 {
			f.stats.droppedBars.Add(int64(dropped))
			f.setAside(asideCandle, q.Name)
		}
		return ok
	})
	return got, err
}

// Funding reads paid funding page by page.
func (s historySource) Funding(
	ctx context.Context, q feed.HistoryRequest) (rows []marketcache.FundingRow, askedMs int64, err error,
) {
	f := s.f
	for range fundingPages {
		maxRows := int(min((f.clock.VenueMs(marketcache.Now())-q.FromMs)/hourMs+2, fundingPage))
		var page []marketcache.FundingRow
		count, dropped := 0, 0
		body := fmt.Sprintf(`{"type":"fundingHistory","coin":%q,"startTime":%d}`, q.Name, q.FromMs+1)
		a, err := s.ask(ctx, q, "fundingHistory", body, maxRows, rowsPerFunding, func(a answer) (ok bool) {
			page, count, dropped, ok = parseFunding(a.body, q.Name, q.FromMs,
				f.clock.VenueMs(a.received.Add(feed.RowLate)))
			return ok
		})
		if err != nil {
			return nil, 0, err
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
