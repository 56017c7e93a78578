package exchange

// UpdateLeverage sets leverage and margin mode of a market.
type UpdateLeverage struct {
	Asset    uint32
	Cross    bool
	Leverage uint64
}

func (a *UpdateLeverage) Type() string { return "updateLeverage" }
func (a *UpdateLeverage) Class() Class { return Margin }

func (a *UpdateLeverage) fields(v visitor) {
	v.uint32("asset", &a.Asset)
	v.bool("isCross", &a.Cross)
	v.uint64("leverage", &a.Leverage, must)
}

// UpdateIsolatedMargin moves margin to or from an isolated position.
type UpdateIsolatedMargin struct {
	Asset uint32
	Buy   bool
	USD   int64 // 1e-6 USD; negative takes out
}

func (a *UpdateIsolatedMargin) Type() string { return "updateIsolatedMargin" }

// Class is NeverEnlarges if margin is added.
func (a *UpdateIsolatedMargin) Class() Class {
	if a.USD > 0 {
		return NeverEnlarges
	}
	return Margin
}

func (a *UpdateIsolatedMargin) fields(v visitor) {
	v.uint32("asset", &a.Asset)
	v.bool("isBuy", &a.Buy)
	v.int64("ntli", &a.USD)
}
