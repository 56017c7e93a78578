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
// Exit status: 0; with --strict 1 if a goal is missed; 2 for invalid arguments.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

const (
	exitFailed = 1
	exitUsage  = 2
)

// flags holds the command's arguments.
type flags struct {
	Bin         string        `default:"bin" help:"Folder with the built binaries; the yardsticks are in yardsticks."`
	Rounds      int           `default:"5" help:"Rounds of each measurement; medians are reported."`
	Round       time.Duration `default:"3s" help:"Length of a round."`
	Warmup      time.Duration `default:"500ms" help:"Traffic before each round that does not count."`
	Connections int           `default:"64" help:"Connections of the generator."`
	Stages      []string      `default:"${stages}" enum:"${stages}" help:"What to measure; all stages by default."`
	Sockets     int           `default:"1000" help:"Sockets of the stage alerts."`
	Strict      bool          `help:"Exit with 1 when a goal that must be reached is missed."`
}

// Validate implements kong's check of the arguments.
func (f *flags) Validate() error {
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

// has reports whether the arguments select one of the stages.
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
	parser, err := kong.New(&f, kong.Name("compare"), kong.Writers(stdout, stderr),
		kong.Vars{"stages": "capacity,latency,overload,goodput,growth,montecarlo,alerts"},
		kong.Exit(func(code int) { status = code }),
		kong.Description("Measures the service beside its yardsticks, in alternating rounds."))
	if err != nil {
		return fail(exitFailed, err)
	}
	if _, err = parser.Parse(args); status >= 0 {
		return status
	} else if err != nil {
		return fail(exitUsage, err)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	dir, err := os.MkdirTemp("", "ballast-compare-")
	if err != nil {
		return fail(exitFailed, err)
	}
	defer os.RemoveAll(dir)
	h := &harness{flags: f, ctx: ctx, dir: dir, progress: stderr, peak: map[string]float64{}}
	defer h.stopAll()
	before := loadAverage()
	if err := h.runStages(); err != nil {
		return fail(exitFailed, err)
	}
	fmt.Fprintf(stdout, "load average %s before, %s after; medians of %d rounds of %v, %d connections\n\n", before,
		loadAverage(), f.Rounds, f.Round, f.Connections)
	if missed := h.result.write(stdout); missed && f.Strict {
		return exitFailed
	}
	return 0
}
