//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ballast/bench/load"
)

// Wallets of the simulated venue, by what they hold.
const (
	flatWallet   = "0xba11a57000000000000000000000000000000005" // nothing
	heldWallet   = "0xba11a57000000000000000000000000000000001" // five positions
	brinkWallet  = "0xba11a57000000000000000000000000000000006" // two positions near liquidation
	venueAssets  = 64
	manyAssets   = 200 // number of assets in the stage ticking
	crowdedCount = 60  // approximate number of positions of a wallet with every live asset
)

// growthWallets holds wallets in ascending order of their number of positions.
var growthWallets = []struct {
	positions int
	wallet    string
}{
	{0, flatWallet},
	{1, "0xba11a5700000000000000000000000000000000d"},
	{2, brinkWallet},
	{3, "0xba11a5700000000000000000000000000000000c"},
	{5, heldWallet},
	{6, "0xba11a57000000000000000000000000000000007"},
	{crowdedCount, "0xba11a57000000000000000000000000000000009"},
}

// Targets that rounds alternate among.
const (
	targetStatic  = "static"
	targetNetHTTP = "nethttp"
	targetFlat    = "ballast"      // validations of a wallet without positions
	targetHeld    = "ballast held" // validations of a wallet with five positions
	targetMonitor = "ballast monitor"
	targetBatch   = "ballast batch"     // batches of fifty trades for a wallet with five positions
	targetMonte   = "ballast simulated" // validations of a wallet without positions, with simulations
	targetMixed   = "ballast mixed"     // validations, some with simulations, batches and monitor calls
)

// Rates of the open loops, as multiples of the target's capacity.
const (
	latencyShare    = 0.5
	overloadFactor  = 4
	overloadRounds  = 3 // length of an overload round, in lengths of other rounds
	simulationShare = 0.3
	tickingShare    = 0.3
)

// overloadConnections is the number of connections in the overload stage. A request waits some
// 10 us per connection even when all requests are refused.
const overloadConnections = 256

// capacityConnections is the number of connections for measuring the capacity of targets that
// become overloaded with more connections.
const capacityConnections = 8

// alertCalls is the number of monitor calls in the stage alerts, for a wallet with two positions.
const alertCalls = 20

// maxRate is the highest rate, in requests per second, that the generator can send to a server
// that refuses most requests.
const maxRate = 60_000

// harness is one run of the comparison.
type harness struct {
	flags    flags
	ctx      context.Context
	dir      string
	progress io.Writer
	running  []*process
	key      string
	free     bool // service and generator are not pinned

	venue, static, nethttp, ballast *process
	patient                         *process // the service with --max-queue-wait 0

	result *Result
	peak   map[string]float64 // capacity by target, requests per second: medians of the stage capacity
}

func (h *harness) say(format string, args ...any) {
	fmt.Fprintf(h.progress, "%s  "+format+"\n", append([]any{time.Now().Format("15:04:05")}, args...)...)
}

// runStages starts the servers and runs the selected stages.
func (h *harness) runStages() (err error) {
	if err := h.issueKey(filepath.Join(h.dir, "keys")); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(h.dir, "data"), os.DirFS(filepath.Join(h.dir, "keys"))); err != nil {
		return err
	}
	if err := h.startVenue(venueAssets); err != nil {
		return err
	}
	if h.static, err = h.start(targetStatic, serverCPU, "yardsticks/static"); err != nil {
		return err
	}
	if h.nethttp, err = h.start(targetNetHTTP, serverCPU, "yardsticks/nethttp"); err != nil {
		return err
	}
	if h.result.IdleCPUShare, err = h.startService(serverCPU); err != nil {
		return err
	}
	// The rates of the later stages are multiples of the capacity measured here.
	if err := h.capacity(); err != nil {
		return err
	}
	for _, stage := range []struct {
		name string
		run  func() error
	}{
		{stageLatency, h.latency}, {stageOverload, h.overload}, {stageGoodput, h.goodput}, {stageGrowth, h.growth},
		{stageTicking, h.ticking}, {"", h.setFree},
		{stageMonteCarlo, h.monteCarlo}, {stageAlerts, h.alerts},
	} {
		if stage.name == "" && !h.flags.has(freeStages...) || stage.name != "" && !h.flags.has(stage.name) {
			continue
		}
		if err := stage.run(); err != nil {
			return err
		}
	}
	return nil
}

// startVenue starts the simulated venue.
func (h *harness) startVenue(assets int) (err error) {
	h.venue, err = h.start(venueName, generatorCPU, "venuesim", "--listen", "127.0.0.1:0", "--assets",
		fmt.Sprint(assets), "--limits", "none")
	return err
}

// restart restarts the venue with the given number of assets, and then the service.
func (h *harness) restart(assets, cpu int) (idle float64, err error) {
	h.stopOne(h.ballast)
	h.stopOne(h.venue)
	if err := h.startVenue(assets); err != nil {
		return 0, err
	}
	return h.startService(cpu)
}

