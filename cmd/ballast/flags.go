package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"ballast/cmd/internal/environ"
	"ballast/server/admission"
	"ballast/server/transport"
)

// envPrefix starts the environment name of every flag: --data-dir is BALLAST_DATA_DIR.
const envPrefix = "BALLAST"

// loadPrefix starts the environment names of ballast-load, which may be set in the same environment.
const loadPrefix = "BALLAST_LOAD_"

// cli declares every command and flag.
type cli struct {
	Serve     serveCmd     `cmd:"" help:"Run the service."`
	Validate  validateCmd  `cmd:"" help:"Assess one trade and print a report. Exit status: 0 proceed, 10 proceed with caution, or proceed on stale data unless it is a close, 20 abort, 1 error, 2 the call could not be understood."`
	MCP       mcpCmd       `cmd:"" name:"mcp" help:"Offer the service to a language model: the Model Context Protocol on standard input and output."`
	Keys      keysCmd      `cmd:"" help:"Issue, list and revoke API keys, whether the service runs or not, from here or, with --nats-url, from anywhere."`
	Backup    backupCmd    `cmd:"" help:"Write a copy of the data folder's database: keys and their audit. The service may run."`
	Audit     auditCmd     `cmd:"" help:"Print who issued and revoked which key, and when."`
	Backtest  backtestCmd  `cmd:"" help:"Walk-forward test of the 24 h VaR and expected shortfall, or of the score, on hourly candles, by the code that the service runs."`
	Candles   candlesCmd   `cmd:"" help:"Get files of hourly candles for backtest and calibrate."`
	Calibrate calibrateCmd `cmd:"" help:"Print the fit that the service would use for each file of hourly candles, and for several how they move together."`
	Version   versionCmd   `cmd:"" help:"Print version, commit, engine version and the kernels in use."`

	Completion completionCmd `cmd:"" help:"Print the completion script of a shell. For this session of bash or zsh: source <(ballast completion bash); of fish: ballast completion fish | source."`
	Complete   completeCmd   `cmd:"" name:"__complete" hidden:""` // called by the completion scripts

	VersionFlag kong.VersionFlag `name:"version" env:"-" help:"Print version and commit."`
}

// configFlag names the configuration file of a command.
type configFlag struct {
	Config string `default:"" placeholder:"FILE" help:"YAML file of flags of serve, such as data-dir: /var/lib/ballast. A flag on the command line or in the environment counts more than the file."`
}

