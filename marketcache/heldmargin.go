package marketcache

import "math"

// HeldStandard returns the interval of the margin that the venue keeps for the resting orders of a standard
// account, USD. equity, initial and notional are those of the cross positions of a dex, withdrawable is what
// the venue would pay out of it.
//
// A withdrawal must leave a tenth of the notional. Whether withdrawable already leaves it is not known, so
// where a tenth is more than the initial margins the difference may be either. withdrawable is NaN if it is
// not known; there is no bound then.
func HeldStandard(equity, initial, notional, withdrawable float64) (held, most float64) {
	missing := equity - initial - withdrawable
	tenth := max(0, notional/10-initial)
	eps := roundingUSD(equity)
	switch {
	case equity-initial <= eps || missing <= eps:
		return 0, 0
	case math.IsNaN(withdrawable):
		return 0, math.Inf(1)
	case tenth <= eps || withdrawable > eps && missing < tenth-eps:
		return missing, missing
	case withdrawable > eps && missing <= tenth+eps:
		return 0, 0
	}
	return max(0, missing-tenth), missing
}

// HeldPooled is HeldStandard for a pooled account. hold is what the venue holds of the pool's token, the
// rest are the isolated margins and the initial and maintenance margins of the cross positions, over all
// dexes of the token. How much hold contains of the cross positions is not known.
func HeldPooled(hold, isolated, initial, maintenance float64) (held, most float64) {
	held = max(0, hold-isolated-initial)
	if eps := roundingUSD(hold); initial > eps && hold < isolated+initial-eps {
		return held, max(0, hold-isolated-maintenance)
	}
	return held, held
}

// roundingUSD is a difference that is no more than rounding in the venue's figures.
func roundingUSD(usd float64) float64 { return 1e-6 * max(1, math.Abs(usd)) }
