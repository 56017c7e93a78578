package copula

import "ballast/marketcache"

// FitModels fits the tail dependence of two assets over the hours up to the last hour that both
// have. An asset without returns has no pair.
func FitModels(f *Fitter, a, b *marketcache.AssetModel) marketcache.TailPair {
	if a.Daily == nil || b.Daily == nil {
		return marketcache.TailPair{}
	}
	if a.Asset > b.Asset {
		a, b = b, a // the order of a sum changes its bits
	}
	x, y := a.Daily.Values, b.Daily.Values
	lead := (b.Daily.FirstHour + int64(len(y))) - (a.Daily.FirstHour + int64(len(x)))
	switch {
	case lead >= int64(len(y)) || -lead >= int64(len(x)):
		return marketcache.TailPair{} // no hour in common
	case lead > 0:
		y = y[:int64(len(y))-lead]
	default:
		x = x[:int64(len(x))+lead]
	}
	return TailPair(f.FitSeries(Prepare(FourHourReturns(nil, x)), Prepare(FourHourReturns(nil, y))))
}

// TailPair converts a fitted pair to its published form.
func TailPair(p Pair, known bool) marketcache.TailPair {
	if !known {
		return marketcache.TailPair{}
	}
	return marketcache.TailPair{
		Known: true, RhoTau: p.RhoTau, Pearson: p.Pearson, Nu: p.Nu, LogLik: p.LogLik, Lambda: p.Lambda,
	}
}
