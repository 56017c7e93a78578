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
	flatWallet  = "0xba11a57000000000000000000000000000000005" // nothing
	heldWallet  = "0xba11a57000000000000000000000000000000001" // five positions
	brinkWallet = "0xba11a57000000000000000000000000000000006" // two positions near liquidation
)

// growthWallets holds wallets in ascending order of their number of positions, the last with every live asset.
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
	{60, "0xba11a57000000000000000000000000000000009"},
}

func growthTarget(positions int) string { return fmt.Sprintf("%d positions", positions) }

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

// Names in the results.
const (
	stageCapacity  = "capacity"
	stageLatency   = "latency"
	stageUnloaded  = "before overload"
	stageOverload  = "overload"
	stageRecovered = "after overload"
	stageGoodput   = "goodput"
	stageGrowth    = "growth"
	stageAlone     = "without simulations"
	stageBeside    = "beside simulations"
	stageAlerts    = "alerts"
)

// Rates of the open loops, as multiples of the target's capacity.
const (
	latencyShare    = 0.5
	overloadFactor  = 4
	simulationShare = 0.3
)

const (
	// overloadConnections is the number of connections in the overload stage. A request waits some
	// 10 us per connection even when all requests are refused.
	overloadConnections = "256"
	// capacityConnections is the number of connections for measuring the capacity of targets that
	// become overloaded with more connections.
	capacityConnections = "8"
	// alertCalls is the number of monitor calls in the stage alerts, for a wallet with two positions.
	alertCalls = 20
	// maxRate is the highest rate, in requests per second, that the generator can send to a server
	// that refuses most requests.
	maxRate = 60_000
)

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

	result result
	peak   map[string]float64 // capacity by target, requests per second: medians of the stage capacity
}

func (h *harness) say(format string, args ...any) {
	fmt.Fprintf(h.progress, "%s  "+format+"\n", append([]any{time.Now().Format("15:04:05")}, args...)...)
}

// runStages starts the servers and runs the selected stages.
func (h *harness) runStages() (err error) {
	data := filepath.Join(h.dir, "data")
	if err := h.issueKey(data); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(h.dir, "patient"), os.DirFS(data)); err != nil {
		return err
	}
	if h.venue, err = h.start("venuesim", generatorCPU, "venuesim", "--listen", "127.0.0.1:0", "--limits",
		"none"); err != nil {
		return err
	}
	if h.static, err = h.start(targetStatic, serverCPU, "yardsticks/static"); err != nil {
		return err
	}
	if h.nethttp, err = h.start(targetNetHTTP, serverCPU, "yardsticks/nethttp"); err != nil {
		return err
	}
	if h.ballast, err = h.serve(serverCPU, "data"); err != nil {
		return err
	}
	// The rates of the later stages are multiples of the capacity measured here.
	if err := h.capacity(); err != nil {
		return err
	}
	for _, stage := range []struct {
		names []string
		run   func() error
	}{
		{[]string{stageLatency}, h.latency}, {[]string{stageOverload}, h.overload},
		{[]string{stageGoodput}, h.goodput}, {[]string{stageGrowth}, h.growth},
		{[]string{"montecarlo", stageAlerts}, h.setFree},
		{[]string{"montecarlo"}, h.monteCarlo}, {[]string{stageAlerts}, h.alerts},
	} {
		if !h.flags.has(stage.names...) {
			continue
		}
		if err := stage.run(); err != nil {
			return err
		}
	}
	return nil
}

// serve starts a service on a data directory and waits until it is idle.
func (h *harness) serve(cpu int, data string, args ...string) (*process, error) {
	args = append([]string{"serve", "--venue", h.venue.url, "--venue-budget", "0", "--listen", "127.0.0.1:0",
		"--data-dir", filepath.Join(h.dir, data)}, args...)
	p, err := h.start("ballast", cpu, "ballast", args...)
	if err != nil {
		return nil, err
	}
	return p, h.settled(p)
}

