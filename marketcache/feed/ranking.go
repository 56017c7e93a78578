package feed

import (
	"cmp"
	"slices"

	"ballast/marketcache"
)

// Ranking lists assets by falling open interest. Immutable.
type Ranking struct {
	IDs  []marketcache.AssetID
	Head int   // the first Head of IDs together have headShare of all open interest
	rank []int // by AssetID
}

// headShare is a share of all open interest. The service is ready when the largest assets, which together
// have this share, are ready.
const headShare = 0.80

// Rank ranks the assets in a cache's universe by their open interest there.
func Rank(c *marketcache.Cache) *Ranking {
	u, now := c.Universe(), marketcache.Now()
	r := &Ranking{rank: make([]int, len(u.Assets))}
	usd := make([]float64, len(u.Assets))
	total := 0.0
	for _, a := range u.Assets {
		if a.Delisted {
			continue
		}
		r.IDs = append(r.IDs, a.ID)
		if c, _, ok := c.Contexts(a.ID).Latest(now, marketcache.Forever); ok {
			usd[a.ID] = c.OpenInterestUnits * c.MarkPrice
			total += usd[a.ID]
		}
	}
	slices.SortStableFunc(r.IDs, func(a, b marketcache.AssetID) int { return cmp.Compare(usd[b], usd[a]) })
	sum := 0.0
	for i, id := range r.IDs {
		r.rank[id] = i
		if sum < headShare*total {
			r.Head = i + 1
		}
		sum += usd[id]
	}
	return r
}

// share returns an asset's rank divided by the number of listed assets: 0 for the highest open
// interest, up to 1.
func (r *Ranking) share(id marketcache.AssetID) float64 {
	if int(id) >= len(r.rank) || len(r.IDs) == 0 {
		return 1
	}
	return float64(r.rank[id]) / float64(len(r.IDs))
}
