package risk

// OpenInterest describes the asset's open interest and its cap.
type OpenInterest struct {
	CurrentUSD     float64 // long side only, which equals the short side
	AtCap          bool
	UtilizationPct float64 // of the estimated cap, 0 to 100
	CapUSD         float64 // published or estimated; not part of the answer
	// CapObserved: the cap is published, or the asset is at its cap now, or the estimate rests on
	// at least 30 recorded daily maxima. Otherwise the cap is a guess. Not part of the answer.
	CapObserved bool
}

const (
	capOverMaximum = 1.5
	capOverVolume  = 0.5
	minCapUSD      = 5e6
	observedDays   = 30 // days with a recorded maximum, within the last 180
)

// openInterest estimates the cap where the venue publishes none: the largest of one and a half times the
// highest open interest seen, half the daily volume, and a floor. If the asset was at its cap in the last
// 30 days with an open interest above the current one, that value replaces the first of the three.
func (mk *marketView) openInterest() OpenInterest {
	m := &mk.in.Market
	out := OpenInterest{CurrentUSD: m.Context.OpenInterestUnits * mk.mark, AtCap: m.AtCap}
	out.CapObserved = m.Asset.CapUSD > 0 || out.AtCap || m.Interest != nil && m.Interest.Days >= observedDays
	switch {
	case m.Asset.CapUSD > 0:
		out.CapUSD = m.Asset.CapUSD
	case out.AtCap:
		out.CapUSD = out.CurrentUSD
	default:
		highest := out.CurrentUSD
		seen := 0.0
		if m.Interest != nil {
			highest, seen = max(highest, m.Interest.MaxUSD180d), m.Interest.AtCapUSD30d
		}
		anchor := capOverMaximum * highest
		if seen > out.CurrentUSD {
			anchor = seen
		}
		out.CapUSD = max(anchor, capOverVolume*mk.model.VolumeUSD30d, minCapUSD)
	}
	switch {
	case out.AtCap:
		out.UtilizationPct = pctPerUnit
	case out.CapUSD > 0:
		out.UtilizationPct = min(pctPerUnit, pctPerUnit*out.CurrentUSD/out.CapUSD)
	}
	return out
}
