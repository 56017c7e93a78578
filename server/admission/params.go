package admission

import (
	"runtime"
	"time"
)

// Kind is the kind of a request.
type Kind uint8

const (
	Plain          Kind = iota // one trade without a simulation
	Monitor                    // the report on a wallet
	Stress                     // a wallet after price moves of the caller's own
	Batch                      // several trades without a simulation
	Size                       // the largest size that meets a target
	Simulation                 // one trade with a simulation
	SimulatedBatch             // several trades, some with a simulation
	Record                     // backtest: past forecasts against realised returns
	Action                     // an action through the gate that may increase risk
	KindCount
)

// String returns the kind's label in metrics.
func (k Kind) String() string {
	return [...]string{"plain", "monitor", "stress", "batch", "size", "simulation", "simulated_batch", "record",
		"action"}[k]
}

// Queued reports whether the kind's requests always wait for their turn; the others do under overload.
func (k Kind) Queued() bool { return k >= Batch }

// rule is the admission rule for one kind of request.
type rule struct {
	// share limits the kind to 1/share of the service's capacity. The shares of all queued
	// kinds add up to less than 1, so that room is left for the others.
	share int
	// workers is how many requests of the kind the machine can work on at once.
	workers int
	// turns is the number of requests per worker that may run at once: 2 keep the worker busy while an
	// answer is written; 4 short ones when it has other work too, between two of their turns.
	turns int
}

// ShortTurns is the number of requests, of each kind that queues under overload only, that a processor may then
// work on at once.
const ShortTurns = 4

// rules has one row per kind of request. To add a kind, add it to the list above and a row here. Shares
// and turns are our choice.
func rules(simulators int) [KindCount]rule {
	processors := runtime.GOMAXPROCS(0)
	return [KindCount]rule{
		Plain:          {share: 1, workers: processors, turns: ShortTurns}, // the first three: under overload
		Monitor:        {share: 1, workers: processors, turns: ShortTurns},
		Stress:         {share: 1, workers: processors, turns: ShortTurns},
		Batch:          {share: 4, workers: processors, turns: 1},
		Size:           {share: 16, workers: processors, turns: 1},
		Simulation:     {share: 4, workers: simulators, turns: 2},
		SimulatedBatch: {share: 8, workers: simulators, turns: 1},
		Record:         {share: 32, workers: 1, turns: 1},
		Action:         {share: 4, workers: max(1, processors-1), turns: 1}, // a processor is left for exits
	}
}

// DefaultMaxWait is the default of Config.MaxWait, the longest tolerable wait under overload.
// Source: our choice; an answer takes 5 us to 3 ms.
const DefaultMaxWait = 4 * time.Millisecond

// Thresholds of the detector. overloadInterval is the interval of Nichols and Jacobson, Controlling
// Queue Delay (2012). The other values are our choice from load tests (PERF.md, "Overload").
const (
	// overloadInterval: a delay that is too long for this time means overload. It is also the time
	// between two checks whether the overload is over.
	overloadInterval = 100 * time.Millisecond
	// growthInterval is the time between two counts of a queue. If the delay has been too long for
	// this time and is now far too long, that means overload.
	growthInterval = 10 * time.Millisecond
	// farTooLong: a delay this much above the acceptable one means overload after growthInterval.
	farTooLong = 32 * time.Millisecond
	// minPause is the shortest gap between two observations that counts as a pause of the
	// machine, during which requests have piled up.
	minPause = 5 * time.Millisecond
	// longSilence is the gap between observations after which older observations are ignored.
	longSilence = 20 * time.Millisecond
	// refusedShare: a queue stays overloaded while at least one in refusedShare requests is refused.
	refusedShare = 4
	// minGrowth: a queue grows if in growthInterval its length rises by at least minGrowth
	// requests plus 1/minGrowth of the length.
	minGrowth = 4
)

// Thresholds of the queues. Source: our choice from load tests (PERF.md, "Overload").
const (
	// lookInterval is the time between two checks of a socket while the sockets are not
	// overloaded: a check is a system call of nearly 1 us.
	lookInterval = time.Millisecond
	// holdTime is how long under overload a request may wait before it is refused: some callers wait no
	// longer than 5 ms for a refusal.
	holdTime = 2 * time.Millisecond
	// insistentHold is that time for a caller that came back at once after its last refusal: some of these
	// wait no longer than 25 ms. A refusal takes up to 50 us, most of it in the kernel.
	insistentHold = 15 * time.Millisecond
	// longQueue is the number of requests per worker behind which a request may wait, however long each takes.
	longQueue = 16
	// roomPerWorker is the number of requests of a kind per worker, running and waiting, while its
	// queue is overloaded.
	roomPerWorker = 2
	// workBudget is how long a batch computes before it lets newer short requests go first.
	workBudget = 500 * time.Microsecond
	// recheckInterval is how often a waiting request checks whether it can still finish in time.
	recheckInterval = 50 * time.Millisecond
	// estimateMargin: a request may wait if it should end before 1-1/estimateMargin of the timeout.
	estimateMargin = 4
	// hopeless: a request is given up when its estimated time exceeds hopeless times the time left. The
	// estimate may be too high: the first trade takes up to 2.6 times as long as the others (PERF.md).
	hopeless = 3
)

// Exponential moving averages of service times: the weight of the newest request or trade, and the cap
// on its service time, because an interruption may have prolonged it.
const (
	shortWeight  = 1.0 / 64
	maxShort     = 10 * time.Millisecond
	queuedWeight = 1.0 / 16
	maxQueued    = 100 * time.Millisecond
	tradeWeight  = 1.0 / 8
	maxTrade     = 2 // times the average
)
