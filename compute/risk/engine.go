package risk

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"runtime"
	"slices"

	"ballast/compute/joint"
	"ballast/compute/pool"
	"ballast/marketcache"
)

// Engine computes assessments. It never changes once it serves and is safe for concurrent
// use, one Scratch a call. Create it with NewEngine.
type Engine struct {
	ages      Ages
	constants [32]byte // digest of this package's constants

	// pool runs the simulations; nil: each on the goroutine that asks.
	pool *pool.Pool[simulation]
	// simulations, without a pool, holds the memory of as many simulations as may run at
	// once; nil where none has been needed yet.
	simulations chan *simulation
}

// NewEngine returns an engine with the given limits on the age of its inputs.
func NewEngine(ages Ages) *Engine {
	e := &Engine{ages: ages, constants: ConstantsDigest()}
	e.simulations = make(chan *simulation, runtime.GOMAXPROCS(0))
	for range cap(e.simulations) {
		e.simulations <- nil
	}
	return e
}

// StartPool gives the simulations workers of their own, so that they do not hold up other
// assessments, until Close. It is called before the first assessment.
func (e *Engine) StartPool(workers int) { e.pool = pool.New[simulation](workers) }

// Close ends the workers. No assessment may be under way.
func (e *Engine) Close() {
	if e.pool != nil {
		e.pool.Close()
	}
}

// Simulators returns how many simulations run at once.
func (e *Engine) Simulators() int {
	if e.pool != nil {
		return e.pool.Size()
	}
	return cap(e.simulations)
}

// Ages returns the limits in force, which do not change.
func (e *Engine) Ages() *Ages { return &e.ages }

// Scratch is the memory of one assessment: photograph, working space and result. Create
// it with NewScratch; one goroutine at a time.
type Scratch struct {
	In  Input
	Out Assessment

	account account
	view    view
	book    book
	replay  replay
	probe   probe // another size of the trade

	positions   []position // of book
	fits        []*marketcache.AssetModel
	matrix      []float64 // [k*k]
	correlating joint.Scratch
	vector      []float64

	simulating  simulating
	ids         []marketcache.AssetID // of book
	dependence  []TailDependence
	simulated   []SimulatedPosition
	attribution []PositionVaR
	canon       []byte
	hash        hash.Hash // SHA-256
}

// NewScratch returns a scratch for wallets of up to the given number of positions;
// larger wallets work too, at the price of growing it once. What only wallets with
// positions need is taken when the first of them comes.
func NewScratch(positions int) *Scratch {
	return &Scratch{
		In:      Input{Held: make([]AssetInput, 0, positions)},
		account: account{positions: make([]position, 0, positions)},

		positions:   make([]position, 0, positions+1),
		fits:        make([]*marketcache.AssetModel, 0, positions+2),
		attribution: make([]PositionVaR, 0, positions+1),
		canon:       make([]byte, 0, 256+100*positions),
		hash:        sha256.New(),
	}
}

// calibrationHash is the SHA-256 of the canonical JSON of the constants' digests and the
// digest of each asset that took part.
func (e *Engine) calibrationHash(s *Scratch) marketcache.CalibrationHash {
	in := &s.In
	if len(in.Held) == 0 && in.Target.Model != nil && in.EngineConstants == e.constants {
		return in.Target.Model.AloneHash
	}
	fits := s.fits[:0]
	if in.Target.Model != nil { // nil: a wallet without a position is watched
		fits = append(fits, in.Target.Model)
	}
	for i := range in.Held {
		fits = append(fits, in.Held[i].Model)
	}
	if len(in.Held) > 0 && in.Rows != nil {
		fits = append(fits, in.Rows) // the joint simulation replays its hours
	}
	s.fits = fits
	slices.SortFunc(fits, func(a, b *marketcache.AssetModel) int { return cmp.Compare(a.Name, b.Name) })
	s.canon = marketcache.AppendCalibration(s.canon[:0], &e.constants, &in.ModelConstants, slices.Compact(fits))
	s.hash.Reset()
	s.hash.Write(s.canon)
	var digits marketcache.CalibrationHash
	hex.Encode(digits[:], s.hash.Sum(s.canon[:0]))
	return digits
}
