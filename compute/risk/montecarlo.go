package risk

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"ballast/compute/copula"
	"ballast/compute/joint"
	montecarlo "ballast/compute/mc"
	"ballast/compute/stats"
	"ballast/compute/vol"
	mc "ballast/marketcache"
)

// MonteCarlo is the simulated P&L of the position after the fill over 24 hours, percent of
// notional: VaR and shortfall are losses, positive; the other fields are signed.
type MonteCarlo struct {
	Known        bool // the request asked for it
	Simulations  int
	VaR95, VaR99 float64
	ES95, ES99   float64
	Median       float64
	Worst        float64
	Lower, Upper float64 // the central 95 % of the outcomes

	// Standard errors of VaR95 and VaR99, and the share of paths that are liquidated; explanation only.
	SE95, SE99      float64
	LiquidatedShare float64
}

// PortfolioSimulation is the simulated joint loss after the trade over 24 hours, USD: a
// Student t copula with each asset's own outcomes as marginals.
type PortfolioSimulation struct {
	Known                  bool // the request asked for it
	Draws                  int
	VaR95, VaR99           float64
	ES95, ES99             float64
	LiquidationProbability float64 // probability that the cross positions are liquidated within the day
	Positions              []SimulatedPosition
	Nu                     float64 // degrees of freedom of the copula
}

// SimulatedPosition is one position's part of the simulated loss, USD.
type SimulatedPosition struct {
	Asset        string
	MarginalVaR  float64
	ComponentVaR float64
}

// simulation is the memory of one simulation. 200 positions take 13 MB, so there are only as
// many of these as simulations can run at once: one per worker of the pool.
type simulation struct {
	paths     montecarlo.Simulator
	book      montecarlo.Workspace
	pnl, work [montecarlo.Paths]float64
	marginals []montecarlo.Marginal
	matrix    []float64 // [k*k]
	repair    []float64 // [k*k]
	pairs     []copula.Pair
	equity    []float64 // P&L of cross positions minus their maintenance margin, per scenario, USD
}

// simulating runs the simulations of one request as a task of the worker pool: one of the
// position and, for a portfolio, an independent one of all positions.
type simulating struct {
	scratch   *Scratch
	portfolio *portfolio
	seed      [32]byte
	late      func() bool // of the scratch
}

// simulate runs the requested simulations. Their random numbers are seeded by the calibration,
// the asset and its newest bar, so that the same state gives the same bytes, and different
// sizes and leverages see the same paths.
func (e *Engine) simulate(s *Scratch, b *portfolio) {
	if s.late() {
		return
	}
	s.simulating = simulating{scratch: s, portfolio: b, seed: s.seed(s.view.market.model), late: s.simulating.late}
	chunks := 1
	if s.Out.PortfolioRisk.Known {
		chunks = 2
	}
	if e.pool != nil {
		e.pool.Do(&s.simulating, chunks)
		return
	}
	sim := <-e.simulations
	if sim == nil {
		sim = new(simulation)
	}
	defer func() { e.simulations <- sim }()
	for i := range chunks {
		s.simulating.Chunk(sim, i)
	}
}

// Chunk implements pool.Task.
func (t *simulating) Chunk(sim *simulation, i int) {
	s := t.scratch
	if i == 0 {
		s.Out.MonteCarlo = sim.position(&s.view.market, &s.view.plan, &s.Out, t.seed)
	} else {
		s.Out.PortfolioRisk.Simulation = simulateBook(s, sim, t.portfolio, t.seed)
	}
}

// seed is the SHA-256 of calibration hash, asset and time of the newest bar.
func (s *Scratch) seed(m *mc.AssetModel) [32]byte {
	b := append(s.canon[:0], s.Out.ModelVersion.CalibrationHash[:]...)
	b = append(b, m.Name...)
	b = binary.BigEndian.AppendUint64(b, uint64(m.LastHour*hourMs))
	s.canon = b
	return sha256.Sum256(b)
}

// position simulates the position on hourly price paths.
//
// Source: Barone-Adesi, Giannopoulos, Vosper 1999; the Brownian bridge after Glasserman, Monte
// Carlo Methods in Financial Engineering, 2004, 6.4.
func (sim *simulation) position(mk *marketView, t *tradePlan, out *Assessment, seed [32]byte) MonteCarlo {
	if t.after == 0 {
		return MonteCarlo{Known: true, Simulations: montecarlo.Paths}
	}
	m, liq := mk.model, &out.Liquidation
	p := montecarlo.Path{
		Innovations: m.Innovations, E: m.E, LongRun: m.LongRunVariance,
		Coefficients: vol.Coefficients[mc.H1], Decay: vol.Decay, Hours: m.HourFactors,
		K2: m.K2Hourly, G: m.RangeToReturn, C: m.MomentMatch,
		Side:       t.side,
		HasBarrier: liq.Price > 0,
		Past:       liq.DistancePct == 0,
		LossPct:    liq.DistancePct + pctPerUnit*liq.MaintenanceRate,
		FundingPct: pctPerUnit * t.side * out.Funding.Expected24h,
		Seed:       seed,
	}
	if p.HasBarrier {
		p.Barrier = math.Log(liq.Price / t.mark)
	}
	liquidated := sim.paths.Paths(&p, sim.pnl[:])
	x := montecarlo.Summarise(sim.pnl[:], sim.work[:])
	return MonteCarlo{
		Known: true, Simulations: montecarlo.Paths,
		VaR95: x.VaR95, VaR99: x.VaR99, ES95: x.ES95, ES99: x.ES99,
		Median: x.Median, Worst: x.Worst, Lower: x.Lower, Upper: x.Upper,
		SE95: x.SE95, SE99: x.SE99, LiquidatedShare: float64(liquidated) / montecarlo.Paths,
	}
}

