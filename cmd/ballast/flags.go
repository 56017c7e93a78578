package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"ballast/cmd/internal/environ"
	"ballast/server/admission"
)

// envPrefix starts the environment name of every flag: --data-dir is BALLAST_DATA_DIR.
const envPrefix = "BALLAST"

// loadPrefix starts the environment names of ballast-load, which may be set in the same environment.
const loadPrefix = "BALLAST_LOAD_"

// cli declares every command and flag.
type cli struct {
	Serve    serveCmd    `cmd:"" help:"Run the service."`
	Validate validateCmd `cmd:"" help:"${help_validate}"`
	Size     sizeCmd     `cmd:"" help:"${help_size_command}"`
	Monitor  monitorCmd  `cmd:"" help:"${help_monitor}"`
	Plan     planCmd     `cmd:"" help:"${help_plan}"`
	Markets  marketsCmd  `cmd:"" help:"List markets with their prices, largest volume first."`
	Watch    watchCmd    `cmd:"" help:"${help_watch}"`
	Accuracy accuracyCmd `cmd:"" help:"Print what became of a service's recorded answers: were they right?"`
	MCP      mcpCmd      `cmd:"" name:"mcp" help:"${help_mcp}"`
	Guard    guardCmd    `cmd:"" help:"${help_guard}"`
	DemoBot  demoBotCmd  `cmd:"" name:"demo-bot" help:"${help_demo_bot}"`
	Keys     keysCmd     `cmd:"" help:"${help_keys}"`
	Policy   policyCmd   `cmd:"" help:"${help_policy}"`

	KillSwitch killSwitchCmd `cmd:"" name:"kill-switch" help:"${help_kill_switch}"`
	ReceiptKey receiptKeyCmd `cmd:"" name:"receipt-key" help:"Make a key that signs receipts of decisions."`

	Log       logCmd       `cmd:"" help:"${help_log}"`
	Backup    backupCmd    `cmd:"" help:"${help_backup}"`
	Replay    replayCmd    `cmd:"" help:"${help_replay}"`
	Audit     auditCmd     `cmd:"" help:"Print who changed which key, policy or kill switch, and when."`
	Backtest  backtestCmd  `cmd:"" help:"${help_backtest}"`
	Candles   candlesCmd   `cmd:"" help:"Make files of hourly candles for backtest and calibrate."`
	Calibrate calibrateCmd `cmd:"" help:"${help_calibrate}"`
	Version   versionCmd   `cmd:"" help:"Print version, commit, engine version and the kernels in use."`

	Completion completionCmd `cmd:"" help:"${help_completion}"`
	Complete   completeCmd   `cmd:"" name:"__complete" hidden:""` // called by the completion scripts

	VersionFlag kong.VersionFlag `name:"version" env:"-" help:"Print version and commit."`
}

// dataFlag names the data directory of a command.
type dataFlag struct {
	DataDir string `default:"./data" help:"Directory for keys and market history."`
}

// Validate rejects an empty name.
func (f *dataFlag) Validate() error {
	if f.DataDir == "" {
		return errNoDataDir
	}
	return nil
}

type serveCmd struct {
	Check bool `env:"-" help:"${help_check}"`

	Listen string `default:"127.0.0.1:8080" help:"Address to serve HTTP on, host:port."`
	Venue  string `default:"mainnet" values:"sim,mainnet,testnet" help:"${help_venue}"`
	dataFlag
	VenueShare    float64  `default:"0.5" help:"${help_venue_share}"`
	VenueBudget   int      `default:"-1" help:"${help_venue_budget}"`
	WalletStreams int      `default:"8" help:"${help_wallet_streams}"`
	OpenOrders    string   `default:"held" enum:"off,held,full" help:"${help_open_orders}"`
	Dexes         []string `default:"all" help:"${help_dexes}"`
	NATSURL       string   `name:"nats-url" default:"" help:"${help_natsurl}"`
	Feed          string   `default:"own" enum:"own,shared" help:"${help_feed}"`
	LogFormat     string   `default:"text" enum:"text,json" help:"Log format: text or json."`
	LogLevel      string   `default:"info" enum:"debug,info,warn,error" help:"${help_log_level}"`
	AccessLog     float64  `default:"0" help:"${help_access_log}"`
	TLSCert       string   `name:"tls-cert" default:"" help:"${help_tlscert}"`
	TLSKey        string   `name:"tls-key" default:"" help:"PEM file of the TLS private key."`

	RequestTimeout   time.Duration `default:"10s" help:"Longest time a request may take before it is answered 504."`
	MaxQueueWait     time.Duration `default:"${max_queue_wait}" help:"${help_max_queue_wait}"`
	MaxInFlight      int           `default:"256" help:"${help_max_in_flight}"`
	MaxConnections   int           `default:"16384" help:"${help_max_connections}"`
	KeylessSockets   int           `default:"0" help:"Alert sockets without a key, 0 = a quarter of the connections."`
	SocketsPerIP     int           `name:"keyless-sockets-per-address" default:"64" help:"${help_sockets_per_ip}"`
	RateLimit        int           `default:"0" help:"Requests a minute that one key may make, 0 = no limit."`
	AuthFailureLimit int           `default:"600" help:"${help_auth_failure_limit}"`
	CORSOrigin       string        `name:"cors-origin" default:"" help:"${help_cors_origin}"`
	NoConsole        bool          `name:"no-console" help:"Do not serve the console, the page at /."`
	NATSReplicas     int           `name:"nats-replicas" default:"1" help:"${help_natsreplicas}"`
	KeyMaxStale      time.Duration `default:"15m" help:"${help_key_max_stale}"`
	MetricsListen    string        `default:"" help:"${help_metrics_listen}"`

	WebhookAllowPrivate bool `name:"webhook-allow-private" help:"${help_webhook_allow_private}"`

	gateFlags
	receiptFlags
	journalFlags
	smtpFlags
}

