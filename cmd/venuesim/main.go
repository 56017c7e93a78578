// Command venuesim runs the simulated venue as a separate process: the venue's protocol on a TCP
// address, for demonstrations, replicas and load tests.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"ballast/marketcache/venue/sim"
)

// flags are the command's arguments. They have no environment names, because the simulated venue is
// not part of a deployment.
type flags struct {
	Listen     string   `default:"127.0.0.1:9090" help:"Address to answer on: POST /info, POST /exchange and GET /ws."`
	Seed       uint64   `default:"1" help:"Seed of the market. The same seed shows the same prices at the same time."`
	Speed      float64  `default:"1" help:"${help_speed}"`
	Assets     int      `default:"64" help:"Assets of the main dex (the venue: 234, of which 178 live)."`
	DexAssets  int      `default:"24" help:"${help_dex_assets}"`
	Replay     string   `placeholder:"DIR" help:"${help_replay}"`
	Fault      []string `placeholder:"NAME[:ARG]" sep:"," help:"${help_fault}"`
	Limits     string   `enum:"venue,usual,none" default:"usual" help:"${help_limits}"`
	ListFaults bool     `help:"Print the faults and exit."`
}

// helpTexts are the help texts of the flags that are too long for a line of the table.
var helpTexts = kong.Vars{
	"help_speed":      "Prices move this many times faster than the clock; candles and timestamps do not.",
	"help_dex_assets": "Assets of the builder-deployed dexes together, 0 to 291 (the venue: 291, of which 148 live).",
	"help_replay":     "Serve the recorded payloads of a folder instead of the simulated market.",
	"help_fault":      "Scripted faults, separated by commas; --list-faults explains them.",
	"help_limits": "Limits of an address: venue is 10 connections, 30 new ones a minute, 1000 subscriptions, 2000 " +
		"messages a minute, 15 users, request weight 1200 a minute; usual leaves out connections and weight.",
}

// exitUsage is the exit status for invalid arguments.
const exitUsage = 2

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with arguments and output streams as parameters; it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var f flags
	status := -1
	parser, err := kong.New(&f, kong.Name("venuesim"), kong.Writers(stdout, stderr), helpTexts,
		kong.Description("A simulated Hyperliquid: its wire protocol, a seeded market, scripted faults."),
		kong.Exit(func(code int) { status = code }))
	if err != nil {
		fmt.Fprintln(stderr, "venuesim:", err)
		return 1
	}
	_, err = parser.Parse(args)
	switch {
	case status >= 0: // --help
		return status
	case err != nil:
		fmt.Fprintln(stderr, "venuesim:", err)
		return exitUsage
	case f.ListFaults:
		printFaults(stdout)
		return 0
	case f.DexAssets < 0 || f.DexAssets > 291:
		fmt.Fprintf(stderr, "venuesim: --dex-assets %d must be 0 to 291\n", f.DexAssets)
		return exitUsage
	case f.Assets < 1 || f.Assets > 1000 || !(f.Speed > 0 && f.Speed <= 1e5):
		fmt.Fprintf(stderr, "venuesim: --assets %d must be 1 to 1000 and --speed %v above 0, at most 100000\n",
			f.Assets, f.Speed)
		return exitUsage
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	return serve(ctx, f, stdout, stderr)
}

// serve runs the exchange until ctx ends.
func serve(ctx context.Context, f flags, stdout, stderr io.Writer) int {
	cfg := sim.Config{
		Seed: f.Seed, Assets: f.Assets, DexAssets: f.DexAssets, Speed: f.Speed, Replay: f.Replay,
		Faults: strings.Join(f.Fault, ","),
		Log:    func(format string, args ...any) { fmt.Fprintf(stderr, "venuesim: "+format+"\n", args...) },
	}
	if f.DexAssets == 0 {
		cfg.DexAssets = -1
	}
	switch f.Limits {
	case "venue":
		cfg.Limits = sim.VenueLimits
	case "none":
		cfg.Limits = sim.NoLimits
	}
	exchange, err := sim.Open(cfg)
	if err != nil {
		fmt.Fprintln(stderr, "venuesim:", err)
		return exitUsage
	}
	ln, err := net.Listen("tcp", f.Listen)
	if err != nil {
		fmt.Fprintln(stderr, "venuesim:", err)
		shutdown(exchange)
		return 1
	}
	greet(stdout, ln.Addr().String(), f)
	failed := make(chan error, 1)
	go func() { failed <- exchange.Serve(ln) }()
	select {
	case err = <-failed:
	case <-ctx.Done():
		fmt.Fprintln(stdout, "venuesim: stopping")
		err = errors.Join(shutdown(exchange), <-failed)
	}
	if err != nil {
		fmt.Fprintln(stderr, "venuesim:", err)
		return 1
	}
	return 0
}

// shutdown closes open connections within five seconds.
func shutdown(exchange *sim.Exchange) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return exchange.Shutdown(ctx)
}

// greet prints the address and the demo wallets.
func greet(w io.Writer, addr string, f flags) {
	fmt.Fprintf(w, "venuesim: http://%s (POST /info, POST /exchange, ws://%s/ws)\n", addr, addr)
	if f.Replay != "" {
		fmt.Fprintf(w, "replaying %s\n", f.Replay)
		return
	}
	fmt.Fprintf(w, "seed %d, %d assets, %d of builder-deployed dexes, speed %v, limits %s\n\nwallets:\n",
		f.Seed, f.Assets, f.DexAssets, f.Speed, f.Limits)
	for _, wallet := range sim.Wallets {
		fmt.Fprintf(w, "  %s  %-16s %s\n", wallet.Address, wallet.Name, wallet.About)
	}
	fmt.Fprintf(w, "\nwallets that trade, with private keys: simulated only, never fund them\n")
	for i := range sim.Traders {
		t := &sim.Traders[i]
		fmt.Fprintf(w, "  %s  %-16s %s\n    key %s\n", t.Address, t.Name, t.About, t.Key)
		if t.Agent != "" {
			fmt.Fprintf(w, "    agent %s, key %s\n", t.Agent, t.AgentKey)
		}
	}
	fmt.Fprintf(w, "\nnot the venue's: GET /sim/stats, POST /sim/fault {\"fault\":\"stall:BTC,500:userFees\"}\n")
}

func printFaults(w io.Writer) {
	help := sim.FaultHelp()
	for _, name := range slices.Sorted(maps.Keys(help)) {
		fmt.Fprintf(w, "%-16s %s\n", name, help[name])
	}
}