// setFree restarts the service without pinning.
func (h *harness) setFree() (err error) {
	h.free = true
	h.stopOne(h.ballast)
	h.ballast, err = h.serve(anyCPU, "data")
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
	h.result.add(stage, target, report)
	h.say("%-10s %-14s round %d: %8.0f/s, %6.1f us of CPU, p50 %7.0f us, p99 %7.0f us, %d failed", stage, target, n+1,
		report.RateAnswered, cpuOf(report), report.All.Latency.P50Us, report.All.Latency.P99Us, report.Failed)
	return report, nil
}

var targets = []string{targetFlat, targetStatic, targetNetHTTP, targetHeld, targetMixed}

// capacity measures the capacity of each target in a closed loop, alternating between targets.
func (h *harness) capacity() error {
	for _, t := range targets { // code and caches are cold, the wallet not read yet
		p, traffic := h.traffic(t)
		if _, err := h.visit(h.ctx, p, append(traffic, "--closed", "--duration", "500ms")...); err != nil {
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
	connections := []string{"--connections", overloadConnections, "--max-backlog=-1"}
	for n := range max(1, h.flags.Rounds/2) {
		for _, target := range []string{targetHeld, targetBatch, targetMonte} {
			if h.peak[target] == 0 {
				r, err := h.round(stageCapacity, target, n, "--closed", "--connections", capacityConnections)
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
					(3 * h.flags.Round).String())},
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

// The stage goodput asks two services in closed loops, with more and more connections: the service as it
// is, and the same one with --max-queue-wait 0, which refuses nobody for a wait.

var (
	goodputTargets     = []string{growthTarget(2), targetMonitor, targetMonte}
	goodputConnections = []int{16, 64, 256}
)

// patient returns the name of a target at the service that refuses nobody.
func patient(target string) string { return target + ", patient" }

func goodputStage(connections int) string { return fmt.Sprintf("%s %d", stageGoodput, connections) }

// goodput alternates between both services on one processor.
func (h *harness) goodput() (err error) {
	if h.patient, err = h.serve(serverCPU, "patient", "--max-queue-wait", "0"); err != nil {
		return err
	}
	defer h.stopOne(h.patient)
	for n := range (h.flags.Rounds + 1) / 2 {
		for _, connections := range goodputConnections {
			for _, target := range goodputTargets {
				for _, t := range []string{target, patient(target)} {
					if _, err := h.round(goodputStage(connections), t, n, "--closed", "--connections",
						fmt.Sprint(connections)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

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

// monteCarlo compares plain validations alone with plain validations during a sequence of
// simulations that follow one another.
func (h *harness) monteCarlo() error {
	for n := range h.flags.Rounds {
		if _, err := h.round(stageAlone, targetFlat, n, h.rate(targetFlat, simulationShare)...); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(h.ctx)
		var wg sync.WaitGroup
		wg.Go(func() {
			whole := h.flags.Round + h.flags.Warmup + 2*time.Second // longer than the run of validations
			_, traffic := h.traffic(targetMonte)
			h.visit(ctx, h.ballast, append(traffic, "--closed", "--connections", "1", "--duration",
				whole.String())...)
		})
		time.Sleep(300 * time.Millisecond)
		_, err := h.round(stageBeside, targetFlat, n, h.rate(targetFlat, simulationShare)...)
		cancel()
		wg.Wait()
		if err != nil {
			return err
		}
	}
	return nil
}

// alerts counts the alerts on the alert sockets and measures their latency.
func (h *harness) alerts() error {
	rate := fmt.Sprintf("%.2f", alertCalls/h.flags.Round.Seconds())
	r, err := h.round(stageAlerts, targetMonitor, 0, "--warmup", "0s", "--rate", rate, "--alerts",
		fmt.Sprint(h.flags.Sockets))
	if err == nil {
		h.result.alerts = r.Alerts
	}
	return err
}