type serveCmd struct {
	configFlag
	Check bool `env:"-" help:"Check flags, configuration file and the files and folders they name, start nothing; says too whether a service uses the data directory now. Exit status: 0 all is well, 1 or 2 not."`

	Listen        string   `default:"127.0.0.1:8080" help:"Address to serve HTTP on, host:port."`
	Venue         string   `default:"mainnet" values:"sim,mainnet,testnet" help:"The venue: sim, mainnet, testnet, or the base URL of anything that speaks its protocol."`
	DataDir       string   `default:"./data" help:"Folder for keys and market history."`
	VenueShare    float64  `default:"0.5" help:"Share of the venue's limits for one address (connections, subscriptions, messages, request weight) that this process may use, 0.1 to 1; the rest is for your own programs behind the same address."`
	VenueBudget   int      `default:"-1" help:"Request weight a minute that this process may spend at the venue, 0 = no limit, -1 = the share of the venue's 1,200."`
	WalletStreams int      `default:"8" help:"Wallets to follow by the venue's streams of a user, those asked about most recently; they are then read for less request weight. The venue allows an address about 10 users; 0 = none."`
	OpenOrders    string   `default:"held" enum:"off,held,full" help:"What to take of a wallet's resting orders: off, nothing; held, the margin that they hold, from answers that are read anyway; full, also the orders themselves, at the price of 20 of request weight a dex every 10 s."`
	Dexes         []string `default:"all" help:"Dexes to follow: all, or a list, separated by commas, of main (the venue's own, always followed) and names of builder-deployed ones, such as main,xyz."`
	NATSURL       string   `name:"nats-url" default:"" help:"NATS cluster that replicas share, nats://host:4222, several separated by commas; empty: this process shares nothing."`
	Feed          string   `default:"own" enum:"own,shared" help:"Market data: own, a feed of this process, or shared, one for all replicas of a NATS cluster, which then spend the venue's budget once."`
	LogFormat     string   `default:"text" enum:"text,json" help:"Log format: text or json."`
	LogLevel      string   `default:"info" enum:"debug,info,warn,error" help:"Least level of log lines: debug, info, warn or error."`
	AccessLog     float64  `default:"0" help:"Share of the requests that are logged, one line each, 0 to 1; without key, wallet or trade. Answers with 5xx are logged in any case, ten a second of each error code at most."`
	TLSCert       string   `name:"tls-cert" default:"" help:"PEM file of the TLS certificate; with --tls-key, serve HTTPS."`
	TLSKey        string   `name:"tls-key" default:"" help:"PEM file of the TLS private key."`

	RequestTimeout   time.Duration `default:"10s" help:"Longest time a request may take before it is answered 504."`
	MaxQueueWait     time.Duration `default:"${max_queue_wait}" help:"While more requests come than can be served, those that have waited longer than this before they are taken up are refused with 503 overloaded; 0 = no request is refused for that."`
	BusyPoll         time.Duration `default:"0" help:"For how long after each request a processor stays awake and looks for the next one: shorter latencies, at the price of the processor's idle time (50us to 1ms; Linux); 0 = not at all."`
	SendBatch        int           `default:"${send_batch}" help:"How many finished answers may wait for others that are ready at the same moment, to be sent together; 0 = none waits."`
	MaxInFlight      int           `default:"256" help:"Assessments in flight at most; more are refused with 503 overloaded."`
	MaxConnections   int           `default:"16384" help:"Connections open at a time; fewer where the process may not open so many files. A quarter of them may be of one address without having shown a key."`
	KeylessSockets   int           `default:"0" help:"Alert sockets without a key, 0 = a quarter of the connections."`
	SocketsPerIP     int           `name:"keyless-sockets-per-address" default:"64" help:"Alert sockets without a key of one address."`
	RateLimit        int           `default:"0" help:"Requests a minute that one key may make, 0 = no limit."`
	AuthFailureLimit int           `default:"600" help:"Refused keys a minute from one address before it is answered 429."`
	CORSOrigin       string        `name:"cors-origin" default:"" help:"Origin that browsers may call from; empty: none."`
	NoConsole        bool          `name:"no-console" help:"Do not serve the console, the page at /."`
	NATSReplicas     int           `name:"nats-replicas" default:"1" help:"How many servers of the NATS cluster keep each stream and bucket (copies of the data in NATS, not of Ballast); a larger number raises what exists, a smaller one changes nothing."`
	KeyMaxStale      time.Duration `default:"15m" help:"While the NATS cluster cannot be reached, keys are checked against the last known list for this long; after that every request that needs a key is refused with 503."`
	MetricsListen    string        `default:"" help:"Address of an open listener for /metrics and profiles, host:port; empty: none, /metrics then needs a key."`

	smtpFlags
}

type validateCmd struct {
	Asset      string   `required:"" help:"Ticker as the venue spells it, such as BTC."`
	Action     string   `required:"" values:"long,short,close" help:"long, short or close."`
	Size       *float64 `placeholder:"USD" help:"Size in USD. Either this or --size-coin is required."`
	SizeCoin   *float64 `placeholder:"COINS" help:"Size in coins of the asset. Either this or --size is required."`
	Leverage   float64  `default:"0" help:"Leverage multiplier, 0 = the wallet's own setting."`
	Mode       string   `default:"" values:"cross,isolated" help:"Margin mode, cross or isolated; empty: as the wallet is set."`
	Wallet     string   `default:"" help:"Wallet address; empty: a wallet of the simulated venue, or with --server the zero address, which holds nothing. Without --server any other than a wallet of the simulated venue is refused."`
	MonteCarlo bool     `help:"Ask for the Monte Carlo block."`
	JSON       bool     `name:"json" help:"Print the response body instead of the report."`
	Server     string   `default:"" help:"Base URL of a running service; empty: start one here against the simulated venue."`
	Key        string   `default:"" help:"API key for --server; refused without it. Better given as an environment variable than on a command line."`
}

type mcpCmd struct {
	Server  string `default:"" help:"Base URL of a running service; empty: start one here against the simulated venue."`
	KeyFile string `default:"" placeholder:"FILE" help:"File that holds the API key; only with --server. A line break at its end is ignored."`
}

type keysCmd struct {
	Issue   keysIssueCmd   `cmd:"" help:"Issue a key and print it once, or mail it."`
	List    keysListCmd    `cmd:"" help:"List keys, without their secret."`
	Revoke  keysRevokeCmd  `cmd:"" help:"Revoke a key by its id."`
	Rebuild keysRebuildCmd `cmd:"" help:"Add to a NATS cluster the keys and revocations that only the data folder has."`
}

