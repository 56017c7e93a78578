package main

import "github.com/alecthomas/kong"

// helpTexts are the help texts of the flags that are too long for a line of the table.
var helpTexts = kong.Vars{
	"help_validate": "Assess one trade and print a report. Exit status: 0 proceed, 10 proceed with caution, or " +
		"proceed on stale data unless it is a close, 20 abort, 1 error, 2 the call could not be understood.",
	"help_size_command": "Print the largest size of a trade that meets a target and that the venue takes. Exit " +
		"status: 0 there is one, 10 there is one on stale data, 20 there is none, 1 error, 2 the " +
		"call could not be understood.",
	"help_max_score":    "Highest risk score, the target when no other is named: 40, the highest that proceeds.",
	"help_max_loss_pct": "Highest loss of the whole wallet on 1 of 100 days, percent of the account.",
	"help_monitor": "Assess a wallet as held: what it needs, and its positions, those nearest to liquidation first. " +
		"Exit status: 0 hold, 20 reduce or add margin, 10 what it needs is not known or rests on stale data, 1 " +
		"error, 2 the call could not be understood.",
	"help_plan": "Assess the trades of a file as a sequence, each as if those before it had filled. Exit " +
		"status: that of the worst trade, as for validate.",
	"help_plan_file": "File of JSON, - for standard input: {\"wallet\": \"0x...\", \"trades\": [{\"asset\": \"BTC\", " +
		"\"action\": \"long\", \"size\": 50000}, ...]}, or the list of trades alone.",
	"help_watch": "Subscribe to the alerts of a wallet, make the monitor call again and again, and print each alert " +
		"in one line. Exit status: 0 interrupted, 20 after an alert that --until names, 1 error, 2 the call could " +
		"not be understood.",
	"help_webhook_allow_private": "Let webhooks of watches go to private, loopback and link-local addresses too, and " +
		"over plain HTTP: for receivers in your own network, when every key is trusted with it.",
	"help_watched": "Address of the wallet; of the simulated venue also its name, such as near-liquidation.",
	"help_until":   "End at the first alert of this severity: critical, or warning for any; empty: never.",
	"help_size":    "Size in USD, such as 50000, 50,000, 50k or 1.2m. Either this or --size-coin is required.",
	"help_tif": "What becomes of the part of a limit order that does not fill at once. gtc, also when empty: it " +
		"rests; ioc: it is cancelled; alo: it rests, and an order that would fill at once is refused.",
	"help_mcp": "Offer the service to a language model: the Model Context Protocol on standard input and output.",
	"help_guard": "Stand between an MCP client and an MCP server that trades: calls that open or enlarge a position " +
		"are judged by a running service first, and refused where it says so. Exit status: the server's.",
	"help_guard_command": "The server and its arguments, behind --.",
	"help_guard_map": "What the server's tools do: a file of YAML or JSON, or the name of a map of the program " +
		"itself: caiovicentino, edkdev, t3rmed, talkincode.",
	"help_guard_block": "What stops a call: abort, a verdict of abort, policy or kill switch; caution, also " +
		"proceed_with_caution; policy, only policy and kill switch.",
	"help_guard_fail": "What happens to a call while the service cannot judge it: closed, it is refused; open, it " +
		"passes.",
	"help_guard_unknown": "What happens to a call of a tool that neither the map names nor the server marks as " +
		"read-only: refuse or pass.",
	"help_demo_bot": "Sign a few orders of a demonstration wallet, one of them too large for it, send them to the " +
		"simulated venue or to a gate in front of it, and print each with its answer.",
	"help_exchange_url": "Base URL that takes POST /exchange and /info; empty: start a simulated venue here.",
	"help_keys": "Issue, list and revoke API keys, whether the service runs or not, from here or, with --nats-url, " +
		"from anywhere.",
	"help_policy": "Set the limits of wallets, whether the service runs or not, from here or, with --nats-url, from " +
		"anywhere.",
	"help_policy_apply": "Make the policies those of a file; it is the whole of each policy that it names.",
	"help_policy_diff":  "Print what apply would change. Exit status: 0 nothing, 10 something, 1 error.",
	"help_policy_test": "Print what recorded decisions would have been under the policies of a file: how many pass, " +
		"and which change. Exit status: 0 none changes, 10 some change, 1 error.",
	"help_policy_file": "File of YAML or JSON, - for standard input: policies by wallet address, * for all wallets, " +
		"such as {\"*\": {\"max_leverage\": 5}}, or the rules of one policy alone.",
	"help_kill_switch": "Stop every increase of a position, on all replicas within a second and after restarts; what " +
		"reduces goes on.",
	"help_limits_nats_url": "NATS cluster whose policies and kill switch are meant; empty: those of the data " +
		"directory.",
	"help_backup": "Write a copy of the data directory's database: keys, policies, the audit, regimes of wallets. " +
		"The service may run.",
	"help_replay": "Compute recorded answers again, with this program, from what they were computed from, and " +
		"print which differ: needs a service that ran with --journal full, and may still run. Exit status: 0 none " +
		"differs, or only answers of other versions of the engine do, 1 one of the same version does, or an error, 2 " +
		"the call could not be understood, 10 what an answer was computed from is missing or damaged.",
	"help_backtest": "Walk-forward test of the 24 h VaR and expected shortfall, or of the score, on hourly candles, " +
		"by the code that the service runs.",
	"help_calibrate": "Print the fit that the service would use for each file of hourly candles, and for several how " +
		"they move together.",
	"help_completion": "Print the completion script of a shell. For this session of bash or zsh: source <(ballast " +
		"completion bash); of fish: ballast completion fish | source.",
	"help_check": "Check flags and the files and folders they name, start nothing; says too " +
		"whether a service uses the data directory now. Exit status: 0 all is well, 1 or 2 not.",
	"help_venue": "The venue: sim, mainnet, testnet, or the base URL of anything that speaks its protocol.",
	"help_venue_share": "Share of the venue's limits for one address (connections, subscriptions, messages, request " +
		"weight) that this process may use, 0.1 to 1; the rest is for your own programs behind the same address.",
	"help_venue_budget": "Request weight a minute that this process may spend at the venue, 0 = no limit, -1 = the " +
		"share of the venue's 1,200.",
	"help_wallet_streams": "How many wallets the venue's streams bring, those asked about most recently; they then " +
		"cost less request weight. The venue allows an address about 10; 0 = none.",
	"help_open_orders": "What to take of a wallet's resting orders: off, nothing; held, the margin that they hold, " +
		"from answers that are read anyway; full, also the orders themselves, at the price of 20 of request weight a " +
		"dex every 10 s.",
	"help_gate": "Stand in front of the venue: POST /exchange takes what traders sign, passes it on or refuses it in " +
		"the venue's form; POST /info and the socket /ws pass on. Sets --open-orders full.",
	"help_gate_venue": "Where actions go that may pass: an address, mainnet or testnet; left out, the venue of the " +
		"feed.",
	"help_gate_block": "What refuses an order that may increase a position: abort, a verdict of abort, policy or " +
		"kill switch; caution, also proceed_with_caution; policy, only policy and kill switch.",
	"help_gate_fail": "What happens to such an order if it cannot be judged: closed, it is refused; open, it passes.",
	"help_gate_allow": "Classes of actions to pass that are otherwise refused: funds (transfers, pooling of " +
		"collateral), signers (who may sign), separated by a comma.",
	"help_log": "Print recorded decisions: from a service that --server names, else from the data directory, whether " +
		"the service runs or not.",
	"help_log_verdict": "Only with this recommendation (proceed, proceed_with_caution, abort), verdict of the policy " +
		"(pass, deny, unknown), or of the gate (passed, allowed, refused).",
	"help_log_server": "Base URL of a running service, which --key or --key-file is for; empty: the data directory, " +
		"where --json has no outcome.",
	"help_gate_listen": "Where the gate listens, if not with everything else: then no other listener has it.",
	"help_gate_sockets": "How many sockets of the gate's clients there may be at the venue, of the ten connections " +
		"that it allows an address; the others are the service's own.",
	"help_journal": "Which decisions are recorded in ballast.db: verdicts, each assessment and each action through " +
		"the gate; full, also what it was computed from, for `ballast replay`; off, none.",
	"help_journal_max_bytes": "How much is kept of them, such as 1GiB, 0 = no limit; the oldest go first.",
	"help_journal_max_age":   "How long a decision is kept, such as 30d or 12h, 0 = no limit.",
	"help_gate_journal": "When the gate hands an order on that may increase a position: strict, when its decision is " +
		"on disk; batched, at once, and the decision is written within a second.",
	"help_gate_key": "Whether the gate asks for an API key as well: none or required.",
	"help_receipt_key": "File of a private key (Ed25519, PEM, PKCS #8) that signs a receipt of each decision; " +
		"`ballast receipt-key new FILE` makes one. Empty: no receipts.",
	"help_receipt_valid": "How long a receipt holds after its decision, 1ms to 1h; 2s: as long as the data of a " +
		"wallet count as fresh.",
	"help_dexes": "Dexes to follow: all, or a list, separated by commas, of main (the venue's own, always followed) " +
		"and names of builder-deployed ones, such as main,xyz.",
	"help_natsurl": "NATS cluster that replicas share, nats://host:4222, several separated by commas; empty: this " +
		"process shares nothing.",
	"help_feed": "Market data: own, a feed of this process, or shared, one for all replicas of a NATS cluster, which " +
		"then spend the venue's budget once.",
	"help_log_level": "Least level of log lines: debug, info, warn or error.",
	"help_access_log": "Share of the requests that are logged, one line each, 0 to 1; without key, wallet or trade. " +
		"Answers with 5xx are logged in any case, ten a second of each error code at most.",
	"help_tlscert": "PEM file of the TLS certificate; with --tls-key, serve HTTPS.",
	"help_max_queue_wait": "While more requests come than can be served, those that have waited longer than this " +
		"before they are taken up are refused with 503 overloaded; 0 = no request is refused for that.",
	"help_max_in_flight": "Assessments in flight at most; more are refused with 503 overloaded.",
	"help_max_connections": "Connections open at a time; fewer where the process may not open so many files. A " +
		"quarter of them may be of one address without having shown a key, seven eighths of keys.",
	"help_sockets_per_ip":     "Alert sockets without a key of one address.",
	"help_auth_failure_limit": "Refused keys a minute from one address before it is answered 429.",
	"help_cors_origin":        "Origin that browsers may call from; empty: none.",
	"help_natsreplicas": "How many servers of the NATS cluster keep each stream and bucket (copies of the data in " +
		"NATS, not of Ballast); a larger number raises what exists, a smaller one changes nothing.",
	"help_key_max_stale": "While the NATS cluster cannot be reached, keys are checked against the last known list " +
		"for this long; after that every request that needs a key is refused with 503.",
	"help_metrics_listen": "Address of an open listener for /metrics and profiles, host:port; empty: none, /metrics " +
		"then needs a key.",
	"help_mode": "Margin mode, cross or isolated; empty: as the wallet is set.",
	"help_wallet": "Wallet address; empty: a wallet of the simulated venue, or with --server the zero address, which " +
		"holds nothing. Without --server any other than a wallet of the simulated venue is refused.",
	"help_json":   "Print JSON instead.",
	"help_server": "Base URL of a running service; empty: start one here against the simulated venue.",
	"help_key": "API key for --server; refused without it. Better given as an environment variable than on a command " +
		"line.",
	"help_key_file": "File that holds the API key; only with --server. A line break at its end is ignored.",
	"help_role": "What the key may do: agent (ask, and read policies and the kill switch) or operator (also change " +
		"them).",
	"help_keys_nats_url": "NATS cluster whose keys are meant; empty: those of the data directory.",
	"help_host":          "Mail server that keys are mailed through; empty: they are printed.",
	"help_user":          "User name at the mail server; empty: no authentication.",
	"help_password": "Password at the mail server. Better given as an environment variable or a file than on a " +
		"command line.",
	"help_password_file": "File that holds the password; a line break at its end is ignored.",
	"help_mail_from":     "Sender of the mail, an address with or without a name.",
	"help_tls": "Encryption: starttls (nothing is sent to a server that does not offer it), tls (from the first " +
		"byte, port 465), or none, for a server on this machine.",
	"help_candles": "CSV file, plain or .gz, of hourly candles: ts,open,high,low,close,volume, ts in ms. Several: " +
		"repeat the flag, or name them after it.",
	"help_model": "What to judge: fhs-px (the service's own), or a yardstick: garch-t, garch, ewma, hs.",
	"help_score": "Judge risk_score, recommendation and probability_24h instead: isolated positions of 1 to 40x, " +
		"opened once a day on both sides, against what became of them within 24 h. Several files are pooled.",
	"help_pool": "Judge the chance that a cross pool is liquidated instead: pools of equal legs made of the files, " +
		"three or more, formed every fifth day, against what became of them within 24 h and 7 days. The first file " +
		"gives the hours that are replayed.",
	"help_plot": "Draw a picture, PNG: returns, VaR bands and breaches of one file; " +
		"with --score, how many were liquidated at each forecast chance and at each score; with --pool, how many " +
		"pools were at each forecast chance.",
	"help_import": "Convert hourly klines as data.binance.vision publishes them, and join them to the files of their " +
		"assets.",
	"help_out": "Folder of the files, each named ASSET-1h.csv.gz; made when absent.",
	"help_files": "CSV or ZIP files of 1h klines, such as BTCUSDT-1h-2024-01.zip: open time in ms or µs, open, " +
		"high, low, close, volume, further columns; with a line of names or without.",
	"help_candles_import_asset": "Ticker that all files are of; empty: by their names, BTC for BTCUSDT, kPEPE for " +
		"1000PEPEUSDT.",
}