// serve starts a service on a data directory and waits until it is idle.
func (h *harness) serve(cpu int, dir string, args ...string) (*process, error) {
	args = append([]string{"serve", "--venue", h.venue.url, "--venue-budget", "0", "--listen", "127.0.0.1:0",
		"--data-dir", dir}, args...)
	p, err := h.start("ballast", cpu, "ballast", args...)
	if err != nil {
		return nil, err
	}
	return p, h.settled(p)
}

// startService starts the service and waits until it is idle. It returns the share of a core
// that the service uses to follow the venue.
func (h *harness) startService(cpu int) (idle float64, err error) {
	if h.ballast, err = h.serve(cpu, filepath.Join(h.dir, "data")); err != nil {
		return 0, err
	}
	if idle, err = h.idleCPU(h.ballast); err != nil {
		return 0, err
	}
	memory, err := load.ProcessMemory(h.ballast.pid())
	h.say("service ready, %.1f %% of a core when idle, %.0f MB", 100*idle, float64(memory)/1e6)
	return idle, err
}

// setFree restarts the service without pinning.
func (h *harness) setFree() error {
	h.free = true
	_, err := h.restart(venueAssets, anyCPU)
	return err
}

// traffic returns a target's process and the generator's arguments for it.
func (h *harness) traffic(target string) (*process, []string) {
	if name, ok := strings.CutSuffix(target, patient("")); ok {
		_, args := h.traffic(name)
		return h.patient, args
	}
	validations := func(wallet string) []string { return []string{"--mix", "validate=1", "--wallets", wallet} }
	switch target {
	case targetStatic:
		return h.static, validations(flatWallet)
	case targetNetHTTP:
		return h.nethttp, validations(flatWallet)
	case targetFlat:
		return h.ballast, validations(flatWallet)
	case targetHeld:
		return h.ballast, validations(heldWallet)
	case targetMonitor:
		return h.ballast, []string{"--mix", "monitor=1", "--wallets", brinkWallet}
	case targetBatch:
		return h.ballast, []string{"--mix", "batch=1", "--batch-size", "50", "--wallets", heldWallet}
	case targetMonte:
		return h.ballast, append(validations(flatWallet), "--monte-carlo-share", "1")
	}
	for _, g := range growthWallets {
		if target == growthTarget(g.positions) {
			return h.ballast, validations(g.wallet)
		}
	}
	return h.ballast, []string{"--mix", "validate=90,batch=5,monitor=5", "--monte-carlo-share", "0.01", "--wallets",
		strings.Join([]string{flatWallet, heldWallet, brinkWallet}, ",")}
}

// round runs the generator against a target once and records the report.
func (h *harness) round(stage, target string, n int, args ...string) (*load.Report, error) {
	p, traffic := h.traffic(target)
	args = slices.Concat([]string{"--connections", fmt.Sprint(h.flags.Connections), "--duration",
		h.flags.Round.String(), "--warmup", h.flags.Warmup.String(), "--seed", fmt.Sprint(n + 1)}, traffic, args)
	report, err := h.visit(h.ctx, p, args...)
	if err != nil {
		return nil, err
	}
	h.result.Rounds = append(h.result.Rounds, Round{Stage: stage, Target: target, Round: n, Report: report})
	h.say("%-10s %-14s round %d: %8.0f/s, %6.1f us of CPU, p50 %7.0f us, p99 %7.0f us, %d failed", stage, target, n+1,
		report.RateAnswered, cpuOf(report), report.All.Latency.P50Us, report.All.Latency.P99Us, report.Failed)
	return report, nil
}

var targets = []string{targetFlat, targetStatic, targetNetHTTP, targetHeld, targetMixed}

// capacity measures the capacity of each target in a closed loop, alternating between targets.
func (h *harness) capacity() error {
	for _, t := range targets {
		if err := h.warmUp(t); err != nil {
			return err
		}
	}
	rounds := h.flags.Rounds
	if !h.flags.has(stageCapacity) {
		rounds = 1
	}
	found := map[string][]float64{}
	for n := range rounds {
		for _, t := range targets {
			r, err := h.round(stageCapacity, t, n, "--closed")
			if err != nil {
				return err
			}
			found[t] = append(found[t], r.RateAnswered)
		}
	}
	for t, rates := range found {
		h.peak[t] = median(rates)
		if !(h.peak[t] > 0) {
			return fmt.Errorf("%s has answered nothing", t)
		}
	}
	return nil
}

// warmUp sends requests to a target with cold code and caches, which has not read the wallet yet.
func (h *harness) warmUp(target string) error {
	p, traffic := h.traffic(target)
	_, err := h.visit(h.ctx, p, append(traffic, "--closed", "--duration", "500ms")...)
	return err
}

