package risk

// OpenInterest says how full the asset is.
type OpenInterest struct {
	CurrentUSD     float64 // one side
	AtCap          bool
	UtilizationPct float64 // of the estimated cap, 0 to 100
	CapUSD         float64 // published or estimated; not part of the answer
}

const (
	capOverMaximum = 1.5
	capOverVolume  = 0.5
	minCapUSD      = 5e6
)

// openInterest estimates the cap where the venue publishes none: the largest of one and
// a half times the highest open interest seen, half the daily volume, and a floor. What
// was open when the asset was last at its cap replaces the first when it is larger than
// what is open now.
func (mk *marketView) openInterest() OpenInterest {
	m := &mk.in.Market
	out := OpenInterest{CurrentUSD: m.Context.OpenInterestUnits * mk.mark, AtCap: m.AtCap}
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
