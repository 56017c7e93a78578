package sim

import "math"

// premiumLaw is the hourly premium of one asset: a moving average of hashed shocks, most of them small.
type premiumLaw struct {
	mean, sd float64 // fraction of oracle
	shock    key
	rule     fundingRule
}

// newPremiumLaw gives illiquid assets a wider premium.
func newPremiumLaw(a *asset) premiumLaw {
	volume := max(a.volumeMUSD, 0.3)
	sd := 0.0008 * math.Pow(volume, -0.16) // 0.0002 for BTC, 0.0008 at a million USD a day
	return premiumLaw{mean: 0.3 * sd * a.fund.normal(-1), sd: sd, shock: a.fund, rule: a.rule}
}

const (
	premiumMemory = 64   // hours
	premiumDecay  = 0.88 // per hour
	spikeShare    = 0.003
)

// at returns the premium at the start of an hour, from the last premiumMemory hours, so that any hour
// can be computed alone.
func (p premiumLaw) at(hour int64) float64 {
	x, w := 0.0, 1.0
	for j := range int64(premiumMemory) {
		h := hour - j
		// 0.475 = sqrt(1-decay^2): sd is then the standard deviation of the sum.
		x += w * 0.475 * p.sd * p.shock.normal(2*h)
		if p.shock.uniform(2*h+1) < spikeShare {
			// A spike is selected by a small draw, so its size is drawn from a new hash.
			x += w * 12 * p.sd * key(p.shock.bits(2*h+1)).normal(0)
		}
		w *= premiumDecay
	}
	return p.mean + x
}

// during returns the premium at a fraction of an hour, and its mean since the start of the hour.
func (p premiumLaw) during(hour int64, frac float64) (now, mean float64) {
	a, b := p.at(hour), p.at(hour+1)
	return a + (b-a)*frac, a + (b-a)*frac/2
}

// rate returns the hourly rate for a premium, at most 4 %.
func (r fundingRule) rate(premium float64) float64 {
	eight := premium + min(max(r.interest-premium, -r.clamp), r.clamp)
	return min(max(r.multiplier*eight/8, -0.04), 0.04)
}

// paid returns the rate and premium of a completed hour.
func (p premiumLaw) paid(hour int64) (rate, premium float64) {
	premium = (p.at(hour) + p.at(hour+1)) / 2
	return p.rule.rate(premium), premium
}