// rate returns the generator's argument for a rate of share times a target's capacity.
func (h *harness) rate(target string, share float64) []string {
	return []string{"--rate", fmt.Sprintf("%.1f", math.Min(maxRate, math.Max(1, h.peak[target]*share)))}
}

// latency measures each target at half of its capacity.
func (h *harness) latency() error {
	for n := range h.flags.Rounds {
		for _, t := range targets {
			if _, err := h.round(stageLatency, t, n, h.rate(t, latencyShare)...); err != nil {
				return err
			}
		}
	}
	return nil
}

// overload sends four times the service's capacity, and measures before, during and after the
// overload: with requests that cost little more than a refusal, with expensive requests, and
// with simulations, which have their own workers.
func (h *harness) overload() error {
	connections := []string{"--connections", fmt.Sprint(overloadConnections), "--max-backlog=-1"}
	for n := range max(1, h.flags.Rounds/2) {
		for _, target := range []string{targetHeld, targetBatch, targetMonte} {
			if h.peak[target] == 0 {
				r, err := h.round(stageCapacity, target, n, "--closed", "--connections",
					fmt.Sprint(capacityConnections))
				if err != nil {
					return err
				}
				h.peak[target] = r.RateAnswered
			}
			for _, step := range []struct {
				stage string
				args  []string
			}{
				{stageUnloaded, h.rate(target, latencyShare)},
				// Measured from the start, when the service cannot yet tell overload from a burst.
				{stageOverload, append(h.rate(target, overloadFactor), "--warmup", "0s", "--duration",
					(overloadRounds * h.flags.Round).String())},
				// Measured from one second after the overload.
				{stageRecovered, append(h.rate(target, latencyShare), "--warmup", "1s")},
			} {
				if _, err := h.round(step.stage, target, n, append(connections, step.args...)...); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Further names in the results.
const (
	stageUnloaded  = "before overload"
	stageRecovered = "after overload"
	stageAlone     = "without simulations"
	stageBeside    = "beside simulations"
	stageJobs      = "simulations"
	stageFrozen    = "frozen"
)

// growth measures validations of wallets with increasing numbers of positions.
func (h *harness) growth() error {
	for n := range max(1, h.flags.Rounds/2) {
		for _, g := range growthWallets {
			_, err := h.round(stageGrowth, growthTarget(g.positions), n, "--closed", "--connections", "4")
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// frozenTime is how long the venue is frozen at a time. A longer freeze would make market data stale.
const frozenTime = 2 * time.Second

// ticking measures validations twice: while the books of many assets arrive, and while the venue is
// frozen. Process, memory and connections are the same. It also measures the static server in both
// cases, with the service on the same processor.
func (h *harness) ticking() error {
	var err error
	if h.result.TickingCPUShare, err = h.restart(manyAssets, serverCPU); err != nil {
		return err
	}
	if err := h.warmUp(targetFlat); err != nil {
		return err
	}
	for n := range h.flags.Rounds {
		for _, target := range []string{targetFlat, targetStatic} {
			round := func(stage string) error {
				_, err := h.round(stage, target, n, append(h.rate(targetFlat, tickingShare), "--duration",
					min(frozenTime, h.flags.Round).String())...)
				return err
			}
			if err := round(stageTicking); err != nil { // first, so that the wallet is fresh while the venue is frozen
				return err
			}
			if err := h.venue.freeze(func() error { return round(stageFrozen) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// monteCarlo compares plain validations alone with plain validations during a sequence of
// simulations that follow one another.
func (h *harness) monteCarlo() error {
	for n := range h.flags.Rounds {
		if _, err := h.round(stageAlone, targetFlat, n, h.rate(targetFlat, simulationShare)...); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(h.ctx)
		var jobs *load.Report
		var failed error
		var wg sync.WaitGroup
		wg.Go(func() {
			whole := h.flags.Round + h.flags.Warmup + 2*time.Second // longer than the run of validations
			_, traffic := h.traffic(targetMonte)
			jobs, failed = h.visit(ctx, h.ballast, append(traffic, "--closed", "--connections", "1", "--duration",
				whole.String())...)
		})
		time.Sleep(300 * time.Millisecond)
		_, err := h.round(stageBeside, targetFlat, n, h.rate(targetFlat, simulationShare)...)
		cancel()
		wg.Wait()
		if err != nil {
			return err
		}
		if jobs == nil {
			return failed
		}
		h.result.Rounds = append(h.result.Rounds, Round{Stage: stageJobs, Target: targetFlat, Round: n, Report: jobs})
	}
	return nil
}

// alerts counts the alerts on the alert sockets and measures their latency.
func (h *harness) alerts() error {
	rate := fmt.Sprintf("%.2f", alertCalls/h.flags.Round.Seconds())
	_, err := h.round(stageAlerts, targetMonitor, 0, "--warmup", "0s", "--rate", rate, "--alerts",
		fmt.Sprint(h.flags.Sockets))
	return err
}
