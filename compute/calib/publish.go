package calib

import (
	"crypto/sha256"
	"slices"

	"ballast/compute/joint"
	"ballast/marketcache"
)

// Publish returns the model made of finished fits, indexed by AssetID (nil: no fit). The fits are
// aligned with the hours of bitcoin's fit, and the sums for their correlations are added. engine is the
// digest of the constants of the assessment that uses the model. The fits are copied and not changed.
func Publish(name string, engine [32]byte, fits []*marketcache.AssetModel, bitcoin marketcache.AssetID) *marketcache.Model {
	return newPublisher(name, engine).model(fits, bitcoin, joint.Sums(fits))
}

// publisher turns fits into models. It remembers its results, to reuse them.
type publisher struct {
	name       string
	parameters []byte // canonical JSON of the constants
	constants  [32]byte
	engine     [32]byte                // digest of the assessment's constants
	unknown    *marketcache.AssetModel // fit of an unknown asset
	aligned    []aligned               // by AssetID+1; index 0 is the unknown asset
}

// aligned holds BTC's fit (rows), an asset's fit, and the published copy of fit aligned with rows.
type aligned struct{ rows, fit, published *marketcache.AssetModel }

func newPublisher(name string, engine [32]byte) *publisher {
	p := &publisher{name: name, engine: engine, parameters: Constants()}
	p.constants = sha256.Sum256(p.parameters)
	p.unknown = NewHistory().Model(marketcache.NoAsset, "", &Scratch{})
	return p
}

// model returns the model of the fits.
func (p *publisher) model(fits []*marketcache.AssetModel, bitcoin marketcache.AssetID, c *marketcache.Correlations) *marketcache.Model {
	var rows *marketcache.AssetModel
	if bitcoin >= 0 && int(bitcoin) < len(fits) {
		rows = fits[bitcoin]
	}
	m := &marketcache.Model{
		Name: p.name, Assets: slices.Clone(fits), Parameters: p.parameters, Constants: p.constants, EngineConstants: p.engine,
		Unknown: p.align(0, rows, p.unknown), Correlations: c,
	}
	h := sha256.New()
	h.Write(p.constants[:])
	for id, fit := range fits {
		if fit != nil {
			m.Assets[id] = p.align(id+1, rows, fit)
			m.Calibrated++
			h.Write(fit.Digest[:])
		}
	}
	h.Sum(m.Digest[:0])
	return m
}

// align returns a copy of fit aligned with the hours of rows, BTC's fit. It returns the previous
// copy when neither fit has changed.
func (p *publisher) align(slot int, rows, fit *marketcache.AssetModel) *marketcache.AssetModel {
	for len(p.aligned) <= slot {
		p.aligned = append(p.aligned, aligned{})
	}
	a := &p.aligned[slot]
	if a.published == nil || a.rows != rows || a.fit != fit {
		tied := *fit
		tied.Joint = joint.Align(rows, fit)
		tied.AloneHash = marketcache.HashCalibration(marketcache.AppendCalibration(nil, &p.engine, &p.constants, []*marketcache.AssetModel{fit}))
		*a = aligned{rows, fit, &tied}
	}
	return a.published
}
