// Package calib turns histories of hourly bars into the models that assessments
// read: one marketcache.AssetModel an asset, published together as a
// marketcache.Model.
//
//	bars of an asset --> History (vol.State, hmm.Filter, volumes) --> AssetModel
//	                        ^ one step a closed bar                       |
//	cache.BarsChanged --> Loop --------------------------------------> cache.SetModel
//
// A History is what the engine remembers of an asset. It is a pure function of the
// bars it was given, so a loop that takes one bar an hour and a fit from scratch
// publish the same bits.
//
// Missing hours are flat bars (docs/model.md). A bar that cannot be (vol.Bar.Check) is
// left out and counted, which makes its hour a missing one; nothing is repaired.
//
// One goroutine, Loop.Run, writes the model. What it publishes is never changed
// again; the series inside are shared with the History, which only writes behind
// their end.
package calib
