package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"ballast/marketcache/venue/sim"
	"ballast/server"
	"ballast/server/api"
	"ballast/server/auth"
)

// serviceFlags name the service that a command asks.
type serviceFlags struct {
	JSON    bool   `name:"json" help:"${help_json}"`
	Server  string `default:"" help:"${help_server}"`
	Key     string `default:"" help:"${help_key}"`
	KeyFile string `default:"" placeholder:"FILE" help:"${help_key_file}"`
}

// check refuses questions that the simulated venue would answer although they are about a real wallet.
func (f *serviceFlags) check(wallet string) error {
	real := ""
	switch {
	case f.Server != "" && f.Key != "" && f.KeyFile != "":
		return errors.New("--key and --key-file: leave one of the two out")
	case f.Server != "":
		return checkServer(f.Server)
	case f.Key != "":
		real = "--key"
	case f.KeyFile != "":
		real = "--key-file"
	case wallet != "" && demoWallet(wallet) == nil:
		real = "--wallet " + wallet
	default:
		return nil
	}
	return fmt.Errorf("%s: without --server a simulated venue answers, whose wallets are %s to %s; "+
		"for a real wallet name the running service, e.g. --server http://127.0.0.1:8080",
		real, sim.Wallets[0].Address, sim.Wallets[len(sim.Wallets)-1].Address)
}

// zeroWallet has no positions on any venue.
const zeroWallet = "0x0000000000000000000000000000000000000000"

// walletOr returns the address of a wallet, or of the one that is meant when none is named.
func (f *serviceFlags) walletOr(wallet string) string {
	switch {
	case wallet != "":
		return walletOf(wallet)
	case f.Server == "":
		return sim.Wallets[0].Address
	}
	return zeroWallet
}

// open returns a client of the service that is named, or starts one on the simulated venue.
func (f *serviceFlags) open() (client *asker, stop func(), err error) {
	if f.Server == "" {
		stop, base, key, err := startDemo()
		return &asker{base, key}, stop, err
	}
	key := f.Key
	if f.KeyFile != "" {
		if key, err = readKey(f.KeyFile); err != nil {
			return nil, nil, err
		}
	}
	return &asker{strings.TrimRight(f.Server, "/"), key}, func() {}, nil
}

// readKey reads a file that holds an API key.
func readKey(file string) (string, error) {
	text, err := readFile(file)
	if err != nil {
		return "", fmt.Errorf("--key-file: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// show asks the service, reads its answer into a value and shows that, or with --json the answer as it came.
func (f *serviceFlags) show(path string, request, into any, show func(w sheet)) error {
	client, stop, err := f.open()
	if err != nil {
		return err
	}
	defer stop()
	body, err := client.ask(path, request)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("the service's answer: %w", err)
	}
	if f.JSON {
		fmt.Printf("%s\n", body)
	} else {
		show(standardOutput())
	}
	return nil
}

// explained returns a path that asks for the explanation too, which is for people.
func (f *serviceFlags) explained(path string) string {
	if f.JSON {
		return path
	}
	return path + "?explain=true"
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

// asker asks a service over HTTP.
type asker struct{ base, key string }

// ask sends a request, POST if there is one, otherwise GET, and returns the body of the answer.
func (a *asker) ask(path string, request any) ([]byte, error) {
	var body []byte
	var err error
	if request != nil {
		if body, err = json.Marshal(request); err != nil {
			return nil, err
		}
	}
	answer, err := overHTTP(a.base, a.key)(context.Background(), nil, path, body)
	switch authority := new(x509.UnknownAuthorityError); {
	case errors.As(err, authority):
		return nil, fmt.Errorf("--server: %w: set the environment variable SSL_CERT_FILE to a PEM file with the "+
			"certificate of that authority", err)
	case err != nil && answer.Status == 0:
		return nil, fmt.Errorf("--server: %w: is the service running there?", err)
	case err != nil:
		return nil, err
	case answer.Status == http.StatusOK:
		return answer.Body, nil
	}
	var r refusal
	d := json.NewDecoder(bytes.NewReader(answer.Body))
	d.UseNumber()
	if d.Decode(&r) != nil || r.Error == "" {
		return nil, fmt.Errorf("the service answered %d %s", answer.Status, http.StatusText(answer.Status))
	}
	if answer.Status == http.StatusUnauthorized {
		return nil, fmt.Errorf("%s: want a key of this service, --key, --key-file or BALLAST_KEY; "+
			"`ballast keys issue` makes one", r.Error)
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
		add("suggestion for %s: %v", cmp.Or(r.Field, "the path"), r.Suggestion)
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
	log := commandLog()
	keys := auth.NewStore()
	if key, _, err = keys.Issue("demo@localhost", auth.Agent); err != nil {
		return nil, "", "", err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", "", err
	}
	m, err := (&serveCmd{Venue: "sim"}).startMarket(nil, log)
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
