// Command alerts prints the risk alerts of wallets, one JSON object a line, with the Go client.
//
//	go run ./examples/alerts [-thresholds JSON] URL[,URL...] WALLET...
//
//	go run ./examples/alerts -thresholds '{"max_risk_score": 60}' \
//	    http://127.0.0.1:8080 0xba11a57000000000000000000000000000000006
//
// Each time it prints "watching" on standard error, get the current state of the wallets with
// GET /v1/monitor/{wallet}: alerts raised earlier are not sent again. Exit status: 0 after
// SIGTERM or SIGINT, 1 when the service rejects the subscription, 2 for invalid arguments.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	ballast "ballast.example/clients/go"
)

func main() {
	var options ballast.AlertOptions
	text := flag.String("thresholds", "null", `JSON, such as {"max_risk_score": 60}`)
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: alerts [-thresholds JSON] URL[,URL...] WALLET...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() < 2 || json.Unmarshal([]byte(*text), &options.Thresholds) != nil {
		flag.Usage()
		os.Exit(2)
	}
	options.URLs = strings.Split(flag.Arg(0), ",")
	wallets := flag.Args()[1:]
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	for event, err := range ballast.New(options.URLs[0], "").Alerts(ctx, wallets, options) {
		switch {
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		case event.Watching != "":
			fmt.Fprintf(os.Stderr, "watching %d wallets at %s\n", len(wallets), event.Watching)
		case event.Lost != "":
			fmt.Fprintln(os.Stderr, event.Lost)
		default:
			line, _ := json.Marshal(event.Alert) // cannot fail: the fields were decoded from JSON
			fmt.Printf("%s\n", line)
		}
	}
}
