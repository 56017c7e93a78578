package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"ballast/bench/load"
	"ballast/cmd/internal/environ"
)

// envPrefix starts the environment name of every flag: --key is BALLAST_LOAD_KEY.
const envPrefix = "BALLAST_LOAD"

// flags are the arguments of the command.
type flags struct {
	URL string `name:"url" default:"http://127.0.0.1:8080" help:"Base URL of the service, plain HTTP."`
	Key string `default:"" help:"API key. Better given as an environment variable than on a command line."`

	Rate        float64       `default:"1000" help:"Arrivals a second, at even distances, whatever the service does."`
	Duration    time.Duration `default:"10s" help:"How long arrivals are measured."`
	Warmup      time.Duration `default:"0s" help:"The same traffic before that, not measured."`
	Connections int           `default:"64" help:"Keep-alive connections, one request at a time on each."`
	Closed      bool          `help:"${help_closed}"`
	Timeout     time.Duration `default:"10s" help:"Longest wait for an answer, also for the last ones after the end."`
	MaxBacklog  int           `default:"0" help:"${help_max_backlog}"`

	Mix             string   `default:"validate=90,batch=5,monitor=5" help:"Weights of validate, batch and monitor."`
	MonteCarloShare float64  `default:"0" help:"${help_monte_carlo_share}"`
	BatchSize       int      `default:"10" help:"Trades of a batch, 1 to 50."`
	Wallets         []string `default:"${wallets}" help:"${help_wallets}"`
	Assets          []string `default:"${assets}" help:"Tickers that they trade, separated by commas."`
	Seed            uint64   `default:"1" help:"Seed of the order of requests."`
	Alerts          int      `default:"0" help:"${help_alerts}"`
	ServerPID       int      `name:"server-pid" default:"0" help:"${help_server_pid}"`

	SLO  string `name:"slo" default:"" help:"${help_slo}"`
	JSON bool   `name:"json" help:"Print the report as JSON."`
	HDR  string `name:"hdr" default:"" placeholder:"FILE" help:"${help_hdr}"`
}

// helpTexts are the help texts of the flags that are too long for a line of the table.
var helpTexts = kong.Vars{
	"help_closed": "Closed loop: each connection sends as soon as it has its answer, --rate does not count. Finds " +
		"the capacity; its latencies say little.",
	"help_max_backlog": "Arrivals that may wait for a connection before the run is given up; 0: ten seconds' worth, " +
		"at least 1000; -1: no limit.",
	"help_monte_carlo_share": "Share of the validations that ask for simulations, 0 to 1. They are reported apart.",
	"help_wallets": "Wallets that the requests are about, separated by commas. By default accounts of the simulated " +
		"venue.",
	"help_alerts": "Alert sockets that watch all wallets; counts missing and duplicate alerts, and how long they " +
		"take.",
	"help_server_pid": "Process on this machine whose CPU time and memory are reported too; 0: none.",
	"help_slo": "Objectives such as p99=2ms,errors=0. Exit status 1 when one is broken. Names: p50 p90 p99 p999 max " +
		"(a time), errors and rate (a number, or a share such as 1%), alerts.missing, alerts.duplicate.",
	"help_hdr": "Write the distribution of latencies, in milliseconds, in the .hgrm format.",
}

// parsed converts the flags to a configuration and objectives.
func (f *flags) parsed() (cfg load.Config, slo []load.Objective, err error) {
	mix, err := load.ParseMix(f.Mix)
	if err != nil {
		return cfg, nil, fmt.Errorf("--mix: %w", err)
	}
	if f.SLO != "" {
		if slo, err = load.ParseSLO(f.SLO); err != nil {
			return cfg, nil, fmt.Errorf("--slo: %w", err)
		}
	}
	cfg = load.Config{
		URL: f.URL, Key: f.Key, Rate: f.Rate, Duration: f.Duration, Warmup: f.Warmup, Connections: f.Connections,
		Closed: f.Closed, Timeout: f.Timeout, MaxBacklog: f.MaxBacklog, Mix: mix, MonteCarloShare: f.MonteCarloShare,
		BatchSize: f.BatchSize,
		Wallets:   f.Wallets, Assets: f.Assets, Seed: f.Seed, Alerts: f.Alerts, ServerPID: f.ServerPID,
	}
	return cfg, slo, cfg.Check()
}

// parse reads arguments and environment. status is the exit status requested by the parser itself
// (--help), -1 if none.
func parse(args, env []string, stdout, stderr io.Writer) (f *flags, status int, err error) {
	f, status = &flags{}, -1
	parser, err := kong.New(f, kong.Name("ballast-load"),
		kong.Description(
			"Open-loop load generator for a running Ballast: arrivals at a constant rate, latency from the "+
				"moment each is due."),
		helpTexts,
		kong.Vars{"wallets": strings.Join(load.DefaultWallets, ","), "assets": strings.Join(load.DefaultAssets, ",")},
		kong.DefaultEnvars(envPrefix), kong.Writers(stdout, stderr), kong.Exit(func(code int) { status = code }))
	if err != nil {
		return nil, status, fmt.Errorf("BUG: flag table: %w", err)
	}
	if err := environ.Check(parser.Model.Node, env, envPrefix+"_"); err != nil {
		return nil, status, err
	}
	_, err = parser.Parse(args)
	return f, status, err
}
