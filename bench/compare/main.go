//go:build linux

// Command compare measures the service against reference servers (yardsticks). It starts the
// simulated venue, the service and the yardsticks as separate processes, and lets the load
// generator measure them alternately, in short rounds. On a shared machine absolute numbers vary
// by a third between two runs. Ratios of two servers measured within seconds of each other, and
// CPU time per request, are stable; the report shows these first.
//
// With two or more processors the server under test is pinned to one and the generator to
// another. In the stages on simulations and alerts the service is not pinned.
//
//	go run ./bench/compare [--rounds 5] [--round 3s] [--stages capacity,latency,...]
//
// Results: tables on standard output, and everything as JSON in a file named after the time.
// Exit status: 0; with --strict 1 if a goal is missed; 2 for invalid arguments.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

const (
	exitFailed = 1
	exitUsage  = 2
)

// The stages in the order in which they run; the service is pinned in the first stages.
var (
	pinnedStages = []string{stageCapacity, stageLatency, stageOverload, stageGoodput, stageGrowth, stageTicking}
	freeStages   = []string{stageMonteCarlo, stageAlerts}
)

// Names of stages, in the arguments and in the results.
const (
	stageCapacity   = "capacity"
	stageLatency    = "latency"
	stageOverload   = "overload"
	stageGoodput    = "goodput"
	stageGrowth     = "growth"
	stageTicking    = "ticking"
	stageMonteCarlo = "montecarlo"
	stageAlerts     = "alerts"
)

// flags holds the command's arguments.
type flags struct {
	Bin         string        `default:"bin" help:"${help_bin}"`
	Out         string        `default:"bench/results" help:"Folder that the results go to; empty: no file."`
	Rounds      int           `default:"5" help:"Rounds of each measurement; medians are reported."`
	Round       time.Duration `default:"3s" help:"Length of a round."`
	Warmup      time.Duration `default:"500ms" help:"Traffic before each round that does not count."`
	Connections int           `default:"64" help:"Connections of the generator."`
	Stages      []string      `default:"${stages}" help:"${help_stages}"`
	Sockets     int           `default:"1000" help:"Sockets of the stage alerts."`
	Strict      bool          `help:"Exit with 1 when a goal that must be reached is missed."`
}

// helpTexts are the help texts and defaults of the flags that are too long for a line of the table.
var helpTexts = kong.Vars{
	"stages":      "capacity,latency,overload,goodput,growth,ticking,montecarlo,alerts",
	"help_bin":    "Folder with the built binaries; the yardsticks are in its folder yardsticks.",
	"help_stages": "What to measure; all stages by default.",
}

func (f *flags) check() error {
	for _, s := range f.Stages {
		if !slices.Contains(pinnedStages, s) && !slices.Contains(freeStages, s) {
			return fmt.Errorf("--stages: no stage %q", s)
		}
	}
	switch {
	case f.Rounds < 1 || f.Rounds > 1000:
		return fmt.Errorf("--rounds %d: want 1 to 1000", f.Rounds)
	case f.Round < 50*time.Millisecond || f.Warmup < 0:
		return fmt.Errorf("--round %v, --warmup %v: want at least 50ms and 0s", f.Round, f.Warmup)
	case f.Connections < 1 || f.Sockets < 1:
		return errors.New("--connections, --sockets: want more than 0")
	}
	return nil
}

// has reports whether the arguments select at least one of the stages.
func (f *flags) has(stages ...string) bool {
	return slices.ContainsFunc(stages, func(s string) bool { return slices.Contains(f.Stages, s) })
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with arguments and output streams as parameters; it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	fail := func(status int, err error) int {
		fmt.Fprintln(stderr, "compare:", err)
		return status
	}
	var f flags
	status := -1
	parser, err := kong.New(&f, kong.Name("compare"), helpTexts, kong.Writers(stdout, stderr),
		kong.Exit(func(code int) {
			status = code
		}),
		kong.Description("Measures the service beside its yardsticks, in alternating rounds."))
	if err != nil {
		return fail(exitFailed, err)
	}
	if _, err = parser.Parse(args); status >= 0 {
		return status
	}
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return fail(exitUsage, err)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	result, err := measure(ctx, f, stderr)
	if err != nil {
		return fail(exitFailed, err)
	}
	result.writeText(stdout)
	if f.Out != "" {
		base := filepath.Join(f.Out, strings.ReplaceAll(result.Date, ":", ""))
		if err := result.save(base + ".json"); err != nil {
			return fail(exitFailed, err)
		}
		fmt.Fprintf(stdout, "\nAll rounds: %s.json\n", base)
	}
	if f.Strict && slices.ContainsFunc(result.Goals, func(g Goal) bool { return g.Verdict == verdictMissed }) {
		return exitFailed
	}
	return 0
}

// measure starts everything, runs the stages and stops everything.
func measure(ctx context.Context, f flags, progress io.Writer) (*Result, error) {
	dir, err := os.MkdirTemp("", "ballast-compare-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	h := &harness{flags: f, ctx: ctx, dir: dir, progress: progress, peak: map[string]float64{}}
	h.result = &Result{Date: time.Now().UTC().Format("2006-01-02T15:04:05Z"), Machine: describe(f.Bin),
		Rounds: []Round{}}
	h.result.Settings = Settings{f.Rounds, f.Round.Seconds(), f.Connections, pins()}
	defer h.stopAll()
	if err := h.runStages(); err != nil {
		return nil, err
	}
	h.result.Machine.LoadAfter = loadAverage()
	h.result.sum()
	return h.result, nil
}
