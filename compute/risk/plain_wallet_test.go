package risk

import (
	"math"
	"slices"
	"testing"
)

// The tests of this file recompute the optional blocks and the portfolio blocks from docs/model.md
// in the simplest way: loops, sorts and numerical derivatives over the snapshot. The
// computations call none of the code that they check.

// agree compares two computations of a figure.
func agree(t *testing.T, what string, got, want float64) {
	t.Helper()
	agreeTo(t, what, got, want, math.Abs(want))
}

// agreeTo compares two computations of a figure that is a small difference of numbers as large as
// scale.
func agreeTo(t *testing.T, what string, got, want, scale float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*scale+1e-12) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

// plainQuantile returns the type-7 quantile.
func plainQuantile(x []float64, p float64) float64 {
	y := slices.Sorted(slices.Values(x))
	h := p * float64(len(y)-1)
	lo := int(h)
	if lo+1 == len(y) {
		return y[lo]
	}
	return y[lo] + (h-float64(lo))*(y[lo+1]-y[lo])
}

// plainUpperMean returns the mean of the values that are at least q.
func plainUpperMean(x []float64, q float64) float64 {
	sum, n := 0.0, 0.0
	for _, v := range x {
		if v >= q {
			sum, n = sum+v, n+1
		}
	}
	return sum / n
}