type validateCmd struct {
	Asset      string     `required:"" help:"Ticker as the venue spells it, such as BTC."`
	Action     string     `required:"" values:"long,short,close" help:"long, short or close."`
	Size       *dollars   `placeholder:"USD" help:"${help_size}"`
	SizeCoin   *coinCount `placeholder:"COINS" help:"Size in coins of the asset. Either this or --size is required."`
	Leverage   multiple   `default:"0" placeholder:"X" help:"Leverage, such as 10x; 0 = the wallet's own setting."`
	Mode       string     `default:"" values:"cross,isolated" help:"${help_mode}"`
	Wallet     string     `default:"" help:"${help_wallet}"`
	MonteCarlo bool       `help:"Ask for the Monte Carlo block."`
	Brief      bool       `help:"Print the verdict, its reasons and the key figures alone."`
	orderFlags
	serviceFlags
}

// orderFlags say how the trade is sent, and what is to close it.
type orderFlags struct {
	OrderType  string   `default:"" values:"market,limit" help:"market or limit; empty: limit if there is a --price."`
	Price      *dollars `placeholder:"USD" help:"Price of a limit order, USD: the worst at which it fills."`
	TIF        string   `name:"tif" default:"" values:"gtc,ioc,alo" help:"${help_tif}"`
	ReduceOnly bool     `help:"The order may only reduce the position, by at most the whole of it."`
	StopLoss   *dollars `placeholder:"USD" help:"Price at which the position is closed with a loss, USD."`
	TakeProfit *dollars `placeholder:"USD" help:"Price at which the position is closed with a gain, USD."`
}

type sizeCmd struct {
	Asset    string   `required:"" help:"Ticker as the venue spells it, such as BTC."`
	Action   string   `required:"" values:"long,short" help:"long or short."`
	Wallet   string   `default:"" help:"${help_wallet}"`
	Leverage multiple `default:"0" placeholder:"X" help:"Leverage, such as 10x; 0 = the one with the largest size."`
	Mode     string   `default:"" values:"cross,isolated" help:"${help_mode}"`

	MaxScore        float64 `default:"0" help:"${help_max_score}"`
	MaxProbability  float64 `default:"0" help:"Highest chance of liquidation within 24 h, fraction: 0.05 is 5 %."`
	MaxLossPct      float64 `default:"0" help:"${help_max_loss_pct}"`
	MaxBreakevenPct float64 `default:"0" help:"Highest move to break even, percent of the price."`
	serviceFlags
}

type monitorCmd struct {
	Wallet string `arg:"" help:"${help_watched}"`
	serviceFlags
}

type marketsCmd struct {
	Search string `arg:"" optional:"" help:"Only tickers that contain this text, in upper or lower case."`
	Limit  int    `default:"20" help:"How many at most, largest volume first; 0 = all."`
	serviceFlags
}

type accuracyCmd struct{ serviceFlags }

type planCmd struct {
	File   string `arg:"" help:"${help_plan_file}"`
	Wallet string `default:"" help:"Wallet address, when the file names none."`
	serviceFlags
}

