package sim

// The premium of an asset is a moving average of hashed hourly shocks, most of them small.
const (
	premiumMemory = 64   // hours
	premiumDecay  = 0.88 // per hour
	spikeShare    = 0.003
)

// premiumAt returns the premium at the start of an hour, from the last premiumMemory hours, so that any
// hour can be computed alone.
func (a *asset) premiumAt(hour int64) float64 {
	x, w := 0.0, 1.0
	for j := range int64(premiumMemory) {
		h := hour - j
		// 0.475 = sqrt(1-decay^2): premiumSD is then the standard deviation of the sum.
		x += w * 0.475 * a.premiumSD * a.fund.normal(2*h)
		if a.fund.uniform(2*h+1) < spikeShare {
			// The draw that selects a spike is always small, so the spike's size needs a new draw.
			x += w * 12 * a.premiumSD * key(a.fund.bits(2*h+1)).normal(0)
		}
		w *= premiumDecay
	}
	return a.premiumMean + x
}

// premium returns the premium at a wall-clock time, and its mean since the start of the hour; zero for an
// asset that trades at one price or not at all.
func (a *asset) premium(ms int64) (now, mean float64) {
	if a.life == frozen || a.life == unopened {
		return 0, 0
	}
	hour := floorDiv(ms, hourMs)
	frac := float64(ms-hour*hourMs) / hourMs
	from, to := a.premiumAt(hour), a.premiumAt(hour+1)
	return from + (to-from)*frac, from + (to-from)*frac/2
}

// paid returns the rate and premium of a completed hour.
func (a *asset) paid(hour int64) (rate, premium float64) {
	if a.life != frozen {
		premium = (a.premiumAt(hour) + a.premiumAt(hour+1)) / 2
	}
	return fundingRate(premium), premium
}

// fundingRate returns the hourly rate for a premium P: an eighth of P + clamp(0.0001 - P, -0.0005, 0.0005), at most
// 4 %.
func fundingRate(premium float64) float64 {
	eight := premium + min(max(0.0001-premium, -0.0005), 0.0005)
	return min(max(eight/8, -0.04), 0.04)
}
