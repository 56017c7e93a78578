// Package calib fits the models that assessments use. From the hourly bars of each asset it makes
// one marketcache.AssetModel; together they are published as a marketcache.Model.
//
//	bars of an asset --> History (vol.State, hmm.Filter, volumes) --> AssetModel
//	                        ^ one step per closed bar                     |
//	cache.BarsChanged --> Loop --------------------------------------> cache.SetModel
//
// A History holds the state computed from an asset's bars. It is a pure function of these bars:
// adding one bar per hour and fitting from scratch give the same bits.
//
// Missing hours are flat bars (docs/model.md). An invalid bar (vol.Bar.Check) is left out and
// counted, and its hour counts as missing; nothing is repaired.
//
// Only the goroutine of Loop.Run writes the model. Published values never change; their series
// share memory with the History, which only appends.
package calib