type watchCmd struct {
	Wallet string        `arg:"" help:"${help_watched}"`
	Every  time.Duration `default:"10s" help:"Pause between two monitor calls, 1s or more."`
	Until  string        `default:"" enum:",critical,warning" placeholder:"critical|warning" help:"${help_until}"`
	serviceFlags
}

type mcpCmd struct {
	Server  string `default:"" help:"Base URL of a running service; empty: start one here against the simulated venue."`
	KeyFile string `default:"" placeholder:"FILE" help:"${help_key_file}"`
}

type demoBotCmd struct {
	ExchangeURL string `name:"exchange-url" default:"" placeholder:"URL" help:"${help_exchange_url}"`
	Wallet      string `default:"trader" help:"Which of the simulated venue's wallets that trade."`
}

type keysCmd struct {
	Issue   keysIssueCmd   `cmd:"" help:"Issue a key and print it once, or mail it."`
	List    keysListCmd    `cmd:"" help:"List keys, without their secret."`
	Revoke  keysRevokeCmd  `cmd:"" help:"Revoke a key by its id."`
	Rebuild keysRebuildCmd `cmd:"" help:"Add to a NATS cluster keys and revocations that only the data directory has."`
}

// sharedFlags select what a command works on, the keys or the limits: those of a cluster or of a data directory.
type sharedFlags struct {
	dataFlag
	NATSURL string `name:"nats-url" default:"" help:"${help_cluster}"`
	JSON    bool   `name:"json" help:"Print JSON."`
}

type keysFlags struct {
	sharedFlags `set:"help_cluster=${help_keys_nats_url}"`
}

type keysIssueCmd struct {
	Email string `required:"" help:"Whom the key is for."`
	Role  string `default:"agent" enum:"agent,operator" help:"${help_role}"`
	keysFlags
	smtpFlags
}

type keysListCmd struct{ keysFlags }

type keysRevokeCmd struct {
	ID string `arg:"" help:"Id of the key, as keys list prints it."`
	keysFlags
}

type keysRebuildCmd struct{ keysFlags }

type policyCmd struct {
	Apply policyApplyCmd `cmd:"" help:"${help_policy_apply}"`
	Show  policyShowCmd  `cmd:"" help:"Print the policies, in the form of a file that apply reads."`
	Diff  policyDiffCmd  `cmd:"" help:"${help_policy_diff}"`
	Test  policyTestCmd  `cmd:"" help:"${help_policy_test}"`
	Lift  policyLiftCmd  `cmd:"" help:"Lift the halts that losses of a wallet have set."`
}

type limitsFlags struct {
	sharedFlags `set:"help_cluster=${help_limits_nats_url}"`
}

// policyFileFlags name a file of policies.
type policyFileFlags struct {
	File   string `arg:"" help:"${help_policy_file}"`
	Wallet string `default:"*" help:"Whose policy a file of rules alone is: an address, or * for all wallets."`
	Prune  bool   `help:"Remove the policies that the file does not name."`
	limitsFlags
}

type policyApplyCmd struct{ policyFileFlags }

type policyDiffCmd struct{ policyFileFlags }

type policyShowCmd struct {
	Wallet string `arg:"" optional:"" help:"Only the policy of this address, or of * (all wallets)."`
	limitsFlags
}

type policyLiftCmd struct {
	Wallet string `arg:"" help:"The address."`
	dataFlag
}

type killSwitchCmd struct {
	On     killSwitchOnCmd     `cmd:"" help:"Stop every increase, on all replicas, until it is turned off."`
	Off    killSwitchOffCmd    `cmd:"" help:"Let positions be increased again."`
	Status killSwitchStatusCmd `cmd:"" help:"Print whether it is on, since when, by whom and why."`
}

type killSwitchOnCmd struct {
	Reason string `required:"" help:"Why, one line for those whose orders are refused."`
	limitsFlags
}

type killSwitchOffCmd struct {
	Reason string `default:"" help:"Why, for the audit."`
	limitsFlags
}

type killSwitchStatusCmd struct{ limitsFlags }

type backupCmd struct {
	File string `arg:"" help:"The file to write, which must not exist."`
	dataFlag
}

type auditCmd struct {
	dataFlag
	JSON bool `name:"json" help:"Print JSON."`
}

type replayCmd struct {
	RequestID string `default:"" placeholder:"ID" help:"Request id of the answer; of a batch, all its trades."`
	From      moment `placeholder:"TIME" help:"Answers from this date or time on, RFC 3339, UTC."`
	To        moment `placeholder:"TIME" help:"Answers before this date or time."`
	dataFlag
	JSON bool `name:"json" help:"Print JSON."`
}

