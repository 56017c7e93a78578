package sim

// premiumAt returns the premium at the start of an hour.
func (a *asset) premiumAt(hour int64) float64 { return a.premiumMean + a.premiumSD*a.fund.normal(hour) }

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