// keysFlags select the key store that a command works on.
type keysFlags struct {
	configFlag
	DataDir string `default:"./data" help:"Folder for keys and market history."`
	NATSURL string `name:"nats-url" default:"" help:"NATS cluster whose keys are meant; empty: those of the data folder."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

type keysIssueCmd struct {
	Email string `required:"" help:"Whom the key is for."`
	keysFlags
	smtpFlags
}

type keysListCmd struct{ keysFlags }

type keysRevokeCmd struct {
	ID string `arg:"" help:"Id of the key, as keys list prints it."`
	keysFlags
}

type keysRebuildCmd struct{ keysFlags }

// databaseFlags select the database that a command works on.
type databaseFlags struct {
	configFlag
	DataDir string `default:"./data" help:"Folder for keys and market history."`
}

type backupCmd struct {
	File string `arg:"" help:"The file to write, which must not exist."`
	databaseFlags
}

type auditCmd struct {
	databaseFlags
	JSON bool `name:"json" help:"Print JSON."`
}

// smtpFlags configure how keys are mailed.
type smtpFlags struct {
	Host         string        `name:"smtp-host" default:"" help:"Mail server that keys are mailed through; empty: they are printed."`
	Port         int           `name:"smtp-port" default:"587" help:"Port of the mail server."`
	User         string        `name:"smtp-user" default:"" help:"User name at the mail server; empty: no authentication."`
	Password     string        `name:"smtp-password" default:"" help:"Password at the mail server. Better given as an environment variable or a file than on a command line."`
	PasswordFile string        `name:"smtp-password-file" default:"" help:"File that holds the password; a line break at its end is ignored."`
	From         string        `name:"smtp-from" default:"" help:"Sender of the mail, an address with or without a name."`
	TLS          string        `name:"smtp-tls" default:"starttls" enum:"starttls,tls,none" help:"Encryption: starttls (nothing is sent to a server that does not offer it), tls (from the first byte, port 465), or none, for a server on this machine."`
	Timeout      time.Duration `name:"smtp-timeout" default:"15s" help:"Longest time that one mail may take."`
}

type backtestCmd struct {
	Candles []string `required:"" sep:"none" placeholder:"FILE" help:"CSV file, plain or .gz, of hourly candles: ts,open,high,low,close,volume, ts in ms. Several: repeat the flag, or name them after it."`
	More    []string `arg:"" optional:"" name:"file" help:"More candle files."`
	From    moment   `placeholder:"TIME" help:"Leave out candles that open before this date or time, RFC 3339, UTC."`
	To      moment   `placeholder:"TIME" help:"Leave out candles that open at or after this date or time."`
	Model   string   `default:"fhs-px" enum:"fhs-px,garch-t,garch,ewma,hs" help:"What to judge: fhs-px (the service's own), or a yardstick: garch-t, garch, ewma, hs."`
	Score   bool     `help:"Judge risk_score, recommendation and probability_24h instead: isolated positions of 1 to 40x, opened once a day on both sides, against what became of them within 24 h. Several files are pooled."`
	Pool    bool     `help:"Judge the chance that a cross pool is liquidated instead: pools of equal legs made of the files, three or more, formed every fifth day, against what became of them within 24 h and 7 days. The first file gives the hours that are replayed."`
	JSON    bool     `name:"json" help:"Print JSON: an object; for several files without --score or --pool an array."`
	Plot    string   `default:"" placeholder:"FILE" help:"Draw a picture, PNG or SVG by the ending of its name: returns, VaR bands and breaches of one file; with --score, how many were liquidated at each forecast chance and at each score; with --pool, how many pools were at each forecast chance."`
}

type candlesCmd struct {
	Fetch  candlesFetchCmd  `cmd:"" help:"Fetch hourly candles from a venue. It keeps some 5,000 of each asset (208 days): fetched again, a file grows and loses nothing."`
	Import candlesImportCmd `cmd:"" help:"Convert hourly klines as data.binance.vision publishes them, and join them to the files of their assets."`
}

type candlesFetchCmd struct {
	Asset    []string `required:"" placeholder:"NAME" help:"Ticker as the venue spells it, such as BTC. Several: repeat the flag."`
	Out      string   `required:"" placeholder:"DIR" help:"Folder of the files, each named ASSET-1h.csv.gz; made when absent."`
	Venue    string   `default:"mainnet" values:"sim,mainnet,testnet" help:"The venue: sim, mainnet, testnet, or the base URL of anything that speaks its protocol."`
	Interval string   `default:"1h" enum:"1h" help:"Length of a candle; the models read hours: 1h."`
	From     moment   `placeholder:"TIME" help:"Leave out candles that open before this date or time, RFC 3339, UTC; what a file already has stays."`
}

type candlesImportCmd struct {
	Files []string `arg:"" name:"file" help:"CSV or ZIP files of 1h klines, such as BTCUSDT-1h-2024-01.zip: open time in ms or µs, open, high, low, close, volume, further columns; with a line of names or without."`
	Out   string   `required:"" placeholder:"DIR" help:"Folder of the files, each named ASSET-1h.csv.gz; made when absent."`
	Asset string   `default:"" placeholder:"NAME" help:"Ticker that all files are of; empty: by their names, BTC for BTCUSDT, kPEPE for 1000PEPEUSDT."`
}

type calibrateCmd struct {
	Candles []string `required:"" sep:"none" placeholder:"FILE" help:"CSV file, plain or .gz, of hourly candles: ts,open,high,low,close,volume, ts in ms. Several: repeat the flag, or name them after it."`
	More    []string `arg:"" optional:"" name:"file" help:"More candle files."`
	JSON    bool     `name:"json" help:"Print JSON."`
}

type versionCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

type completeCmd struct {
	Words []string `arg:"" optional:""`
}

// newParser returns a parser for the flags. It stores values from the configuration file in s.
func newParser(s *settings) (*kong.Kong, error) {
	parser, err := kong.New(&cli{},
		kong.Name("ballast"),
		kong.Description("Pre-trade risk for perpetual futures on Hyperliquid."),
		kong.DefaultEnvars(envPrefix),
		kong.WithBeforeResolve(s.load),
		kong.Resolvers(s),
		kong.Bind(s),
		kong.Vars{
			"version":        fmt.Sprintf("ballast %s (%s)", version, commit),
			"max_queue_wait": admission.DefaultMaxWait.String(),
			"send_batch":     strconv.Itoa(transport.DefaultTuning().SendBatch),
		},
	)
	if err != nil {
		return nil, fmt.Errorf("BUG: flag table: %w", err)
	}
	return parser, nil
}

// parse reads arguments, environment and configuration file. Unknown flags, leftover arguments,
// unknown environment names with our prefix, and unknown settings are errors. Without
// arguments it prints help and exits; "help COMMAND" means "COMMAND --help".
func parse(args []string, env []string) (*kong.Context, error) {
	return parseInto(&settings{}, args, env)
}

// parseInto is parse that stores values from the configuration file in s.
func parseInto(s *settings, args []string, env []string) (*kong.Context, error) {
	parser, err := newParser(s)
	if err != nil {
		return nil, err
	}
	if err := environ.Check(parser.Model.Node, env, envPrefix+"_", loadPrefix); err != nil {
		return nil, err
	}
	if err := checkText(args, env); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		args = []string{"--help"}
	} else if args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	ctx, err := parser.Parse(args)
	var usage *kong.ParseError
	if !errors.As(err, &usage) {
		return ctx, err
	}
	command := "ballast"
	if node := usage.Context.Selected(); node != nil {
		command = node.FullPath()
	}
	return nil, errors.Join(s.locate(err), fmt.Errorf("see `%s --help`", command))
}

// checkText reports an error for arguments and settings of the environment that are not UTF-8, which kong
// would alter. It shows none, because some are secrets.
func checkText(args []string, env []string) error {
	var problems []error
	for i, arg := range args {
		if !utf8.ValidString(arg) {
			problems = append(problems, fmt.Errorf("argument %d of the command line is not valid UTF-8: write it in UTF-8",
				i+1))
		}
	}
	for _, entry := range env {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, envPrefix+"_") && !utf8.ValidString(value) {
			problems = append(problems, fmt.Errorf("%s is not valid UTF-8: write it in UTF-8", name))
		}
	}
	return errors.Join(problems...)
}

// usageStatus is the exit status after a command line that cannot be parsed.
const usageStatus = 2

// fail prints each problem of an error on its own line and exits with the given status. It waits
// at most a second for the reader of standard error.
func fail(status int, err error) {
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		for _, problem := range problems(err) {
			fmt.Fprintf(os.Stderr, "ballast: %v\n", problem)
		}
	}()
	select {
	case <-printed:
	case <-time.After(time.Second):
	}
	os.Exit(status)
}

// problems returns the parts of a joined error, or the error itself.
func problems(err error) []error {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, problems(e)...)
	}
	return all
}