// smtpFlags configure how keys are mailed.
type smtpFlags struct {
	Host         string        `name:"smtp-host" default:"" help:"${help_host}"`
	Port         int           `name:"smtp-port" default:"587" help:"Port of the mail server."`
	User         string        `name:"smtp-user" default:"" help:"${help_user}"`
	Password     string        `name:"smtp-password" default:"" help:"${help_password}"`
	PasswordFile string        `name:"smtp-password-file" default:"" help:"${help_password_file}"`
	From         string        `name:"smtp-from" default:"" help:"${help_mail_from}"`
	TLS          string        `name:"smtp-tls" default:"starttls" enum:"starttls,tls,none" help:"${help_tls}"`
	Timeout      time.Duration `name:"smtp-timeout" default:"15s" help:"Longest time that one mail may take."`
}

type backtestCmd struct {
	Candles []string `required:"" sep:"none" placeholder:"FILE" help:"${help_candles}"`
	More    []string `arg:"" optional:"" name:"file" help:"More candle files."`
	From    moment   `placeholder:"TIME" help:"Leave out candles that open before this date or time, RFC 3339, UTC."`
	To      moment   `placeholder:"TIME" help:"Leave out candles that open at or after this date or time."`
	Model   string   `default:"fhs-px" enum:"fhs-px,garch-t,garch,ewma,hs" help:"${help_model}"`
	Score   bool     `help:"${help_score}"`
	Pool    bool     `help:"${help_pool}"`
	JSON    bool     `name:"json" help:"Print JSON: an object; for several files without --score or --pool an array."`
	Plot    string   `default:"" placeholder:"FILE" help:"${help_plot}"`
}

type candlesCmd struct {
	Import candlesImportCmd `cmd:"" help:"${help_import}"`
}

type candlesImportCmd struct {
	Files []string `arg:"" name:"file" help:"${help_files}"`
	Out   string   `required:"" placeholder:"DIR" help:"${help_out}"`
	Asset string   `default:"" placeholder:"NAME" help:"${help_candles_import_asset}"`
}

type calibrateCmd struct {
	Candles []string `required:"" sep:"none" placeholder:"FILE" help:"${help_candles}"`
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

// newParser returns a parser for the flags. It notes in s which of them are not on the command line.
func newParser(s *settings) (*kong.Kong, error) {
	parser, err := kong.New(&cli{},
		kong.Name("ballast"),
		kong.Description("Pre-trade risk for perpetual futures on Hyperliquid."),
		kong.DefaultEnvars(envPrefix),
		kong.WithBeforeResolve(s.load),
		kong.Bind(s),
		helpTexts,
		kong.Vars{
			"version":        fmt.Sprintf("ballast %s (%s)", version, commit),
			"max_queue_wait": admission.DefaultMaxWait.String(),
		},
	)
	if err != nil {
		return nil, fmt.Errorf("BUG: flag table: %w", err)
	}
	return parser, nil
}

// parse reads arguments and environment. Unknown flags, leftover arguments and unknown environment names with our
// prefix are errors. Without arguments it prints help and exits; "help COMMAND" means "COMMAND --help".
func parse(args []string, env []string) (*kong.Context, error) {
	s := &settings{}
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

// plainWords puts the flag parser's names of types into words that a user knows.
var plainWords = strings.NewReplacer("a valid 64 bit int", "a whole number", "expected value value", "expected a value",
	"expected int value", "expected a whole number", " (short flag)", "")

// checkText reports an error for arguments and settings of the environment that are not UTF-8, which kong
// would alter. It shows none, because some are secrets.
func checkText(args []string, env []string) error {
	var problems []error
	for i, arg := range args {
		if !utf8.ValidString(arg) {
			problems = append(problems,
				fmt.Errorf("argument %d of the command line is not valid UTF-8: write it in UTF-8", i+1))
		}
	}
	for _, entry := range env {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, envPrefix+"_") &&
			!utf8.ValidString(value) {
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

// problems returns the parts of a joined error without what wraps it (the parser wraps it with the command's name),
// or the error itself.
func problems(err error) []error {
	var several interface {
		error
		Unwrap() []error
	}
	if !errors.As(err, &several) {
		return []error{err}
	}
	var all []error
	var texts []string
	for _, e := range several.Unwrap() {
		all, texts = append(all, problems(e)...), append(texts, e.Error())
	}
	if several.Error() != strings.Join(texts, "\n") { // not joined: one sentence made of several errors
		return []error{err}
	}
	return all
}