func plainNormal(x float64) float64  { return math.Erfc(-x/math.Sqrt2) / 2 }
func plainDensity(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// derivative returns the five-point difference quotient.
func derivative(f func(float64) float64, x, h float64) float64 {
	return (8*(f(x+h)-f(x-h)) - (f(x+2*h) - f(x-2*h))) / (12 * h)
}

// plainT4 inverts the distribution function of Student's t with 4 degrees of freedom.
func plainT4(p float64) float64 {
	cdf := func(t float64) float64 {
		w := t / math.Sqrt(4+t*t)
		return 0.5 + 0.75*w - 0.25*w*w*w
	}
	lo, hi := -1e3, 1e3
	for range 200 {
		if mid := (lo + hi) / 2; cdf(mid) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// plainBps returns the slippage in bps on one side of the test book: 20 levels of usd each (at
// mid), 1 bp apart, with the same density beyond. An order of x times the visible book walks 20*x
// levels.
func plainBps(usd, mid, units float64) float64 {
	left, offset := units, 0.0
	for i := 1; i <= 20 && left > 0; i++ {
		take := min(left, usd/mid)
		offset, left = offset+take*float64(i), left-take
	}
	if left > 0 {
		all := 20 * usd / mid
		end := units / all
		rising := min(end, 5000.0/20)
		offset += all * (20*(rising*rising-1)/2 + 5000*(end-rising))
	}
	if units <= 0 {
		return 0
	}
	return offset / units
}

// plainMaintenance returns the maintenance margin in USD of a test asset: 40x, and 20x from 150 M
// USD.
func plainMaintenance(notional float64) float64 {
	if notional < 150e6 {
		return notional / 80
	}
	return 150e6/80 + (notional-150e6)/40
}

// plainFunding returns the expected funding of 24 hours for the hourly rate f, which reverts to the
// mean.
func plainFunding(f, mean float64) float64 {
	sum, deviation := 0.0, f-mean
	for range 24 {
		deviation *= 0.95
		sum += mean + deviation
	}
	return sum
}

// plainLeg is one position after the trade.
type plainLeg struct {
	asset    string
	in       *AssetInput
	units    float64
	mark     float64
	leverage float64
	isolated bool
	equity   float64 // USD, of an isolated position
}

func (l *plainLeg) signed() float64 { return l.units * l.mark }

// plainWallet is the wallet after the trade.
type plainWallet struct {
	legs  []plainLeg
	pool  float64 // USD: equity of the cross positions
	gross float64
	// assumed: the account is empty, and its margin is assumed.
	assumed bool
}

// plainTrade fills a trade in the test market: marks equal mids, fees are 4.5 bps of the fill, 1 M
// USD per level.
func plainTrade(in *Input) plainWallet {
	const usd = 1e6
	var w plainWallet
	p, target := in.Target.Market.Context.MarkPrice, -1
	value, q0, isoBefore := 0.0, 0.0, 0.0
	w.pool = in.Account.CrossAccountValueUSD
	for i, pos := range in.Account.Positions {
		mark := in.Held[i].Market.Context.MarkPrice
		l := plainLeg{asset: pos.Name, in: &in.Held[i], units: pos.Units, mark: mark, leverage: pos.Leverage,
			isolated: pos.Isolated}
		if pos.Isolated {
			l.equity = pos.RawUSD + pos.Units*mark
			value += max(l.equity, 0)
		} else {
			w.pool += pos.Units * (mark - pos.ValueUSD/math.Abs(pos.Units))
		}
		if pos.Asset == in.Trade.Asset {
			target, q0 = i, pos.Units
			if pos.Isolated {
				isoBefore = l.equity
			}
		}
		w.legs = append(w.legs, l)
	}
	value += max(w.pool, 0)
	empty := len(w.legs) == 0 && w.pool > -0.01 && value < 1

	u := in.Trade.SizeUSD / p
	switch in.Trade.Action {
	case ActionShort:
		u = -u
	case ActionClose:
		u = -math.Copysign(min(u, math.Abs(q0)), q0)
		if q0 == 0 {
			u = 0 // the cost is computed, but nothing is filled
		}
	}
	q1 := q0 + u
	if math.Abs(q1)*p < 1e-6 {
		q1 = 0
	}
	flip := q0*q1 < 0
	reduce := q0 != 0 && !flip && math.Abs(q1) < math.Abs(q0)
	isolated := in.Trade.Mode == Isolated
	if target >= 0 {
		isolated = w.legs[target].isolated
	}
	n := math.Abs(q1) * p
	leverage := in.Trade.Leverage
	if n >= 150e6 {
		leverage = min(leverage, 20)
	}
	if d := in.Trade.Leverage; target >= 0 && isoBefore != 0 || target >= 0 && isolated {
		// The venue refuses less than the margin of the open isolated position carries.
		if floor := math.Abs(q0) * p / isoBefore; isoBefore <= 0 || d < floor*(1-1e-9) {
			if leverage = w.legs[target].leverage; n >= 150e6 {
				leverage = min(leverage, 20)
			}
		}
	}
	// price difference between fill and mark, positive for a buy
	worse := math.Copysign(plainBps(usd, p, math.Abs(u))*1e-4*p, u)
	fee := math.Abs(u) * (p + worse) * testTaker
	equity := 0.0
	switch {
	case u == 0:
	case isolated:
		opened, posted := u, 0.0
		switch {
		case reduce:
			equity = isoBefore * math.Abs(q1/q0)
			w.pool += -fee + isoBefore*math.Abs(u/q0) - u*worse
		case flip, q0 == 0:
			opened, posted = q1, n/leverage
			equity = posted - opened*worse
			w.pool += -fee - posted + isoBefore + q0*worse
		default:
			posted = math.Abs(u) * p / leverage
			equity = isoBefore + posted - u*worse
			w.pool += -fee - posted
		}
		if empty {
			equity, w.pool, w.assumed = n/leverage, 0, true
		}
	case empty:
		w.pool, w.assumed = n/leverage, true
	default:
		w.pool += -fee - u*worse
	}
	after := plainLeg{
		asset: in.Target.Market.Asset.Name, in: &in.Target, units: q1, mark: p, leverage: leverage, isolated: isolated,
		equity: equity,
	}
	switch {
	case target >= 0 && q1 == 0:
		w.legs = slices.Delete(w.legs, target, target+1)
	case target >= 0:
		w.legs[target] = after
	case q1 != 0:
		w.legs = append(w.legs, after)
	}
	for i := range w.legs {
		w.gross += math.Abs(w.legs[i].signed())
	}
	return w
}
