package risk

import (
	"math"

	mc "ballast/marketcache"
)

// Impact is the expected lasting price move caused by the trade.
type Impact struct {
	ExpectedBps      float64 // 0 to 5,000
	ParticipationPct float64 // of the 24 h volume, 0 to 1,000,000
}

const (
	// lastingShare is the part of the peak impact that remains (fair pricing); the temporary part is
	// already in the slippage.
	lastingShare        = 2.0 / 3
	maxImpactBps        = 5000
	maxParticipationPct = 1_000_000
	minVolumeUSD        = 1000
	// quietDayShare is the least share of the week's mean volume that counts as a day's volume.
	quietDayShare       = 0.25
	minParticipationUSD = 1
)

// volume returns the daily volume (USD) that impact uses and the one that participation uses: one quiet
// day of a liquid week is not the end, and no trade for a day is worse than little.
func (mk *marketView) volume() (impact, participation float64) {
	day, week := mk.in.Market.Context.DayVolumeUSD, mk.model.VolumeUSD7d/7
	impact = max(day, week)
	if day == 0 {
		impact = max(week, minVolumeUSD)
	}
	return impact, max(day, quietDayShare*week, minParticipationUSD)
}

// impactBps is the square-root law for a notional q: (2/3)*sigma_d*sqrt(q/V).
//
// Sources: Almgren et al. 2005; Toth et al. 2011; Donier and Bonart 2015; Sato and
// Kanazawa 2024; the lasting share after Farmer et al. 2013.
func (mk *marketView) impactBps(q float64) float64 {
	v, _ := mk.volume()
	return min(lastingShare*mk.averageSigma()*math.Sqrt(q/v)*bpsPerUnit, maxImpactBps)
}

// averageSigma is the standard deviation of an average day, as the volume is an average day's.
func (mk *marketView) averageSigma() float64 {
	return math.Sqrt(mk.model.AverageVariance[mc.H24] * mk.model.Kappa2[mc.H24])
}

func (mk *marketView) impact(q float64) Impact {
	_, v := mk.volume()
	return Impact{ExpectedBps: mk.impactBps(q), ParticipationPct: min(pctPerUnit*q/v, maxParticipationPct)}
}
