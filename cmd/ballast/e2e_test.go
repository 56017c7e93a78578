package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestE2ERun tests the first command of the README: it prints a key, and a curl line that is
// answered with 200.
func TestE2ERun(t *testing.T) {
	s := serveSim(t)
	// Run the printed curl line in a shell.
	curl := regexp.MustCompile(`(?m)^curl .*$`).FindString(s.output.String())
	if _, err := exec.LookPath("curl"); err == nil {
		out, err := exec.Command("sh", "-c", curl+" -s -w ' %{http_code}'").CombinedOutput()
		if err != nil || !strings.HasSuffix(string(out), " 200") {
			t.Errorf("%s: %v\n%s", curl, err, out)
		}
	}
	status, answer := s.post(t, trade("BTC", "long", 50000, crossWallet))
	if status != 200 || answer["recommendation"] == nil {
		t.Fatalf("validate: %d %v", status, answer)
	}
	if status, answer := s.post(t, trade("NOSUCH", "long", 50000, crossWallet)); status != 400 ||
		answer["detail"] != "invalid asset: NOSUCH" {
		t.Errorf("unknown asset: %d %v", status, answer)
	}
}

// fault sets the faults of a venuesim process.
func fault(t *testing.T, venue, name string) {
	t.Helper()
	resp, err := http.Post(venue+"/sim/fault", "application/json", strings.NewReader(fmt.Sprintf(`{"fault":%q}`, name)))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Fatalf("fault %q: %d", name, resp.StatusCode)
	}
}

// faulty is a service with its own venuesim process, whose faults can be set.
type faulty struct {
	*remote
	venue string // its address
	dir   string // of the service's data
}

func (f *faulty) settle(t *testing.T) {
	eventually(t, "a fresh answer", 12*time.Second, func() bool { return f.healthy(t) }) // depth comes every 5.4 s
}

// startBeside returns as soon as the service says that it is ready.
func startBeside(t *testing.T, venueFlags []string, flags ...string) *faulty {
	base := startVenue(t, venueFlags...)
	dir := t.TempDir()
	key := issue(t, "a@example.com", "--data-dir", dir).Key
	cmd := exec.Command(binary(t, "ballast"), append([]string{"serve", "--venue", base, "--venue-budget", "0",
		"--data-dir", dir}, flags...)...)
	cmd.Env = append(os.Environ(), "BALLAST_LISTEN=127.0.0.1:0") // flags may say otherwise
	p := startCommand(t, cmd)
	f := &faulty{remote: &remote{process: p, key: key, url: p.find(t, `serving url=(http://\S+)`)[1]}, venue: base,
		dir: dir}
	f.ready(t, 20*time.Second)
	return f
}

func (f *faulty) validate(t *testing.T, asset string) (status int, answer map[string]any) {
	return f.post(t, trade(asset, "long", 20000, crossWallet))
}

func hasFlag(answer map[string]any, flag string) bool {
	return strings.Contains(fmt.Sprint(answer["flags"]), flag)
}

func (f *faulty) fresh(t *testing.T, asset string) bool {
	status, a := f.validate(t, asset)
	return status == 200 && !hasFlag(a, "stale_market_data")
}

// healthy reports whether two assets whose books arrive over different connections are both fresh.
func (f *faulty) healthy(t *testing.T) bool { return f.fresh(t, "ETH") && f.fresh(t, "BTC") }

// TestE2EFaults: all price data stops. Answers are first flagged as stale, later refused, and fresh again after it.
// What else may happen to a venue: the tests of marketcache/venue/hyperliquid.
func TestE2EFaults(t *testing.T) {
	f := startBeside(t, []string{"--assets", "64"})
	f.settle(t)
	fault(t, f.venue, "stall,500:l2Book,500:metaAndAssetCtxs")
	eventually(t, "flagged as stale", 15*time.Second, func() bool {
		status, a := f.validate(t, "ETH")
		return status == 200 && hasFlag(a, "stale_market_data")
	})
	for action, want := range map[string]int{"long": 10, "close": 0} {
		out, errs, status := command(t, nil, "validate", "--server", f.url, "--key", f.key, "--wallet", crossWallet,
			"--asset", "ETH", "--action", action, "--size", "100", "--leverage", "2")
		if status != want || !strings.Contains(out, "stale_market_data") {
			t.Errorf("a %s on stale data ends with %d, want %d:\n%s%s", action, status, want, out, errs)
		}
	}
	eventually(t, "refused as stale", 45*time.Second, func() bool {
		status, a := f.validate(t, "ETH")
		return status == 503 && (a["error"] == "stale_market_data" || a["error"] == "venue_unavailable")
	})
	fault(t, f.venue, "")
	eventually(t, "fresh again after the stall", 20*time.Second, func() bool { return f.healthy(t) })
}

// TestE2ERestart: after a kill, the stored data makes the service ready and calibrated at once, for
// a fraction of one minute's request weight.
func TestE2ERestart(t *testing.T) {
	base := startVenue(t, "--assets", "64")
	weight := func() float64 {
		_, stats := (&remote{url: base}).get(t, "/sim/stats")
		return stats["weight"].(float64)
	}
	dir := t.TempDir()
	// Without a request budget, so that the first warm-up does not take minutes.
	s := serving(t, "--venue", base, "--venue-budget", "0", "--data-dir", dir)
	s.ready(t, 90*time.Second)
	calibrated := func(s *remote) float64 {
		_, health := s.get(t, "/health")
		return health["assets"].(map[string]any)["calibrated"].(float64)
	}
	before := 0.0
	eventually(t, "every history fetched and fitted", 120*time.Second, func() bool {
		n := calibrated(s)
		defer func() { before = n }()
		return n > 50 && n == before
	})
	s.kill()

	spent, begun := weight(), time.Now()
	s = serving(t, "--venue", base, "--data-dir", dir)
	s.ready(t, 30*time.Second)
	took := time.Since(begun)
	eventually(t, "all assets calibrated again", 30*time.Second, func() bool { return calibrated(s) >= before })
	cost := weight() - spent
	const underWay = 100 // what the killed process had sent and the venue had not yet counted
	if cost > 1200/2+underWay {
		t.Errorf("a restart cost the venue a weight of %v", cost)
	}
	t.Logf("ready %v after a restart, all calibrated after %v, for a weight of %v", took, time.Since(begun), cost)
}
