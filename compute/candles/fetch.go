package candles

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"ballast/marketcache"
)

const (
	pageBars   = 5000    // maximum number of bars per answer; the real venue keeps no more
	maxPages   = 200     // maximum number of pages per asset: more than a century of hours
	maxAnswer  = 8 << 20 // bytes
	maxRetries = 8       // retries per page
	// retryPause is the pause after a refusal without a stated waiting time. The venue counts its
	// request budget per minute.
	retryPause  = 10 * time.Second
	maxPause    = time.Minute
	closeMargin = 2 * time.Second // a bar counts as closed this long after its end
)

// Venue is the venue from which candles are fetched.
type Venue struct {
	Base   string // address of its REST interface, without /info
	Client *http.Client
	// Waiting is called with the pause when the venue asks to wait; may be nil.
	Waiting func(time.Duration)
}

// Fetch returns the closed hourly bars of an asset that opened at or after fromMs (ms
// since 1970 UTC, 0 for all), oldest first: as many as the venue still has. Invalid bars
// are left out and counted in dropped.
func (v *Venue) Fetch(ctx context.Context, coin string, fromMs int64) (bars []marketcache.Bar, dropped int,
	err error) {
	end, now := time.Now().UnixMilli()+hourMs, int64(0)
	for range maxPages {
		start := max(fromMs, 0, end-pageBars*hourMs)
		rows, venueMs, err := v.page(ctx, coin, start, end-1)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", coin, err)
		}
		if now == 0 {
			now = venueMs - closeMargin.Milliseconds()
		}
		page, bad, err := closed(rows, coin, start, end, now)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", coin, err)
		}
		bars, dropped = slices.Concat(page, bars), dropped+bad
		if len(page) == 0 || start <= max(fromMs, 0) {
			break
		}
		end = start
	}
	return bars, dropped, nil
}

// candle is one bar of an answer.
type candle struct {
	OpenMs  int64  `json:"t"`
	CloseMs int64  `json:"T"` // last ms of the bar
	Coin    string `json:"s"`
	Period  string `json:"i"` // "1h"
	Open    string `json:"o"`
	Close   string `json:"c"`
	High    string `json:"h"`
	Low     string `json:"l"`
	Volume  string `json:"v"` // base units
}

// closed returns the bars of an answer that had closed at nowMs and open in [startMs,
// endMs), oldest first.
func closed(rows []candle, coin string, startMs, endMs, nowMs int64) (bars []marketcache.Bar, dropped int, err error) {
	for i := range rows {
		row := &rows[i]
		if row.Coin != coin || row.Period != "1h" {
			const text = "the venue answered with candles of %q, interval %q; is --venue right?"
			return nil, 0, fmt.Errorf(text, row.Coin, row.Period)
		}
		if row.CloseMs >= nowMs || row.OpenMs < startMs || row.OpenMs >= endMs {
			continue
		}
		texts := [...]string{row.Open, row.High, row.Low, row.Close, row.Volume}
		b, err := readRow(row.OpenMs, func(i int) string { return texts[i-1] })
		if err != nil || len(bars) > 0 && b.OpenMs <= bars[len(bars)-1].OpenMs {
			dropped++
			continue
		}
		bars = append(bars, b)
	}
	return bars, dropped, nil
}

// page requests the candles that overlap [startMs, endMs], and returns them with the venue's time
// of the answer.
func (v *Venue) page(ctx context.Context, coin string, startMs, endMs int64) (rows []candle, venueMs int64,
	err error) {
	body := fmt.Appendf(nil, `{"type":"candleSnapshot","req":{"coin":%q,"interval":"1h","startTime":%d,"endTime":%d}}`,
		coin, startMs, endMs)
	for retry := 0; ; retry++ {
		answer, header, status, err := v.post(ctx, body)
		if err != nil {
			return nil, 0, fmt.Errorf("the venue cannot be reached, check the network and --venue: %w", err)
		}
		switch text := strings.TrimSpace(string(answer)); {
		case status == http.StatusOK && json.Unmarshal(answer, &rows) == nil && rows != nil:
			return rows, timeOf(header), nil
		case (status == http.StatusInternalServerError || status == http.StatusOK) && text == "null":
			return nil, 0,
				fmt.Errorf("the venue has no such asset; names are case-sensitive, such as BTC, kPEPE or xyz:TSLA")
		case status != http.StatusTooManyRequests && status < http.StatusInternalServerError:
			return nil, 0, fmt.Errorf("%s answered %d %.80q: does --venue name a venue of this protocol?", v.Base,
				status, text)
		case retry == maxRetries:
			const text = "the venue still answers %d after %d tries: run it again in some minutes, " +
				"what is written stays"
			return nil, 0, fmt.Errorf(text, status, retry+1)
		}
		if err := v.wait(ctx, header); err != nil {
			return nil, 0, err
		}
	}
}

// post sends a request and reads its whole answer.
func (v *Venue) post(ctx context.Context, body []byte) (answer []byte, header http.Header, status int, err error) {
	url := strings.TrimSuffix(v.Base, "/") + "/info"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, nil, 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := v.Client.Do(req)
	if err != nil {
		return nil, nil, 0, err
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	return answer, res.Header, res.StatusCode, err
}

// wait pauses for the time requested by the venue, within bounds.
func (v *Venue) wait(ctx context.Context, header http.Header) error {
	pause := retryPause
	if s, err := strconv.Atoi(header.Get("Retry-After")); err == nil && s >= 0 {
		pause = min(time.Duration(s)*time.Second, maxPause)
	}
	if v.Waiting != nil {
		v.Waiting(pause)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// timeOf returns the venue's time in ms, or the local time if the answer has no date.
func timeOf(header http.Header) int64 {
	if at, err := http.ParseTime(header.Get("Date")); err == nil {
		return at.UnixMilli()
	}
	return time.Now().UnixMilli()
}
