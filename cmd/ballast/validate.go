package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"ballast/marketcache/venue/sim"
	"ballast/server"
	"ballast/server/api"
	"ballast/server/auth"
	"ballast/server/spec/types"
)

// exitOf is the exit status of validate for each recommendation. One that rests on stale data is no
// plain proceed, except for a close.
var exitOf = map[types.AssessmentRecommendation]exitStatus{"proceed": 0, "proceed_with_caution": 10, "abort": 20}

// zeroWallet has no positions on any venue.
const zeroWallet = "0x0000000000000000000000000000000000000000"

// Validate refuses no size and two sizes, numbers that no request can carry, and questions that the
// simulated venue would answer although they are about a real wallet.
func (c *validateCmd) Validate() error {
	problems := []error{c.missing()}
	for _, n := range []struct {
		flag  string
		value *float64
	}{{"--size", c.Size}, {"--size-coin", c.SizeCoin}, {"--leverage", &c.Leverage}} {
		if n.value != nil && (math.IsNaN(*n.value) || math.IsInf(*n.value, 0)) {
			problems = append(problems, fmt.Errorf("%s %v: want a number", n.flag, *n.value))
		}
	}
	if c.Size != nil && c.SizeCoin != nil {
		problems = append(problems, fmt.Errorf("--size %s, in USD, and --size-coin %s, in coins of the asset: "+
			"leave one of the two out", amount(*c.Size), amount(*c.SizeCoin)))
	}
	real := ""
	switch {
	case c.Server != "":
		problems = append(problems, checkServer(c.Server))
	case c.Key != "":
		real = "--key"
	case c.Wallet != "" && !isSimulated(c.Wallet):
		real = "--wallet " + c.Wallet
	}
	if real != "" {
		problems = append(problems,
			fmt.Errorf("%s: without --server a simulated venue answers, whose wallets are %s to %s; "+
				"for a real wallet name the running service, e.g. --server http://127.0.0.1:8080",
				real, sim.Wallets[0].Address, sim.Wallets[len(sim.Wallets)-1].Address))
	}
	return errors.Join(problems...)
}

// missing reports an error when there is no size. It names what else is missing, which would be reported
// otherwise only once there is one.
func (c *validateCmd) missing() error {
	if c.Size != nil || c.SizeCoin != nil {
		return nil
	}
	var flags []string
	if c.Action == "" {
		flags = append(flags, "--action=STRING")
	}
	if c.Asset == "" {
		flags = append(flags, "--asset=STRING")
	}
	flags = append(flags, "--size=USD or --size-coin=COINS")
	return fmt.Errorf("missing flags: %s", strings.Join(flags, ", "))
}

// isSimulated reports whether the simulated venue has the wallet.
func isSimulated(wallet string) bool {
	return slices.ContainsFunc(sim.Wallets, func(w sim.Wallet) bool { return strings.EqualFold(w.Address, wallet) })
}

// checkServer reports an error for a value of --server that is not the base URL of a service.
func checkServer(server string) error {
	shown := venueName(server)
	if !strings.Contains(server, "://") {
		return fmt.Errorf("--server %q: want the whole address, http://%s", shown, shown)
	}
	if err := checkUser(server); err != nil {
		return fmt.Errorf("--server %q: %w", shown, err)
	}
	if u, err := url.Parse(server); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return fmt.Errorf("--server %q: want an address such as http://127.0.0.1:8080", shown)
	}
	return nil
}

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
	if c.Server == "" {
		// of a service that has just started: its first answer takes a hundred times longer than later ones
		a.Meta.LatencyMs = 0
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
	if status == 0 && slices.Contains(a.Flags, staleFlag) && c.Action != "close" {
		status = exitOf["proceed_with_caution"] // its figures are of older prices: ask again
	}
	if status != 0 {
		return status
	}
	return nil
}

// describe puts the request into words.
func (c *validateCmd) describe() string {
	s := c.Action + " "
	if c.SizeCoin != nil {
		s += amount(*c.SizeCoin) + " " + c.Asset
	} else {
		s += usd(*c.Size) + " USD of " + c.Asset
	}
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
	request := map[string]any{"asset": c.Asset, "action": c.Action, "wallet": c.Wallet}
	if c.SizeCoin != nil {
		request["size_coin"] = *c.SizeCoin
	} else {
		request["size"] = *c.Size
	}
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
	var authority x509.UnknownAuthorityError
	if errors.As(err, &authority) {
		return nil, fmt.Errorf(
			"--server: %w: set the environment variable SSL_CERT_FILE to a PEM file with the certificate of that "+
				"authority",
			err)
	}
	if err != nil {
		return nil, fmt.Errorf("--server: %w: is the service running there?", err)
	}
	defer resp.Body.Close()
	answer, err := readAnswer(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return answer, nil
	}
	var r refusal
	d := json.NewDecoder(bytes.NewReader(answer))
	d.UseNumber()
	if d.Decode(&r) != nil || r.Error == "" {
		return nil, fmt.Errorf("the service answered %s", resp.Status)
	}
	if resp.StatusCode == http.StatusUnauthorized {
		return nil, fmt.Errorf("%s: want a key of this service, --key or BALLAST_KEY; `ballast keys issue` makes one",
			r.Error)
	}
	return nil, r.words()
}

// refusal is the body of an error.
type refusal struct {
	Error, Detail string
	api.Mending
}

// words says what is wrong, what would do instead, and what else is wrong, each as one problem.
func (r *refusal) words() error {
	first := r.Error
	if r.Detail != "" {
		first += ": " + r.Detail
	}
	lines := []error{errors.New(first)}
	add := func(format string, args ...any) { lines = append(lines, fmt.Errorf(format, args...)) }
	if r.Suggestion != nil {
		add("suggestion for %s: %v", r.Field, r.Suggestion)
	}
	if allowed := allowedWords(r.Allowed); allowed != "" {
		add("allowed for %s: %s", r.Field, allowed)
	}
	for _, p := range r.Problems {
		if p.Detail != r.Detail {
			add("wrong too: %s", p.Detail)
			if p.Suggestion != nil {
				add("suggestion for %s: %v", p.Field, p.Suggestion)
			}
		}
	}
	return errors.Join(lines...)
}

// allowedWords puts the allowed values into words.
func allowedWords(a *api.Allowed) string {
	if a == nil {
		return ""
	}
	var words []string
	if a.Type != "" {
		words = append(words, "a "+a.Type)
	}
	if a.Pattern != "" {
		words = append(words, "the pattern "+a.Pattern)
	}
	if a.ExclusiveMax != nil {
		words = append(words, fmt.Sprintf("below %v", *a.ExclusiveMax))
	}
	if a.ExclusiveMin != nil {
		words = append(words, fmt.Sprintf("over %v", *a.ExclusiveMin))
	}
	if a.Min != 0 {
		words = append(words, "at least "+figure(a.Min))
	}
	if a.Max != 0 {
		words = append(words, "at most "+figure(a.Max))
	}
	return strings.Join(append(words, a.Values...), ", ")
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
		line.sayOften("the simulated venue warms up: %d of %d assets have their history",
			assets-m.feed.Stats().PendingHistory, assets)
		select {
		case <-ctx.Done():
			stop()
			return nil, "", "", errors.New("the simulated venue did not come up in 20 s")
		case <-time.After(20 * time.Millisecond):
		}
	}
	return stop, "http://" + ln.Addr().String(), key, nil
}
