package main

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestE2EHelp tests what a new user sees: without arguments, with help, and after a mistyped command.
func TestE2EHelp(t *testing.T) {
	alone, errs, code := command(t, nil)
	if code != 0 || errs != "" || !strings.Contains(alone, "\nCommands:\n  serve [flags]\n") ||
		strings.Contains(alone, "__complete") {
		t.Errorf("%d %s\n%s", code, errs, alone)
	}
	if out, _, code := command(t, nil, "--help"); out != alone || code != 0 {
		t.Errorf("%d %s", code, out)
	}
	if out, _, code := command(t, nil, "help"); out != alone || code != 0 {
		t.Errorf("%d %s", code, out)
	}
	for _, args := range []string{"help", "help serve", "validate --help", "help keys issue", "help backtest",
		"help candles import", "help calibrate", "help completion"} {
		out, errs, code := command(t, nil, strings.Fields(args)...)
		if code != 0 || errs != "" || !strings.HasPrefix(out, "Usage: ballast ") {
			t.Errorf("%q: %d %s", args, code, errs)
		}
		fits(t, out)
	}
	if out, errs, code := command(t, nil, "--version"); code != 0 || errs != "" || out != "ballast dev (unknown)\n" {
		t.Errorf("%d %s%s", code, out, errs)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"help", "srve"},
			"ballast: unexpected argument srve, did you mean one of \"serve\", \"size\"?\n" +
				"ballast: see `ballast --help`\n"},
		{[]string{"srve"},
			"ballast: unexpected argument srve, did you mean one of \"serve\", \"size\"?\n" +
				"ballast: see `ballast --help`\n"},
		{[]string{"serve", "--listne", "x"},
			"ballast: unknown flag --listne, did you mean \"--listen\"?\nballast: see `ballast serve --help`\n"},
		{[]string{"keys"},
			"ballast: expected one of \"issue\", \"list\", \"revoke\", \"rebuild\"\nballast: see `ballast " +
				"keys --help`\n"},
		{[]string{"serve", "--rate-limit=-1", "--max-in-flight=0"},
			"ballast: --max-in-flight 0: want at least 1\nballast: --rate-limit -1: want a number of requests, or " +
				"0 for no " +
				"limit\nballast: see `ballast serve --help`\n"},
	} {
		if out, errs, code := command(t, nil, c.args...); code != 2 || out != "" || errs != c.says {
			t.Errorf("%q: %d\n%s%s", c.args, code, out, errs)
		}
	}
}

