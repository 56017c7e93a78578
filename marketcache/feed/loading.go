package feed

import (
	"cmp"
	"context"
	"slices"
	"time"

	"ballast/marketcache"
)

// loadingEvery is the interval at which the expected ends of the loads are estimated; they are rounded up
// to loadingStep, so that not every estimate is a change.
const loadingEvery, loadingStep = time.Second, 5 * time.Second

// TellLoading keeps Cache.SetLoading current until ctx ends.
func (h *History) TellLoading(ctx context.Context) {
	for ctx.Err() == nil {
		h.estimate()
		for _, a := range h.Cache.Universe().Assets {
			if a.Delisted {
				h.Cache.SetLoading(a.ID, nil)
			} else {
				h.tell(a.ID)
			}
		}
		Sleep(ctx, loadingEvery)
	}
}

// tell publishes what of an asset's history is still to be read. Older bars that are not fitted yet count as
// not read.
func (h *History) tell(id marketcache.AssetID) {
	bars, through := h.Cache.Bars(id)
	fit := h.Cache.Model().Asset(id)
	unfitted := len(bars) > 0 && fit != nil && fit.FitError == "" && fit.FirstHour > bars[0].OpenMs/hourMs
	var next marketcache.Loading
	h.set(id, func(a *assetHistory) {
		next = marketcache.Loading{
			Candles: through == 0 || !a.whole || unfitted, CandlesReadyIn: a.readyIn[olderPart],
			OddCandle: a.oddMs > h.nowMs()-int64(h.MaxBars)*hourMs,
			Funding:   h.fundingThrough(id) == 0, FundingReadyIn: a.readyIn[fundingPart],
		}
		next.Unreadable = through == 0 && a.failures[barsPart] > 0 && marketcache.Now().Sub(a.failing) >= unreadable
		if a.whole && through > 0 {
			next.CandlesReadyIn = loadingEvery
		}
	})
	held := h.Cache.Loading(id)
	switch {
	case !next.Candles && !next.Funding && !next.OddCandle:
		h.Cache.SetLoading(id, nil)
	case held == nil || *held != next:
		h.Cache.SetLoading(id, &next)
	}
}

// load is a load of a part of an asset's history that is still to come.
type load struct {
	id            marketcache.AssetID
	part          historyPart
	score, weight int
	after         marketcache.Instant // not before
}

// estimate sets when each load is expected to end, from its place in the queue and the weight left.
func (h *History) estimate() {
	perMinute := h.Pace()
	h.mu.Lock()
	defer h.mu.Unlock()
	queue, held := h.queue()
	slices.SortStableFunc(queue, func(a, b load) int { return cmp.Compare(a.score, b.score) })
	now, sum := marketcache.Now(), 0
	for _, l := range queue {
		a, ready := &h.of[l.id], time.Duration(-1)
		sum += l.weight
		known := a.failures[l.part] < maxFailures && perMinute > 0 && (!held || l.score < secondPass ||
			h.Cache.Wanted(l.id))
		if known {
			ready = time.Duration(float64(sum) / perMinute * float64(time.Minute))
			ready = max(ready, l.after.Sub(now))
			ready = (ready + loadingStep - 1).Truncate(loadingStep)
		}
		a.readyIn[l.part] = ready
	}
}

// queue returns the loads of the first and second pass that are still to come, and whether the second pass
// is held. The caller holds h.mu.
func (h *History) queue() (queue []load, held bool) {
	for rank, id := range h.Ranking().IDs {
		a := &h.of[id]
		if h.barsThrough(id) == 0 || a.behind {
			j, score, _ := h.judge(id, a, barsPart, rank)
			queue = append(queue, load{id, barsPart, score, h.Source.Weight(false, j.rows), a.due[barsPart]})
		}
		for part := range historyParts {
			if part == olderPart && !a.whole || part == fundingPart && h.fundingThrough(id) == 0 {
				score, rows := h.second(part, rank, h.Cache.Wanted(id))
				queue = append(queue, load{id, part, score, h.Source.Weight(part == fundingPart, rows), a.due[part]})
			}
		}
	}
	return queue, h.Hold != nil && h.Hold()
}

// second returns the score of a job of the second pass and the rows to request.
func (h *History) second(part historyPart, rank int, wanted bool) (score, rows int) {
	score, rows = secondPass+2*rank, h.MaxBars
	if part == fundingPart {
		score, rows = score+1, fundingRows
	} else if rank < wholeFirst {
		score = other + h.Ranking().Head
	}
	if wanted {
		score -= wantedFirst
	}
	return score, rows
}
