package feed

import (
	"fmt"
	"time"

	"ballast/marketcache"
)

// A bar can be well formed and still not be what was traded: a price in another unit, a digit too many, a wick to
// nothing. Such a bar would change the volatility of an asset for months. An answer with one, or with a row that cannot
// be read, is requested once more. If that has it too, its hour is left out, and counts as still to be read.

// Prices of neighbouring hours that are further apart than these factors are an error or in another unit. In October
// 2025, the largest crash on record, no close halved within an hour and no low was below a fifth of both closes.
const (
	oddClose = 5  // a bar's close and the one before
	oddWick  = 10 // a bar's high or low and both closes; a lasting jump of the close
)

// BarsAnswer is the answer to a request for bars.
type BarsAnswer struct {
	// Bars are the closed hourly bars that opened at or after HistoryRequest.FromMs (0: all that the venue keeps),
	// oldest first, plausible, each hour once; only the newest ones where the budget does not allow for all.
	Bars []marketcache.Bar
	// NewestMs is the opening time of the newest bar in the answer, the unfinished bar included, and NewestClose its
	// last price, USD; 0 without bars.
	NewestMs    int64
	NewestClose float64
	AskedMs     int64 // the venue's time of the request
	OddMs       int64 // opening time of the newest hour whose bar cannot be used; 0: none
}

// setOddAside removes bars that cannot be what was traded, given the last close before them and the mark (0: none).
// other reports whether the bars before the first that is left are in another unit.
func (a *BarsAnswer) setOddAside(before, mark float64) (other bool) {
	kept := a.Bars[:0]
	for i, b := range a.Bars {
		next, odd := mark, false
		if i+1 < len(a.Bars) {
			next = a.Bars[i+1].Close
		} else if a.NewestMs > b.OpenMs {
			next = a.NewestClose
		}
		switch jumps := before > 0 && apart(b.Close, before, oddClose); {
		case jumps:
			lasts := apart(next, before, oddClose) && !apart(next, b.Close, oddClose)
			if odd = !lasts; lasts && apart(b.Close, before, oddWick) {
				kept, other = kept[:0], true
				a.OddMs = max(a.OddMs, b.OpenMs-hourMs)
			}
		case before > 0:
			odd = b.High > oddWick*max(before, b.Close) || b.Low*oddWick < min(before, b.Close)
		}
		if odd {
			a.OddMs = max(a.OddMs, b.OpenMs)
			continue
		}
		kept, before = append(kept, b), b.Close
	}
	a.Bars = kept
	return other
}

// apart reports whether two prices are further apart than a factor.
func apart(a, b, factor float64) bool { return max(a, b) > factor*min(a, b) }

// markLately is how old a mark may be that is compared with the newest bar.
const markLately = time.Minute

// mark returns the mark of an asset, 0 if it is not known.
func (h *History) mark(id marketcache.AssetID) float64 {
	if c, _, ok := h.Cache.Contexts(id).Latest(marketcache.Now(), markLately); ok {
		return c.MarkPrice
	}
	return 0
}

// contradicts returns an error if the newest bar of an answer, of this hour or the last, contradicts the mark.
func (a *BarsAnswer) contradicts(mark float64) error {
	if mark == 0 || a.NewestMs < a.AskedMs-2*hourMs || !apart(a.NewestClose, mark, oddClose) {
		return nil
	}
	return &marketcache.VenueError{Kind: marketcache.ErrVenue,
		Detail: fmt.Sprintf("candles end at %v, and the mark is %v", a.NewestClose, mark)}
}

// errOddAnswer marks the first answer with an odd bar. The second such answer is accepted without it.
var errOddAnswer = &marketcache.VenueError{Kind: marketcache.ErrVenue, Wait: emptyAgain,
	Detail: "a candle that cannot be what was traded"}