// TestValidateRefuses: without --server, validate refuses a real wallet, which the simulated venue does not
// have. An invalid number or address is an error that names the flag.
func TestValidateRefuses(t *testing.T) {
	const simulated = ": without --server a simulated venue answers, whose wallets are " +
		"0xba11a57000000000000000000000000000000001 to 0xba11a57000000000000000000000000000000013; " +
		"for a real wallet name the running service, e.g. --server http://127.0.0.1:8080"
	real := "0x1234567890123456789012345678901234567890"
	t.Setenv("BALLAST_SIZE", "1") // flags may say otherwise
	for _, c := range []struct {
		says string
		args []string
		env  string
	}{
		{"--key" + simulated, []string{"--key", "k"}, ""},
		{"--key" + simulated + " (BALLAST_KEY)", nil, "BALLAST_KEY=k"},
		{"--wallet " + real + simulated, []string{"--wallet", real}, ""},
		{"--wallet " + zeroWallet + simulated, []string{"--wallet", zeroWallet}, ""},
		{`--size: "1,5": want USD, such as 50000, 50,000, 50k or $1.2m; a size in coins is --size-coin; a comma ` +
			"separates thousands, a point decimals", []string{"--size", "1,5"}, ""},
		{`--leverage: "ten": want a leverage, such as 10 or 10x`, []string{"--leverage", "ten"}, ""},
		{`--server "127.0.0.1:8080": want the whole address, http://127.0.0.1:8080`,
			[]string{"--server", "127.0.0.1:8080"},
			""},
		{`--server "localhost:8080": want the whole address, http://localhost:8080`,
			[]string{"--server", "localhost:8080"},
			""},
		{`--server "ftp://host": want an address such as http://127.0.0.1:8080`, []string{"--server", "ftp://host"},
			""},
		{`--server "http://": want an address such as http://127.0.0.1:8080`, []string{"--server", "http://"}, ""},
	} {
		var env []string
		if name, value, ok := strings.Cut(c.env, "="); ok {
			t.Setenv(name, value)
			env = append(env, c.env)
		}
		_, err := parse(append([]string{"validate", "--asset", "BTC", "--action", "long"}, c.args...), env)
		if c.env != "" {
			os.Unsetenv("BALLAST_KEY")
		}
		if err == nil || err.Error() != c.says+"\nsee `ballast validate --help`" {
			t.Errorf("%q %s: %v\nwant %s", c.args, c.env, err, c.says)
		}
	}
	for _, args := range [][]string{nil, {"--wallet", crossWallet},
		{"--wallet", "0xBA11A5700000000000000000000000000000000a"}, {"--server", "https://host:1/base/", "--key", "k",
			"--wallet", real}} {
		_, err := parse(append([]string{"validate", "--asset", "BTC", "--action", "long"}, args...), nil)
		if err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// TestValidateOrder: the flags of the order are sent as its members, those that are left out not at all.
func TestValidateOrder(t *testing.T) {
	for _, c := range []struct{ args, order, words string }{
		{"", "null", ""},
		{"--price 55,000", `{"price":55000,"type":"limit"}`, ", limit 55000"},
		{"--order-type limit --price $1.5 --tif alo --reduce-only",
			`{"price":1.5,"reduce_only":true,"tif":"alo","type":"limit"}`, ", limit 1.5 alo, reduce only"},
		{"--stop-loss 50k --take-profit 60k", `{"stop_loss_price":50000,"take_profit_price":60000}`,
			", stop 50000, take profit 60000"},
		// the service says what it takes
		{"--order-type Market --price 0 --tif day", `{"price":0,"tif":"day","type":"Market"}`, ", limit 0 day"},
	} {
		ctx, err := parse(append([]string{"validate", "--asset", "BTC", "--action", "long", "--size", "5"},
			strings.Fields(c.args)...), nil)
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		ask := &ctx.Model.Target.Addr().Interface().(*cli).Validate
		order, _ := json.Marshal(ask.request()["order"])
		if string(order) != c.order || ask.describe() != "long 5.00 USD of BTC"+c.words {
			t.Errorf("%s: %s, %s", c.args, order, ask.describe())
		}
	}
}

// TestValidateSize: validate takes a size in USD or in coins, as a flag or from the environment, sends it as it
// is, and refuses both and none.
func TestValidateSize(t *testing.T) {
	var sent string
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = string(body)
	}))
	defer service.Close()
	trade := []string{"validate", "--asset", "BTC", "--action", "long", "--leverage", "5"}
	for _, c := range []struct {
		args              []string
		env, value        string
		sends, says, want string
	}{
		{[]string{"--size", "50000"}, "", "", `"size":50000,`, "long 50,000 USD of BTC at 5x", ""},
		{[]string{"--size-coin", "0.5"}, "", "", `"size_coin":0.5,`, "long 0.5 BTC at 5x", ""},
		{nil, "BALLAST_SIZE_COIN", "0.00075", `"size_coin":0.00075,`, "long 0.00075 BTC at 5x", ""},
		// the service says what it takes
		{[]string{"--size", "0"}, "", "", `"size":0,`, "long 0.00 USD of BTC at 5x", ""},
		{[]string{"--size-coin", "nan"}, "", "", "", "",
			`--size-coin: "nan": want coins of the asset, such as 0.5 or 2k; a size in USD is --size`},
		{[]string{"--size", "$50,000"}, "", "", `"size":50000,`, "long 50,000 USD of BTC at 5x", ""},
		{nil, "", "", "", "", "missing flags: --size=USD or --size-coin=COINS"},
		{[]string{"--size", "1000000", "--size-coin", "0.5"}, "", "", "", "",
			"--size 1000000, in USD, and --size-coin 0.5, in coins of the asset: leave one of the two out"},
		{[]string{"--size-coin", "2"}, "BALLAST_SIZE", "1", "", "",
			"--size 1, in USD, and --size-coin 2, in coins of the asset: leave one of the two out (BALLAST_SIZE)"},
	} {
		if c.env != "" {
			t.Setenv(c.env, c.value)
		}
		ctx, err := parse(append(slices.Clone(trade), c.args...), nil)
		if c.env != "" {
			os.Unsetenv(c.env)
		}
		if c.want != "" {
			if err == nil || err.Error() != c.want+"\nsee `ballast validate --help`" {
				t.Errorf("%q %s: %v\nwant %s", c.args, c.env, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q %s: %v", c.args, c.env, err)
			continue
		}
		ask := &ctx.Model.Target.Addr().Interface().(*cli).Validate
		client := asker{service.URL, "key"}
		if _, err := client.ask("/v1/validate", ask.request()); err != nil || strings.Count(sent, `"size`) != 1 ||
			!strings.Contains(sent, c.sends) {
			t.Errorf("%q %s: %v, sent %s", c.args, c.env, err, sent)
		}
		if got := ask.describe(); got != c.says {
			t.Errorf("%q %s: %q, want %q", c.args, c.env, got, c.says)
		}
	}
	const all = "missing flags: --action=STRING, --asset=STRING, --size=USD or --size-coin=COINS\n" +
		"see `ballast validate --help`"
	if _, err := parse([]string{"validate"}, nil); err == nil || err.Error() != all {
		t.Errorf("%v\nwant %s", err, all)
	}
}

// TestAskErrors: the errors for an unreachable service, a rejected key, a refused request and an unknown
// certificate say what to do.
func TestAskErrors(t *testing.T) {
	status, body := http.StatusUnauthorized, `{"error":"unauthorized"}`
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		w.Write([]byte(body))
	})
	refusing := httptest.NewServer(answer)
	ask := func(url string) error {
		client := asker{url, "key"}
		_, err := client.ask("/v1/validate", map[string]any{"asset": "BTC"})
		return err
	}
	if err := ask(refusing.URL); err == nil ||
		err.Error() != "unauthorized: want a key of this service, --key, --key-file or BALLAST_KEY; "+
			"`ballast keys issue` makes one" {
		t.Error(err)
	}
	for _, c := range []struct {
		status     int
		body, says string
	}{
		{400, `{"error":"validation_error","detail":"invalid asset: btc","field":"asset","got":"btc",` +
			`"suggestion":"BTC"}`,
			"validation_error: invalid asset: btc\nsuggestion for asset: BTC"},
		{404, `{"error":"not_found","detail":"no such route: /v1/monitor/","suggestion":"/v1/monitor/{wallet}"}`,
			"not_found: no such route: /v1/monitor/\nsuggestion for the path: /v1/monitor/{wallet}"},
		{400, `{"error":"validation_error","detail":"size must be positive, got 0","field":"size","got":0,` +
			`"allowed":{"exclusive_min":0,"max":1e9},
			"problems":[{"field":"size","detail":"size must be positive, got 0"},` +
			`{"field":"mode","detail":"invalid mode: x"}]}`,
			"validation_error: size must be positive, got 0\nallowed for size: over 0, at most " +
				"1,000,000,000\nwrong too: " +
				"invalid mode: x"},
		{400, `{"error":"validation_error","detail":"invalid action: by","field":"action","got":"by",` +
			`"allowed":{"values":["long","short","close"]}}`,
			"validation_error: invalid action: by\nallowed for action: long, short, close"},
		{404, `{"error":"not_found","detail":"no such route: /x"}`, "not_found: no such route: /x"},
		{500, `oops`, "the service answered 500 Internal Server Error"},
	} {
		status, body = c.status, c.body
		if err := ask(refusing.URL); err == nil || err.Error() != c.says {
			t.Errorf("%s: %v", c.body, err)
		}
	}
	refusing.Close()
	if err := ask(refusing.URL); err == nil || !strings.HasPrefix(err.Error(), "--server: ") ||
		!strings.HasSuffix(err.Error(), "refused: is the service running there?") {
		t.Error(err)
	}
	unknown := httptest.NewUnstartedServer(answer)
	unknown.Config.ErrorLog = log.New(io.Discard, "", 0)
	unknown.StartTLS()
	defer unknown.Close()
	if err := ask(unknown.URL); err == nil || !strings.Contains(err.Error(), "SSL_CERT_FILE") {
		t.Error(err)
	}
}
