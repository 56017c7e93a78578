// Package calib fits the models that assessments use from histories of hourly bars: one
// marketcache.AssetModel per asset, published together as a marketcache.Model.
//
//	bars of an asset --> History (vol.State, hmm.Filter, volumes) --> AssetModel
//	                        ^ one step a closed bar                       |
//	cache.BarsChanged --> Loop --------------------------------------> cache.SetModel
//
// A History is the state that is kept of an asset's bars. It is a pure function of these bars:
// adding one bar an hour and fitting from scratch give the same bits.
//
// Missing hours are flat bars (docs/model.md). An invalid bar (vol.Bar.Check) is left out and
// counted, and its hour counts as missing; nothing is repaired.
//
// Only the goroutine of Loop.Run writes the model. Published values never change; their series
// share memory with the History, which only appends.
package calib
