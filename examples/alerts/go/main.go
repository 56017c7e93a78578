// Command go prints the risk alerts of wallets, one JSON object a line.
//
//	go run ./examples/alerts/go [-thresholds JSON] URL[,URL...] WALLET...
//
//	go run ./examples/alerts/go -thresholds '{"max_risk_score": 60}' \
//	    ws://127.0.0.1:8080/v1/alerts/ws 0xba11a57000000000000000000000000000000006
//
// It reconnects by itself, to the next URL when there are several replicas, and subscribes
// again. What happened in between is not sent later: each time it says "watching" on
// standard error, ask for the state of the wallets (GET /v1/monitor/{wallet}). Exit
// status: 0 after SIGTERM or SIGINT, 1 when the service refuses what was asked, 2 for
// arguments that make no sense.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fasthttp/websocket"
)

const (
	connectTimeout = 10 * time.Second
	silence        = 40 * time.Second // the service pings every 15 s, so this long without a frame is the end
	writeTimeout   = 5 * time.Second
	maxPause       = 15 * time.Second // between two attempts
	maxMessage     = 1 << 20          // bytes
)

// ourFault are the close codes that say that this program is at fault: doing the same
// again cannot help.
var ourFault = []int{
	websocket.CloseProtocolError, websocket.CloseUnsupportedData, websocket.CloseInvalidFramePayloadData,
	websocket.ClosePolicyViolation, websocket.CloseMessageTooBig,
}

// errRefused wraps what trying again cannot help.
var errRefused = errors.New("refused")

// config is what the service is asked for.
type config struct {
	Wallet     string          `json:"wallet"`
	Thresholds json.RawMessage `json:"thresholds,omitempty"`
}

// message is what the service says: one of the three.
type message struct {
	Subscribed string `json:"subscribed"`

	Error  string `json:"error"`
	Detail string `json:"detail"`

	AlertType string `json:"alert_type"`
}

// watch is what to listen to, and whom to tell.
type watch struct {
	wallets    []string
	thresholds json.RawMessage
	connected  func(url string) // all wallets are confirmed
	alert      func(text []byte)
}

// listen hands on alerts until the connection or ctx ends.
func (w *watch) listen(ctx context.Context, url string) error {
	dialer := websocket.Dialer{HandshakeTimeout: connectTimeout}
	ws, response, err := dialer.DialContext(ctx, url, nil)
	switch {
	case err == nil:
	case response == nil:
		return err
	case response.StatusCode/100 == 4 && response.StatusCode != 429:
		return fmt.Errorf("%w with HTTP %d", errRefused, response.StatusCode)
	default:
		return fmt.Errorf("%w: HTTP %d", err, response.StatusCode)
	}
	defer ws.Close()
	defer context.AfterFunc(ctx, func() {
		bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
		ws.WriteControl(websocket.CloseMessage, bye, time.Now().Add(writeTimeout))
		ws.Close() // ends the read below
	})()
	ws.SetReadLimit(maxMessage)
	heard := func() { ws.SetReadDeadline(time.Now().Add(silence)) }
	answer := ws.PingHandler()
	ws.SetPingHandler(func(text string) error {
		heard()
		return answer(text)
	})
	for _, wallet := range w.wallets {
		ws.SetWriteDeadline(time.Now().Add(writeTimeout))
		if err := ws.WriteJSON(config{wallet, w.thresholds}); err != nil {
			return err
		}
	}
	waiting := map[string]bool{}
	for _, wallet := range w.wallets {
		waiting[strings.ToLower(wallet)] = true
	}
	for {
		heard()
		_, text, err := ws.ReadMessage()
		if websocket.IsCloseError(err, ourFault...) {
			return fmt.Errorf("%w: %w", errRefused, err)
		}
		if err != nil {
			return err
		}
		var m message
		if err := json.Unmarshal(text, &m); err != nil {
			return fmt.Errorf("not what this service sends: %w", err)
		}
		switch {
		case m.AlertType != "":
			w.alert(text)
		case m.Error != "":
			fmt.Fprintf(os.Stderr, "%s: %s\n", m.Error, m.Detail) // a close frame follows
		case waiting[m.Subscribed]:
			delete(waiting, m.Subscribed)
			if len(waiting) == 0 {
				w.connected(url)
			}
		}
	}
}

// forever listens again and again, until ctx ends or trying cannot help.
func (w *watch) forever(ctx context.Context, urls []string) error {
	pause := time.Second
	connected := w.connected
	w.connected = func(url string) {
		pause = time.Second
		connected(url)
	}
	for turn := 0; ; turn++ {
		err := w.listen(ctx, urls[turn%len(urls)])
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, errRefused) {
			return err
		}
		fmt.Fprintln(os.Stderr, err)
		// A random share of a growing pause: after a restart thousands must not come at once.
		select {
		case <-time.After(rand.N(pause)):
		case <-ctx.Done():
			return nil
		}
		pause = min(2*pause, maxPause)
	}
}

func main() {
	thresholds := flag.String("thresholds", "null", `JSON, such as {"max_risk_score": 60}`)
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: alerts [-thresholds JSON] URL[,URL...] WALLET...")
		flag.PrintDefaults()
	}
	flag.Parse()
	urls := strings.Split(flag.Arg(0), ",")
	bad := func(url string) bool { return !strings.HasPrefix(url, "ws://") && !strings.HasPrefix(url, "wss://") }
	if flag.NArg() < 2 || slices.ContainsFunc(urls, bad) || !json.Valid([]byte(*thresholds)) {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	w := watch{
		wallets:    flag.Args()[1:],
		thresholds: json.RawMessage(*thresholds),
		connected: func(url string) {
			fmt.Fprintf(os.Stderr, "watching %d wallets at %s\n", flag.NArg()-1, url)
		},
		alert: func(text []byte) { fmt.Printf("%s\n", text) },
	}
	if err := w.forever(ctx, urls); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
