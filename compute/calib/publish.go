package calib

import (
	"crypto/sha256"
	"slices"

	"ballast/compute/joint"
	"ballast/marketcache"
)

// Publish returns the model of finished fits, indexed by AssetID, nil where there is none:
// the fits tied to the hours of the one of bitcoin, with the sums behind their
// correlations. engine is the digest of the constants of the assessment that the model is
// for. The fits are copied and stay as they are.
func Publish(name string, engine [32]byte, fits []*marketcache.AssetModel, bitcoin marketcache.AssetID) *marketcache.Model {
	return newPublisher(name, engine).model(fits, bitcoin, joint.Sums(fits))
}

// publisher turns fits into models. It remembers what it has tied together.
type publisher struct {
	name       string
	parameters []byte // canonical JSON of the constants
	constants  [32]byte
	engine     [32]byte                // digest of the assessment's constants
	unknown    *marketcache.AssetModel // of which nothing is known
	aligned    []aligned               // by AssetID+1, the first that of the unknown asset
}

// aligned is a fit as it is published beside a fit of BTC.
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

// align returns a copy of fit tied to the hours of rows: the same as before while neither
// has changed.
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