// simulateBook draws joint scenarios of all positions after the trade.
//
// Source: McNeil, Frey, Embrechts, Quantitative Risk Management, 2nd ed., 7.3.
func simulateBook(s *Scratch, sim *simulation, b *portfolio, seed [32]byte) PortfolioSimulation {
	out := PortfolioSimulation{Known: true, Draws: montecarlo.Draws, Positions: s.simulated[:0]}
	if s.late() { // it may have waited for a worker
		return out
	}
	p := montecarlo.Portfolio{Nu: copulaOf(&s.In, sim, b), Correlation: sim.matrix, Seed: seed,
		Late: s.simulating.late}
	sim.marginals = sim.marginals[:0]
	for i := range b.legs {
		l := &b.legs[i]
		m := l.in.Model
		sim.marginals = append(sim.marginals, montecarlo.Marginal{
			Z: m.Z24Sorted, Scale: math.Sqrt(m.Variance[mc.H24]), NotionalUSD: l.signed() * b.moveScale(i),
		})
	}
	p.Marginals = sim.marginals
	r := sim.book.Simulate(&p, montecarlo.Draws)
	if s.Late {
		return out
	}
	out.VaR95, out.VaR99, out.ES95, out.ES99, out.Nu = r.VaR95, r.VaR99, r.ES95, r.ES99, p.Nu
	for i := range b.legs {
		out.Positions = append(out.Positions, SimulatedPosition{b.legs[i].name, r.Marginal[i], r.Component[i]})
	}
	s.simulated = out.Positions
	out.LiquidationProbability = sim.liquidations(b, s.account.pool, s.view.after.counted)
	return out
}

// moveScale is the factor on the price moves of position i that gives its asset's net position its own
// VaR; 1 where nothing is recorded.
func (b *portfolio) moveScale(i int) float64 {
	m, usd := b.legs[i].in.Model, 0.0
	for j := range b.legs {
		if b.legs[j].in.Model == m {
			usd += b.legs[j].signed()
		}
	}
	if !replays(m) {
		return 1
	}
	return m.Joint.Scale[tailSide(sign(usd))]
}

// copulaOf fills in the copula's correlation matrix and returns its degrees of freedom.
func copulaOf(in *Input, sim *simulation, b *portfolio) (nu float64) {
	k := len(b.legs)
	sim.matrix = append(sim.matrix[:0], make([]float64, k*k)...)
	sim.repair = append(sim.repair[:0], make([]float64, k*k)...)
	sim.pairs = sim.pairs[:0]
	for j := range k {
		sim.matrix[j*k+j] = 1
		for i := range j {
			rho := joint.DefaultCorrelation
			if p := in.Pairs.Get(b.legs[i].id, b.legs[j].id); p.Known {
				rho = p.RhoTau
				sim.pairs = append(sim.pairs, copula.Pair{Nu: p.Nu, LogLik: p.LogLik})
			}
			sim.matrix[i*k+j], sim.matrix[j*k+i] = rho, rho
		}
	}
	stats.RepairCorrelation(sim.matrix, k, sim.repair)
	return copula.PooledNu(sim.pairs)
}

// liquidations returns the share of scenarios in which cross pool k, of the given equity (USD), does not
// cover its maintenance margin, both at the scenario's marks.
func (sim *simulation) liquidations(b *portfolio, k int, equity float64) float64 {
	sim.equity = append(sim.equity[:0], make([]float64, montecarlo.Draws)...)
	cross := false
	for i := range b.legs {
		l := &b.legs[i]
		if l.isolated || l.pool != k {
			continue
		}
		cross = cross || !l.collateral
		n := l.notional()
		for j, x := range sim.book.Move(i) {
			sim.equity[j] += float64(l.signed()*x) - l.maintenanceOf(n*(1+x))
		}
	}
	if !cross {
		return 0
	}
	n := 0
	for _, left := range sim.equity {
		if equity+left < 0 {
			n++
		}
	}
	return float64(n) / montecarlo.Draws
}
