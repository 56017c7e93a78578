package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/fasthttp/websocket"
)

// raised is an alert.
type raised struct {
	Severity, Message, Timestamp string

	text []byte // as it came
}

// Validate refuses a pause that would only spend the venue's budget.
func (c *watchCmd) Validate() error {
	if c.Every < time.Second {
		return fmt.Errorf("--every %s: want 1s or more", c.Every)
	}
	return c.check(c.Wallet)
}

// Run prints alerts until it is interrupted, or until the severity that --until names.
func (c *watchCmd) Run() error {
	client, stop, err := c.open()
	if err != nil {
		return err
	}
	defer stop()
	ctx, done := untilInterrupted()
	defer done()
	return c.watch(ctx, standardOutput(), client, walletOf(c.Wallet))
}

// watch keeps a subscription open, and asks for the wallet as it has been set up, because only that call raises alerts.
func (c *watchCmd) watch(ctx context.Context, w sheet, client *asker, wallet string) error {
	for ctx.Err() == nil {
		alerts, err := client.subscribe(ctx, wallet)
		if err != nil {
			return err
		}
		ended, err := c.follow(ctx, w, client, wallet, alerts)
		if ended || err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "ballast: the alert socket has closed, subscribing again in %s\n", c.Every)
		select {
		case <-ctx.Done():
		case <-time.After(c.Every):
		}
	}
	return nil
}

// follow prints the alerts of one subscription. Unless ended, its socket closed, and another can be opened.
func (c *watchCmd) follow(ctx context.Context, w sheet, client *asker, wallet string, alerts <-chan raised) (
	ended bool, err error) {
	tick := time.NewTicker(c.Every)
	defer tick.Stop()
	for first := true; ; first = false {
		body, err := client.ask(monitorPath(wallet), nil)
		switch {
		case err != nil && first:
			return true, err
		case err != nil:
			fmt.Fprintf(os.Stderr, "ballast: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
		case first:
			var r walletReport
			if err := json.Unmarshal(body, &r); err != nil {
				return true, fmt.Errorf("the service's answer: %w", err)
			}
			words, c, _ := r.need()
			fmt.Fprintf(w, "%s %s: %d positions, %s\n", r.Meta.AsOf, wallet, len(r.Positions), w.paint(c, words))
		}
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				return true, nil
			case <-tick.C:
				waiting = false
			case a, open := <-alerts:
				if !open {
					return false, nil
				}
				a.print(w, c.JSON)
				if c.Until == "warning" || c.Until != "" && c.Until == a.Severity {
					return true, exitOf["abort"]
				}
			}
		}
	}
}

func (a *raised) print(w sheet, asJSON bool) {
	if asJSON {
		fmt.Fprintf(w, "%s\n", a.text)
		return
	}
	fmt.Fprintf(w, "%s %s %s\n", a.Timestamp, w.paint(map[string]colour{"critical": red, "warning": yellow}[a.Severity],
		fmt.Sprintf("%-8s", a.Severity)), a.Message)
}

// silence is how long the alert socket, which pings every 15 s, may be silent before it counts as dead.
const silence = 40 * time.Second

// subscribe opens the alert socket, and returns the wallet's alerts once the service has confirmed. The channel is
// closed with the socket.
func (a *asker) subscribe(ctx context.Context, wallet string) (<-chan raised, error) {
	header := http.Header{}
	if a.key != "" {
		header.Set("Authorization", "Bearer "+a.key)
	}
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: 10 * time.Second}
	ws, resp, err := dialer.DialContext(ctx, "ws"+strings.TrimPrefix(a.base, "http")+"/v1/alerts/ws", header)
	if err != nil {
		if resp != nil {
			return nil, fmt.Errorf("the alert socket: the service answered %s", resp.Status)
		}
		return nil, fmt.Errorf("--server: %w: is the service running there?", err)
	}
	var answer struct {
		Subscribed string
		refusal
	}
	if err := errors.Join(ws.WriteJSON(map[string]string{"wallet": wallet}), ws.ReadJSON(&answer)); err != nil {
		ws.Close()
		return nil, fmt.Errorf("the alert socket: %w", err)
	}
	if answer.Subscribed == "" {
		ws.Close()
		return nil, answer.words()
	}
	alerts := make(chan raised, 256)
	closed := context.AfterFunc(ctx, func() { ws.Close() })
	ws.SetPingHandler(func(text string) error {
		ws.SetReadDeadline(time.Now().Add(silence))
		return ws.WriteControl(websocket.PongMessage, []byte(text), time.Now().Add(time.Second))
	})
	go func() {
		defer close(alerts)
		defer closed()
		defer ws.Close()
		for {
			ws.SetReadDeadline(time.Now().Add(silence))
			var alert raised
			var err error
			if _, alert.text, err = ws.ReadMessage(); err != nil || json.Unmarshal(alert.text, &alert) != nil {
				return
			}
			select {
			case alerts <- alert:
			case <-ctx.Done():
				return
			}
		}
	}()
	return alerts, nil
}
