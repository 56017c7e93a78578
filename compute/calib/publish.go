package calib

import (
	"crypto/sha256"
	"slices"

	"ballast/compute/joint"
	"ballast/marketcache"
)

// Publish returns the model made of finished fits, indexed by AssetID (nil: no fit). The fits are
// aligned with the hours of bitcoin's fit, and the sums for their correlations are added. The fits are copied
// and not changed.
func Publish(fits []*marketcache.AssetModel, bitcoin marketcache.AssetID) *marketcache.Model {
	return newPublisher().model(fits, bitcoin, joint.Sums(fits))
}

// calibrationName is the name of the calibration in answers.
const calibrationName = "fhs-px"

// publisher turns fits into models. It remembers its results, to reuse them.
type publisher struct {
	parameters []byte // canonical JSON of the constants
	constants  [32]byte
	// unknown are the fits of assets without data, by class, whose forecasts begin at hour.
	unknown        [marketcache.ClassCount]*marketcache.AssetModel
	hour           int64
	alignedUnknown [marketcache.ClassCount]aligned
	aligned        []aligned // by AssetID
}

// aligned holds BTC's fit (rows), an asset's fit, and the published copy of fit aligned with rows.
type aligned struct{ rows, fit, published *marketcache.AssetModel }

func newPublisher() *publisher {
	p := &publisher{parameters: Constants()}
	p.constants = sha256.Sum256(p.parameters)
	p.await(0)
	return p
}

// await makes the fits of assets without data anew, for forecasts that begin at an hour.
func (p *publisher) await(hour int64) {
	for class := range p.unknown {
		h := NewHistory(marketcache.Class(class))
		h.state.Await(hour)
		p.unknown[class] = h.Model(marketcache.NoAsset, "", &Scratch{})
	}
	p.hour = hour
}

// model returns the model of the fits.
func (p *publisher) model(
	fits []*marketcache.AssetModel, bitcoin marketcache.AssetID, c *marketcache.Correlations,
) *marketcache.Model {
	var rows *marketcache.AssetModel
	if bitcoin >= 0 && int(bitcoin) < len(fits) {
		rows = fits[bitcoin]
	}
	if rows != nil && rows.Bars > 0 && rows.LastHour+1 != p.hour {
		p.await(rows.LastHour + 1)
	}
	m := &marketcache.Model{
		Name: calibrationName, Assets: slices.Clone(fits), Parameters: p.parameters, Constants: p.constants,
		Correlations: c,
	}
	for class, fit := range p.unknown {
		m.UnknownOf[class] = p.align(&p.alignedUnknown[class], rows, fit)
	}
	m.Unknown = m.UnknownOf[marketcache.ClassCrypto]
	for len(p.aligned) < len(fits) {
		p.aligned = append(p.aligned, aligned{})
	}
	h := sha256.New()
	h.Write(p.constants[:])
	for id, fit := range fits {
		if fit != nil {
			m.Assets[id] = p.align(&p.aligned[id], rows, fit)
			m.Calibrated++
			h.Write(fit.Digest[:])
		}
	}
	h.Sum(m.Digest[:0])
	return m
}

// align returns a copy of fit aligned with the hours of rows, BTC's fit. It returns the previous
// copy, in a, when neither fit has changed.
func (p *publisher) align(a *aligned, rows, fit *marketcache.AssetModel) *marketcache.AssetModel {
	if a.published == nil || a.rows != rows || a.fit != fit {
		tied := *fit
		tied.Joint = joint.Align(rows, fit)
		*a = aligned{rows, fit, &tied}
	}
	return a.published
}
