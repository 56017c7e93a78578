package risk

import (
	"cmp"
	"runtime"
	"slices"

	"ballast/compute/joint"
	"ballast/compute/pool"
	mc "ballast/marketcache"
)

// Engine computes assessments. It does not change while it serves and is safe for concurrent
// use, with one Scratch per call. Create it with NewEngine.
type Engine struct {
	ages      Ages
	constants [32]byte // digest of this package's constants

	// pool runs the simulations; nil: the calling goroutine runs them.
	pool *pool.Pool[simulation]
	// simulations is the free list used without a pool: one element for each simulation that may
	// run at once, nil until its first use.
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

// StartPool starts workers that run all simulations until Close, so that simulations do not delay
// other assessments. Call it before the first assessment.
func (e *Engine) StartPool(workers int) { e.pool = pool.New[simulation](workers) }

// Close stops the workers. No assessment may be running.
func (e *Engine) Close() {
	if e.pool != nil {
		e.pool.Close()
	}
}

// Simulators returns the maximum number of simultaneous simulations.
func (e *Engine) Simulators() int {
	if e.pool != nil {
		return e.pool.Size()
	}
	return cap(e.simulations)
}

// Ages returns the age limits, which never change.
func (e *Engine) Ages() *Ages { return &e.ages }

// Scratch is the memory of one assessment: snapshot, working space and result. Create
// it with NewScratch; not safe for concurrent use.
type Scratch struct {
	In  Input
	Out Assessment
	// Explain: fill in Explanation.SizeRule, which costs another score. NewScratch sets it.
	Explain bool
	// Limits are kept by every size that an answer offers.
	Limits Limits
	// Deadline is when an assessment is given up; 0: never. Small wallets without a simulation are not.
	Deadline mc.Instant
	// Late: the last assessment was given up, and means nothing.
	Late bool
	// Refused: a rule that only the snapshot could tell was broken, and nothing was assessed.
	Refused *Reject
	// Pause, unless nil, is called now and then by Size, which takes as long as twenty assessments.
	Pause func()

	account   account
	view      view
	portfolio portfolio
	replay    replay
	probe     probe
	sizer     sizer
	adviser   adviser
	depositor mc.Account // the account with a deposit

	held        *Scratch    // the wallet as held, for the score before a trade that lowers risk; nil until needed
	pools       []PoolState // with a position, after the trade
	poolNumbers []int       // their indexes in account.pools, of a wallet as held
	loading     []LoadingPart
	protections []Protection
	lambdas     []float64
	fits        []*mc.AssetModel
	correlating joint.Scratch

	simulating  simulating
	dependence  []TailDependence
	simulated   []SimulatedPosition
	attribution []PositionVaR
	canon       []byte
	hashed      hashed
}

// lookEvery is the number of positions whose assessment takes longer than a look at the clock by far.
const lookEvery = 64

// late reports whether the deadline has passed, and remembers it.
func (s *Scratch) late() bool {
	s.Late = s.Late || s.Deadline != 0 && mc.Now() > s.Deadline
	return s.Late
}

// pause lets others run, and reports whether the search is given up.
func (s *Scratch) pause() (late bool) {
	if s.Pause != nil {
		s.Pause()
	}
	return s.late()
}

// lateAt is late for every lookEvery-th of a number of positions.
func (s *Scratch) lateAt(positions int) bool { return positions%lookEvery == lookEvery-1 && s.late() }

// large reports whether the wallet has so many positions that each block of an assessment looks at the clock.
func (s *Scratch) large() bool { return len(s.account.positions) >= lookEvery }

// NewScratch returns a scratch for wallets of up to the given number of positions; larger wallets make
// it grow once. Memory that only wallets with positions need is allocated for the first such wallet.
func NewScratch(positions int) *Scratch {
	s := &Scratch{
		In:      Input{Held: make([]AssetInput, 0, positions)},
		Explain: true,
		account: account{positions: make([]position, 0, positions)},

		portfolio:   portfolio{legs: make([]leg, 0, positions+1)},
		fits:        make([]*mc.AssetModel, 0, positions+2),
		attribution: make([]PositionVaR, 0, positions+1),
		canon:       make([]byte, 0, 256+100*positions),
	}
	s.simulating.late = s.late
	return s
}

// calibrationHash is the SHA-256 of the canonical JSON of the constants' digests and the
// digest of each asset used.
func (e *Engine) calibrationHash(s *Scratch) mc.CalibrationHash {
	in := &s.In
	fits := s.fits[:0]
	if in.Target.Model != nil { // nil when a wallet without a position is monitored
		fits = append(fits, in.Target.Model)
	}
	for i := range in.Held {
		fits = append(fits, in.Held[i].Model)
	}
	for i := range in.Backing {
		fits = append(fits, in.Backing[i].Model)
	}
	if len(in.Held)+len(in.Backing) > 0 && in.Rows != nil {
		fits = append(fits, in.Rows) // the joint replay uses its hours
	}
	s.fits = fits
	h, constants := &s.hashed, [2][32]byte{e.constants, in.ModelConstants}
	if h.known && h.constants == constants && slices.Equal(h.fits, fits) {
		return h.hash
	}
	h.known, h.constants, h.fits = true, constants, append(h.fits[:0], fits...)
	slices.SortFunc(fits, func(a, b *mc.AssetModel) int { return cmp.Compare(a.Name, b.Name) })
	s.canon = mc.AppendCalibration(s.canon[:0], &e.constants, &in.ModelConstants, slices.Compact(fits))
	h.hash = mc.HashCalibration(s.canon)
	return h.hash
}

// hashed is the last calibration hash of a scratch and what it was computed from: fits do not change.
type hashed struct {
	known     bool
	constants [2][32]byte
	fits      []*mc.AssetModel
	hash      mc.CalibrationHash
}
