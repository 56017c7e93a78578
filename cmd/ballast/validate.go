package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"ballast/marketcache/venue/sim"
	"ballast/server"
	"ballast/server/auth"
)

// exitOf is the exit status of validate for each recommendation.
var exitOf = map[string]exitStatus{"proceed": 0, "proceed_with_caution": 10, "abort": 20}

// zeroWallet has no positions on any venue.
const zeroWallet = "0x0000000000000000000000000000000000000000"

// Run asks a running service, or starts one for this question.
func (c *validateCmd) Run() error {
	base, key := strings.TrimRight(c.Server, "/"), c.Key
	if base == "" {
		if c.Wallet == "" {
			c.Wallet = sim.Wallets[0].Address
		}
		stop, url, demoKey, err := startDemo()
		if err != nil {
			return err
		}
		defer stop()
		base, key = url, demoKey
	} else if c.Wallet == "" {
		c.Wallet = zeroWallet
	}
	body, err := c.ask(base, key)
	if err != nil {
		return err
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return fmt.Errorf("the service's answer: %w", err)
	}
	if c.JSON {
		fmt.Printf("%s\n", body)
	} else {
		report(standardOutput(), &a, c.describe(), c.Wallet)
	}
	status, known := exitOf[a.Recommendation]
	if !known {
		return fmt.Errorf("the service's answer has no recommendation")
	}
	if status != 0 {
		return status
	}
	return nil
}

// describe puts the request into words.
func (c *validateCmd) describe() string {
	s := fmt.Sprintf("%s %s USD of %s", c.Action, usd(c.Size), c.Asset)
	if c.Leverage > 0 {
		s += fmt.Sprintf(" at %gx", c.Leverage)
	}
	if c.Mode != "" {
		s += ", " + c.Mode
	}
	return s
}

// ask sends the request and returns the body of the answer.
func (c *validateCmd) ask(base, key string) ([]byte, error) {
	request := map[string]any{"asset": c.Asset, "action": c.Action, "size": c.Size, "wallet": c.Wallet}
	if c.Leverage != 0 {
		request["leverage"] = c.Leverage
	}
	if c.Mode != "" {
		request["mode"] = c.Mode
	}
	if c.MonteCarlo {
		request["monte_carlo"] = true
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	url := base + "/v1/validate"
	if !c.JSON {
		url += "?explain=true"
	}
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("--server: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	client := http.Client{Timeout: 30 * time.Second}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("--server: %w: is the service running there?", err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return answer, nil
	}
	var refusal struct{ Error, Detail string }
	if json.Unmarshal(answer, &refusal) != nil || refusal.Error == "" {
		return nil, fmt.Errorf("the service answered %s", resp.Status)
	}
	if resp.StatusCode == http.StatusUnauthorized {
		return nil, fmt.Errorf("%s: want a key of this service, --key or BALLAST_KEY; `ballast keys issue` makes one", refusal.Error)
	}
	if refusal.Detail != "" {
		return nil, fmt.Errorf("%s: %s", refusal.Error, refusal.Detail)
	}
	return nil, errors.New(refusal.Error)
}

// startDemo starts the whole service in this process on the simulated venue and waits until it is ready.
func startDemo() (stop func(), url, key string, err error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	keys := auth.NewStore()
	if key, _, err = keys.Issue("demo@localhost"); err != nil {
		return nil, "", "", err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", "", err
	}
	m, err := startMarket(marketConfig{venue: "sim", log: log})
	if err != nil {
		return nil, "", "", err
	}
	s := newService(m, keys, log, server.Config{})
	go s.http.Serve(ln)
	stop = func() { s.shutdown() }
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	line := newProgress(os.Stderr)
	defer line.clear()
	for !s.http.Ready() {
		assets := len(m.cache.Universe().Assets)
		line.sayOften("the simulated venue warms up: %d of %d assets have their history", assets-m.feed.Stats().PendingHistory, assets)
		select {
		case <-ctx.Done():
			stop()
			return nil, "", "", errors.New("the simulated venue did not come up in 20 s")
		case <-time.After(20 * time.Millisecond):
		}
	}
	return stop, "http://" + ln.Addr().String(), key, nil
}
