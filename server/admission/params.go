package admission

import (
	"runtime"
	"time"
)

// Kind is what a request asks for.
type Kind uint8

const (
	Plain          Kind = iota // one trade without a simulation, or the report of a wallet
	Batch                      // trades in a row
	Simulation                 // one trade with a simulation
	SimulatedBatch             // trades in a row, some with a simulation
	Record                     // how past forecasts have fared
	kindCount
)

// rule is how requests of one kind are admitted.
type rule struct {
	// share is the part of the service's capacity that the kind may take: one in so many.
	// Together the kinds that queue leave room for plain requests.
	share int
	// workers is how many requests of the kind the machine can work on at once; nil: they
	// do not queue.
	workers func(simulators int) int
	// turns is how many requests a worker may have begun: 2 keep it busy while an answer is
	// written.
	turns int
}

func processors(int) int            { return runtime.GOMAXPROCS(0) }
func simulators(simulators int) int { return simulators }
func one(int) int                   { return 1 }

// kinds has a row for each kind of request. A new kind with a queue is one row more.
// Shares and turns are ours: a burst of batches may be larger than one of simulations.
var kinds = [kindCount]rule{
	Plain:          {},
	Batch:          {share: 2, workers: processors, turns: 1},
	Simulation:     {share: 4, workers: simulators, turns: 2},
	SimulatedBatch: {share: 8, workers: simulators, turns: 1},
	Record:         {share: 16, workers: one, turns: 1},
}

// DefaultMaxWait is the longest wait that a service tolerates while more comes than it can
// serve, unless it is told otherwise. Source: ours; an answer takes 5 us to 3 ms.
const DefaultMaxWait = 4 * time.Millisecond

// Thresholds of the detector. Source: Nichols and Jacobson, Controlling Queue Delay (2012),
// whose interval is overloadInterval; all others are ours, chosen under load (PERF.md,
// "Overload").
const (
	// overloadInterval is how long a queue must be too long to be overloaded, and how often
	// it is asked whether that is over.
	overloadInterval = 100 * time.Millisecond
	// growthInterval is the time between two counts of a queue, and how long one must be far
	// too long to be overloaded.
	growthInterval = 10 * time.Millisecond
	// farTooLong is by how much a queue must be too long to be overloaded after growthInterval.
	farTooLong = 32 * time.Millisecond
	// minPause is the shortest gap between two observations that counts as a pause of the
	// machine, in which requests have piled up.
	minPause = 5 * time.Millisecond
	// longSilence is the gap after which earlier observations say nothing any more.
	longSilence = 20 * time.Millisecond
	// refusedShare is the part of the requests, one in so many, that must be refused for a
	// queue to stay overloaded.
	refusedShare = 4
	// minGrowth is by how many requests, and by what part of it (one in minGrowth), a queue
	// must have grown in growthInterval.
	minGrowth = 4
)

// Thresholds of the queues. Source: ours, as above.
const (
	// lookInterval is how often a socket is looked at while nothing is overloaded: a look
	// takes most of a microsecond.
	lookInterval = time.Millisecond
	// refusalCostNs is the least time that reading a request and writing a refusal takes, most
	// of it in the kernel: 10 us. Refusing what costs little more wins nothing.
	refusalCostNs = 10_000
	// workAheadNs is how much work each processor may have begun while the sockets are
	// overloaded: 1 ms, and one request at least.
	workAheadNs = 1e6
	// longQueue is how many requests a worker may have waiting, however long each takes.
	longQueue = 16
	// roomPerWorker is how many requests of a kind a worker may have while the queue is
	// overloaded: one at work and one waiting.
	roomPerWorker = 2
	// workBudget is how long a batch computes before short requests that came meanwhile go first.
	workBudget = 500 * time.Microsecond
	// recheckInterval is how often one that waits for its turn asks whether it can still be
	// finished in time.
	recheckInterval = 50 * time.Millisecond
	// hopeless is how many times the time that is left a request must still need to be given
	// up: its first trade takes up to 2.6 times as long as the others (PERF.md).
	hopeless = 3
)

// Moving means of service times: the weight of the newest request, and the most that it counts
// for, because it may have been interrupted.
const (
	plainWeight  = 1.0 / 64
	maxPlainNs   = 10e6
	queuedWeight = 1.0 / 16
	maxQueuedNs  = 100e6
)
