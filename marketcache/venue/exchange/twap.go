package exchange

// TWAPOrder is an order that the venue splits over time.
type TWAPOrder struct {
	TWAP       TWAP
	HasDetails bool
	Details    TWAPDetails
}

// TWAP is what a TWAPOrder trades.
type TWAP struct {
	Asset      uint32
	Buy        bool
	Size       Decimal // base units
	ReduceOnly bool
	Minutes    uint64
	Randomize  bool
}

// TWAPDetails are the trigger and the stop of a TWAPOrder.
type TWAPDetails struct {
	HasTrigger bool
	Trigger    TWAPTrigger
	HasStop    bool
	Stop       Decimal
}

// TWAPTrigger is the price at which a TWAPOrder begins.
type TWAPTrigger struct {
	Price Decimal
	Above bool
}

func (a *TWAPOrder) Type() string { return "twapOrder" }

// Class is NeverEnlarges if the order only reduces.
func (a *TWAPOrder) Class() Class { return classOf(!a.TWAP.ReduceOnly || !IsPerp(a.TWAP.Asset)) }

func (a *TWAPOrder) fields(v visitor) {
	v.object("twap", &a.TWAP, must)
	v.object("details", &a.Details, maybe(&a.HasDetails))
}

func (t *TWAP) fields(v visitor) {
	v.uint32("a", &t.Asset)
	v.bool("b", &t.Buy)
	v.str("s", &t.Size, must)
	v.bool("r", &t.ReduceOnly)
	v.uint64("m", &t.Minutes, must)
	v.bool("t", &t.Randomize)
}

func (d *TWAPDetails) fields(v visitor) {
	v.object("t", &d.Trigger, orNull(&d.HasTrigger))
	v.str("s", &d.Stop, orNull(&d.HasStop))
}

func (t *TWAPTrigger) fields(v visitor) {
	v.str("p", &t.Price, must)
	v.bool("a", &t.Above)
}

// TWAPCancel ends a TWAPOrder.
type TWAPCancel struct {
	Asset uint32
	ID    uint64
}

func (a *TWAPCancel) Type() string { return "twapCancel" }
func (a *TWAPCancel) Class() Class { return NeverEnlarges }

func (a *TWAPCancel) fields(v visitor) {
	v.uint32("a", &a.Asset)
	v.uint64("t", &a.ID, must)
}

// TrailingStop is a stop that follows the price.
type TrailingStop struct {
	Asset         uint32
	Buy           bool
	Size          Decimal // base units
	ReduceOnly    bool
	Retracement   Retracement
	HasActivation bool
	Activation    Decimal // price
}

// Retracement is how far the price must turn back: a price difference or a percentage.
type Retracement struct {
	ByPrice bool
	Price   Decimal // if ByPrice
	Percent string  // otherwise, such as 5.0000%
}

func (a *TrailingStop) Type() string { return "trailingStop" }

// Class is NeverEnlarges if the order only reduces.
func (a *TrailingStop) Class() Class { return classOf(!a.ReduceOnly || !IsPerp(a.Asset)) }

func (a *TrailingStop) fields(v visitor) {
	v.uint32("asset", &a.Asset)
	v.bool("isBuy", &a.Buy)
	v.str("sz", &a.Size, must)
	v.bool("reduceOnly", &a.ReduceOnly)
	v.object("retracement", &a.Retracement, must)
	v.str("activationPx", &a.Activation, orNull(&a.HasActivation))
}

func (r *Retracement) fields(v visitor) {
	percent := !r.ByPrice
	v.str("px", &r.Price, maybe(&r.ByPrice))
	v.str("pct", (*plainText)(&r.Percent), maybe(&percent))
}

func (r *Retracement) check() (name, problem, mend string) {
	if r.ByPrice == (r.Percent != "") {
		return "px", "does not stand alone", "write either px or pct"
	}
	return "", "", ""
}
